//! Adverse conditions: unusual, corrupt or deleted repositories, files that are not text, senseless questions, full
//! disks. Each is reported clearly, and does not affect anything else.

use std::{
    ffi::OsStr,
    fs,
    os::unix::{ffi::OsStrExt as _, fs::symlink},
    path::Path,
    process::Command,
    time::Instant,
};

use causeway_tests::{
    PATIENCE,
    answer::{self, text},
    federation::{Federation, InProcessWorker},
    process::{self, Finished, Running, causeway, finish},
    repository::{Repository, write},
};
use serde_json::{Value, json};
use tempfile::TempDir;

const SOUND: &str = "pub fn ferry_timetable() -> u32 {\n    1430\n}\n";

/// Returns a folder with one healthy repository, to which a test adds others.
fn org() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder for the test");
    Repository::with_files(folder.path().join("org/sound"), [("src/lib.rs", SOUND)]);
    folder
}

async fn over(folder: &TempDir) -> Federation {
    Federation::over(&folder.path().join("data"), &folder.path().join("org")).await
}

/// Checks that a search over all repositories finds the healthy one.
async fn sound_answers(federation: &Federation) -> Value {
    let answer = federation.ask("search_codebase", json!({"query": "ferry timetable"})).await;
    assert_eq!(answer::places(&answer).first().map(String::as_str), Some("sound:src/lib.rs"), "{answer}");
    answer
}

/// Returns the entry of a repository in `list_repos`.
async fn listed(federation: &Federation, alias: &str) -> Option<Value> {
    let answer = federation.ask("list_repos", json!({})).await;
    let repositories = answer["repositories"].as_array().expect("a list");
    repositories.iter().find(|repository| repository["repo"] == alias).cloned()
}

async fn serving(federation: &Federation, alias: &str) -> Value {
    let repository = listed(federation, alias).await.unwrap_or_else(|| panic!("{alias} is known"));
    assert_eq!(repository["state"], "serving", "{repository}");
    repository
}

async fn source(federation: &Federation, file: &str) -> String {
    let answer = federation.ask("get_symbol", json!({"symbol_id": format!("{file}:1-50")})).await;
    text(&answer["source"]).to_owned()
}

// --- repositories

#[tokio::test(flavor = "multi_thread")]
async fn empty_folder_and_unborn_repository_are_reported() {
    let folder = org();
    fs::create_dir(folder.path().join("org/empty")).expect("a folder");
    Repository::init(folder.path().join("org/unborn"));
    let federation = over(&folder).await;
    assert_eq!(listed(&federation, "empty").await, None);
    let unborn = listed(&federation, "unborn").await.expect("it is known");
    assert_eq!(unborn["files"], 0, "{unborn}");
    assert!(unborn["diagnostics"].to_string().contains("no commits yet"), "{unborn}");
    // An empty repository is fully known, so answers are complete.
    assert!(answer::is_complete(&sound_answers(&federation).await));
}

#[tokio::test(flavor = "multi_thread")]
async fn first_commit_makes_a_repository_searchable() {
    let folder = org();
    let unborn = Repository::init(folder.path().join("org/unborn"));
    let federation = over(&folder).await;
    unborn.write("lib.rs", "pub fn born() {}\n");
    let commit = unborn.commit("first");
    federation.serves("unborn", &commit).await;
    assert!(answer::is_complete(&sound_answers(&federation).await));
}

