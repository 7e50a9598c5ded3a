//! Go dialect.
//!
//! A package is a folder whose files share one scope. Imports name packages by module path and folder. A method belongs
//! to its receiver type in any file of the package. Members of embedded types are promoted. Calls through variables and
//! fields of function type have no target.

mod build_constraints;
mod members;
mod modules;
mod packages;
mod standard_library;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use model::{
    SymbolKind,
    code::{Expression, ExpressionId, TypeExpression, TypeId},
};

use self::{
    packages::{GoPackages, ImportTarget},
    standard_library::LibraryResult,
};
use crate::{
    family::Family,
    infer::{CallArguments, Dialect, Inference, ResolvedMember},
    manifest::ManifestFile,
    names::Name,
    program::{FileIdx, Node, Program, SymbolIdx},
    ty::{ModuleIdx, Ty},
};

/// The Go dialect of one program.
pub(crate) struct GoDialect {
    packages: GoPackages,
}

impl GoDialect {
    /// Builds the packages of a program.
    pub(crate) fn lay_out(program: &Program<'_>, manifests: &[ManifestFile<'_>]) -> GoDialect {
        GoDialect { packages: GoPackages::lay_out(program, manifests) }
    }

    fn package_member(&self, cx: &mut Inference<'_>, package: u32, name: Name, from: Option<FileIdx>) -> Ty {
        // Definitions for other build targets are consulted as well: the selection depends on the constraints of all.
        self.packages
            .all_definitions(package, name)
            .iter()
            .for_each(|variant| cx.consult(cx.program.file_of(*variant)));
        let found = self.packages.definitions(cx.program, package, name, from);
        cx.symbols_value(&found, None)
    }
}

impl Dialect for GoDialect {
    /// Returns the methods whose receiver type is in another file of the package.
    fn attachments(&self, cx: &mut Inference<'_>) -> Vec<(SymbolIdx, SymbolIdx)> {
        let program = cx.program;
        let mut found = Vec::new();
        for package in 0..self.packages.all.len() as u32 {
            for file in &self.packages.all[package as usize].files {
                for symbol in program.symbols_of(*file) {
                    let is_open = program.parent(symbol).is_none() && program.shape(symbol).receiver.is_some();
                    if !is_open || program.definition(symbol).kind != SymbolKind::Method {
                        continue;
                    }
                    let Some(of) = program.name_named(&program.definition(symbol).container) else { continue };
                    let owners = self.packages.definitions(program, package, of, Some(*file));
                    let owners = owners.into_iter().filter(|of| program.definition(*of).kind.is_type());
                    found.extend(owners.map(|owner| (owner, symbol)));
                }
            }
        }
        found
    }

    fn type_of(&self, cx: &mut Inference<'_>, file: FileIdx, expression: ExpressionId) -> Option<Ty> {
        let program = cx.program;
        let code = program.code(file);
        match code.expression(expression) {
            Expression::Name { name, scope, n_before } => {
                let name = program.name(file, *name);
                let value = cx.name_value(file, name, *scope, *n_before);
                Some(members::as_function_value(cx, value, name))
            }
            Expression::Member { of, name } => {
                let of = cx.type_of(file, *of);
                let name = program.name(file, *name);
                let value = match &of {
                    Ty::Object(_) | Ty::Class(_) => members::member(cx, &of, name),
                    of => cx.member_value(file, of, name),
                };
                Some(members::as_function_value(cx, value, name))
            }
            // Both operands have the same type, unless one is an untyped constant.
            Expression::Operation { left, right, .. } => {
                let left = cx.type_of(file, *left);
                match (left, right) {
                    (Ty::Unknown | Ty::External, Some(right)) => Some(cx.type_of(file, *right)),
                    (left, _) => Some(left),
                }
            }
            _ => None,
        }
    }

