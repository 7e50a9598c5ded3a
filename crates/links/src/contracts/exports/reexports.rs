//! Names of other files that a file re-exports.

use graph::{FileIdx, Inference, Node, Program, SymbolIdx, Ty};
use model::{Language, SymbolKind};

use super::{MAX_REEXPORTED_NAMES, offered_name, own_names};

/// Maximum depth of re-exports of all names of a module.
const MAX_REEXPORT_DEPTH: u32 = 5;

/// A definition or file that is reached under a name of another file.
pub(super) struct Reexport {
    pub(super) name: String,
    pub(super) node: Node,
    /// The line of the definition, or of the re-export if the definition is in another repository.
    pub(super) line: u32,
}

/// Adds a definition under its re-exported name, and its members with it.
pub(super) fn add_symbol(cx: &mut Inference<'_>, name: &str, symbol: SymbolIdx, found: &mut Vec<Reexport>) {
    let program = cx.program;
    let file = program.file_of(symbol);
    cx.consult(file);
    let line = program.definition(symbol).name_line;
    found.push(Reexport { name: name.to_owned(), node: Node::Symbol(symbol), line });
    if !program.definition(symbol).kind.is_type() {
        return;
    }
    for member in program.symbols_of(file).filter(|member| program.parent(*member) == Some(symbol)) {
        let definition = program.definition(member);
        if offered_name(program, program.facts(file), member).is_some() {
            let name = if name.is_empty() { definition.name.clone() } else { format!("{name}.{}", definition.name) };
            found.push(Reexport { name, node: Node::Symbol(member), line: definition.name_line });
        }
    }
}

/// Adds the names of other files that a file re-exports.
pub(super) fn collect(cx: &mut Inference<'_>, file: FileIdx, depth: u32, found: &mut Vec<Reexport>) {
    let program = cx.program;
    if depth > MAX_REEXPORT_DEPTH {
        return;
    }
    let language = program.language(file);
    let is_init = language == Language::Python && program.path(file).ends_with("__init__.py");
    for (index, import) in program.facts(file).imports.iter().enumerate() {
        let is_reexported = import.reexport || is_init;
        // `pub mod a;` re-exports nothing: the module file has a path of its own.
        if !is_reexported || import.module == "self" && language == Language::Rust || found.len() > MAX_REEXPORTED_NAMES
        {
            continue;
        }
        let module_prefix = modules_around_line(program, file, import.line);
        let targets = cx.import_targets(file, index);
        if import.name == "*" {
            for target in targets {
                if let Node::File(other) = target
                    && other != file
                {
                    collect_all_names(cx, other, &module_prefix, depth, found);
                }
            }
            continue;
        }
        let local = local_name(language, import);
        if local.is_empty() || local == "_" {
            continue;
        }
        let name = format!("{module_prefix}{local}");
        let symbols: Vec<SymbolIdx> = targets.iter().filter_map(symbol_of).collect();
        match symbols.first().copied().or_else(|| definition_of_global(cx, file, local)) {
            Some(symbol) => add_symbol(cx, &name, symbol, found),
            // A definition of another repository is reached at the re-export.
            None if targets.is_empty() && (import.reexport || import.alias == import.name) => {
                found.push(Reexport { name: name.clone(), node: Node::File(file), line: import.line });
            }
            None => {}
        }
        let Some(Node::File(other)) = targets.iter().find(|target| symbol_of(target).is_none()).copied() else {
            continue;
        };
        match program.name_named(&import.name).map(|name| program.top(other, name)) {
            Some([.., symbol]) if symbols.is_empty() => add_symbol(cx, &name, *symbol, found),
            _ if language == Language::Rust && symbols.is_empty() && other != file => {
                found.push(Reexport { name: name.clone(), node: Node::File(other), line: 1 });
                collect_all_names(cx, other, &format!("{name}::"), depth, found);
            }
            _ => {}
        }
    }
}

/// Adds every name that a file offers, each behind a prefix.
fn collect_all_names(cx: &mut Inference<'_>, file: FileIdx, prefix: &str, depth: u32, found: &mut Vec<Reexport>) {
    let program = cx.program;
    cx.consult(file);
    let mut inner: Vec<Reexport> = Vec::new();
    for (name, symbol) in own_names(program, file) {
        inner.push(Reexport { name, node: Node::Symbol(symbol), line: program.definition(symbol).name_line });
    }
    collect(cx, file, depth + 1, &mut inner);
    let left = MAX_REEXPORTED_NAMES.saturating_sub(found.len());
    let prefixed = inner.into_iter().take(left);
    found.extend(prefixed.map(|one| Reexport { name: format!("{prefix}{}", one.name), ..one }));
}

/// Returns the function or type that a name means at the level of a file.
fn definition_of_global(cx: &mut Inference<'_>, file: FileIdx, local: &str) -> Option<SymbolIdx> {
    let name = cx.program.name_named(local)?;
    match cx.global(file, name) {
        Ty::Class(applied) => Some(applied.of),
        Ty::Function { candidates, .. } => candidates.first().copied(),
        _ => None,
    }
}

fn symbol_of(node: &Node) -> Option<SymbolIdx> {
    match node {
        Node::Symbol(symbol) => Some(*symbol),
        Node::File(_) => None,
    }
}

fn local_name(language: Language, import: &model::Import) -> &str {
    match (import.alias.as_str(), import.name.as_str()) {
        ("", "") if language == Language::Rust => import.module.rsplit("::").next().unwrap_or_default(),
        ("", name) => name,
        (alias, _) => alias,
    }
}

/// Returns the Rust modules around a line of a file, each followed by `::`.
fn modules_around_line(program: &Program<'_>, file: FileIdx, line: u32) -> String {
    if program.language(file) != Language::Rust {
        return String::new();
    }
    let definitions = program.facts(file).definitions.iter();
    let modules =
        definitions.filter(|one| one.kind == SymbolKind::Module && (one.lines.start..=one.lines.end).contains(&line));
    modules.map(|module| format!("{}::", module.name)).collect()
}
