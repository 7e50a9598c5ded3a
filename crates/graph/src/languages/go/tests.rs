use crate::{
    EdgeKind,
    testing::{check_calls, edges},
};

/// Checks the calls in a package of one file, shown as `.`.
#[track_caller]
fn check(source: &str, expected: &[&str]) {
    let shown = |word: &str| match word {
        "." => "a.go".to_owned(),
        arrow if arrow.starts_with('-') => arrow.to_owned(),
        name => format!("a.go::{name}"),
    };
    let edge = |edge: &&str| edge.split(' ').map(shown).collect::<Vec<String>>().join(" ");
    let expected: Vec<String> = expected.iter().map(edge).collect();
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    check_calls(&format!("//- /a.go\npackage a\n{source}"), &expected);
}

#[test]
fn a_package_is_a_folder() {
    check_calls(
        "//- /go.mod
module example.org/m
//- /a/one.go
package a
func F() { g(); h() }
//- /a/two.go
package a
func g() {}
//- /b/three.go
package b
func h() {}
//- /a/one_test.go
package a_test
import \"example.org/m/a\"
func g() {}
func T() { a.F(); g() }
//- /a/two_test.go
package a
func t() { g() }
",
        &[
            "a/one.go::F -calls-> a/two.go::g",
            "a/one_test.go::T -calls-> a/one.go::F",
            "a/one_test.go::T -calls-> a/one_test.go::g",
            "a/two_test.go::t -calls-> a/two.go::g",
        ],
    );
}

#[test]
fn imports_name_packages_by_their_clause_and_alias() {
    check_calls(
        "//- /go.mod
module example.org/m/v2
replace example.org/other => ./forks/other
//- /cmd/main.go
package main
import (
    \"fmt\"
    \"example.org/m/v2/go-things\"
    q \"example.org/m/v2/internal/q\"
    . \"example.org/m/v2/dot\"
    _ \"example.org/m/v2/blank\"
    \"example.org/other/deep\"
    \"example.org/vendored\"
    \"example.org/m/v3/unknown\"
)
func main() { things.A(); q.B(); C(); deep.D(); vendored.E(); fmt.Println(); unknown.F(); blank.G() }
//- /go-things/x.go
package things
func A() {}
//- /internal/q/x.go
package other
func B() {}
//- /dot/x.go
package dot
func C() {}
//- /forks/other/deep/x.go
package deep
func D() {}
//- /vendor/example.org/vendored/x.go
package vendored
func E() {}
//- /unknown/x.go
package unknown
func F() {}
//- /blank/x.go
package blank
func G() {}
func Println() {}
",
        &[
            "cmd/main.go::main -calls-> dot/x.go::C",
            "cmd/main.go::main -calls-> forks/other/deep/x.go::D",
            "cmd/main.go::main -calls-> go-things/x.go::A",
            "cmd/main.go::main -calls-> internal/q/x.go::B",
            "cmd/main.go::main -calls-> vendor/example.org/vendored/x.go::E",
        ],
    );
}

#[test]
fn without_go_mod_folders_are_below_host_owner_and_name() {
    check_calls(
        "//- /main.go
package main
import \"github.com/someone/thing/sub\"
import \"sub\"
func main() { sub.F() }
//- /sub/x.go
package sub
func F() {}
",
        &["main.go::main -calls-> sub/x.go::F"],
    );
}

#[test]
fn files_of_other_builds_are_not_targets() {
    check_calls(
        "//- /a.go
package a
type T struct{}
func F(t T) { open(); t.Do(); made() }
//- /b_linux.go
package a
func open() {}
func (T) Do() {}
//- /b_windows.go
package a
func open() { helper() }
func (t T) Do() { t.Do() }
//- /c_windows.go
package a
func helper() {}
//- /c.go
//go:build !windows && !js
package a
func helper() {}
func made() {}
//- /d.go
//go:build ignore
package a
func made() {}
",
        &[
            "a.go::F -calls-> b_linux.go::T.Do",
            "a.go::F -calls-> b_linux.go::open",
            "a.go::F -calls-> c.go::made",
            "b_windows.go::T.Do -calls-> b_windows.go::T.Do",
            "b_windows.go::open -calls-> c_windows.go::helper",
        ],
    );
}

