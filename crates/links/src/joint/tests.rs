mod commit_sequences;
mod copies;
mod stale_names;
mod traced_links;
mod versions;

use std::collections::{BTreeMap, BTreeSet};

use graph::{ManifestFile, is_manifest};
use model::{FileClass, FileFacts, Language};

use super::*;
use crate::{
    compiler_facts::CompilerFacts,
    link_facts::{FileToEncode, decode_importer, decode_provider, encode},
};

/// Splits a fixture into files by repository. The line `//- repo/path` begins a file.
fn repositories(fixture: &str) -> BTreeMap<String, Vec<(String, String)>> {
    let mut files: Vec<(String, String, String)> = Vec::new();
    for line in fixture.lines() {
        match (line.strip_prefix("//- "), files.last_mut()) {
            (Some(place), _) => {
                let (repo, path) = place.split_once('/').expect("a repository and a path");
                files.push((repo.to_owned(), path.to_owned(), String::new()));
            }
            (None, Some((_, _, text))) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => assert!(line.trim().is_empty(), "a fixture starts with `//- repo/path`"),
        }
    }
    let mut by_repo: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for (repo, path, text) in files {
        by_repo.entry(repo).or_default().push((path, text));
    }
    by_repo.values_mut().for_each(|files| files.sort());
    by_repo
}

/// The name of a file of a fixture that lists the tags of its repository.
const TAGS: &str = "TAGS";

fn encoded(files: &[(String, String)]) -> Vec<u8> {
    let facts: Vec<(&str, FileFacts)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), syntax::extract(Language::of_path(path), text.as_bytes())))
        .collect();
    let manifests = files.iter().filter(|(path, _)| is_manifest(path));
    let manifests: Vec<ManifestFile<'_>> = manifests.map(|(path, text)| ManifestFile { path, text }).collect();
    let class = |path: &str| match path.split('/').any(|folder| matches!(folder, "vendor" | "bundled")) {
        true => FileClass::Vendored,
        false => FileClass::Source,
    };
    let classed = facts.iter().map(|(path, facts)| {
        let interface = graph::interface_hash(facts);
        FileToEncode { path, class: class(path), facts, interface, is_unchanged: false }
    });
    let tags = files.iter().filter(|(path, _)| path == TAGS).flat_map(|(_, text)| text.lines());
    let tags: Vec<String> = tags.map(str::to_owned).collect();
    encode(classed, &manifests, &CompilerFacts::default(), &tags, None).expect("few bytes")
}

/// Returns the repository `app`, and the other repositories with their names, in the order of these.
fn decoded(fixture: &str) -> (LinkFacts, Vec<LinkFacts>, Vec<String>) {
    let mut repositories = repositories(fixture);
    let app = repositories.remove("app").expect("the importer is `app`");
    let providers = repositories.values().map(|files| decode_provider(&encoded(files)).unwrap()).collect();
    (decode_importer(&encoded(&app)).unwrap(), providers, repositories.into_keys().collect())
}

/// Returns the links of the repository `app`, and the names of the other repositories in order.
fn links(fixture: &str) -> (ImporterLinks, Vec<String>) {
    let (importer, providers, names) = decoded(fixture);
    let providers: Vec<&LinkFacts> = providers.iter().collect();
    (link_importer(&importer, &providers, &BTreeSet::from(["npm:kit".to_owned(), "cargo:kit".to_owned()])), names)
}

/// Returns the links without the names that they depend on: those of an added definition that nothing mentions come with the next resolution.
fn without_mentions(traced: TracedLinks) -> ImporterLinks {
    ImporterLinks { mentions: Mentions::default(), ..traced.links }
}

/// A link by its ends: the path of the user, the provider, the file and definition of the target.
type LinkEnds = (String, u32, String, u32);

