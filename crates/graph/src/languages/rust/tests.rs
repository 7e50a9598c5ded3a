use crate::testing::check_calls;

#[test]
fn names_resolve_through_modules_and_reexports() {
    check_calls(
        "//- /src/lib.rs\nmod a;\nmod deep;\npub use deep::inner::*;\nuse self::a::{f as g, Kind};\nfn run() { g(); h(); a::f(); crate::deep::inner::h(); Kind::make(); }\n\
         //- /src/a.rs\npub fn f() { super::deep::up() }\npub enum Kind { A }\nimpl Kind { pub fn make() {} }\n\
         //- /src/deep/mod.rs\npub mod inner;\npub(crate) fn up() {}\n\
         //- /src/deep/inner.rs\npub fn h() {}\n",
        &[
            "src/a.rs::f -calls-> src/deep/mod.rs::up",
            "src/lib.rs::run -calls-> src/a.rs::Kind.make",
            "src/lib.rs::run -calls-> src/a.rs::f",
            "src/lib.rs::run -calls-> src/deep/inner.rs::h",
        ],
    );
}

#[test]
fn crates_resolve_by_their_manifests() {
    check_calls(
        "//- /Cargo.toml\n[package]\nname = \"app\"\n[[bin]]\npath = \"core/main.rs\"\n[dependencies]\nmy-lib = { path = \"lib\" }\nother = { package = \"my-lib\", path = \"lib\" }\nmissing = \"1\"\n\
         //- /core/main.rs\nmod inner;\nfn main() { my_lib::part::f(); other::g(); missing::f(); inner::run() }\n\
         //- /core/inner.rs\npub fn run() { my_lib::again::f() }\n\
         //- /lib/Cargo.toml\n[package]\nname = \"my-lib\"\n\
         //- /lib/src/lib.rs\npub mod part;\npub use part as again;\npub fn g() {}\n\
         //- /lib/src/part.rs\npub fn f() {}\n",
        &[
            "core/inner.rs::run -calls-> lib/src/part.rs::f",
            "core/main.rs::main -calls-> core/inner.rs::run",
            "core/main.rs::main -calls-> lib/src/lib.rs::g",
            "core/main.rs::main -calls-> lib/src/part.rs::f",
        ],
    );
}

#[test]
fn a_file_of_no_crate_has_the_dependencies_of_its_package() {
    check_calls(
        "//- /app/Cargo.toml\n[package]\nname = \"app\"\n[dependencies]\nlib = { path = \"../lib\" }\n\
         //- /app/src/lib.rs\nother! { mod lost }\n//- /app/src/lost.rs\nuse lib::f;\nfn run() { f(); }\n\
         //- /lib/Cargo.toml\n[package]\nname = \"lib\"\n//- /lib/src/lib.rs\npub fn f() {}\n\
         //- /elsewhere/lost.rs\nuse lib::f;\nfn run() { f(); }\n",
        &["app/src/lost.rs::run -calls-> lib/src/lib.rs::f"],
    );
}

#[test]
fn path_modules_inline_modules_and_function_imports() {
    check_calls(
        "//- /src/lib.rs\n#[path = \"odd/place.rs\"]\nmod place;\nmod block { pub fn f() { super::top() } pub mod low; }\nfn top() {\nuse place::h;\nh(); block::f(); block::low::l();\nfn local() {}\nlocal() }\n\
         //- /src/odd/place.rs\npub fn h() {}\n//- /src/block/low.rs\npub fn l() {}\n",
        &[
            "src/lib.rs::block.f -calls-> src/lib.rs::top",
            "src/lib.rs::top -calls-> src/block/low.rs::l",
            "src/lib.rs::top -calls-> src/lib.rs::block.f",
            "src/lib.rs::top -calls-> src/lib.rs::top.local",
            "src/lib.rs::top -calls-> src/odd/place.rs::h",
        ],
    );
}

