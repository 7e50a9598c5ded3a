//! Calls and literals of structs in a file, with their arguments as written. Unlike the facts, they tell named arguments from others.

use std::collections::BTreeSet;

use model::Language;

use crate::{
    extract::plain_source,
    grammar,
    node::SyntaxNode,
    parsable_prefix::ParsablePrefix,
    parse::{self, ParsedPrefix},
    written_literals::{implemented_type, literal_type, read_literal},
    written_macro_calls::{calls_of_group, pattern_groups},
};

/// A call, as written.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct WrittenCall {
    /// The line of the called name, from 1.
    pub line: u32,
    /// The called name, without its receiver.
    pub name: String,
    /// The last name of the receiver; empty if there is none. `Self` if a literal writes its type so.
    pub receiver: String,
    /// Number of arguments without a name.
    pub n_positional: u32,
    /// Names of the named arguments.
    pub names: Vec<String>,
    /// True if there may be more arguments: one is spread, or is a block behind the list.
    pub is_open: bool,
    /// True for a literal or a pattern of a struct. It has fields for arguments, and is open if it leaves the other fields out.
    pub is_literal: bool,
    /// The type of each argument without a name, if it is a literal: `str`, `bytes`, `int` or `bool` in all languages. Empty for others.
    pub types: Vec<&'static str>,
    /// The same of each named argument.
    pub named_types: Vec<&'static str>,
}

/// Kinds of nodes that hold the arguments of a call.
const LISTS: [&str; 6] =
    ["argument_list", "arguments", "value_arguments", "generator_expression", "constructor_arguments", "argument_part"];

/// Declarations with a list of base types that looks like arguments.
const DECLARATIONS: [&str; 3] = ["class_definition", "class_declaration", "attribute"];

/// Maximum number of calls of one file.
const MAX_CALLS: usize = 20_000;

/// Returns the calls and literals of some names in a file, by line. Of macros, those of Rust are read, without literals.
pub fn written_calls(language: Language, bytes: &[u8], names: &BTreeSet<&str>) -> Vec<WrittenCall> {
    let language = crate::dialect::detect(language, bytes);
    let parsable = &bytes[..ParsablePrefix::of(bytes).n_bytes];
    let Some(grammar) = grammar::for_language(language).filter(|_| !parsable.is_empty()) else { return Vec::new() };
    let plain = plain_source(language, grammar, parsable);
    let Some(ParsedPrefix { tree, .. }) = parse::parse_prefix(grammar, &plain) else { return Vec::new() };
    let mut calls = Vec::new();
    // Each node with its parent, and with the type whose implementation it is part of.
    let mut nodes = vec![(SyntaxNode::root(&tree, &grammar.names), None, None)];
    while let Some((node, parent, own_type)) = nodes.pop() {
        let own_type = implemented_type(node, parsable).or(own_type);
        calls.extend(read_literal(language, node, parsable, names, own_type));
        if language == Language::Rust && node.kind() == "token_tree" {
            calls.extend(calls_of_group(node, parsable, names));
        }
        let list = argument_list(node);
        calls.extend(list.and_then(|list| read_call(language, node, parent, list, parsable, names)));
        if calls.len() >= MAX_CALLS {
            break;
        }
        let patterns = if language == Language::Rust { pattern_groups(node, parsable) } else { BTreeSet::new() };
        let mut cursor = node.walk();
        let children = node.named_children(&mut cursor).filter(|child| !patterns.contains(&child.start_byte()));
        nodes.extend(children.map(|child| (child, Some(node), own_type)));
    }
    calls.sort_unstable();
    calls
}

