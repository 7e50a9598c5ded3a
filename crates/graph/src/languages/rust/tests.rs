use crate::testing::edges;
#[test]
fn show() {
    for l in edges(r#"
//- /Cargo.toml
[package]
name = "app"
[[bin]]
path = "core/main.rs"
[dependencies]
grep = { version = "1", path = "crates/grep" }
ignore = { version = "0.4.29", path = "crates/ignore" }
//- /crates/grep/Cargo.toml
[package]
name = "grep"
[dependencies]
ignore = { version = "0.4.29", path = "../ignore" }
//- /crates/grep/src/lib.rs
pub extern crate ignore as ig;
//- /crates/ignore/Cargo.toml
[package]
name = "ignore"
//- /crates/ignore/src/lib.rs
pub mod overrides;
//- /crates/ignore/src/overrides.rs
pub struct Override;
impl Override { pub fn empty() -> Override { Override } pub fn go(&self) {} }
//- /core/main.rs
mod glue;
mod flags;
fn main() { ignore::overrides::Override::empty().go(); let x = grep::ig::overrides::Override::empty(); x.go(); }
//- /core/flags.rs
fn main() { ignore::overrides::Override::empty().go(); let x = grep::ig::overrides::Override::empty(); x.go(); }
//- /core/glue.rs
pub struct Core<'s, M: 's, S> { a: M, s: S }
impl<'s, M: Matcher, S: Sink> Core<'s, M, S> { fn begin(&self) -> Result<bool, S::Error> { } fn pos(&self) -> usize {} }
pub trait Matcher { fn f(&self); }
pub trait Sink { type Error: SinkError; fn s(&self) -> Result<u8, Self::Error>; }
pub trait SinkError: Sized { fn error_io() -> Self; fn k(&self) {} }
struct ReadByLine<'s, M, R, S> { core: Core<'s, M, S>, r: R }
impl<'s, M, R, S> ReadByLine<'s, M, R, S> where M: Matcher, S: Sink {
    fn run(mut self) -> Result<(), S::Error> {
        if self.core.begin()? { while self.fill()? { self.core.pos(); } }
        let e = S::Error::error_io();
        e.k();
        self.core.pos();
        if let Err(e) = self.core.begin() { e.k(); }
        self.core.a.f();
    }
    fn fill(&mut self) -> Result<bool, S::Error> { self.core.pos() }
}
"#, crate::EdgeKind::Calls) { println!("{l}"); }
panic!();
}
