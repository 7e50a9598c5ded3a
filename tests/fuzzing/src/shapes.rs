//! Target: extraction takes a time that is linear in the size of a file, whatever is repeated or nested in it.
//!
//! Fuzzing cannot write a thousand equal lines. So an input describes a file: a part that is repeated before the middle, and one
//! that is repeated after it, with or without deeper and deeper indentation. libFuzzer reports the inputs that take too long.

use crate::extract;

/// Maximum size in bytes of a described file, without the indentation.
const MAX_SHAPE_BYTES: usize = 32 << 10;

/// Maximum depth of the indentation.
const MAX_INDENTATION: usize = 600;

/// Separates the part before the middle from the one after it.
const MIDDLE: u8 = b'|';

pub(crate) fn run(input: &[u8]) {
    let Some((language, rest)) = crate::choose(input, extract::LANGUAGES) else { return };
    let Some((mode, parts)) = rest.split_first() else { return };
    extract::check_extraction(*language, &shape(*mode, parts));
}

/// Returns the described file. An odd `mode` indents it.
fn shape(mode: u8, parts: &[u8]) -> Vec<u8> {
    let (before, after) = match parts.iter().position(|byte| *byte == MIDDLE) {
        Some(middle) => (&parts[..middle], &parts[middle + 1..]),
        None => (parts, &[] as &[u8]),
    };
    let is_indented = mode % 2 == 1;
    let most = if is_indented { MAX_INDENTATION } else { MAX_SHAPE_BYTES };
    let n_repetitions = (MAX_SHAPE_BYTES / (before.len() + after.len()).max(1)).min(most);
    let mut file = Vec::new();
    for nth in 0..n_repetitions {
        file.resize(file.len() + if is_indented { nth } else { 0 }, b' ');
        file.extend_from_slice(before);
    }
    file.extend(after.repeat(n_repetitions));
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_repeated_around_the_middle() {
        let file = String::from_utf8(shape(b'0', b"a{\n|}\n")).unwrap();
        assert!(file.starts_with("a{\na{\n") && file.ends_with("}\n}\n") && file.len() > MAX_SHAPE_BYTES - 10);
        assert!(String::from_utf8(shape(b'1', b"a\n")).unwrap().starts_with("a\n a\n  a\n"));
    }
}
