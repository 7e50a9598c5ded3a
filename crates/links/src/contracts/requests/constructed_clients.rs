//! Clients of the repository itself that are constructed with their base: `CartClient(os.environ["CART_URL"])`,
//! `NewCartClient(addr)`, `new CartApi(url)`. The requests of their methods go to the address of the constructor's argument.

use graph::{FileIdx, Node, SymbolIdx};
use model::code::{Expression, ExpressionId};

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
            let Some(made) = self.values.construction(file, site.expression) else { continue };
            let (class, constructor, arguments) = (made.class, made.constructor, made.arguments);
            let has_address = arguments.iter().take(MAX_ARGUMENTS).any(|argument| self.is_address(file, *argument));
            if !has_address {
                continue;
            }
            n_constructions += 1;
            let frame = CallFrame { function: CalledFunction::Function(constructor), file, arguments, outer: None };
            for used in self.requests_of_methods(class, &frame) {
                if !found.iter().any(|one| (one.node, one.line, &one.member) == (used.node, used.line, &used.member)) {
                    found.push(used);
                }
            }
        }
        found
    }

    fn is_address(&mut self, file: FileIdx, argument: ExpressionId) -> bool {
        let argument = match keyword_arguments(self.values.code(file), argument) {
            Some(fields) => return fields.iter().any(|(_, value)| self.is_address(file, *value)),
            None => argument,
        };
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

    /// Returns the requests of the methods of a class whose address a call of its constructor gives.
    fn requests_of_methods(&mut self, class: SymbolIdx, frame: &CallFrame<'_>) -> Vec<ContractUse> {
        let program = self.values.program();
        let home = program.file_of(class);
        self.values.cx.consult(home);
        let calls = self.calls_of(home);
        let mut found = Vec::new();
        for member in program.symbols_of(home).filter(|member| program.parent(*member) == Some(class)) {
            for call in calls.get(&program.definition_id(member)).into_iter().flatten() {
                let Some(open) = self.request(home, call.expression, None).filter(|open| open.url.has_parameter())
                else {
                    continue;
                };
                let Some(request) = self.request(home, call.expression, Some(frame)) else { continue };
                if request.url != open.url && !request.is_open() {
                    found.extend(request.contract(Node::Symbol(member), call.line));
                }
            }
        }
        found
    }
}
