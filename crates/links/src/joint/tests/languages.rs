//! Links by language: through types, headers, packages and traits of another repository.

use super::*;

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
