//! Properties of generations: sharded rankings equal those of one index, extended generations equal rebuilt ones, and damage
//! is detected.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use embed::{StaticModel, WordCache};
use graph::{Codebase, SourceFile};
use index::{
    ChangedFiles, FileHit, GenerationProvenance, GenerationWriter, IndexError, NameMatches, NewFile, NewGraph,
    NewHistory, QueryVector, RepositoryDir, ReusedFile, RowEmbedder, SearchQuery, Snapshot, SymbolQuery,
    SymbolSelector, publish,
};
use links::{LinkedFile, RepositoryManifests};
use model::{
    BlobId, ByteSpan, CommitId, ContentsId, Definition, Domain, FileClass, FileFacts, Filter, Language, LineSpan,
    Message, RepoId, SymbolKind,
};
use proptest::prelude::*;
use ranking::{QueryTerm, RequestedClasses, Statistics};

/// Files by path. Every line that starts with `fn ` is a definition of one line.
type Corpus = BTreeMap<String, String>;

fn facts(text: &str) -> FileFacts {
    let mut facts = FileFacts::empty(Language::Rust, text.lines().count() as u32);
    let mut start = 0;
    for (line_idx, line) in text.split_inclusive('\n').enumerate() {
        let end = start + line.len() as u32;
        if let Some(rest) = line.strip_prefix("fn ") {
            let lines = LineSpan { start: line_idx as u32 + 1, end: line_idx as u32 + 1 };
            facts.definitions.push(Definition {
                kind: SymbolKind::Function,
                name: rest.split_whitespace().next().unwrap_or_default().to_owned(),
                container: String::new(),
                parent: None,
                signature: line.trim().to_owned(),
                doc: String::new(),
                lines,
                name_line: lines.start,
                bytes: ByteSpan { start, end },
            });
        }
        start = end;
    }
    facts
}

fn blob(text: &str) -> BlobId {
    let mut id = [0; 20];
    id.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..20]);
    BlobId(id)
}

fn provenance(repo: u8, commit: u8) -> GenerationProvenance {
    GenerationProvenance {
        changes: None,
        repo: RepoId([repo; 16]),
        commit: CommitId([commit; 20]),
        branch: Some("main".into()),
        committed_at: 1,
        indexed_at: 2,
        extractor: 1,
        model: Some(StaticModel::built_in().id().clone()),
        pushed_index: None,
        version_tags: Vec::new(),
        diagnostics: Vec::new(),
    }
}

/// Writes and publishes a generation of `corpus`, given the previous one.
fn write(root: &Path, provenance: GenerationProvenance, corpus: &Corpus, previous: Option<Arc<Snapshot>>) -> Snapshot {
    try_write(root, provenance, corpus, previous).unwrap()
}

fn try_write(
    root: &Path,
    provenance: GenerationProvenance,
    corpus: &Corpus,
    previous: Option<Arc<Snapshot>>,
) -> Result<Snapshot, IndexError> {
    let repository = RepositoryDir::new(root, provenance.repo);
    let old: BTreeMap<String, BlobId> =
        previous.iter().flat_map(|snapshot| snapshot.files()).map(|(path, blob)| (path.to_owned(), blob)).collect();
    let n_new = corpus.iter().filter(|(path, text)| old.get(*path) != Some(&blob(text))).count() as u64;
    let staging = repository.create_staging()?;
    let mut writer = GenerationWriter::create(&staging, provenance, previous.clone(), n_new)?;
    let mut embedder = RowEmbedder::new(StaticModel::built_in());
    let all_facts: Vec<FileFacts> = corpus.values().map(|text| facts(text)).collect();
    for (path, text) in corpus {
        if old.get(path) == Some(&blob(text)) {
            writer.reuse_file(ReusedFile::read(previous.as_deref().expect("an unchanged file has a base"), path)?)?;
        } else {
            let facts = facts(text);
            let file = NewFile {
                path,
                blob: blob(text),
                class: FileClass::Source,
                n_bytes: text.len() as u64,
                facts: &facts,
                bytes: text.as_bytes(),
                vectors: &embedder.row_vectors(path, &facts, text.as_bytes()),
            };
            writer.add_file(file)?;
        }
    }
    let sources = corpus.keys().zip(&all_facts).map(|(path, facts)| SourceFile { path, facts });
    let codebase = Codebase::new(sources, &[]);
    let manifests = RepositoryManifests::default();
    let linked: Vec<LinkedFile> =
        codebase.program().file_indices().map(|file| links::link_file(&codebase, &manifests, file)).collect();
    let structure = links::structure(&codebase, &linked, &vec![FileClass::Source; corpus.len()]);
    let interfaces: Vec<_> = all_facts.iter().map(graph::interface_hash).collect();
    let domains = vec![Domain::Code; corpus.len()];
    let graph =
        NewGraph { structure: &structure, files: &linked, interfaces: &interfaces, domains: &domains, link_facts: &[] };
    let history = NewHistory { messages_of_file: &messages, ..NewHistory::none() };
    let manifest = writer.seal(&graph, Some(&history))?;
    publish(&repository, &manifest)
}

