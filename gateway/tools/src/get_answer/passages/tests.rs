use std::collections::BTreeSet;

use super::*;

fn symbol(kind: &str, name: &str, doc: &str, lines: (u32, u32)) -> v1::Symbol {
    v1::Symbol {
        kind: kind.to_owned(),
        name: name.to_owned(),
        doc: doc.to_owned(),
        signature: format!("fn {name}()"),
        lines: Some(v1::Lines { start: lines.0, end: lines.1 }),
        node: lines.0,
        ..Default::default()
    }
}

/// Returns the best definitions of a file with their lines.
fn check(source: &str, symbols: &[v1::Symbol], question: &str, names: &[&str]) -> Vec<(String, u32, u32)> {
    let lines: Vec<&str> = source.lines().collect();
    let file = PassageFile { path: "store/pier.rs", rank: 0, lines, symbols, ranks: HashMap::new() };
    let terms: Vec<(String, f32)> = analyser::terms(question).into_iter().map(|term| (term, 1.0)).collect();
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut asked = AskedTerms::of(&terms, &names, &[]);
    let question_terms = QuestionTerms { text: question, terms, quoted: BTreeSet::new(), model: None };
    let found = best(&[file], &mut asked, &question_terms, 2);
    let shown = |one: &ScoredPassage| {
        let LineSpan { start, end } = one.lines.unwrap_or(LineSpan { start: 0, end: 0 });
        (symbols[one.symbol_idx].name.clone(), start, end)
    };
    found.iter().map(shown).collect()
}

#[test]
fn a_definition_is_found_by_the_lines_of_its_body() {
    let source = "fn take() {\n  loop {\n    let old = read();\n    a();\n    b();\n    c();\n    d();\n    // a stale anchor of a sunken ship is \
                  removed\n    if old.is_stale() {\n      remove(anchor);\n    }\n  }\n}\nfn anchor_dir() {\n  path()\n}\n";
    let symbols =
        [symbol("function", "take", "Takes the anchor.", (1, 13)), symbol("function", "anchor_dir", "", (14, 16))];
    let found = check(source, &symbols, "what about anchors that a sunken ship leaves", &[]);
    assert_eq!(found[0], ("take".to_owned(), 8, 11));
    assert_eq!(found[1].0, "anchor_dir");
}

#[test]
fn lines_with_a_name_of_the_question_come_before_those_with_its_parts() {
    let source = "fn run() {\n  emit(\"ship_sunk\");\n  a();\n  b();\n  c();\n  d();\n  e();\n  f();\n  g();\n  h();\n  emit(\"ship\");\n  \
                  sunk();\n}\n";
    let found = check(source, &[symbol("function", "run", "", (1, 13))], "emit ship sunk", &["ship_sunk"]);
    assert_eq!(found, [("run".to_owned(), 2, 4)]);
}

#[test]
fn the_end_of_a_body_tells_what_comes_of_it() {
    let body = (2..20).map(|n| format!("  step{n}();\n")).collect::<String>();
    let source = format!("fn anchor_depth() {{\n{body}  2 * chain\n}}\n");
    let symbols = [symbol("function", "anchor_depth", "", (1, 21))];
    assert_eq!(check(&source, &symbols, "anchor depth", &[]), [("anchor_depth".to_owned(), 14, 21)]);
}

#[test]
fn accessors_are_known_by_their_names() {
    for (name, expected) in [("getBerth", true), ("set_berth", true), ("settle", false), ("island", false)] {
        assert_eq!(is_accessor(&symbol("method", name, "", (1, 2))), expected, "{name}");
    }
}

#[test]
fn code_of_the_product_comes_before_examples() {
    let source = ["fn moor() {", "  tie(anchor);", "  wait();", "}"];
    let symbols = [symbol("function", "moor", "", (1, 4))];
    let file = |path: &'static str, rank: usize| PassageFile {
        path,
        rank,
        lines: source.to_vec(),
        symbols: &symbols,
        ranks: HashMap::new(),
    };
    for (question, expected) in [("how is the anchor moored", 1), ("how does the example moor the anchor", 0)] {
        let terms: Vec<(String, f32)> = ["moor", "anchor"].map(|term| (term.to_owned(), 1.0)).into();
        let mut asked = AskedTerms::of(&terms, &[], &[]);
        let question_terms = QuestionTerms { text: question, terms, quoted: BTreeSet::new(), model: None };
        let files = [file("examples/pier.rs", 0), file("src/pier.rs", 1)];
        assert_eq!(best(&files, &mut asked, &question_terms, 2)[0].file_idx, expected, "{question}");
    }
}

