//! Compiles the grammars without their parse tables, and stores the tables compressed.
//!
//! The tables of all grammars have 32 MB as they are, and 1.6 MB compressed: most of their entries are zero.

#[path = "build/sources.rs"]
mod sources;
#[path = "build/tables.rs"]
mod tables;

use std::{env, fs, path::Path, thread};

use tree_sitter_language::LanguageFn;

use sources::Sources;
use tables::ParseTables;

/// A grammar as its package has it.
struct GrammarSource {
    /// The name of its constant in this package.
    name: &'static str,
    package: &'static str,
    /// The folder of its parser in its package.
    folder: &'static str,
    /// The name of its C function, after `tree_sitter_`.
    function: &'static str,
    original: LanguageFn,
}

const fn grammar(
    name: &'static str,
    package: &'static str,
    folder: &'static str,
    function: &'static str,
    original: LanguageFn,
) -> GrammarSource {
    GrammarSource { name, package, folder, function, original }
}

const GRAMMARS: [GrammarSource; 23] = [
    grammar("BASH", "tree-sitter-bash", "src", "bash", tree_sitter_bash::LANGUAGE),
    grammar("C", "tree-sitter-c", "src", "c", tree_sitter_c::LANGUAGE),
    grammar("CPP", "tree-sitter-cpp", "src", "cpp", tree_sitter_cpp::LANGUAGE),
    grammar("C_SHARP", "tree-sitter-c-sharp", "src", "c_sharp", tree_sitter_c_sharp::LANGUAGE),
    grammar("DART", "tree-sitter-dart", "src", "dart", tree_sitter_dart::LANGUAGE),
    grammar("ELIXIR", "tree-sitter-elixir", "src", "elixir", tree_sitter_elixir::LANGUAGE),
    grammar("GO", "tree-sitter-go", "src", "go", tree_sitter_go::LANGUAGE),
    grammar("HCL", "tree-sitter-hcl", "src", "hcl", tree_sitter_hcl::LANGUAGE),
    grammar("JAVA", "tree-sitter-java", "src", "java", tree_sitter_java::LANGUAGE),
    grammar("JAVASCRIPT", "tree-sitter-javascript", "src", "javascript", tree_sitter_javascript::LANGUAGE),
    grammar("KOTLIN", "tree-sitter-kotlin-ng", "src", "kotlin", tree_sitter_kotlin_ng::LANGUAGE),
    grammar("LUA", "tree-sitter-lua", "src", "lua", tree_sitter_lua::LANGUAGE),
    grammar("PHP", "tree-sitter-php", "php/src", "php", tree_sitter_php::LANGUAGE_PHP),
    grammar("PROTOBUF", "tree-sitter-proto", "src", "proto", tree_sitter_proto::LANGUAGE),
    grammar("PYTHON", "tree-sitter-python", "src", "python", tree_sitter_python::LANGUAGE),
    grammar("RUBY", "tree-sitter-ruby", "src", "ruby", tree_sitter_ruby::LANGUAGE),
    grammar("RUST", "tree-sitter-rust", "src", "rust", tree_sitter_rust::LANGUAGE),
    grammar("SCALA", "tree-sitter-scala", "src", "scala", tree_sitter_scala::LANGUAGE),
    grammar("SQL", "tree-sitter-sequel", "src", "sql", tree_sitter_sequel::LANGUAGE),
    grammar("SWIFT", "tree-sitter-swift", "src", "swift", tree_sitter_swift::LANGUAGE),
    grammar("TSX", "tree-sitter-typescript", "tsx/src", "tsx", tree_sitter_typescript::LANGUAGE_TSX),
    grammar(
        "TYPESCRIPT",
        "tree-sitter-typescript",
        "typescript/src",
        "typescript",
        tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
    ),
    grammar("ZIG", "tree-sitter-zig", "src", "zig", tree_sitter_zig::LANGUAGE),
];

/// Level of zstd. Higher levels save 3 % and take six times as long.
const LEVEL: i32 = 6;

fn main() {
    let out = env::var("OUT_DIR").expect("cargo names the folder");
    let out = Path::new(&out);
    let sources = Sources::find();
    let n_threads = env::var("NUM_JOBS").ok().and_then(|number| number.parse().ok()).unwrap_or(1);
    thread::scope(|scope| {
        for part in GRAMMARS.chunks(GRAMMARS.len().div_ceil(n_threads)) {
            let sources = &sources;
            scope.spawn(move || part.iter().for_each(|grammar| compile(grammar, sources, out)));
        }
    });
    let constants: String = GRAMMARS.iter().map(|grammar| store_tables(grammar, out)).collect();
    fs::write(out.join("grammars.rs"), constants).expect("the constants are written");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
}

/// Compiles the parser of a grammar, and its scanner if it has one.
fn compile(grammar: &GrammarSource, sources: &Sources, out: &Path) {
    let folder = sources.folder(grammar.package).join(grammar.folder);
    let source = fs::read_to_string(folder.join("parser.c")).expect("the package has its parser");
    let parser = out.join(format!("{}.c", grammar.function));
    fs::write(&parser, sources::without_tables(&source, grammar.function)).expect("the parser is written");
    let mut build = cc::Build::new();
    build.std("c11").include(&folder).warnings(false).file(parser);
    let scanner = folder.join("scanner.c");
    if scanner.exists() {
        build.file(scanner);
    }
    build.compile(&format!("causeway-grammar-{}", grammar.function));
}

/// Stores the compressed tables of a grammar, and returns the definition of its constant.
fn store_tables(grammar: &GrammarSource, out: &Path) -> String {
    let GrammarSource { name, function, original, .. } = grammar;
    let tables = ParseTables::of(*original);
    let packed = zstd::bulk::compress(&tables.bytes(), LEVEL).expect("memory is compressed");
    let file = out.join(format!("{function}.zst"));
    fs::write(&file, packed).expect("the tables are written");
    let (n_large, n_small) = (tables.large.len(), tables.small.len());
    format!("grammar!({name}, \"causeway_grammar_{function}\", {file:?}, {n_large}, {n_small});\n")
}
