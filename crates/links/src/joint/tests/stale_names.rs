//! Names that a package no longer has, and the versions that importers require.

use super::*;

/// Checks the names that their package does not have, as `path:line package name`.
#[track_caller]
fn check_stale(fixture: &str, packages: &[&str], expected: &[&str]) {
    let mut repositories = repositories(fixture);
    let importer = decode_importer(&encoded(&repositories.remove("app").expect("the importer is `app`"))).unwrap();
    let providers: Vec<LinkFacts> =
        repositories.values().map(|files| decode_provider(&encoded(files)).unwrap()).collect();
    let packages = packages.iter().map(|package| (*package).to_owned()).collect();
    let found = link_importer(&importer, &providers.iter().collect::<Vec<_>>(), &packages);
    let shown: Vec<String> = found
        .stale_imports
        .iter()
        .map(|one| format!("{}:{} {} {}", one.path, one.line, one.package, one.name))
        .collect();
    assert_eq!(shown, expected, "{fixture}");
}

#[test]
fn names_that_a_python_package_lost_are_stale() {
    check_stale(
        "//- app/pyproject.toml
[project]
name = \"app\"
dependencies = [\"kit\"]
//- app/app.py
from kit import Base, gone, LIMIT, wire, late
from kit.lazy import anything
from kit.wire import sent, lost
//- kit/pyproject.toml
[project]
name = \"kit\"
//- kit/kit/__init__.py
from .base import *
LIMIT = 3
//- kit/kit/base.py
class Base: ...
late = make()
//- kit/kit/lazy.py
def __getattr__(name): ...
//- kit/kit/wire.py
def sent(): ...
",
        &["python:kit"],
        &["app.py:1 python:kit gone", "app.py:3 python:kit lost"],
    );
}

#[test]
fn names_that_a_module_of_typescript_lost_are_stale() {
    check_stale(
        "//- app/package.json
{\"dependencies\": {\"kit\": \"1\", \"open\": \"1\"}}
//- app/a.ts
import main, { f, gone, Shape } from 'kit';
import { anything } from 'open';
import * as all from 'kit';
//- kit/package.json
{\"name\": \"kit\", \"main\": \"a.ts\"}
//- kit/a.ts
export * from './b';
export const f = 1;
export default f;
//- kit/b.ts
export interface Shape { a: number }
//- open/package.json
{\"name\": \"open\", \"main\": \"a.ts\"}
//- open/a.ts
export * from 'elsewhere';
",
        &["npm:kit", "npm:open"],
        &["a.ts:1 npm:kit gone"],
    );
}

#[test]
fn names_that_a_package_of_go_or_rust_lost_are_stale() {
    check_stale(
        "//- app/go.mod
module example.org/app
require example.org/kit v1.0.0
//- app/main.go
package main
import \"example.org/kit/store\"
func run(s store.Gone) {
	store.Open()
	store.Closed()
}
func hidden(store thing) {}
//- app/other.go
package main
import \"example.org/kit/store\"
func run2(s store.Gone) {
	store.Open()
	store.Closed()
}
//- kit/go.mod
module example.org/kit
//- kit/store/store.go
package store
func Open() {}
",
        &["go:example.org/kit"],
        &["other.go:3 go:example.org/kit Gone", "other.go:5 go:example.org/kit Closed"],
    );
    check_stale(
        "//- app/Cargo.toml
[package]
name = \"app\"
[dependencies]
kit = \"1\"
//- app/src/lib.rs
use kit::{Store, Gone};
use kit::inner::Moved;
//- kit/Cargo.toml
[package]
name = \"kit\"
//- kit/src/lib.rs
pub struct Store;
pub struct Moved;
",
        &["cargo:kit"],
        &["src/lib.rs:1 cargo:kit Gone"],
    );
}

#[test]
fn links_know_the_required_version() {
    let (found, _) = links(
        "//- app/package.json
{\"dependencies\": {\"kit\": \"^1.2\"}}
//- app/a.ts
import { f } from 'kit';
f();
//- kit/package.json
{\"name\": \"kit\", \"version\": \"2.0.1\", \"main\": \"a.ts\"}
//- kit/a.ts
export function f() {}
",
    );
    let call = found.links.iter().find(|link| link.kind == EdgeKind::Calls).expect("there is a call");
    let dependency = &found.dependencies[call.dependency.expect("the manifest requires the package") as usize];
    assert_eq!((dependency.required.as_str(), dependency.indexed.as_str(), dependency.line), ("^1.2", "2.0.1", 1));
}
