//! A generated organisation of many repositories with dependencies between them.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use causeway_tests::repository::Repository;

/// Number of packages that most repositories use, such as a logger.
const N_COMMON: usize = 6;

/// Number of repositories of a team. Each uses the package before it in its team: chains.
const TEAM: usize = 12;

/// The languages, in turn.
const LANGUAGES: [GeneratedLanguage; 4] =
    [GeneratedLanguage::Go, GeneratedLanguage::Typescript, GeneratedLanguage::Python, GeneratedLanguage::Rust];

/// A language of generated repositories. A repository depends on those of its own language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GeneratedLanguage {
    Go,
    Typescript,
    Python,
    Rust,
}

/// A change of one repository.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GeneratedChange {
    repository: usize,
    changes_interface: bool,
}

impl GeneratedChange {
    /// Returns a change within the body of a function.
    pub(crate) fn body(repository: usize) -> GeneratedChange {
        GeneratedChange { repository, changes_interface: false }
    }

    /// Returns a change that adds a function.
    pub(crate) fn interface(repository: usize) -> GeneratedChange {
        GeneratedChange { repository, changes_interface: true }
    }

    /// Commits the change, and returns the alias of the repository and the commit.
    pub(crate) fn apply(self, roots: &[PathBuf]) -> (String, String) {
        let root = &roots[self.repository];
        let language = language_of(self.repository);
        let path = language.file(&package(self.repository), n_files(self.repository) - 1);
        let text = std::fs::read_to_string(root.join(&path)).expect("a generated file");
        let text = if self.changes_interface {
            format!("{text}{}", language.function(&format!("Added{}", text.len()), "", ""))
        } else {
            text.replacen("41", &format!("41{}", text.len()), 1)
        };
        let repository = Repository::init(root);
        repository.write(path, text);
        (root.file_name().expect("a name").to_string_lossy().into_owned(), repository.commit("A change"))
    }
}

/// Creates repositories below `root`, each with one commit.
pub(crate) fn make(root: &Path, count: usize) -> Vec<PathBuf> {
    let make = |repository_idx: usize| {
        let path = root.join(package(repository_idx));
        let language = language_of(repository_idx);
        let used: Vec<String> = providers(repository_idx).into_iter().map(package).collect();
        let repository = Repository::init(&path);
        let (manifest, text) = language.manifest(&package(repository_idx), &used);
        repository.write(manifest, text);
        for file in 0..n_files(repository_idx) {
            repository.write(
                language.file(&package(repository_idx), file),
                language.text(&package(repository_idx), file, &used),
            );
        }
        if language == GeneratedLanguage::Rust {
            let modules: String = (0..n_files(repository_idx)).map(|file| format!("pub mod f{file};\n")).collect();
            repository.write("src/lib.rs", modules);
        }
        if language == GeneratedLanguage::Python {
            repository.write(format!("{}/__init__.py", package(repository_idx)), "");
        }
        repository.commit("The first commit");
        path
    };
    (0..count).map(make).collect()
}

/// Returns the name of the package and the folder of a repository.
pub(crate) fn package(repository_idx: usize) -> String {
    format!("pack{repository_idx:04}")
}

/// Returns the language of a repository: that of its team. Common packages exist in each language.
fn language_of(repository_idx: usize) -> GeneratedLanguage {
    let n_common = N_COMMON * LANGUAGES.len();
    let team = if repository_idx < n_common { repository_idx / N_COMMON } else { (repository_idx - n_common) / TEAM };
    LANGUAGES[team % LANGUAGES.len()]
}

/// Returns the number of files: 30 to 60.
fn n_files(repository_idx: usize) -> usize {
    30 + repository_idx * 7 % 31
}

/// Returns the repositories that one depends on: three common ones of its language, and the one before it in its team.
fn providers(repository_idx: usize) -> Vec<usize> {
    let n_common = N_COMMON * LANGUAGES.len();
    let language = LANGUAGES.iter().position(|language| *language == language_of(repository_idx)).unwrap_or_default();
    let common = |place: usize| language * N_COMMON + place;
    if repository_idx < n_common {
        // The first package of a language is used by the others.
        let first = common(0);
        return if repository_idx == first { Vec::new() } else { vec![first] };
    }
    let own = repository_idx - n_common;
    let mut used = vec![common(0), common(1 + own % 2), common(3 + own % 3)];
    if !own.is_multiple_of(TEAM) {
        used.push(repository_idx - 1);
    }
    used
}

impl GeneratedLanguage {
    fn manifest(self, name: &str, used: &[String]) -> (String, String) {
        let each = |line: &dyn Fn(&String) -> String| used.iter().map(line).collect::<Vec<_>>();
        match self {
            GeneratedLanguage::Go => {
                let requires = each(&|one| format!("require example.org/{one} v1.2.0\n")).concat();
                ("go.mod".to_owned(), format!("module example.org/{name}\n\n{requires}"))
            }
            GeneratedLanguage::Typescript => {
                let requires = each(&|one| format!("\"{one}\": \"^1.2.0\"")).join(", ");
                let text = format!(
                    "{{\"name\": \"{name}\", \"version\": \"1.3.0\", \"main\": \"src/f0.ts\", \"dependencies\": {{{requires}}}}}"
                );
                ("package.json".to_owned(), text)
            }
            GeneratedLanguage::Python => {
                let requires = each(&|one| format!("\"{one}>=1.2\"")).join(", ");
                let text = format!("[project]\nname = \"{name}\"\nversion = \"1.3\"\ndependencies = [{requires}]\n");
                ("pyproject.toml".to_owned(), text)
            }
            GeneratedLanguage::Rust => {
                let requires = each(&|one| format!("{one} = \"1.2\"\n")).concat();
                let text = format!("[package]\nname = \"{name}\"\nversion = \"1.3.0\"\n\n[dependencies]\n{requires}");
                ("Cargo.toml".to_owned(), text)
            }
        }
    }

