//! Code that is difficult for graphs: cycles, high degrees, duplicate names, long chains, and dynamic calls. All of it
//! is indexed and walked within deadlines, and certain edges stay certain.

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    time::{Duration, Instant},
};

use causeway_tests::{answer::text, federation::Federation, repository::Repository};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Maximum duration of a request: the gateway's hard deadline, for any build.
const AT_ONCE: Duration = Duration::from_secs(20);

/// Indexes one repository with the alias `code`.
async fn over(files: &[(&str, String)]) -> (TempDir, Federation) {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let files = files.iter().map(|(path, text)| (*path, text.as_str()));
    Repository::with_files(folder.path().join("org/code"), files);
    let federation = Federation::over(&folder.path().join("data"), &folder.path().join("org")).await;
    (folder, federation)
}

async fn ask(federation: &Federation, tool: &str, arguments: Value) -> Value {
    let began = Instant::now();
    let answer = federation.ask(tool, arguments.clone()).await;
    assert!(began.elapsed() < AT_ONCE, "{tool} {arguments}: {:?}", began.elapsed());
    answer
}

async fn around(federation: &Federation, entity: &str, depth: u32) -> Value {
    let arguments = json!({"entity": entity, "format": "json", "depth": depth, "token_budget": 25_000});
    ask(federation, "get_context", arguments).await
}

/// Returns the ids of a section without the repository, if their confidence suffices.
fn ids(answer: &Value, section: &str) -> BTreeSet<String> {
    let items = answer[section].as_array().into_iter().flatten();
    items.map(|item| text(&item["id"]).trim_start_matches("code//").to_owned()).collect()
}

/// Requests everything about an entity at maximum depth.
async fn walk_all(federation: &Federation, entity: &str) -> Value {
    ask(federation, "get_impact", json!({"target": entity, "depth": 50})).await;
    ask(federation, "get_symbol", json!({"symbol_id": entity, "depth": 3})).await;
    around(federation, entity, 50).await
}

