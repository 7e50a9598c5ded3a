use super::*;

/// Phrasings of each intent, as people write them: the intent, the question, and the subjects.
const ROUTED: &str = include_str!("../examples/phrasings.txt");

/// Questions that look alike and have no intent of the table.
const NEAR_MISSES: &str = include_str!("../tests/near_misses.txt");

/// Minimum number of phrasings of each intent.
const MIN_PHRASINGS: usize = 60;

#[test]
fn the_use_of_a_thing_is_no_change_of_it() {
    for (question, expected) in [
        ("what happens if I call berth.Use after opening the dock?", true),
        ("What would happen when someone sends a ship twice", true),
        ("what happens if I change berth.Use", false),
        ("what happens if I rename the use of a berth", false),
        ("which callers break if I call it differently", false),
        ("what happens if a call to open is removed", false),
        ("what happens if a call to open is late", true),
    ] {
        assert_eq!(is_use(ClauseWords::of(question).lower()), expected, "{question}");
        let routed = super::super::cues::read(question, &[]);
        let is_impact = |part: &super::super::cues::CuedPart| {
            part.question.as_ref().is_some_and(|one| one.intent == QuestionIntent::Impact)
        };
        assert_eq!(routed.iter().any(is_impact), !expected, "{question}");
    }
}

#[test]
fn a_supposition_is_of_the_question_behind_it() {
    for (text, expected) in [
        ("Suppose I rename Berth. What breaks?", 1),
        ("Suppose I rename Berth? What breaks?", 2),
        ("Berth is small. What breaks?", 2),
        ("Who moors it, i.e. who calls moor?", 1),
        ("I suppose Berth is small. What breaks?", 2),
        ("Berth is small. Suppose I rename it. What breaks?", 2),
    ] {
        assert_eq!(sentences(text).len(), expected, "{text}");
    }
    // It takes linear time.
    let long = format!("suppose {}a", ". ".repeat(200_000));
    assert_eq!(sentences(&long).len(), 1);
}

#[test]
fn the_fate_of_a_thing_is_no_change_of_it() {
    for (question, expected) in [
        ("what happens when a berth has no ship", true),
        ("what happens when an address contains a port", true),
        ("what happens when a client deletes a ship that has no berth", true),
        ("what happens when a berth drops a ship that has no rope", true),
        ("what happens when a berth has another type", false),
        ("what happens if a field that every berth contains is removed", false),
        ("what happens if I drop a column that a berth has", false),
        ("what happens if I modify the type that a berth has", false),
        ("what happens if we move the type that a berth has", false),
        ("what happens if the type that a berth has is deprecated", false),
    ] {
        assert_eq!(is_fate(ClauseWords::of(question).lower()), expected, "{question}");
    }
}

#[test]
fn the_author_of_a_change_is_in_the_answer_about_it() {
    let of = |text: &str| of_clause(text, None).expect("a route");
    let (added, owned) = (of("when was the sluice added"), of("who owns the sluice"));
    for (clause, before, expected) in [
        ("who wrote it?", Some(&added), true),
        ("whose work was it", Some(&added), true),
        ("who did that", Some(&added), true),
        ("who's behind it", Some(&added), true),
        ("who is behind it", Some(&added), true),
        ("who is in front of it", Some(&added), false),
        ("who wrote it", Some(&owned), false),
        ("who wrote it", None, false),
        ("who calls it", Some(&added), false),
        ("whose tests cover the sluice", Some(&added), false),
        ("whose tests cover it", Some(&added), false),
        ("whose code calls it", Some(&added), false),
        ("who creates it", Some(&added), false),
        ("who commits it", Some(&added), false),
        ("who created it", Some(&added), true),
    ] {
        assert_eq!(asks_for_its_author(clause, before), expected, "{clause}");
    }
    assert_eq!(read("when was the sluice added, and whose work was it?").len(), 1);
    for (question, expected) in [
        ("When was the sluice added, and whose work was it?", "When was the sluice added"),
        ("when was the sluice added and who did that", "when was the sluice added"),
        ("when was the sluice added and who calls the gate", "when was the sluice added and who calls the gate"),
        ("when were the sluice and the gate added", "when were the sluice and the gate added"),
    ] {
        assert_eq!(without_its_author(question), expected, "{question}");
    }
}