    fn file(self, name: &str, file: usize) -> String {
        match self {
            GeneratedLanguage::Go => format!("p{file}/f.go"),
            GeneratedLanguage::Typescript => format!("src/f{file}.ts"),
            GeneratedLanguage::Python => format!("{name}/f{file}.py"),
            GeneratedLanguage::Rust => format!("src/f{file}.rs"),
        }
    }

    /// Returns a file with a type, its methods and some functions. It uses a file of the own package, and of each used one. Every
    /// function calls the logger: the first file of the first used package.
    fn text(self, name: &str, file: usize, used: &[String]) -> String {
        let of_used = file % 30;
        let mut text = String::new();
        let mut calls = String::new();
        let mut line = |words: String| writeln!(text, "{words}").expect("text can be written");
        let logger = used.first();
        match self {
            GeneratedLanguage::Go => {
                line(format!("package p{file}\n"));
                if file > 0 {
                    line(format!("import own \"example.org/{name}/p{}\"", file - 1));
                    calls += "\town.Make(1).Step(2)\n";
                }
                for (number, one) in used.iter().enumerate() {
                    line(format!("import u{number} \"example.org/{one}/p{of_used}\""));
                    calls += &format!("\tu{number}.Make({number}).Step(3).Step(4)\n");
                }
                if let Some(one) = logger {
                    line(format!("import logger \"example.org/{one}/p0\""));
                    calls += "\tlogger.Make(0).Step(1)\n";
                }
                line(
                    "\ntype Item struct { value int }\n\nfunc Make(n int) *Item { return &Item{value: n} }\n"
                        .to_owned(),
                );
                line("func (i *Item) Step(n int) *Item {\n\ti.value += n * 41\n\treturn i\n}\n".to_owned());
            }
            GeneratedLanguage::Typescript => {
                if file > 0 {
                    line(format!("import {{ Item as Own }} from './f{}';", file - 1));
                    calls += "    new Own(1).step(2);\n";
                }
                for (number, one) in used.iter().enumerate() {
                    line(format!("import {{ make as make{number} }} from '{one}/src/f{of_used}';"));
                    calls += &format!("    make{number}({number}).step(3).step(4);\n");
                }
                if let Some(one) = logger {
                    line(format!("import {{ make as logger }} from '{one}/src/f0';"));
                    calls += "    logger(0).step(1);\n";
                }
                line("\nexport class Item {\n    constructor(private value: number) {}\n".to_owned());
                line(
                    "    step(n: number): Item {\n        this.value += n * 41;\n        return this;\n    }\n}\n"
                        .to_owned(),
                );
                line("export function make(n: number): Item {\n    return new Item(n);\n}\n".to_owned());
            }
            GeneratedLanguage::Python => {
                if file > 0 {
                    line(format!("from .f{} import Item as Own", file - 1));
                    calls += "    Own(1).step(2)\n";
                }
                for (number, one) in used.iter().enumerate() {
                    line(format!("from {one}.f{of_used} import make as make{number}"));
                    calls += &format!("    make{number}({number}).step(3).step(4)\n");
                }
                if let Some(one) = logger {
                    line(format!("from {one}.f0 import make as logger"));
                    calls += "    logger(0).step(1)\n";
                }
                line("\n\nclass Item:\n    def __init__(self, value):\n        self.value = value\n".to_owned());
                line("    def step(self, n):\n        self.value += n * 41\n        return self\n\n".to_owned());
                line("def make(n):\n    return Item(n)\n\n".to_owned());
            }
            GeneratedLanguage::Rust => {
                if file > 0 {
                    line(format!("use crate::f{}::Item as Own;", file - 1));
                    calls += "    Own::make(1).step(2);\n";
                }
                for (number, one) in used.iter().enumerate() {
                    line(format!("use {one}::f{of_used}::Item as Item{number};"));
                    calls += &format!("    Item{number}::make({number}).step(3).step(4);\n");
                }
                if let Some(one) = logger {
                    line(format!("use {one}::f0::Item as Logger;"));
                    calls += "    Logger::make(0).step(1);\n";
                }
                line("\npub struct Item { value: u64 }\n\nimpl Item {\n    pub fn make(value: u64) -> Item { Item { value } }\n".to_owned());
                line("    pub fn step(mut self, n: u64) -> Item {\n        self.value += n * 41;\n        self\n    }\n}\n".to_owned());
            }
        }
        for number in 0..6 {
            text += &self.function(&format!("Run{number}"), "n", &calls);
        }
        text
    }

    fn function(self, name: &str, parameter: &str, calls: &str) -> String {
        match (self, parameter) {
            (GeneratedLanguage::Go, "") => format!("func {name}() {{\n{calls}}}\n\n"),
            (GeneratedLanguage::Go, _) => format!("func {name}({parameter} int) {{\n{calls}}}\n\n"),
            (GeneratedLanguage::Typescript, "") => format!("export function {name}() {{\n{calls}}}\n\n"),
            (GeneratedLanguage::Typescript, _) => {
                format!("export function {name}({parameter}: number) {{\n{calls}}}\n\n")
            }
            (GeneratedLanguage::Python, _) => format!("def {name}({parameter}):\n{calls}    return 0\n\n\n"),
            (GeneratedLanguage::Rust, "") => format!("pub fn {name}() {{\n{calls}}}\n\n"),
            (GeneratedLanguage::Rust, _) => format!("pub fn {name}({parameter}: u64) {{\n{calls}}}\n\n"),
        }
    }
}
