//! Accesses of each language, each with a near miss.

use crate::{EdgeKind, testing::edges};

/// Checks the accesses of a fixture, as `from > to`. A file is its path.
#[track_caller]
fn check(fixture: &str, expected: &[&str]) {
    let shown = |edge: String| edge.replace(" -accesses-> ", " > ");
    let found: Vec<String> = edges(fixture, EdgeKind::Accesses).into_iter().map(shown).collect();
    assert_eq!(found, expected);
}

#[test]
fn go() {
    check(
        "//- /go.mod
module m
//- /a/a.go
package a
type Kind int
const (
    Red Kind = iota
    Blue
)
type Base struct { ID int }
type Config struct {
    Base
    Name string
    Next *Config
    run func()
}
type Other struct { Name string }
func read(c *Config) string { return c.Next.Name }
func write(c Config) { c.ID = 1; c.run() }
func make() []Config { return []Config{{Name: \"a\"}, {Next: nil}} }
func names() map[Kind]string { return map[Kind]string{Red: \"red\"} }
func local(Blue int) int { return Blue }
func unknown(x any) { f := g(); f.Name = 1 }
//- /b/b.go
package b
import \"m/a\"
func use(o a.Other) bool { return o.Name == \"\" && kind == a.Blue }
",
        &[
            "a/a.go::local > ",
        ],
    );
}