/// Returns the messages of a file: its own, and those of all files.
fn messages(path: &str) -> Vec<Message<'static>> {
    let message = |subject, body, n_files| Message { subject, body, n_files };
    let of_all = [message("Rename the parser", "", 2), message("Format everything", "", 200)];
    let own = match path {
        "cart.rs" => Some(message("Compute discounts for customers", "Prices were too high.", 1)),
        "parser.rs" => Some(message("Report where parsing failed", "", 1)),
        _ => None,
    };
    own.into_iter().chain(of_all).collect()
}

/// Returns the most similar messages: the paths that each touched, and the cosine.
fn similar_messages(snapshot: &Snapshot, text: &str, limit: usize) -> Vec<(String, f32)> {
    let model = StaticModel::built_in();
    let vector = WordCache::new(model).embed(text);
    let query = QueryVector::new(model.id().clone(), vector.codes());
    let paths = |files: &[u32]| files.iter().map(|file_idx| snapshot.hit_path(*file_idx)).collect::<Vec<_>>().join(" ");
    snapshot
        .rank_messages(&query, &Filter::default(), limit)
        .iter()
        .map(|hit| (paths(&hit.files), hit.cosine))
        .collect()
}

/// Transfers a generation to another folder.
fn transfer(written: &Snapshot, root: &Path) -> Result<Snapshot, IndexError> {
    let export = written.export()?;
    let import = RepositoryDir::new(root, export.key.repo).import(export.key, &export.manifest)?;
    for mut file in export.files {
        std::io::copy(&mut file.file, &mut import.create_file(&file.name)?).unwrap();
    }
    import.publish()
}

/// Returns path, file score and best row score of each hit, best first.
fn search(snapshots: &[&Snapshot], terms: &[String], limit: usize) -> Vec<(String, f32, f32)> {
    with_query(
        &weigh(snapshots, terms),
        |query| {
            let ranked = |snapshot: &&Snapshot| {
                let files: Vec<u32> = snapshot.rank_by_text(query, 0.0).unwrap().iter().map(|file| file.1).collect();
                let hits = snapshot.file_hits(query, &NameMatches::default(), &files).unwrap();
                let hit = |hit: &FileHit| (snapshot.hit_path(hit.file_idx).to_owned(), hit.lexical, hit.best_row);
                hits.iter().map(hit).collect::<Vec<_>>()
            };
            let mut hits: Vec<(String, f32, f32)> = snapshots.iter().flat_map(ranked).collect();
            hits.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            hits.truncate(limit);
            hits
        },
        limit,
    )
}

/// Returns terms with their weights under the statistics of all snapshots.
fn weigh(snapshots: &[&Snapshot], terms: &[String]) -> Vec<(String, f32)> {
    let mut statistics = Statistics::zero(terms.len(), 0);
    snapshots.iter().for_each(|snapshot| statistics.add(&snapshot.statistics(terms, &[])));
    let query: Vec<QueryTerm> =
        terms.iter().map(|text| QueryTerm { text: text.clone(), weight: 1.0, is_joined: false }).collect();
    let scored = statistics.weigh(&query).scored;
    scored.iter().map(|term| (terms[term.term_idx].clone(), term.weight)).collect()
}

