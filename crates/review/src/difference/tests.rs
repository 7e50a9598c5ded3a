use super::*;

/// A file on both sides: its path, the old text and the new one. An empty text stands for no file.
type TestFile<'a> = (&'a str, &'a str, &'a str);

fn describe(change: &DefinitionChange) -> String {
    let name = |side: &Option<DefinitionSide>| side.as_ref().map(DefinitionSide::qualified).unwrap_or_default();
    let (old, new) = (name(&change.old), name(&change.new));
    let names =
        if old.is_empty() || old == new || new.is_empty() { [old, new].concat() } else { format!("{old} -> {new}") };
    let names =
        if change.kind == DefinitionChangeKind::Added || change.old.is_none() { name(&change.new) } else { names };
    let names = match (&change.old, &change.new) {
        (Some(old), Some(new)) if old.qualified() == new.qualified() => old.qualified(),
        _ => names,
    };
    let details: Vec<String> = change.signature.iter().map(ToString::to_string).collect();
    let wire = change.wire_conflict.iter().map(|reason| format!("wire: {reason}"));
    let details: Vec<String> = details.into_iter().chain(wire).collect();
    let colon = if details.is_empty() { "" } else { ": " };
    format!("{:?} {names}{colon}{}", change.kind, details.join("; "))
}

