//! Names: where the bare name of an expression is, and how what stands before it is written.

use crate::grammar::Grammar;
use crate::node::Node;
use crate::rules::NameRule;

/// The longest name that is recorded. Nobody types more, and a file that is all one name must not be copied often.
pub(crate) const MAX_NAME_BYTES: usize = 250;

/// The longest path of an import.
pub(crate) const MAX_PATH_BYTES: usize = 1_000;

/// The longest receiver that is recorded; of a longer one, its end, which says most of the type.
const MAX_RECEIVER_BYTES: usize = 80;

/// How much of a receiver is looked at, so that a chain of n calls costs n and not n squared.
const MAX_RECEIVER_READ: usize = 600;

/// Steps from an expression to its name; the deepest in real code have about six.
const MAX_STEPS: usize = 64;

/// The name of an expression or type, and the bytes of what stands before it.
pub(crate) struct NamePath<'t> {
    pub(crate) name: Node<'t>,
    pub(crate) receiver: Option<(usize, usize)>,
}

/// Finds the name of an expression or type. Nothing for what has none, such as `(f or g)()`.
pub(crate) fn resolve<'t>(grammar: &Grammar, node: Node<'t>) -> Option<NamePath<'t>> {
    let mut receiver: Option<(usize, usize)> = None;
    let mut at = node;
    for _ in 0..MAX_STEPS {
        let mut qualify = |start: usize, end: usize| receiver = Some((receiver.map_or(start, |(first, _)| first), end));
        at = match grammar.name_rule(at.kind_id())? {
            NameRule::Leaf => return Some(NamePath { name: at, receiver }),
            NameRule::Member { object, name } => {
                if let Some(object) = at.child_by_field_name(object) {
                    qualify(object.start_byte(), object.end_byte());
                }
                at.child_by_field_name(name)?
            }
            NameRule::Inside(field) => at.child_by_field_name(field)?,
            NameRule::First => at.named_child(0)?,
            NameRule::Last => {
                let n_children = at.named_child_count() as u32;
                if n_children > 1 {
                    let previous = at.named_child(n_children - 2)?;
                    qualify(at.start_byte(), previous.end_byte());
                }
                at.named_child(n_children.checked_sub(1)?)?
            }
        };
    }
    None
}

/// Writes a receiver: on one line, without arguments of calls and of types, at most `MAX_RECEIVER_BYTES` long.
pub(crate) fn receiver(bytes: &[u8]) -> String {
    let skipped = bytes.len().saturating_sub(MAX_RECEIVER_READ);
    let text = String::from_utf8_lossy(&bytes[skipped..]);
    let plain = without_arguments(&text);
    if plain.len() <= MAX_RECEIVER_BYTES {
        return plain;
    }
    let mut cut = plain.len() - (MAX_RECEIVER_BYTES - '…'.len_utf8());
    while !plain.is_char_boundary(cut) {
        cut += 1;
    }
    format!("…{}", &plain[cut..])
}

/// Folds white space to single spaces, and replaces bytes that are no text.
pub(crate) fn fold(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    if !text.contains(|c: char| c.is_whitespace()) {
        return text.into_owned();
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Drops what is in the parentheses of calls and in `::<>`: `f(a, b).g` becomes `f().g`, `A::<T>` becomes `A`.
fn without_arguments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut n_open = 0usize;
    let mut n_angles = 0usize;
    for c in text.chars() {
        let follows_name = plain.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ')' | ']' | '!' | '?'));
        match c {
            '(' if n_open > 0 => n_open += 1,
            '(' if n_angles == 0 && follows_name => {
                plain.push('(');
                n_open = 1;
            }
            ')' if n_open > 0 => {
                n_open -= 1;
                if n_open == 0 {
                    plain.push(')');
                }
            }
            _ if n_open > 0 => {}
            '<' if n_angles > 0 => n_angles += 1,
            '<' if follows_name && text.contains('>') && !plain.ends_with([')', ']']) => n_angles = 1,
            '<' if plain.ends_with("::") => {
                plain.truncate(plain.len() - 2);
                n_angles = 1;
            }
            '>' if n_angles > 0 => n_angles -= 1,
            _ if n_angles > 0 => {}
            c if c.is_whitespace() => {
                if !plain.ends_with([' ', '.']) && !plain.is_empty() {
                    plain.push(' ');
                }
            }
            '.' | '?' => {
                plain.truncate(plain.trim_end().len());
                plain.push(c);
            }
            c => plain.push(c),
        }
    }
    plain.truncate(plain.trim_end().len());
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn receivers_are_short_and_plain() {
        for (source, expected) in [
            ("a.b", "a.b"),
            ("f(1, g(2)).h", "f().h"),
            ("A::<T>", "A"),
            ("Foo<int>", "Foo"),
            ("Vec::<Vec<u8>>::new()", "Vec::new()"),
            ("self\r\n    .client\n    .get(url)", "self.client.get()"),
            ("(a as B)", "(a as B)"),
            ("new Foo(x)", "new Foo()"),
        ] {
            assert_eq!(receiver(source.as_bytes()), expected, "{source}");
        }
    }

    #[test]
    fn the_end_of_a_long_receiver_is_kept() {
        let written = receiver(format!("start.{}.end", "é".repeat(200)).as_bytes());
        assert!(written.starts_with('…') && written.ends_with("é.end"), "{written}");
        assert!(written.len() <= MAX_RECEIVER_BYTES);
    }
}