#[tokio::test(flavor = "multi_thread")]
async fn cyclic_imports_and_inheritance_terminate() {
    let python = |this: &str, other: &str| {
        format!(
            "from circle.{other} import {other}_class, {other}_function\nfrom circle.{other} import *\n\n\n\
             class {this}_class({other}_class):\n    def go(self):\n        return self.nowhere()\n\n\n\
             class Own(Own):\n    pass\n\n\ndef {this}_function():\n    {other}_function()\n    {this}_class().nowhere()\n"
        )
    };
    let typescript = |this: &str, other: &str| {
        format!(
            "import {{ {other}Class, {other}Function }} from \"./{other}\";\nexport * from \"./{other}\";\n\n\
             export class {this}Class extends {other}Class {{\n  go() {{\n    return this.nowhere();\n  }}\n}}\n\
             export interface {this}Shape extends {this}Shape {{}}\n\
             export function {this}Function() {{\n  {other}Function();\n  new {this}Class().nowhere();\n}}\n"
        )
    };
    let java = |this: &str, other: &str| {
        format!(
            "package org.circle;\n\nimport org.circle.{other};\n\npublic class {this} extends {other} implements Own {{\n  \
             public static void run{this}() {{\n    {other}.run{other}();\n    new {this}().nowhere();\n  }}\n}}\n\n\
             interface Own extends Own {{}}\n"
        )
    };
    let (_folder, federation) = over(&[
        ("circle/__init__.py", "from . import one, two\n".to_owned()),
        ("circle/one.py", python("one", "two")),
        ("circle/two.py", python("two", "one")),
        ("ts/left.ts", typescript("left", "right")),
        ("ts/right.ts", typescript("right", "left")),
        ("java/src/main/java/org/circle/Sun.java", java("Sun", "Moon")),
        ("java/src/main/java/org/circle/Moon.java", java("Moon", "Sun")),
    ])
    .await;
    for (one, other) in [
        ("circle/one.py::one_function", "circle/two.py::two_function"),
        ("ts/left.ts::leftFunction", "ts/right.ts::rightFunction"),
        ("java/src/main/java/org/circle/Sun.java::Sun.runSun", "java/src/main/java/org/circle/Moon.java::Moon.runMoon"),
    ] {
        for (this, that) in [(one, other), (other, one)] {
            let answer = walk_all(&federation, &format!("code//{this}")).await;
            let neighbours: BTreeSet<String> =
                ids(&answer, "callers").union(&ids(&answer, "callees")).cloned().collect();
            assert!(neighbours.contains(that), "{this}: {answer}");
            assert_eq!((&answer["used_by"]["callers"], answer["used_by"]["callees"].is_u64()), (&json!(1), true));
        }
    }
    for class in ["one_class", "two_class", "leftClass", "rightClass", "leftShape", "Sun", "Moon", "Own"] {
        walk_all(&federation, class).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_function_with_5_000_callers_is_counted_in_full_and_named_in_part() {
    let caller = |file: usize, n: usize| format!("def caller_{file}_{n}():\n    return hub({n})\n\n\n");
    let code = |file: usize| {
        let callers = (0..100).map(|n| caller(file, n)).collect::<String>();
        format!("from hub import hub\n\n\n{callers}")
    };
    let paths: Vec<String> = (0..50).map(|file| format!("callers/part_{file}.py")).collect();
    let mut files: Vec<(&str, String)> =
        paths.iter().zip(0..).map(|(path, file)| (path.as_str(), code(file))).collect();
    files.push(("hub.py", "def hub(number):\n    return number\n".to_owned()));
    let (_folder, federation) = over(&files).await;
    let answer = around(&federation, "hub.py::hub", 2).await;
    assert_eq!(answer["used_by"]["callers"], 5_000, "{answer}");
    assert!(ids(&answer, "callers").len() > 100, "{answer}");
    let small = json!({"entity": "hub.py::hub", "token_budget": 1_000});
    let compact = federation.call("get_context", small).await.text;
    assert!(::text::estimate_tokens(&compact) <= 1_000 && compact.contains("5000 callers"), "{compact}");
    let impact = ask(&federation, "get_impact", json!({"target": "hub.py::hub"})).await;
    let counted = |name: &str| impact["counts"][name].as_u64().unwrap_or_default();
    assert_eq!(counted("direct"), 5_000, "{impact}");
    assert!(text(&impact["_meta"]["more"]).contains("cursor="), "{impact}");
    walk_all(&federation, "code//callers/part_7.py::caller_7_7").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn overloads_have_distinct_ids_and_callers() {
    let mailer = "package org.mail;\n\npublic class Mailer {\n  public void send(int number) {\n    log(number);\n  }\n\n  \
                  public void send(String text, boolean urgent) {\n    log(1);\n  }\n\n  void log(int number) {}\n\n  \
                  void both() {\n    send(1);\n    send(\"a\", true);\n  }\n}\n";
    let (_folder, federation) = over(&[("src/main/java/org/mail/Mailer.java", mailer.to_owned())]).await;
    let first = around(&federation, "Mailer.send", 1).await;
    assert_eq!(first["also_called_so"].as_array().map(Vec::len), Some(1), "{first}");
    let second = around(&federation, text(&first["also_called_so"][0]), 1).await;
    let lines = BTreeSet::from([first["entity"]["start_line"].as_u64(), second["entity"]["start_line"].as_u64()]);
    assert_eq!(lines, BTreeSet::from([Some(4), Some(8)]), "{first} {second}");
    for answer in [first, second] {
        assert!(ids(&answer, "callers").iter().any(|id| id.ends_with("::Mailer.both")), "{answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_equal_names_are_distinguished() {
    let helper = |number: u32| format!("def helper():\n    return {number}\n");
    let user = |package: &str| format!("from {package}.tools import helper\n\n\ndef use_{package}():\n    helper()\n");
    let (_folder, federation) = over(&[
        ("bow/__init__.py", String::new()),
        ("bow/tools.py", helper(1)),
        ("bow/user.py", user("bow")),
        ("stern/__init__.py", String::new()),
        ("stern/tools.py", helper(2)),
        ("stern/user.py", user("stern")),
    ])
    .await;
    for package in ["bow", "stern"] {
        for (entity, file) in [(format!("{package}/tools.py::helper"), None), ("helper".to_owned(), Some(package))] {
            let mut arguments = json!({"entity": entity, "format": "json"});
            arguments["file"] = file.map_or(Value::Null, |package| json!(format!("{package}/tools.py")));
            let answer = ask(&federation, "get_context", arguments).await;
            assert_eq!(answer["entity"]["path"], format!("{package}/tools.py"), "{answer}");
            assert_eq!(ids(&answer, "callers"), BTreeSet::from([format!("{package}/user.py::use_{package}")]));
        }
    }
    for name in ["tools.py", "helper"] {
        let either = around(&federation, name, 1).await;
        assert_eq!(either["also_called_so"].as_array().map(Vec::len), Some(1), "{either}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn dynamic_calls_are_not_certain() {
    let python = "import importlib\n\n\ndef target():\n    pass\n\n\ndef dynamic(name, table, thing):\n    \
                  getattr(thing, name)()\n    table[name]()\n    globals()[\"target\"]()\n    eval(name + \"()\")\n    \
                  importlib.import_module(name).target()\n    thing.target()\n    (lambda f: f())(thing)\n";
    let typescript = "export class Box { target() {} }\nexport function dynamic(name: string, thing: any) {\n  \
                      thing[name]();\n  thing.target();\n  eval(name);\n  new Function(name)();\n  (thing ?? name)();\n}\n";
    let (_folder, federation) = over(&[("dynamic.py", python.to_owned()), ("dynamic.ts", typescript.to_owned())]).await;
    for target in ["dynamic.py::target", "dynamic.ts::Box.target"] {
        let arguments = json!({"entity": target, "format": "json", "include_inferred": false});
        let answer = ask(&federation, "get_context", arguments).await;
        assert!(!ids(&answer, "callers").iter().any(|id| id.ends_with("::dynamic")), "{answer}");
    }
    for entity in ["dynamic.py::dynamic", "dynamic.ts::dynamic"] {
        walk_all(&federation, entity).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn generated_code_is_walked() {
    let mut go = String::from("// Code generated by protoc-gen-go. DO NOT EDIT.\n\npackage pb\n\n");
    for n in 0..500 {
        let _ = write!(
            go,
            "type Message{n} struct {{ Field *Message{} }}\n\nfunc (x *Message{n}) GetField() *Message{} {{\n\treturn x.Field\n}}\n\n",
            (n + 1) % 500,
            (n + 1) % 500
        );
    }
    let user = "package main\n\nimport \"example.org/code/pb\"\n\nfunc main() {\n\tm := &pb.Message0{}\n\tm.GetField().GetField()\n}\n";
    let (_folder, federation) = over(&[
        ("go.mod", "module example.org/code\n\ngo 1.22\n".to_owned()),
        ("pb/messages.pb.go", go),
        ("main.go", user.to_owned()),
    ])
    .await;
    let answer = walk_all(&federation, "code//pb/messages.pb.go::Message0.GetField").await;
    assert!(ids(&answer, "callers").contains("main.go::main"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_20_000_definitions_is_indexed_and_walked() {
    let code: String = (0..20_000).map(|n| format!("def part_{n}():\n    part_{}()\n", (n + 1) % 20_000)).collect();
    let (_folder, federation) = over(&[("vast.py", code)]).await;
    let listed = ask(&federation, "list_repos", json!({})).await;
    assert_eq!(listed["repositories"][0]["symbols"], 20_000, "{listed}");
    let answer = around(&federation, "part_10000", 1).await;
    assert_eq!(ids(&answer, "callers"), BTreeSet::from(["vast.py::part_9999".to_owned()]), "{answer}");
    assert_eq!(ids(&answer, "callees"), BTreeSet::from(["vast.py::part_10001".to_owned()]), "{answer}");
    walk_all(&federation, "part_10000").await;
    around(&federation, "code:vast.py", 2).await;
    let outline = ask(&federation, "get_file_context", json!({"file": "vast.py", "format": "json"})).await;
    assert_eq!((&outline["total_entities"], &outline["truncated"]), (&json!(20_000), &json!(true)), "{outline}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_of_3_000_calls_and_one_of_3_000_classes_are_followed_within_bounds() {
    let calls: String = (0..3_000).map(|n| format!("def link_{n}():\n    link_{}()\n\n\n", n + 1)).collect();
    let mut classes = String::from("class Base0:\n    def deep(self):\n        pass\n\n\n");
    for n in 1..3_000 {
        let _ = write!(classes, "class Base{n}(Base{}):\n    pass\n\n\n", n - 1);
    }
    classes += "def bottom():\n    Base2999().deep()\n";
    let (_folder, federation) = over(&[("chain.py", calls), ("classes.py", classes)]).await;
    let path = async |to: usize| {
        let to = format!("chain.py::link_{to}");
        let arguments =
            json!({"mode": "path", "from": "chain.py::link_0", "to": to, "format": "json", "token_budget": 25_000});
        ask(&federation, "get_context", arguments).await
    };
    let near_path = path(20).await;
    assert_eq!((&near_path["found"], &near_path["length"]), (&json!(true), &json!(20)), "{near_path}");
    let far_path = path(2_999).await;
    let is_reported = far_path["found"] == true || text(&far_path["note"]).contains("within the bounds of the search");
    assert!(is_reported, "{far_path}");
    let middle = walk_all(&federation, "chain.py::link_1500").await;
    assert!(ids(&middle, "callers").contains("chain.py::link_1499"), "{middle}");
    walk_all(&federation, "classes.py::Base1500").await;
    walk_all(&federation, "classes.py::bottom").await;
    walk_all(&federation, "classes.py::Base0.deep").await;
}