/// A trait and types, to which each test adds a caller.
const TYPES: &str = "//- /src/lib.rs
pub trait Shape { type Part: Shape; fn area(&self) -> f64; fn twice(&self) -> f64 { self.area() } fn part(&self) -> Self::Part; }
pub struct Square { side: Side } pub struct Side(Length); pub struct Length;
impl Shape for Square { type Part = Side; fn area(&self) -> f64 { 0.0 } fn part(&self) -> Self::Part { todo() } }
impl Square { pub fn new() -> Self { todo() } pub fn wide(&mut self, n: u8) -> &mut Self { self } pub fn end(&self) -> Option<Side> { None } }
impl Shape for Side { type Part = Side; fn area(&self) -> f64 { 1.0 } fn part(&self) -> Side { todo() } }
impl Side { pub fn len(&self) -> Length { todo() } }
impl Length { pub fn go(&self) {} }
";

/// Checks which definitions `run` calls with this body and these parameters.
#[track_caller]
fn check_run(parameters: &str, body: &str, expected: &[&str]) {
    let fixture = format!("{TYPES}fn run{parameters} {{ {body} }}\n");
    let all = crate::testing::edges(&fixture, crate::EdgeKind::Calls);
    let called: Vec<&str> =
        all.iter().filter_map(|line| line.strip_prefix("src/lib.rs::run -calls-> src/lib.rs::")).collect();
    assert_eq!(called, expected, "{body}");
}

#[test]
fn inherent_methods_precede_trait_methods() {
    for (parameters, body, expected) in [
        ("()", "Square::new().wide(1).wide(2).area();", &["Square.area", "Square.new", "Square.wide"][..]),
        ("(s: &Square)", "s.twice();", &["Shape.twice"]),
        ("(s: &dyn Shape)", "s.area();", &["Shape.area"]),
        ("(s: impl Shape)", "s.part().area();", &["Shape.area", "Shape.part"]),
        ("(s: Square)", "s.part().area();", &["Side.area", "Square.part"]),
        ("(s: Square)", "Shape::area(&s);", &["Square.area"]),
        ("<T: Shape>(s: Box<T>)", "s.area();", &["Shape.area"]),
        ("<T>(s: T) where T: Shape", "T::area(&s);", &["Shape.area"]),
    ] {
        check_run(parameters, body, expected);
    }
}

#[test]
fn types_pass_through_the_standard_library() {
    for (parameters, body, expected) in [
        ("(s: &[Square])", "for q in s { q.end(); }", &["Square.end"][..]),
        (
            "(s: Vec<Square>)",
            "s.iter().filter_map(|q| q.end()).for_each(|e| e.area().go());",
            &["Side.area", "Square.end"],
        ),
        ("(s: Option<Side>)", "if let Some(Side(l)) = s { l.go(); }", &["Length.go"]),
        ("(s: Option<Side>)", "s.map(|d| d.len()).unwrap().go();", &["Length.go", "Side.len"]),
        (
            "(s: Rc<RefCell<Square>>)",
            "s.borrow_mut().wide(1); s.clone().borrow().end();",
            &["Square.end", "Square.wide"],
        ),
        ("(s: HashMap<u8, Side>)", "for (_, d) in &s { d.len(); } s.get(&1)?.len().go();", &["Length.go", "Side.len"]),
        ("()", "let mut v = Vec::new(); v.push(Square::new()); v[0].end();", &["Square.end", "Square.new"]),
        (
            "(s: Vec<Square>)",
            "let v: Vec<_> = s.into_iter().map(|q| q.part()).collect(); v[0].len();",
            &["Side.len", "Square.part"],
        ),
        ("(s: impl Unknown)", "s.items().filter(|_| true).collect::<Length>().go();", &["Length.go"]),
        (
            "()",
            "println!(\"{}\", Square::new().end().unwrap().len()); assert!(vec![Square::new()][0].end());",
            &["Side.len", "Square.end", "Square.new"],
        ),
        (
            "(s: Square)",
            "let Square { side } = s; side.0.go(); match s.end() { Some(d) if d.len() => d.len().go(), None => {} }",
            &["Length.go", "Side.len", "Square.end"],
        ),
        ("(f: impl Fn(&Square) -> Side)", "f(&x).len();", &["Side.len"]),
    ] {
        check_run(parameters, body, expected);
    }
}

