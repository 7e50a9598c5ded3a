//! Extraction is total: any bytes give facts, without a panic, without a hang, and without positions outside the file.

use model::{FileFacts, Language};
use proptest::prelude::*;
use rustix::time::{ClockId, clock_gettime};

/// All languages, including those without a grammar.
fn languages() -> impl Strategy<Value = Language> {
    proptest::sample::select(Language::ALL)
}

/// Returns the snippet of a language; a short text for a language without one.
fn snippet(language: Language) -> Vec<u8> {
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snippets");
    let entries = std::fs::read_dir(directory).expect("the snippets are there");
    let paths = entries.map(|entry| entry.expect("an entry can be read").path());
    let own = paths.filter(|path| Language::of_path(&path.to_string_lossy()) == language).min();
    own.map_or_else(|| b"# text\n".to_vec(), |path| std::fs::read(path).expect("the snippet can be read"))
}

fn check(language: Language, bytes: &[u8]) -> FileFacts {
    let facts = syntax::extract(language, bytes);
    let in_file = |line: u32| line <= facts.n_lines.max(1);
    for (index, definition) in facts.definitions.iter().enumerate() {
        let (lines, span) = (definition.lines, definition.bytes);
        assert!(span.start < span.end && span.end as usize <= bytes.len(), "{language:?} {definition:?}");
        assert!(1 <= lines.start && lines.start <= lines.end && in_file(lines.end), "{language:?} {definition:?}");
        assert!(
            lines.start <= definition.name_line && definition.name_line <= lines.end,
            "{language:?} {definition:?}"
        );
        assert!(!definition.name.is_empty(), "{language:?} {definition:?}");
        let texts = [&definition.name, &definition.signature, &definition.doc, &definition.container];
        assert!(texts.iter().all(|text| !text.contains('\r')), "{language:?} {definition:?}");
        assert!(definition.signature.chars().count() <= 300 && definition.doc.len() <= 4_000);
        if let Some(parent) = definition.parent {
            assert!((parent as usize) < index && facts.definitions[parent as usize].bytes.contains(span));
        }
    }
    assert!(facts.definitions.is_sorted_by_key(|definition| definition.bytes.start));
    for reference in &facts.references {
        assert!(
            in_file(reference.line) && !reference.name.is_empty() && reference.receiver.len() <= 80,
            "{reference:?}"
        );
        assert!(reference.enclosing.is_none_or(|index| (index as usize) < facts.definitions.len()));
    }
    assert!(facts.references.is_sorted_by_key(|reference| reference.line));
    assert!(facts.imports.iter().all(|import| in_file(import.line)));
    for chunk in &facts.chunks {
        assert!(chunk.bytes.start < chunk.bytes.end && chunk.bytes.end as usize <= bytes.len());
        assert!(chunk.lines.start <= chunk.lines.end && in_file(chunk.lines.end), "{language:?} {chunk:?}");
    }
    assert!(facts.definitions.is_empty() || facts.chunks.is_empty());
    facts
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(language in languages(), bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        check(language, &bytes);
    }

    #[test]
    fn any_text(language in languages(), text in "[a-zA-Z_ \\t\\r\\n(){}\\[\\]<>;:,.=#@\"'`/*\\\\&|!$%0-9é-]{0,300}") {
        check(language, text.as_bytes());
    }

    #[test]
    fn snippets_with_a_change(
        language in languages(),
        at in any::<prop::sample::Index>(),
        length in 0usize..40,
        inserted in proptest::collection::vec(any::<u8>(), 0..12),
    ) {
        let mut bytes = snippet(language);
        let start = at.index(bytes.len());
        let end = (start + length).min(bytes.len());
        bytes.splice(start..end, inserted);
        check(language, &bytes);
    }
}

#[test]
fn every_prefix_of_a_snippet() {
    for language in Language::ALL {
        let bytes = snippet(*language);
        for end in (0..bytes.len()).step_by(7) {
            check(*language, &bytes[..end]);
        }
    }
}

#[test]
fn deep_nesting() {
    let pairs = [
        "()",
        "[]",
        "{}",
        "<>",
        "((",
        "f(",
        "a.",
        "!",
        "-",
        "{ x: ",
        "if a { ",
        "class A { ",
        "def f():\n ",
        "\"#{",
        "a = ",
    ];
    for language in Language::ALL {
        for pair in pairs {
            let (open, close) = if pair.len() == 2 && pair != "((" && pair != "f(" && pair != "a." {
                pair.split_at(1)
            } else {
                (pair, "")
            };
            // Lines of one character keep the file below the line length limit.
            let open = open.repeat(500) + &format!("{open}\n").repeat(1_500);
            check(*language, format!("{open}x{}", close.repeat(500)).as_bytes());
        }
    }
}

