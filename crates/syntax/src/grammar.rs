//! Grammars: one per language, with the rules of the language indexed by node kind.

use std::sync::OnceLock;

use model::Language;

use crate::languages;
use crate::node::NodeNames;
use crate::walk::rules::{LanguageRules, RuleTable};

/// A tree-sitter grammar with the meaning of its nodes.
pub(crate) struct Grammar {
    pub(crate) parser_language: tree_sitter::Language,
    pub(crate) names: NodeNames,
    pub(crate) rules: RuleTable,
}

/// Returns the grammar of a language, indexed on first use. Returns `None` for languages without a grammar.
pub(crate) fn for_language(language: Language) -> Option<&'static Grammar> {
    static GRAMMARS: [OnceLock<Option<Grammar>>; Language::ALL.len()] =
        [const { OnceLock::new() }; Language::ALL.len()];
    GRAMMARS[language as usize]
        .get_or_init(|| {
            let (grammar, rules) = grammar_and_rules(language)?;
            let parser_language = tree_sitter::Language::from(grammar);
            let names = NodeNames::new(&parser_language);
            let rules = RuleTable::new(&parser_language, rules);
            Some(Grammar { parser_language, names, rules })
        })
        .as_ref()
}

fn grammar_and_rules(language: Language) -> Option<(tree_sitter_language::LanguageFn, &'static LanguageRules)> {
    Some(match language {
        Language::Rust => (grammars::RUST, &languages::rust::RULES),
        Language::Python => (grammars::PYTHON, &languages::python::RULES),
        Language::Go => (grammars::GO, &languages::go::RULES),
        Language::JavaScript => (grammars::JAVASCRIPT, &languages::ecmascript::RULES),
        Language::TypeScript => (grammars::TYPESCRIPT, &languages::ecmascript::RULES),
        Language::Tsx => (grammars::TSX, &languages::ecmascript::RULES),
        Language::Java => (grammars::JAVA, &languages::java::RULES),
        Language::C => (grammars::C, &languages::c::RULES),
        Language::Cpp => (grammars::CPP, &languages::cpp::RULES),
        Language::CSharp => (grammars::C_SHARP, &languages::csharp::RULES),
        Language::Ruby => (grammars::RUBY, &languages::ruby::RULES),
        Language::Php => (grammars::PHP, &languages::php::RULES),
        Language::Kotlin => (grammars::KOTLIN, &languages::kotlin::RULES),
        Language::Swift => (grammars::SWIFT, &languages::swift::RULES),
        Language::Scala => (grammars::SCALA, &languages::scala::RULES),
        Language::Bash => (grammars::BASH, &languages::bash::RULES),
        Language::Lua => (grammars::LUA, &languages::lua::RULES),
        Language::Elixir => (grammars::ELIXIR, &languages::elixir::RULES),
        Language::Zig => (grammars::ZIG, &languages::zig::RULES),
        Language::Dart => (grammars::DART, &languages::dart::RULES),
        Language::Protobuf => (grammars::PROTOBUF, &languages::protobuf::RULES),
        Language::Sql => (grammars::SQL, &languages::sql::RULES),
        Language::Terraform => (grammars::HCL, &languages::terraform::RULES),
        Language::Markdown | Language::Text => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use crate::walk::rules::{NameRule, NodeRule};

    use super::*;

    #[test]
    fn every_node_and_field_of_a_table_is_in_a_grammar_that_uses_it() {
        let mut unknown: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let mut known: BTreeMap<*const LanguageRules, BTreeSet<&str>> = BTreeMap::new();
        for grammar in Language::ALL.iter().filter_map(|language| for_language(*language)) {
            let language = &grammar.parser_language;
            let kinds = (0..language.node_kind_count() as u16).filter_map(|id| language.node_kind_for_id(id));
            let fields = (1..=language.field_count() as u16).filter_map(|id| language.field_name_for_id(id));
            let words = known.entry(std::ptr::from_ref(grammar.rules.language)).or_default();
            words.extend(kinds.chain(fields).map(|word| &*word.to_owned().leak()));
        }
        for language in Language::ALL {
            let Some(grammar) = for_language(*language) else { continue };
            let words = &known[&std::ptr::from_ref(grammar.rules.language)];
            let missing = words_of(grammar.rules.language).into_iter().filter(|word| !words.contains(word));
            unknown.entry(language.name()).or_default().extend(missing);
        }
        unknown.retain(|_, words| !words.is_empty());
        assert_eq!(unknown, BTreeMap::new());
    }

    fn words_of(rules: &'static LanguageRules) -> Vec<&'static str> {
        let mut words: Vec<&str> = rules.nodes.iter().map(|(kind, _)| *kind).collect();
        words.extend(rules.names.iter().map(|(kind, _)| *kind));
        words.extend(rules.bodies.iter().chain(rules.type_fields));
        for (_, rule) in rules.nodes {
            if let NodeRule::Call(field) | NodeRule::Construct(field) = rule {
                words.extend(Some(*field).filter(|field| !field.is_empty()));
            }
        }
        for (_, rule) in rules.names {
            match rule {
                NameRule::Member { object, name } => words.extend([*object, *name]),
                NameRule::Inside(field) => words.push(field),
                NameRule::Leaf | NameRule::First | NameRule::Last => {}
            }
        }
        words
    }
}
