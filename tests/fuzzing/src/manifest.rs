//! The text of any manifest to what it promises, requires and says of itself.

use graph::{Manifest, Program, SourceFile};
use model::Language;
use pages::InfraKind;

/// By first byte: the path of the manifest. New ones go to the end.
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

/// Files beside the manifest, so that there is something that it can speak of.
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

/// Reads what pages say of a manifest.
fn check_promises(path: &str, text: &str) {
    let description = pages::description(path, text);
    assert!(description.is_none_or(|description| !description.is_empty()));
    let n_lines = text.lines().count() as u32;
    drop(pages::promises(path, text));
    drop(pages::introduction(text));
    drop(pages::first_paragraph(text));
    drop(pages::first_sentence(text));
    for kind in InfraKind::of_path(path).into_iter().chain(InfraKind::of_text(path, text)) {
        let items = pages::infra_says(kind, text);
        assert!(items.len() <= text.len(), "{n_lines} lines say {} things", items.len());
    }
}

/// Lays out a small repository around a manifest, and resolves every file of it.
fn check_repository(path: &str, text: &str) {
    let extracted = |path: &str, text: &str| syntax::extract(Language::of_path(path), text.as_bytes());
    let mut files: Vec<_> = BESIDE.iter().map(|(path, text)| (*path, extracted(path, text))).collect();
    files.push((path, extracted(path, text)));
    files.sort_by_key(|file| file.0);
    let sources = files.iter().map(|(path, facts)| SourceFile { path, facts });
    let manifests = graph::is_manifest(path).then_some(Manifest { path, text });
    let program = Program::new(sources, manifests.as_slice());
    let n_lines = text.lines().count().max(1) as u32;
    for file in program.file_indices() {
        let resolved = graph::resolve(&program, file);
        if program.path(file) == path {
            assert!(resolved.contracts.offers.iter().all(|offer| offer.line <= n_lines), "{:?}", resolved.contracts);
            assert!(resolved.contracts.uses.iter().all(|used| used.line <= n_lines), "{:?}", resolved.contracts);
        }
    }
}
