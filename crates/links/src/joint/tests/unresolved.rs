//! Uses that inference does not resolve: accesses, calls and imports.

use super::*;

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
fn a_member_of_a_function_with_an_unknown_decorator_may_be_any() {
    let (found, _) = links(
        "//- app/a.py
from far import keep
from kit import Url
class Response:
    @keep
    def url(self) -> Url: ...
    def path(self): ...
    @property
    def own(self) -> Url: ...
def f(r: Response):
    r.url.origin()
    r.path.origin()
    r.own.origin()
    r.url.missing()
//- kit/kit.py
class Url:
    def origin(self): ...
",
    );
    let lines: Vec<u32> = found.unresolved["origin"].sites.iter().map(|call| call.site.line).collect();
    // A function without decorators has no members, and the result of a property is known.
    assert_eq!((found.unresolved.len(), lines), (1, vec![10]));
}

#[test]
fn unresolved_calls_are_shared_in_the_proportion_of_known_ones() {
    let (found, _) = links(
        "//- app/package.json
{\"dependencies\": {\"kit\": \"1\"}}
//- app/a.ts
import { Pool } from 'kit';
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
fn a_call_probably_means_a_method_of_a_type_that_its_file_knows() {
    for (text, expected) in [
        ("import { Wire } from 'kit';", 1.0),
        // The file uses a member of the type, which it does not name.
        ("import { wire } from 'kit';\nwire.close();", 1.0),
        ("import { other } from 'kit';", 0.0),
    ] {
        let (found, _) = links(&format!(
            "//- app/package.json
{{\"dependencies\": {{\"kit\": \"1\"}}}}
//- app/a.ts
import {{ Pool }} from 'kit';
export function f(pool: Pool) {{ pool.send(1); pool.send(2); pool.send(3); }}
//- app/b.ts
{text}
export function g(x) {{ x.send(1); x.send(2); }}
//- kit/package.json
{{\"name\": \"kit\", \"main\": \"index.ts\"}}
//- kit/index.ts
export class Pool {{ send(n: number) {{}} }}
export class Wire {{ send(n: number) {{}} close() {{}} }}
export const wire = new Wire();
export const other = 1;
"
        ));
        let of_name = &found.unresolved["send"];
        assert_eq!(of_name.expected_calls_of(1).round(), expected, "{text}: {of_name:?}");
    }
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
