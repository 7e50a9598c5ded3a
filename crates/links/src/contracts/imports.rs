//! Uses of names of other packages: the names that a file imports, and the definitions that use them.

mod origin;
mod shadowing;

use std::collections::BTreeMap;

use graph::{FileIdx, Inference, Node, Program};
use model::{Import, Language, code::DefinitionId};

use super::enclosing::node_of;
use crate::{
    contract::{ContractKind, ContractUse},
    manifests::DeclaredPackages,
};
use origin::{ImportKind, ImportOrigin, is_ecmascript, starts_upper};

pub(crate) use origin::local_name;
use shadowing::ShadowedImports;

/// Returns the uses of names of other packages in a file.
pub(super) fn uses(cx: &mut Inference<'_>, packages: &DeclaredPackages, file: FileIdx) -> Vec<ContractUse> {
    let program = cx.program;
    let mut found = UsesByName::default();
    let mut locals: BTreeMap<&str, ImportOrigin> = BTreeMap::new();
    for (index, import) in program.facts(file).imports.iter().enumerate() {
        if !cx.import_targets(file, index).is_empty() {
            continue;
        }
        let Some(origin) = origin::of_import(program, packages, file, import) else { continue };
        let submodule = if import.name.is_empty() { imported_submodule(program, file, import) } else { None };
        let member = submodule.unwrap_or_else(|| origin.member.clone());
        found.add(&origin, member, Node::File(file), import.line);
        let local = local_name(program.language(file), import);
        // An import as `_` or `.` binds no name, and neither does an include.
        let binds_name = !matches!(program.language(file), Language::C | Language::Cpp);
        if binds_name && import.name != "*" && !matches!(local, "_" | ".") {
            locals.insert(local, origin);
        }
    }
    let crates = origin::crates_in_scope(program, packages, file);
    let shadowed = ShadowedImports::of(program, file);
    for reference in &program.facts(file).references {
        let node = node_of(program, file, reference.enclosing.map(DefinitionId));
        let (first, rest) = split_first(&reference.receiver);
        let origin = match first {
            "" => locals.get(reference.name.as_str()),
            first => locals.get(first).or_else(|| crates.get(first)),
        };
        let Some(origin) = origin else { continue };
        if shadowed.hides(program, file, reference, first) {
            continue;
        }
        let member = match (first, origin.kind) {
            // The bare name of a module uses no name in it, except in a language where modules are values.
            ("", ImportKind::Module) if !is_ecmascript(program.language(file)) => continue,
            ("", _) => origin.member.clone(),
            (_, ImportKind::Module | ImportKind::Either) => {
                origin.name_within(&join_path(program.language(file), rest, &reference.name))
            }
            // A member of an imported name: `Type.method`.
            (_, ImportKind::Name) if rest.is_empty() => format!("{}.{}", origin.member, reference.name),
            _ => continue,
        };
        if is_definition_name(&member) {
            found.add(origin, member, node, reference.line);
        }
    }
    found.uses.into_values().collect()
}

/// Returns the key of the package of another repository that an import names.
pub(crate) fn package_of_import(
    program: &Program<'_>,
    packages: &DeclaredPackages,
    file: FileIdx,
    import: &Import,
) -> Option<String> {
    origin::of_import(program, packages, file, import).map(|origin| origin.key)
}

/// Returns the submodule that `import a.b` of Python imports. The import binds only the package `a`.
fn imported_submodule(program: &Program<'_>, file: FileIdx, import: &Import) -> Option<String> {
    let (_, inner) = import.module.split_once('.')?;
    (program.language(file) == Language::Python && import.alias.is_empty()).then(|| inner.to_owned())
}

/// Uses by key, member and user.
#[derive(Default)]
struct UsesByName {
    uses: BTreeMap<(String, String, Node), ContractUse>,
}

impl UsesByName {
    fn add(&mut self, origin: &ImportOrigin, member: String, node: Node, line: u32) {
        let key = (origin.key.clone(), member.clone(), node);
        let one = self.uses.entry(key).or_insert_with(|| ContractUse {
            kind: ContractKind::PackageSymbol,
            key: origin.key.clone(),
            member,
            node,
            line,
            confidence: origin.confidence,
            n_sites: 0,
            serves: false,
        });
        one.n_sites += 1;
        one.line = one.line.min(line);
    }
}

/// Returns true if a text can name a definition. The receiver of a member may be any expression.
fn is_definition_name(member: &str) -> bool {
    member.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '$' | '/' | '-' | '#'))
}

/// Splits a receiver into its first name and the rest.
fn split_first(receiver: &str) -> (&str, &str) {
    let end = receiver.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$')).unwrap_or(receiver.len());
    (&receiver[..end], receiver[end..].trim_start_matches(['.', ':']))
}

/// Returns the rest of a path in the notation of offers: `::` between modules, `.` between a type and its member.
fn join_path(language: Language, rest: &str, name: &str) -> String {
    if rest.is_empty() {
        return name.to_owned();
    }
    let last = rest.rsplit(['.', ':']).next().unwrap_or(rest);
    let separator = if starts_upper(last) { "." } else { "::" };
    let rest = if language == Language::Python { rest.to_owned() } else { rest.replace('.', "::") };
    format!("{rest}{separator}{name}")
}
