use proptest::prelude::*;

use std::collections::BTreeMap;

use ranking::blend::N_FINALISTS;

use super::*;
use ranking::votes::N_VOTING;

const SCALE: ScoreScale<'_> = ScoreScale {
    total_weight: 10.0,
    name_counts: &[3, 1],
    kept: RequestedClasses { tests: false, docs: false, config: false },
    depth: 100,
    newest: 0,
    rows_compare_with_messages: true,
};

fn found(repo_idx: usize, path: &str, lexical: f32) -> FoundFile {
    let file = v1::File { path: path.to_owned(), blob: format!("{repo_idx}{path}"), ..Default::default() };
    FoundFile {
        repo_idx: RepoIdx(repo_idx),
        hit: v1::FileHit { file: Some(file), lexical, best_row: lexical, ..Default::default() },
    }
}

fn named(mut found: FoundFile, tier: v1::NameTier, identifier: u32, kind: SymbolKind) -> FoundFile {
    let symbol = v1::Symbol { kind: kind.name().to_owned(), ..Default::default() };
    found.hit.name = Some(v1::NameMatch { identifier, tier: tier.into(), symbol: Some(symbol) });
    found
}

fn of_class(mut found: FoundFile, class: FileClass) -> FoundFile {
    found.hit.file.as_mut().unwrap().class = v1::FileClass::from(class).into();
    found
}

fn check(found: Vec<FoundFile>, expected: &str) {
    let merged = merge(ScoredFiles::new(found, &[], SCALE), SCALE).files;
    let paths: Vec<&str> = merged.iter().map(|ranked| path(&ranked.found)).collect();
    assert_eq!(paths.join(" "), expected);
}

#[test]
fn scores_decide_not_ranks_inside_a_repository() {
    check(vec![found(0, "a", 1.0), found(0, "b", 0.9), found(1, "c", 3.0), found(1, "d", 2.0)], "c d a b");
}

#[test]
fn ties_end_in_alias_and_path() {
    check(vec![found(1, "a", 1.0), found(0, "z", 1.0), found(0, "b", 1.0)], "b z a");
}

#[test]
fn names_are_ordered_by_tier_rarity_kind_and_class() {
    use v1::NameTier::*;
    let hits = vec![
        named(found(0, "fuzzy", 0.0), Fuzzy, 1, SymbolKind::Class),
        named(found(0, "field", 0.0), Exact, 1, SymbolKind::Field),
        of_class(named(found(0, "a-test", 0.0), Exact, 1, SymbolKind::Class), FileClass::Test),
        named(found(0, "class", 0.0), Exact, 1, SymbolKind::Class),
        named(found(0, "common", 0.0), Exact, 0, SymbolKind::Class),
        named(found(0, "method", 0.0), Exact, 1, SymbolKind::Method),
        named(found(0, "folded", 0.0), Folded, 1, SymbolKind::Class),
    ];
    check(hits, "class method field common a-test folded fuzzy");
}

#[test]
fn what_is_hardly_relevant_is_left_out() {
    let mut by_path = found(0, "b", 0.0);
    by_path.hit.path = 0.001;
    check(vec![found(0, "a", 0.1), by_path, found(0, "c", 1.0)], "b c");
}

#[test]
fn a_repository_without_the_words_comes_after_those_with_them() {
    let near = |mut found: FoundFile, cosine: f32| {
        found.hit.cosine = cosine;
        found
    };
    let by_meaning = near(found(0, "near", 0.0), 0.9);
    let strong = found(1, "strong", 3.0);
    check(vec![by_meaning.clone(), strong.clone(), found(2, "weak", 0.9)], "strong weak near");
    // Its own repository has the words elsewhere.
    check(vec![by_meaning, strong, found(0, "weak", 0.9)], "strong near weak");
}

