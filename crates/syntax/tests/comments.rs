//! A comment between two tokens changes no call and no definition.

use model::{
    FileFacts, Language, ReferenceKind,
    code::{Code, Expression, ExpressionId},
};

/// In each source, `§` is a place of a comment.
const SOURCES: [(Language, &str, &str); 12] = [
    (
        Language::TypeScript,
        "/*c*/",
        "function f(§a: §A) {§\n  if (§g(1)) {} else if (§h(2)) return §`a ${§k(§`b ${l(3)}`)}`;\n  const x = §(§m(4)) as §B; const y = <§B>§n(5);\n  throw §new §C(§6); }\nconst o = { ...§p(7), q: §r(8), s: [§t(9)] };\nfor (const i of §u(10)) §v(§w(11)!);\n",
    ),
    (
        Language::JavaScript,
        "/*c*/",
        "const a = async § (b) => §c(1);\nreturn_(§(d(2)));\nfoo(§...e(3));\ndelete §f(4).x;\n",
    ),
    (
        Language::Python,
        "# c\n    ",
        "def f():\n    return (§g(1))\nif (§h(2)): pass\nk(§l(3), m=(§n(4)))\nx = [§o(5), *p(6)]\nassert (§q(7))\nwith (§r(8)) as s: pass\n@t(§9)\nclass C(§B): pass\n",
    ),
    (
        Language::Go,
        "/*c*/",
        "package p\nfunc f() int {\n  if (§g(1)) {}\n  var a []§A = §h(2)\n  switch §x := §k(3).(type) {}\n  go §l(4)\n  defer §m(5)\n  return §(§n(6))\n}\n",
    ),
    (
        Language::Java,
        "/*c*/",
        "class A { int f() { if (§g(1)) {} else if (§(§h(2)) > 0) {} Object o = (§B) §k(3); throw §new §C(§l(4)); }\n int n() { return §(§m(5)); } }\n",
    ),
    (
        Language::Rust,
        "/*c*/",
        "fn f() -> A { let x = (§g(1)); if §h(2) {} return §k(3)?; }\nfn l() { m(§&n(4)); &§o(5); *§p(6); (§q(7)) }\n",
    ),
    (Language::C, "/*c*/", "int f(void) { if (§g(1)) {} else if (§(§h(2))) {} return §(§int)§k(3); }\n"),
    (
        Language::Cpp,
        "/*c*/",
        "int f() { if (§g(1)) {} throw §A(2); return §(§h(3)); }\nint k() { return static_cast<§int>(§l(4)); }\n",
    ),
    (Language::CSharp, "/*c*/", "class A { int F() { if (§G(1)) {} return §(§H(2)); } }\n"),
    (Language::Kotlin, "/*c*/", "fun f(): Int { if (§g(1)) {} else if (§(h(2))) {}\n return §(§k(3)) }\n"),
    (Language::Php, "/*c*/", "<?php function f() { if (§g(1)) {} elseif (§(§h(2))) {} return §(§k(3)); }\n"),
    (Language::Scala, "/*c*/", "object A { def f() = { if (§g(1)) {} else if (§(h(2))) {}\n (§k(3)) } }\n"),
];

#[test]
fn a_comment_changes_no_call() {
    for (language, comment, source) in SOURCES {
        let plain = syntax::extract(language, source.replace('§', "").as_bytes());
        assert!(calls(&plain).len() > 1, "{language:?}: {:?}", calls(&plain));
        for place in source.match_indices('§').map(|(place, _)| place) {
            let with_comment = format!("{}{comment}{}", &source[..place], &source[place..]).replace('§', "");
            let found = syntax::extract(language, with_comment.as_bytes());
            assert_eq!(calls(&found), calls(&plain), "{language:?}\n{with_comment}");
        }
    }
}

/// Returns the calls and definitions of a file, in order.
fn calls(facts: &FileFacts) -> Vec<String> {
    let sites = facts.code.sites.iter().map(|site| text(&facts.code, site.expression));
    let is_call = |kind| matches!(kind, ReferenceKind::Call | ReferenceKind::Construct);
    let references = facts.references.iter().filter(|one| is_call(one.kind)).map(|one| one.name.clone());
    let definitions = facts.definitions.iter().map(|one| format!("{:?} {}.{}", one.kind, one.container, one.name));
    sites.chain(references).chain(definitions).collect()
}

/// Writes an expression with the names in it.
fn text(code: &Code, at: ExpressionId) -> String {
    match code.expression(at) {
        Expression::Name { name, .. } => code.name(*name).to_owned(),
        Expression::Member { of, name } | Expression::Path { of, name } => {
            format!("{}.{}", text(code, *of), code.name(*name))
        }
        Expression::Call { callee, arguments, .. } => {
            let arguments: Vec<String> = arguments.iter().map(|argument| text(code, *argument)).collect();
            format!("{}({})", text(code, *callee), arguments.join(", "))
        }
        Expression::Make { arguments, .. } => format!("new({})", arguments.len()),
        _ => "_".to_owned(),
    }
}
