//! Java dialect: name, member and overload resolution after the Java Language Specification, as far as calls need it.
//!
//! An expression name is a variable, else a type. An unqualified call belongs to the innermost enclosing type with a
//! method of the name. Overload resolution has the three phases of the compiler (strict, loose, variadic) and selects
//! the most specific candidate. A table (`standard_library.txt`) models the standard library; of other external types
//! only the names are known.

mod ancestry;
mod arguments;
mod calls;
mod constructors;
mod conversions;
mod generics;
mod lambda_contexts;
mod lambdas;
mod members;
mod overloads;
mod packages;
mod standard_library;
mod targets;
#[cfg(test)]
mod testing;
mod types;
mod values;
mod written_types;

use model::{
    Language,
    code::{Expression, ExpressionId, TypeId},
};
use rustc_hash::FxHashMap;

use lambda_contexts::LambdaContexts;
use packages::{JavaFile, JavaPackages};
use targets::CallTarget;

use crate::{
    infer::{CallArguments, Dialect, Inference},
    manifest::ManifestFile,
    names::Name,
    program::{FileIdx, Node, Program, SymbolIdx},
    ty::Ty,
};

/// The Java dialect of one program.
pub(crate) struct JavaDialect {
    packages: JavaPackages,
    files: FxHashMap<FileIdx, JavaFile>,
    /// The abstract methods of each interface.
    abstract_methods: FxHashMap<SymbolIdx, Vec<SymbolIdx>>,
}

impl JavaDialect {
    /// Builds the packages and files of a program.
    pub(crate) fn lay_out(program: &Program<'_>, _manifests: &[ManifestFile<'_>]) -> JavaDialect {
        let mut java = JavaDialect {
            packages: JavaPackages::default(),
            files: FxHashMap::default(),
            abstract_methods: FxHashMap::default(),
        };
        for file in program.file_indices().filter(|file| program.language(*file) == Language::Java) {
            let mut known = java.packages.add(program, file);
            known.lambdas = LambdaContexts::of(program.code(file));
            java.files.insert(file, known);
            for (interface, method) in lambda_contexts::abstract_methods(program, file) {
                java.abstract_methods.entry(interface).or_default().push(method);
            }
        }
        java
    }

    fn file(&self, file: FileIdx) -> Option<&JavaFile> {
        self.files.get(&file)
    }
}

impl Dialect for JavaDialect {
    fn type_of(&self, cx: &mut Inference<'_>, file: FileIdx, expression: ExpressionId) -> Option<Ty> {
        self.expression_type(cx, file, expression)
    }

    fn callee(&self, cx: &mut Inference<'_>, file: FileIdx, site: ExpressionId) -> Option<Ty> {
        let is_make = matches!(cx.program.code(file).expression(site), Expression::Make { .. });
        let target =
            if is_make { self.constructor_call_target(cx, file, site) } else { self.call_target(cx, file, site) };
        let has_definition = |of: &SymbolIdx| !members::is_field(cx.program.definition(*of).kind);
        Some(match target {
            // The implicit accessor of a record component has no definition.
            CallTarget::One((of, _)) if !has_definition(&of) => Ty::External,
            CallTarget::One((of, owner)) => Ty::function(&[of], Some(owner.into())),
            CallTarget::Several(several) => Ty::function(&several, None),
            CallTarget::Standard(_) | CallTarget::Outside => Ty::External,
            CallTarget::Unknown => Ty::Unknown,
        })
    }

    fn import_targets(&self, cx: &mut Inference<'_>, file: FileIdx, import: usize) -> Vec<Node> {
        let import = &cx.program.facts(file).imports[import];
        let path = match import.name.as_str() {
            "" | "*" => import.module.clone(),
            name => format!("{}.{name}", import.module),
        };
        // A static import names a member; the import resolves to its type.
        let parts: Vec<&str> = path.split('.').collect();
        let outer = parts.iter().rposition(|part| part.starts_with(char::is_uppercase)).map_or(0, |last| last + 1);
        for parts in [&parts[..], &parts[..outer]] {
            if let Ty::Class(applied) = self.resolve_qualified(cx, file, parts) {
                return vec![Node::Symbol(applied.of)];
            }
        }
        Vec::new()
    }

    fn global(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name) -> Ty {
        self.resolve_file_type(cx, file, name)
    }

    fn written_type(&self, cx: &mut Inference<'_>, file: FileIdx, written: TypeId) -> Option<Ty> {
        self.resolve_written_type(cx, file, written)
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

    fn choose(
        &self,
        _cx: &mut Inference<'_>,
        candidates: &[SymbolIdx],
        _arguments: &CallArguments<'_>,
    ) -> Vec<SymbolIdx> {
        // The candidates are already the result of overload resolution.
        candidates.to_vec()
    }
}