#[tokio::test(flavor = "multi_thread")]
async fn detached_head_is_indexed() {
    let folder = org();
    let detached = Repository::with_files(folder.path().join("org/detached"), [("lib.rs", "pub fn afloat() {}\n")]);
    let first = detached.git(["rev-parse", "HEAD"]);
    detached.write("later.rs", "pub fn later() {}\n").commit("second");
    detached.git(["checkout", "--quiet", "--detach", &first]);
    let federation = over(&folder).await;
    let repository = serving(&federation, "detached").await;
    assert_eq!((&repository["indexed_commit"], &repository["branch"]), (&json!(first), &Value::Null));
    assert!(source(&federation, "detached:lib.rs").await.contains("afloat"));
    sound_answers(&federation).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn submodule_is_a_separate_repository() {
    let folder = org();
    let inner =
        Repository::with_files(folder.path().join("elsewhere/inner"), [("deep.rs", "pub fn keel_depth() {}\n")]);
    let outer = Repository::with_files(folder.path().join("org/outer"), [("lib.rs", "pub fn deck() {}\n")]);
    outer.git([
        OsStr::new("submodule"),
        OsStr::new("--quiet"),
        OsStr::new("add"),
        inner.path.as_os_str(),
        OsStr::new("parts/inner"),
    ]);
    outer.commit("with a part");
    let federation = over(&folder).await;
    serving(&federation, "outer").await;
    serving(&federation, "inner").await;
    let answer = federation.ask("search_codebase", json!({"query": "keel_depth"})).await;
    assert_eq!(answer::places(&answer), ["inner:deep.rs"], "once, and not in the outer one");
    sound_answers(&federation).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn deleted_repository_does_not_affect_others() {
    let folder = org();
    let brief = Repository::with_files(folder.path().join("org/brief"), [("lib.rs", "pub fn here_today() {}\n")]);
    let federation = over(&folder).await;
    serving(&federation, "brief").await;
    fs::remove_dir_all(&brief.path).expect("it can be removed");
    let began = Instant::now();
    while listed(&federation, "brief").await.is_some() {
        assert!(began.elapsed() < PATIENCE, "the deletion was not noticed");
        sound_answers(&federation).await;
    }
    assert!(answer::is_complete(&sound_answers(&federation).await), "a deleted repository is not reported forever");
    let refusal = federation.refusal("search_codebase", json!({"query": "x", "repo": "brief"})).await;
    assert!(refusal.contains("sound"), "{refusal}");
}

#[tokio::test(flavor = "multi_thread")]
async fn repositories_of_equal_names_get_distinct_aliases() {
    let folder = org();
    for (team, function) in [("red", "red_sails"), ("blue", "blue_hull")] {
        let code = format!("pub fn {function}() {{}}\n");
        Repository::with_files(folder.path().join("org").join(team).join("api"), [("lib.rs", code.as_str())]);
    }
    let federation = over(&folder).await;
    for (alias, function) in [("red/api", "red_sails"), ("blue/api", "blue_hull")] {
        assert!(source(&federation, &format!("{alias}:lib.rs")).await.contains(function));
        let answer = federation.ask("search_codebase", json!({"query": function, "repo": alias})).await;
        assert_eq!(answer::places(&answer), [format!("{alias}:lib.rs")]);
    }
    let refusal = federation.refusal("search_codebase", json!({"query": "x", "repo": "api"})).await;
    assert!(refusal.contains("red/api") && refusal.contains("blue/api"), "{refusal}");
    sound_answers(&federation).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn corrupt_repository_does_not_affect_others() {
    let folder = org();
    let broken = Repository::with_files(folder.path().join("org/broken"), [("lib.rs", "pub fn rudder() {}\n")]);
    fs::remove_dir_all(broken.path.join(".git/objects")).expect("it can be broken");
    fs::create_dir(broken.path.join(".git/objects")).expect("a folder");
    let federation = over(&folder).await;
    let repository = listed(&federation, "broken").await.expect("it is known");
    assert_eq!(repository["state"], "failed", "{repository}");
    assert!(!text(&repository["reason"]).is_empty());
    sound_answers(&federation).await;
}

// --- files

/// Writes unusual files, and returns the texts that must be found nevertheless.
fn write_trouble(root: &Path) -> Vec<(&'static str, &'static str)> {
    let nested = |open: &str, close: &str| format!("{}{}", open.repeat(500), close.repeat(500));
    write(&root.join("huge.js"), format!("const huge = \"{}\";\n", "lorem ipsum ".repeat(900_000)));
    write(&root.join("minified.js"), format!("function minified(){{{}}}", "call(x);".repeat(100_000)));
    write(&root.join("nested.rs"), format!("pub fn nested_calls() {{\n    {}\n}}\n", nested("(", ")")));
    write(&root.join("nested.json"), nested("[", "]"));
    write(&root.join("nested.py"), format!("def nested_list():\n    return {}\n", nested("[", "]")));
    let deep: std::path::PathBuf = std::iter::repeat_n("d", 500).collect();
    write(&root.join(deep).join("bottom.rs"), "pub fn sea_bottom() {}\n");
    write(&root.join("latin1.py"), b"# caf\xe9 au lait\ndef coffee_machine():\n    return \"\xff\xfe\"\n");
    write(&root.join("nul.c"), b"int before_nul;\0\0int after_nul;\n");
    write(&root.join("nul_text.rs"), b"pub fn with_nul() {}\n\0\n");
    write(&root.join("crlf.rs"), "/// Rows.\r\npub fn carriage_return() -> u8 {\r\n    13\r\n}\r\n");
    write(&root.join("empty.rs"), "");
    write(&root.join("no_newline.rs"), "pub fn unterminated() {}");
    write(&root.join("with space/my file.rs"), "pub fn spacious() {}\n");
    write(&root.join("größe/übung.rs"), "pub fn overtone() {}\n");
    write(&root.join("日本/航路.py"), "def sea_route():\n    return '航路'\n");
    write(&root.join(OsStr::from_bytes(b"bad\xff name.rs")), "pub fn unnameable() {}\n");
    write(&root.join("-rf.rs"), "pub fn dashing() {}\n");
    symlink("loop_b", root.join("loop_a")).and_then(|()| symlink("loop_a", root.join("loop_b"))).expect("a loop");
    symlink(".", root.join("self")).expect("a loop of folders");
    symlink("/etc/passwd", root.join("outside.rs")).expect("a link out of the tree");
    symlink("nowhere", root.join("dangling.rs")).expect("a dangling link");
    vec![
        ("nested_calls", "nested.rs"),
        ("coffee_machine", "latin1.py"),
        ("carriage_return", "crlf.rs"),
        ("unterminated", "no_newline.rs"),
        ("spacious", "with space/my file.rs"),
        ("overtone", "größe/übung.rs"),
        ("sea_route", "日本/航路.py"),
        ("dashing", "-rf.rs"),
    ]
}

/// Checks the handling of the unusual files of a repository.
async fn check_trouble(federation: &Federation, alias: &str, to_find: &[(&str, &str)]) {
    let repository = serving(federation, alias).await;
    for (name, path) in to_find {
        let answer = federation.ask("search_codebase", json!({"query": name, "repo": alias})).await;
        assert_eq!(answer::places(&answer).first(), Some(&format!("{alias}:{path}")), "{name}: {answer}");
        let symbol = federation.ask("get_symbol", json!({"symbol_id": name, "repo": alias})).await;
        assert!(text(&symbol["source"]).contains(name), "{symbol}");
    }
    let diagnostics = repository["diagnostics"].to_string();
    assert!(diagnostics.contains("huge.js: 10800"), "a skipped file is reported: {diagnostics}");
    let outline = async |file: &str| {
        let arguments = json!({"file": format!("{alias}:{file}"), "format": "json"});
        federation.ask("get_file_context", arguments).await
    };
    let minified = outline("minified.js").await;
    assert!(minified["diagnostics"].to_string().contains("not parsed"), "{minified}");
    let crlf = source(federation, &format!("{alias}:crlf.rs")).await;
    assert!(!crlf.contains('\r'), "{crlf:?}");
    let latin1 = source(federation, &format!("{alias}:latin1.py")).await;
    assert!(latin1.contains("caf\u{fffd} au lait"), "{latin1}");
    let leaked =
        federation.ask("search_codebase", json!({"query": "root bin bash daemon nologin", "repo": alias})).await;
    assert!(!leaked.to_string().contains("/bin/"), "nothing outside of the tree is read: {leaked}");
    sound_answers(federation).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unusual_files_of_a_repository_do_not_affect_others() {
    let folder = org();
    let odd = Repository::init(folder.path().join("org/odd"));
    let to_find = write_trouble(&odd.path);
    odd.commit("trouble");
    check_trouble(&over(&folder).await, "odd", &to_find).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unusual_files_of_a_plain_folder_do_not_affect_others() {
    let folder = org();
    let plain = folder.path().join("org/plain");
    let to_find = write_trouble(&plain);
    let fifo = Command::new("mkfifo").arg(plain.join("pipe.rs")).status().expect("mkfifo is there");
    assert!(fifo.success());
    check_trouble(&over(&folder).await, "plain", &to_find).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn named_pipe_in_a_work_tree_does_not_block() {
    let folder = org();
    let piped = Repository::with_files(folder.path().join("org/piped"), [("lib.rs", "pub fn bagpipe() {}\n")]);
    for name in ["new.rs", ".git/info/attributes"] {
        let fifo = Command::new("mkfifo").arg(piped.path.join(name)).status().expect("mkfifo is there");
        assert!(fifo.success());
    }
    let federation = over(&folder).await;
    assert!(source(&federation, "piped:lib.rs").await.contains("bagpipe"));
    sound_answers(&federation).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn invisible_characters_are_removed() {
    let folder = org();
    let code =
        "/// Sails \u{202e}drawkcab\u{202c} and \u{1b}[31mred\u{1b}[0m, zero\u{200b}width.\npub fn sly_trick() {}\n";
    Repository::with_files(folder.path().join("org/sly"), [("lib.rs", code)]);
    let federation = over(&folder).await;
    for (tool, arguments) in [
        ("search_codebase", json!({"query": "sly_trick"})),
        ("search_codebase", json!({"query": "sly_trick", "format": "compact"})),
        ("get_symbol", json!({"symbol_id": "sly_trick"})),
        ("search_symbols", json!({"pattern": "sly_trick"})),
        ("get_file_context", json!({"file": "sly:lib.rs"})),
    ] {
        let shown = federation.call(tool, arguments).await.text;
        assert!(shown.contains("sly_trick"), "{shown}");
        assert!(
            !shown.contains(['\u{202e}', '\u{202c}', '\u{1b}', '\u{200b}']) && !shown.contains("\\u001b"),
            "{shown:?}"
        );
    }
}

// --- questions

#[tokio::test(flavor = "multi_thread")]
async fn empty_questions_are_rejected_with_advice() {
    let folder = org();
    let federation = over(&folder).await;
    for query in ["", " \t\n", "!?;:()[]{}", "🚢🌊", "\u{200b}"] {
        let refusal = federation.refusal("search_codebase", json!({"query": query})).await;
        assert!(refusal.contains("list_repos"), "{query:?}: {refusal}");
        let refusal = federation.refusal("search_symbols", json!({"pattern": query})).await;
        assert!(refusal.contains("pattern"), "{query:?}: {refusal}");
        federation.refusal("get_symbol", json!({"symbol_id": query})).await;
        federation.refusal("get_file_context", json!({"file": query})).await;
    }
    let with_emoji = federation.ask("search_codebase", json!({"query": "🚢 ferry 🕑 timetable"})).await;
    assert_eq!(answer::places(&with_emoji), ["sound:src/lib.rs"]);
    sound_answers(&federation).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_of_100_kilobytes_are_answered_or_refused_at_once() {
    let folder = org();
    let federation = over(&folder).await;
    let began = Instant::now();
    let words: String = (0..12_000).map(|n| format!("word{n} ")).collect();
    for long in
        [format!("ferry timetable {words}"), "x".repeat(100_000), "a.b::c/d#2 ".repeat(10_000), "(".repeat(100_000)]
    {
        let found = federation.call("search_codebase", json!({"query": long})).await;
        assert!(found.text.len() < 100_000, "a question is not sent back");
        let refusal = federation.refusal("search_symbols", json!({"pattern": long})).await;
        assert!(refusal.contains("at most") && refusal.len() < 2_000, "{refusal}");
        federation.refusal("search_symbols", json!({"pattern": long, "mode": "regex"})).await;
        for (tool, arguments) in [
            ("get_symbol", json!({"symbol_id": long})),
            ("get_file_context", json!({"file": long})),
            ("search_codebase", json!({"query": "x", "repo": long})),
        ] {
            let refusal = federation.refusal(tool, arguments).await;
            assert!(refusal.len() < 5_000, "{tool} {}", refusal.len());
        }
    }
    let cut = federation.ask("search_codebase", json!({"query": format!("ferry timetable {words}")})).await;
    assert!(cut["_meta"]["notes"].to_string().contains("query is very long"), "{cut}");
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
    sound_answers(&federation).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_values_are_reported_with_known_ones() {
    let folder = org();
    let federation = over(&folder).await;
    for tool in ["search_codebase", "search_symbols", "get_symbol", "get_file_context"] {
        let arguments = json!({"query": "x", "pattern": "x", "symbol_id": "x", "file": "x", "repo": "sond"});
        let refusal = federation.refusal(tool, arguments).await;
        assert!(refusal.contains("`sond`") && refusal.contains("sound"), "{tool}: {refusal}");
    }
    let refusal = federation.refusal("grep", json!({})).await;
    assert!(refusal.contains("search_codebase"), "{refusal}");
    let answer =
        federation.ask("search_codebase", json!({"query": "ferry", "colour": "blue", "mode": "psychic"})).await;
    let ignored = answer["_meta"]["ignored_arguments"].to_string();
    assert!(ignored.contains("colour") && ignored.contains("psychic") && ignored.contains("concept"), "{ignored}");
    let refusal = federation.refusal("search_codebase", json!({})).await;
    assert!(refusal.contains("`query` is missing"), "{refusal}");
    let refusal = federation.refusal("search_codebase", json!({"query": ["x"]})).await;
    assert!(refusal.contains("`query` takes a string"), "{refusal}");
    let refusal = federation.refusal("search_symbols", json!({"pattern": "(", "mode": "regex"})).await;
    assert!(refusal.contains("is invalid"), "{refusal}");
    let refusal = federation.refusal("search_codebase", json!({"query": "x", "cursor": "made up"})).await;
    assert!(refusal.contains("cursor"), "{refusal}");
}

#[tokio::test(flavor = "multi_thread")]
async fn out_of_range_limits_are_clamped_and_reported() {
    let folder = org();
    let federation = over(&folder).await;
    for (tool, subject) in [("search_codebase", "query"), ("search_symbols", "pattern")] {
        for limit in [json!(0), json!(10_000), json!(-1), json!(i64::MAX), json!(1e300)] {
            let answer = federation.ask(tool, json!({subject: "ferry_timetable", "limit": limit})).await;
            assert_eq!(answer["_meta"]["returnedItems"], 1, "{tool} {limit}: {answer}");
            assert!(
                answer["_meta"]["notes"].to_string().contains("`limit` must be from 1 to"),
                "{tool} {limit}: {answer}"
            );
        }
    }
    let beyond = federation.refusal("get_symbol", json!({"symbol_id": "sound:src/lib.rs:9000-9001"})).await;
    assert!(beyond.contains("no line 9000"), "{beyond}");
}

// --- the data folder

/// Runs `causeway index` on a data folder.
fn index(data: &Path, root: &Path) -> Finished {
    let arguments = [OsStr::new("--data"), data.as_os_str(), OsStr::new("index"), root.as_os_str()];
    finish(causeway(arguments))
}

#[test]
fn nothing_to_index_is_an_error_with_advice() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).expect("a folder");
    let file = folder.path().join("file.txt");
    fs::write(&file, "x").expect("a file");
    for root in [&empty, &folder.path().join("missing"), &file] {
        let finished = index(&folder.path().join("data"), root);
        assert_eq!(finished.code, Some(6), "{finished:?}");
        assert!(finished.stderr.contains(&*root.to_string_lossy()), "{finished:?}");
    }
}

#[test]
fn foreign_data_folder_is_left_untouched() {
    let folder = org();
    let (data, root) = (folder.path().join("data"), folder.path().join("org"));
    assert_eq!(index(&data, &root).code, Some(0));
    fs::write(data.join("VERSION"), "99\n").expect("it can be written");
    let finished = index(&data, &root);
    assert_eq!(finished.code, Some(7), "{finished:?}");
    assert!(finished.stderr.contains("version 99") && finished.stderr.contains("--data"), "{finished:?}");
    assert_eq!(fs::read_to_string(data.join("VERSION")).expect("it is there"), "99\n");

    let thesis = folder.path().join("thesis");
    write(&thesis.join("chapter1.tex"), "keep me");
    let finished = index(&thesis, &root);
    assert_eq!(finished.code, Some(7), "{finished:?}");
    assert_eq!(fs::read_dir(&thesis).expect("it is there").count(), 1, "it stays empty");
}

#[test]
fn second_process_is_told_the_owner() {
    let folder = org();
    let (data, root) = (folder.path().join("data"), folder.path().join("org"));
    let arguments = [
        OsStr::new("--data"),
        data.as_os_str(),
        OsStr::new("worker"),
        OsStr::new("--listen"),
        OsStr::new("127.0.0.1:0"),
        root.as_os_str(),
    ];
    let mut first = Running::start(causeway(arguments));
    first.wait_for_address();
    let second = index(&data, &root);
    assert_eq!(second.code, Some(7), "{second:?}");
    assert!(second.stderr.contains(&format!("process {}", first.id())), "{second:?}");
    assert!(first.is_running(), "the first one goes on");
    first.kill();
    assert_eq!(index(&data, &root).code, Some(0), "the folder of a process that was killed is free");
}

/// Runs `causeway index` with a file size limit, at which writes fail like on a full disk.
fn index_with_little_room(data: &Path, root: &Path, blocks_of_512: u32) -> Finished {
    let script = format!("trap '' XFSZ; ulimit -f {blocks_of_512}; exec \"$@\"");
    let arguments = [
        OsStr::new("-c"),
        OsStr::new(&script),
        OsStr::new("sh"),
        process::binary().as_os_str(),
        OsStr::new("--data"),
        data.as_os_str(),
        OsStr::new("index"),
        root.as_os_str(),
    ];
    finish(process::isolated(Path::new("/bin/sh"), arguments))
}

/// Returns code that does not compress.
fn much_code(seed: u64) -> String {
    let mut state = seed;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 20
    };
    (0..6_000).map(|_| format!("pub fn f{:x}_{:x}() {{}}\n", random(), random())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn full_disk_affects_only_the_failing_repository() {
    let folder = org();
    let (data, root) = (folder.path().join("data"), folder.path().join("org"));
    let large = Repository::with_files(root.join("large"), [("lib.rs", "pub fn small_yet() {}\n")]);
    assert_eq!(index(&data, &root).code, Some(0));

    // A new commit does not fit: the old one is served, like the other repositories.
    large.write("much.rs", much_code(7)).commit("much");
    let finished = index_with_little_room(&data, &root, 128);
    assert_eq!(finished.code, Some(1), "{finished:?}");
    for expected in ["large: ", "not indexed", "File too large"] {
        assert!(finished.stderr.contains(expected), "{finished:?}");
    }
    assert!(!finished.stderr.contains("panicked"), "{finished:?}");
    let old = large.git(["rev-parse", "HEAD~"]);
    {
        let worker = InProcessWorker::start(&data, &[]).await;
        assert!(worker.is_ok(), "the data folder is sound: {:?}", worker.err());
        worker.expect("it is").stop().await;
    }
    let snapshots = causeway_tests::generations::open_all(&data);
    assert_eq!(snapshots.len(), 2);
    assert!(snapshots.iter().any(|snapshot| snapshot.manifest().commit.to_string() == old));

    // When there is room again, it is indexed normally.
    let finished = index(&data, &root);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let federation = over(&folder).await;
    assert_eq!(serving(&federation, "large").await["indexed_commit"], large.git(["rev-parse", "HEAD"]));
    sound_answers(&federation).await;

    // A folder without any room is an error, not a crash.
    let finished = index_with_little_room(&folder.path().join("fresh"), &root, 0);
    assert!(matches!(finished.code, Some(1 | 7)), "{finished:?}");
    assert!(!finished.stderr.contains("panicked"), "{finished:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn disk_that_is_full_between_two_rows_is_an_error() {
    let folder = TempDir::new().expect("temporary folder");
    let (data, root) = (folder.path().join("data"), folder.path().join("org"));
    let functions: String = (0..40_000).map(|number| format!("fn a{number}() {{}}\n")).collect();
    Repository::with_files(root.join("many"), [("lib.rs", functions.as_str())]);

    // The rows of one file take more room than there is, and its source less.
    let finished = index_with_little_room(&data, &root, 128);
    assert_eq!(finished.code, Some(1), "{finished:?}");
    assert!(finished.stderr.contains("many: not indexed: text index"), "{finished:?}");
    assert!(!finished.stderr.contains("panicked"), "{finished:?}");
}
