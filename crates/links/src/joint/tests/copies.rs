//! Copies of a dependency inside its importer.

use super::*;

const KIT: &str = "
//- kit/include/kit/core.h
namespace kit {
struct Buffer {
    void push(char c);
    int size() const { return 0; }
};
inline Buffer make() { return Buffer(); }
}
";

#[test]
fn a_vendored_header_is_the_header_of_its_repository() {
    let app = "
//- app/src/app.cc
#ifdef EXTERNAL
#include <kit/core.h>
#else
#include \"bundled/core.h\"
#endif
int run() {
    kit::Buffer buffer = kit::make();
    return buffer.size();
}
//- app/src/bundled/core.h
namespace kit {
struct Buffer {
    void push(char c);
    int size() const { return 0; }
};
inline Buffer make() { return Buffer(); }
}
";
    check(
        &format!("{app}{KIT}"),
        &[
            "src/app.cc::run:7 calls kit/include/kit/core.h::make",
            "src/app.cc::run:7 references kit/include/kit/core.h::Buffer",
            "src/app.cc::run:8 calls kit/include/kit/core.h::Buffer.size",
        ],
    );
    // Another header of the same name is no copy.
    let other = app.replace("Buffer", "Block").replace("make", "create");
    check(&format!("{other}{KIT}"), &[]);
}

#[test]
fn the_build_chooses_a_library_by_the_preprocessor() {
    let kit = "
//- kit/include/kit/base.h
#define KIT_BEGIN namespace kit { inline namespace v2 {
#define KIT_END } }
KIT_BEGIN
template <typename T> struct View {
    int size() const { return 0; }
};
struct Writer {
    void put(char c) {}
};
inline int format(const char* text) { return 0; }
KIT_END
//- kit/include/kit/core.h
#include \"base.h\"
KIT_BEGIN
struct Old {
    Old(Old&& other) noexcept {}
};
KIT_END
";
    let app = "
//- app/include/app/common.h
#ifdef USE_STD
#include <format>
#elif defined(OWN_COPY)
#include \"bundled/core.h\"
#else
#include <kit/core.h>
#endif
namespace app {
class Writer;
#ifdef USE_STD
namespace lib = std;
using view = std::string_view;
#else
namespace lib = kit;
using view = kit::View<char>;
#endif
}
//- app/include/app/bundled/core.h
namespace kit {
struct Old {};
template <typename T> struct View { int size() const { return 0; } };
struct Writer {};
inline int format(const char* text) { return 0; }
}
//- app/src/app.cc
#include <app/common.h>
namespace app {
class Writer { Writer* next; };
int run(view text) {
    lib::format(\"a\");
    return text.size();
}
}
";
    check(
        &format!("{app}{kit}"),
        &[
            "src/app.cc::run:5 calls kit/include/kit/base.h::format",
            "src/app.cc::run:6 calls kit/include/kit/base.h::View.size",
        ],
    );
}

#[test]
fn a_vendored_module_is_the_module_of_its_repository() {
    check(
        "
//- app/go.mod
module example.org/app
require example.org/kit v1.2.0
//- app/main.go
package main
import \"example.org/kit\"
func run() { kit.Make().Step() }
//- app/vendor/example.org/kit/kit.go
package kit
type Item struct{}
func Make() *Item { return &Item{} }
func (i *Item) Step() {}
//- kit/go.mod
module example.org/kit
//- kit/kit.go
package kit
type Item struct{}
func Make() *Item { return &Item{} }
func (i *Item) Step() {}
",
        &["main.go::run:3 calls kit/kit.go::Item.Step", "main.go::run:3 calls kit/kit.go::Make"],
    );
}

/// A repository that requires a package with a class, and the package.
fn kit(place: &str) -> String {
    format!(
        "
//- {place}/package.json
{{\"name\": \"kit\", \"main\": \"index.js\"}}
//- {place}/index.js
export class Item {{
  step() {{}}
}}
export function make() {{ return new Item(); }}
"
    )
}

const APP: &str = "
//- app/package.json
{\"dependencies\": {\"kit\": \"1\", \"ui\": \"1\"}}
//- app/main.js
import { make } from 'kit';
make().step();
";

#[test]
fn a_monorepo_and_its_split_are_both_linked() {
    let mono = "
//- mono/package.json
{\"name\": \"mono\", \"workspaces\": [\"packages/*\"]}
//- mono/packages/ui/package.json
{\"name\": \"ui\", \"main\": \"index.js\"}
//- mono/packages/ui/index.js
export function show() {}
//- app/ui.js
import { show } from 'ui';
show();
";
    check(
        &format!("{APP}{}{}{mono}", kit("kit"), kit("mono/packages/kit")),
        &[
            "main.js:::2 calls kit/index.js::Item.step",
            "main.js:::2 calls kit/index.js::make",
            "main.js:::2 calls mono/packages/kit/index.js::Item.step",
            "main.js:::2 calls mono/packages/kit/index.js::make",
            "ui.js:::2 calls mono/packages/ui/index.js::show",
        ],
    );
}

#[test]
fn forks_are_linked_with_their_versions_and_what_they_may_miss() {
    let forks: Vec<String> = (0..6).map(|n| kit(&format!("fork{n}"))).collect();
    let (found, names) = links(&format!("{APP}{}", forks[..3].concat()));
    let methods = found.links.iter().filter(|link| link.target_name.as_deref() == Some("Item.step"));
    let makers: Vec<&str> = methods.map(|link| names[link.provider as usize].as_str()).collect();
    assert_eq!((makers, found.may_miss_any), (vec!["fork0", "fork1", "fork2"], false));
    assert_eq!(found.dependencies.len(), 3);
    // More makers than rounds.
    assert!(links(&format!("{APP}{}", forks.concat())).0.may_miss_any);
}

#[test]
fn packages_of_one_name_in_two_registries_are_two() {
    check(
        "
//- app/package.json
{\"dependencies\": {\"kit\": \"1\"}}
//- app/main.js
import { make } from 'kit';
make();
//- app/tool.py
import kit
kit.make()
//- kit/package.json
{\"name\": \"kit\", \"main\": \"index.js\"}
//- kit/index.js
export function make() {}
//- pykit/pyproject.toml
[project]
name = \"kit\"
//- pykit/kit/__init__.py
def make(): ...
",
        &["main.js:::2 calls kit/index.js::make", "tool.py:::2 calls pykit/kit/__init__.py::make"],
    );
}

#[test]
fn repositories_may_depend_on_each_other() {
    let circle = "
//- app/go.mod
module example.org/app
require example.org/kit v1.0.0
//- app/main.go
package app
import \"example.org/kit\"
type Job struct{}
func (j *Job) Run() { kit.Start(j).Wait() }
//- kit/go.mod
module example.org/kit
require example.org/app v1.0.0
//- kit/kit.go
package kit
import \"example.org/app\"
type Handle struct{}
func Start(j *app.Job) *Handle { j.Run(); return &Handle{} }
func (h *Handle) Wait() {}
";
    check(circle, &["main.go::Job.Run:4 calls kit/kit.go::Handle.Wait", "main.go::Job.Run:4 calls kit/kit.go::Start"]);
    let other_way = circle.replace("- app/", "- x/").replace("- kit/", "- app/").replace("- x/", "- kit/");
    check(&other_way, &["kit.go::Start:4 calls kit/main.go::Job.Run", "kit.go::Start:4 references kit/main.go::Job"]);
}
