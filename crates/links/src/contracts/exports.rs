//! Names that a file offers as a part of its package: `module::Name`, `module::Type.method`.

mod ecmascript;
mod module_location;
mod reexports;

use std::collections::BTreeSet;

use graph::{Family, FileIdx, Inference, Node, Program, SymbolIdx, public_headers};
use model::{FileFacts, Language, SymbolKind, code::Flags, symbol::qualify};

use super::visibility;
use crate::{
    contract::{ContractKind, ContractOffer},
    manifests::DeclaredPackages,
};

/// Maximum number of names that one file re-exports: the root of a large crate has hundreds.
const MAX_REEXPORTED_NAMES: usize = 5_000;

/// Returns the names that a file offers as a part of its package.
pub(super) fn offers(cx: &mut Inference<'_>, packages: &DeclaredPackages, file: FileIdx) -> Vec<ContractOffer> {
    let program = cx.program;
    let Some(location) = module_location::locate(program, packages, file) else { return Vec::new() };
    if visibility::is_private(program, file) {
        return Vec::new();
    }
    let mut offers = Vec::new();
    if location.is_root {
        offers.push(offer(ContractKind::Package, &location.key, String::new(), Node::File(file), 1));
    }
    // Definitions of C have no names within a package: inference finds them by their headers.
    if Family::of(program.language(file)) == Family::C {
        let folders = own_folders(&location.module).into_iter();
        let in_own_folder = folders.map(|folder| format!("include:{folder}"));
        offers.extend(in_own_folder.map(|key| offer(ContractKind::Package, &key, String::new(), Node::File(file), 1)));
        return offers;
    }
    let is_module = !matches!(program.language(file), Language::Java | Language::Kotlin | Language::Scala);
    let module = is_module.then(|| (location.module.clone(), Node::File(file), 1));
    let line_of = |symbol: SymbolIdx| program.definition(symbol).name_line;
    let own = own_names(program, file).into_iter().map(|(name, symbol)| {
        // A macro of Rust is named at the root of its crate, in whichever module it is defined.
        let is_at_root = program.language(file) == Language::Rust && is_macro(program, symbol);
        let member = if is_at_root { program.definition(symbol).name.clone() } else { location.member(&name) };
        (member, Node::Symbol(symbol), line_of(symbol))
    });
    let mut reexported = Vec::new();
    reexports::collect(cx, file, 0, &mut reexported);
    reexported.extend(ecmascript::exported_names(cx, file));
    reexported.truncate(MAX_REEXPORTED_NAMES);
    let reexported = reexported.into_iter().map(|one| (location.member(&one.name), one.node, one.line));
    for (member, node, line) in own.chain(reexported).chain(module) {
        offers.push(offer(ContractKind::PackageSymbol, &location.key, member, node, line));
    }
    offers.sort();
    offers.dedup();
    offers
}

/// Returns the folders that builds install a header without a folder into: its name, as it is and in lower case.
fn own_folders(included: &str) -> BTreeSet<String> {
    public_headers::own_folder(included).into_iter().flat_map(|name| [name.to_owned(), name.to_lowercase()]).collect()
}

fn offer(kind: ContractKind, key: &str, member: String, node: Node, line: u32) -> ContractOffer {
    ContractOffer { kind, key: key.to_owned(), member, node, line }
}

/// Returns the name by which other repositories reach a definition: a top-level type or function, or a member of such a
/// type.
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
        // The facts lack the attribute that exports a macro. Treating all macros as exported is safe, since code cannot name a
        // macro that is not visible to it.
        Language::Rust if definition.kind == Macro => true,
        // A member of an exported type is exported with it.
        _ => is_member || flags.has(Flags::EXPORTED),
    };
    is_offered.then(|| written_name(program, symbol))
}

fn is_macro(program: &Program<'_>, symbol: SymbolIdx) -> bool {
    program.definition(symbol).kind == SymbolKind::Macro
}

/// Returns a qualified name in the notation of keys: in Rust `::` follows a module and `.` a type.
fn written_name(program: &Program<'_>, symbol: SymbolIdx) -> String {
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

/// Returns the definitions of a file that other repositories can reach, with their names.
fn own_names(program: &Program<'_>, file: FileIdx) -> Vec<(String, SymbolIdx)> {
    let facts = program.facts(file);
    program.symbols_of(file).filter_map(|symbol| Some((offered_name(program, facts, symbol)?, symbol))).collect()
}