#[test]
fn copies_collapse_to_the_best() {
    let copy_of = |mut found: FoundFile, blob: &str| {
        found.hit.file.as_mut().unwrap().blob = blob.to_owned();
        found
    };
    let copies =
        vec![copy_of(found(0, "a", 1.0), "x"), copy_of(found(1, "b", 2.0), "x"), copy_of(found(2, "c", 2.0), "x")];
    let merged = merge(ScoredFiles::new(copies, &[], SCALE), SCALE).files;
    assert_eq!(merged.len(), 1);
    assert_eq!(path(&merged[0].found), "b");
    assert_eq!(merged[0].also_in, [(RepoIdx(0), "a".to_owned()), (RepoIdx(2), "c".to_owned())]);
}

#[test]
fn a_list_that_is_full_may_not_be_all() {
    let of = |n_files: usize| {
        merge(ScoredFiles::new((0..n_files).map(|n| found(n, "a", 1.0)).collect(), &[], SCALE), SCALE).is_capped
    };
    assert_eq!((of(SCALE.depth - 1), of(SCALE.depth), of(SCALE.depth + 1)), (false, true, true));
}

fn any_found() -> impl Strategy<Value = FoundFile> {
    let score = prop_oneof![Just(0.0f32), Just(1.0), 0.0f32..9.0];
    let scores = (score.clone(), 0.0f32..1.0, score.clone());
    let name = proptest::option::of((1i32..=5, 0u32..2));
    (0usize..6, 0u8..40, scores, score, name, 0u8..8).prop_map(
        |(repo_idx, path, (lexical, cosine, history), path_score, name, blob)| {
            let mut found = found(repo_idx, &format!("p{path}"), lexical);
            found.hit.cosine = cosine;
            found.hit.history = history;
            found.hit.path = path_score;
            found.hit.file.as_mut().unwrap().blob = format!("{repo_idx}-{path}-{}", blob % 2);
            found.hit.name = name.map(|(tier, identifier)| v1::NameMatch { tier, identifier, symbol: None });
            found
        },
    )
}

/// Messages near to the query, in the order in which one worker that holds everything tells them.
fn any_said() -> impl Strategy<Value = Vec<FoundMessage>> {
    let paths = proptest::collection::vec("[a-c]", 0..3);
    let one = (0usize..6, (1u32..5).prop_map(|cosine| cosine as f32 / 4.0), 1u32..9, paths);
    proptest::collection::vec(one, 0..40).prop_map(|said| {
        let said = said.into_iter().map(|(repo_idx, cosine, files, paths)| FoundMessage {
            repo_idx: RepoIdx(repo_idx),
            hit: v1::MessageHit { cosine, files, paths, ..Default::default() },
        });
        nearest_first(said.collect())
    })
}

fn nearest_first(mut said: Vec<FoundMessage>) -> Vec<FoundMessage> {
    said.sort_by(|a, b| b.hit.cosine.total_cmp(&a.hit.cosine).then(a.repo_idx.cmp(&b.repo_idx)));
    said.truncate(N_VOTING);
    said
}

#[test]
fn of_those_that_lead_the_one_that_says_most_wins() {
    let files: Vec<FoundFile> = (0..N_FINALISTS + 1).map(|n| found(n, "a", 2.0 - n as f32 / 100.0)).collect();
    let scored = ScoredFiles::new(files, &[], SCALE);
    assert_eq!(
        scored.finalists().iter().map(|found| found.repo_idx.0).collect::<Vec<_>>(),
        (0..15).collect::<Vec<_>>()
    );
    let near = |repo_idx: usize, nearness: f32| ((RepoIdx(repo_idx), "a".to_owned()), nearness);
    let mut known: BTreeMap<_, _> = (0..N_FINALISTS).map(|repo_idx| near(repo_idx, 0.0)).collect();
    known.extend([near(0, 0.1), near(3, 0.9), near(15, 1.0)]);
    let lacking = known.clone().into_iter().skip(1).collect();
    let scored = scored.rerank(&lacking, SCALE).expect_err("one is not known");
    let scored = scored.rerank(&known, SCALE).expect("all are known");
    let merged = merge(scored, SCALE).files;
    let order: Vec<usize> = merged.iter().map(|ranked| ranked.found.repo_idx.0).collect();
    assert_eq!((&order[..3], order[15]), (&[3, 0, 1][..], 15));
}

