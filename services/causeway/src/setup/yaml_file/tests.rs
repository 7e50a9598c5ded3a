//! Edits of files in every style, and the notation of values.

use super::*;

fn check(text: &str) {
    let entry = json!({ "cmd": "causeway", "args": ["mcp", "a: b"] });
    let edited = set(text, "extensions", "causeway", &entry).unwrap();
    assert_eq!(get(&edited, "extensions", "causeway").unwrap(), Some(entry), "{edited}");
    let other = |text: &str| get(text, "extensions", "other").unwrap();
    assert_eq!(other(&edited), other(text), "{edited}");
    for line in text.lines().filter(|line| !line.starts_with("extensions:")) {
        assert!(edited.lines().any(|kept| kept == line), "{line:?} in {edited}");
    }
    let removed = remove(&edited, "extensions", "causeway").unwrap();
    assert_eq!(get(&removed, "extensions", "causeway").unwrap(), None, "{removed}");
    assert_eq!(other(&removed), other(text), "{removed}");
}

#[test]
fn everything_else_survives() {
    check("");
    check("# only a comment\n");
    check("GOOSE_MODEL: m # inline\nextensions:\n  # first\n  other:\n    type: stdio\n    args: [a]\nlast: ü\n");
    check("extensions:\n    other: {type: stdio}\n");
    check("extensions: {}\nlast: 1\n");
    check("extensions:\nlast: 1\n");
    check("extensions: {other: {type: stdio}} # flow\n");
    check("ü: 1\r\nextensions:\r\n  other:\r\n    type: a\r\n");
    check("model: m");
}

#[test]
fn insertion_is_exact() {
    let text = "a: 1\nextensions:\n  other:\n    type: stdio\n";
    let edited = set(text, "extensions", "causeway", &json!({ "uri": "u" })).unwrap();
    assert_eq!(edited, "a: 1\nextensions:\n  causeway:\n    uri: \"u\"\n  other:\n    type: stdio\n");
    assert_eq!(remove(&edited, "extensions", "causeway").unwrap(), text);
}

#[test]
fn blank_lines_and_comments_are_part_of_an_entry() {
    let entry = json!({ "uri": "new" });
    let tail = "\n# about the other server\n  other:\n    type: stdio\n";
    for inner in ["\n", "# a comment\n", "  # a comment\n", "\n\n    # a comment\n\n", " \n#\n", ""] {
        let text = format!(
            "extensions:\n  first:\n    type: stdio\n  causeway:\n    uri: old\n{inner}    timeout: 300\n{tail}"
        );
        let edited = set(&text, "extensions", "causeway", &entry).unwrap();
        let expected = format!("extensions:\n  first:\n    type: stdio\n  causeway:\n    uri: \"new\"\n{tail}");
        assert_eq!(edited, expected, "{inner:?}");
        let removed = remove(&text, "extensions", "causeway").unwrap();
        assert_eq!(removed, format!("extensions:\n  first:\n    type: stdio\n{tail}"), "{inner:?}");
    }
}

#[test]
fn repeated_keys_are_rejected() {
    for (text, key) in [
        ("extensions:\n  causeway: {}\n  causeway: {}\n", "causeway"),
        ("extensions:\n  causeway: {}\n  'causeway': {}\n", "causeway"),
        ("extensions: {causeway: {}, causeway: {}}\n", "causeway"),
        ("extensions: {}\nextensions: {}\n", "extensions"),
    ] {
        let (extensions, name) = ("extensions", "causeway");
        let errors = [
            set(text, extensions, name, &json!({})).err(),
            get(text, extensions, name).err(),
            remove(text, extensions, name).err(),
        ];
        for error in errors {
            let error = error.expect(text).to_string();
            assert!(error.contains(&format!("`{key}` more than once")), "{text}: {error}");
        }
    }
}

#[test]
fn a_text_with_another_change_is_not_written() {
    let before = "extensions:\n  causeway:\n    uri: a\n  other:\n    type: b\n";
    for (edited, expected) in [
        ("extensions:\n  other:\n    type: b\n", true),
        ("extensions:\n  other:\n    type: c\n", false),
        ("extensions: {}\n", false),
        (before, false),
        ("extensions:\n  other:\n type: b\n", false),
    ] {
        let is_accepted = checked(before, edited.to_owned(), "extensions", "causeway", None).is_ok();
        assert_eq!(is_accepted, expected, "{edited}");
    }
}