/// Returns the argument list of a call; `None` for any other node.
fn argument_list(node: SyntaxNode<'_>) -> Option<SyntaxNode<'_>> {
    if DECLARATIONS.contains(&node.kind()) {
        return None;
    }
    let is_list = |child: &SyntaxNode<'_>| LISTS.contains(&child.kind());
    if let Some(list) = node.child_by_field_name("arguments").filter(is_list) {
        return Some(list);
    }
    let mut cursor = node.walk();
    let mut children = node.named_children(&mut cursor);
    children.find_map(|child| match child.kind() {
        "call_suffix" => child.named_child_of_kind("value_arguments"),
        _ => is_list(&child).then_some(child),
    })
}

fn read_call(
    language: Language,
    node: SyntaxNode<'_>,
    parent: Option<SyntaxNode<'_>>,
    list: SyntaxNode<'_>,
    bytes: &[u8],
    names: &BTreeSet<&str>,
) -> Option<WrittenCall> {
    // `Type name(arguments)` of C++ calls the constructor of the type.
    let callee = match node.kind() {
        "init_declarator" => {
            parent.filter(|parent| parent.kind() == "declaration")?.child_by_field_name("type")?.byte_range()
        }
        _ => node.start_byte()..list.start_byte(),
    };
    let text = std::str::from_utf8(bytes.get(callee.clone())?).ok()?;
    let text = without_type_arguments(text);
    let name = last_name(text);
    let name_at = text.len() - name.len();
    if !names.contains(name) {
        return None;
    }
    let before = text[..name_at].trim_end();
    let qualifier = ["?.", "::", "->", ".", "&."].iter().find_map(|separator| before.strip_suffix(separator));
    let qualifier = qualifier.map(|qualifier| without_type_arguments(qualifier.trim_end())).unwrap_or_default();
    let receiver = qualifier.rsplit(|character: char| !is_word(character)).next().unwrap_or_default();
    let receiver = if language == Language::Php { receiver.trim_start_matches('$') } else { receiver };
    let n_before = bytes[..callee.start + name_at].iter().filter(|byte| **byte == b'\n').count();
    let arguments = read_arguments(language, node, list, bytes);
    // `f(a) { b }` of Kotlin is a call of the call `f(a)`.
    let has_block = parent.is_some_and(|parent| parent.named_child_of_kind("annotated_lambda").is_some());
    Some(WrittenCall {
        line: u32::try_from(n_before + 1).ok()?,
        name: name.to_owned(),
        receiver: receiver.to_owned(),
        is_open: arguments.is_open || has_block,
        ..arguments
    })
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$')
}

/// Returns the last name of a path, without its type arguments.
pub(crate) fn last_name(text: &str) -> &str {
    let text = without_type_arguments(text);
    let is_separator = |character: char| !is_word(character);
    let at = text.rfind(is_separator).map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    &text[at..]
}

/// Cuts `<…>` or `[…]` off the end of a name.
fn without_type_arguments(text: &str) -> &str {
    let text = text.trim_end().trim_end_matches(['?', '!']).trim_end();
    let (open, close) = match text.chars().last() {
        Some('>') if !text.ends_with("->") => ('<', '>'),
        Some(']') => ('[', ']'),
        _ => return text.trim_end_matches("::"),
    };
    let mut depth = 0;
    for (at, character) in text.char_indices().rev() {
        depth += i32::from(character == close) - i32::from(character == open);
        if depth == 0 {
            return text[..at].trim_end().trim_end_matches("::");
        }
    }
    text
}

fn read_arguments(language: Language, node: SyntaxNode<'_>, list: SyntaxNode<'_>, bytes: &[u8]) -> WrittenCall {
    let has_block_behind = matches!(language, Language::Kotlin | Language::Swift | Language::Scala);
    let mut call =
        WrittenCall { is_open: has_block_behind && node.end_byte() > list.end_byte(), ..WrittenCall::default() };
    if list.kind() == "generator_expression" {
        return WrittenCall { n_positional: 1, ..call };
    }
    let mut cursor = list.walk();
    let arguments: Vec<SyntaxNode<'_>> = list
        .named_children(&mut cursor)
        .filter(|child| !child.is_extra() && !child.kind().contains("comment"))
        .collect();
    for argument in &arguments {
        let text = bytes.get(argument.byte_range()).and_then(|text| std::str::from_utf8(text).ok()).unwrap_or_default();
        let is_call = argument.kind() == "call_expression" && arguments.len() == 1;
        match argument_name(language, argument.kind(), text) {
            _ if is_spread(language, text) => call.is_open = true,
            Some(name) => {
                call.names.push(name.to_owned());
                let value = argument.child_by_field_name("value");
                call.named_types.push(value.map(|value| literal_type(value, bytes)).unwrap_or_default());
            }
            None => {
                call.n_positional += 1;
                call.types.push(literal_type(*argument, bytes));
            }
        }
        // A call may have several results.
        call.is_open |= language == Language::Go && is_call;
    }
    call
}

fn is_spread(language: Language, text: &str) -> bool {
    use Language::*;
    match language {
        Python => text.starts_with('*'),
        Ruby => text.starts_with(['*', '&']),
        Kotlin => text.starts_with('*'),
        Go | Cpp => text.ends_with("..."),
        JavaScript | TypeScript | Tsx | Php | Dart => text.starts_with("..."),
        _ => false,
    }
}

/// Returns the name of a named argument (`name=value`, `name: value`).
fn argument_name<'a>(language: Language, kind: &str, text: &'a str) -> Option<&'a str> {
    use Language::*;
    let separator = match language {
        Python | Kotlin | Scala => '=',
        CSharp | Swift | Php | Dart => ':',
        Ruby if kind == "pair" => ':',
        _ => return None,
    };
    let (name, value) = text.split_once(separator)?;
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|character| character.is_alphanumeric() || character == '_');
    let name = name.trim_end();
    (is_name(name) && !value.starts_with(['=', ':', '>'])).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(language: Language, text: &str, expected: &str) {
        let names = BTreeSet::from(["f", "Foo"]);
        let calls = written_calls(language, text.as_bytes(), &names);
        let describe = |call: &WrittenCall| {
            let dots = if call.is_open { " ..." } else { "" };
            format!("{}:{}.{} {}{:?}{dots}", call.line, call.receiver, call.name, call.n_positional, call.names)
        };
        assert_eq!(calls.iter().map(describe).collect::<Vec<_>>().join("; "), expected, "{text}");
    }

    #[test]
    fn literal_arguments_have_types() {
        use Language::*;
        for (language, text, expected) in [
            (Python, "f('a', b'c', 1, x, 2.5, k=True, l=rb'', m=g('a'))", "str bytes int - int; bool bytes -"),
            (Python, "f(lambda: 1, [a], {a: b}, (a,), {a}, None, f'{a}')", "function list dict tuple set None str; "),
            (Python, "f([a for a in b], {}, (a), list(a), g)", "list dict - - -; "),
            (TypeScript, "f('a', `b`, 1, true, null)", "str str int bool -; "),
            (
                TypeScript,
                "f(() => 1, function () {}, [a], { a }, g)",
                "function function array literal object literal -; ",
            ),
            (
                TypeScript,
                "f(new Promise(g), Promise.resolve(1), Promise.try(g), new Foo(), Promise)",
                "Promise Promise - - -; ",
            ),
            (Java, "class A { void g() { f(\"a\", 1, 2.0, true, 'c'); } }", "str int int bool -; "),
            (Go, "package a\nfunc g() { f(\"a\", 1, 2.5, true) }", "str int int bool; "),
            (Go, "package a\nfunc g() { f(func() {}, []int{1}, g) }", "function - -; "),
            (Java, "class A { void g() { f(() -> 1, A::g) } }", "function -; "),
            (Rust, "fn g() { f(\"a\", 1, 2.5, true, b\"c\"); }", "str int int bool -; "),
        ] {
            let calls = written_calls(language, text.as_bytes(), &BTreeSet::from(["f"]));
            let words = |types: &[&str]| {
                let shown = types.iter().map(|one| if one.is_empty() { "-" } else { *one });
                shown.collect::<Vec<_>>().join(" ")
            };
            assert_eq!(format!("{}; {}", words(&calls[0].types), words(&calls[0].named_types)), expected, "{text}");
        }
    }

    #[test]
    fn calls_are_read_with_their_arguments() {
        use Language::*;
        check(Python, "a.f(1, b=2, *c)\nf(x for x in y)\nclass Foo(f): pass", "1:a.f 1[\"b\"] ...; 2:.f 1[]");
        check(TypeScript, "new Foo<X>(a, ...b); x?.f(\n g(1))", "1:.Foo 1[] ...; 1:x.f 1[]");
        check(Go, "package a\nfunc g() { p.f(h()); f[int](a, b...) }", "2:.f 1[] ...; 2:p.f 1[] ...");
        check(Java, "class A { void g() { this.a\n.f(1, /* x */ 2); new Foo<>(3); } }", "2:.Foo 1[]; 2:a.f 2[]");
        check(Rust, "fn g() { a::Foo::f::<u8>(1, |x| y); self.f(); }", "1:Foo.f 2[]; 1:self.f 0[]");
        check(Cpp, "void g() { Foo x(1, 2); a->f<int>({1}); Foo{3}; }", "1:.Foo 2[]; 1:a.f 1[]");
        check(Kotlin, "fun g() { a.f(1, b = 2) { it }; f(3) }", "1:.f 1[]; 1:a.f 1[\"b\"] ...");
        check(CSharp, "class A { void G() { a.f(1, b: 2); new Foo(3); } }", "1:.Foo 1[]; 1:a.f 1[\"b\"]");
        check(Ruby, "a.f 1, b: 2\nf(*x)", "1:a.f 1[\"b\"]; 2:.f 0[] ...");
        check(Php, "<?php $a->f(1, b: 2); new Foo(3);", "1:.Foo 1[]; 1:a.f 1[\"b\"]");
    }
}