/// Runs a search for weighted terms.
fn with_query<T>(terms: &[(String, f32)], search: impl Fn(&SearchQuery<'_>) -> T, limit: usize) -> T {
    let text = terms.iter().map(|term| term.0.as_str()).collect::<Vec<_>>().join(" ");
    let model = StaticModel::built_in();
    let vector = WordCache::new(model).embed(&text);
    search(&SearchQuery {
        terms,
        name_weight: 0.0,
        vector: Some(QueryVector::new(model.id().clone(), vector.codes())),
        identifiers: &[],
        paths: &[],
        filter: &Filter::default(),
        kept: RequestedClasses::default(),
        limit,
    })
}

fn word() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "open",
        "closeFile",
        "parse_http",
        "retry",
        "cart",
        "order",
        "total",
        "sum",
        "token",
        "HTTPServer",
        "queue",
        "flush",
    ])
    .prop_map(str::to_owned)
}

fn file_text() -> impl Strategy<Value = String> {
    let line = (any::<bool>(), prop::collection::vec(word(), 1..6)).prop_map(|(is_definition, words)| {
        let start = if is_definition { "fn " } else { "" };
        format!("{start}{}\n", words.join(" "))
    });
    prop::collection::vec(line, 0..8).prop_map(|lines| lines.concat())
}

fn corpus(max_files: usize) -> impl Strategy<Value = Corpus> {
    prop::collection::vec(file_text(), 1..max_files).prop_map(|texts| {
        texts.into_iter().enumerate().map(|(idx, text)| (format!("src/{}/file{idx:02}.rs", idx % 3), text)).collect()
    })
}

