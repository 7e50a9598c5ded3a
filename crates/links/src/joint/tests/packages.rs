//! Repositories of which a name is: declared packages, the own package, and none.

use super::*;

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
