use model::{Language, SymbolKind};

use crate::code::testing::print_code;

/// Checks the definitions (`Container.name:line`), the blocks with members, and the calls (`line caller: call`) of a source.
#[track_caller]
fn check(source: &str, definitions: &[&str], extensions: &[&str], calls: &[&str]) {
    let facts = crate::extract(Language::Rust, source.as_bytes());
    let named = facts.definitions.iter().filter(|one| one.kind != SymbolKind::Macro);
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
        // One of two definitions under opposite conditions.
        "#[cfg(a)]\nmacro_rules! m { ($t:ty) => { impl A for $t {} }; }\n#[cfg(not(a))]\nmacro_rules! m { ($t:ty) => {}; }\nm!(u8);\n",
        // Recursion without an end.
        "macro_rules! m { ($t:ty) => { m!($t); m!(&$t); }; }\nm!(u8);\n",
    ] {
        check(source, &[], &[], &[]);
    }
    let only = "#[cfg(a)]\nmacro_rules! m { ($t:ty) => { impl A for $t {} }; }\nm!(u8);\n";
    check(only, &[], &["A for u8 with "], &[]);
    let inner = "macro_rules! m { ($t:ty) => { impl A for $t {} }; }\nmod a {\n    macro_rules! m { ($t:ty) => { impl B for $t {} }; }\n    m!(u8);\n}\n";
    check(inner, &["a:2"], &["B for u8 with "], &[]);
    let in_block = "mod a {\n    macro_rules! m { ($t:ty) => { impl A for $t {} }; }\n}\nm!(u8);\n";
    check(in_block, &["a:1"], &[], &[]);
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

#[test]
fn a_rule_fits_only_if_its_fragments_begin_like_the_arguments() {
    let macros = "macro_rules! m {\n ($e:expr) => { fn f() { $e } };\n (@low $t:ty) => { impl Low for $t {} };\n ($n:ident: $t:ty) => { impl Named for $t {} };\n}\n\
        macro_rules! op {\n ($t:ident, $f:ident, $op:tt) => { impl $t for S { fn $f(self) {} } };\n ($($t:tt)*) => { impl Other for S {} };\n}\n";
    for (invocation, expected) in [
        ("m!(@low u8);", &["Low for u8 with "][..]),
        ("m!(low + u8);", &[]),
        ("m!(n: u8);", &[]),
        ("op!(Shl, shl, <<);", &["Shl for S with "]),
        ("op!(Shl, shl, < <);", &["Other for S with "]),
    ] {
        check(&format!("{macros}{invocation}\n"), &[], expected, &[]);
    }
}

/// Returns the definitions that are no macros: kind, container, name, name of the parent, and lines.
fn definitions(source: &str) -> Vec<String> {
    let facts = crate::extract(Language::Rust, source.as_bytes());
    let all = facts.definitions.iter().filter(|one| one.kind != SymbolKind::Macro);
    let parent = |at: u32| facts.definitions[at as usize].name.as_str();
    all.map(|one| {
        let name = model::symbol::qualify(&one.container, &one.name);
        let parent = one.parent.map_or("-", parent);
        format!("{:?} {name} in {parent} {}-{}", one.kind, one.lines.start, one.lines.end)
    })
    .collect()
}

#[test]
fn a_definition_has_the_tokens_that_no_other_one_uses() {
    for (source, expected) in [
        (
            "macro_rules! ids { ($t:ty; $($n:ident),*) => { $(pub struct $n(pub $t);)* }; }\nids!(u32;\n    A,\n    B,\n    C\n);\n",
            &["Struct A in - 3-3", "Struct B in - 4-4", "Struct C in - 5-5"][..],
        ),
        // The inner macro gets the token once in each invocation.
        (
            "macro_rules! one { ($t:ty, $n:ident) => { pub struct $n(pub $t); }; }\nmacro_rules! all { ($t:ty; $($n:ident),*) => { $(one!($t, $n);)* }; }\nall!(u32;\n    A,\n    B\n);\n",
            &["Struct A in - 4-4", "Struct B in - 5-5"],
        ),
        // The name of another definition is between the tokens.
        (
            "macro_rules! two { ($($n:ident)*; $($t:ty),*) => { $(pub struct $n(pub $t);)* }; }\ntwo!(A\n    B;\n    u8,\n    u16);\n",
            &["Struct A in - 2-2", "Struct B in - 3-5"],
        ),
        // Fields are inside their type.
        (
            "macro_rules! with { ($n:ident { $($f:ident: $t:ty),* }) => { pub struct $n { $($f: $t),* } }; }\nwith!(S {\n    a: u8,\n    b: u8\n});\n",
            &["Struct S in - 2-4", "Field S.a in S 3-3", "Field S.b in S 4-4"],
        ),
    ] {
        assert_eq!(definitions(source), expected, "{source}");
    }
}

#[test]
fn a_name_of_a_field_and_a_method_is_the_method() {
    let with = "macro_rules! with { ($n:ident { $($f:ident),* }) => { pub struct $n { $($f: u8),* } impl $n { $(pub fn $f(&self) -> u8 { self.$f })* } }; }\n";
    assert_eq!(
        definitions(&format!("{with}with!(S {{ width }});\n")),
        ["Struct S in - 2-2", "Method S.width in - 2-2"]
    );
    // A method of a trait is no definition of the macro.
    let of_trait = with.replace("impl $n", "impl T for $n");
    assert!(
        definitions(&format!("{of_trait}with!(S {{ width }});\n")).contains(&"Field S.width in S 2-2".to_owned()),
        "{of_trait}"
    );
}

#[test]
fn members_of_a_type_with_a_path_have_its_name() {
    let source = "mod a { pub struct S; }\nmacro_rules! get { ($n:ident) => { pub fn $n(&self) {} }; }\nimpl a::S {\n    get!(width);\n}\n";
    assert_eq!(definitions(source).last().map(String::as_str), Some("Method S.width in - 4-4"));
}

#[test]
fn attempts_are_bounded() {
    for (n_misfits, n_definitions) in [(999, 2), (1_000, 1)] {
        let misfits = "m!(a);\n".repeat(n_misfits);
        let source = format!("macro_rules! m {{ ($n:ident b) => {{ pub fn $n() {{}} }}; }}\n{misfits}m!(f b);\n");
        assert_eq!(crate::extract(Language::Rust, source.as_bytes()).definitions.len(), n_definitions);
    }
    for (n_rules, n_blocks) in [(1_900, 1), (2_100, 0)] {
        let (rules, arguments) = ("(x) => {};\n".repeat(n_rules), "a ".repeat(2_000));
        let source =
            format!("macro_rules! m {{\n{rules}($($t:tt)*) => {{ impl A for u8 {{}} }}; }}\nm!({arguments});\n");
        assert_eq!(crate::extract(Language::Rust, source.as_bytes()).code.extensions.len(), n_blocks);
    }
}

#[test]
fn the_nearest_block_around_a_method_decides() {
    let macros = "macro_rules! both { ($a:ident $b:ident $c:ident) => {\n    impl T for S { fn $a() { struct L; impl L { fn $b() {} } } }\n    impl S { fn $c() {} }\n}; }\n";
    let found = definitions(&format!("{macros}both!(a b c);\n"));
    let names: Vec<&str> = found.iter().filter_map(|one| one.split(' ').nth(1)).collect();
    assert!(names.iter().any(|name| name.ends_with("L.b")), "{names:?}");
    assert!(names.contains(&"S.c") && !names.iter().any(|name| name.ends_with(".a")), "{names:?}");
}