    fn global(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name) -> Ty {
        if let Some(package) = self.packages.of(file) {
            let own = self.package_member(cx, package, name, Some(file));
            if !own.is_unknown() {
                return own;
            }
        }
        match self.packages.imported(file, name) {
            Some(ImportTarget::Package(index)) => return Ty::Module(ModuleIdx { family: Family::Go, index }),
            Some(ImportTarget::Library(name)) => return Ty::builtin(name, []),
            Some(ImportTarget::External) => return Ty::External,
            None => {}
        }
        let mut unknown = Ty::Unknown;
        for target in self.packages.dot_imports(file) {
            match target {
                ImportTarget::Package(package) => {
                    let found = self.package_member(cx, *package, name, None);
                    if !found.is_unknown() {
                        return found;
                    }
                }
                // An unresolved name may come from this dot import.
                ImportTarget::Library(_) | ImportTarget::External => unknown = Ty::External,
            }
        }
        standard_library::predeclared(cx.program.text(name)).unwrap_or(unknown)
    }

    fn module_member(&self, cx: &mut Inference<'_>, module: ModuleIdx, name: Name) -> Ty {
        self.package_member(cx, module.index, name, None)
    }

    fn builtin_type(&self, cx: &mut Inference<'_>, _file: FileIdx, path: &[Name], arguments: &[Ty]) -> Ty {
        let path: Vec<&str> = path.iter().map(|name| cx.program.text(*name)).collect();
        match standard_library::object(&path, arguments) {
            // `External` means here that the library does not know the name, so the type stays unknown.
            Ty::External => Ty::Unknown,
            known => known,
        }
    }

    fn builtin_member(&self, cx: &mut Inference<'_>, _file: FileIdx, of: &Ty, name: Name) -> ResolvedMember {
        let value = match of {
            Ty::Object(_) | Ty::Class(_) => members::member(cx, of, name),
            Ty::Builtin { name: of, arguments } => {
                let text = cx.program.text(name);
                match standard_library::package(of) {
                    Some(package) => standard_library::member(package, text),
                    None => standard_library::method(of, arguments, text),
                }
            }
            _ => Ty::Unknown,
        };
        if value.is_unknown() { ResolvedMember::Unknown } else { ResolvedMember::Value(value) }
    }

    fn builtin_call(&self, cx: &mut Inference<'_>, file: FileIdx, callee: &Ty, arguments: &CallArguments<'_>) -> Ty {
        match members::underlying(cx, callee.clone()) {
            Ty::External => Ty::External,
            Ty::FunctionType { result, .. } => (*result).clone(),
            // `of[x](y)` is parsed as a call with a type argument.
            Ty::Builtin { name: "list" | "map", arguments: of } => match of.last() {
                Some(Ty::FunctionType { result, .. }) => (**result).clone(),
                _ => Ty::Unknown,
            },
            Ty::Builtin { name, .. } => {
                let Some(result) = standard_library::result_of(name) else { return Ty::Unknown };
                let Some(first) = arguments.values.first() else { return Ty::Unknown };
                let first = cx.type_of(file, *first);
                self.library_result(cx, file, result, first)
            }
            _ => Ty::Unknown,
        }
    }

    /// Returns nothing: Go types have no constructors.
    fn constructors(&self, _cx: &mut Inference<'_>, _of: SymbolIdx) -> Vec<SymbolIdx> {
        Vec::new()
    }

    /// Selects by build target: functions of one name in a package belong to different builds.
    fn choose(
        &self,
        cx: &mut Inference<'_>,
        candidates: &[SymbolIdx],
        arguments: &CallArguments<'_>,
    ) -> Vec<SymbolIdx> {
        self.packages.select_for_build(cx.program, candidates, Some(arguments.file))
    }

    fn awaited_type(&self, cx: &mut Inference<'_>, of: Ty) -> Ty {
        match members::underlying(cx, of) {
            Ty::Builtin { name: "chan", arguments } => arguments.first().cloned().unwrap_or(Ty::Unknown),
            Ty::External => Ty::External,
            _ => Ty::Unknown,
        }
    }

    /// Returns the key and element types of `range`.
    fn item(&self, cx: &mut Inference<'_>, _file: FileIdx, of: Ty) -> Ty {
        match members::underlying(cx, of) {
            Ty::Builtin { name: "list", arguments } => {
                Ty::Tuple([Ty::External].into_iter().chain(arguments.iter().cloned()).collect())
            }
            Ty::Builtin { name: "map" | "chan", arguments } => Ty::Tuple(arguments),
            Ty::FunctionType { parameters, .. } => match parameters.first() {
                Some(Ty::FunctionType { parameters, .. }) => Ty::Tuple(Rc::clone(parameters)),
                _ => Ty::Unknown,
            },
            Ty::External => Ty::External,
            _ => Ty::Unknown,
        }
    }

