//! A draft answers on texts, names and vectors like the generation that is made of the same files.

use std::{collections::BTreeSet, sync::Arc};

use embed::{StaticModel, WordCache};
use index::{FileHit, QueryVector, SearchQuery, Snapshot, SymbolQuery, SymbolSelector};
use model::Filter;
use ranking::{
    QueryTerm, RequestedClasses, Statistics,
    typo::{Suspect, TermCandidates},
};
use worker::indexing::WorkTreeDraft;

use crate::project::Project;

/// Queries over words that the files of the tests have.
const QUERIES: &[&str] = &["crane lift", "make run dock", "Winch boom swing", "return class", "hook grab New"];

/// Words with a typo.
const TYPOS: &[&str] = &["crame", "swinng", "retrun"];

/// Compares a draft with the generation of the same files.
#[track_caller]
pub(crate) fn assert_same_texts(draft: &WorkTreeDraft, generation: &Snapshot, step: &str) {
    let parts: Vec<&Snapshot> = draft.index.parts().into_iter().map(|part| &**part).collect();
    let (found, expected) = (texts(&parts), texts(&[generation]));
    let differing: Vec<&String> = found.symmetric_difference(&expected).take(8).collect();
    assert!(found == expected, "{step}: {differing:#?}");
    assert_ne!(draft.index.generation(), generation.manifest().generation, "{step}");
}

/// Returns the answers of the parts of a repository together, one line each. They are the same however its files are divided.
fn texts(parts: &[&Snapshot]) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    for text in QUERIES {
        lines.extend(search(parts, text));
    }
    for word in TYPOS {
        let suspect = Suspect::new(word).expect("a word");
        let mut sum = TermCandidates::default();
        for part in parts {
            part.suggest_terms(&suspect).0.into_iter().for_each(|(term, found)| sum.add(&suspect, term, found));
        }
        lines.extend(sum.0.iter().map(|(term, found)| format!("{word}: {term} {}", found.distance)));
    }
    for part in parts {
        let every = SymbolQuery {
            selector: SymbolSelector::Regex(".".to_owned()),
            filter: Filter::default(),
            file_pattern: String::new(),
            limit: usize::MAX,
        };
        let symbols = part.symbols(&every).expect("it is valid").hits;
        lines.extend(symbols.iter().map(|hit| {
            let symbol = &hit.symbol;
            format!(
                "{} {} {} {:?} {}",
                symbol.id.path, symbol.id.qualified, symbol.id.ordinal, symbol.lines, symbol.signature
            )
        }));
        for (path, blob) in part.files().filter(|(path, _)| part.has_file(path)) {
            let source = part.source(path, None).expect("it is readable").expect("it exists");
            lines.insert(format!("{path} {blob} {}", source.text));
        }
    }
    lines
}

fn search(parts: &[&Snapshot], text: &str) -> Vec<String> {
    let terms = ranking::analyser::terms(text);
    let identifiers: Vec<String> = text.split(' ').map(str::to_owned).collect();
    let mut statistics = Statistics::zero(terms.len(), identifiers.len());
    parts.iter().for_each(|part| statistics.add(&part.statistics(&terms, &identifiers)));
    let of_query: Vec<QueryTerm> =
        terms.iter().map(|text| QueryTerm { text: text.clone(), weight: 1.0, is_joined: false }).collect();
    let weighted = statistics.weigh(&of_query).scored;
    let weighted: Vec<(String, f32)> =
        weighted.iter().map(|term| (terms[term.term_idx].clone(), term.weight)).collect();
    let identifiers: Vec<(String, u64)> = identifiers.into_iter().zip(statistics.name_counts.iter().copied()).collect();
    let model = StaticModel::built_in();
    let vector = WordCache::new(model).embed(text);
    let query = SearchQuery {
        terms: &weighted,
        name_weight: 0.0,
        vector: Some(QueryVector::new(model.id().clone(), vector.codes())),
        identifiers: &identifiers,
        paths: &["crane.py".to_owned()],
        filter: &Filter::default(),
        kept: RequestedClasses::default(),
        limit: 1_000,
    };
    let mut lines = vec![format!("{text}: {statistics:?}")];
    for part in parts {
        let names = part.match_names_and_paths(&query);
        let by_text: BTreeSet<u32> =
            part.rank_by_text(&query, 0.0).expect("it is readable").into_iter().map(|file| file.1).collect();
        let by_vector: BTreeSet<u32> = part.rank_by_vector(&query).into_iter().map(|file| file.1).collect();
        let files: BTreeSet<u32> =
            by_text.iter().chain(&by_vector).chain(names.by_name.keys()).chain(names.by_path.keys()).copied().collect();
        let files: Vec<u32> = files.into_iter().collect();
        for hit in part.file_hits(&query, &names, &files).expect("it is readable") {
            let is_found = (by_text.contains(&hit.file_idx), by_vector.contains(&hit.file_idx));
            lines.push(format!("{text}: {is_found:?} {}", shown(part, &hit)));
        }
    }
    lines
}

