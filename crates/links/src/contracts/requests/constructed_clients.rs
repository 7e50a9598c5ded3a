//! Clients of the repository itself that are constructed with their base: `CartClient(os.environ["CART_URL"])`,
//! `NewCartClient(addr)`, `new CartApi(url)`. The requests of their methods go to the address of the constructor's argument.
//! A client may give its base class the address: `super(process.env.CART_URL)`.

use std::iter;

use graph::{FileIdx, Node, SymbolIdx};
use model::code::{Expression, ExpressionId, ScopeId};

use super::RequestReader;
use crate::{
    contract::ContractUse,
    contracts::{
        text_value::{CallFrame, TextPart},
        values::{CalledFunction, keyword_arguments},
        visibility::is_test_or_example,
    },
};

/// Maximum number of constructions of one file: a file that wires a system constructs a dozen.
const MAX_CONSTRUCTIONS: usize = 100;

/// Maximum number of arguments that are searched for an address.
const MAX_ARGUMENTS: usize = 4;

/// Maximum number of base classes between a client and the class that sends its requests.
const MAX_BASES: u32 = 3;

/// Maximum number of steps from a callee to `super`.
const MAX_SUPER: usize = 4;

impl<'p> RequestReader<'_, '_, 'p> {
    /// Returns the requests of the clients that a file constructs with an address.
    pub(super) fn constructed_clients(&mut self, file: FileIdx) -> Vec<ContractUse> {
        let program = self.values.program();
        let mut found: Vec<ContractUse> = Vec::new();
        if is_test_or_example(program.path(file)) {
            return found;
        }
        let mut n_constructions = 0;
        for site in &program.code(file).sites {
            if n_constructions == MAX_CONSTRUCTIONS {
                break;
            }
            let of_base = self.base_construction(file, site.expression);
            let made = of_base.or_else(|| {
                let made = self.values.construction(file, site.expression)?;
                Some((made.class, made.constructor, made.arguments))
            });
            let Some((class, constructor, arguments)) = made else { continue };
            let has_address = arguments.iter().take(MAX_ARGUMENTS).any(|argument| self.is_address(file, *argument));
            if !has_address {
                continue;
            }
            n_constructions += 1;
            let function = CalledFunction::Function(constructor);
            let frame = CallFrame { function, file, arguments, receiver: Some(class), outer: None };
            for used in self.requests_of_methods(class, &frame, 0) {
                if !found.iter().any(|one| (one.node, one.line, &one.member) == (used.node, used.line, &used.member)) {
                    found.push(used);
                }
            }
        }
        found
    }

    /// Returns the type around a call of the constructor of its base class, that constructor, and the arguments: `super(url)`.
    fn base_construction(
        &mut self,
        file: FileIdx,
        call: ExpressionId,
    ) -> Option<(SymbolIdx, SymbolIdx, &'p [ExpressionId])> {
        let Expression::Call { callee, arguments, .. } = self.values.expression(file, call) else { return None };
        let scope = self.scope_of_super(file, *callee)?;
        let class = self.values.type_around(file, scope).filter(|_| self.values.is_in_constructor(file, scope))?;
        let bases = self.values.base_types(class);
        let constructor = bases.into_iter().find_map(|base| self.values.constructor_of(base, arguments.len()))?;
        Some((class, constructor, arguments))
    }

    /// Returns the scope of `super`, `super().__init__` and `parent::__construct`.
    fn scope_of_super(&self, file: FileIdx, callee: ExpressionId) -> Option<ScopeId> {
        let code = self.values.code(file);
        let mut at = callee;
        for _ in 0..MAX_SUPER {
            at = match code.expression(at) {
                Expression::Super { scope } => return Some(*scope),
                Expression::Member { of, name } | Expression::Path { of, name } => {
                    let is_constructor = matches!(code.name(*name), "__init__" | "__construct" | "constructor");
                    is_constructor.then_some(*of)?
                }
                Expression::Call { callee, .. } => *callee,
                _ => return None,
            };
        }
        None
    }

    fn is_address(&mut self, file: FileIdx, argument: ExpressionId) -> bool {
        let argument = match keyword_arguments(self.values.code(file), argument) {
            Some(fields) => return fields.iter().any(|(_, value)| self.is_address(file, *value)),
            None => argument,
        };
        if let Expression::Cast { of, .. } | Expression::Tried { of } = self.values.expression(file, argument) {
            return self.is_address(file, *of);
        }
        let may_be = match self.values.expression(file, argument) {
            Expression::Literal(_) => self.values.literal(file, argument).is_some_and(|text| text.contains("://")),
            Expression::Name { .. }
            | Expression::Member { .. }
            | Expression::Call { .. }
            | Expression::Element { .. }
            | Expression::Either(_)
            | Expression::Operation { .. } => true,
            _ => false,
        };
        may_be
            && self.values.text(file, argument).alternatives.iter().any(|parts| match parts.first() {
                Some(TextPart::Text(text)) => text.contains("://"),
                Some(TextPart::Variable(_)) => true,
                _ => false,
            })
    }

    /// Returns the requests of the methods of a class, and of those of its base classes, whose address a call of its constructor gives.
    fn requests_of_methods(&mut self, class: SymbolIdx, frame: &CallFrame<'_>, depth: u32) -> Vec<ContractUse> {
        let bases = self.values.base_levels(class, MAX_BASES as usize).into_iter().flatten();
        let types: Vec<SymbolIdx> = iter::once(class).chain(bases).collect();
        types.into_iter().flat_map(|owner| self.requests_of_own_methods(owner, frame, depth)).collect()
    }

    /// Returns the requests of the methods that a class defines itself.
    fn requests_of_own_methods(&mut self, class: SymbolIdx, frame: &CallFrame<'_>, depth: u32) -> Vec<ContractUse> {
        let program = self.values.program();
        let home = program.file_of(class);
        self.values.cx.consult(home);
        let calls = self.calls_of(home);
        let mut found = Vec::new();
        for member in program.symbols_of(home).filter(|member| program.parent(*member) == Some(class)) {
            for call in calls.get(&program.definition_id(member)).into_iter().flatten() {
                if depth < MAX_BASES
                    && frame.function == CalledFunction::Function(member)
                    && let Some((_, constructor, arguments)) = self.base_construction(home, call.expression)
                {
                    let function = CalledFunction::Function(constructor);
                    let of_base =
                        CallFrame { function, file: home, arguments, receiver: frame.receiver, outer: Some(frame) };
                    found.extend(self.requests_of_methods(class, &of_base, depth + 1));
                }
                let open = self.requests(home, call.expression, None, 0);
                if !open.iter().any(|request| request.url.has_parameter()) {
                    continue;
                }
                let known = self.requests(home, call.expression, Some(frame), 0).into_iter();
                let known = known.filter(|request| !request.is_open() && open.iter().all(|one| one.url != request.url));
                found.extend(known.filter_map(|request| request.contract(Node::Symbol(member), call.line)));
            }
        }
        found
    }
}