#[test]
fn the_order_of_the_search_counts_more_than_one_word_and_less_than_most() {
    let source = ["fn moor() {", "  tie(anchor);", "  wait();", "}"];
    let helper = ["fn help() {", "  tie(anchor);", "  ship.sail(buoy, berth);", "}"];
    let symbols = [symbol("function", "moor", "", (1, 4))];
    let of_helper = [symbol("function", "help", "", (1, 4))];
    for (words, expected) in [(&["anchor", "moor", "ship"][..], 0), (&["anchor", "ship", "sail", "buoy", "berth"], 1)] {
        let terms: Vec<(String, f32)> = words.iter().map(|term| ((*term).to_owned(), 1.0)).collect();
        let mut asked = AskedTerms::of(&terms, &[], &[]);
        let question_terms = QuestionTerms { text: "", terms, quoted: BTreeSet::new(), model: None };
        let file = |path, rank, lines: &[&'static str], symbols| PassageFile {
            path,
            rank,
            lines: lines.to_vec(),
            symbols,
            ranks: HashMap::new(),
        };
        let files = [file("pier.rs", 0, &source, &symbols[..]), file("helper.rs", 1, &helper, &of_helper[..])];
        assert_eq!(best(&files, &mut asked, &question_terms, 2)[0].file_idx, expected, "{words:?}");
    }
}

#[test]
fn the_type_of_a_member_is_known_by_its_container() {
    let of = |container: &str| v1::Symbol { container: container.to_owned(), ..symbol("method", "tie", "", (4, 6)) };
    let symbols = [
        symbol("class", "Pier", "Keeps the anchor.", (1, 9)),
        symbol("class", "Rope", "", (10, 12)),
        v1::Symbol { container: "Pier".to_owned(), ..symbol("class", "Knot", "Holds.", (13, 14)) },
    ];
    let asked = || AskedTerms::of(&[("anchor".to_owned(), 1.0), ("knot".to_owned(), 1.0)], &[], &[]);
    for (container, expected) in
        [("Pier", Some("Pier")), ("Rope", None), ("Pier.Knot", Some("Knot")), ("Knot", None), ("", None)]
    {
        let found = owner(&symbols, &of(container), &mut asked());
        assert_eq!(found.map(|one| one.name.as_str()), expected, "{container}");
    }
    let mut of_other = AskedTerms::of(&[("sail".to_owned(), 1.0)], &[], &[]);
    assert_eq!(owner(&symbols, &of("Pier"), &mut of_other), None);
}

#[test]
fn a_further_definition_of_a_file_gives_way_to_one_of_another_file() {
    let lines = ["fn moor() {", "  tie(anchor);", "}", "fn tie() {", "  anchor.tie();", "}"];
    let symbols = [symbol("function", "moor", "", (1, 3)), symbol("function", "tie", "", (4, 6))];
    let passage = |file_idx, symbol_idx, score| ScoredPassage { file_idx, symbol_idx, lines: None, share: 1.0, score };
    let file =
        |rank| PassageFile { path: "pier.rs", rank, lines: lines.to_vec(), symbols: &symbols, ranks: HashMap::new() };
    let files = [file(0), file(1)];
    for (of_other_file, expected) in [(1.8, [(0, 0), (1, 0), (0, 1)]), (1.6, [(0, 0), (0, 1), (1, 0)])] {
        let found = vec![passage(0, 0, 2.0), passage(0, 1, 2.0), passage(1, 0, of_other_file)];
        let chosen = distinct(found, 3, &files);
        let places: Vec<(usize, usize)> = chosen.iter().map(|one| (one.file_idx, one.symbol_idx)).collect();
        assert_eq!(places, expected, "{of_other_file}");
    }
}

