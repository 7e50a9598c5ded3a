//! Accesses of each language, each with a near miss.

use crate::{EdgeKind, testing::edges};

/// Checks the accesses of a fixture, as `from > to`. A file is its path.
#[track_caller]
fn check(fixture: &str, expected: &[&str]) {
    let shown = |edge: String| edge.replace(" -accesses-> ", " > ");
    let found: Vec<String> = edges(fixture, EdgeKind::Accesses).into_iter().map(shown).collect();
    assert_eq!(found, expected);
}

#[test]
fn go() {
    check(
        "\
//- /go.mod
module m
//- /a/a.go
package a
type Kind int
const (
    Red Kind = iota
    Blue
)
type Base struct { ID int }
type Config struct {
    Base
    Name string
    Next *Config
    run func()
}
type Other struct { Name string }
func read(c *Config) string { return c.Next.Name }
func write(c Config) { c.ID = 1; c.run() }
func make() []Config { return []Config{{Name: \"a\"}, {Next: nil}} }
func names() map[Kind]string { return map[Kind]string{Red: \"red\"} }
func local(Blue int) int { return Blue }
func unknown(x any) { f := g(); f.Name = 1 }
//- /b/b.go
package b
import \"m/a\"
func use(o a.Other) bool { return o.Name == \"\" && kind == a.Blue }
",
        &[
            "a/a.go::make > a/a.go::Config.Name",
            "a/a.go::make > a/a.go::Config.Next",
            "a/a.go::names > a/a.go::Red",
            "a/a.go::read > a/a.go::Config.Name",
            "a/a.go::read > a/a.go::Config.Next",
            "a/a.go::write > a/a.go::Base.ID",
            "a/a.go::write > a/a.go::Config.run",
            "b/b.go::use > a/a.go::Blue",
            "b/b.go::use > a/a.go::Other.Name",
        ],
    );
}
#[test]
fn typescript() {
    check(
        "\
//- /a.ts
export enum Kind { Red, Blue = 2 }
export const LIMIT = 3
const inner = 4
export { inner as outer }
export interface Options { name: string; next?: Options; get(): string }
export class Base { id = 1; constructor(readonly key: string) {} get size() { return this.id } }
export class Other { name = \"\" }
//- /b.ts
import { Kind, LIMIT as MAX, Options, Base, Other } from \"./a\"
class Derived extends Base { use() { return this.id + this.key.length + this.size } }
function read(options: Options) { return options.next?.name }
function write(options: Options) { options.name = \"b\" }
function destructure({ name, next: other }: Options) { return [name, other] }
function make(): Options { const made: Options = { name: \"a\", get() { return \"\" } }; return made }
function named(kind: Kind) { return kind === Kind.Red || kind === Kind[\"Blue\"] || MAX > 1 }
function local(name: string, LIMIT: number) { return name + LIMIT }
function unknown(x: any) { return x.name }
function near(other: Other) { return other.name }
",
        &[
            "a.ts::Base.size > a.ts::Base.id",
            "b.ts::Derived.use > a.ts::Base.id",
            "b.ts::Derived.use > a.ts::Base.key",
            "b.ts::Derived.use > a.ts::Base.size",
            "b.ts::destructure > a.ts::Options.name",
            "b.ts::destructure > a.ts::Options.next",
            "b.ts::make > a.ts::Options.name",
            "b.ts::named > a.ts::Kind.Blue",
            "b.ts::named > a.ts::Kind.Red",
            "b.ts::named > a.ts::LIMIT",
            "b.ts::near > a.ts::Other.name",
            "b.ts::read > a.ts::Options.name",
            "b.ts::read > a.ts::Options.next",
            "b.ts::write > a.ts::Options.name",
        ],
    );
}
#[test]
fn python() {
    check(
        "\
//- /a.py
from dataclasses import dataclass
from enum import Enum
LIMIT = 3
class Kind(Enum):
    RED = 1
    BLUE = 2
@dataclass
class Config:
    name: str
    next: \"Config\"
    @property
    def size(self): return 1
class Plain:
    name: str
    def __init__(self, name): self.name = name
//- /b.py
from a import Kind, Config, Plain, LIMIT as MAX
import a
def read(config: Config): return config.next.name + config.size
def write(config: Config):
    config.name = 1
    return config.name
def make(): return Config(name=\"a\", next=None)
def plain(): return Plain(name=\"a\")
def named(kind):
    match kind:
        case Kind.RED: return MAX
    return a.LIMIT
def local(name, RED): return name + RED
def unknown(x): return x.name
",
        &[
            "a.py::Plain.__init__ > a.py::Plain.name",
            "b.py::make > a.py::Config.name",
            "b.py::make > a.py::Config.next",
            "b.py::named > a.py::Kind.RED",
            "b.py::named > a.py::LIMIT",
            "b.py::read > a.py::Config.name",
            "b.py::read > a.py::Config.next",
            "b.py::read > a.py::Config.size",
            "b.py::write > a.py::Config.name",
        ],
    );
}
#[test]
fn java() {
    check(
        "\
//- /p/Kind.java
package p;
public enum Kind { RED, BLUE; static final int LIMIT = 1; }
//- /p/Base.java
package p;
public class Base { protected int id; public Base next; }
//- /p/Other.java
package p;
public class Other { int id; }
//- /p/Use.java
package p;
import static p.Kind.LIMIT;
class Use extends Base {
    private int count;
    int bare() { return count + id; }
    int local(int count) { return count; }
    void write(Base base) { base.next.id = 1; this.count++; }
    int named(Kind kind) { switch (kind) { case RED: return LIMIT; default: return kind == Kind.BLUE ? 1 : 2; } }
    int near(Other other) { return other.id; }
    int unknown(Missing x) { return x.id; }
}
",
        &[
            "p/Use.java::Use.bare > p/Base.java::Base.id",
            "p/Use.java::Use.bare > p/Use.java::Use.count",
            "p/Use.java::Use.named > p/Kind.java::Kind.BLUE",
            "p/Use.java::Use.named > p/Kind.java::Kind.LIMIT",
            "p/Use.java::Use.named > p/Kind.java::Kind.RED",
            "p/Use.java::Use.near > p/Other.java::Other.id",
            "p/Use.java::Use.write > p/Base.java::Base.id",
            "p/Use.java::Use.write > p/Base.java::Base.next",
            "p/Use.java::Use.write > p/Use.java::Use.count",
        ],
    );
}
#[test]
fn rust() {
    check(
        "\
//- /Cargo.toml
[package]
name = \"m\"
//- /src/lib.rs
pub enum Kind { Red, Pair(u32), Named { id: u32 } }
pub const LIMIT: u32 = 3;
pub struct Config { pub name: u32, next: Box<Config> }
pub struct Other { name: u32 }
pub struct Both { size: u32, run: fn() -> u32 }
impl Both { fn size(&self) -> u32 { self.size } }
fn both(both: &Both) -> u32 { both.size() }
fn run(both: &Both) -> u32 { (both.run)() }
impl Config { const MAX: u32 = 4; }
fn read(config: &Config) -> u32 { config.next.name }
fn write(config: &mut Config) { config.name = Config::MAX + LIMIT }
fn make(name: u32) -> Config { Config { name, next: todo!() } }
fn destructure(config: Config) -> u32 { let Config { name, .. } = config; name }
fn arms(kind: Kind) -> u32 {
    match kind { Kind::Red => 1, Kind::Pair(x) | Kind::Named { id: x } => x }
}
fn tested(kind: &Kind) -> bool { matches!(kind, Kind::Red | Kind::Pair(_)) }
fn formatted(config: &Config) { println!(\"{}\", config.name) }
fn made() -> Kind { Kind::Named { id: 1 } }
fn paired() -> Kind { Kind::Pair(1) }
fn local(name: u32) -> u32 { name }
fn near(other: &Other) -> u32 { other.name }
fn unknown(x: Missing) -> u32 { x.name }
",
        &[
            "src/lib.rs::Both.size > src/lib.rs::Both.size",
            "src/lib.rs::arms > src/lib.rs::Kind.Named",
            "src/lib.rs::arms > src/lib.rs::Kind.Named.id",
            "src/lib.rs::arms > src/lib.rs::Kind.Pair",
            "src/lib.rs::arms > src/lib.rs::Kind.Red",
            "src/lib.rs::destructure > src/lib.rs::Config.name",
            "src/lib.rs::formatted > src/lib.rs::Config.name",
            "src/lib.rs::made > src/lib.rs::Kind.Named",
            "src/lib.rs::made > src/lib.rs::Kind.Named.id",
            "src/lib.rs::make > src/lib.rs::Config.name",
            "src/lib.rs::make > src/lib.rs::Config.next",
            "src/lib.rs::near > src/lib.rs::Other.name",
            "src/lib.rs::paired > src/lib.rs::Kind.Pair",
            "src/lib.rs::read > src/lib.rs::Config.name",
            "src/lib.rs::read > src/lib.rs::Config.next",
            "src/lib.rs::run > src/lib.rs::Both.run",
            "src/lib.rs::tested > src/lib.rs::Kind.Pair",
            "src/lib.rs::tested > src/lib.rs::Kind.Red",
            "src/lib.rs::write > src/lib.rs::Config.MAX",
            "src/lib.rs::write > src/lib.rs::Config.name",
            "src/lib.rs::write > src/lib.rs::LIMIT",
        ],
    );
}
#[test]
fn c() {
    check(
        "\
//- /a.h
enum kind { RED, BLUE };
struct base { int id; struct base *next; void (*run)(void); };
struct other { int id; };
//- /a.c
#include \"a.h\"
int read(struct base *base) { return base->next->id; }
void write(struct base *base) { base->id = BLUE; base->run(); }
static struct base made = { .id = 1, .next = 0 };
void make(void) { struct base local = { .id = RED }; }
int near(struct other *other) { return other->id; }
int local(int RED) { return RED; }
int unknown(struct missing *x) { return x->id; }
",
        &[
            "a.c > a.h::base.id",
            "a.c > a.h::base.next",
            "a.c::make > a.h::base.id",
            "a.c::make > a.h::kind.RED",
            "a.c::near > a.h::other.id",
            "a.c::read > a.h::base.id",
            "a.c::read > a.h::base.next",
            "a.c::write > a.h::base.id",
            "a.c::write > a.h::base.run",
            "a.c::write > a.h::kind.BLUE",
        ],
    );
}
#[test]
fn cpp() {
    check(
        "\
//- /a.hpp
namespace n {
enum class Kind { Red, Blue };
class Base { public: int id = 0; static const int limit = 1; };
class Derived : public Base {
    int count;
    Derived() : count(1) {}
    int bare() { return count + id + limit; }
    int local(int count) { return count; }
};
struct Other { int id; };
}
//- /a.cpp
#include \"a.hpp\"
int read(n::Derived *one) { return one->id + n::Base::limit; }
bool named(n::Kind kind) { switch (kind) { case n::Kind::Red: return true; default: return kind == n::Kind::Blue; } }
int near(n::Other &other) { return other.id; }
",
        &[
            "a.cpp::named > a.hpp::Kind.Blue",
            "a.cpp::named > a.hpp::Kind.Red",
            "a.cpp::near > a.hpp::Other.id",
            "a.cpp::read > a.hpp::Base.id",
            "a.cpp::read > a.hpp::Base.limit",
            "a.hpp::Derived.Derived > a.hpp::Derived.count",
            "a.hpp::Derived.bare > a.hpp::Base.id",
            "a.hpp::Derived.bare > a.hpp::Base.limit",
            "a.hpp::Derived.bare > a.hpp::Derived.count",
        ],
    );
}

#[test]
fn attributes_of_python() {
    check(
        "\
//- /a.py
class Base:
    def __init__(self, size):
        self.size, self.rest = size, None
        self.label = 1
        helper.size = 2
    @property
    def label(self): return self.size
    @staticmethod
    def make(other): other.extra = 1
class Point(Base):
    def grow(self):
        self.size = 2
        self.own: int = 3
//- /b.py
from a import Base, Point
def f(p: Point, b: Base, x):
    print(p.size, b.rest, p.own, p.extra, x.size)
",
        &[
            "a.py::Base.__init__ > a.py::Base.label",
            "a.py::Base.__init__ > a.py::Base.rest",
            "a.py::Base.__init__ > a.py::Base.size",
            "a.py::Base.label > a.py::Base.size",
            "a.py::Point.grow > a.py::Base.size",
            "a.py::Point.grow > a.py::Point.own",
            "a.py::Point.grow > a.py::Point.size",
            "b.py::f > a.py::Base.rest",
            "b.py::f > a.py::Base.size",
            "b.py::f > a.py::Point.own",
            "b.py::f > a.py::Point.size",
        ],
    );
}