#[test]
fn what_was_said_before_votes_for_what_it_touched() {
    let files = || vec![found(0, "a", 1.0), found(0, "b", 1.0), found(1, "a", 1.0)];
    let said = |repo_idx: usize, cosine: f32, path: &str| FoundMessage {
        repo_idx: RepoIdx(repo_idx),
        hit: v1::MessageHit { cosine, files: 1, paths: vec![path.to_owned()], ..Default::default() },
    };
    for (said, expected) in [
        (vec![], "0a 0b 1a"),
        (vec![said(0, 0.6, "b")], "0b 0a 1a"),
        (vec![said(0, 0.5, "b"), said(1, 0.6, "a")], "1a 0b 0a"),
        (vec![said(1, 0.6, "b"), said(2, 0.7, "a")], "0a 0b 1a"),
    ] {
        let merged = merge(ScoredFiles::new(files(), &said, SCALE), SCALE).files;
        let name = |ranked: &RankedFile| format!("{}{}", ranked.found.repo_idx.0, path(&ranked.found));
        assert_eq!(merged.iter().map(name).collect::<Vec<_>>().join(" "), expected);
    }
}

proptest! {
    #[test]
    fn the_order_of_replies_does_not_matter(
        (hits, shuffled) in proptest::collection::vec(any_found(), 0..60).prop_map(|mut hits| {
            hits.sort_by(by_place);
            hits.dedup_by(|a, b| by_place(a, b) == Ordering::Equal);
            hits
        }).prop_flat_map(|hits| (Just(hits.clone()), Just(hits).prop_shuffle())),
        said in any_said(),
        depth in 1usize..30,
    ) {
        let scale = ScoreScale { depth, ..SCALE };
        let by_repository = |repo_idx: usize| said.iter().filter(move |said| said.repo_idx.0 == repo_idx).cloned();
        let reordered: Vec<FoundMessage> = (0..6).rev().flat_map(by_repository).collect();
        prop_assert_eq!(
            format!("{:?}", merge(ScoredFiles::new(hits, &said, scale), scale)),
            format!("{:?}", merge(ScoredFiles::new(shuffled, &reordered, scale), scale))
        );
    }

    #[test]
    fn what_workers_cut_off_changes_nothing(
        hits in proptest::collection::vec(any_found(), 0..60),
        said in any_said(),
        depth in 1usize..10,
    ) {
        let mut hits = hits;
        hits.sort_by(by_place);
        hits.dedup_by(|a, b| by_place(a, b) == Ordering::Equal);
        let scale = ScoreScale { depth, ..SCALE };
        let whole = merge(ScoredFiles::new(hits.clone(), &said, scale), scale);
        // Each worker sends the union of its best of each ranker; here one worker per repository.
        let mut sent: Vec<FoundFile> = Vec::new();
        for repo_idx in 0..6 {
            let own: Vec<FoundFile> = hits.iter().filter(|found| found.repo_idx.0 == repo_idx).cloned().collect();
            let mut kept: Vec<usize> = list(&own, depth, |hit| descending(hit.lexical)).concat();
            kept.extend(list(&own, depth, |hit| name_order(hit, scale)).concat());
            kept.extend(list(&own, depth, |hit| descending(hit.path)).concat());
            kept.extend(list(&own, depth, |hit| descending(hit.cosine)).concat());
            kept.sort_unstable();
            kept.dedup();
            sent.extend(kept.into_iter().map(|own_idx| own[own_idx].clone()));
        }
        prop_assert_eq!(format!("{whole:?}"), format!("{:?}", merge(ScoredFiles::new(sent, &said, scale), scale)));
    }
}