#[test]
fn methods_belong_to_the_type_of_their_receiver() {
    check(
        "type T struct { next *T; all []*T; by map[string]T; ch chan *T }
func (t *T) M() *T { return t }
func (t T) N() {}
type U struct{}
func (u U) M() {}
func F(t *T, u U, s struct{ t T }) {
    t.M().next.M()
    (*t).N()
    (&u).M()
    t.all[0].N()
}
func G(t *T) {
    for _, x := range t.all[1:] { x.M() }
    for x := range t.ch { x.N() }
    if y, ok := t.by[\"\"]; ok { y.M() }
}
func H(t *T, s struct{ t T }) { s.t.N(); T.N(*t); (*T).M(t); (<-t.ch).M(); f := t.N; f() }",
        &[
            "F -calls-> T.M",
            "F -calls-> T.N",
            "F -calls-> U.M",
            "G -calls-> T.M",
            "G -calls-> T.N",
            "H -calls-> T.M",
            "H -calls-> T.N",
        ],
    );
}

#[test]
fn methods_are_in_any_file_of_the_package() {
    check_calls(
        "//- /z.go
package a
type T struct{}
//- /b.go
package a
func (t *T) M() { t.N() }
//- /c.go
package a
func (t *T) N() {}
func F() { new(T).M(); (&T{}).N(); T{}.N() }
",
        &["b.go::T.M -calls-> c.go::T.N", "c.go::F -calls-> b.go::T.M", "c.go::F -calls-> c.go::T.N"],
    );
}

#[test]
fn embedded_members_are_promoted_and_the_shallowest_wins() {
    check(
        "type Deep struct{}
func (Deep) M() {}
func (Deep) Only() {}
type A struct { *Deep }
type B struct{}
func (B) M() {}
type C struct { A; B }
func F(c C) { c.M(); c.Only(); c.A.M(); c.A.Deep.Only() }",
        &["F -calls-> B.M", "F -calls-> Deep.M", "F -calls-> Deep.Only"],
    );
    check(
        "type Page interface { Page() Page; Content() }
type Wrapped struct { Page }
func (w Wrapped) Content() { w.Page.Content() }",
        &["Wrapped.Content -calls-> Page.Content"],
    );
    // The members of an external embedded type are unknown.
    check(
        "import \"net/http\"\ntype S struct { *http.Server }\nfunc Close() {}\nfunc F(s S) { s.Close(); s.Server.Close() }",
        &[],
    );
}

#[test]
fn interface_calls_target_the_declaration() {
    check(
        "type Closer interface { Close() error }
type File interface { Closer; Read() }
type f struct{}
func (f) Close() error { return nil }
func (f) Read() {}
func F(x File) { x.Close(); x.Read() }
func G(x any) {
    if c, ok := x.(interface{ Flush() }); ok { c.Flush() }
    switch c := x.(type) {
    case File: c.Read()
    case *f: c.Close()
    case nil: c.Close()
    }
}",
        &[
            "F -calls-> Closer.Close",
            "F -calls-> File.Read",
            "G -calls-> File.Read",
            "G -calls-> G.Flush",
            "G -calls-> f.Close",
        ],
    );
}

#[test]
fn named_types_have_their_underlying_type() {
    check(
        "type T struct{}
func (T) M() {}
type Ts []*T
func (ts Ts) Each() { for _, t := range ts { t.M() } }
type By map[string]Ts
type Handler func(x int) T
func (h Handler) Serve() { h(1).M() }
type Alias = T
type Other T
func F(b By, h Handler, a Alias) { b[\"\"].Each(); b[\"\"][0].M(); Handler(h).Serve(); a.M() }",
        &[
            "F -calls-> Handler.Serve",
            "F -calls-> T.M",
            "F -calls-> Ts.Each",
            "Handler.Serve -calls-> T.M",
            "Ts.Each -calls-> T.M",
        ],
    );
}

#[test]
fn multiple_results_have_separate_types() {
    check(
        "type T struct{}
func (T) M() {}
type U struct{}
func (U) M() {}
func two() (T, *U) { return T{}, nil }
var t, u = two()
func F() { a, b := two(); a.M(); _ = b }
func G() { _, b := two(); b.M() }
func H() { u.M() }
func I() { func() T { return t }().M() }
const K Kind = iota
type Kind int
func (Kind) String() {}
func J() { K.String(); L.String() }
const ( One Kind = iota; L )",
        &[
            ". -calls-> two",
            "F -calls-> T.M",
            "F -calls-> two",
            "G -calls-> U.M",
            "G -calls-> two",
            "H -calls-> U.M",
            "I -calls-> T.M",
            "J -calls-> Kind.String",
        ],
    );
}

#[test]
fn calls_through_variables_have_no_target() {
    check(
        "type S struct { run func() T; f func() }
type T struct{}
func (T) M() {}
func work() T { return T{} }
func F(s S, work2 func()) {
    w := work
    w().M()
    s.run().M()
    s.f()
    work2()
}
func G() { work := func() {}; work() }
func H(work func()) { work() }
var held = work
func I() { held() }",
        &["F -calls-> T.M"],
    );
}

#[test]
fn conversions_and_literals_are_not_calls() {
    check(
        "type T struct{}
func (T) M() {}
type N int
func (N) M() {}
func F(x any) { N(1).M(); (T)(T{}).M(); _ = []N(nil); x.(T).M(); len(\"\"); panic(x) }
func len2() {}",
        &["F -calls-> N.M", "F -calls-> T.M"],
    );
}

#[test]
fn inner_names_shadow_outer_ones() {
    check(
        "type T struct{}
func (T) M() {}
type U struct{}
func (U) M() {}
func new_() U { return U{} }
func F(x T) {
    x.M()
    if x := new_(); true { _ = x }
}
func G(x T) { { x := new_(); _ = x }; x.M() }
func H(x T) { x, y := U{}, 1; _ = y; x.M() }
func I(x T) { if x := new_(); true { x.M() } }
func J() { type T struct{ U }; var t T; t.M() }
func K(len func()) { len() }",
        &[
            "F -calls-> T.M",
            "F -calls-> new_",
            "G -calls-> T.M",
            "G -calls-> new_",
            "H -calls-> T.M",
            "I -calls-> U.M",
            "I -calls-> new_",
            "J -calls-> U.M",
        ],
    );
}

#[test]
fn generic_types_and_functions_pass_types_on() {
    check(
        "type T struct{}
func (T) M() {}
type List[E any] struct { items []E; next *List[E] }
func (l *List[X]) First() X { return l.next.items[0] }
func (l *List[X]) Each(f func(X)) {}
type Named interface { Name() string }
func Map[A, B any](xs []A, f func(A) B) []B { return nil }
func Must[V any](v V, err error) V { return v }
func Show[N Named](n N) { n.Name() }
func F(l List[T], ts []T) {
    l.First().M()
}
func G(ts []int) { Map(ts, func(i int) T { return T{} })[0].M() }
func H() { Must[T](nil, nil).M(); Must(T{}, nil).M() }
func I(l *List[*List[T]]) { l.First().First().M() }
type Set[K comparable] map[K]struct{}
func J(s Set[T]) { for k := range s { k.M() } }",
        &[
            "F -calls-> List.First",
            "F -calls-> T.M",
            "G -calls-> Map",
            "G -calls-> T.M",
            "H -calls-> Must",
            "H -calls-> T.M",
            "I -calls-> List.First",
            "I -calls-> T.M",
            "J -calls-> T.M",
            "Show -calls-> Named.Name",
        ],
    );
}

#[test]
fn types_pass_through_the_standard_library() {
    check(
        "import (
    \"iter\"
    \"maps\"
    \"slices\"
    \"sync/atomic\"
)
type T struct{}
func (T) M() {}
func F(m map[string]T, p *atomic.Pointer[T]) {
    p.Load().M()
}
func G(m map[string]T) { for _, k := range slices.Sorted(maps.Values(m)) { k.M() } }
func H(s iter.Seq2[int, T]) { for _, t := range s { t.M() } }
func I(ts []T) { append(ts, T{})[0].M(); min(ts[0], ts[1]).M() }",
        &["F -calls-> T.M", "G -calls-> T.M", "H -calls-> T.M", "I -calls-> T.M"],
    );
}

#[test]
fn unexported_names_are_members_of_the_same_package() {
    check(
        "import \"example.org/elsewhere\"
type T struct{}
func (T) only() {}
func (T) Close() {}
func F(x any) { unknown.y.only(); unknown.Close(); elsewhere.Open().only() }",
        &["F -calls-> T.only"],
    );
}

#[test]
fn imports_target_packages() {
    let found = edges(
        "//- /go.mod
module m.org/m
//- /main.go
package main
import \"m.org/m/sub\"
import \"fmt\"
//- /sub/a_test.go
package sub
//- /sub/b.go
package sub
",
        EdgeKind::Imports,
    );
    assert_eq!(found, ["main.go -imports-> sub/b.go"]);
}

#[test]
fn recursion_terminates() {
    check(
        "type A struct { *B }\ntype B struct { *A }\ntype I interface { I }\ntype X Y\ntype Y X\nfunc F(a A, i I, x X) { a.M(); i.M(); x[0].M(); x().M() }",
        &[],
    );
    check("var a = b\nvar b = a\nfunc F() { a.M(); c := c; c.M() }", &[]);
}
