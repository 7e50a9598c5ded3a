//! What a file imports, and what it offers to others: definitions, what it passes on, `module.exports`.

use model::code::{Expression, ExpressionId, Flags, ScopeId};
use rustc_hash::FxHashMap;

use super::{Ecmascript, local_name, modules::Modules};
use crate::{
    dialect::Family,
    infer::Inference,
    names::Name,
    program::{FileIdx, Manifest, Program, SymbolIdx},
    resolve::Node,
    ty::{ModuleIdx, Ty},
};

/// The scope of a file.
const FILE_SCOPE: ScopeId = ScopeId(0);

/// What a name is asked as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Space {
    Value,
    Type,
}

/// What a file takes from others and passes on.
#[derive(Default)]
pub(super) struct Surface {
    /// By the name in the file.
    imports: FxHashMap<Name, Taken>,
    /// By the name for others.
    passed_on: FxHashMap<Name, Taken>,
    /// Files all of whose names are passed on.
    stars: Vec<FileIdx>,
    /// Whether all names of a module outside of the repository are passed on.
    has_outer_star: bool,
    /// By the name for others: the values that it may be.
    exports: FxHashMap<Name, Vec<ExpressionId>>,
}

/// Something of another module.
#[derive(Debug, Clone, Copy)]
struct Taken {
    /// Nothing: a module outside of the repository.
    from: Option<FileIdx>,
    /// Nothing: the module as a whole.
    name: Option<Name>,
}

