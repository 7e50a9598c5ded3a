//! What a package offers by name: `module::Name`, `module::Type.method`.

use model::{FileFacts, Language, SymbolKind, code::Flags, symbol::qualify};

use super::{ContractKind, Offer, apart};
mod written_out;

use crate::{
    infer::Inference,
    program::{FileIdx, Program, SymbolIdx},
    resolve::Node,
    ty::Ty,
};

/// How far re-exports of all names are followed.
const MAX_REEXPORTS: u32 = 5;

/// The most names that one file passes on: a root of a large crate has hundreds.
const MAX_PASSED_ON: usize = 5_000;

/// Returns the names that a file offers as a part of its package.
pub(super) fn offers(cx: &mut Inference<'_>, file: FileIdx) -> Vec<Offer> {
    let program = cx.program;
    let Some(place) = place(program, file) else { return Vec::new() };
    if apart::is_apart_as_package(program, file) {
        return Vec::new();
    }
    let mut offers = Vec::new();
    if place.is_root {
        offers.push(offer(ContractKind::Package, &place.key, String::new(), Node::File(file), 1));
    }
    let is_module = !matches!(program.language(file), Language::Java | Language::Kotlin | Language::Scala);
    let module = is_module.then(|| (place.module.clone(), Node::File(file), 1));
    let line_of = |symbol: SymbolIdx| program.definition(symbol).name_line;
    let own = own_names(program, file).into_iter().map(|(name, symbol)| {
        // A macro of Rust stands at the root of its crate, wherever it is written.
        let is_of_root = program.language(file) == Language::Rust && is_macro(program, symbol);
        let member = if is_of_root { program.definition(symbol).name.clone() } else { place.member(&name) };
        (member, Node::Symbol(symbol), line_of(symbol))
    });
    let mut passed = Vec::new();
    passed_on(cx, file, 0, &mut passed);
    passed.extend(written_out::names(cx, file));
    passed.truncate(MAX_PASSED_ON);
    let passed = passed.into_iter().map(|(name, node, line)| (place.member(&name), node, line));
    for (member, node, line) in own.chain(passed).chain(module) {
        offers.push(offer(ContractKind::PackageSymbol, &place.key, member, node, line));
    }
    offers.sort();
    offers.dedup();
    offers
}

fn offer(kind: ContractKind, key: &str, member: String, node: Node, line: u32) -> Offer {
    Offer { kind, key: key.to_owned(), member, node, line }
}

/// Where a file stands in its package.
struct Place {
    key: String,
    /// The module that it is, in the package's notation; empty for the package itself.
    module: String,
    /// Stands for the package as a whole where no manifest does.
    is_root: bool,
}

impl Place {
    fn member(&self, name: &str) -> String {
        match (self.module.as_str(), name) {
            ("", name) => name.to_owned(),
            (module, "") => module.to_owned(),
            (module, name) => format!("{module}::{name}"),
        }
    }
}

fn place(program: &Program<'_>, file: FileIdx) -> Option<Place> {
    let path = program.path(file);
    match program.language(file) {
        Language::Python => python(program, path),
        Language::Go => {
            let (folder, package) = program.promised.packages.of(path, "go")?;
            let module = path[folder.len()..].rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
            Some(Place { key: package.key.clone(), module, is_root: false })
        }
        Language::Rust => {
            let (folder, package) = program.promised.packages.of(path, "cargo")?;
            let inside = path[folder.len()..].strip_prefix("src/")?.strip_suffix(".rs")?;
            let inside = inside.strip_suffix("/mod").unwrap_or(inside);
            let module = if inside == "lib" { String::new() } else { inside.replace('/', "::") };
            (inside != "main" && !inside.starts_with("bin/")).then(|| Place {
                key: package.key.clone(),
                module,
                is_root: false,
            })
        }
        Language::Java | Language::Kotlin | Language::Scala => {
            let package = &program.code(file).package;
            (!package.is_empty()).then(|| Place {
                key: format!("java:{package}"),
                module: String::new(),
                is_root: true,
            })
        }
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            let (folder, package) = program.promised.packages.of(path, "npm")?;
            let inside = &path[folder.len()..];
            let stem = inside.strip_prefix("src/").or(inside.strip_prefix("lib/")).unwrap_or(inside);
            let stem = stem.split('.').next().unwrap_or(stem);
            let module = stem.strip_suffix("/index").unwrap_or(stem);
            // What the entry offers is the package's; what other files offer is reached by their path.
            let module = if module == "index" || module == "main" { String::new() } else { module.to_owned() };
            Some(Place { key: package.key.clone(), module, is_root: false })
        }
        _ => None,
    }
}