#[test]
fn values_of_all_types_are_read_and_written() {
    let text = "extensions:\n  causeway:\n    enabled: false\n    timeout: 300\n    name: 'true'\n    envs: {A: b c}\n    note:\n";
    let expected = json!({ "enabled": false, "timeout": 300, "name": "true", "envs": { "A": "b c" }, "note": null });
    let found = get(text, "extensions", "causeway").unwrap().unwrap();
    assert_eq!(found, expected);
    let edited = set(text, "extensions", "causeway", &found).unwrap();
    assert_eq!(get(&edited, "extensions", "causeway").unwrap(), Some(expected), "{edited}");
}

#[test]
fn entries_of_any_type_are_written() {
    for value in ["", " ~", " text", " 5", " [a, 1]", " {}", " 0x10", " {a: {b: 0x10}}"] {
        let source = format!("extensions:\n  causeway:{value}\n");
        let entry = get(&source, "extensions", "causeway").unwrap().unwrap();
        for text in ["", "extensions:\n  causeway:\n    uri: u\n  other: 1\n", "extensions: {other: 1}\n"] {
            let edited = set(text, "extensions", "causeway", &entry).unwrap();
            assert_eq!(get(&edited, "extensions", "causeway").unwrap().as_ref(), Some(&entry), "{edited}");
        }
    }
}

#[test]
fn values_keep_their_notation() {
    for value in
        ["0x12c", ".inf", "-.INF", "0o17", "012", "1_000", "1e3", "12345678901234567890123", "2030-01-01", "yes"]
    {
        let text = format!("extensions:\n  causeway:\n    uri: a\n    timeout: {value}\n");
        let mut entry = get(&text, "extensions", "causeway").unwrap().unwrap();
        entry["uri"] = json!("b");
        let edited = set(&text, "extensions", "causeway", &entry).unwrap();
        assert!(edited.contains(&format!("    timeout: {value}\n")), "{edited}");
        // The same letters in quotes are a text.
        let quoted = text.replace(value, &format!("'{value}'"));
        assert_ne!(get(&quoted, "extensions", "causeway").unwrap(), get(&text, "extensions", "causeway").unwrap());
        assert!(checked(&text, quoted, "extensions", "other", None).is_err(), "{value}");
    }
}

#[test]
fn plain_texts_are_read_as_they_are() {
    for (text, is_text) in [
        ("./causeway", true),
        ("--url", true),
        ("-c", true),
        ("7zip", true),
        ("http://127.0.0.1:7474/mcp", true),
        ("information", true),
        ("0x12c", false),
        ("-.5", false),
        ("+12", false),
        (".NaN", false),
        ("2030-01-01T10:00:00Z", false),
        ("Off", false),
    ] {
        let found = get(&format!("extensions:\n  causeway: {text}\n"), "extensions", "causeway").unwrap();
        assert_eq!(found == Some(json!(text)), is_text, "{text}: {found:?}");
    }
}

#[test]
fn entries_with_tags_are_not_changed() {
    for (text, is_accepted) in [
        ("extensions:\n  causeway:\n    timeout: !!str 5\n", false),
        ("extensions:\n  causeway: !x\n    timeout: 5\n", false),
        ("extensions:\n  causeway:\n    args: [!x a]\n", false),
        ("extensions:\n  causeway:\n    args: [a]\n  other: !x a\n", true),
    ] {
        let edited = set(text, "extensions", "causeway", &json!({ "uri": "u" }));
        assert_eq!(edited.is_ok(), is_accepted, "{text}: {edited:?}");
    }
}

#[test]
fn other_documents_are_not_changed() {
    for text in ["- a\n", "extensions: [a]\n", "a: 1\n---\nb: 2\n", "a: [\n", "{a: 1}\n"] {
        assert!(set(text, "extensions", "causeway", &json!({ "uri": "u" })).is_err(), "{text}");
    }
}
