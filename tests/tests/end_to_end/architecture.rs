//! Package boundaries: allowed imports, confined libraries, and the code map of ARCHITECTURE.md.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::Command,
    sync::LazyLock,
};

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package, PackageId};

/// Allowed imports of this workspace per package folder, for code and for tests. `tests` may import everything, and no
/// package imports it.
const MAY_IMPORT: &[(&str, &str)] = &[
    ("crates/model", ""),
    ("crates/files", ""),
    ("crates/runtime", "files"),
    ("crates/store", ""),
    ("crates/history", "model"),
    ("crates/pages", "model text"),
    ("crates/text", "model"),
    ("crates/source", "files model"),
    ("crates/grammars", ""),
    ("crates/syntax", "grammars model"),
    ("crates/graph", "model syntax"),
    ("crates/links", "graph model syntax"),
    ("crates/review", "model syntax"),
    ("crates/scip", ""),
    ("crates/ranking", "model"),
    ("crates/embed", "files ranking store"),
    ("crates/provider", "files runtime text"),
    ("crates/index", "embed files graph links model pages ranking"),
    ("crates/share", "embed graph index links model"),
    ("proto", "model"),
    (
        "services/worker",
        "embed files graph history index links model proto ranking review runtime scip share source store syntax text",
    ),
    ("gateway/federation", "embed graph history links model proto ranking runtime store syntax text"),
    ("gateway/tools", "embed federation graph history links model proto provider ranking review runtime store text"),
    ("gateway/web", "model"),
    ("gateway/server", "embed federation files graph links model proto provider ranking runtime text tools web"),
    ("services/causeway", "federation files gateway links model proto runtime worker"),
    ("tests/fuzzing", "embed graph index links model pages proto ranking scip syntax text"),
    (
        "tests",
        "causeway federation gateway index model proto provider ranking runtime share source store syntax text tools worker",
    ),
];

/// Libraries by name prefix, with the only packages that may import them.
const CONFINED: &[(&str, &str)] = &[
    ("tantivy", "crates/index"),
    ("sled", "crates/store"),
    ("scip", "crates/scip"),
    ("protobuf", "crates/scip"),
    ("tree-sitter", "crates/syntax crates/grammars"),
    ("gix", "crates/source"),
    ("ignore", "crates/source crates/graph"),
    ("notify", "services/worker"),
    ("maud", "gateway/web"),
    ("rmcp", "gateway/server"),
    ("axum", "gateway/server services/worker"),
    ("jsonwebtoken", "gateway/server"),
    ("hyper", "crates/runtime gateway/server services/worker tests"),
    ("clap", "services/causeway"),
    ("indicatif", "services/causeway"),
    ("tracing-subscriber", "crates/runtime tests"),
    ("tonic", "proto gateway/federation gateway/server services/worker crates/runtime services/causeway tests"),
    ("petgraph", "crates/graph"),
    ("reqwest", "crates/provider crates/runtime crates/share gateway/server services/causeway"),
    ("rustls", "crates/share"),
    ("tokio-rustls", "crates/runtime"),
    ("object_store", "crates/share"),
    ("sse-stream", "crates/provider services/causeway"),
    // Tests receive spans as a collector.
    ("opentelemetry", "crates/runtime tests"),
    ("tracing-opentelemetry", "crates/runtime"),
];

/// Libraries that must not be linked, directly or transitively. The pure middle has no IO; the gateway reads no
/// repositories; TLS needs neither a system library nor CMake.
const NEVER_LINKED: &[(&str, &str)] = &[
    ("gateway/server", "tantivy gix tree-sitter git2 object_store scip openssl-sys aws-lc-sys"),
    ("gateway/federation", "rmcp jsonwebtoken tree-sitter"),
    ("gateway/tools", "rmcp jsonwebtoken"),
    ("gateway/web", "tokio axum"),
    ("crates/model", "tokio"),
    ("crates/ranking", "tokio tantivy"),
    ("crates/graph", "tokio tantivy gix tree-sitter"),
    ("crates/links", "tokio tantivy gix tree-sitter"),
    ("crates/history", "tokio gix"),
    ("crates/review", "tokio gix tree-sitter"),
    ("crates/pages", "tokio"),
    ("crates/syntax", "tokio"),
    ("crates/text", "tokio"),
    ("crates/scip", "tokio gix tree-sitter"),
    ("crates/index", "tokio gix tree-sitter"),
    ("crates/source", "tokio"),
    ("crates/store", "tokio"),
    ("crates/embed", "tokio tantivy gix tree-sitter"),
    ("crates/share", "gix tree-sitter openssl-sys aws-lc-sys"),
    ("services/worker", "openssl-sys aws-lc-sys"),
    ("crates/provider", "tantivy gix tree-sitter sled openssl-sys aws-lc-sys"),
];

