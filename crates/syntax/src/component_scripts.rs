//! Components whose code stands in elements of a page: `<script>` of Vue and Svelte.
//!
//! The text outside the scripts is replaced by the same number of spaces before the file is parsed, so that all offsets stay valid.

/// Beginnings of the elements of a component, after white space and comments.
const ELEMENTS: [&[u8]; 4] = [b"<script", b"<template", b"<style", b"<!--"];

/// Returns true if a file of TypeScript is a component rather than code: code does not begin with an element.
pub(crate) fn is_component(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    ELEMENTS.iter().any(|element| text.starts_with(element)) || text.starts_with(b"<") && has_script(text)
}

fn has_script(text: &[u8]) -> bool {
    text.split(|byte| *byte == b'\n').any(|line| line.trim_ascii_start().starts_with(b"<script"))
}

/// Returns the scripts of a component, with spaces for everything else.
pub(crate) fn only_scripts(bytes: &[u8]) -> Vec<u8> {
    let mut scripts: Vec<u8> = bytes.iter().map(|byte| if *byte == b'\n' { b'\n' } else { b' ' }).collect();
    let mut at = 0;
    while let Some(open) = find(&bytes[at..], b"<script").map(|open| at + open) {
        let Some(start) = find(&bytes[open..], b">").map(|end| open + end + 1) else { break };
        let end = find(&bytes[start..], b"</script").map_or(bytes.len(), |end| start + end);
        scripts[start..end].copy_from_slice(&bytes[start..end]);
        at = end;
    }
    scripts
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|part| part == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_scripts_of_a_component_are_left() {
        for (text, expected) in [
            ("<p>\n<script>a()</script>b", Some("   \n        a()          ")),
            ("<template>x</template>\n<script setup lang=\"ts\">\na()\n</script>", Some("\na()\n")),
            ("<template>fetch()</template>", Some("")),
            ("const a = <T>(b: T) => b", None),
            ("<T>(b: T) => b", None),
        ] {
            let bytes = text.as_bytes();
            let found = is_component(bytes).then(|| String::from_utf8(only_scripts(bytes)).expect("ASCII stays ASCII"));
            assert_eq!(found.as_deref().map(str::trim), expected.map(str::trim), "{text}");
            assert!(found.is_none_or(|found| found.len() == text.len()), "{text}");
        }
    }
}
