//! File doc.
#![allow(dead_code)]

use std::collections::{HashMap, hash_map::Entry as E, self};
pub use crate::a::b::*;
use serde as s;
extern crate alloc;
pub mod other;

/// Doc of MAX.
pub const MAX: usize = 3;
static mut COUNT: Counter = Counter::new();

/// Doc of Server.
#[derive(Debug, Clone, serde::Serialize)]
#[tracing::instrument(skip(a))]
pub struct Server<T> {
    /// The name.
    pub name: String,
    inner: Arc<Inner<T>>,
}

union U { a: u32 }
enum Mode { Fast, Slow(u8), Named { a: Part } }
type Alias = Vec<Server<u8>>;

trait Run: Base + Send {
    type Out;
    const N: u32;
    fn run(&self) -> Self::Out;
    fn go(&self) { self.run(); }
}

impl<T: Bound> Run for Server<T> {
    fn run(&self) -> Response {
        let r = Request { name: "x", part: parts::Part {} };
        helper(1, |x| x.inner());
        self.inner.lock().unwrap().send::<u8>(r);
        Server::<T>::make(Mode::Fast);
        println!("{}", self.count(1) + a::b::total(&x[0]));
        macros::call!(x);
        fn local() {}
    }
}

mod nested {
    impl super::Server<u8> {
        pub(crate) async fn make() -> Self { todo!() }
    }
}

macro_rules! mac { ($a:expr) => { ignored($a) }; }

extern "C" { fn ffi(a: u32); }
