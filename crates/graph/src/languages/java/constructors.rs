//! What is made: the constructors of a type, and the object that comes out.

use model::{
    SymbolKind,
    code::{Expression, ExpressionId},
};

use super::{
    Java,
    calls::Target,
    generics::Given,
    overloads::Chosen,
    standard,
    types::{boxed, plain},
};
use crate::{
    infer::Inference,
    program::{FileIdx, SymbolIdx},
    ty::{Applied, Ty},
};

impl Java {
    /// Returns what making a type calls: a constructor, or the type where it has none of its own.
    pub(super) fn made_target(&self, cx: &mut Inference<'_>, file: FileIdx, make: ExpressionId) -> Target {
        let Expression::Make { made, arguments } = cx.program.code(file).expression(make) else {
            return Target::Unknown;
        };
        let object = cx.written(file, *made);
        if self.is_anonymous(cx, file, make)
            && let Ty::Object(applied) = &object
        {
            return Target::One((applied.of, object));
        }
        self.constructor_target(cx, file, &object, arguments)
    }

    pub(super) fn constructor_target(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        object: &Ty,
        arguments: &[ExpressionId],
    ) -> Target {
        let Ty::Object(applied) = object else { return Target::Outside };
        let constructors = self.constructors_of(cx, applied.of);
        if constructors.is_empty() {
            return Target::One((applied.of, object.clone()));
        }
        let candidates = constructors.into_iter().map(|constructor| (constructor, object.clone())).collect();
        match self.choose_method(cx, file, candidates, arguments, false) {
            Chosen::One(candidate) => Target::One(candidate),
            Chosen::Several(several) => Target::Several(several.into_iter().map(|(method, _)| method).collect()),
            // The constructor that a record has by itself.
            Chosen::None => Target::One((applied.of, object.clone())),
        }
    }

    /// Returns the constructors that a type has written out.
    pub(super) fn constructors_of(&self, cx: &Inference<'_>, of: SymbolIdx) -> Vec<SymbolIdx> {
        let program = cx.program;
        let members = self.own_members(program, of, program.name_of(of));
        members.filter(|member| program.definition(*member).kind == SymbolKind::Constructor).collect()
    }

    /// Returns the object that is made.
    pub(super) fn made(&self, cx: &mut Inference<'_>, file: FileIdx, make: ExpressionId) -> Ty {
        let program = cx.program;
        let Expression::Make { made, arguments } = program.code(file).expression(make) else { return Ty::Unknown };
        if self.is_anonymous(cx, file, make) {
            return Ty::Closure { file, expression: make };
        }
        let object = cx.written(file, *made);
        if let Some((known, [])) = standard::of(&object) {
            return self.made_of(cx, file, known, arguments);
        }
        let Ty::Object(applied) = &object else { return object };
        let n_parameters = program.shape(applied.of).type_parameters.len();
        if n_parameters == 0 || !applied.arguments.is_empty() {
            return object;
        }
        // `new A<>(…)`
        let Target::One((constructor, owner)) = self.made_target(cx, file, make) else { return object };
        if constructor == applied.of {
            return object;
        }
        let parameters = self.parameters_of(cx, &(constructor, owner));
        let mut found = vec![Ty::Unknown; n_parameters];
        let given = Given { file, arguments, asks_lambdas: true };
        self.infer(cx, applied.of, &parameters, given, &mut found);
        if found.iter().all(Ty::is_unknown) {
            return object;
        }
        Ty::Object(Applied { of: applied.of, arguments: found.into() })
    }

    /// Returns what `new A<>(…)` makes of the standard library: a collection of what another holds, or something that
    /// holds what it is given.
    fn made_of(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        known: &'static standard::Standard,
        arguments: &[ExpressionId],
    ) -> Ty {
        let plain_one = known.applied(&[]);
        if known.n_parameters == 0 || arguments.is_empty() {
            return plain_one;
        }
        let given = cx.type_of(file, arguments[0]);
        for of in ["Iterable", "Map"] {
            if self.as_super(cx, &plain_one, &plain(of)).is_some() {
                return match self.as_super(cx, &given, &plain(of)) {
                    Some(Ty::Builtin { arguments, .. }) => known.applied(&arguments),
                    _ => plain_one,
                };
            }
        }
        let holds = matches!(known.package, "java.lang.ref" | "java.util.concurrent.atomic" | "java.util.AbstractMap");
        if !holds {
            return plain_one;
        }
        let held: Vec<Ty> = arguments.iter().map(|argument| boxed(cx.type_of(file, *argument))).collect();
        known.applied(&held)
    }
}