/// Checks that the uses of an export lead to the same definitions as the certain links.
#[track_caller]
fn check_export(fixture: &str, found: &ImporterLinks) {
    let (importer, providers, _) = decoded(fixture);
    let path = |facts: &LinkFacts, file_idx: u32| {
        facts.files.iter().find(|file| file.file_idx == file_idx).expect("a file of the facts").path.clone()
    };
    // A type that implements an interface without naming it has no use of it.
    let uses = importer_uses(&importer, &providers).into_iter();
    let uses = uses.filter(|one| one.repository != 0 && one.kind != EdgeKind::Implements);
    let exported: BTreeSet<LinkEnds> = uses
        .map(|one| {
            let provider = one.repository - 1;
            let target = path(&providers[provider as usize], one.target.file_idx);
            (path(&importer, one.file_idx), provider, target, one.target.definition)
        })
        .collect();
    let is_certain = |link: &&SymbolLink| {
        !matches!(link.kind, EdgeKind::Dispatch | EdgeKind::Implements)
            && link.resolution.confidence() >= graph::CERTAIN
    };
    let certain = found.links.iter().filter(is_certain);
    let ends = |link: &SymbolLink| {
        Some((link.user.path.to_string(), link.provider, link.target.path.to_string(), link.target_definition?))
    };
    let linked: BTreeSet<LinkEnds> = certain.filter_map(ends).collect();
    assert_eq!(exported, linked, "{fixture}");
}

/// Checks the links that are no imports, as `path::user:lines kind repo/path::target`.
#[track_caller]
fn check(fixture: &str, expected: &[&str]) {
    let (found, names) = links(fixture);
    let shown = found.links.iter().filter(|link| link.kind != EdgeKind::Imports).map(|link| {
        let lines: Vec<String> = link.lines.iter().map(u32::to_string).collect();
        format!(
            "{}::{}:{} {} {}/{}::{}",
            link.user.path,
            link.user_name.as_deref().unwrap_or_default(),
            lines.join(","),
            link.kind.name(),
            names[link.provider as usize],
            link.target.path,
            link.target_name.as_deref().unwrap_or_default(),
        )
    });
    let mut shown: Vec<String> = shown.collect();
    shown.sort();
    assert_eq!(shown, expected, "{fixture}");
    check_export(fixture, &found);
}

