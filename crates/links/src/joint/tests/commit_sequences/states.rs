//! The texts that commits give to the files of three repositories, by language.

/// The path of a file, and its texts. An empty text means that there is no such file.
pub(super) type FileStates = (&'static str, &'static [&'static str]);

/// A repository. A commit gives one of its files another text.
pub(super) struct RepositoryStates {
    /// The path and the text of a file that no commit changes.
    pub(super) manifest: (&'static str, &'static str),
    pub(super) files: &'static [FileStates],
}

/// An importer, and two providers of which the first uses the second.
pub(super) type Repositories = [RepositoryStates; 3];

pub(super) const GO: Repositories = [
    RepositoryStates {
        manifest: ("go.mod", "module example.org/app\n"),
        files: &[(
            "app.go",
            &[
                "package main\nimport \"example.org/kit\"\nfunc run() { kit.Open().Write() }\n",
                "package main\nimport \"example.org/kit\"\nimport \"example.org/log\"\nfunc run() { kit.Open().Write(); log.New().Write() }\n",
                "package main\nimport \"example.org/log\"\nfunc run() { log.New() }\n",
                "package main\nimport \"example.org/kit\"\nfunc run() { kit.Open().Write(); kit.Close() }\n",
                "package main\n",
                "package main\nimport \"example.org/kit\"\ntype job struct{}\nfunc (j job) Run() { kit.Open().Write() }\n",
            ],
        )],
    },
    RepositoryStates {
        manifest: ("go.mod", "module example.org/kit\n"),
        files: &[(
            "kit.go",
            &[
                "package kit\nimport \"example.org/log\"\nfunc Open() *log.Line { return log.New() }\n",
                "package kit\nimport \"example.org/log\"\n\nfunc Open() *log.Line {\n\tprintln()\n\treturn log.New()\n}\n",
                "package kit\nfunc Open() int { return 1 }\n",
                "package kit\nimport \"example.org/log\"\nfunc Open() *log.Line { return log.New() }\nfunc Close() {}\n",
                "package kit\n",
                // An interface that a type of the importer has.
                "package kit\nimport \"example.org/log\"\ntype Runner interface { Run() }\nfunc Open() *log.Line { return log.New() }\n",
            ],
        )],
    },
    RepositoryStates {
        manifest: ("go.mod", "module example.org/log\n"),
        files: &[
            (
                "log.go",
                &[
                    "package log\ntype Line struct{}\nfunc New() *Line { return nil }\nfunc (l *Line) Write() {}\n",
                    // A body and lines.
                    "package log\n\n// Line is one.\ntype Line struct{}\nfunc New() *Line {\n\treturn &Line{}\n}\nfunc (l *Line) Write() {}\n",
                    // The result of a function.
                    "package log\ntype Line struct{}\nfunc New() int { return 1 }\nfunc (l *Line) Write() {}\n",
                    // A definition more before the others, and one less.
                    "package log\nfunc first() {}\ntype Line struct{}\nfunc New() *Line { return nil }\nfunc (l *Line) Write() {}\n",
                    "package log\ntype Line struct{}\nfunc New() *Line { return nil }\n",
                    // A definition that nothing mentions, between the others.
                    "package log\ntype Line struct{}\nfunc other(n int) *Line { return nil }\nfunc New() *Line { return nil }\nfunc (l *Line) Write() {}\n",
                ],
            ),
            (
                "more.go",
                &[
                    "",
                    "package log\nfunc helper() {}\n",
                    "package log\n\nfunc helper() int { return 1 }\n",
                    "package log\nfunc (l *Line) Close() {}\n",
                ],
            ),
        ],
    },
];

pub(super) const RUST: Repositories = [
    RepositoryStates {
        manifest: ("Cargo.toml", "[package]\nname = \"app\"\n[dependencies]\nkit = \"1\"\nlog = \"1\"\n"),
        files: &[(
            "src/lib.rs",
            &[
                "use kit::build;\npub fn run() { build().write(); kit::close(); }\n",
                "use kit::build;\nuse log::Line;\npub fn run(line: &Line) { line.write(); build(); }\n",
                "pub fn run() { kit::close(); }\n",
            ],
        )],
    },
    RepositoryStates {
        manifest: ("Cargo.toml", "[package]\nname = \"kit\"\n[dependencies]\nlog = \"1\"\n"),
        files: &[
            (
                "src/lib.rs",
                &[
                    "mod inner;\npub use inner::close;\npub use log::make as build;\n",
                    "mod inner;\npub use inner::build;\npub use inner::close;\n",
                    "mod inner;\npub use inner::close;\npub use log::make as build;\nfn private() {}\n",
                ],
            ),
            (
                "src/inner.rs",
                &[
                    "pub fn close() {}\npub fn build() -> u32 { 1 }\n",
                    "\npub fn close() {\n    let _ = 2;\n}\npub fn build() -> u32 { 1 }\n",
                    "pub fn close() {}\n",
                    "fn hidden() {}\npub fn close() {}\npub fn build() -> u32 { 1 }\n",
                ],
            ),
        ],
    },
    RepositoryStates {
        manifest: ("Cargo.toml", "[package]\nname = \"log\"\n"),
        files: &[(
            "src/lib.rs",
            &[
                // The target of the re-export is missing.
                "pub struct Line;\nimpl Line { pub fn write(&self) {} }\n",
                "pub struct Line;\nimpl Line { pub fn write(&self) {} }\npub fn make() -> Line { Line }\n",
                "pub struct Line;\n\nimpl Line {\n    pub fn write(&self) {}\n}\npub fn make() -> Line {\n    Line\n}\n",
                "pub struct Line;\nimpl Line { pub fn write(&self) {} }\nfn other() {}\npub fn make() -> Line { Line }\n",
            ],
        )],
    },
];

pub(super) const TYPESCRIPT: Repositories = [
    RepositoryStates {
        manifest: ("package.json", "{\"dependencies\": {\"kit\": \"1\", \"log\": \"1\"}}"),
        files: &[(
            "a.ts",
            &[
                "import { open } from 'kit';\nopen().write();\n",
                "import { open } from 'kit';\ntrack();\nopen();\n",
                "import { Line } from 'log';\nexport function f(line: Line) { line.write(); track(); }\n",
            ],
        )],
    },
    RepositoryStates {
        manifest: ("package.json", "{\"name\": \"kit\", \"main\": \"index.ts\", \"dependencies\": {\"log\": \"1\"}}"),
        files: &[
            (
                "globals.d.ts",
                &[
                    "declare function track(): void;\n",
                    // The file is a module.
                    "declare function track(): void;\nexport { track };\n",
                    "declare function track(): number;\n",
                    "",
                ],
            ),
            (
                "index.ts",
                &[
                    "import { make as build } from 'log';\nexport function open() { return build(); }\n",
                    "export { make as open } from 'log';\n",
                    "export function open() { return 1; }\n",
                ],
            ),
        ],
    },
    RepositoryStates {
        manifest: ("package.json", "{\"name\": \"log\", \"main\": \"index.ts\"}"),
        files: &[
            (
                "index.ts",
                &[
                    "export class Line { write() {} }\nexport function make(): Line { return new Line(); }\n",
                    "export class Line { write() {} }\nexport function make(): number { return 1; }\n",
                    "export class Line {\n  write() { return 1; }\n}\n",
                ],
            ),
            (
                "other.ts",
                &[
                    "export function other() {}\n",
                    "\nexport function other() { return 2; }\n",
                    "export function other() {}\nexport function third() {}\n",
                    "export function fourth() {}\n",
                ],
            ),
        ],
    },
];

pub(super) const CPP: Repositories = [
    RepositoryStates {
        manifest: ("README.md", "# App\n"),
        files: &[(
            "main.cpp",
            &[
                "#include <kit/a.hpp>\n#include <kit/b.hpp>\nint main() { record(1); return 0; }\n",
                "#include <kit/a.hpp>\nint main() { record(1, 2); return 0; }\n",
            ],
        )],
    },
    RepositoryStates {
        manifest: ("README.md", "# Kit\n"),
        files: &[
            (
                "include/kit/a.hpp",
                &[
                    "#include <log/line.hpp>\nvoid record(int n);\n",
                    "#include <log/line.hpp>\n\nvoid record(int n);\nvoid unused(long n);\n",
                    "void record(int n, int m);\n",
                ],
            ),
            (
                "include/kit/b.hpp",
                &[
                    "void record(int n, int m);\n",
                    "void record(int n, int m = 0);\n",
                    "void other(int n);\n",
                    "\n// One.\nvoid record(int n, int m);\n",
                ],
            ),
        ],
    },
    RepositoryStates {
        manifest: ("README.md", "# Log\n"),
        files: &[
            (
                "include/log/line.hpp",
                &[
                    "void record(char n, char m, char o);\n",
                    "void record(int n);\n",
                    "void quiet(int n);\n",
                    "\n\nvoid quiet(int n);\n",
                ],
            ),
            ("include/log/more.hpp", &["void more(int n);\n", "\nvoid more(int n);\n", "void less(int n);\n"]),
        ],
    },
];

pub(super) const JAVA: Repositories = [
    RepositoryStates {
        manifest: ("README.md", "# App\n"),
        files: &[(
            "src/app/App.java",
            &[
                "package app;\nimport kit.Box;\nclass App { void run(Box box) { box.open().write(); } }\n",
                "package app;\nimport kit.*;\nclass App { void run(Box box) { box.close(1); } }\n",
            ],
        )],
    },
    RepositoryStates {
        manifest: ("README.md", "# Kit\n"),
        files: &[
            (
                "src/kit/Base.java",
                &[
                    "package kit;\npublic class Base { public void close(int n) {} }\n",
                    "package kit;\npublic class Base { public void close(int n) {} public void close(String n) {} }\n",
                    "package kit;\npublic class Base { private void hidden() {} public void close(int n) {} }\n",
                ],
            ),
            (
                "src/kit/Box.java",
                &[
                    "package kit;\nimport log.Line;\npublic class Box extends Base { public Line open() { return new Line(); } }\n",
                    "package kit;\nimport log.Line;\n\npublic class Box extends Base {\n    public Line open() {\n        return null;\n    }\n}\n",
                    "package kit;\npublic class Box extends Base { public int open() { return 1; } }\n",
                ],
            ),
        ],
    },
    RepositoryStates {
        manifest: ("README.md", "# Log\n"),
        files: &[
            (
                "src/log/Line.java",
                &[
                    "package log;\npublic class Line { public void write() {} }\n",
                    "package log;\n\npublic class Line {\n    public void write() { }\n}\n",
                    "package log;\npublic class Line { public void write(int n) {} }\n",
                ],
            ),
            (
                "src/log/Spare.java",
                &[
                    "package log;\nclass Spare {}\n",
                    "package log;\nclass Spare { void spare() {} }\n",
                    "package log;\n\nclass Spare { void spare() {} }\n",
                ],
            ),
        ],
    },
];
