//! Positions of lambdas and method references, which determine their expected types.

use model::{
    SymbolKind,
    code::{Code, Expression, ExpressionId, Flags, ScopeId, TypeId},
};
use rustc_hash::FxHashMap;

use crate::program::{FileIdx, Program, SymbolIdx};

/// The source of the expected type of an expression.
#[derive(Debug, Clone, Copy)]
pub(super) enum ExpectedTypeSource {
    /// A parameter of a call or constructor.
    Argument { of: ExpressionId, index: u32 },
    /// The target of an assignment.
    Assignment(ExpressionId),
    /// A declared type.
    Declared(TypeId),
}

/// Expected types of the lambdas of a file, and of the calls that have lambda arguments.
#[derive(Default)]
pub(super) struct LambdaContexts {
    pub(super) contexts: FxHashMap<ExpressionId, ExpectedTypeSource>,
    pub(super) by_scope: FxHashMap<ScopeId, ExpressionId>,
}

impl LambdaContexts {
    /// Collects the expected type sources of a file.
    pub(super) fn of(code: &Code) -> LambdaContexts {
        let mut lambdas = LambdaContexts::default();
        let matters = |expression: ExpressionId| match code.expression(expression) {
            Expression::Function { .. } | Expression::Path { .. } | Expression::Either(_) => true,
            Expression::Call { arguments, .. } | Expression::Make { arguments, .. } => {
                arguments.iter().any(|argument| {
                    matches!(code.expression(*argument), Expression::Function { .. } | Expression::Path { .. })
                })
            }
            _ => false,
        };
        let contexts = &mut lambdas.contexts;
        for binding in &code.bindings {
            if let (Some(declared), Some(value)) = (binding.declared, binding.value)
                && matters(value)
            {
                contexts.insert(value, ExpectedTypeSource::Declared(declared));
            }
        }
        for shape in &code.shapes {
            if let Some(declared) = shape.declared {
                for value in shape.values.iter().filter(|value| matters(**value)) {
                    contexts.insert(*value, ExpectedTypeSource::Declared(declared));
                }
            }
        }
        // An enclosing expression has a higher index than its parts.
        for (index, expression) in code.expressions.iter().enumerate().rev() {
            let enclosing = ExpressionId(index as u32);
            match expression {
                Expression::Call { arguments, .. } | Expression::Make { arguments, .. } => {
                    for (index, argument) in arguments.iter().enumerate().filter(|(_, argument)| matters(**argument)) {
                        contexts.insert(*argument, ExpectedTypeSource::Argument { of: enclosing, index: index as u32 });
                    }
                }
                Expression::Cast { of, to } if matters(*of) => {
                    contexts.insert(*of, ExpectedTypeSource::Declared(*to));
                }
                Expression::Either(choices) => {
                    if let Some(context) = contexts.get(&enclosing).copied() {
                        choices.iter().filter(|choice| matters(**choice)).for_each(|choice| {
                            contexts.insert(*choice, context);
                        });
                    }
                }
                Expression::Operation { operator, left, right: Some(right) }
                    if code.name(*operator) == "=" && matters(*right) =>
                {
                    contexts.insert(*right, ExpectedTypeSource::Assignment(*left));
                }
                Expression::Function { scope, .. } => {
                    lambdas.by_scope.insert(*scope, enclosing);
                }
                _ => {}
            }
        }
        lambdas
    }
}

/// Returns the abstract methods of interfaces in a file, each with its interface, except those that `Object` implements.
pub(super) fn abstract_methods(program: &Program<'_>, file: FileIdx) -> impl Iterator<Item = (SymbolIdx, SymbolIdx)> {
    program.symbols_of(file).filter_map(|symbol| {
        let definition = program.definition(symbol);
        let is_abstract = definition.kind == SymbolKind::Method && program.shape(symbol).flags.has(Flags::ABSTRACT);
        let is_object_method = matches!(definition.name.as_str(), "equals" | "hashCode" | "toString");
        let owner = program.parent(symbol).filter(|_| is_abstract && !is_object_method)?;
        (program.definition(owner).kind == SymbolKind::Interface).then_some((owner, symbol))
    })
}
