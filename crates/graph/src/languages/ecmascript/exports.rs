//! Module records: imports, re-exports and exports of each file, and resolution of names through them.

use model::{
    FileFacts,
    code::{Expression, ExpressionId, Flags, ScopeId, Shape},
};
use rustc_hash::FxHashMap;

use super::{EcmascriptDialect, local_name, modules::ModuleResolver};
use crate::{
    family::Family,
    infer::Inference,
    manifest::ManifestFile,
    names::Name,
    program::{FileIdx, Node, Program, SymbolIdx},
    ty::{ModuleIdx, Ty},
};

/// The top-level scope of a file.
const FILE_SCOPE: ScopeId = ScopeId(0);

/// The name under which a file exports its declarations of the global scope.
const GLOBAL: &str = "#global";

/// The name under which a file exports its declarations of members of another module.
pub(super) const OTHER_MODULE: &str = "#module";

/// Declaration space of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DeclarationSpace {
    Value,
    Type,
}

/// Imports and exports of a file.
#[derive(Default)]
pub(super) struct ModuleRecord {
    /// Imports by local name.
    imports: FxHashMap<Name, ImportEntry>,
    /// Re-exports by exported name.
    reexports: FxHashMap<Name, ImportEntry>,
    /// Targets of `export * from`.
    star_exports: Vec<FileIdx>,
    /// True if a module outside of the repository is re-exported by `export *`.
    has_external_star_export: bool,
    /// Exported values by name; several if alternatives are assigned.
    exports: FxHashMap<Name, Vec<ExpressionId>>,
}

/// An import of another module.
#[derive(Debug, Clone, Copy)]
struct ImportEntry {
    /// The module; `None` if it is outside of the repository.
    from: Option<FileIdx>,
    /// The imported name; `None` for the whole module.
    name: Option<Name>,
}