#[test]
fn phrasings_are_routed() {
    let mut counts: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    let mut failures: Vec<String> = Vec::new();
    let mut section = "";
    for line in ROUTED.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(name) = line.strip_prefix("# ") {
            section = name;
            continue;
        }
        let (question, expected) = line.rsplit_once(" => ").unwrap_or((line, ""));
        *counts.entry(section).or_default() += 1;
        let found = read(question);
        let is_right = found.len() == 1
            && format!("{:?}", found[0].intent) == section
            && (expected.is_empty() || found[0].subjects.join(" + ") == expected);
        if !is_right {
            let shown: Vec<_> = found.iter().map(|one| (one.intent, one.subjects.join(" + "))).collect();
            failures.push(format!("{section}: {question} -> {shown:?}"));
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    for intent in QuestionIntent::ALL {
        let count = counts.get(format!("{intent:?}").as_str()).copied().unwrap_or(0);
        assert!(count >= MIN_PHRASINGS, "{intent:?} has {count}");
    }
}

#[test]
fn near_misses_are_not_routed() {
    let lines = NEAR_MISSES.lines().map(str::trim).filter(|line| !line.is_empty());
    let routed: Vec<String> =
        lines.filter(|line| !read(line).is_empty()).map(|line| format!("{line}: {:?}", read(line))).collect();
    assert!(routed.is_empty(), "{}", routed.join("\n"));
}

#[test]
fn a_subject_is_a_thing_without_its_quantity() {
    for (question, expected) in [
        ("who wrote most of the parser?", Some("parser")),
        ("who owns the rest of the parser", Some("parser")),
        ("who owns the REST client of shop", Some("REST client of shop")),
        ("who owns the bulk insert", Some("bulk insert")),
        ("who owns half-open sockets", Some("half-open sockets")),
        ("who maintains the most popular parser", Some("popular parser")),
        ("who wrote allocate", Some("allocate")),
        ("who wrote most?", None),
    ] {
        let found = read(question);
        assert_eq!(found.first().map(|one| one.subjects.join(" + ")).as_deref(), expected, "{question}");
    }
}

#[test]
fn a_clause_is_searched_with_what_its_pronoun_stands_for() {
    for (clause, subject, expected) in [
        ("what does it return?", Some("Dock.open"), "what does Dock.open return?"),
        ("which tests cover it?", Some("Dock.open"), "which tests cover Dock.open?"),
        ("what is the default?", Some("berth size"), "what is the default? berth size"),
        ("who owns the berth of a dock", Some("berth dock"), "who owns the berth of a dock"),
        ("what does Dock.open return?", Some("Dock.open"), "what does Dock.open return?"),
        ("which item is lost?", None, "which item is lost?"),
        ("how does the gateway authenticate users?", Some("lease"), "how does the gateway authenticate users?"),
    ] {
        assert_eq!(with_subject_of(clause, subject), expected, "{clause}");
    }
}

#[test]
fn a_further_question_that_the_answer_has_is_dropped() {
    for (text, expected) in [
        ("how long is a lease and can i configure it", Some(5)),
        ("how long is a lease and how do we change that", Some(6)),
        ("when was the gate added and who introduced it", Some(4)),
        ("when was the gate added and in which commit", Some(4)),
        ("how long is a lease and who deploys it", None),
        ("when was the gate added and whose code calls it", None),
        ("when was the gate added and who adds it", None),
        ("how long is a lease and how does the cache change it", None),
        ("who owns the lease and gate", None),
    ] {
        let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        assert_eq!(follow_up(&words), expected, "{text}");
    }
}

#[test]
fn several_questions_are_read_in_order() {
    for (text, expected) in [
        (
            "who owns Store.find and who calls it?",
            &[(QuestionIntent::Ownership, "Store.find"), (QuestionIntent::Callers, "Store.find")][..],
        ),
        (
            "What does retry do? Which tests cover it?",
            &[(QuestionIntent::Purpose, "retry"), (QuestionIntent::Tests, "retry")],
        ),
        ("who calls a, what does b depend on", &[(QuestionIntent::Callers, "a"), (QuestionIntent::Dependencies, "b")]),
        (
            "what's the difference between Reader and BasicReader?",
            &[(QuestionIntent::Purpose, "Reader"), (QuestionIntent::Purpose, "BasicReader")],
        ),
        (
            "which settings does the cache have and what are their defaults?",
            // Both clauses ask for the settings of one thing.
            &[(QuestionIntent::Configuration, "cache")],
        ),
        (
            "what are the defaults of minSize and maxSize in the cache?",
            &[
                (QuestionIntent::Configuration, "minSize in the cache"),
                (QuestionIntent::Configuration, "maxSize in the cache"),
            ],
        ),
        ("who owns retry and back-off", &[(QuestionIntent::Ownership, "retry and back-off")]),
        (
            "what raises DockClosed and where is it caught?",
            &[(QuestionIntent::Errors, "DockClosed"), (QuestionIntent::Errors, "DockClosed")],
        ),
        ("what raises DockClosed and when is it raised?", &[(QuestionIntent::Errors, "DockClosed")]),
        ("who calls it?", &[]),
        ("is it tested?", &[]),
        ("what is it set to?", &[]),
        ("Which environment variables does it read?", &[(QuestionIntent::Configuration, "")]),
        ("what does it depend on?", &[(QuestionIntent::Dependencies, "")]),
        ("Which version of tokio is used by it?", &[(QuestionIntent::Dependencies, "tokio")]),
        ("who owns a? colourless green ideas", &[]),
    ] {
        let found: Vec<(QuestionIntent, String)> =
            read(text).into_iter().map(|one| (one.intent, one.subjects.join(" + "))).collect();
        let expected: Vec<(QuestionIntent, String)> =
            expected.iter().map(|(intent, of)| (*intent, (*of).to_owned())).collect();
        assert_eq!(found, expected, "{text}");
    }
}