fn query() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(word(), 1..4).prop_map(|words| ranking::analyser::terms(&words.join(" ")))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn shards_rank_like_one_index(corpus in corpus(40), n_shards in 1_usize..20, terms in query()) {
        let root = tempfile::tempdir().unwrap();
        let whole = write(root.path(), provenance(255, 1), &corpus, None);
        let mut parts = vec![Corpus::new(); n_shards];
        for (path, text) in &corpus {
            parts[blob(path).0[0] as usize % n_shards].insert(path.clone(), text.clone());
        }
        let shards: Vec<Snapshot> =
            parts.iter().enumerate().map(|(idx, part)| write(root.path(), provenance(idx as u8, 1), part, None)).collect();
        let split = search(&shards.iter().rev().collect::<Vec<_>>(), &terms, 20);
        prop_assert_eq!(split, search(&[&whole], &terms, 20));
    }

    #[test]
    fn a_transferred_generation_is_equal_and_can_be_extended(old in corpus(30), new in corpus(30), terms in query()) {
        let roots = [(); 3].map(|()| tempfile::tempdir().unwrap());
        let written = write(roots[0].path(), provenance(1, 1), &old, None);
        let transferred = transfer(&written, roots[1].path()).unwrap();
        prop_assert_eq!(transferred.manifest(), written.manifest());
        prop_assert_eq!(search(&[&transferred], &terms, 20), search(&[&written], &terms, 20));
        for path in old.keys() {
            prop_assert_eq!(transferred.source(path, None).unwrap(), written.source(path, None).unwrap());
        }
        let extended = write(roots[1].path(), provenance(1, 2), &new, Some(Arc::new(transferred)));
        let anew = write(roots[2].path(), provenance(1, 2), &new, None);
        prop_assert_eq!(search(&[&extended], &terms, 20), search(&[&anew], &terms, 20));
    }

    #[test]
    fn scores_are_within_bounds_and_a_minimum_score_only_removes_files(
        files in corpus(30),
        terms in query(),
        limit in 1_usize..6,
        name_weight in prop::sample::select(vec![0.0_f32, 3.0]),
    ) {
        let root = tempfile::tempdir().unwrap();
        let snapshot = write(root.path(), provenance(1, 1), &files, None);
        with_query(&weigh(&[&snapshot], &terms), |query| {
            let query = &SearchQuery { name_weight, ..query.clone() };
            let all = snapshot.rank_by_text(query, 0.0).unwrap();
            let best = all.first().map_or(0.0, |file| file.0);
            prop_assert!(best <= snapshot.text_score_bound(query), "{best} {}", snapshot.text_score_bound(query));
            let min_score = best * 0.7;
            let above: Vec<_> = all.iter().copied().filter(|file| file.0 >= min_score).collect();
            prop_assert_eq!(snapshot.rank_by_text(query, min_score).unwrap(), above);
            Ok(())
        }, limit)?;
    }

    #[test]
    fn vectors_of_extended_and_rebuilt_generations_are_equal(before in corpus(20), after in corpus(20), terms in query()) {
        let root = tempfile::tempdir().unwrap();
        let old = Arc::new(write(root.path(), provenance(1, 1), &before, None));
        let extended = write(root.path(), provenance(1, 2), &after, Some(old));
        let new = write(root.path(), provenance(2, 2), &after, None);
        let found = |snapshot: &Snapshot| with_query(&weigh(&[&new], &terms), |query| snapshot.rank_by_vector(query), 50);
        prop_assert_eq!(found(&extended), found(&new));
    }

    #[test]
    fn an_extended_index_equals_a_rebuilt_one(before in corpus(30), edits in prop::collection::vec((0_usize..40, file_text()), 0..4), terms in query()) {
        let root = tempfile::tempdir().unwrap();
        let old = Arc::new(write(root.path(), provenance(1, 1), &before, None));
        let mut after = before.clone();
        for (place, text) in edits {
            let path = format!("src/{}/file{place:02}.rs", place % 3);
            if text.is_empty() { after.remove(&path) } else { after.insert(path, text) };
        }
        let extended = write(root.path(), provenance(1, 2), &after, Some(old));
        let new = write(root.path(), provenance(2, 2), &after, None);
        prop_assert_eq!(extended.statistics(&terms, &["closeFile".into()]), new.statistics(&terms, &["closeFile".into()]));
        prop_assert_eq!(search(&[&extended], &terms, 20), search(&[&new], &terms, 20));
        for (path, text) in &after {
            prop_assert_eq!(extended.source(path, None).unwrap().unwrap().text, text.trim_end_matches('\n'));
        }
    }

    #[test]
    fn generations_of_an_edited_work_tree_equal_rebuilt_ones(
        before in corpus(30),
        steps in prop::collection::vec(prop::collection::vec((0_usize..32, file_text()), 1..3), 1..5),
        terms in query(),
    ) {
        let root = tempfile::tempdir().unwrap();
        let (mut served, mut files) = (Arc::new(write(root.path(), provenance(1, 1), &before, None)), before);
        let in_work_tree = |step: usize| {
            let changes = ChangedFiles { contents: ContentsId([step as u8; 20]), n_files: 1, paths: Vec::new() };
            GenerationProvenance { changes: Some(changes), ..provenance(1, 1) }
        };
        for (step, edits) in steps.into_iter().enumerate() {
            for (place, text) in edits {
                let path = format!("src/{}/file{place:02}.rs", place % 3);
                if text.is_empty() { files.remove(&path) } else { files.insert(path, text) };
            }
            let edited = Arc::new(write(root.path(), in_work_tree(step), &files, Some(served)));
            let new = write(root.path(), provenance(2, 2), &files, None);
            let others = [String::from("closeFile")];
            prop_assert_eq!(edited.statistics(&terms, &others), new.statistics(&terms, &others));
            prop_assert_eq!(search(&[&edited], &terms, 20), search(&[&new], &terms, 20));
            let by_vector =
                |of: &Snapshot| with_query(&weigh(&[&new], &terms), |query| of.rank_by_vector(query), 50);
            prop_assert_eq!(by_vector(&edited), by_vector(&new));
            let pages = |of: &Snapshot| of.pages().collect::<Result<Vec<_>, _>>().unwrap();
            prop_assert_eq!(pages(&edited), pages(&new));
            served = edited;
        }
    }
}

