//! What a package offers by name: `module::Name`, `module::Type.method`.

use model::{FileFacts, Language, SymbolKind, code::Flags, symbol::qualify};

use super::{ContractKind, Offer};
use crate::{
    infer::Inference,
    program::{FileIdx, Program, SymbolIdx},
    resolve::Node,
    ty::Ty,
};

/// How far re-exports of all names are followed.
const MAX_REEXPORTS: u32 = 5;

/// Returns the names that a file offers as a part of its package.
pub(super) fn offers(cx: &mut Inference<'_>, file: FileIdx) -> Vec<Offer> {
    let program = cx.program;
    let Some(place) = place(program, file) else { return Vec::new() };
    if is_apart(program.path(file)) {
        return Vec::new();
    }
    let mut offers = Vec::new();
    if place.is_root {
        offers.push(offer(ContractKind::Package, &place.key, String::new(), Node::File(file), 1));
    }
    let facts = program.facts(file);
    for symbol in program.symbols_of(file) {
        if let Some(name) = offered_name(program, facts, symbol) {
            let line = program.definition(symbol).name_line;
            offers.push(offer(
                ContractKind::PackageSymbol,
                &place.key,
                place.member(&name),
                Node::Symbol(symbol),
                line,
            ));
        }
    }
    for (name, symbol) in passed_on(cx, file, 0) {
        let line = program.definition(symbol).name_line;
        offers.push(offer(ContractKind::PackageSymbol, &place.key, place.member(&name), Node::Symbol(symbol), line));
    }
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
        if self.module.is_empty() { name.to_owned() } else { format!("{}::{name}", self.module) }
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

/// Says whether a path is of tests, examples and the like, which no package offers.
fn is_apart(path: &str) -> bool {
    const APART: [&str; 10] =
        ["internal", "test", "tests", "__tests__", "testdata", "spec", "examples", "example", "benches", "benchmarks"];
    let mut parts = path.split('/');
    let name = parts.next_back().unwrap_or_default();
    parts.any(|part| APART.contains(&part))
        || name.contains(".test.")
        || name.contains(".spec.")
        || name.contains("_test.")
        || name.starts_with("test_")
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
        // Members of an exported type are offered with it.
        _ => is_member || flags.has(Flags::EXPORTED),
    };
    is_offered.then(|| qualify(&definition.container, &definition.name))
}

/// Returns names of other files that a file passes on, with what they mean.
fn passed_on(cx: &mut Inference<'_>, file: FileIdx, depth: u32) -> Vec<(String, SymbolIdx)> {
    let program = cx.program;
    let language = program.language(file);
    let is_init = language == Language::Python && program.path(file).ends_with("__init__.py");
    let dialect = cx.dialect(file);
    let mut found = Vec::new();
    for (index, import) in program.facts(file).imports.iter().enumerate() {
        if !(import.reexport || is_init) || depth > MAX_REEXPORTS {
            continue;
        }
        let local = if import.alias.is_empty() { &import.name } else { &import.alias };
        let targets = dialect.imported(cx, file, index);
        if import.name == "*" {
            for target in targets {
                if let Node::File(other) = target
                    && other != file
                {
                    cx.consult(other);
                    let own = program.symbols_of(other).filter_map(|symbol| {
                        let name = offered_name(program, program.facts(other), symbol)?;
                        Some((name, symbol))
                    });
                    found.extend(own);
                    found.extend(passed_on(cx, other, depth + 1));
                }
            }
            continue;
        }
        let symbol = targets.iter().find_map(|target| match target {
            Node::Symbol(symbol) => Some(*symbol),
            Node::File(_) => None,
        });
        let symbol = symbol.or_else(|| {
            let name = program.name_named(local)?;
            match cx.global(file, name) {
                Ty::Class(applied) => Some(applied.of),
                Ty::Function { candidates, .. } => candidates.first().copied(),
                _ => None,
            }
        });
        symbol.iter().for_each(|symbol| cx.consult(program.file_of(*symbol)));
        found.extend(symbol.filter(|_| !local.is_empty()).map(|symbol| (local.clone(), symbol)));
    }
    found
}
