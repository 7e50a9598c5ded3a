//! Prints the definitions of files as JSON, one line per file: `definitions < PATHS`, one path per line.
//!
//! Programs in other languages use this instead of a parser of their own.

use std::io::{self, BufWriter, Write};

use model::{FileFacts, Language};
use serde_json::json;

fn main() -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    for path in io::stdin().lines() {
        let path = path?;
        match std::fs::read(&path) {
            Ok(bytes) => print_definitions(&mut out, &path, &syntax::extract(Language::of_path(&path), &bytes))?,
            Err(error) => eprintln!("{path}: {error}"),
        }
    }
    out.flush()
}

fn print_definitions(out: &mut impl Write, path: &str, facts: &FileFacts) -> io::Result<()> {
    let definitions = facts.definitions.iter().map(|definition| {
        json!({
            "kind": definition.kind.name(),
            "name": definition.name,
            "container": definition.container,
            "signature": definition.signature,
            "doc": definition.doc,
            "start": definition.bytes.start,
            "end": definition.bytes.end,
            "has_row": definition.kind.has_text_row(),
        })
    });
    let definitions: Vec<_> = definitions.collect();
    writeln!(out, "{}", json!({ "path": path, "definitions": definitions }))
}
