//! Clients of the repository itself that are constructed with their base: `CartClient(os.environ["CART_URL"])`,
//! `NewCartClient(addr)`, `new CartApi(url)`. The requests of their methods go to the address of the constructor's argument.

use graph::{FileIdx, Node, Program, SymbolIdx, Ty};
use model::{
    SymbolKind,
    code::{Expression, ExpressionId},
};

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

fn is_interface(program: &Program<'_>, class: SymbolIdx) -> bool {
    matches!(program.definition(class).kind, SymbolKind::Interface | SymbolKind::Trait)
}

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
            let Some((class, constructor, arguments)) = self.construction(file, site.expression) else { continue };
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

    /// Returns the type that a call or constructor makes, its constructor, and the arguments.
    fn construction(
        &mut self,
        file: FileIdx,
        site: ExpressionId,
    ) -> Option<(SymbolIdx, SymbolIdx, &'p [ExpressionId])> {
        let program = self.values.program();
        match self.values.expression(file, site) {
            Expression::Make { made, arguments } if !arguments.is_empty() => {
                let (_, name) = self.values.written_name(file, *made)?;
                let class = self.class_of_name(file, self.values.code(file).name(name))?;
                Some((class, self.constructor_of(class)?, arguments))
            }
            Expression::Call { callee, arguments, .. } if !arguments.is_empty() => {
                match self.values.cx.type_of(file, *callee) {
                    Ty::Class(applied) => Some((applied.of, self.constructor_of(applied.of)?, arguments)),
                    Ty::Function { candidates, .. } => {
                        // `NewClient` of Go: a function with the result of a type.
                        let function = *candidates.first()?;
                        let is_constructor = program.definition(function).name.to_ascii_lowercase().starts_with("new");
                        let declared = program.shape(function).declared.filter(|_| is_constructor)?;
                        let home = program.file_of(function);
                        let declared = match program.code(home).written(declared) {
                            model::code::TypeExpression::Tuple(parts) => *parts.first()?,
                            _ => declared,
                        };
                        // A constructor with an interface as its result returns a value of a type.
                        let returned = program.shape(function).values.first().copied();
                        let returned = returned.and_then(|value| self.values.cx.type_of(home, value).definition());
                        let by_name = || {
                            let (_, name) = self.values.written_name(home, declared)?;
                            self.class_of_name(home, program.code(home).name(name))
                        };
                        let class = by_name().filter(|class| !is_interface(program, *class)).or(returned)?;
                        Some((class, function, arguments))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Returns the only type of a name in the language of a file.
    fn class_of_name(&self, file: FileIdx, name: &str) -> Option<SymbolIdx> {
        let program = self.values.program();
        let named = program.named(program.name_named(name)?).iter().copied().filter(|symbol| {
            program.definition(*symbol).kind.is_type()
                && program.language(program.file_of(*symbol)) == program.language(file)
        });
        let classes: Vec<SymbolIdx> = named.take(2).collect();
        if let [only] = classes[..] { Some(only) } else { None }
    }

    /// Returns the constructor of a type; the type itself if its parameters stand at its name.
    fn constructor_of(&self, class: SymbolIdx) -> Option<SymbolIdx> {
        let program = self.values.program();
        if !program.shape(class).parameters.is_empty() {
            return Some(class);
        }
        let home = program.file_of(class);
        let mut members = program.symbols_of(home).filter(|symbol| program.parent(*symbol) == Some(class));
        members.find(|member| {
            let definition = program.definition(*member);
            definition.kind == SymbolKind::Constructor
                || matches!(definition.name.as_str(), "__init__" | "constructor" | "initialize" | "__construct")
                || definition.name == program.definition(class).name
        })
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