    fn element(&self, cx: &mut Inference<'_>, _file: FileIdx, of: Ty, _index: Option<ExpressionId>) -> Ty {
        match members::underlying(cx, of) {
            Ty::Builtin { name: "list" | "map", arguments } => arguments.last().cloned().unwrap_or(Ty::Unknown),
            // `generic[argument]` instantiates a generic function or type.
            generic @ (Ty::Function { .. } | Ty::Class(_)) => generic,
            Ty::External => Ty::External,
            _ => Ty::Unknown,
        }
    }

    fn part(&self, _cx: &mut Inference<'_>, _file: FileIdx, of: Ty, index: u32) -> Ty {
        match of {
            Ty::Tuple(parts) => parts.get(index as usize).cloned().unwrap_or(Ty::Unknown),
            Ty::External => Ty::External,
            _ => Ty::Unknown,
        }
    }

    fn looks_breadth_first(&self) -> bool {
        true
    }

    /// Returns false: an embedded type does not know the types that embed it.
    fn overrides_methods_with_bodies(&self) -> bool {
        false
    }

    /// Resolves the type parameters of a generic receiver, which each method renames.
    fn written_type(&self, cx: &mut Inference<'_>, file: FileIdx, written: TypeId) -> Option<Ty> {
        let program = cx.program;
        let code = program.code(file);
        let TypeExpression::Named { path, scope, .. } = code.written(written) else { return None };
        let [name] = path[..] else { return None };
        let definition = code.definition_around(*scope)?;
        let method = program.symbol(file, definition);
        let receiver = program.shape(method).receiver?;
        let TypeExpression::Named { arguments, .. } = code.written(receiver) else { return None };
        let is_it = |argument: &TypeId| match code.written(*argument) {
            TypeExpression::Named { path, .. } => path[..] == [name],
            _ => false,
        };
        let index = arguments.iter().position(is_it)? as u32;
        let of = program.parent(method)?;
        Some(Ty::Parameter { of, index })
    }

    fn import_targets(&self, cx: &mut Inference<'_>, file: FileIdx, import: usize) -> Vec<Node> {
        let program = cx.program;
        let Some(import) = program.facts(file).imports.get(import) else { return Vec::new() };
        let package = self.packages.imported_by(program, file, &import.module);
        package
            .and_then(|package| self.packages.representative_file(program, package))
            .map(Node::File)
            .into_iter()
            .collect()
    }

    /// Returns the only method of an unexported name in the package. Such a name can only belong to a type of the same
    /// package.
    fn by_name_alone(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name, is_member: bool) -> Vec<SymbolIdx> {
        let is_exported = cx.program.text(name).chars().next().is_none_or(char::is_uppercase);
        if !is_member || is_exported {
            return Vec::new();
        }
        match self.packages.members(cx.program, file, name)[..] {
            [only] if cx.program.definition(only).kind == SymbolKind::Method => vec![only],
            _ => Vec::new(),
        }
    }
}

impl GoDialect {
    fn library_result(&self, cx: &mut Inference<'_>, file: FileIdx, result: LibraryResult, first: Ty) -> Ty {
        let parts = |cx: &mut Inference<'_>, first: Ty| match self.item(cx, file, first) {
            Ty::Tuple(parts) => parts,
            _ => Rc::new([]),
        };
        match result {
            LibraryResult::FirstArgument | LibraryResult::Function => first,
            LibraryResult::Element => self.element(cx, file, first, None),
            LibraryResult::ElementList => match parts(cx, first).first() {
                Some(item) => Ty::builtin("list", [item.clone()]),
                None => Ty::Unknown,
            },
            LibraryResult::KeysAndValues => standard_library::sequence(&parts(cx, first)),
            LibraryResult::Keys => {
                standard_library::sequence(&parts(cx, first)[..].iter().take(1).cloned().collect::<Vec<_>>())
            }
            LibraryResult::Values => {
                standard_library::sequence(&parts(cx, first)[..].iter().skip(1).cloned().collect::<Vec<_>>())
            }
        }
    }
}
