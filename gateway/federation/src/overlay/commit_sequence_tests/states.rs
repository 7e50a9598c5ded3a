//! Seven repositories in five states each.

use StateText::{Edited, Whole};

/// A repository: its alias and its states.
pub(super) struct States {
    pub(super) alias: &'static str,
    base: &'static str,
    others: [StateText; 4],
}

/// The text of a state. It has contracts and files. `+ kind key [member] @node:line` is an offer, `-` a use, `*` a use that serves, and
/// `! package member @node:line` the location of a member of a package. `~` is a space. `//- path` begins a file.
enum StateText {
    Whole(&'static str),
    /// The base with replacements of the first occurrence of a text.
    Edited(&'static [(&'static str, &'static str)]),
}

impl States {
    /// Returns the text of a state; that of the base has the number 0.
    pub(super) fn text(&self, state: usize) -> String {
        match state.checked_sub(1).map(|other| &self.others[other]) {
            None => self.base.to_owned(),
            Some(Whole(text)) => (*text).to_owned(),
            Some(Edited(replacements)) => replacements.iter().fold(self.base.to_owned(), |text, (from, to)| {
                assert!(text.contains(from), "{}: no {from}", self.alias);
                text.replacen(from, to, 1)
            }),
        }
    }
}

/// The repositories of the test.
pub(super) const REPOSITORIES: [States; 7] = [
    States {
        alias: "app",
        base: "- package go:example.org/kit @0:1
- package go:example.org/log @0:2
- symbol go:example.org/kit Open @1:4
//- go.mod
module example.org/app
require example.org/kit v1.2.0
//- app.go
package main
import \"example.org/kit\"
func run() { kit.Open().Write() }
",
        others: [
            Edited(&[
                ("Open @1:4", "Open @1:5\n- symbol go:example.org/log New @1:5"),
                (
                    "kit\"\nfunc run() { kit.Open().Write() }",
                    "kit\"
import \"example.org/log\"

func run() { kit.Open().Write(); log.New().Write() }",
                ),
            ]),
            Edited(&[
                ("- package go:example.org/kit @0:1\n", ""),
                ("kit Open @1:4", "log New @1:3"),
                ("require example.org/kit v1.2.0\n", ""),
                (
                    "import \"example.org/kit\"\nfunc run() { kit.Open().Write() }",
                    "import \"example.org/log\"\nfunc run() { log.New() }",
                ),
            ]),
            Edited(&[
                ("- package go:example.org/log @0:2\n", ""),
                ("Open @1:4", "Open @1:4\n- symbol go:example.org/kit Close @1:4"),
                ("require example.org/kit v1.2.0\n", ""),
                ("Write() }", "Write(); kit.Close() }"),
            ]),
            Whole(
                "//- app.go
package main
",
            ),
        ],
    },
    States {
        alias: "kit",
        base: "+ package go:example.org/kit @0:1
- package go:example.org/log @0:1
! go:example.org/kit Open @1:3
//- go.mod
module example.org/kit
//- kit.go
package kit
import \"example.org/log\"
func Open() *log.Line { return log.New() }
",
        others: [
            // A body, and lines.
            Edited(&[
                ("@1:3", "@1:5"),
                (
                    "func Open() *log.Line { return log.New() }",
                    "
// Open is one.
func Open() *log.Line {
\tprintln()
\treturn log.New()
}",
                ),
            ]),
            // Only a body.
            Edited(&[("return log.New()", "return nil")]),
            Edited(&[
                ("Open @1:3", "Open @2:4\n! go:example.org/kit Close @1:3"),
                ("func Open", "func Close() {}\nfunc Open"),
            ]),
            Whole(
                "+ package go:example.org/kit/v2 @0:1
//- go.mod
module example.org/kit/v2
//- kit.go
package kit
",
            ),
        ],
    },
    States {
        alias: "log",
        base: "+ package go:example.org/log @0:1
! go:example.org/log New @2:3
//- go.mod
module example.org/log
//- log.go
package log
type Line struct{}
func New() *Line { return nil }
func (l *Line) Write() {}
",
        others: [
            Edited(&[("{ return nil }", "{ println(); return nil }")]),
            Edited(&[
                ("@2:3", "@1:5"),
                ("//- log.go", "//- a.go\npackage log\nfunc first() {}\n//- log.go"),
                ("{ return nil }", "{ return nil }\n"),
            ]),
            Edited(&[("*Line { return nil }", "int { return 1 }")]),
            Whole(
                "//- log.go
package log
",
            ),
        ],
    },
    States {
        alias: "web",
        base: "- package npm:ui @0:1
- symbol npm:ui open @1:3
- http GET~/cart/{id} {env:CART_URL} @1:4
- topic kafka:orders.paid @1:5
//- package.json
{\"name\": \"web\", \"dependencies\": {\"ui\": \"1\"}}
//- web.ts
import { open } from 'ui';
export function run(x) { open().draw(); x.draw(1); }
",
        others: [
            Edited(&[("@1:5", "@1:6"), ("@1:4", "@1:5"), ("@1:3", "@1:4"), ("'ui';\n", "'ui';\n\n")]),
            Edited(&[
                ("- symbol npm:ui open @1:3\n", ""),
                ("topic kafka:orders.paid @1:5", "grpc Pay/Charge @1:6"),
                ("{ open }", "{ open, shut }"),
                ("run(x) { open().draw(); x.draw(1); }", "run(a) { const b = a ? open() : shut(); b.draw(2); }"),
            ]),
            Whole(
                "- http POST~/cart {env:OTHER_URL} @1:4
- table carts @1:4
//- package.json
{\"name\": \"web\"}
//- web.ts
export function run() {}
",
            ),
            Whole(
                "//- package.json
{\"name\": \"web\"}
",
            ),
        ],
    },
    States {
        alias: "ui",
        base: "+ package npm:ui @0:1
! npm:ui open @2:4
//- package.json
{\"name\": \"ui\", \"main\": \"ui.ts\", \"version\": \"1.2.0\"}
//- ui.ts
export class Page { draw(n) {} }
export class Card { draw(n) {} }
export function open() { return new Page(); }
export function shut() { return new Card(); }
",
        others: [
            // Results are inferred from bodies.
            Edited(&[("new Page()", "new Card()")]),
            // Another file moves the numbers of all definitions.
            Edited(&[("@2:4\n", "@3:4\n//- a.ts\nexport function other() {}\n")]),
            // The other file has another definition, and a test is no file of a provider.
            Edited(&[
                ("@2:4\n", "@4:4\n//- a.ts\nexport function other() {}\n"),
                (
                    "//- ui.ts",
                    "//- tests/a.test.ts
test('a', () => {});
function helper() {}
//- ui.ts",
                ),
            ]),
            Whole(
                "//- ui.ts
export const none = 1;
",
            ),
        ],
    },
    States {
        alias: "cart",
        base: "+ image acme/cart . @0:1
+ http GET~/cart/{id} @1:2
* topic kafka:orders.* @1:3
+ table carts @1:4
",
        others: [
            Edited(&[("@1:2", "@1:9")]),
            Edited(&[("@1:2", "@2:2\n+ http POST~/cart @1:2"), ("orders.*", "orders.paid"), ("+ table", "- table")]),
            Whole(
                "+ http GET~/carts @1:2
* topic kafka:lost @1:3
* grpc shop.v1.Pay/Charge @1:8
",
            ),
            Whole(
                "+ image acme/cart . @0:1
+ grpc shop.v1.Pay/Charge @1:8
",
            ),
        ],
    },
    States {
        alias: "ops",
        base: "+ host cart cart @0:1
+ workload cart acme/cart @0:2
- config web/CART_URL http://cart:80 @0:3
",
        others: [
            Edited(&[("@0:3", "@0:4")]),
            Edited(&[(
                "CART_URL http://cart:80 @0:3",
                "OTHER_URL http://cart:80 @0:3\n+ topic sqs:mail-orders sns:orders @0:8",
            )]),
            Whole(
                "+ workload web acme/web @0:2
",
            ),
            Whole(""),
        ],
    },
];
