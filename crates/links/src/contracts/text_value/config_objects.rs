//! Fields of a type that a framework fills from settings: structures of Go that viper or envconfig reads, options of .NET.

use graph::{FileIdx, SymbolIdx};
use model::{
    Language,
    code::{Expression, ExpressionId, TypeExpression},
};

use super::TextValue;
use crate::contracts::{
    values::{ValueReader, ValueSource},
    words,
};

/// Ends of the names of types with settings.
const TYPE_ENDS: [&str; 9] =
    ["Configuration", "Config", "Settings", "Setting", "Options", "Conf", "Cfg", "Environment", "Env"];

/// Keys of tags of Go whose value is the variable itself.
const VARIABLE_TAGS: [&str; 2] = ["env", "envconfig"];

/// Keys of tags of Go whose value is the name of the field in a file of settings. Messages have `json`, too.
const FIELD_TAGS: [&str; 4] = ["mapstructure", "yaml", "koanf", "toml"];

/// Ends of words of a name that holds an address.
const ADDRESS_ENDS: [&str; 7] = ["url", "uri", "addr", "address", "host", "endpoint", "target"];

/// Words of a field that holds an address, or has fields that do. A type of settings may have them for other reasons: `ServiceOptions`.
const FIELD_WORDS: [&str; 2] = ["base", "service"];

/// Maximum number of objects within objects.
const MAX_NESTING: usize = 6;

impl ValueReader<'_, '_> {
    /// Returns the setting that a field of such a type has: `{env:CART_URL}` of ``CartURL string `env:"CART_URL"` ``, `{env:cart.url}` of
    /// `cfg.Cart.URL`, `{env:Urls:Cart}` of `UrlsConfig.Cart`.
    pub(super) fn config_object_setting(&mut self, file: FileIdx, expression: ExpressionId) -> Option<TextValue> {
        let language = self.program().language(file);
        if !matches!(language, Language::Go | Language::CSharp) {
            return None;
        }
        let mut keys: Vec<String> = Vec::new();
        // The names of the fields, and their keys.
        let mut names: Vec<String> = Vec::new();
        let mut owner = None;
        let mut at = expression;
        while keys.len() < MAX_NESTING {
            let Expression::Member { of, name } = self.expression(file, at) else { break };
            let name = self.code(file).name(*name);
            let Some(of_type) = self.type_of_object(file, *of) else { break };
            let tag = self.field_tag(of_type, name);
            if let Some(FieldTag::Variable(variable)) = tag {
                return keys.is_empty().then(|| TextValue::variable(&variable));
            }
            let is_settings = is_settings_type(&self.program().definition(of_type).name);
            // A library of Go finds the fields by their tags.
            let is_found = if language == Language::Go { tag.is_some() } else { is_settings };
            if !is_found {
                break;
            }
            names.push(name.to_owned());
            keys.push(match tag {
                Some(FieldTag::Key(key)) => key,
                _ => name.to_owned(),
            });
            if is_settings {
                owner = Some(of_type);
            }
            at = *of;
        }
        let owner = self.program().definition(owner?).name.clone();
        names.extend_from_slice(&keys);
        if !has_address(&owner, &names) {
            return None;
        }
        keys.reverse();
        if language == Language::Go {
            return Some(TextValue::variable(&keys.join(".")));
        }
        let field = keys.join(":");
        let sections = [owner.as_str(), without_end(&owner)];
        Some(TextValue::any_of(sections.into_iter().map(|section| TextValue::variable(&format!("{section}:{field}")))))
    }

    /// Returns the type of an object; in C# also by the declaration of a field, and of `options.Value` the type of the options.
    fn type_of_object(&mut self, file: FileIdx, object: ExpressionId) -> Option<SymbolIdx> {
        if let Some(known) = self.cx.type_of(file, object).definition() {
            return Some(known);
        }
        let object = match self.expression(file, object) {
            Expression::Member { of, name } if matches!(self.code(file).name(*name), "Value" | "CurrentValue") => *of,
            _ => object,
        };
        let declared = self.sources(file, object).into_iter().find_map(|source| match source {
            ValueSource::Declared(home, declared) => Some((home, declared)),
            _ => None,
        });
        let (home, declared) = declared?;
        let code = self.code(home);
        let inner = match code.written(declared) {
            TypeExpression::Named { arguments, .. } => arguments.first().copied().unwrap_or(declared),
            _ => declared,
        };
        let (_, name) = self.written_name(home, inner)?;
        let program = self.program();
        let named = program.named(program.name_named(code.name(name))?);
        let mut types = named.iter().copied().filter(|symbol| program.definition(*symbol).kind.is_type());
        types.next().filter(|_| types.next().is_none())
    }