#[test]
fn generics_are_inferred_from_arguments_and_receivers() {
    check_calls(
        "//- /src/lib.rs
struct Bag<T> { items: Vec<T>, first: T }
impl<X: Run> Bag<X> { fn of(first: X) -> Bag<X> { todo() } fn get(&self) -> &X { self.first.run(); &self.first } fn each<U>(&self, f: impl Fn(&X) -> U) -> U { f(&self.first) } }
trait Run { fn run(&self); }
struct A; struct B;
impl A { fn b(&self) -> B { B } } impl B { fn end(&self) {} }
impl Run for A { fn run(&self) {} }
fn go(a: A) { Bag::of(a).each(|x| x.b()).end(); }
fn told(bag: &Bag<A>) { bag.get().run(); }
",
        &[
            "src/lib.rs::Bag.get -calls-> src/lib.rs::Run.run",
            "src/lib.rs::go -calls-> src/lib.rs::A.b",
            "src/lib.rs::go -calls-> src/lib.rs::B.end",
            "src/lib.rs::go -calls-> src/lib.rs::Bag.each",
            "src/lib.rs::go -calls-> src/lib.rs::Bag.of",
            "src/lib.rs::told -calls-> src/lib.rs::A.run",
            "src/lib.rs::told -calls-> src/lib.rs::Bag.get",
        ],
    );
}

#[test]
fn the_linux_variant_wins_among_conditional_definitions() {
    check_calls(
        "//- /src/lib.rs\n#[cfg(unix)]\nfn f() {}\n#[cfg(not(unix))]\nfn f() { g() }\nfn g() { f() }\n",
        &["src/lib.rs::f -calls-> src/lib.rs::g", "src/lib.rs::g -calls-> src/lib.rs::f"],
    );
}

#[test]
fn recursion_terminates() {
    check_calls(
        "//- /src/lib.rs\nmod a;\nmod b;\nuse a::*;\ntrait T: U {}\ntrait U: T {}\nfn f(t: impl T) { g(); t.h(); let x = x.y(); x.z() }\n\
         //- /src/a.rs\npub use crate::b::*;\n//- /src/b.rs\npub use crate::a::*;\n",
        &[],
    );
}

#[test]
fn mutual_glob_imports_terminate() {
    let modules = 30;
    let all: String = (0..modules).map(|other| format!("pub use crate::m{other}::*;\n")).collect();
    let blocks: String =
        (0..modules).map(|module| format!("pub mod m{module} {{\n{all}fn f() {{ g{module}() }}\n}}\n")).collect();
    check_calls(&format!("//- /src/lib.rs\n{blocks}"), &[]);
}

#[test]
fn macro_and_external_types_have_local_impls() {
    check_calls(
        "//- /src/lib.rs
pin_project! { pub struct Made { a: u8 } }
impl Made { fn new() -> Self { todo() } fn go(&self) {} }
trait Show { fn show(&self); }
impl Show for Status { fn show(&self) {} }
use http::Status;
mod low { pub fn f() {} pub mod lower {} }
use low::{lower::X, *};
struct Holder { call: Box<dyn Fn()> }
impl Holder { fn call(&self) { (self.call)() } }
fn run(s: Status) { Made::new().go(); s.show(); Status::GONE.show(); f(); }
",
        &[
            "src/lib.rs::run -calls-> src/lib.rs::Made.go",
            "src/lib.rs::run -calls-> src/lib.rs::Made.new",
            "src/lib.rs::run -calls-> src/lib.rs::Status.show",
            "src/lib.rs::run -calls-> src/lib.rs::low.f",
        ],
    );
}

#[test]
fn parameters_of_types_have_their_defaults() {
    check_calls(
        "//- /src/lib.rs\npub struct Value;\nimpl Value { pub fn len(&self) {} }\npub struct Map<T = Value> { first: T }\nimpl<T> Map<T> { pub fn get(&self) -> &T { &self.first } }\n\
         fn f(map: &Map, other: Map<u8>) { map.get().len(); other.get().len(); }\n",
        &["src/lib.rs::f -calls-> src/lib.rs::Map.get", "src/lib.rs::f -calls-> src/lib.rs::Value.len"],
    );
}

