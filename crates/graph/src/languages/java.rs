//! Java: the rules of its language specification for names, members and overloads, as far as calls need them.
//!
//! A name is a variable, else a type; a bare call is of the innermost type that has a method of the name. Candidates of a
//! call are the methods of that name of a type and all it builds on; arguments choose among them as the compiler does:
//! without boxes, with boxes, with any number, and of those that fit the most specific. What comes from the standard
//! library is known by a table (`standard.txt`); of other types from outside only the names are known.

mod ancestry;
mod calls;
mod constructors;
mod conversions;
mod generics;
mod lambdas;
mod members;
mod overloads;
mod packages;
mod standard;
#[cfg(test)]
mod testing;
mod types;
mod values;

use model::{
    Language,
    code::{ExpressionId, TypeId},
};
use rustc_hash::FxHashMap;

use calls::Target;
use lambdas::Lambdas;
use packages::{JavaFile, Packages};

use crate::{
    dialect::Dialect,
    infer::{Arguments, Inference},
    names::Name,
    program::{FileIdx, Manifest, Program, SymbolIdx},
    resolve::Node,
    ty::Ty,
};

/// What is known of the packages and files of a program.
pub(crate) struct Java {
    packages: Packages,
    files: FxHashMap<FileIdx, JavaFile>,
    /// By interface.
    abstract_methods: FxHashMap<SymbolIdx, Vec<SymbolIdx>>,
}

impl Java {
    /// Lays out the packages of a program.
    pub(crate) fn lay_out(program: &Program<'_>, _manifests: &[Manifest<'_>]) -> Java {
        let mut java =
            Java { packages: Packages::default(), files: FxHashMap::default(), abstract_methods: FxHashMap::default() };
        for file in program.file_indices().filter(|file| program.language(*file) == Language::Java) {
            let mut known = java.packages.add(program, file);
            known.lambdas = Lambdas::of(program.code(file));
            java.files.insert(file, known);
            lambdas::abstract_methods(program, file, &mut java.abstract_methods);
        }
        java
    }

    fn file(&self, file: FileIdx) -> Option<&JavaFile> {
        self.files.get(&file)
    }
}

impl Dialect for Java {
    fn type_of(&self, cx: &mut Inference<'_>, file: FileIdx, expression: ExpressionId) -> Option<Ty> {
        self.value(cx, file, expression)
    }

    fn callee(&self, cx: &mut Inference<'_>, file: FileIdx, site: ExpressionId) -> Option<Ty> {
        let is_make = matches!(cx.program.code(file).expression(site), model::code::Expression::Make { .. });
        let target = if is_make { self.made_target(cx, file, site) } else { self.target(cx, file, site) };
        let has_definition = |of: &SymbolIdx| !members::is_field(cx.program.definition(*of).kind);
        Some(match target {
            // What a component of a record is read by is written nowhere.
            Target::One((of, _)) if !has_definition(&of) => Ty::External,
            Target::One((of, owner)) => Ty::function(&[of], Some(owner.into())),
            Target::Several(several) => Ty::function(&several, None),
            Target::Standard(_) | Target::Outside => Ty::External,
            Target::Unknown => Ty::Unknown,
        })
    }

    fn imported(&self, cx: &mut Inference<'_>, file: FileIdx, import: usize) -> Vec<Node> {
        let import = &cx.program.facts(file).imports[import];
        let path = match import.name.as_str() {
            "" | "*" => import.module.clone(),
            name => format!("{}.{name}", import.module),
        };
        // A static import brings in a member; what it leads to is its type.
        let parts: Vec<&str> = path.split('.').collect();
        let outer = parts.iter().rposition(|part| part.starts_with(char::is_uppercase)).map_or(0, |last| last + 1);
        for parts in [&parts[..], &parts[..outer]] {
            if let Ty::Class(applied) = self.qualified(cx, file, parts) {
                return vec![Node::Symbol(applied.of)];
            }
        }
        Vec::new()
    }

    fn global(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name) -> Ty {
        self.file_type(cx, file, name)
    }

    fn written(&self, cx: &mut Inference<'_>, file: FileIdx, written: TypeId) -> Option<Ty> {
        self.meaning(cx, file, written)
    }

    fn bases(&self, cx: &mut Inference<'_>, of: SymbolIdx) -> Vec<Ty> {
        self.written_bases(cx, of)
    }

    fn constructors(&self, cx: &mut Inference<'_>, of: SymbolIdx) -> Vec<SymbolIdx> {
        match self.constructors_of(cx, of) {
            none if none.is_empty() => vec![of],
            constructors => constructors,
        }
    }

    fn choose(&self, _cx: &mut Inference<'_>, candidates: &[SymbolIdx], _arguments: &Arguments<'_>) -> Vec<SymbolIdx> {
        // What is left was chosen among already.
        candidates.to_vec()
    }
}