static METADATA: LazyLock<Metadata> = LazyLock::new(|| {
    // Packages for other platforms may be missing on this machine.
    let mut command = MetadataCommand::new();
    command.manifest_path(root().join("Cargo.toml"));
    command.other_options(["--offline".to_owned(), "--filter-platform".to_owned(), host()]);
    command.exec().expect("cargo describes the workspace")
});

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests lie in the workspace")
}

fn host() -> String {
    let version = Command::new("rustc").arg("-vV").output().expect("rustc can be run").stdout;
    let version = String::from_utf8(version).expect("rustc writes text");
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).expect("rustc knows its host");
    host.to_owned()
}

/// Returns the packages of the workspace by folder.
fn packages() -> BTreeMap<String, &'static Package> {
    let folder = |package: &Package| {
        let manifest = package.manifest_path.as_std_path();
        let folder =
            manifest.parent().and_then(|folder| folder.strip_prefix(METADATA.workspace_root.as_std_path()).ok());
        folder.expect("packages lie in the workspace").to_string_lossy().into_owned()
    };
    METADATA.workspace_packages().into_iter().map(|package| (folder(package), package)).collect()
}

/// Returns the imported packages of this workspace by library name.
fn imports(package: &Package, kinds: &[DependencyKind]) -> BTreeSet<String> {
    let ours = |name: &str| name.strip_prefix("causeway-").map(str::to_owned);
    let of_kinds = package.dependencies.iter().filter(|dependency| kinds.contains(&dependency.kind));
    of_kinds.filter_map(|dependency| ours(&dependency.name)).collect()
}

fn words(text: &str) -> BTreeSet<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn packages_import_only_allowed_packages() {
    let packages = packages();
    let listed: BTreeSet<&str> = MAY_IMPORT.iter().map(|(folder, _)| *folder).collect();
    let there: BTreeSet<&str> = packages.keys().map(String::as_str).collect();
    assert_eq!(listed, there, "the table lists the packages that there are");
    for (folder, may_import) in MAY_IMPORT {
        let every_kind = [DependencyKind::Normal, DependencyKind::Build, DependencyKind::Development];
        let imported = imports(packages[*folder], &every_kind);
        let excess: Vec<&String> = imported.iter().filter(|name| !words(may_import).contains(*name)).collect();
        assert!(excess.is_empty(), "{folder} must not import {excess:?}");
    }
}

#[test]
fn libraries_are_confined_to_their_packages() {
    for (folder, package) in packages() {
        for dependency in &package.dependencies {
            let of_family =
                |family: &str| dependency.name == family || dependency.name.starts_with(&format!("{family}-"));
            for (library, homes) in CONFINED.iter().filter(|(library, _)| of_family(library)) {
                assert!(
                    words(homes).contains(&folder),
                    "{folder} imports {}: {library} is for `{homes}`",
                    dependency.name
                );
            }
        }
    }
}

#[test]
fn forbidden_libraries_are_not_linked() {
    let packages = packages();
    for (folder, never) in NEVER_LINKED {
        let linked = linked(&packages[*folder].id);
        for library in words(never) {
            assert!(!linked.contains(&library), "{folder} links {library}");
        }
    }
}

/// Returns the names of all linked packages, including itself.
fn linked(package: &PackageId) -> BTreeSet<String> {
    let resolve = METADATA.resolve.as_ref().expect("dependencies are resolved");
    let nodes: BTreeMap<&PackageId, _> = resolve.nodes.iter().map(|node| (&node.id, node)).collect();
    let (mut found, mut open) = (BTreeSet::from([package]), vec![package]);
    while let Some(next) = open.pop() {
        for dependency in &nodes[next].deps {
            let is_linked = dependency.dep_kinds.iter().any(|kind| kind.kind == DependencyKind::Normal);
            if is_linked && found.insert(&dependency.pkg) {
                open.push(&dependency.pkg);
            }
        }
    }
    found.into_iter().map(|id| METADATA[id].name.to_string()).collect()
}

#[test]
fn code_map_matches_the_workspace() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md is there");
    let drawn = code_map(&text);
    let import = |package: &Package| imports(package, &[DependencyKind::Normal]);
    let real: BTreeMap<String, BTreeSet<String>> =
        packages().into_iter().map(|(folder, package)| (folder, import(package))).collect();
    for (folder, imported) in &real {
        let row = drawn.get(folder).unwrap_or_else(|| panic!("the code map has no row for `{folder}`"));
        assert_eq!(row, imported, "the row of `{folder}`, and what it imports");
    }
    for folder in drawn.keys() {
        assert!(real.contains_key(folder), "the code map has a row for `{folder}`, where no package is");
    }
}