    /// Returns what the tag of a field of Go says.
    fn field_tag(&self, owner: SymbolIdx, field: &str) -> Option<FieldTag> {
        let program = self.program();
        if program.language(program.file_of(owner)) != Language::Go {
            return None;
        }
        let members = program.members(owner, program.name_named(field)?);
        members.iter().find_map(|member| FieldTag::of(&program.definition(*member).signature))
    }
}

/// The tag of a field.
#[derive(Debug, PartialEq)]
enum FieldTag {
    /// The variable of the environment.
    Variable(String),
    /// The key in a file of settings.
    Key(String),
}

impl FieldTag {
    fn of(signature: &str) -> Option<FieldTag> {
        let pairs = tag_pairs(signature);
        let value = |keys: &[&str]| {
            keys.iter().find_map(|key| {
                let (_, value) = pairs.iter().find(|(of_pair, _)| of_pair == key)?;
                let value = value.split(',').next().unwrap_or_default();
                Some(value.to_owned()).filter(|value| !value.is_empty() && value != "-")
            })
        };
        value(&VARIABLE_TAGS).map(FieldTag::Variable).or_else(|| value(&FIELD_TAGS).map(FieldTag::Key))
    }
}

/// Returns the keys and values of the tag of a field of Go, in order.
fn tag_pairs(signature: &str) -> Vec<(&str, &str)> {
    let mut pairs = Vec::new();
    let mut rest = signature.split('`').nth(1).unwrap_or_default();
    while let Some((key, after)) = rest.split_once(":\"") {
        let is_end = |(at, _): &(usize, &str)| !after[..*at].ends_with('\\');
        let Some((end, _)) = after.match_indices('"').find(is_end) else { break };
        pairs.push((key.trim_start(), &after[..end]));
        rest = &after[end + 1..];
    }
    pairs
}

/// Returns true if the name of a type of settings, or one of a field in it, is that of an address.
fn has_address(owner: &str, fields: &[String]) -> bool {
    let is_end = |word: &str| ADDRESS_ENDS.iter().any(|end| word.ends_with(end));
    let is_address = |word: &String| is_end(word) || word.strip_suffix('s').is_some_and(is_end);
    let is_of_field = |word: &String| FIELD_WORDS.contains(&word.strip_suffix('s').unwrap_or(word));
    let has_word = |name: &String| words(name).iter().any(|word| is_address(word) || is_of_field(word));
    words(owner).iter().any(is_address) || fields.iter().any(has_word)
}

fn is_settings_type(name: &str) -> bool {
    TYPE_ENDS.iter().any(|end| name.ends_with(end) || name.eq_ignore_ascii_case(end))
}

fn without_end(name: &str) -> &str {
    TYPE_ENDS.iter().find_map(|end| name.strip_suffix(end)).filter(|rest| !rest.is_empty()).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_name_variables_and_keys() {
        let variable = |name: &str| Some(FieldTag::Variable(name.to_owned()));
        let key = |name: &str| Some(FieldTag::Key(name.to_owned()));
        for (signature, expected) in [
            ("CartURL string `env:\"CART_URL,required\"`", variable("CART_URL")),
            ("CartURL string `json:\"x\" envconfig:\"CART_URL\"`", variable("CART_URL")),
            ("Cart Cart `mapstructure:\"cart\"`", key("cart")),
            ("Cart Cart `yaml:\"-\"`", None),
            ("Cart Cart `notenv:\"X\"`", None),
            ("Cart Cart `notenv:\"X\" env:\"CART_URL\"`", variable("CART_URL")),
            ("Cart Cart `validate:\"a\\\"b\" yaml:\"cart\"`", key("cart")),
            ("Cart Cart `json:\"cart\"`", None),
            ("Cart string", None),
        ] {
            assert_eq!(FieldTag::of(signature), expected, "{signature}");
        }
    }

    #[test]
    fn names_of_addresses_are_compared_by_words() {
        for (owner, fields, expected) in [
            ("UrlsConfig", &["Cart"][..], true),
            ("Config", &["CartURL"], true),
            ("Config", &["GRPCAddr"], true),
            ("Config", &["Services", "cart"], true),
            ("AppSettings", &["CatalogBase"], true),
            ("AppSettings", &["ServerHosts"], true),
            ("DatabaseOptions", &["Name"], false),
            ("ServiceOptions", &["Name"], false),
            ("Config", &["DatabaseName"], false),
            ("Config", &["Baseline"], false),
        ] {
            let fields: Vec<String> = fields.iter().map(|field| (*field).to_owned()).collect();
            assert_eq!(has_address(owner, &fields), expected, "{owner} {fields:?}");
        }
    }
}
