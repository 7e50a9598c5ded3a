//! Target: any manifest text can be parsed for packages, dependencies and descriptions.

use graph::{Codebase, ManifestFile, SourceFile};
use links::RepositoryManifests;
use model::Language;
use pages::InfraKind;

/// Paths of manifests, by first byte. Append only.
pub(crate) const PATHS: &[&str] = &[
    "Cargo.toml",
    "package.json",
    "go.mod",
    "pyproject.toml",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "composer.json",
    "deno.json",
    "go.work",
    "pnpm-workspace.yaml",
    "requirements.txt",
    "setup.cfg",
    "setup.py",
    "tsconfig.json",
    "api/openapi.yaml",
    "api/swagger.json",
    "Gemfile",
    "api/service.proto",
    "Dockerfile",
    "compose.yaml",
    ".github/workflows/ci.yml",
    ".gitlab-ci.yml",
    "charts/app/values.yaml",
    "deploy/service.yaml",
    "main.tf",
    "Makefile",
    "CMakeLists.txt",
    "Jenkinsfile",
    "justfile",
    "Procfile",
    "README.md",
];

/// Files beside the manifest that it can refer to.
const BESIDE: &[(&str, &str)] = &[
    ("src/index.ts", "import { a } from '@app/a';\nimport b from './b';\nexport function f() { return a(b); }\n"),
    ("src/lib.rs", "use other::Thing;\nmod inner;\npub fn f(thing: Thing) { thing.run() }\n"),
    ("src/main.py", "import other\nfrom app.inner import g\n\ndef f():\n    return g(other.x)\n"),
    ("main.go", "package main\n\nimport \"example.com/other/pkg\"\n\nfunc main() { pkg.Run() }\n"),
    ("src/main/java/a/App.java", "package a;\nimport b.Other;\nclass App { void f(Other o) { o.run(); } }\n"),
];

pub(crate) fn run(input: &[u8]) {
    let Some((path, bytes)) = crate::choose(input, PATHS) else { return };
    let text = String::from_utf8_lossy(bytes);
    check_promises(path, &text);
    check_repository(path, &text);
}

/// Parses the manifest for pages.
fn check_promises(path: &str, text: &str) {
    let description = pages::description(path, text);
    assert!(description.is_none_or(|description| !description.is_empty()));
    let n_lines = text.lines().count() as u32;
    drop(pages::manifest_targets(path, text));
    drop(pages::introduction(text));
    drop(pages::first_paragraph(text));
    drop(pages::first_sentence(text));
    for kind in InfraKind::of_path(path).into_iter().chain(InfraKind::of_text(path, text)) {
        let items = pages::infra_items(kind, text);
        assert!(items.len() <= text.len(), "{n_lines} lines say {} things", items.len());
    }
}

/// Resolves all files of a small repository with the manifest.
fn check_repository(path: &str, text: &str) {
    let extracted = |path: &str, text: &str| syntax::extract(Language::of_path(path), text.as_bytes());
    let mut files: Vec<_> = BESIDE.iter().map(|(path, text)| (*path, extracted(path, text))).collect();
    files.push((path, extracted(path, text)));
    files.sort_by_key(|file| file.0);
    let sources = files.iter().map(|(path, facts)| SourceFile { path, facts });
    let manifests = graph::is_manifest(path).then_some(ManifestFile { path, text });
    let codebase = Codebase::new(sources, manifests.as_slice());
    let program = codebase.program();
    let declared = RepositoryManifests::read(manifests.as_slice());
    let n_lines = text.lines().count().max(1) as u32;
    for file in program.file_indices() {
        let contracts = links::link_file(&codebase, &declared, file).contracts;
        if program.path(file) == path {
            assert!(contracts.offers.iter().all(|offer| offer.line <= n_lines), "{:?}", contracts);
            assert!(contracts.uses.iter().all(|used| used.line <= n_lines), "{:?}", contracts);
        }
    }
}