#[test]
fn an_edit_of_one_file_of_many_writes_few_vectors_and_terms() {
    let root = tempfile::tempdir().unwrap();
    // Each file has words of its own.
    let word = |of: String| blob(&of).0.iter().take(8).map(|byte| char::from(b'a' + byte % 26)).collect::<String>();
    let text = |nth: usize| (0..20).map(|line| format!("fn {}\n", word(format!("{nth} {line}")))).collect::<String>();
    let before: Corpus = (0..40).map(|nth| (format!("src/file{nth:02}.rs"), text(nth))).collect();
    let old = Arc::new(write(root.path(), provenance(1, 1), &before, None));
    let mut after = before;
    after.insert("src/file07.rs".into(), "fn renamed file\n".into());
    let changes = ChangedFiles { contents: ContentsId([1; 20]), n_files: 1, paths: Vec::new() };
    let provenance_of_edit = GenerationProvenance { changes: Some(changes), ..provenance(1, 1) };
    let edited = write(root.path(), provenance_of_edit, &after, Some(old.clone()));
    let bytes = |of: &Snapshot, name: &str| of.manifest().checksums.get(name).map(|checksum| checksum.bytes);
    for (base, changes) in [("vectors.rkyv", "vectors_changes.rkyv"), ("terms.fst", "terms_changes.fst")] {
        assert_eq!(edited.manifest().checksums.get(base), old.manifest().checksums.get(base), "{base} is linked");
        assert!(bytes(&edited, changes).unwrap() * 3 < bytes(&edited, base).unwrap(), "{changes}");
        assert_eq!(bytes(&old, changes), None);
    }
    // A commit has whole files again.
    let committed = write(root.path(), provenance(1, 2), &after, Some(Arc::new(edited)));
    assert_eq!((bytes(&committed, "vectors_changes.rkyv"), bytes(&committed, "terms_changes.fst")), (None, None));
}

fn small() -> Corpus {
    Corpus::from([
        ("src/cart.rs".into(), "use std;\nfn addItem cart\nfn total sum of cart\n".into()),
        ("src/http.rs".into(), "fn HTTPServer listen\nfn http_server_stop flush\n".into()),
        ("empty.rs".into(), String::new()),
    ])
}

#[test]
fn symbols_are_found_by_name_pattern_and_id() {
    let root = tempfile::tempdir().unwrap();
    let snapshot = write(root.path(), provenance(1, 1), &small(), None);
    let find = |selector: SymbolSelector, file_pattern: &str| {
        let query = SymbolQuery { selector, filter: Filter::default(), file_pattern: file_pattern.into(), limit: 10 };
        let hits = snapshot.symbols(&query).unwrap().hits;
        hits.into_iter().map(|hit| format!("{:?} {}", hit.tier, hit.symbol.id)).collect::<Vec<_>>()
    };
    let name = |name: &str| SymbolSelector::Name(name.into());
    assert_eq!(
        find(name("http_server"), ""),
        ["Folded src/http.rs::HTTPServer", "Prefix src/http.rs::http_server_stop"]
    );
    assert_eq!(find(name("addItme"), ""), ["Fuzzy src/cart.rs::addItem"]);
    assert_eq!(find(name("total"), "*.py"), [""; 0]);
    assert_eq!(
        find(SymbolSelector::Regex("^http_.*stop$".into()), "src/*.rs"),
        ["Exact src/http.rs::http_server_stop"]
    );
    let id = SymbolSelector::Id { path: "cart.rs".into(), qualified: "total".into(), ordinal: 0 };
    assert_eq!(find(id, ""), ["Exact src/cart.rs::total"]);
    let bad = SymbolQuery {
        selector: SymbolSelector::Regex("(".into()),
        filter: Filter::default(),
        file_pattern: String::new(),
        limit: 1,
    };
    assert!(snapshot.symbols(&bad).unwrap_err().to_string().contains("not a regular expression"));
}

#[test]
fn messages_are_found_by_meaning() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = |texts: &[(&str, &str)]| -> Corpus {
        texts.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
    };
    let before = corpus(&[("cart.rs", "fn total a\n"), ("parser.rs", "fn parse b\n")]);
    let after = corpus(&[("a.rs", "fn first c\n"), ("cart.rs", "fn total a\n"), ("parser.rs", "fn parse b\n")]);
    let older = Arc::new(write(dir.path(), provenance(1, 1), &before, None));
    let extended = write(dir.path(), provenance(1, 2), &after, Some(older.clone()));
    let anew = write(&dir.path().join("anew"), provenance(1, 2), &after, None);
    for (text, expected) in [
        ("price reduction of a client", "cart.rs"),
        ("parse errors have a location", "parser.rs"),
        ("another name of the parser", "a.rs cart.rs parser.rs"),
    ] {
        assert_eq!(similar_messages(&anew, text, 1)[0].0, expected, "{text}");
        assert_eq!(similar_messages(&anew, text, 9), similar_messages(&extended, text, 9), "{text}");
    }
    assert_eq!(similar_messages(&older, "another name of the parser", 1)[0].0, "cart.rs parser.rs");
    assert_eq!(similar_messages(&older, "format", 9).len(), 3, "a commit of too many files is ignored");
    let other = QueryVector::new(embed::ModelId::from_text("another"), &[1; 256]);
    assert_eq!(older.rank_messages(&other, &Filter::default(), 9), []);
    let model = StaticModel::built_in();
    let vector = WordCache::new(model).embed("price reduction of a client");
    let query = QueryVector::new(model.id().clone(), vector.codes());
    let parsers = Filter { language: Some(Language::Python), ..Filter::default() };
    assert_eq!(older.rank_messages(&query, &parsers, 9), [], "a message without an admitted file is omitted");
}