/// A module of Python is named by its path from the outermost folder that is a package.
fn python(program: &Program<'_>, path: &str) -> Option<Place> {
    let stem = path.strip_suffix(".py").or(path.strip_suffix(".pyi"))?;
    let mut parts: Vec<&str> = stem.split('/').collect();
    if parts.last() == Some(&"__init__") {
        parts.pop();
    }
    let is_package = |end: usize| program.file_at(&format!("{}/__init__.py", stem_of(stem, end))).is_some();
    let mut first = parts.len().checked_sub(1)?;
    while first > 0 && is_package(first) {
        first -= 1;
    }
    let key = format!("python:{}", parts[first]);
    let module = parts[first + 1..].join(".");
    let is_root = module.is_empty();
    Some(Place { key, module, is_root })
}

/// Returns the first `n_parts` folders of a path.
fn stem_of(stem: &str, n_parts: usize) -> &str {
    let end = stem.match_indices('/').nth(n_parts.saturating_sub(1)).map_or(stem.len(), |(at, _)| at);
    &stem[..end]
}

/// Returns the name under which others can have a definition: that of a type or function at the top of its file, or of a
/// member of such a type.
fn offered_name(program: &Program<'_>, facts: &FileFacts, symbol: SymbolIdx) -> Option<String> {
    use SymbolKind::*;
    let definition = program.definition(symbol);
    let flags = program.shape(symbol).flags;
    if matches!(definition.kind, Field | Property | Variant | Section) || flags.has(Flags::PRIVATE) {
        return None;
    }
    let owner = program.parent(symbol);
    let is_nested = owner.is_some_and(|owner| {
        let kind = program.definition(owner).kind;
        !kind.is_type() && kind != Module
    });
    if is_nested || flags.has(Flags::TEST) {
        return None;
    }
    let is_member = owner.is_some_and(|owner| program.definition(owner).kind.is_type());
    let is_offered = match facts.language {
        Language::Go => definition.name.starts_with(|c: char| c.is_uppercase()),
        Language::Python => !definition.name.starts_with('_'),
        Language::Java | Language::Kotlin | Language::Scala => true,
        // Whether others see a macro is said by an attribute that facts do not have; nobody names one that they do not see.
        Language::Rust if definition.kind == Macro => true,
        // Members of an exported type are offered with it.
        _ => is_member || flags.has(Flags::EXPORTED),
    };
    is_offered.then(|| written(program, symbol))
}

fn is_macro(program: &Program<'_>, symbol: SymbolIdx) -> bool {
    program.definition(symbol).kind == SymbolKind::Macro
}

/// Returns a name as users write it: in Rust a module is followed by `::`, a type by `.`.
fn written(program: &Program<'_>, symbol: SymbolIdx) -> String {
    let definition = program.definition(symbol);
    let is_rust = program.language(program.file_of(symbol)) == Language::Rust;
    let module =
        program.parent(symbol).filter(|owner| is_rust && program.definition(*owner).kind == SymbolKind::Module);
    match module {
        Some(_) => format!("{}::{}", definition.container.replace('.', "::"), definition.name),
        None => match definition.container.rsplit_once('.').filter(|_| is_rust) {
            Some((modules, of)) => format!("{}::{of}.{}", modules.replace('.', "::"), definition.name),
            None => qualify(&definition.container, &definition.name),
        },
    }
}

/// Returns the definitions of a file that others can have, with their names.
fn own_names(program: &Program<'_>, file: FileIdx) -> Vec<(String, SymbolIdx)> {
    let facts = program.facts(file);
    program.symbols_of(file).filter_map(|symbol| Some((offered_name(program, facts, symbol)?, symbol))).collect()
}

/// A name that a file passes on, what it means, and the line that says so.
type Passed = (String, Node, u32);