fn check_files(files: &[TestFile<'_>], expected: &[&str]) {
    let facts = |path: &str, text: &str| syntax::extract(Language::of_path(path), text.as_bytes());
    let both: Vec<(FileFacts, FileFacts)> =
        files.iter().map(|(path, old, new)| (facts(path, old), facts(path, new))).collect();
    let contents: Vec<ChangedContent<'_>> = files
        .iter()
        .zip(&both)
        .map(|((path, old, new), (old_facts, new_facts))| ChangedContent {
            old: (!old.is_empty()).then_some(FileContent { path, facts: old_facts, bytes: old.as_bytes() }),
            new: (!new.is_empty()).then_some(FileContent { path, facts: new_facts, bytes: new.as_bytes() }),
        })
        .collect();
    let found: Vec<String> = differences(&contents).iter().map(describe).collect();
    assert_eq!(found, expected, "{files:?}");
}

fn check(path: &str, old: &str, new: &str, expected: &[&str]) {
    check_files(&[(path, old, new)], expected);
}

#[test]
fn python() {
    let path = "a.py";
    check(path, "def f(a, b=1): pass", "def f(a, b=1, *, c): pass", &["Signature f: new required parameter `c`"]);
    check(path, "def f(a): return 1", "def f(a): return 2", &["Body f"]);
    check(
        path,
        "def f(a: int) -> str: ...",
        "def f(a: str = '') -> bytes: ...",
        &["Signature f: type of parameter `a`: `int` to `str`; parameter `a` is optional now; type: `str` to `bytes`"],
    );
    check(
        path,
        "class A:\n  def m(self, x, y): pass",
        "class A:\n  def m(self, y, x): pass",
        &["Signature A.m: parameters in another order"],
    );
    check(
        path,
        "def f(a): pass",
        "async def f(b): pass",
        &["Signature f: parameter `a` renamed to `b`; `async` added"],
    );
    check(
        path,
        "class A:\n  x = 1\n  def m(self):\n    go()\n    run()\n",
        "class A:\n  def n(self):\n    go()\n    run()\n",
        &["Removed A.x", "Renamed A.m -> A.n"],
    );
    check(path, "def f(): pass\ndef g(): pass", "def g(): pass", &["Removed f"]);
    check(path, "def f():\n  def inner(a): pass\n", "def f():\n  def inner(b): pass\n", &["Body f"]);
    check(path, "LIMIT = 3", "LIMIT = 4", &["Body LIMIT"]);
    check(
        path,
        "class A:\n  def m(self): pass",
        "class A:\n  @property\n  def m(self): pass",
        &["Signature A.m: `property` added"],
    );
    check(
        path,
        "class A:\n  def m(self): go()\n  def n(self): run()",
        "class B:\n  def m(self): go()\n  def n(self, a): run()",
        &["Renamed A -> B", "Signature A.n -> B.n: new required parameter `a`"],
    );
    check(path, "def f(): pass", "f = g", &["Signature f: another declaration"]);
    check(path, "class A(Base): pass", "class A(Other): pass", &["Signature A: another declaration"]);
    check(
        path,
        "def f(*args, **kw): pass",
        "def f(first, /, *args, **kw): pass",
        &["Signature f: new required parameter `first`"],
    );
}

#[test]
fn moves_between_files() {
    let body = "def f(a):\n    go(a)\n    run(a)\n";
    check_files(&[("a.py", body, "x = 1\n"), ("b.py", "", body)], &["Moved f", "Added x"]);
}

#[test]
fn members_beside_a_renamed_type() {
    let types = "package a\n\ntype Client struct {\n\thost string\n\tport int\n}\n";
    let renamed = types.replace("Client", "Conn");
    let methods = "package a\n\nfunc (c *Client) Run(a int) { run(a) }\n\nfunc (o *Other) Stop() { stop() }\n";
    for (new_methods, expected) in [
        (
            methods.replace("*Client) Run(a int)", "*Conn) Run(a, b int)"),
            vec!["Renamed Client -> Conn", "Signature Client.Run -> Conn.Run: new required parameter `b`"],
        ),
        // A member of another type.
        (
            "package a\n\n\n\n\n\nfunc (c *Conn) Stop(b int) { close(b) }\n".to_owned(),
            vec!["Renamed Client -> Conn", "Removed Client.Run", "Removed Other.Stop", "Added Conn.Stop"],
        ),
    ] {
        check_files(&[("client.go", types, &renamed), ("ops.go", methods, &new_methods)], &expected);
    }
}

#[test]
fn typescript() {
    let path = "a.ts";
    check(
        path,
        "export function f(a: string, b?: number): void {}",
        "export function f(a: string, b: number): void {}",
        &["Signature f: parameter `b` is required now"],
    );
    check(
        path,
        "export const f = (a: string): X => a",
        "export const f = async (a: string, ...rest: Y[]): X => a",
        &["Signature f: new optional parameter `...rest`; `async` added"],
    );
    check(
        path,
        "export interface A { x: number }",
        "export interface A { x?: string; y: number }",
        &["Signature A.x: type: `number` to `string`; another declaration", "Added A.y"],
    );
    check(
        path,
        "export class A { m(a: X): Y { return 1 } }",
        "export class A { private m(a: X): Y { return 1 } }",
        &["Signature A.m: visibility: public to private"],
    );
    check(path, "export enum E { A, B }", "export enum E { A }", &["Removed E.B"]);
    check(
        path,
        "export class A { constructor(private x: X) {} }",
        "export class A { constructor(private x: X, y: Y) {} }",
        &["Signature A.constructor: new required parameter `y`"],
    );
}

#[test]
fn go() {
    let path = "a.go";
    check(
        path,
        "package a\nfunc F(a, b int) error { return nil }",
        "package a\nfunc F(ctx context.Context, a, b int) error { return nil }",
        &["Signature F: new required parameter `ctx`"],
    );
    check(
        path,
        "package a\nfunc (s *S) F(a int) (X, error) { return g() }",
        "package a\nfunc (s *S) F(a int, o ...Option) X { return g() }",
        &["Signature S.F: new optional parameter `...o`; type: `(X,error)` to `X`"],
    );
    check(
        path,
        "package a\ntype S struct { A int }",
        "package a\ntype S struct { A string\nB int }",
        &["Signature S.A: type: `int` to `string`", "Added S.B"],
    );
    check(
        path,
        "package a\ntype R interface { Run() error }",
        "package a\ntype R interface { Run() error\nStop() }",
        &["Added R.Stop"],
    );
}

#[test]
fn java() {
    let path = "A.java";
    // Members of an interface are public without the word.
    let interface = |word: &str, kind: &str| format!("{kind} A {{ {word}int f(); {word}int MAX = 1; }}");
    for (kind, expected) in [
        ("public interface", &["Body A.f", "Body A.MAX"][..]),
        ("public @interface", &["Body A.f", "Body A.MAX"][..]),
        (
            "public abstract class",
            &["Signature A.f: visibility: public to restricted", "Signature A.MAX: visibility: public to restricted"][..],
        ),
    ] {
        check(path, &interface("public ", kind), &interface("", kind), expected);
    }
    check(
        path,
        "interface A { default int f() { return 1; } }",
        "interface A { private int f() { return 1; } }",
        &["Signature A.f: visibility: public to private"],
    );
    check(
        path,
        "public class A { public void m(String a) throws X { go(); } }",
        "public class A { public void m(String a, int... b) throws Y { go(); } }",
        &["Signature A.m: new optional parameter `...b`; declared errors: `X` to `Y`"],
    );
    check(path, "class A { A(int a) {} A(int a, int b) {} }", "class A { A(int a, int b) {} }", &["Removed A.A"]);
    check(
        path,
        "class A { public int x; }",
        "class A { private long x; }",
        &["Signature A.x: type: `int` to `long`; visibility: public to private"],
    );
    check(path, "enum E { A, B }", "enum E { A, C }", &["Removed E.B", "Added E.C"]);
    check(
        path,
        "class A { public static X m() { return g(); } }",
        "class A { public Y m() { return g(); } }",
        &["Signature A.m: type: `X` to `Y`; `static` removed"],
    );
}

#[test]
fn rust() {
    let path = "a.rs";
    check(
        path,
        "pub fn f<T: Fn(u8) -> u8>(a: &str) -> Result<T, E> { g() }",
        "pub fn f<T: Fn(u8) -> u8>(a: String, b: u8) -> Result<T, F> { g() }",
        &[
            "Signature f: type of parameter `a`: `&str` to `String`; new required parameter `b`; type: `Result<T,E>` to `Result<T,F>`",
        ],
    );
    check(
        path,
        "struct S; impl S { pub fn m(&self) {} }",
        "struct S; impl S { fn m(&mut self) {} }",
        &["Signature S.m: receiver: `&self` to `&mut self`; visibility: public to private"],
    );
    check(
        path,
        "pub enum E { A, B(u8) }",
        "pub enum E { A, B(u16) }",
        &["Signature E.B: type of parameter `#1`: `u8` to `u16`"],
    );
    check(
        path,
        "pub trait T { fn a(&self); }",
        "pub trait T { fn a(&self) { g() } fn b(&self); }",
        &["Signature T.a", "Added T.b"],
    );
    check(path, "pub const N: u8 = 1;", "pub const N: u16 = 1;", &["Signature N: type: `u8` to `u16`"]);
}

#[test]
fn cpp() {
    let path = "a.hpp";
    check(
        path,
        "struct A { int m(const std::string& a, int b = 1) const; };",
        "struct A { int m(std::string a, int b) const; };",
        &["Signature A.m: type of parameter `a`: `const std::string&` to `std::string`; parameter `b` is required now"],
    );
    check(
        path,
        "template <typename T> void f(T&& a) { g(); }",
        "template <typename T> bool f(T&& a, int) { g(); }",
        &["Signature f: new required parameter `#2`; type: `void` to `bool`"],
    );
    check(path, "enum class E { A = 1, B };", "enum class E { A = 2 };", &["Removed E.B", "Body E.A"]);
    check(path, "struct A { int x; };", "struct A { long x; };", &["Signature A.x: type: `int` to `long`"]);
}

#[test]
fn protobuf() {
    let path = "a.proto";
    let file = |text: &str| format!("syntax = \"proto3\";\npackage a;\n{text}");
    let check = |old: &str, new: &str, expected: &[&str]| check(path, &file(old), &file(new), expected);
    check(
        "message M { string a = 1; int32 b = 2; }",
        "message M { string a = 3; int64 b = 2; }",
        &[
            "Signature M.a: type: `string=1` to `string=3`; wire: number 1 to 3",
            "Signature M.b: type: `int32=2` to `int64=2`",
        ],
    );
    check(
        "service S { rpc Get(A) returns (B); }",
        "service S { rpc Get(A) returns (stream B); }",
        &["Signature S.Get: type: `returns(B)` to `returns(stream B)`; wire: other messages than before"],
    );
    check(
        "service S { rpc Get(A) returns (B); rpc Put(A) returns (B); }",
        "service S { rpc Get(A) returns (B); }",
        &["Removed S.Put: wire: clients still call it"],
    );
}

#[test]
fn definitions_move_with_their_file() {
    let text = "class A:\n  def m(self): pass\n\ndef f(): pass\n";
    let facts = syntax::extract(Language::Python, text.as_bytes());
    let side = |path| Some(FileContent { path, facts: &facts, bytes: text.as_bytes() });
    let found = differences(&[ChangedContent { old: side("a/one.py"), new: side("b/one.py") }]);
    let found: Vec<String> = found.iter().map(describe).collect();
    assert_eq!(found, ["Moved A", "Moved f"]);
}

/// Users of a function whose parameter has a renamed type pass the same values as before.
#[test]
fn new_names_of_types_are_no_change_of_other_declarations() {
    let python = |name: &str, more: &str| {
        format!(
            "class {name}:\n  def __init__(self, args):\n    self.args = args\n    self.rest = list(args)\n\n\n\
             def f(state: {name}, other: \"{name}\") -> {name}:\n  pass\n{more}"
        )
    };
    let (old, new) = (python("State", ""), python("_State", ""));
    check("a.py", &old, &new, &["Renamed State -> _State: visibility: public to private", "Body f"]);
    // Another difference remains.
    let other = new.replace("other: \"_State\"", "other: int");
    check(
        "a.py",
        &old,
        &other,
        &[
            "Renamed State -> _State: visibility: public to private",
            "Signature f: type of parameter `other`: `\"_State\"` to `int`",
        ],
    );
    // A type with the old name is still there.
    let both = python("_State", "\n\nclass State:\n  pass\n");
    let changes = {
        let facts = |text: &str| syntax::extract(Language::Python, text.as_bytes());
        let (old_facts, new_facts) = (facts(&old), facts(&both));
        let content = ChangedContent {
            old: Some(FileContent { path: "a.py", facts: &old_facts, bytes: old.as_bytes() }),
            new: Some(FileContent { path: "a.py", facts: &new_facts, bytes: both.as_bytes() }),
        };
        differences(&[content]).iter().map(describe).collect::<Vec<_>>()
    };
    assert!(changes.iter().any(|change| change.starts_with("Signature f: type of parameter `state`")), "{changes:?}");
}