#[test]
fn deeply_nested_parentheses_are_not_parsed() {
    for language in Language::ALL {
        let nested = |depth: usize| format!("x = {}1{}\n", "(\n".repeat(depth), ")\n".repeat(depth));
        check(*language, nested(syntax::MAX_PARSED_DEPTH).as_bytes());
        let facts = check(*language, nested(100_000).as_bytes());
        assert_eq!(facts.diagnostics[0].message.split(',').next(), Some("brackets 100000 deep"));
    }
}

#[test]
fn deep_nesting_of_definitions() {
    for (language, open, close) in [
        (Language::Ruby, "def a\n", "end\n"),
        (Language::Lua, "function a()\n", "end\n"),
        (Language::Elixir, "def a do\n", "end\n"),
        (Language::Rust, "fn a() {\n", "}\n"),
        (Language::Dart, "a() {\n", "}\n"),
        (Language::JavaScript, "function a() {\n", "}\n"),
    ] {
        let facts = check(language, format!("{}{}", open.repeat(4_000), close.repeat(4_000)).as_bytes());
        assert_eq!(facts.definitions.len(), 100, "{language:?}");
        let messages: Vec<&str> = facts.diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
        assert_eq!(messages, ["3900 definitions inside 100 or more scopes left out"], "{language:?}");
    }
}

#[test]
fn lines_before_excessive_indentation_are_parsed() {
    let text: String = (0..2_000).map(|depth| format!("{}def f():\n", " ".repeat(depth))).collect();
    let facts = check(Language::Python, text.as_bytes());
    assert_eq!(facts.definitions.len(), 100);
    assert_eq!((facts.diagnostics[0].line, facts.n_lines), (350, 2_000));
    let message = "over 350 different indentations: only the text is indexed after line 350";
    assert_eq!(facts.diagnostics[0].message, message);
}

/// Each operator makes the parser look at all errors before it.
#[test]
fn lines_before_endless_errors_are_parsed() {
    let facts = check(Language::Zig, format!("fn good() void {{}}\n{}", "!;\n".repeat(20_000)).as_bytes());
    assert_eq!(facts.definitions.first().map(|first| first.name.as_str()), Some("good"));
    let stopped = facts.diagnostics.iter().find(|diagnostic| diagnostic.message.starts_with("too slow to parse: only"));
    assert!(stopped.is_some_and(|stopped| stopped.line < facts.n_lines), "{:?}", facts.diagnostics);
}

/// Each line takes the same time, which is far more than that of code, so that no prefix looks slower than the one before.
#[test]
fn evenly_slow_lines_have_a_deadline() {
    let file = format!("fn good() {{}}\n{}", "0!\n".repeat(43_000));
    let cpu_seconds = || clock_gettime(ClockId::ThreadCPUTime).tv_sec;
    let began = cpu_seconds();
    let facts = check(Language::Rust, file.as_bytes());
    let took = cpu_seconds() - began;
    assert!(took <= 4, "{took} s");
    assert_eq!(facts.definitions.first().map(|first| first.name.as_str()), Some("good"));
}

/// At the end of this file, the parser would compare all combinations of its recoveries: 13 s and 8 GB.
#[test]
fn endless_recoveries_are_parsed_in_prefixes() {
    let facts = check(Language::Python, "/*\n".repeat(4_000).as_bytes());
    assert!(!facts.diagnostics.is_empty());
}

#[test]
fn files_over_the_limits_are_chunked_with_a_diagnostic() {
    let long_line = format!("fn f() {{}}\n// {}\n", "x".repeat(syntax::MAX_PARSED_LINE_BYTES));
    let large = "fn f() {}\n".repeat(syntax::MAX_PARSED_BYTES / 10 + 1);
    for text in [long_line, large] {
        let facts = check(Language::Rust, text.as_bytes());
        assert!(facts.definitions.is_empty() && !facts.chunks.is_empty());
        assert_eq!(facts.diagnostics.len(), 1, "{:?}", facts.diagnostics);
    }
}

#[test]
fn definitions_over_the_limit_are_dropped_with_a_diagnostic() {
    let n_definitions = syntax::MAX_DEFINITIONS + 5;
    let text: String = (0..n_definitions).map(|number| format!("a{number} = f()\n")).collect();
    let facts = check(Language::Python, text.as_bytes());
    assert_eq!(facts.definitions.len(), syntax::MAX_DEFINITIONS);
    assert_eq!(
        facts.diagnostics[0].message,
        format!("5 definitions over the limit of {} left out", syntax::MAX_DEFINITIONS)
    );
}

#[test]
fn syntax_errors_are_one_diagnostic() {
    let facts = check(Language::Rust, b"fn good() {}\nfn bad( {\nfn other() { = }\n");
    assert_eq!(facts.diagnostics.len(), 1);
    assert_eq!(facts.diagnostics[0].line, 2);
    assert!(facts.definitions.iter().any(|definition| definition.name == "good"));
}

#[test]
fn invalid_utf8_is_replaced() {
    let facts = check(Language::Python, b"def caf\xe9(a):\n    '''D\xff\r\n    oc.'''\n");
    assert_eq!(facts.definitions[0].doc, "D\u{fffd}\noc.");
}
