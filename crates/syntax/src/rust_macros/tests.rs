use model::Language;

use crate::code::testing::print_code;

/// Checks the definitions (`Container.name:line`), the blocks with members, and the calls (`line caller: call`) of a source.
#[track_caller]
fn check(source: &str, definitions: &[&str], extensions: &[&str], calls: &[&str]) {
    let facts = crate::extract(Language::Rust, source.as_bytes());
    let named = facts.definitions.iter().filter(|one| one.kind != model::SymbolKind::Macro);
    let found: Vec<String> =
        named.map(|one| format!("{}:{}", model::symbol::qualify(&one.container, &one.name), one.name_line)).collect();
    assert_eq!(found, definitions, "{source}");
    let code = print_code(Language::Rust, source);
    let found: Vec<&str> = code.iter().filter_map(|line| line.strip_prefix("extend ")).collect();
    assert_eq!(found, extensions, "{source}");
    let is_call = |line: &&String| line.contains(" in ") && !line.ends_with("!()") && !line.starts_with("extend");
    let found: Vec<&str> = code.iter().filter(is_call).map(String::as_str).collect();
    assert_eq!(found, calls, "{source}");
}

#[test]
fn implementations_of_traits_are_known_without_definitions() {
    check(
        "macro_rules! each {\n    ($($t:ty)*) => {$(\n        impl Sized2 for $t { fn size(&self) -> usize { count(self) } }\n    )*};\n}\neach! { u8 Vec<Vec<u8>> &'static str\n [u8; 4] }\n",
        &[],
        &["Sized2 for u8 with ", "Sized2 for Vec<Vec<u8>> with ", "Sized2 for str with ", "Sized2 for [u8] with "],
        &["3 in -: count(this)", "3 in -: count(this)", "3 in -: count(this)", "3 in -: count(this)"],
    );
}

#[test]
fn names_that_the_invocation_writes_are_definitions() {
    check(
        "macro_rules! ids {\n    ($($(#[$doc:meta])* $name:ident;)*) => {$(\n        $(#[$doc])* pub struct $name(pub u32);\n        impl $name { pub fn index(self) -> usize { self.0 as usize } }\n    )*};\n}\nids! {\n    /// A.\n    A;\n    #[derive(Debug)]\n    B;\n}\n",
        &["A:9", "B:11"],
        &["A with ", "B with "],
        &[],
    );
    check(
        "struct S;\nmacro_rules! getters { ($of:ident: $($name:ident -> $t:ty),* $(,)?) => { impl $of { $(pub fn $name(&self) -> $t { self.read() })* } }; }\nmod m {\n    getters!(S: width -> u8,\n        height -> Option<u8>,);\n}\n",
        &["S:1", "m:3", "m.S.width:4", "m.S.height:5"],
        &["S with width, height"],
        &["2 in width: this.read()", "2 in height: this.read()"],
    );
}

#[test]
fn members_of_a_block_can_be_expanded() {
    check(
        "macro_rules! forward { ($($base:ident :: $method:ident (self $(, $arg:ident : $ty:ty)*) -> $ret:ty;)*) => {$(\n fn $method(self $(, $arg: $ty)*) -> $ret { $base::$method(self $(, $arg)*) }\n)*}; }\nimpl<T> Own for T {\n    forward! {\n        Float::sqrt(self) -> Self;\n        Float::powf(self, n: u8) -> Self;\n    }\n}\nimpl S {\n    forward! { Float::cos(self) -> Self; }\n}\n",
        &["S.cos:11"],
        &["Own for T with ", "S with cos"],
        &["2 in -: Float::sqrt(this)", "2 in -: Float::powf(this, n)", "2 in cos: Float::cos(this)"],
    );
}

#[test]
fn expansions_are_expanded_again() {
    check(
        "macro_rules! one { ($t:ty, $f:expr) => { impl One for $t { fn one() -> u8 { $f + 1 } } }; }\nmacro_rules! all { ($f:expr; $($t:ty),+) => { $(one!($t, $f);)+ }; }\nall!(low() * 2; u8, u16);\n",
        &[],
        &["One for u8 with ", "One for u16 with "],
        &["3 in -: low()", "3 in -: low()"],
    );
}

