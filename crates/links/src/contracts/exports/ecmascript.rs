//! Exports that a JavaScript file assigns: `module.exports = f`, `exports.g = h`, `export default f`.

use graph::{Family, FileIdx, Inference, Node, SymbolIdx, Ty};
use model::code::Expression;

use super::reexports::{self, Reexport, add_symbol};

/// Maximum length of a chain of files that export each other whole (`module.exports = require("./other")`).
const MAX_FILES: u32 = 5;

/// Returns the names that a file assigns to its exports. The export of the whole file has an empty name.
pub(super) fn exported_names(cx: &mut Inference<'_>, file: FileIdx) -> Vec<Reexport> {
    let mut found = Vec::new();
    if Family::of(cx.program.language(file)) == Family::Ecmascript {
        add(cx, file, 0, &mut found);
    }
    found
}

fn add(cx: &mut Inference<'_>, file: FileIdx, depth: u32, found: &mut Vec<Reexport>) {
    let program = cx.program;
    if depth > MAX_FILES {
        return;
    }
    cx.consult(file);
    let code = program.code(file);
    for export in &code.exports {
        let name = match code.name(export.name) {
            "=" | "default" => "",
            "#global" | "#module" => continue,
            name => name,
        };
        let value = cx.type_of(file, export.value);
        let mut symbols: Vec<SymbolIdx> = Vec::new();
        let mut others: Vec<FileIdx> = Vec::new();
        if let Expression::Definition(definition) = code.expression(export.value) {
            symbols.push(program.symbol(file, *definition));
        }
        for ty in value.alternatives().iter().flat_map(parts) {
            match ty {
                Ty::Class(applied) | Ty::Object(applied) => symbols.push(applied.of),
                Ty::Function { candidates, .. } => symbols.extend(candidates.first()),
                Ty::Module(module) if module.family == Family::Ecmascript => others.push(FileIdx(module.index)),
                _ => {}
            }
        }
        if let Some(symbol) = symbols.first() {
            add_symbol(cx, name, *symbol, found);
        }
        // Members that are assigned to the export of the whole file (`module.exports.g = …`) are names of the file.
        for other in others.into_iter().filter(|other| name.is_empty() && *other != file) {
            if symbols.is_empty() {
                found.push(Reexport { name: String::new(), node: Node::File(other), line: 1 });
            }
            add(cx, other, depth + 1, found);
            reexports::collect(cx, other, depth + 1, found);
        }
    }
}

fn parts(ty: &Ty) -> &[Ty] {
    match ty {
        Ty::Intersection(types) => types,
        single => std::slice::from_ref(single),
    }
}