#[test]
fn values_that_are_ready_are_typed() {
    check_calls(
        "//- /src/lib.rs\nuse std::task::{Poll, ready};\npub struct Frame;\nimpl Frame { pub fn data(&self) {} pub fn trailers(&self) {} }\n\
         fn poll() -> Poll<Option<Frame>> { Poll::Pending }\n\
         fn f() { if let Some(frame) = ready!(poll()) { frame.data() } }\n\
         fn g() { match poll() { Poll::Ready(Some(frame)) => frame.trailers(), _ => {} } }\n",
        &[
            "src/lib.rs::f -calls-> src/lib.rs::Frame.data",
            "src/lib.rs::f -calls-> src/lib.rs::poll",
            "src/lib.rs::g -calls-> src/lib.rs::Frame.trailers",
            "src/lib.rs::g -calls-> src/lib.rs::poll",
        ],
    );
}

#[test]
fn a_method_of_a_library_type_comes_before_those_of_traits() {
    check_calls(
        "//- /src/lib.rs\npub trait Key { fn find(&self, n: u8) -> u8; fn key(&self) -> u8; }\n\
         impl Key for str { fn find(&self, n: u8) -> u8 { n } fn key(&self) -> u8 { 1 } }\n\
         fn f(s: &str) { s.find('=').unwrap(); s.key(); }\n",
        &["src/lib.rs::f -calls-> src/lib.rs::str.key"],
    );
}

