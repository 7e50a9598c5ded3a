//! Object creation: the selected constructor and the created type.

use model::{
    SymbolKind,
    code::{Expression, ExpressionId},
};

use super::{
    JavaDialect,
    generics::InferenceArguments,
    standard_library,
    targets::{CallTarget, OverloadChoice},
    types::{boxed, simple_type},
};
use crate::{
    infer::Inference,
    program::{FileIdx, SymbolIdx},
    ty::{Applied, Ty},
};

impl JavaDialect {
    /// Returns the target of an object creation: a constructor, or the type if it declares none.
    pub(super) fn constructor_call_target(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        make: ExpressionId,
    ) -> CallTarget {
        let Expression::Make { made, arguments } = cx.program.code(file).expression(make) else {
            return CallTarget::Unknown;
        };
        let object = cx.written_type(file, *made);
        if self.is_anonymous(cx, file, make)
            && let Ty::Object(applied) = &object
        {
            return CallTarget::One((applied.of, object));
        }
        self.constructor_target(cx, file, &object, arguments)
    }

    /// Returns the constructor that creates an object with the arguments.
    pub(super) fn constructor_target(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        object: &Ty,
        arguments: &[ExpressionId],
    ) -> CallTarget {
        let Ty::Object(applied) = object else { return CallTarget::Outside };
        let constructors = self.constructors_of(cx, applied.of);
        if constructors.is_empty() {
            return CallTarget::One((applied.of, object.clone()));
        }
        let candidates = constructors.into_iter().map(|constructor| (constructor, object.clone())).collect();
        match self.choose_method(cx, file, candidates, arguments, false) {
            OverloadChoice::One(candidate) => CallTarget::One(candidate),
            OverloadChoice::Several(several) => {
                CallTarget::Several(several.into_iter().map(|(method, _)| method).collect())
            }
            // The implicit constructor of a record.
            OverloadChoice::None => CallTarget::One((applied.of, object.clone())),
        }
    }

    /// Returns the declared constructors of a type.
    pub(super) fn constructors_of(&self, cx: &Inference<'_>, of: SymbolIdx) -> Vec<SymbolIdx> {
        let program = cx.program;
        let members = self.own_members(program, of, program.name_of(of));
        members.filter(|member| program.definition(*member).kind == SymbolKind::Constructor).collect()
    }

    /// Returns the type of an object creation.
    pub(super) fn created_object(&self, cx: &mut Inference<'_>, file: FileIdx, make: ExpressionId) -> Ty {
        let program = cx.program;
        let Expression::Make { made, arguments } = program.code(file).expression(make) else { return Ty::Unknown };
        if self.is_anonymous(cx, file, make) {
            return Ty::Closure { file, expression: make };
        }
        let object = cx.written_type(file, *made);
        if let Some((known, [])) = standard_library::as_library_type(&object) {
            return self.created_library_object(cx, file, known, arguments);
        }
        let Ty::Object(applied) = &object else { return object };
        let n_parameters = program.shape(applied.of).type_parameters.len();
        if n_parameters == 0 || !applied.arguments.is_empty() {
            return object;
        }
        // `new A<>(…)`
        let CallTarget::One((constructor, owner)) = self.constructor_call_target(cx, file, make) else { return object };
        if constructor == applied.of {
            return object;
        }
        let parameters = self.parameters_of(cx, &(constructor, owner));
        let actual = InferenceArguments { file, arguments, infers_lambdas: true };
        let found = self.infer_type_arguments(cx, applied.of, n_parameters, &parameters, actual);
        if found.iter().all(Ty::is_unknown) {
            return object;
        }
        Ty::Object(Applied { of: applied.of, arguments: found.into() })
    }

    /// Infers `new A<>(…)` of the standard library: a copy of a collection, or a container of the argument.
    fn created_library_object(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        known: &'static standard_library::LibraryType,
        arguments: &[ExpressionId],
    ) -> Ty {
        let raw = known.applied(&[]);
        if known.n_parameters == 0 || arguments.is_empty() {
            return raw;
        }
        let actual = cx.type_of(file, arguments[0]);
        for of in ["Iterable", "Map"] {
            if self.as_super(cx, &raw, &simple_type(of)).is_some() {
                return match self.as_super(cx, &actual, &simple_type(of)) {
                    Some(Ty::Builtin { arguments, .. }) => known.applied(&arguments),
                    _ => raw,
                };
            }
        }
        let is_container =
            matches!(known.package, "java.lang.ref" | "java.util.concurrent.atomic" | "java.util.AbstractMap");
        if !is_container {
            return raw;
        }
        let contained: Vec<Ty> = arguments.iter().map(|argument| boxed(cx.type_of(file, *argument))).collect();
        known.applied(&contained)
    }
}