#[test]
fn a_generation_without_vectors_has_another_id() {
    let root = tempfile::tempdir().unwrap();
    let with = Arc::new(write(root.path(), provenance(1, 1), &small(), None));
    let without =
        write(root.path(), GenerationProvenance { model: None, ..provenance(1, 1) }, &small(), Some(with.clone()));
    assert_ne!(with.manifest().generation, without.manifest().generation);
    assert_eq!((&without.manifest().model, without.manifest().rows), (&None, with.manifest().rows));
    // Reused files have no vectors, so the next generation has none either.
    let after = write(root.path(), provenance(1, 1), &small(), Some(Arc::new(without)));
    assert_eq!(after.manifest().generation, GenerationProvenance { model: None, ..provenance(1, 1) }.generation());
}

#[test]
fn outlines_match_the_end_of_a_path() {
    let root = tempfile::tempdir().unwrap();
    let snapshot = write(root.path(), provenance(1, 1), &small(), None);
    let outline = snapshot.outline("cart.rs", 1).unwrap();
    assert_eq!(outline.len(), 1);
    let names: Vec<&str> = outline[0].symbols.iter().map(|symbol| symbol.name.as_str()).collect();
    assert_eq!(names, ["addItem", "total"]);
    assert!(snapshot.outline("art.rs", 1).unwrap().is_empty());
    assert!(snapshot.outline("", 1).unwrap().is_empty());
}

#[test]
fn folders_have_the_files_of_the_whole_path() {
    let root = tempfile::tempdir().unwrap();
    let snapshot = write(root.path(), provenance(1, 1), &small(), None);
    let outline = snapshot.outline("cart.rs", 1).unwrap();
    let (folder, name) = outline[0].file.path.rsplit_once('/').unwrap();
    for written in [folder.to_owned(), format!("{folder}/")] {
        assert!(snapshot.folder(&written).entries.iter().any(|entry| entry.name == name && entry.n_files == 0));
    }
    let first = folder.split('/').next().unwrap();
    assert!(snapshot.folder("").entries.iter().any(|entry| entry.name == first && entry.n_files > 0));
    // The beginning of a name is no folder, nor is a file.
    assert!(snapshot.folder(&folder[..folder.len() - 1]).entries.is_empty());
    assert!(snapshot.folder(&outline[0].file.path).entries.is_empty());
}

#[test]
fn any_damaged_byte_is_detected() {
    let root = tempfile::tempdir().unwrap();
    let snapshot = write(root.path(), provenance(1, 1), &small(), None);
    let checksums = snapshot.manifest().checksums.clone();
    drop(snapshot);
    let repository = RepositoryDir::new(root.path(), RepoId([1; 16]));
    let dir = root.path().join(RepoId([1; 16]).to_string());
    let current = dir.join(fs::read_to_string(dir.join("CURRENT")).unwrap());
    for (name, checksum) in checksums.iter().filter(|(_, checksum)| checksum.bytes > 0) {
        let path = current.join(name);
        let intact = fs::read(&path).unwrap();
        for damaged in [intact[..intact.len() - 1].to_vec(), {
            let mut flipped = intact.clone();
            flipped[(checksum.bytes / 2) as usize] ^= 1;
            flipped
        }] {
            fs::write(&path, damaged).unwrap();
            let error = repository.current().err().expect("damage is an error");
            assert!(error.needs_rebuild(), "{name}: {error}");
        }
        fs::write(&path, intact).unwrap();
    }
    assert!(repository.current().unwrap().is_some());
}