/// Builds the module record of each file, and the targets of all module specifiers.
pub(super) fn lay_out(
    program: &Program<'_>,
    manifests: &[ManifestFile<'_>],
) -> (Vec<ModuleRecord>, FxHashMap<(FileIdx, Name), FileIdx>) {
    let modules = ModuleResolver::new(program, manifests);
    let mut targets = FxHashMap::default();
    let records = program
        .file_indices()
        .map(|file| match Family::of(program.language(file)) {
            Family::Ecmascript => module_record(program, &modules, file, &mut targets),
            _ => ModuleRecord::default(),
        })
        .collect();
    (records, targets)
}

/// Builds the module record of a file and adds the targets of its specifiers to `targets`.
fn module_record(
    program: &Program<'_>,
    modules: &ModuleResolver<'_>,
    file: FileIdx,
    targets: &mut FxHashMap<(FileIdx, Name), FileIdx>,
) -> ModuleRecord {
    let mut record = ModuleRecord::default();
    let mut found: FxHashMap<&str, Option<FileIdx>> = FxHashMap::default();
    for import in &program.facts(file).imports {
        let from = *found.entry(import.module.as_str()).or_insert_with(|| modules.find(file, &import.module));
        if let (Some(target), Some(module)) = (from, program.name_named(&import.module)) {
            targets.insert((file, module), target);
        }
        if import.name == "*" {
            match from {
                Some(target) => record.star_exports.push(target),
                None => record.has_external_star_export = true,
            }
            continue;
        }
        let name = match import.name.as_str() {
            "" => None,
            // A name that occurs nowhere in the program resolves to nothing.
            name => Some(program.name_named(name).unwrap_or(Name::NONE)),
        };
        let Some(local) = program.name_named(local_name(import)) else { continue };
        let entry = ImportEntry { from, name };
        if import.reexport {
            record.reexports.insert(local, entry);
        } else {
            record.imports.entry(local).or_insert(entry);
        }
    }
    // Types in JSDoc comments import as well.
    for expression in &program.code(file).expressions {
        if let Expression::Import { module, .. } = expression {
            let name = program.name(file, *module);
            let specifier = program.text(name);
            let target = *found.entry(specifier).or_insert_with(|| modules.find(file, specifier));
            targets.extend(target.map(|target| ((file, name), target)));
        }
    }
    for export in &program.code(file).exports {
        record.exports.entry(program.name(file, export.name)).or_default().push(export.value);
    }
    record
}

/// Collects the global scope: `declare global`, and the definitions of declaration files that are scripts.
pub(super) fn globals(program: &Program<'_>, records: &[ModuleRecord]) -> FxHashMap<Name, Vec<SymbolIdx>> {
    let mut globals: FxHashMap<Name, Vec<SymbolIdx>> = FxHashMap::default();
    let global = program.name_named(GLOBAL);
    for (file, record) in program.file_indices().zip(records) {
        let declared = global.and_then(|global| record.exports.get(&global)).map_or(&[] as &[_], Vec::as_slice);
        for value in declared {
            if let Expression::Definition(definition) = program.code(file).expression(*value) {
                let symbol = program.symbol(file, *definition);
                globals.entry(program.name_of(symbol)).or_default().push(symbol);
            }
        }
        if program.path(file).ends_with(".d.ts") && is_script(program.facts(file)) {
            let top = program.symbols_of(file).filter(|symbol| program.parent(*symbol).is_none());
            top.for_each(|symbol| globals.entry(program.name_of(symbol)).or_default().push(symbol));
        }
    }
    globals
}

/// Returns true if a file has no import or export.
pub(crate) fn is_script(facts: &FileFacts) -> bool {
    let code = &facts.code;
    // A declaration of another module is no export of the file.
    let has_exports = code.exports.iter().any(|export| code.name(export.name) != OTHER_MODULE);
    let is_exported = |shape: &Shape| shape.flags.has(Flags::EXPORTED);
    facts.imports.is_empty() && !has_exports && !code.shapes.iter().any(is_exported)
}

/// Returns the names of the definitions that a file declares in the global scope (`declare global`).
pub(crate) fn global_names(facts: &FileFacts) -> impl Iterator<Item = &str> {
    let code = &facts.code;
    let declared = code.exports.iter().filter(move |export| code.name(export.name) == GLOBAL);
    declared.filter_map(move |export| match code.expression(export.value) {
        Expression::Definition(definition) => Some(facts.definitions.get(definition.index())?.name.as_str()),
        _ => None,
    })
}

impl EcmascriptDialect {
    /// Resolves a name at the top level of a file.
    pub(super) fn resolve_name(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        name: Name,
        space: DeclarationSpace,
    ) -> Ty {
        let program = cx.program;
        let own = self.definitions_of_module(program, file, name, space);
        let record = self.records.get(file.0 as usize);
        let imported = record.and_then(|record| record.imports.get(&name)).copied();
        if !own.is_empty() {
            // The augmentation of another module hides no import.
            let is_augmentation = own.iter().all(|symbol| self.is_of_other_module(program, *symbol));
            let imported = imported.filter(|_| is_augmentation).map(|entry| self.resolve_import(cx, entry, space));
            let known = imported.filter(|imported| !matches!(imported, Ty::Unknown | Ty::External));
            return known.unwrap_or_else(|| self.definitions_value(cx, &own));
        }
        if let Some(entry) = imported {
            return self.resolve_import(cx, entry, space);
        }
        let global = self.globals.get(&name).map(|all| in_declaration_space(program, all, space)).unwrap_or_default();
        if !global.is_empty() {
            return self.definitions_value(cx, &global);
        }
        match space {
            DeclarationSpace::Value => super::builtins::global(program.text(name)),
            DeclarationSpace::Type => self.jsdoc_type(cx, file, name).unwrap_or(Ty::Unknown),
        }
    }

    /// Returns the definitions of a name at the top level of a file, without those that it declares in the global scope.
    fn definitions_of_module(
        &self,
        program: &Program<'_>,
        file: FileIdx,
        name: Name,
        space: DeclarationSpace,
    ) -> Vec<SymbolIdx> {
        let mut own = in_declaration_space(program, program.top(file, name), space);
        if let Some(global) = self.globals.get(&name) {
            own.retain(|symbol| !global.contains(symbol));
        }
        own
    }

    /// Returns true if a definition stands in the declaration of another module (`declare module "a"`).
    fn is_of_other_module(&self, program: &Program<'_>, symbol: SymbolIdx) -> bool {
        let file = program.file_of(symbol);
        let record = self.records.get(file.0 as usize);
        let declared = record.zip(self.names.other_module).and_then(|(record, name)| record.exports.get(&name));
        declared.into_iter().flatten().any(|value| match program.code(file).expression(*value) {
            Expression::Definition(definition) => program.symbol(file, *definition) == symbol,
            _ => false,
        })
    }

    /// Returns the definitions that an import names, else its file.
    pub(super) fn imported_nodes(&self, cx: &mut Inference<'_>, file: FileIdx, import: usize) -> Vec<Node> {
        let program = cx.program;
        let import = &program.facts(file).imports[import];
        let Some(record) = self.records.get(file.0 as usize) else { return Vec::new() };
        if import.name == "*" {
            return record.star_exports.iter().map(|target| Node::File(*target)).collect();
        }
        let entries = if import.reexport { &record.reexports } else { &record.imports };
        let entry = program.name_named(local_name(import)).and_then(|local| entries.get(&local)).copied();
        let Some(ImportEntry { from: Some(target), name }) = entry else { return Vec::new() };
        let Some(name) = name else { return vec![Node::File(target)] };
        let mut nodes: Vec<Node> = program.top(target, name).iter().map(|symbol| Node::Symbol(*symbol)).collect();
        for space in [DeclarationSpace::Value, DeclarationSpace::Type] {
            if !nodes.is_empty() {
                break;
            }
            for found in self.resolve_export(cx, target, name, space).alternatives() {
                match found {
                    Ty::Class(applied) => nodes.push(Node::Symbol(applied.of)),
                    Ty::Function { candidates, .. } => nodes.extend(candidates.iter().map(|of| Node::Symbol(*of))),
                    _ => {}
                }
            }
        }
        if nodes.is_empty() { vec![Node::File(target)] } else { nodes }
    }

    /// Returns the type that a JSDoc comment defines.
    fn jsdoc_type(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name) -> Option<Ty> {
        let program = cx.program;
        let name = program.name_named(&format!("type {}", program.text(name)))?;
        let binding = program.bindings(file, FILE_SCOPE, name).first()?;
        Some(cx.binding_value(file, *binding))
    }

    /// Resolves an exported name of a file.
    pub(super) fn resolve_export(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        name: Name,
        space: DeclarationSpace,
    ) -> Ty {
        cx.deeper(|cx| self.find_export(cx, file, name, space)).unwrap_or(Ty::Unknown)
    }

    /// Finds an exported name: exports, own definitions, re-exports, `export *`, members of the export assignment.
    fn find_export(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name, space: DeclarationSpace) -> Ty {
        let program = cx.program;
        cx.consult(file);
        let Some(record) = self.records.get(file.0 as usize) else { return Ty::Unknown };
        if let Some(values) = record.exports.get(&name) {
            let found = self.export_values(cx, file, values, space);
            if !found.is_unknown() {
                return found;
            }
        }
        let own = self.definitions_of_module(program, file, name, space);
        if !own.is_empty() {
            return self.definitions_value(cx, &own);
        }
        if space == DeclarationSpace::Type
            && let Some(found) = self.jsdoc_type(cx, file, name)
        {
            return found;
        }
        if let Some(entry) = record.reexports.get(&name) {
            return self.resolve_import(cx, *entry, space);
        }
        if space == DeclarationSpace::Value
            && let Some(binding) = program.bindings(file, FILE_SCOPE, name).last()
        {
            return cx.binding_value(file, *binding);
        }
        if Some(name) == self.names.default {
            return self.export_assignment(cx, file, space).unwrap_or(Ty::Unknown);
        }
        for star in &record.star_exports {
            let found = self.resolve_export(cx, *star, name, space);
            if !found.is_unknown() {
                return found;
            }
        }
        if let Some(whole) = self.export_assignment(cx, file, space) {
            return cx.member_value(file, &whole, name);
        }
        if record.has_external_star_export { Ty::External } else { Ty::Unknown }
    }

    fn resolve_import(&self, cx: &mut Inference<'_>, entry: ImportEntry, space: DeclarationSpace) -> Ty {
        let Some(file) = entry.from else { return Ty::External };
        match entry.name {
            Some(name) => self.resolve_export(cx, file, name, space),
            None => self.module_value(cx, file),
        }
    }

    /// Returns a module as a value: its export assignment and its named exports.
    pub(super) fn module_value(&self, cx: &mut Inference<'_>, file: FileIdx) -> Ty {
        cx.consult(file);
        let module = Ty::Module(ModuleIdx { family: Family::Ecmascript, index: file.0 });
        match self.export_assignment(cx, file, DeclarationSpace::Value) {
            Some(value) if !value.is_unknown() => Ty::Intersection([value, module].into()),
            _ => module,
        }
    }

    /// Returns the value of `module.exports = …` or `export = …`.
    fn export_assignment(&self, cx: &mut Inference<'_>, file: FileIdx, space: DeclarationSpace) -> Option<Ty> {
        let values = self.records.get(file.0 as usize)?.exports.get(&self.names.export_assignment?)?;
        Some(cx.deeper(|cx| self.export_values(cx, file, values, space)).unwrap_or(Ty::Unknown))
    }

    /// Returns the union of the exported values.
    fn export_values(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        values: &[ExpressionId],
        space: DeclarationSpace,
    ) -> Ty {
        let program = cx.program;
        let types: Vec<Ty> = values
            .iter()
            .map(|value| match (space, program.code(file).expression(*value)) {
                (DeclarationSpace::Type, Expression::Name { name, .. }) => {
                    cx.global_type(file, program.name(file, *name))
                }
                _ => cx.type_of_alias(file, *value),
            })
            .collect();
        Ty::one_of(types)
    }

    /// Returns the value of definitions of one name in one declaration space.
    fn definitions_value(&self, cx: &mut Inference<'_>, symbols: &[SymbolIdx]) -> Ty {
        let program = cx.program;
        if let Some(ty) = symbols.iter().find(|symbol| program.definition(**symbol).kind.is_type()) {
            return Ty::class(*ty);
        }
        let value = cx.symbols_value(symbols, None);
        match symbols {
            // `app.use = function () {}` declares members of a variable that its value lacks.
            [single]
                if !matches!(value, Ty::Function { .. }) && super::objects::has_assigned_members(program, *single) =>
            {
                Ty::Intersection([Ty::object(*single), value].into())
            }
            _ => value,
        }
    }
}

/// Returns the definitions in a declaration space. A class, an enum and a namespace belong to both.
fn in_declaration_space(program: &Program<'_>, symbols: &[SymbolIdx], space: DeclarationSpace) -> Vec<SymbolIdx> {
    use model::SymbolKind::*;
    let is_in = |symbol: &&SymbolIdx| match program.definition(**symbol).kind {
        Class | Enum | Module => true,
        kind if kind.is_type() => space == DeclarationSpace::Type,
        // Members are never visible by their unqualified names.
        Method | Property | Field | Variant | Constructor => false,
        _ => space == DeclarationSpace::Value,
    };
    symbols.iter().filter(is_in).copied().collect()
}