/// Adds a definition under the name that it is passed on by, and its members with it.
fn add_symbol(cx: &mut Inference<'_>, name: &str, symbol: SymbolIdx, found: &mut Vec<Passed>) {
    let program = cx.program;
    let file = program.file_of(symbol);
    cx.consult(file);
    found.push((name.to_owned(), Node::Symbol(symbol), program.definition(symbol).name_line));
    if !program.definition(symbol).kind.is_type() {
        return;
    }
    for member in program.symbols_of(file).filter(|member| program.parent(*member) == Some(symbol)) {
        let definition = program.definition(member);
        if offered_name(program, program.facts(file), member).is_some() {
            let joined = if name.is_empty() { definition.name.clone() } else { format!("{name}.{}", definition.name) };
            found.push((joined, Node::Symbol(member), definition.name_line));
        }
    }
}

/// Adds names of other files that a file passes on, with what they mean.
fn passed_on(cx: &mut Inference<'_>, file: FileIdx, depth: u32, found: &mut Vec<Passed>) {
    let program = cx.program;
    if depth > MAX_REEXPORTS {
        return;
    }
    let language = program.language(file);
    let is_init = language == Language::Python && program.path(file).ends_with("__init__.py");
    let dialect = cx.dialect(file);
    for (index, import) in program.facts(file).imports.iter().enumerate() {
        let is_passed = import.reexport || is_init;
        // `pub mod a;` passes nothing on: the file is a module with a path of its own.
        if !is_passed || import.module == "self" && language == Language::Rust || found.len() > MAX_PASSED_ON {
            continue;
        }
        let around = modules_around(program, file, import.line);
        let targets = dialect.imported(cx, file, index);
        if import.name == "*" {
            for target in targets {
                if let Node::File(other) = target
                    && other != file
                {
                    names_of(cx, other, &around, depth, found);
                }
            }
            continue;
        }
        let local = local_of(language, import);
        if local.is_empty() || local == "_" {
            continue;
        }
        let name = format!("{around}{local}");
        let symbols: Vec<SymbolIdx> = targets.iter().filter_map(symbol_of).collect();
        match symbols.first().copied().or_else(|| valued(cx, file, local)) {
            Some(symbol) => add_symbol(cx, &name, symbol, found),
            // What comes from another repository is found where it is passed on.
            None if targets.is_empty() && (import.reexport || import.alias == import.name) => {
                found.push((name.clone(), Node::File(file), import.line));
            }
            None => {}
        }
        let Some(Node::File(other)) = targets.iter().find(|target| symbol_of(target).is_none()).copied() else {
            continue;
        };
        match program.name_named(&import.name).map(|name| program.top(other, name)) {
            Some([.., symbol]) if symbols.is_empty() => add_symbol(cx, &name, *symbol, found),
            _ if language == Language::Rust && symbols.is_empty() && other != file => {
                found.push((name.clone(), Node::File(other), 1));
                names_of(cx, other, &format!("{name}::"), depth, found);
            }
            _ => {}
        }
    }
}

/// Adds all that a file has for others, each name behind a prefix.
fn names_of(cx: &mut Inference<'_>, file: FileIdx, prefix: &str, depth: u32, found: &mut Vec<Passed>) {
    let program = cx.program;
    cx.consult(file);
    let mut inner: Vec<Passed> = Vec::new();
    for (name, symbol) in own_names(program, file) {
        inner.push((name, Node::Symbol(symbol), program.definition(symbol).name_line));
    }
    passed_on(cx, file, depth + 1, &mut inner);
    let left = MAX_PASSED_ON.saturating_sub(found.len());
    found.extend(inner.into_iter().take(left).map(|(name, node, line)| (format!("{prefix}{name}"), node, line)));
}

/// Returns the function or type that a name of a file stands for, where its import does not tell.
fn valued(cx: &mut Inference<'_>, file: FileIdx, local: &str) -> Option<SymbolIdx> {
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

fn local_of(language: Language, import: &model::Import) -> &str {
    match (import.alias.as_str(), import.name.as_str()) {
        ("", "") if language == Language::Rust => import.module.rsplit("::").next().unwrap_or_default(),
        ("", name) => name,
        (alias, _) => alias,
    }
}

/// Returns the modules of Rust that a line of a file stands in, each followed by `::`.
fn modules_around(program: &Program<'_>, file: FileIdx, line: u32) -> String {
    if program.language(file) != Language::Rust {
        return String::new();
    }
    let definitions = program.facts(file).definitions.iter();
    let around =
        definitions.filter(|one| one.kind == SymbolKind::Module && (one.lines.start..=one.lines.end).contains(&line));
    around.map(|one| format!("{}::", one.name)).collect()
}