#[test]
fn an_unfinished_generation_is_swept() {
    let root = tempfile::tempdir().unwrap();
    drop(write(root.path(), provenance(1, 1), &small(), None));
    let repository = RepositoryDir::new(root.path(), RepoId([1; 16]));
    let staging = repository.create_staging().unwrap();
    fs::write(staging.join("half"), "half").unwrap();
    let reopened = RepositoryDir::new(root.path(), RepoId([1; 16]));
    assert!(staging.exists(), "a writer may be active");
    // A publication spares the draft that is being written beside it; the sweep after a crash does not.
    let draft = repository.draft_dir().unwrap();
    fs::create_dir_all(&draft).unwrap();
    drop(write(root.path(), provenance(1, 2), &small(), None));
    assert!(draft.exists());
    fs::create_dir_all(&staging).unwrap();
    reopened.sweep().unwrap();
    assert!(!staging.exists() && !draft.exists());
    assert_eq!(reopened.current().unwrap().unwrap().manifest().files, 3);
}

/// Returns the folder of the only generation of the repository 1.
fn current_dir(root: &Path) -> PathBuf {
    let dir = root.join(RepoId([1; 16]).to_string());
    dir.join(fs::read_to_string(dir.join("CURRENT")).unwrap())
}

/// Returns a file of the text index, by the end of its name.
fn text_file(generation: &Path, extension: &str) -> PathBuf {
    let mut files = fs::read_dir(generation.join("text")).unwrap().map(|entry| entry.unwrap().path());
    files.find(|path| path.extension().is_some_and(|found| found == extension)).unwrap()
}

/// A change of the files of an open generation.
type Change = fn(&Path);

/// Changes, whether the open generation is readable afterwards, and a part of the message.
const CHANGES: [(Change, bool, &str); 8] = [
    (|generation| fs::remove_dir_all(generation.join("text")).unwrap(), true, "`text/"),
    (|generation| fs::remove_dir_all(generation).unwrap(), true, "`manifest.json` cannot be read"),
    (|generation| fs::remove_dir_all(generation.parent().unwrap()).unwrap(), true, "`CURRENT` is missing"),
    (|generation| fs::remove_file(generation.join("manifest.json")).unwrap(), true, "`manifest.json` cannot be read"),
    (|generation| fs::remove_file(text_file(generation, "idx")).unwrap(), true, ".idx` cannot be read"),
    (
        |generation| fs::write(generation.parent().unwrap().join("CURRENT"), "x").unwrap(),
        true,
        "another generation, `x`",
    ),
    (|generation| fs::write(text_file(generation, "idx"), "").unwrap(), false, ".idx` has 0 bytes instead of"),
    (
        |generation| fs::write(generation.join("history.zst"), "more than before").unwrap(),
        false,
        "`history.zst` has 16",
    ),
];

#[test]
fn lost_files_are_found_and_not_built_on() {
    for (change, is_readable, reason) in CHANGES {
        let root = tempfile::tempdir().unwrap();
        let first = Arc::new(write(root.path(), provenance(1, 1), &small(), None));
        let repository = RepositoryDir::new(root.path(), RepoId([1; 16]));
        assert_eq!(repository.find_loss(&first), None);
        change(&current_dir(root.path()));
        let loss = repository.find_loss(&first).expect("the change is found");
        assert!(loss.is_readable == is_readable && loss.reason.contains(reason), "{loss:?}");
        // The text index is built from nothing: it has one segment, and no dead row.
        let second = write(root.path(), provenance(1, 2), &small(), Some(first));
        assert_eq!(repository.find_loss(&second), None, "{reason}");
        assert_eq!(search(&[&second], &["cart".to_owned()], 5).len(), 1, "{reason}");
        drop(repository.current().unwrap().expect("it can be opened again"));
    }
}

#[test]
fn damage_of_linked_files_is_not_sealed() {
    for extension in ["idx", "term", "fast", "fieldnorm", "store"] {
        let root = tempfile::tempdir().unwrap();
        let first = Arc::new(write(root.path(), provenance(1, 1), &small(), None));
        let path = text_file(&current_dir(root.path()), extension);
        let mut bytes = fs::read(&path).unwrap();
        bytes[0] ^= 1;
        fs::write(&path, bytes).unwrap();
        let error = try_write(root.path(), provenance(1, 2), &small(), Some(first)).err().expect("it is found");
        assert!(error.is_of_reading(), "{extension}: {error}");
        drop(write(root.path(), provenance(1, 2), &small(), None));
    }
}