/// Finds what every file takes, and which files the code means by modules.
pub(super) fn lay_out(
    program: &Program<'_>,
    manifests: &[Manifest<'_>],
) -> (Vec<Surface>, FxHashMap<(FileIdx, Name), FileIdx>) {
    let modules = Modules::new(program, manifests);
    let mut targets = FxHashMap::default();
    let surfaces = program
        .file_indices()
        .map(|file| match Family::of(program.language(file)) {
            Family::Ecmascript => surface(program, &modules, file, &mut targets),
            _ => Surface::default(),
        })
        .collect();
    (surfaces, targets)
}

fn surface(
    program: &Program<'_>,
    modules: &Modules<'_>,
    file: FileIdx,
    targets: &mut FxHashMap<(FileIdx, Name), FileIdx>,
) -> Surface {
    let mut surface = Surface::default();
    let mut found: FxHashMap<&str, Option<FileIdx>> = FxHashMap::default();
    for import in &program.facts(file).imports {
        let from = *found.entry(import.module.as_str()).or_insert_with(|| modules.find(file, &import.module));
        if let (Some(target), Some(module)) = (from, program.name_named(&import.module)) {
            targets.insert((file, module), target);
        }
        if import.name == "*" {
            match from {
                Some(target) => surface.stars.push(target),
                None => surface.has_outer_star = true,
            }
            continue;
        }
        let name = match import.name.as_str() {
            "" => None,
            // A name that nobody defines or uses is not found, whatever its number.
            name => Some(program.name_named(name).unwrap_or(Name::NONE)),
        };
        let Some(local) = program.name_named(local_name(import)) else { continue };
        let taken = Taken { from, name };
        if import.reexport {
            surface.passed_on.insert(local, taken);
        } else {
            surface.imports.entry(local).or_insert(taken);
        }
    }
    // Types in comments import, too.
    for expression in &program.code(file).expressions {
        if let Expression::Import { module, .. } = expression {
            let name = program.name(file, *module);
            let specifier = program.text(name);
            let target = *found.entry(specifier).or_insert_with(|| modules.find(file, specifier));
            targets.extend(target.map(|target| ((file, name), target)));
        }
    }
    for export in &program.code(file).exports {
        surface.exports.entry(program.name(file, export.name)).or_default().push(export.value);
    }
    surface
}

/// Finds what every file sees: what is declared as global, and what stands in declaration files that are no modules.
pub(super) fn globals(program: &Program<'_>, surfaces: &[Surface]) -> FxHashMap<Name, Vec<SymbolIdx>> {
    let mut globals: FxHashMap<Name, Vec<SymbolIdx>> = FxHashMap::default();
    let global = program.name_named("#global");
    for (file, surface) in program.file_indices().zip(surfaces) {
        let declared = global.and_then(|global| surface.exports.get(&global)).map_or(&[] as &[_], Vec::as_slice);
        for value in declared {
            if let Expression::Definition(definition) = program.code(file).expression(*value) {
                let symbol = program.symbol(file, *definition);
                globals.entry(program.name_of(symbol)).or_default().push(symbol);
            }
        }
        let is_script = program.path(file).ends_with(".d.ts") && surface.is_script(program, file);
        if is_script {
            let top = program.symbols_of(file).filter(|symbol| program.parent(*symbol).is_none());
            top.for_each(|symbol| globals.entry(program.name_of(symbol)).or_default().push(symbol));
        }
    }
    globals
}

impl Surface {
    /// Says whether a file neither imports nor exports.
    fn is_script(&self, program: &Program<'_>, file: FileIdx) -> bool {
        let is_exported = |symbol: SymbolIdx| program.shape(symbol).flags.has(Flags::EXPORTED);
        program.facts(file).imports.is_empty() && self.exports.is_empty() && !program.symbols_of(file).any(is_exported)
    }
}

impl Ecmascript {
    /// Returns what a name means at the level of a file.
    pub(super) fn named(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name, space: Space) -> Ty {
        let program = cx.program;
        let own = in_space(program, program.top(file, name), space);
        if !own.is_empty() {
            return self.defined(cx, &own);
        }
        if let Some(taken) = self.surfaces.get(file.0 as usize).and_then(|surface| surface.imports.get(&name)) {
            return self.taken(cx, *taken, space);
        }
        let global = self.globals.get(&name).map(|all| in_space(program, all, space)).unwrap_or_default();
        if !global.is_empty() {
            return self.defined(cx, &global);
        }
        match space {
            Space::Value => super::builtins::global(program.text(name)),
            Space::Type => self.type_in_comment(cx, file, name).unwrap_or(Ty::Unknown),
        }
    }

    /// Returns what an import brings in: the definitions of its name, else the file.
    pub(super) fn imported_nodes(&self, cx: &mut Inference<'_>, file: FileIdx, import: usize) -> Vec<Node> {
        let program = cx.program;
        let import = &program.facts(file).imports[import];
        let Some(surface) = self.surfaces.get(file.0 as usize) else { return Vec::new() };
        if import.name == "*" {
            return surface.stars.iter().map(|target| Node::File(*target)).collect();
        }
        let taken = if import.reexport { &surface.passed_on } else { &surface.imports };
        let taken = program.name_named(local_name(import)).and_then(|local| taken.get(&local)).copied();
        let Some(Taken { from: Some(target), name }) = taken else { return Vec::new() };
        let Some(name) = name else { return vec![Node::File(target)] };
        let mut nodes: Vec<Node> = program.top(target, name).iter().map(|symbol| Node::Symbol(*symbol)).collect();
        for space in [Space::Value, Space::Type] {
            if !nodes.is_empty() {
                break;
            }
            for found in self.exported(cx, target, name, space).alternatives() {
                match found {
                    Ty::Class(applied) => nodes.push(Node::Symbol(applied.of)),
                    Ty::Function { candidates, .. } => nodes.extend(candidates.iter().map(|of| Node::Symbol(*of))),
                    _ => {}
                }
            }
        }
        if nodes.is_empty() { vec![Node::File(target)] } else { nodes }
    }

    /// Returns the type that a comment defines.
    fn type_in_comment(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name) -> Option<Ty> {
        let program = cx.program;
        let name = program.name_named(&format!("type {}", program.text(name)))?;
        let binding = program.bindings(file, FILE_SCOPE, name).first()?;
        Some(cx.binding_value(file, *binding))
    }

    /// Returns what a file offers under a name.
    pub(super) fn exported(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name, space: Space) -> Ty {
        cx.deeper(|cx| self.offered(cx, file, name, space)).unwrap_or(Ty::Unknown)
    }

    fn offered(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name, space: Space) -> Ty {
        let program = cx.program;
        cx.consult(file);
        let Some(surface) = self.surfaces.get(file.0 as usize) else { return Ty::Unknown };
        if let Some(values) = surface.exports.get(&name) {
            let found = self.values(cx, file, values, space);
            if !found.is_unknown() {
                return found;
            }
        }
        let own = in_space(program, program.top(file, name), space);
        if !own.is_empty() {
            return self.defined(cx, &own);
        }
        if space == Space::Type
            && let Some(found) = self.type_in_comment(cx, file, name)
        {
            return found;
        }
        if let Some(taken) = surface.passed_on.get(&name) {
            return self.taken(cx, *taken, space);
        }
        if space == Space::Value
            && let Some(binding) = program.bindings(file, FILE_SCOPE, name).last()
        {
            return cx.binding_value(file, *binding);
        }
        if Some(name) == self.names.default {
            return self.whole_value(cx, file, space).unwrap_or(Ty::Unknown);
        }
        for star in &surface.stars {
            let found = self.exported(cx, *star, name, space);
            if !found.is_unknown() {
                return found;
            }
        }
        if let Some(whole) = self.whole_value(cx, file, space) {
            return cx.member_value(file, &whole, name);
        }
        if surface.has_outer_star { Ty::External } else { Ty::Unknown }
    }

    fn taken(&self, cx: &mut Inference<'_>, taken: Taken, space: Space) -> Ty {
        let Some(file) = taken.from else { return Ty::External };
        match taken.name {
            Some(name) => self.exported(cx, file, name, space),
            None => self.whole(cx, file),
        }
    }

    /// Returns a module as a value: what it says it is, besides what it offers by name.
    pub(super) fn whole(&self, cx: &mut Inference<'_>, file: FileIdx) -> Ty {
        cx.consult(file);
        let module = Ty::Module(ModuleIdx { family: Family::Ecmascript, index: file.0 });
        match self.whole_value(cx, file, Space::Value) {
            Some(value) if !value.is_unknown() => Ty::Intersection([value, module].into()),
            _ => module,
        }
    }

    /// Returns what `module.exports = …` or `export = …` makes of a file.
    fn whole_value(&self, cx: &mut Inference<'_>, file: FileIdx, space: Space) -> Option<Ty> {
        let values = self.surfaces.get(file.0 as usize)?.exports.get(&self.names.whole?)?;
        Some(cx.deeper(|cx| self.values(cx, file, values, space)).unwrap_or(Ty::Unknown))
    }

    fn values(&self, cx: &mut Inference<'_>, file: FileIdx, values: &[ExpressionId], space: Space) -> Ty {
        let program = cx.program;
        let types: Vec<Ty> = values
            .iter()
            .map(|value| match (space, program.code(file).expression(*value)) {
                (Space::Type, Expression::Name { name, .. }) => cx.global_type(file, program.name(file, *name)),
                _ => cx.type_of(file, *value),
            })
            .collect();
        Ty::one_of(types)
    }

    /// Returns definitions of one name and space as one value.
    fn defined(&self, cx: &mut Inference<'_>, symbols: &[SymbolIdx]) -> Ty {
        let program = cx.program;
        if let Some(ty) = symbols.iter().find(|symbol| program.definition(**symbol).kind.is_type()) {
            return Ty::class(*ty);
        }
        let value = cx.symbols_value(symbols, None);
        match symbols {
            // `app.use = function () {}` gives a variable members that its value does not have.
            [single] if !matches!(value, Ty::Function { .. }) && super::objects::has_attached(program, *single) => {
                Ty::Intersection([Ty::object(*single), value].into())
            }
            _ => value,
        }
    }
}

/// Returns the definitions of a space: values, or types. A class, an enum and a namespace is both.
fn in_space(program: &Program<'_>, symbols: &[SymbolIdx], space: Space) -> Vec<SymbolIdx> {
    use model::SymbolKind::*;
    let is_in = |symbol: &&SymbolIdx| match program.definition(**symbol).kind {
        Class | Enum | Module => true,
        kind if kind.is_type() => space == Space::Type,
        // Members are never visible by their bare names.
        Method | Property | Field | Variant | Constructor => false,
        _ => space == Space::Value,
    };
    symbols.iter().filter(is_in).copied().collect()
}