#[test]
fn a_future_that_is_a_parameter_gives_its_output() {
    let shared = "//- /src/lib.rs\nuse std::{future::Future, pin::Pin, task::{ready, Context}};\n\
        pub struct Reply<B> { body: B }\nimpl<B> Reply<B> { pub fn map(self) {} }\npub struct Own;\n\
        impl Own { fn poll(self) -> u8 { 1 } }\npin_project! { pub struct Fut<F> { #[pin] inner: F } }\n";
    for (bounds, value, expected) in [
        ("F: Future<Output = Result<Reply<B>, E>>", "ready!(self.project().inner.poll(cx)?)", "Reply.map"),
        ("F: Send + Future<Output = Result<Reply<B>, E>>", "ready!(self.project().inner.poll(cx))?", "Reply.map"),
        ("F: Future<Output = Reply<B>>", "{ let inner = self.project().inner; ready!(inner.poll(cx)) }", "Reply.map"),
        ("F: Future<Output = Result<Reply<B>, E>>", "self.inner.await?", "Reply.map"),
        ("F: Future<Output = Reply<B>>", "self.inner.poll(cx)", ""),
        ("F: Send", "ready!(self.project().inner.poll(cx)?)", ""),
        ("F: Into<Own>", "Own.poll()", "Own.poll"),
    ] {
        let source = format!(
            "{shared}impl<F, B, E> Future for Fut<F> where {bounds} {{\n\
             fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) {{ let value = {value}; value.map(); }}\n}}\n"
        );
        let expected: Vec<String> = expected
            .split_whitespace()
            .map(|callee| format!("src/lib.rs::Fut.poll -calls-> src/lib.rs::{callee}"))
            .collect();
        check_calls(&source, &expected.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

#[test]
fn a_projection_has_the_fields_of_its_type() {
    check_calls(
        "//- /src/lib.rs
pin_project! { pub struct Both { #[pin] state: State, part: Option<Part>, #[pin] inner: Option<Inner> } }
pin_project! { #[project = StateProj] enum State { First { part: Part }, Second(Inner) } }
pub struct Part; impl Part { pub fn go(&self) {} pub fn stop(&self) {} }
pub struct Inner; impl Inner { pub fn poll(self: Pin<&mut Self>) {} pub fn end(self: Pin<&mut Self>) {} }
impl Both {
    fn field(self: Pin<&mut Self>) { let this = self.project(); this.part.take().unwrap().go(); }
    fn pinned(mut self: Pin<&mut Self>) { self.as_mut().project().inner.as_pin_mut().unwrap().poll(); }
    fn variant(self: Pin<&mut Self>) { match self.project().state.as_mut().project() {
        StateProj::First { part } => part.stop(), State::First { part } => part.go(),
        StateProj::Second(inner) => inner.end(),
    } }
    fn replaced(&mut self) { std::mem::replace(&mut self.part, None).unwrap().go(); mem::take(&mut self.part).unwrap().stop(); }
}
",
        &[
            "src/lib.rs::Both.field -calls-> src/lib.rs::Part.go",
            "src/lib.rs::Both.pinned -calls-> src/lib.rs::Inner.poll",
            "src/lib.rs::Both.replaced -calls-> src/lib.rs::Part.go",
            "src/lib.rs::Both.replaced -calls-> src/lib.rs::Part.stop",
            "src/lib.rs::Both.variant -calls-> src/lib.rs::Inner.end",
            "src/lib.rs::Both.variant -calls-> src/lib.rs::Part.go",
            "src/lib.rs::Both.variant -calls-> src/lib.rs::Part.stop",
        ],
    );
}

#[test]
fn a_blanket_trait_of_another_crate_has_its_methods() {
    check_calls(
        "//- /app/Cargo.toml
[package]
name = \"app\"
[dependencies]
service = { path = \"../service\" }
ext = { path = \"../ext\" }
//- /app/src/lib.rs
use ext::{util::{Boxed, Once}, Ext};
use service::Service;
pub struct Route<E = Infallible>(Boxed<Request, Response, E>);
impl<E> Route<E> {
    fn owned(self) { Once::new(self.0.oneshot(1)) }
    fn copied(&self) { Once::new(self.0.clone().oneshot(1)) }
}
async fn each<M, S>(make: &mut M) where M: for<'a> Service<Stream<'a>, Response = S> + Send + 'static, S: Service<Request> + Clone {
    make.ready().await;
    make.call(Stream { a: 1 }).await;
}
//- /ext/Cargo.toml
[package]
name = \"ext\"
[dependencies]
service = { path = \"../service\" }
//- /ext/src/lib.rs
pub mod util;
pub use self::util::Ext;
//- /ext/src/util.rs
mod boxed;
pub use self::boxed::Boxed;
pub trait Ext<R>: service::Service<R> {
    fn oneshot(self, r: R) -> u8 where Self: Sized { 1 }
    fn ready(&mut self) -> Ready<'_, Self, R> where Self: Sized { Ready::new(self) }
}
impl<T: ?Sized, R> Ext<R> for T where T: service::Service<R> {}
//- /ext/src/util/boxed.rs
use service::Service;
pub struct Boxed<T, U, E>(Box<dyn CloneService<T, Response = U, Error = E> + Send + Sync>);
impl<T, U, E> Service<T> for Boxed<T, U, E> { type Response = U; type Error = E; type Future = BoxFuture<'static, Result<U, E>>; fn call(&mut self, t: T) -> Self::Future { self.0.call(t) } }
impl<T, U, E> Clone for Boxed<T, U, E> { fn clone(&self) -> Self { Self(self.0.clone_box()) } }
trait CloneService<R>: Service<R> { fn clone_box(&self) -> Box<dyn CloneService<R>>; }
//- /service/Cargo.toml
[package]
name = \"service\"
//- /service/src/lib.rs
pub trait Service<R> { type Response; type Error; type Future: Future<Output = Result<Self::Response, Self::Error>>; fn call(&mut self, r: R) -> Self::Future; }
",
        &[
            "app/src/lib.rs::Route.copied -calls-> ext/src/util.rs::Ext.oneshot",
            "app/src/lib.rs::Route.copied -calls-> ext/src/util/boxed.rs::Boxed.clone",
            "app/src/lib.rs::Route.owned -calls-> ext/src/util.rs::Ext.oneshot",
            "app/src/lib.rs::each -calls-> ext/src/util.rs::Ext.ready",
            "app/src/lib.rs::each -calls-> service/src/lib.rs::Service.call",
            "ext/src/util/boxed.rs::Boxed.call -calls-> service/src/lib.rs::Service.call",
            "ext/src/util/boxed.rs::Boxed.clone -calls-> ext/src/util/boxed.rs::CloneService.clone_box",
        ],
    );
}