#[test]
fn go_methods_are_linked_through_returns_fields_and_interfaces() {
    check(
        "//- app/go.mod
module example.org/app
require example.org/kit/v2 v2.1.0
//- app/main.go
package main
import \"example.org/kit/v2/store\"
type server struct { db *store.DB }
func run(s *server, l store.Logger) {
	s.db.Find(\"a\").Close()
	l.Log()
	s.db.Find(\"b\")
}
//- kit/go.mod
module example.org/kit/v2
//- kit/store/store.go
package store
type DB struct { Conn }
type Conn struct {}
func (c *Conn) Close() {}
type Logger interface { Log() }
func (d *DB) Find(key string) *DB { return d }
",
        &[
            "main.go::run:4 references kit/store/store.go::Logger",
            "main.go::run:5 calls kit/store/store.go::Conn.Close",
            "main.go::run:5,7 calls kit/store/store.go::DB.Find",
            "main.go::run:6 calls kit/store/store.go::Logger.Log",
            "main.go::server.db:3 references kit/store/store.go::DB",
        ],
    );
}

#[test]
fn types_lead_into_a_third_repository() {
    check(
        "//- app/package.json
{\"name\": \"app\", \"dependencies\": {\"client\": \"1\"}}
//- app/src/a.ts
import { connect } from 'client';
export function f() { connect().send('x'); }
//- client/package.json
{\"name\": \"client\", \"exports\": {\".\": {\"types\": \"./dist/index.d.ts\"}}, \"dependencies\": {\"wire\": \"1\"}}
//- client/src/index.ts
import type { Wire } from 'wire';
export declare function connect(): Wire;
//- wire/package.json
{\"name\": \"wire\", \"main\": \"./index.ts\"}
//- wire/index.ts
export * from './wire';
//- wire/wire.ts
export interface Wire { send(text: string): void }
",
        &["src/a.ts::f:2 calls client/src/index.ts::connect", "src/a.ts::f:2 calls wire/wire.ts::Wire.send"],
    );
}

#[test]
fn python_classes_inherit_from_another_repository() {
    check(
        "//- app/pyproject.toml
[project]
name = \"app\"
dependencies = [\"kit\"]
//- app/src/app/a.py
from kit import Base
class Own(Base):
    def run(self):
        self.start()
        super().stop()
//- kit/src/kit/__init__.py
from .base import Base
//- kit/src/kit/base.py
class Base:
    def start(self): ...
    def stop(self): ...
//- kit/tests/kit/__init__.py
class Base: ...
",
        &[
            "src/app/a.py::Own.run:4 calls kit/src/kit/base.py::Base.start",
            "src/app/a.py::Own.run:5 calls kit/src/kit/base.py::Base.stop",
            "src/app/a.py::Own:2 extends kit/src/kit/base.py::Base",
            "src/app/a.py::Own:2 references kit/src/kit/base.py::Base",
        ],
    );
}

#[test]
fn java_lambdas_take_their_parameter_from_the_callee() {
    check(
        "//- app/src/b/B.java
package b;
import a.Pool;
class B { void m(Pool pool) { pool.with(c -> c.ping()); } }
//- kit/src/a/Pool.java
package a;
public class Pool { public void with(java.util.function.Consumer<Conn> use) {} }
//- kit/src/a/Conn.java
package a;
public interface Conn { void ping(); }
",
        &[
            "src/b/B.java::B.m:3 calls kit/src/a/Conn.java::Conn.ping",
            "src/b/B.java::B.m:3 calls kit/src/a/Pool.java::Pool.with",
            "src/b/B.java::B.m:3 references kit/src/a/Pool.java::Pool",
        ],
    );
}

#[test]
fn cargo_dependencies_are_found_by_package_name() {
    check(
        "//- app/Cargo.toml
[package]
name = \"app\"
[dependencies]
kit = { package = \"kit-core\", version = \"1\" }
//- app/src/lib.rs
use kit::Store;
pub fn f(store: &Store) { store.open().read(); }
//- kit/Cargo.toml
[workspace]
members = [\"core\"]
//- kit/core/Cargo.toml
[package]
name = \"kit-core\"
//- kit/core/src/lib.rs
mod store;
pub use store::Store;
//- kit/core/src/store.rs
pub struct Store;
pub trait Read { fn read(&self); }
impl Store { pub fn open(&self) -> Box<dyn Read> { todo!() } }
",
        &[
            "src/lib.rs::f:2 calls kit/core/src/store.rs::Read.read",
            "src/lib.rs::f:2 calls kit/core/src/store.rs::Store.open",
            "src/lib.rs::f:2 references kit/core/src/store.rs::Store",
        ],
    );
}

#[test]
fn c_headers_are_included_from_another_repository() {
    check(
        "//- app/main.cpp
#include <kit/pool.h>
int main() { kit::Pool pool; pool.take(); }
//- kit/include/kit/pool.h
namespace kit { class Pool { public: void take(); }; }
",
        &[
            "main.cpp::main:2 calls kit/include/kit/pool.h::Pool.take",
            "main.cpp::main:2 references kit/include/kit/pool.h::Pool",
        ],
    );
}

#[test]
fn c_headers_at_the_root_of_a_repository_are_public() {
    let app = "//- app/png.c
#include <zlib.h>
#include <redis/async.h>
#include <redis/adapters/uv.h>
#include \"config.h\"
int unpack(struct stream *s) { configure(); connect_async(s); attach(s); return inflate_all(s); }
";
    let kit = "
//- kit/zlib.h
struct stream { int n; };
extern int inflate_all(struct stream *s);
//- kit/config.h
int configure(void);
//- redis/redis.h
int connect_now(void);
//- redis/src/async.h
int other(void);
//- redis/adapters/uv.h
int attach(void *s);
//- redis/async.h
int connect_async(void *s);
";
    let expected = [
        "png.c::unpack:5 calls kit/zlib.h::inflate_all",
        "png.c::unpack:5 calls redis/adapters/uv.h::attach",
        "png.c::unpack:5 calls redis/async.h::connect_async",
        "png.c::unpack:5 references kit/zlib.h::stream",
    ];
    check(&format!("{app}{kit}"), &expected);
    // A copy that another repository has in a folder for such copies is no rival; a second maker is.
    let copy = kit.replace("kit/zlib.h", "other/third_party/zlib/zlib.h");
    check(&format!("{app}{kit}{copy}"), &expected);
    let rival = "//- rival/zlib.h\nstruct stream { int n; };\nextern int inflate_all(struct stream *s);\n";
    check(&format!("{app}{kit}{rival}"), &expected[1..3]);
}

#[test]
fn equal_names_alone_are_no_link() {
    check(
        "//- app/a.py
def f(x):
    x.distinctive_name()
    distinctive_function()
//- kit/kit.py
class A:
    def distinctive_name(self): ...
def distinctive_function(): ...
",
        &[],
    );
}

#[test]
fn the_own_package_comes_before_one_of_the_same_name() {
    check(
        "//- app/package.json
{\"name\": \"root\"}
//- app/packages/kit/package.json
{\"name\": \"kit\", \"main\": \"a.js\"}
//- app/packages/kit/a.js
export function f() {}
//- app/b.js
import { f } from 'kit';
f();
//- kit/package.json
{\"name\": \"kit\", \"main\": \"a.js\"}
//- kit/a.js
export function f() {}
",
        &[],
    );
}

#[test]
fn members_of_other_repositories_are_accessed() {
    check(
        "//- app/go.mod
module example.org/app
require example.org/kit v1.0.0
//- app/main.go
package main
import \"example.org/kit\"
type own struct { Name string }
func read(c *kit.Config) string { return c.Next.Name }
func make() kit.Config { return kit.Config{Name: \"a\", Level: kit.Debug} }
func near(o own) string { return o.Name }
//- kit/go.mod
module example.org/kit
//- kit/kit.go
package kit
type Level int
const Debug Level = 1
type Config struct {
	Name string
	Level Level
	Next *Config
}
",
        &[
            "main.go::make:5 accesses kit/kit.go::Config.Level",
            "main.go::make:5 accesses kit/kit.go::Config.Name",
            "main.go::make:5 accesses kit/kit.go::Debug",
            "main.go::make:5 references kit/kit.go::Config",
            "main.go::read:4 accesses kit/kit.go::Config.Name",
            "main.go::read:4 accesses kit/kit.go::Config.Next",
            "main.go::read:4 references kit/kit.go::Config",
        ],
    );
}

#[test]
fn unresolved_accesses_are_listed_by_name() {
    let (found, _) = links(
        "//- app/a.py
from kit import Config
def f(x, y: Config):
    x.name = x.own
    return y.name
def g(x):
    x.name()
class Own:
    own: int
//- app/far.py
def f(x):
    x.name = 1
//- kit/kit.py
class Config:
    name: str
",
    );
    let accesses: Vec<(&str, u32)> =
        found.unresolved_accesses.iter().map(|(name, of_name)| (name.as_str(), of_name.sites[0].site.line)).collect();
    // A field may hold a function, so that its call is a possible use as well.
    assert_eq!((accesses, found.unresolved["name"].sites.len()), (vec![("name", 3)], 1));
    let of_name = &found.unresolved_accesses["name"];
    let lines: Vec<u32> = of_name.sites_of(1).map(|site| site.line).collect();
    assert_eq!((lines, of_name.members[1]), (vec![3], MembersOfName { n_definitions: 1, n_accesses: 1 }));
    // One known access of one member, and one of the file that does not import the package.
    assert!((0.5..1.0).contains(&of_name.expected_of(1)), "{of_name:?}");
}

#[test]
fn unresolved_calls_count_for_definitions_that_fit() {
    let (found, _) = links(
        "//- app/package.json
{\"dependencies\": {\"kit\": \"1\"}}
//- app/a.ts
import { Pool } from 'kit';
export function f(x) { x.send(1); x.send(1, 2); send(1); x.unknown(); x.own(); }
export class Own { own() {} }
//- app/far.ts
export function g(x) { x.send(1); x.own(); }
//- kit/package.json
{\"name\": \"kit\", \"main\": \"index.ts\"}
//- kit/index.ts
export class Pool { send(n: number) {} }
",
    );
    let mut shown: Vec<String> = Vec::new();
    for (name, of_name) in &found.unresolved {
        for (definition_idx, definition) in of_name.definitions.iter().enumerate() {
            let calls = of_name.calls_of(definition_idx);
            let sites: Vec<String> = calls.map(|call| format!("{}:{}", call.site.path, call.site.line)).collect();
            shown.push(format!("{name} of {}: {}", definition.repository, sites.join(", ")));
        }
    }
    assert_eq!(shown, ["own of 0: a.ts:2, far.ts:1", "send of 1: a.ts:2"]);
}

#[test]
fn unresolved_calls_are_shared_in_the_proportion_of_known_ones() {
    let (found, _) = links(
        "//- app/package.json
{\"dependencies\": {\"kit\": \"1\"}}
//- app/a.ts
import { Pool, Wire } from 'kit';
export function f(pool: Pool, x) { pool.send(1); pool.send(2); pool.send(3); x.send(1); x.send(2); }
export function g(text: string, y) { [text].map(String); [text].map(String); [text].map(String); y.map(String); }
//- kit/package.json
{\"name\": \"kit\", \"main\": \"index.ts\"}
//- kit/index.ts
export class Pool { send(n: number) {} }
export class Wire { send(n: number) {} map(f: (s: string) => string) {} }
",
    );
    let expected = |name: &str, definition_idx: usize| found.unresolved[name].expected_calls_of(definition_idx).round();
    assert_eq!(
        (expected("send", 0), expected("send", 1), expected("map", 0)),
        (2.0, 0.0, 0.0),
        "{:?}",
        found.unresolved
    );
}

#[test]
fn fields_of_languages_without_calls_of_fields_are_not_called() {
    let calls_of_size = |field: &str, method: &str| {
        let kit = format!(
            "pub struct Pool {{ pub {field}: u8 }}\npub struct Wire;\nimpl Wire {{ pub fn {method}(&self) {{}} }}\n"
        );
        let app = "//- app/Cargo.toml
[package]
name = \"app\"
[dependencies]
kit = \"1\"
//- app/src/lib.rs
use kit::Pool;
pub fn run(pool: Pool) { let f = |x| x.size(); }
//- kit/Cargo.toml
[package]
name = \"kit\"
//- kit/src/lib.rs
";
        let (found, _) = links(&format!("{app}{kit}"));
        found.unresolved.get("size").map_or(0, |of_name| of_name.definitions.len())
    };
    assert_eq!((calls_of_size("size", "other"), calls_of_size("other", "size")), (0, 1));
}

#[test]
fn relative_paths_stay_in_their_repository() {
    // The folders of repositories in one program have numbers as names.
    let kit = "//- kit/pool.h
struct stream { int n; };
int inflate_all(struct stream *s);
//- kit/index.ts
export function send() {}
//- kit/package.json
{\"name\": \"kit\", \"main\": \"index.ts\"}
";
    let app = "//- app/package.json
{\"dependencies\": {\"kit\": \"1\"}}
//- app/a.c
#include \"../1/pool.h\"
int unpack(void *s) { return inflate_all(s); }
//- app/a.ts
import { send } from '../1/index';
export function run() { send(); }
";
    check(&format!("{app}{kit}"), &[]);
    let within = "//- app/package.json
{\"dependencies\": {\"kit\": \"1\"}}
//- app/b/b.ts
import { own } from '../a';
import { send } from 'kit';
export function run() { own(); send(); }
//- app/a.ts
export function own() {}
";
    check(&format!("{within}{kit}"), &["b/b.ts::run:3 calls kit/index.ts::send"]);
}

#[test]
fn types_of_undeclared_packages_are_elsewhere() {
    let (found, _) = links(
        "//- app/A.java
package app;
class A {
    Object own() { return near.kit.Loggers.getLogger(\"a\"); }
    Object far() { return java.util.far.Logger.getLogger(\"a\"); }
    Object made() { return near.kit.Made.getLogger(\"a\"); }
    void value() { for (var x : made()) { x.y.Z.getLogger(\"a\"); } }
}
//- kit/Loggers.java
package near.kit;
public class Loggers { public static Object getLogger(String name) { return null; } }
",
    );
    let lines: Vec<u32> = found.unresolved["getLogger"].sites.iter().map(|call| call.site.line).collect();
    assert_eq!(lines, [5, 6]);
}

#[test]
fn imports_that_lead_nowhere_are_listed() {
    let (found, _) = links(
        "//- app/package.json
{\"dependencies\": {\"kit\": \"1\", \"other\": \"1\"}}
//- app/a.ts
import { f } from 'kit/missing';
import { g } from 'other';
import { h } from 'kit';
f();
h.of([]).map(g);
//- kit/package.json
{\"name\": \"kit\", \"main\": \"a.ts\"}
//- kit/a.ts
export const h = 1;
",
    );
    let lines: Vec<u32> = found.unfollowed_imports.imports.iter().map(|import| import.line).collect();
    assert_eq!(lines, [1]);
}

/// Checks the lines of the imports of `a.ts` that may lead to members of a class of the package, by name of the member.
#[track_caller]
fn check_unfollowed(app: &str, expected: &[(&str, &[u32])]) {
    let (found, _) = links(&format!(
        "//- app/package.json
{{\"dependencies\": {{\"kit\": \"1\"}}}}
{app}
//- kit/package.json
{{\"name\": \"kit\", \"main\": \"index.ts\"}}
//- kit/index.ts
export * from './client';
//- kit/client.ts
export class Client {{ send() {{}} close() {{}} }}
export function createClient() {{ return new Client(); }}
"
    ));
    for (member, lines) in expected {
        let (container, name) = member.split_once('.').unwrap_or(("", *member));
        let unfollowed = &found.unfollowed_imports;
        let leading =
            unfollowed.of_provider(0).filter(|import| unfollowed.may_lead_to(import, "client.ts", container, name));
        let leading: Vec<u32> = leading.map(|import| import.line).collect();
        assert_eq!(leading, *lines, "{member}");
    }
}

#[test]
fn an_import_that_leads_nowhere_may_return_values_of_any_type() {
    check_unfollowed(
        "//- app/a.ts
import { createClient } from 'kit/missing';
const c = createClient();
c.send();",
        &[("Client.send", &[1]), ("createClient", &[1]), ("Client.close", &[]), ("Client", &[])],
    );
}

#[test]
fn an_import_that_leads_nowhere_may_lead_to_names_in_other_files() {
    check_unfollowed(
        "//- app/a.ts
export * from 'kit/missing';
//- app/b.ts
import { Client } from './a';
new Client();",
        &[("Client", &[1]), ("Client.send", &[]), ("createClient", &[])],
    );
    check_unfollowed(
        "//- app/a.ts
import { createClient } from 'kit/missing';
export const c = createClient();
//- app/b.ts
import { c } from './a';
c.send();",
        &[("Client.send", &[1]), ("Client.close", &[])],
    );
}

#[test]
fn an_inline_module_of_another_crate_is_followed() {
    let (found, _) = links(
        "//- app/Cargo.toml
[package]
name = \"app\"
[dependencies]
kit = \"1\"
//- app/src/lib.rs
use kit::table;
pub fn run(t: table::Table) { t.find() }
//- kit/Cargo.toml
[package]
name = \"kit\"
//- kit/src/lib.rs
mod inner;
pub mod table {
    pub use crate::inner::*;
}
//- kit/src/inner.rs
pub struct Table;
impl Table { pub fn find(&self) {} }
",
    );
    assert_eq!(found.unfollowed_imports.imports, []);
    assert!(found.links.iter().any(|link| link.target_name.as_deref() == Some("Table.find")), "{:?}", found.links);
}

#[test]
fn methods_of_a_trait_out_of_scope_are_not_linked() {
    let kit = "//- kit/Cargo.toml
[package]
name = \"kit\"
//- kit/src/lib.rs
use http::Request;
pub trait Parts { fn parts(&self); }
impl Parts for Request { fn parts(&self) {} }
";
    let app = |import: &str| {
        format!(
            "//- app/Cargo.toml
[package]
name = \"app\"
[dependencies]
kit = \"1\"
http = \"1\"
//- app/src/lib.rs
{import}
fn f(request: &http::Request) {{ request.parts(); }}
{kit}"
        )
    };
    check(&app("use kit::Other;"), &[]);
    check(&app("use kit::Parts;"), &["src/lib.rs::f:2 calls kit/src/lib.rs::Request.parts"]);
    check(&app("use kit::*;"), &["src/lib.rs::f:2 calls kit/src/lib.rs::Request.parts"]);
    check(&app("use kit::*;").replace("pub trait", "trait"), &[]);
}

#[test]
fn go_methods_implement_foreign_interfaces_without_naming_them() {
    check(
        "//- app/go.mod
module example.org/app
require example.org/kit v1.0.0
//- app/main.go
package main
import \"example.org/kit/store\"
type file struct{}
func (f *file) Log(text string) {}
func (f *file) Close() error { return nil }
type other struct{}
func (o *other) Log() {}
func run() { store.Use(&file{}) }
//- kit/go.mod
module example.org/kit
//- kit/store/store.go
package store
type closer interface { Close() error }
type Logger interface { closer; Log(text string) }
func Use(l Logger) {}
",
        &[
            "main.go::file.Close:5 dispatch kit/store/store.go::closer.Close",
            "main.go::file.Log:4 dispatch kit/store/store.go::Logger.Log",
            "main.go::file:3 implements kit/store/store.go::Logger",
            "main.go::file:3 implements kit/store/store.go::closer",
            "main.go::run:8 calls kit/store/store.go::Use",
        ],
    );
}

#[test]
fn methods_override_those_of_foreign_bases() {
    check(
        "//- app/package.json
{\"name\": \"app\", \"dependencies\": {\"kit\": \"1\"}}
//- app/a.ts
import { Plugin } from 'kit';
class Middle extends Plugin {}
class Own extends Middle {
    constructor() { super() }
    start(name: string) {}
    own() {}
}
//- kit/package.json
{\"name\": \"kit\", \"main\": \"index.ts\"}
//- kit/index.ts
interface Startable { start(name: string): void }
export class Plugin implements Startable {
    constructor() {}
    start(name: string) {}
    stop() {}
}
",
        &[
            "a.ts::Middle:2 extends kit/index.ts::Plugin",
            "a.ts::Middle:2 references kit/index.ts::Plugin",
            "a.ts::Own.constructor:4 calls kit/index.ts::Plugin.constructor",
            "a.ts::Own.start:5 dispatch kit/index.ts::Plugin.start",
            "a.ts::Own.start:5 dispatch kit/index.ts::Startable.start",
        ],
    );
}