/// Returns a hit without what depends on the graph and the history.
fn shown(part: &Snapshot, hit: &FileHit) -> String {
    let FileHit { lexical, best_row, cosine, path, .. } = hit;
    let (name, rows) = part.symbols_of_hit(hit).expect("it is readable");
    let name = name.map(|name| (name.identifier, name.tier, name.symbol.id, name.symbol.signature));
    let rows: Vec<String> = rows
        .into_iter()
        .map(|row| format!("{} {:?} {} {}", row.number, row.symbol.map(|symbol| symbol.id), row.lexical, row.cosine))
        .collect();
    format!("{} {lexical} {best_row} {cosine} {path} {name:?} {rows:?}", part.hit_path(hit.file_idx))
}

fn project() -> (Project, Arc<Snapshot>) {
    let mut project = Project::repository();
    project.put("a.py", Some("def lift():\n    return 1\n\n\ndef drop():\n    return lift()\n"));
    project.put("b.py", Some("from a import lift\n\n\ndef swing():\n    lift()\n"));
    project.put("c.py", Some("def boom():\n    pass\n"));
    project.commit("ada", "Lift the boom");
    project.read_work_tree();
    let served = project.index(None);
    (project, served)
}

#[test]
fn a_draft_has_the_texts_of_edits() {
    let (project, served) = project();
    assert!(project.draft(served.clone()).is_none(), "nothing is edited");
    project.put("a.py", Some("def hoist():\n    return 1\n\n\ndef lift():\n    return hoist()\n"));
    project.put("c.py", None);
    project.put("d.py", Some("def winch():\n    return 'crane'\n"));
    let draft = project.draft(served.clone()).expect("a draft");
    assert_eq!(draft.edited_paths, ["a.py", "c.py", "d.py"]);
    let whole = project.index(Some(served.clone()));
    assert_same_texts(&draft, &whole, "three edits");
    let [base, edits] = draft.index.parts();
    assert_eq!(base.manifest().contents(), whole.manifest().contents());
    // A definition keeps its users; a new one has none yet.
    let used_by = |part: &Snapshot, name: &str| {
        let selector = SymbolSelector::Name(name.to_owned());
        let query = SymbolQuery { selector, filter: Filter::default(), file_pattern: String::new(), limit: 1 };
        part.symbols(&query).expect("it is valid").hits[0].symbol.used_by
    };
    assert!(used_by(&served, "lift") > 0);
    assert_eq!((used_by(edits, "lift"), used_by(edits, "hoist")), (used_by(&served, "lift"), 0));
    // The history is that of the path.
    assert!(edits.changed_at(0) > 0 && edits.changed_at(1) == 0);
    assert!(project.generation_dir(false).parent().is_some_and(|folder| !folder.join("draft").exists()));
}

#[test]
fn edits_that_are_more_than_text_have_no_draft() {
    let (mut project, served) = project();
    project.put("pyproject.toml", Some("[project]\nname = \"dock\"\n"));
    assert!(project.draft(served.clone()).is_none(), "a package");
    project.put("pyproject.toml", None);
    project.put("c.py", None);
    let without = project.index(Some(served.clone()));
    project.git(&["checkout", "-q", "c.py"]);
    assert!(project.draft(without).is_none(), "a file with a history");
    project.put("c.py", Some("def crane():\n    pass\n"));
    assert!(project.draft(served.clone()).is_some());
    project.commit("ada", "crane");
    assert!(project.draft(served.clone()).is_none(), "another commit");
    (0..101).for_each(|nth| project.put(&format!("many/{nth}.py"), Some("def f(): pass\n")));
    let committed = project.index(Some(served));
    (0..100).for_each(|nth| project.put(&format!("many/{nth}.py"), Some("def g(): pass\n")));
    assert!(project.draft(committed.clone()).is_some(), "as many files as a draft has");
    project.put("many/100.py", Some("def g(): pass\n"));
    assert!(project.draft(committed.clone()).is_none(), "one file more");
    (0..101).for_each(|nth| project.put(&format!("many/{nth}.py"), Some("def f(): pass\n")));
    let text = "# crane and winch\n".repeat(1 << 15);
    (0..16).for_each(|nth| project.put(&format!("many/{nth}.py"), Some(&text[..512 << 10])));
    assert!(project.draft(committed.clone()).is_some(), "8 MiB");
    project.put("many/16.py", Some("def h(): pass\n"));
    assert!(project.draft(committed).is_none(), "some bytes more");
}
