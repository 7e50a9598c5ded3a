//! Prints the facts of files: `outline [--refs] FILE…`.

use model::{Language, symbol::qualify};

fn main() {
    let (flags, paths): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let with_references = flags.iter().any(|flag| flag == "--refs");
    for path in paths {
        match std::fs::read(&path) {
            Ok(bytes) => print_outline(&path, &bytes, with_references),
            Err(error) => eprintln!("{path}: {error}"),
        }
    }
}

fn print_outline(path: &str, bytes: &[u8], with_references: bool) {
    let facts = syntax::extract(Language::of_path(path), bytes);
    println!("{path}: {}, {} lines, {} chunks", facts.language.name(), facts.n_lines, facts.chunks.len());
    if !facts.doc.is_empty() {
        println!("  doc {:?}", facts.doc);
    }
    for diagnostic in &facts.diagnostics {
        println!("  line {}: {}", diagnostic.line, diagnostic.message);
    }
    for import in &facts.imports {
        let reexport = if import.reexport { " (re-export)" } else { "" };
        println!("  {:5} import {} | {} | {}{reexport}", import.line, import.module, import.name, import.alias);
    }
    for definition in &facts.definitions {
        let name = qualify(&definition.container, &definition.name);
        println!(
            "  {:5}-{:<5} {} {name}: {}",
            definition.lines.start,
            definition.lines.end,
            definition.kind.name(),
            definition.signature
        );
        if !definition.doc.is_empty() {
            println!("              {:?}", definition.doc);
        }
    }
    for reference in facts.references.iter().filter(|_| with_references) {
        let enclosing = reference.enclosing.map_or("-", |index| facts.definitions[index as usize].name.as_str());
        println!(
            "  {:5} {:?} {} . {} in {enclosing}",
            reference.line, reference.kind, reference.receiver, reference.name
        );
    }
}
