//! Calls in the tokens of a macro of Rust, whose arguments the grammar does not parse.

use std::collections::BTreeSet;

use crate::{node::SyntaxNode, written_calls::WrittenCall, written_literals::literal_type};

/// Tokens between arguments whose commas may separate something else, such as type arguments or parameters of a closure, and those of
/// patterns.
const AMBIGUOUS: [&str; 7] = ["<", "|", "=>", ";", "..", "..=", "token_repetition"];

/// Macros whose arguments are patterns.
const PATTERN_MACROS: [&str; 3] = ["matches", "assert_matches", "debug_assert_matches"];

/// Returns the calls of some names among the tokens of one group (`assert_eq!(f(1), g(2))`). Nested groups are not entered. A call
/// whose arguments cannot be counted is left out.
pub(crate) fn calls_of_group(group: SyntaxNode<'_>, bytes: &[u8], names: &BTreeSet<&str>) -> Vec<WrittenCall> {
    let text = |node: SyntaxNode<'_>| {
        bytes.get(node.byte_range()).and_then(|text| std::str::from_utf8(text).ok()).unwrap_or("")
    };
    let tokens = tokens(group);
    let call = |at: usize| {
        let (name, list) = (tokens[at], *tokens.get(at + 1)?);
        let is_call = name.kind() == "identifier" && list.kind() == "token_tree" && text(list).starts_with('(');
        let before = |n: usize| at.checked_sub(n).map(|at| tokens[at]);
        let is_declared = before(1).is_some_and(|token| text(token) == "fn");
        if !is_call || is_declared || !names.contains(text(name)) {
            return None;
        }
        let has_receiver = before(1).is_some_and(|token| matches!(text(token), "." | "::"));
        let receiver = before(2).filter(|token| has_receiver && token.is_named() && token.kind() != "token_tree");
        let arguments = arguments(list)?;
        Some(WrittenCall {
            line: u32::try_from(name.start_position().row + 1).ok()?,
            name: text(name).to_owned(),
            receiver: receiver.map(text).unwrap_or_default().to_owned(),
            n_positional: u32::try_from(arguments.len()).ok()?,
            types: arguments
                .iter()
                .map(|one| one.map(|token| literal_type(token, bytes)).unwrap_or_default())
                .collect(),
            ..WrittenCall::default()
        })
    };
    (0..tokens.len()).filter_map(call).collect()
}

/// Returns the first bytes of the groups in a node that macros take as patterns.
pub(crate) fn pattern_groups(node: SyntaxNode<'_>, bytes: &[u8]) -> BTreeSet<usize> {
    let is_of_macro = |name: &SyntaxNode<'_>| {
        let text = bytes.get(name.byte_range()).and_then(|text| std::str::from_utf8(text).ok()).unwrap_or("");
        PATTERN_MACROS.contains(&text.rsplit("::").next().unwrap_or(text).trim())
    };
    let tokens = if matches!(node.kind(), "macro_invocation" | "token_tree") { tokens(node) } else { Vec::new() };
    let groups = tokens.windows(3).filter_map(|window| match window {
        [name, mark, group] if mark.kind() == "!" && is_of_macro(name) => Some(group.start_byte()),
        _ => None,
    });
    groups.collect()
}

/// Returns the arguments in a list, each with its token if it has a single one.
fn arguments(list: SyntaxNode<'_>) -> Option<Vec<Option<SyntaxNode<'_>>>> {
    let tokens = tokens(list);
    let inside = tokens.get(1..tokens.len().checked_sub(1)?)?;
    if inside.iter().any(|token| AMBIGUOUS.contains(&token.kind())) {
        return None;
    }
    let parts = inside.split(|token| token.kind() == ",").filter(|part| !part.is_empty());
    Some(parts.map(|part| if let [token] = part { Some(*token) } else { None }).collect())
}

fn tokens(group: SyntaxNode<'_>) -> Vec<SyntaxNode<'_>> {
    let mut cursor = group.walk();
    group.children(&mut cursor).filter(|child| !child.is_extra()).collect()
}

#[cfg(test)]
mod tests {
    use model::Language;

    use super::*;
    use crate::written_calls;

    #[test]
    fn calls_in_macros_are_read_if_their_arguments_can_be_counted() {
        for (text, expected) in [
            ("fn g() { assert_eq!(f(1, a.b()), 2); }", "1:.f 2"),
            ("fn g() { vec![a::f(\n), x.f(y,)]; }", "1:a.f 0; 2:x.f 1"),
            ("fn g() { assert!(f(f(1)), \"{}\", self.f(h(1, 2), 3)); }", "1:.f 1; 1:.f 1; 1:self.f 2"),
            ("fn g() { assert!(h().f(1)); }", "1:.f 1"),
            ("macro_rules! m { ($t:ty) => { fn k() { f($t, 1) } } }", "1:.f 2"),
            // Commas of type arguments and closures, repetitions, declarations, and macros of the name.
            ("fn g() { assert!(f(h::<A, B>(), 1)); }", ""),
            ("fn g() { assert!(f(|a, b| a, 1)); }", ""),
            ("macro_rules! m { ($($t:ty),*) => { f($($t),*) } }", ""),
            ("macro_rules! m { () => { fn f(a: u8) {} } }", ""),
            ("fn g() { assert!(f!(1)); assert!(f[1]); assert!(f); }", ""),
            // Patterns.
            ("fn g() { assert!(h(x, f(..))); assert!(f(1, ..)); }", ""),
            ("fn g() { assert!(matches!(x, f(_, 1))); std::matches!(x, A(f(1))); assert_matches!(x, f(1)); }", ""),
            ("fn g() { assert!(no_matches!(x, f(_, 1))); }", "1:.f 2"),
        ] {
            let calls = written_calls(Language::Rust, text.as_bytes(), &BTreeSet::from(["f"]));
            let describe =
                |call: &WrittenCall| format!("{}:{}.{} {}", call.line, call.receiver, call.name, call.n_positional);
            assert_eq!(calls.iter().map(describe).collect::<Vec<_>>().join("; "), expected, "{text}");
        }
        let text = "fn g() { assert!(f(\"a\", 1, -1)); }";
        let calls = written_calls(Language::Rust, text.as_bytes(), &BTreeSet::from(["f"]));
        assert_eq!(calls[0].types, ["str", "int", ""]);
    }
}
