//! Routers that a function or an object gets, and with which it registers its routes.

use graph::{FileIdx, SymbolIdx, Ty};
use model::{
    Language,
    code::{Expression, ExpressionId, ScopeId},
};

use super::{RouteReader, mounts::Mounted, prefixes::GROUPS};
use crate::contracts::values::CallShape;

impl<'p> RouteReader<'_, '_, 'p> {
    /// Reads a call that gives a router to a function, which registers its routes: `registerItems(api)`.
    pub(super) fn function_mount(
        &mut self,
        file: FileIdx,
        call: &CallShape<'p>,
    ) -> Option<(String, Option<ExpressionId>, Mounted)> {
        // `app.MapGroup("/api").MapItems()` of .NET gives the group as the receiver of an extension.
        let receiver = call.object.filter(|_| self.values.program().language(file) == Language::CSharp);
        let router = call.positional().chain(receiver).find(|argument| self.is_group(file, *argument))?;
        if receiver == Some(router) {
            return Some((String::new(), Some(router), Mounted::Function(self.extension_named(call.name)?)));
        }
        let Ty::Function { candidates, .. } = self.values.cx.type_of(file, call.callee) else { return None };
        let function = Mounted::Function(*candidates.first()?);
        // A constructor keeps the router in a field, with which the methods of the object register.
        let class = self.registering_class(file, call.call);
        Some((String::new(), Some(router), class.map_or(function, Mounted::Class)))
    }

    /// Returns the only function of C# with a name that takes a builder of routes as its first parameter.
    fn extension_named(&self, name: &str) -> Option<SymbolIdx> {
        let program = self.values.program();
        let is_extension = |symbol: &SymbolIdx| {
            let home = program.file_of(*symbol);
            let first = program.shape(*symbol).parameters.first();
            let declared = first.and_then(|first| self.values.written_name(home, first.declared?));
            declared.is_some_and(|(_, name)| self.values.code(home).name(name).ends_with("Builder"))
        };
        let mut found = program.named(program.name_named(name)?).iter().copied().filter(is_extension);
        found.next().filter(|_| found.next().is_none())
    }

    /// Reads a call within a block with a path, whose function registers routes of the block: `route("/api") { items() }` of Ktor.
    pub(super) fn block_mount(
        &mut self,
        file: FileIdx,
        call: &CallShape<'p>,
        scope: ScopeId,
    ) -> Option<(String, Mounted)> {
        let is_of_ktor = self.values.program().language(file) == Language::Kotlin;
        if !is_of_ktor || call.object.is_some() || GROUPS.contains(&call.name) {
            return None;
        }
        let Ty::Function { candidates, .. } = self.values.cx.type_of(file, call.callee) else { return None };
        let function = *candidates.first()?;
        let home = self.values.program().file_of(function);
        self.values.cx.consult(home);
        let registrations = self.registrations(home);
        if !registrations.iter().any(|one| self.is_of(home, None, one.scope, Mounted::Function(function))) {
            return None;
        }
        let prefix = self.prefix_of_blocks(file, scope, call.call);
        (!prefix.is_empty()).then_some((prefix, Mounted::Function(function)))
    }

    /// Returns true if an argument is a group of a router: a call that makes one, or a variable with its result.
    fn is_group(&mut self, file: FileIdx, argument: ExpressionId) -> bool {
        let made = match self.values.expression(file, argument) {
            Expression::Call { .. } => Some(argument),
            Expression::Name { name, scope, n_before } => {
                let name = self.values.program().name(file, *name);
                let binding = self.values.cx.binding_before(file, name, *scope, *n_before);
                binding.and_then(|binding| self.values.code(file).bindings[binding as usize].value)
            }
            _ => None,
        };
        let call = made.and_then(|made| self.values.call(file, made));
        call.is_some_and(|call| GROUPS.contains(&call.name)) && !self.prefix(file, argument, 2).is_empty()
    }
}
