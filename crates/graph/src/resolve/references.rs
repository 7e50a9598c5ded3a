//! Edges besides calls: bases, references to types, imports.

use model::{
    ReferenceKind,
    code::{BaseKind, DefinitionId},
};
use rustc_hash::FxHashMap;

use super::{Edge, use_source};
use crate::{
    edge::{EdgeKind, Resolution},
    family::Family,
    infer::Inference,
    names::Name,
    program::{FileIdx, Node, SymbolIdx},
    ty::Ty,
};

/// Adds an edge from each type of a file to each of its bases in the repository.
pub(crate) fn bases(cx: &mut Inference<'_>, file: FileIdx, edges: &mut Vec<Edge>) {
    let program = cx.program;
    if !Family::of(program.language(file)).has_inference() {
        return;
    }
    for symbol in program.symbols_of(file) {
        for (kind, base) in cx.base_symbols(symbol) {
            let kind = if kind == BaseKind::Implement { EdgeKind::Implements } else { EdgeKind::Extends };
            let line = program.definition(symbol).name_line;
            edges.push(declared_edge(Node::Symbol(symbol), base, kind, line));
        }
    }
    for extension in &program.code(file).extensions {
        let Some(implemented) = extension.implements else { continue };
        let (of, implemented) = (cx.written_type(file, extension.of), cx.written_type(file, implemented));
        if let (Some(of), Some(base)) = (type_of(&of), type_of(&implemented)) {
            let line = extension.members.first().map_or(1, |member| {
                program.facts(file).definitions.get(member.index()).map_or(1, |member| member.name_line)
            });
            edges.push(declared_edge(Node::Symbol(of), base, EdgeKind::Implements, line));
        }
    }
}

fn declared_edge(from: Node, to: SymbolIdx, kind: EdgeKind, line: u32) -> Edge {
    Edge { from, to: Node::Symbol(to), kind, resolution: Resolution::Declared, line, n_sites: 1 }
}

fn type_of(ty: &Ty) -> Option<SymbolIdx> {
    match ty {
        Ty::Object(applied) | Ty::Class(applied) => Some(applied.of),
        _ => None,
    }
}

/// Adds an edge for each use of a type, decorator or base whose name means a definition at the level of the file.
pub(super) fn uses(cx: &mut Inference<'_>, file: FileIdx, edges: &mut Vec<Edge>) {
    let program = cx.program;
    let mut known: FxHashMap<(&str, &str), Vec<SymbolIdx>> = FxHashMap::default();
    let has_code = Family::of(program.language(file)) != Family::Other;
    for reference in &program.facts(file).references {
        if has_code && reference.kind == ReferenceKind::Call {
            continue;
        }
        let key = (reference.receiver.as_str(), reference.name.as_str());
        let found = known.entry(key).or_insert_with(|| referenced_definitions(cx, file, key.0, key.1)).clone();
        let kind = match reference.kind {
            ReferenceKind::Call | ReferenceKind::Construct if !has_code => EdgeKind::Calls,
            ReferenceKind::Extend if !has_code => EdgeKind::Extends,
            ReferenceKind::Implement if !has_code => EdgeKind::Implements,
            _ => EdgeKind::References,
        };
        let from = use_source(program, file, reference.enclosing.map(DefinitionId));
        for to in &found {
            let resolution = match found.len() {
                1 if program.file_of(*to) == file => Resolution::Scope,
                1 if has_code => Resolution::Import,
                1 => Resolution::UniqueName,
                _ => Resolution::Ambiguous,
            };
            edges.push(Edge { from, to: Node::Symbol(*to), kind, resolution, line: reference.line, n_sites: 1 });
        }
    }
}

/// Returns the definitions that a name with its receiver means at the level of a file.
fn referenced_definitions(cx: &mut Inference<'_>, file: FileIdx, receiver: &str, name: &str) -> Vec<SymbolIdx> {
    let program = cx.program;
    let path: Option<Vec<Name>> = receiver
        .split(['.', ':'])
        .filter(|part| !part.is_empty())
        .chain([name])
        .map(|part| program.name_named(part))
        .collect();
    let Some((first, rest)) = path.as_deref().and_then(<[Name]>::split_first) else {
        return by_name_alone(cx, file, receiver, name);
    };
    let mut value = cx.global_type(file, *first);
    for name in rest {
        value = cx.member_value(file, &value, *name);
    }
    match value {
        Ty::Class(applied) => vec![applied.of],
        Ty::Function { candidates, .. } if candidates.len() <= 4 => candidates.to_vec(),
        _ => by_name_alone(cx, file, receiver, name),
    }
}

/// Binds a member of an unknown receiver by its name, in a language without type inference.
fn by_name_alone(cx: &mut Inference<'_>, file: FileIdx, receiver: &str, name: &str) -> Vec<SymbolIdx> {
    let is_other = Family::of(cx.program.language(file)) == Family::Other;
    match cx.program.name_named(name) {
        Some(name) if is_other && !receiver.is_empty() => cx.dialect(file).by_name_alone(cx, file, name, true),
        _ => Vec::new(),
    }
}

/// Adds an edge from a file to each file or definition that it imports.
pub(super) fn imports(cx: &mut Inference<'_>, file: FileIdx, edges: &mut Vec<Edge>) {
    for (index, import) in cx.program.facts(file).imports.iter().enumerate() {
        for to in cx.import_targets(file, index) {
            edges.push(Edge {
                from: Node::File(file),
                to,
                kind: EdgeKind::Imports,
                resolution: Resolution::Import,
                line: import.line,
                n_sites: 1,
            });
        }
    }
}