#[test]
fn comments_between_the_members_of_a_type_are_not_quoted() {
    let members = (0..6).map(|n| format!("  /** The anchor of the ship. */\n  part{n}();\n")).collect::<String>();
    let source = format!("interface Pier {{\n{members}  keep(anchor, ship);\n}}\n");
    let symbols = [symbol("interface", "Pier", "", (1, 15))];
    let found = check(&source, &symbols, "anchor of the ship", &[]);
    assert_eq!(found, [("Pier".to_owned(), 13, 15)]);
}

#[test]
fn a_question_may_ask_for_a_type() {
    for (question, expected) in [
        ("Which class keeps the berths?", WantedKind::Type),
        ("in what struct are berths kept", WantedKind::Type),
        ("which function keeps the berths of a class", WantedKind::Any),
        ("what does the class keep", WantedKind::Any),
        ("What type does parseHeader return?", WantedKind::Any),
    ] {
        assert_eq!(WantedKind::of(question), expected, "{question}");
    }
    let source = "class Berths {\n  // berths that are kept\n  berths: Ship[]\n  keep(ship) {\n    a()\n    this.berths.push(ship)\n  }\n}\n";
    let symbols = [symbol("class", "Berths", "", (1, 8)), symbol("method", "keep", "", (4, 7))];
    assert_eq!(check(source, &symbols, "which class keeps the berths", &[])[0].0, "Berths");
    assert_eq!(check(source, &symbols, "how is a ship pushed", &[])[0].0, "keep");
}

#[test]
fn a_test_and_a_definition_with_nothing_of_the_question_are_no_passages() {
    let source = "fn test_anchor() {\n}\nfn other() {\n}\n";
    let symbols = [symbol("function", "test_anchor", "", (1, 2)), symbol("function", "other", "", (3, 4))];
    assert!(check(source, &symbols, "anchor", &[]).is_empty());
    assert!(check(source, &symbols, "what happens when", &[]).is_empty());
    assert_eq!(check(source, &symbols, "which tests are of the anchor", &[])[0].0, "test_anchor");
}

#[test]
fn outcomes_are_asked_for_by_their_events() {
    for (question, is_asked, is_failure, called) in [
        ("What happens if I call moor before the dock is open?", true, false, vec!["moor"]),
        ("What happens to a ship whose rope fails?", true, true, vec![]),
        ("What status does a ship get when it is late?", true, false, vec![]),
        ("what happens when we call the dock", true, false, vec![]),
        ("Who calls moor when it is late?", false, false, vec![]),
        ("when was the dock added", false, false, vec![]),
        ("How does it call moor?", false, false, vec![]),
        ("what is a failure", false, false, vec![]),
    ] {
        let found = AskedOutcome::of(question);
        assert_eq!(
            (found.is_asked, found.is_failure, found.called),
            (is_asked, is_failure, called.into_iter().map(str::to_owned).collect()),
            "{question}"
        );
    }
    for (name, expected) in [("handleFailedShip", true), ("on_error", true), ("terror", false), ("failsafe", false)] {
        assert_eq!(names_failure(name), expected, "{name}");
    }
}

#[test]
fn a_method_of_an_interface_is_only_declared() {
    let symbol = |kind: &str, container: &str, name: &str, lines: (u32, u32)| v1::Symbol {
        kind: kind.to_owned(),
        container: container.to_owned(),
        name: name.to_owned(),
        lines: Some(v1::Lines { start: lines.0, end: lines.1 }),
        ..Default::default()
    };
    let symbols = [symbol("interface", "", "Dock", (1, 9)), symbol("struct", "", "Pier", (11, 19))];
    for (container, lines, line, expected) in [
        ("Dock", (3, 3), "fn open(&self) -> bool;", true),
        ("Dock", (3, 3), "open(force = false): void;", true),
        ("Dock", (3, 3), "fn open(&self) -> bool { true }", false),
        ("Dock", (3, 3), "fun open() = close()", false),
        ("Dock", (3, 3), "def open: Unit = close", false),
        ("Dock", (3, 5), "fn open(", false),
        ("Dock", (0, 0), "", false),
        ("Pier", (12, 12), "fn open(&self) -> bool;", false),
    ] {
        let symbol = symbol("method", container, "open", lines);
        assert_eq!(is_declared_only(&symbols, &symbol, line), expected, "{container} {lines:?} {line}");
    }
}