/// Parses the rows that begin with a folder in backticks, and their imports: comma-separated names, or a dash for none.
fn code_map(text: &str) -> BTreeMap<String, BTreeSet<String>> {
    let row = |line: &str| {
        let mut cells = line.strip_prefix('|')?.split('|').map(str::trim);
        let folder = cells.next()?.strip_prefix('`')?.strip_suffix('`')?;
        let folder = folder.trim_end_matches('/');
        let imported = cells.next()?.replace('`', "");
        let names = imported.split(',').map(str::trim).filter(|name| !matches!(*name, "" | "-" | "–" | "—"));
        Some((folder.to_owned(), names.map(str::to_owned).collect()))
    };
    let mut lines = text.lines().skip_while(|line| !is_heading(line));
    lines.next();
    lines.take_while(|line| !line.starts_with("## ")).filter_map(row).collect()
}

fn is_heading(line: &str) -> bool {
    line.starts_with('#') && line.to_lowercase().contains("code map")
}

#[test]
fn code_map_is_parsed_by_its_first_two_columns() {
    let text = "# Parts\n| `other` | x |\n## Code map\n\n| package | imports | is |\n|---|---|---|\n| `proto` | - | a |\n\
                | `crates/index` | model, `ranking` | b |\n## Next\n| `gateway` | model | c |\n";
    let expected = [("crates/index", "model ranking"), ("proto", "")];
    let expected = expected.map(|(folder, imported)| (folder.to_owned(), words(imported)));
    assert_eq!(code_map(text), BTreeMap::from(expected));
}

/// Files that read the wall clock: for shown or stored dates, a counted day, the validity of a grant, or the time at
/// which a commit was first seen as HEAD, or to compare with the times of files. All other code uses a monotonic clock.
const DATED: &[&str] = &[
    "crates/index/src/repository_dir.rs",
    "crates/provider/src/provider.rs",
    "crates/share/src/sweep.rs",
    "crates/source/src/mirror.rs",
    "crates/source/src/mirror/lifecycle.rs",
    "crates/source/src/work_tree/stat_cache.rs",
    "gateway/federation/src/grants.rs",
    "gateway/server/src/metrics.rs",
    "gateway/server/src/usage.rs",
    "gateway/tools/src/memory.rs",
    "services/causeway/src/commands/status.rs",
    "services/worker/src/indexing.rs",
    "services/worker/src/operators/metrics.rs",
    "services/worker/src/repositories/catalog_entry.rs",
    "services/worker/src/repositories/fetcher.rs",
    "services/worker/src/repositories/handover/peers.rs",
    "services/worker/src/server.rs",
    "services/worker/src/serving/grant_guard.rs",
];

#[test]
fn wall_clock_is_read_for_dates_only() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for folder in ["crates", "gateway", "proto", "services"] {
        sources_below(&root.join(folder), &mut files);
    }
    let reads = |path: &std::path::PathBuf| {
        fs::read_to_string(path)
            .is_ok_and(|text| ["SystemTime::now", "Timestamp::now"].iter().any(|read| text.contains(read)))
    };
    let relative = |path: &std::path::PathBuf| path.strip_prefix(&root).expect("below it").display().to_string();
    let is_test = |path: &String| path.contains("tests");
    let found: BTreeSet<String> =
        files.iter().filter(|path| reads(path)).map(relative).filter(|p| !is_test(p)).collect();
    let dated: BTreeSet<String> = DATED.iter().map(|path| (*path).to_owned()).collect();
    assert_eq!(found, dated);
}

#[test]
fn standard_error_is_written_without_a_panic() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for folder in ["crates", "gateway", "proto", "services"] {
        sources_below(&root.join(folder), &mut files);
    }
    // These macros panic if standard error is a file on a full disk; `runtime::telemetry` has functions that do not.
    let calls = |text: &str| ["eprintln!(", "eprint!("].iter().any(|call| text.contains(call));
    let is_product = |path: &&std::path::PathBuf| path.components().any(|part| part.as_os_str() == "src");
    let panics = |path: &&std::path::PathBuf| fs::read_to_string(path).is_ok_and(|text| calls(&text));
    let found: Vec<&std::path::PathBuf> = files.iter().filter(is_product).filter(panics).collect();
    assert!(found.is_empty(), "{found:?}");
}

fn sources_below(folder: &Path, files: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources_below(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}
