//! Functions and types that code names as values, each language with near misses.

use crate::{EdgeKind, testing::edges};

/// Checks the references of a fixture, as `from > to`.
#[track_caller]
fn check(fixture: &str, expected: &[&str]) {
    let shown = |edge: String| edge.replace(" -references-> ", " > ");
    let found: Vec<String> = edges(fixture, EdgeKind::References).into_iter().map(shown).collect();
    assert_eq!(found, expected);
}

#[test]
fn python() {
    check(
        "\
//- /a.py
class Failed(Exception): pass
class Other: pass
def parse(text): return text
def near(text): return text
LIMIT = 1
//- /b.py
import a
from a import parse as read, near
def fails(): return raises(a.Failed)
def passes(items): return map(read, items) or sort(items, key=a.parse)
def called(items): return a.near(items) + near(items) + a.LIMIT
def local(near): return map(near, [])
def variable():
    f = a.parse
    return map(f, [])
def keyword(): return make(parse=1, near=2)
def unknown(x): return x.parse
",
        &["b.py::fails > a.py::Failed", "b.py::passes > a.py::parse", "b.py::variable > a.py::parse"],
    );
}

#[test]
fn typescript() {
    check(
        "\
//- /a.ts
export function parse(text: string) { return text }
export function near(text: string) { return text }
export class Parser { static of() { return new Parser() } read() {} }
//- /b.ts
import { parse, near, Parser } from \"./a\"
import * as all from \"./a\"
export function passes(items: string[]) { return items.map(parse) }
export function member(items: string[]) { return items.map(all.parse) }
export function made() { return Parser.of() }
export function bound(parser: Parser) { return parser.read }
export function called() { return near(\"\") + all.near(\"\") }
export function one(items: string[]) { return all.sort(parse, parse) } function two() { return [parse] }
export function local(near: any) { return [near] }
export function unknown(x: any) { return x.parse }
",
        &[
            "a.ts::Parser.of > a.ts::Parser",
            "b.ts::bound > a.ts::Parser",
            "b.ts::bound > a.ts::Parser.read",
            "b.ts::made > a.ts::Parser",
            "b.ts::member > a.ts::parse",
            "b.ts::one > a.ts::parse",
            "b.ts::passes > a.ts::parse",
            "b.ts::two > a.ts::parse",
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
pub mod a;
pub fn passes(items: Vec<u32>) -> Vec<u32> { items.into_iter().map(a::double).collect() }
pub fn method(items: Vec<u32>) -> Vec<a::Size> { items.into_iter().map(a::Size::of).collect() }
pub fn called() -> u32 { a::double(1) }
pub fn local(double: fn(u32) -> u32) -> fn(u32) -> u32 { double }
//- /src/a.rs
pub struct Size(u32);
impl Size { pub fn of(size: u32) -> Size { Size(size) } }
pub fn double(size: u32) -> u32 { size * 2 }
",
        &[
            "src/a.rs > src/a.rs::Size",
            "src/a.rs::Size.of > src/a.rs::Size",
            "src/lib.rs::method > src/a.rs::Size",
            "src/lib.rs::method > src/a.rs::Size.of",
            "src/lib.rs::passes > src/a.rs::double",
        ],
    );
}

#[test]
fn go() {
    check(
        "\
//- /go.mod
module m
//- /a/a.go
package a
func Serve() {}
func Near() {}
//- /main.go
package main
import \"m/a\"
func own() {}
func passes() { handle(a.Serve); handle(own) }
func called() { a.Near(); own() }
func local(own func()) { handle(own) }
",
        &["main.go::passes > a/a.go::Serve", "main.go::passes > main.go::own"],
    );
}

#[test]
fn java() {
    check(
        "\
//- /p/Tool.java
package p;
public class Tool { static int twice(int x) { return x; } static int near(int x) { return x; } }
//- /p/Use.java
package p;
class Use {
    void passes() { apply(Tool::twice); }
    int called() { return Tool.near(1); }
    int local(int twice) { return twice; }
}
",
        &["p/Use.java::Use.called > p/Tool.java::Tool", "p/Use.java::Use.passes > p/Tool.java::Tool"],
    );
}

#[test]
fn cpp() {
    check(
        "\
//- /a.hpp
namespace n {
inline int twice(int x) { return x; }
inline int near(int x) { return x; }
}
//- /a.cpp
#include \"a.hpp\"
void passes() { apply(&n::twice); }
int called() { return n::near(1); }
int local(int twice) { return twice; }
",
        &["a.cpp::passes > a.hpp::twice"],
    );
}