#[test]
fn the_first_rule_that_fits_is_expanded() {
    let macros = "macro_rules! m {\n (@low $t:ty) => { impl Low for $t {} };\n ($t:ty as $u:ty) => { impl As<$u> for $t {} };\n ($t:ty) => { impl Plain for $t {} };\n}\n";
    for (invocation, expected) in [
        ("m!(@low u8);", &["Low for u8 with "][..]),
        ("m!(u8 as u16);", &["As<u16> for u8 with "]),
        ("m!(B<C>);", &["Plain for B<C> with "]),
        ("m!(u8, u16);", &[]),
        ("n!(u8);", &[]),
    ] {
        check(&format!("{macros}{invocation}\n"), &[], expected, &[]);
    }
}

#[test]
fn an_uncertain_expansion_is_none() {
    for source in [
        // A fragment that is not supported may fit, so the next rule must not be taken.
        "macro_rules! m { ($s:stmt) => { impl A for u8 {} }; ($($t:tt)*) => { impl B for u8 {} }; }\nm!(x);\n",
        // A macro of another file, and one that is defined later.
        "other!(u8);\n",
        "m!(u8);\nmacro_rules! m { ($t:ty) => { impl A for $t {} }; }\n",
        // No items, and repetitions of different lengths.
        "macro_rules! m { ($t:ty) => { impl $t for { }; }\nm!(u8);\n",
        "macro_rules! m { ($($t:ty)*; $($u:ty)*) => { $(impl A<$u> for $t {})* }; }\nm!(u8 u16; u32);\n",
        "macro_rules! m { ($t:ty) => { impl A for $u {} }; }\nm!(u8);\n",
        // Recursion without an end.
        "macro_rules! m { ($t:ty) => { m!($t); m!(&$t); }; }\nm!(u8);\n",
    ] {
        check(source, &[], &[], &[]);
    }
    let in_block = "mod a {\n    macro_rules! m { ($t:ty) => { impl A for $t {} }; }\n}\nm!(u8);\n";
    check(in_block, &["a:1"], &[], &[]);
}

#[test]
fn a_token_that_several_definitions_use_belongs_to_none() {
    let source =
        "macro_rules! ids { ($t:ty; $($n:ident),*) => { $(pub struct $n(pub $t);)* }; }\nids!(u32;\n A,\n B);\n";
    let facts = crate::extract(Language::Rust, source.as_bytes());
    let found: Vec<_> =
        facts.definitions[1..].iter().map(|one| (one.name.as_str(), one.parent, one.lines.start)).collect();
    assert_eq!(found, [("A", None, 3), ("B", None, 4)]);
}

#[test]
fn deep_types_are_read_within_a_limit() {
    let deep = "dyn Fn() ->\n".repeat(100_000);
    let source = format!("macro_rules! m {{ ($t:ty) => {{ impl A for $t {{}} }}; }}\nm!({deep} u8);\n");
    assert_eq!(crate::extract(Language::Rust, source.as_bytes()).code.extensions.len(), 0);
}

#[test]
fn expansions_do_not_outgrow_their_file() {
    let doubling = "macro_rules! m { ($($t:tt)*) => { n!($($t)* $($t)*); }; }\nmacro_rules! n { ($($t:tt)*) => { m!($($t)* $($t)*); fn f() {} }; }\n";
    let source = format!("{doubling}m!({});\n", "a\n".repeat(20_000));
    assert_eq!(crate::extract(Language::Rust, source.as_bytes()).definitions.len(), 2);
    let many = format!(
        "macro_rules! m {{ ($n:ident) => {{ pub fn $n() {{}} }}; }}\n{}",
        (0..3_000).map(|at| format!("m!(f{at});\n")).collect::<String>()
    );
    assert_eq!(crate::extract(Language::Rust, many.as_bytes()).definitions.len(), 1_001);
}
