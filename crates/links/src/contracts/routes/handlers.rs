//! Handlers: the function that answers, behind the middleware that wraps it.

use graph::{FileIdx, Node, SymbolIdx, Ty};
use model::{
    Language, SymbolKind,
    code::{Expression, ExpressionId, ScopeId},
};

use super::{RouteHandler, RouteReader};
use crate::contracts::values::{ValueReader, ValueSource};

/// Maximum number of functions around a handler.
const MAX_WRAPPERS: u32 = 5;

/// Returns true if an expression is a function, as far as its type is known.
pub(in crate::contracts) fn is_function(
    values: &mut ValueReader<'_, '_>,
    file: FileIdx,
    expression: ExpressionId,
) -> bool {
    match values.expression(file, expression) {
        Expression::Function { .. } | Expression::Definition(_) => true,
        Expression::List(items) => items.last().is_some_and(|last| is_function(values, file, *last)),
        Expression::Name { .. } | Expression::Member { .. } | Expression::Path { .. } => matches!(
            values.cx.type_of(file, expression),
            Ty::Function { .. } | Ty::Closure { .. } | Ty::FunctionType { .. } | Ty::Class(_)
        ),
        // A call that gives a function, or that wraps one.
        Expression::Call { arguments, .. } => {
            let gives_function = matches!(
                values.cx.type_of(file, expression),
                Ty::Function { .. } | Ty::Closure { .. } | Ty::FunctionType { .. }
            );
            gives_function || arguments.iter().any(|argument| is_function(values, file, *argument))
        }
        Expression::Cast { of, .. } => is_function(values, file, *of),
        _ => false,
    }
}

impl RouteReader<'_, '_, '_> {
    /// Returns the handler that an argument names.
    pub(super) fn handler(&mut self, file: FileIdx, handler: ExpressionId, scope: ScopeId) -> RouteHandler {
        if let Some(node) = self.named_handler(file, handler, 0) {
            return node;
        }
        let around = self.values.code(file).definition_around(scope);
        let node = around.map(|around| Node::Symbol(self.values.program().symbol(file, around)));
        RouteHandler { node, is_inline: true }
    }

    fn named_handler(&mut self, file: FileIdx, handler: ExpressionId, depth: u32) -> Option<RouteHandler> {
        if depth > MAX_WRAPPERS {
            return None;
        }
        let program = self.values.program();
        let named = |node: SymbolIdx| Some(RouteHandler { node: Some(Node::Symbol(node)), is_inline: false });
        match self.values.expression(file, handler) {
            Expression::Cast { of, .. } => return self.named_handler(file, *of, depth + 1),
            Expression::List(items) => return self.listed_handler(file, items, depth),
            Expression::Call { arguments, callee, .. } => {
                // `middleware(handler)`, `handler.with(option)`, `View.as_view()`.
                for argument in arguments.iter().rev() {
                    if is_function(self.values, file, *argument)
                        && let Some(found) = self.named_handler(file, *argument, depth + 1)
                    {
                        return Some(found);
                    }
                }
                if let Ty::Closure { file: home, expression } = self.values.cx.type_of(file, handler) {
                    return self.closure_handler(home, expression);
                }
                if let Expression::Member { of, name } | Expression::Path { of, name } =
                    self.values.expression(file, *callee)
                {
                    let name = self.values.code(file).name(*name);
                    if matches!(name, "as_view" | "bind" | "asHandler" | "to") {
                        return self.named_handler(file, *of, depth + 1);
                    }
                }
                if let Ty::Function { candidates, .. } = self.values.cx.type_of(file, *callee) {
                    return named(*candidates.first()?);
                }
                return None;
            }
            _ => {}
        }
        match self.values.cx.type_of(file, handler) {
            Ty::Function { candidates, .. } => named(*candidates.first()?),
            Ty::Closure { file: home, expression } => self.closure_handler(home, expression),
            Ty::Class(applied) => named(applied.of),
            Ty::Object(applied) => {
                // An object that answers by a method of its own.
                let answers = ["ServeHTTP", "handle", "invoke", "__invoke", "call"];
                let names = answers.iter().filter_map(|name| program.name_named(name));
                let method = names.filter_map(|name| program.members(applied.of, name).first().copied()).next();
                named(method.unwrap_or(applied.of))
            }
            _ => {
                let sources = self.values.sources(file, handler);
                let of_value = sources.into_iter().find_map(|source| match source {
                    ValueSource::Expression(home, value) => self.named_handler(home, value, depth + 1),
                    _ => None,
                });
                of_value.or_else(|| named(self.function_of_name(file, handler)?))
            }
        }
    }

    /// Returns the function that a bare name means in a language without type inference: of the type around it, or of the file.
    fn function_of_name(&mut self, file: FileIdx, handler: ExpressionId) -> Option<SymbolIdx> {
        let program = self.values.program();
        let Expression::Name { name, scope, .. } = self.values.expression(file, handler) else { return None };
        let interned = program.name(file, *name);
        let owner = self.values.type_around(file, *scope);
        let member = owner.and_then(|owner| program.members(owner, interned).first().copied());
        let function = member.or_else(|| program.top(file, interned).first().copied())?;
        let kind = program.definition(function).kind;
        matches!(kind, SymbolKind::Function | SymbolKind::Method).then_some(function)
    }

    /// Returns the handler of a list: `[auth, handler]`, or `[ItemController::class, "show"]` of PHP.
    fn listed_handler(&mut self, file: FileIdx, items: &[ExpressionId], depth: u32) -> Option<RouteHandler> {
        if let [class, method] = items
            && let Some(method) = self.values.literal(file, *method)
            && let Some(class) = self.values.dotted(file, *class)
        {
            let class = class.trim_end_matches(".class").rsplit(['.', '\\']).next().unwrap_or_default().to_owned();
            return self.member_of_class(&class, method);
        }
        self.named_handler(file, *items.last()?, depth + 1)
    }

    fn closure_handler(&self, file: FileIdx, closure: ExpressionId) -> Option<RouteHandler> {
        let code = self.values.code(file);
        let Expression::Function { scope, .. } = code.expression(closure) else { return None };
        let around = code.definition_around(*scope)?;
        let node = Node::Symbol(self.values.program().symbol(file, around));
        Some(RouteHandler { node: Some(node), is_inline: true })
    }

    /// Returns a method of the only class of a name: the action of a controller that a framework finds by its name.
    pub(super) fn member_of_class(&mut self, class: &str, method: &str) -> Option<RouteHandler> {
        let program = self.values.program();
        let is_class = |symbol: &SymbolIdx| {
            program.definition(*symbol).kind.is_type() || program.definition(*symbol).kind == SymbolKind::Module
        };
        let named = program.name_named(class).and_then(|class| program.named(class).iter().copied().find(is_class));
        let owner = named.or_else(|| {
            // A module of Elixir has the names of the modules around it in its name.
            let end = format!(".{class}");
            let elixir = program.file_indices().filter(|file| program.language(*file) == Language::Elixir);
            let mut modules = elixir.flat_map(|file| program.symbols_of(file)).filter(is_class);
            modules.find(|symbol| program.definition(*symbol).name.ends_with(&end))
        })?;
        let member = program.name_named(method).and_then(|method| program.members(owner, method).first().copied());
        let node = member.unwrap_or(owner);
        self.values.cx.consult(program.file_of(node));
        Some(RouteHandler { node: Some(Node::Symbol(node)), is_inline: false })
    }
}
