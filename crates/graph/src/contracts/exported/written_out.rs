//! What a file of JavaScript says it offers: `module.exports = f`, `exports.g = h`, `export default f`.

use model::code::Expression;

use super::{Passed, add_symbol, passed_on};
use crate::{
    dialect::Family,
    infer::Inference,
    program::{FileIdx, SymbolIdx},
    resolve::Node,
    ty::Ty,
};

/// The most files that stand for each other (`module.exports = require("./other")`).
const MAX_FILES: u32 = 5;

/// Returns the names that a file writes out for others. What stands for the file as a whole has no name.
pub(super) fn names(cx: &mut Inference<'_>, file: FileIdx) -> Vec<Passed> {
    let mut found = Vec::new();
    if Family::of(cx.program.language(file)) == Family::Ecmascript {
        add(cx, file, 0, &mut found);
    }
    found
}

fn add(cx: &mut Inference<'_>, file: FileIdx, depth: u32, found: &mut Vec<Passed>) {
    let program = cx.program;
    if depth > MAX_FILES {
        return;
    }
    cx.consult(file);
    let code = program.code(file);
    for export in &code.exports {
        let name = match code.name(export.name) {
            "=" | "default" => "",
            "#global" => continue,
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
        // Members that are given to what stands for the file (`module.exports.g = …`) are its names.
        for other in others.into_iter().filter(|other| name.is_empty() && *other != file) {
            if symbols.is_empty() {
                found.push((String::new(), Node::File(other), 1));
            }
            add(cx, other, depth + 1, found);
            passed_on(cx, other, depth + 1, found);
        }
    }
}

fn parts(ty: &Ty) -> &[Ty] {
    match ty {
        Ty::Intersection(types) => types,
        single => std::slice::from_ref(single),
    }
}
