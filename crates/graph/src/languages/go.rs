//! Go.
//!
//! A package is a folder, and its files see each other's names; imports name packages by module path and folder. Methods
//! belong to the type of their receiver, wherever in the package it stands; members of embedded types are the type's own.
//! Calls of variables and fields that hold functions name nobody.

mod conditions;
mod library;
mod members;
mod modules;
mod packages;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use model::{
    SymbolKind,
    code::{Expression, ExpressionId, TypeExpression, TypeId},
};

use self::{
    library::Gives,
    packages::{Imported, Packages},
};
use crate::{
    dialect::{Dialect, Family},
    infer::{Arguments, Inference, Member},
    names::Name,
    program::{FileIdx, Manifest, Program, SymbolIdx},
    resolve::Node,
    ty::{ModuleIdx, Ty},
};

/// What is known of the packages of a program.
pub(crate) struct Go {
    packages: Packages,
}

impl Go {
    /// Lays out the packages of a program.
    pub(crate) fn lay_out(program: &Program<'_>, manifests: &[Manifest<'_>]) -> Go {
        Go { packages: Packages::lay_out(program, manifests) }
    }

    fn package_member(&self, cx: &mut Inference<'_>, package: u32, name: Name, from: Option<FileIdx>) -> Ty {
        // Those of other builds are looked into, too: which of them is meant depends on the conditions of all.
        self.packages.all_named(package, name).iter().for_each(|twin| cx.consult(cx.program.file_of(*twin)));
        let found = self.packages.named(cx.program, package, name, from);
        cx.symbols_value(&found, None)
    }
}

impl Dialect for Go {
    /// Methods whose types stand in another file of the package.
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
                    let owners = self.packages.named(program, package, of, Some(*file));
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
                Some(members::held(cx, value, name))
            }
            Expression::Member { of, name } => {
                let of = cx.type_of(file, *of);
                let name = program.name(file, *name);
                let value = match &of {
                    Ty::Object(_) | Ty::Class(_) => members::member(cx, &of, name),
                    of => cx.member_value(file, of, name),
                };
                Some(members::held(cx, value, name))
            }
            // Both sides are of one type, unless one is a constant without any.
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
            Some(Imported::Package(index)) => return Ty::Module(ModuleIdx { family: Family::Go, index }),
            Some(Imported::Library(name)) => return Ty::builtin(name, []),
            Some(Imported::External) => return Ty::External,
            None => {}
        }
        let mut unknown = Ty::Unknown;
        for opened in self.packages.opened(file) {
            match opened {
                Imported::Package(package) => {
                    let found = self.package_member(cx, *package, name, None);
                    if !found.is_unknown() {
                        return found;
                    }
                }
                // Whatever is not known here may be a name of it.
                Imported::Library(_) | Imported::External => unknown = Ty::External,
            }
        }
        library::universal(cx.program.text(name)).unwrap_or(unknown)
    }

    fn module_member(&self, cx: &mut Inference<'_>, module: ModuleIdx, name: Name) -> Ty {
        self.package_member(cx, module.index, name, None)
    }

    fn builtin_type(&self, cx: &mut Inference<'_>, _file: FileIdx, path: &[Name], arguments: &[Ty]) -> Ty {
        let path: Vec<&str> = path.iter().map(|name| cx.program.text(*name)).collect();
        match library::object(&path, arguments) {
            // Of a name that nobody has nothing is known; of one of a package elsewhere, that it is elsewhere.
            Ty::External => Ty::Unknown,
            known => known,
        }
    }

    fn builtin_member(&self, cx: &mut Inference<'_>, _file: FileIdx, of: &Ty, name: Name) -> Member {
        let value = match of {
            Ty::Object(_) | Ty::Class(_) => members::member(cx, of, name),
            Ty::Builtin { name: of, arguments } => {
                let text = cx.program.text(name);
                match library::package(of) {
                    Some(package) => library::member(package, text),
                    None => library::method(of, arguments, text),
                }
            }
            _ => Ty::Unknown,
        };
        if value.is_unknown() { Member::Unknown } else { Member::Value(value) }
    }

    fn builtin_call(&self, cx: &mut Inference<'_>, file: FileIdx, callee: &Ty, arguments: &Arguments<'_>) -> Ty {
        match members::underlying(cx, callee.clone()) {
            Ty::External => Ty::External,
            Ty::FunctionType { result, .. } => (*result).clone(),
            // `of[x](y)`, which reads like a call with an argument that is a type.
            Ty::Builtin { name: "list" | "map", arguments: of } => match of.last() {
                Some(Ty::FunctionType { result, .. }) => (**result).clone(),
                _ => Ty::Unknown,
            },
            Ty::Builtin { name, .. } => {
                let Some(gives) = library::gives(name) else { return Ty::Unknown };
                let Some(first) = arguments.values.first() else { return Ty::Unknown };
                let first = cx.type_of(file, *first);
                self.given(cx, file, gives, first)
            }
            _ => Ty::Unknown,
        }
    }

    /// An alias is what it stands for; what a new type builds on is not asked for more than its members.
    fn constructors(&self, _cx: &mut Inference<'_>, _of: SymbolIdx) -> Vec<SymbolIdx> {
        Vec::new()
    }

    /// Functions of one name in one package are those of different builds.
    fn choose(&self, cx: &mut Inference<'_>, candidates: &[SymbolIdx], arguments: &Arguments<'_>) -> Vec<SymbolIdx> {
        self.packages.built_together(cx.program, candidates, Some(arguments.file))
    }

    fn awaited(&self, cx: &mut Inference<'_>, of: Ty) -> Ty {
        match members::underlying(cx, of) {
            Ty::Builtin { name: "chan", arguments } => arguments.first().cloned().unwrap_or(Ty::Unknown),
            Ty::External => Ty::External,
            _ => Ty::Unknown,
        }
    }

    /// What is ranged over gives keys and elements.
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
            // Of a generic function or type with its argument.
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

    /// What is embedded knows nothing of what embeds it.
    fn overrides_methods_with_bodies(&self) -> bool {
        false
    }

    /// The parameters of a generic type have in each of its methods the names that its receiver gives them.
    fn written(&self, cx: &mut Inference<'_>, file: FileIdx, written: TypeId) -> Option<Ty> {
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

    fn imported(&self, cx: &mut Inference<'_>, file: FileIdx, import: usize) -> Vec<Node> {
        let program = cx.program;
        let Some(import) = program.facts(file).imports.get(import) else { return Vec::new() };
        let package = self.packages.imported_by(program, file, &import.module);
        package.and_then(|package| self.packages.face(program, package)).map(Node::File).into_iter().collect()
    }

    /// A name in small letters is a member of a type of the same package, whatever it is asked of.
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

impl Go {
    fn given(&self, cx: &mut Inference<'_>, file: FileIdx, gives: Gives, first: Ty) -> Ty {
        let parts = |cx: &mut Inference<'_>, first: Ty| match self.item(cx, file, first) {
            Ty::Tuple(parts) => parts,
            _ => Rc::new([]),
        };
        match gives {
            Gives::First | Gives::Function => first,
            Gives::Element => self.element(cx, file, first, None),
            Gives::Collected => match parts(cx, first).first() {
                Some(item) => Ty::builtin("list", [item.clone()]),
                None => Ty::Unknown,
            },
            Gives::Both => library::sequence(&parts(cx, first)),
            Gives::Keys => library::sequence(&parts(cx, first)[..].iter().take(1).cloned().collect::<Vec<_>>()),
            Gives::Values => library::sequence(&parts(cx, first)[..].iter().skip(1).cloned().collect::<Vec<_>>()),
        }
    }
}
