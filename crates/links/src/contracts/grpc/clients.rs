//! Values that are clients of generated code.
//!
//! A client is followed from its use back to where it gets its type: through variables, fields, parameters, functions and
//! imports.

mod constructors;

use graph::{FileIdx, Inference, Node, SymbolIdx, Ty};
use model::{
    Language, SymbolKind,
    code::{Expression, ExpressionId, TypeExpression, TypeId},
};
use rustc_hash::FxHashMap;

use super::{
    flow, generated,
    generators::{self, Role},
    service_name::{self, ServiceName},
};

/// Maximum number of steps from a call to the type of its client.
const MAX_STEPS: u32 = 16;

/// A client of a service.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RpcClient {
    /// The service.
    pub(super) service: ServiceName,
    /// The address of its channel; empty if it is not known.
    pub(super) address: String,
    /// True if its descriptors are loaded at run time, so that its type may be written by hand.
    pub(super) is_loaded: bool,
}

impl RpcClient {
    /// Returns a client of generated code whose address is not known.
    pub(super) fn generated(service: ServiceName) -> RpcClient {
        RpcClient { service, address: String::new(), is_loaded: false }
    }

    /// Returns true if more than the name of a type tells the service.
    pub(super) fn has_evidence(&self) -> bool {
        self.service.confidence >= crate::services::CONFIRMED
    }
}

/// The clients of a file and of the files that it uses.
pub(super) struct Clients<'c, 'p> {
    /// The inference of the types of values.
    pub(super) cx: &'c mut Inference<'p>,
    /// `None` marks a query in progress, or a value that is no client.
    known: FxHashMap<(FileIdx, ExpressionId), Option<RpcClient>>,
    /// By file: true if a generator made it.
    generated: FxHashMap<FileIdx, bool>,
    depth: u32,
}

impl<'c, 'p> Clients<'c, 'p> {
    /// Starts with an empty cache.
    pub(super) fn new(cx: &'c mut Inference<'p>) -> Clients<'c, 'p> {
        Clients { cx, known: FxHashMap::default(), generated: FxHashMap::default(), depth: 0 }
    }

    /// Returns true if a value is of a type of the repository that no generator made.
    pub(super) fn is_written_by_hand(&mut self, file: FileIdx, expression: ExpressionId) -> bool {
        let Some(of) = self.cx.type_of(file, expression).definition() else { return false };
        let of = self.cx.program.file_of(of);
        let program = self.cx.program;
        !*self.generated.entry(of).or_insert_with(|| generated::is_generated(program, of))
    }

    /// Returns true if a file is of a language whose libraries load services at run time, under types that the file may name.
    pub(super) fn may_load(&self, file: FileIdx) -> bool {
        matches!(self.cx.program.language(file), Language::JavaScript | Language::TypeScript | Language::Tsx)
    }

    /// Returns the client that an expression is.
    pub(super) fn of_expression(&mut self, file: FileIdx, expression: ExpressionId) -> Option<RpcClient> {
        if let Some(known) = self.known.get(&(file, expression)) {
            return known.clone();
        }
        if self.depth >= MAX_STEPS {
            return None;
        }
        self.known.insert((file, expression), None);
        self.depth += 1;
        let found = self.by_notation(file, expression).or_else(|| self.by_inference(file, expression));
        self.depth -= 1;
        self.known.insert((file, expression), found.clone());
        found
    }

    fn by_notation(&mut self, file: FileIdx, expression: ExpressionId) -> Option<RpcClient> {
        match self.cx.program.code(file).expression(expression) {
            Expression::Name { .. } => self.of_name(file, expression),
            Expression::Member { of, .. } | Expression::Path { of, .. } => self.of_member(file, expression, *of),
            Expression::Call { callee, type_arguments, arguments } => {
                self.of_call(file, *callee, type_arguments, arguments)
            }
            Expression::Make { made, arguments } => self.of_new(file, *made, arguments),
            Expression::Part { of, index } => self.of_part(file, *of, *index),
            Expression::Awaited { of }
            | Expression::Tried { of }
            | Expression::Dereferenced { of }
            | Expression::Item { of }
            | Expression::Element { of, .. }
            | Expression::Matched { of, .. } => self.of_expression(file, *of),
            Expression::Cast { of, to } => self.of_type(file, *to).or_else(|| self.of_expression(file, *of)),
            Expression::Either(choices) => choices.iter().find_map(|choice| self.of_expression(file, *choice)),
            Expression::Operation { left, right: None, .. } => self.of_expression(file, *left),
            _ => None,
        }
    }

    /// Returns the client of a type in a generated file of the repository.
    fn by_inference(&mut self, file: FileIdx, expression: ExpressionId) -> Option<RpcClient> {
        let program = self.cx.program;
        let types = match self.cx.type_of(file, expression) {
            Ty::Union(types) => types.to_vec(),
            other => vec![other],
        };
        types.iter().find_map(|ty| {
            let Ty::Object(applied) = ty else { return None };
            let of = program.file_of(applied.of);
            if !generated::is_generated(program, of) {
                return None;
            }
            let definition = program.definition(applied.of);
            let mut path: Vec<&str> = definition.container.split('.').filter(|part| !part.is_empty()).collect();
            let name = upper_first(&definition.name);
            path.push(&name);
            let found = generators::find(program.language(of), &path, |role| role == Role::Client)?;
            let service = service_name::of_match(self.cx, of, &path, &found, Some(applied.of))?;
            Some(RpcClient::generated(service))
        })
    }

    fn of_name(&mut self, file: FileIdx, expression: ExpressionId) -> Option<RpcClient> {
        let program = self.cx.program;
        let code = program.code(file);
        let Expression::Name { name, scope, .. } = code.expression(expression) else { return None };
        if let Some(binding) = flow::binding_of(self.cx, file, expression) {
            let declared = binding.declared.and_then(|declared| self.of_type(file, declared));
            return better(declared, || self.of_expression(file, binding.value?));
        }
        let name = code.name(*name);
        let around = code.definition_around(*scope).map(|definition| program.symbol(file, definition));
        let of_field = self.enclosing_types(around).into_iter().find_map(|owner| self.of_field(owner, name));
        of_field.or_else(|| {
            let named = flow::definitions_named(self.cx, file, name);
            named.into_iter().find_map(|symbol| self.of_definition(symbol))
        })
    }

    /// Returns the types around a definition, whose fields some languages name without a receiver.
    fn enclosing_types(&self, around: Option<SymbolIdx>) -> Vec<SymbolIdx> {
        let program = self.cx.program;
        let chain = std::iter::successors(around, |symbol| program.parent(*symbol)).take(8);
        chain.filter(|symbol| program.definition(*symbol).kind.is_type()).collect()
    }

    fn of_member(&mut self, file: FileIdx, expression: ExpressionId, of: ExpressionId) -> Option<RpcClient> {
        let program = self.cx.program;
        let code = program.code(file);
        let (_, name) = flow::member_of(code, expression)?;
        let owners = match self.cx.type_of(file, of) {
            Ty::Union(types) => types.to_vec(),
            other => vec![other],
        };
        for owner in &owners {
            if let Some(owner) = owner.definition()
                && let Some(found) = self.of_field(owner, name)
            {
                return Some(found);
            }
        }
        if let Some((of_file, fields)) = flow::object_fields(self.cx, file, of, 0) {
            let (_, value) = fields.into_iter().find(|(field, _)| *field == name)?;
            return self.of_expression(of_file, value);
        }
        // A variable of an imported module.
        let path = flow::path_of(code, of)?;
        let [module] = path.as_slice() else { return None };
        let (import_idx, _) = service_name::import_of(program, file, module)?;
        let name = program.name_named(name)?;
        let files = self.cx.import_targets(file, import_idx).into_iter().filter_map(|target| match target {
            Node::File(file) => Some(file),
            Node::Symbol(_) => None,
        });
        let symbols: Vec<SymbolIdx> = files.take(50).flat_map(|target| program.top(target, name).to_vec()).collect();
        symbols.into_iter().find_map(|symbol| self.of_definition(symbol))
    }

    /// Returns the client in a field of a type or of one of its bases.
    fn of_field(&mut self, owner: SymbolIdx, name: &str) -> Option<RpcClient> {
        let program = self.cx.program;
        for owner in self.cx.type_and_bases(owner) {
            let file = program.file_of(owner);
            self.cx.consult(file);
            let known = program.name_named(name);
            let members = known.map_or(&[][..], |known| program.members(owner, known));
            if let Some(found) = members.iter().find_map(|member| self.of_definition(*member)) {
                return Some(found);
            }
            let code = program.code(file);
            let id = program.definition_id(owner);
            for fact in code.fields.iter().filter(|fact| fact.owner == id && code.name(fact.name) == name) {
                let declared = fact.declared.and_then(|declared| self.of_type(file, declared));
                let found = better(declared, || self.of_expression(file, fact.value?));
                if found.is_some() {
                    return found;
                }
            }
        }
        None
    }

    /// Returns the client that a variable or field holds, or that a property returns.
    fn of_definition(&mut self, symbol: SymbolIdx) -> Option<RpcClient> {
        let program = self.cx.program;
        let file = program.file_of(symbol);
        let is_type =
            program.definition(symbol).kind.is_type() && program.definition(symbol).kind != SymbolKind::TypeAlias;
        if is_type || generated::is_generated(program, file) {
            return None;
        }
        self.cx.consult(file);
        let shape = program.shape(symbol);
        let declared = shape.declared.and_then(|declared| self.of_type(file, declared));
        better(declared, || shape.values.iter().find_map(|value| self.of_expression(file, *value)))
    }

    /// Returns the client that a type is, or that its arguments or members are.
    fn of_type(&mut self, file: FileIdx, written: TypeId) -> Option<RpcClient> {
        if self.depth >= MAX_STEPS {
            return None;
        }
        self.depth += 1;
        let found = self.of_written_type(file, written);
        self.depth -= 1;
        found
    }

    fn of_written_type(&mut self, file: FileIdx, written: TypeId) -> Option<RpcClient> {
        let program = self.cx.program;
        let code = program.code(file);
        let expression = code.written(written);
        if let TypeExpression::Of(of) = expression {
            return self.of_constructor(file, *of, &[]);
        }
        if !matches!(expression, TypeExpression::Named { .. }) {
            return expression.parts().into_iter().find_map(|part| self.of_type(file, part));
        }
        let path = flow::type_path(code, written)?;
        let resolved = match self.cx.written_type(file, written) {
            Ty::Object(applied) | Ty::Class(applied) => Some(applied.of),
            _ => None,
        };
        if let Some((found, path)) = self.client_names(file, &path)
            && let Some(service) = service_name::of_match(self.cx, file, &path, &found, resolved)
        {
            return Some(RpcClient::generated(service));
        }
        expression.parts().into_iter().find_map(|part| self.of_type(file, part))
    }
}

/// Returns the client of a declared type, or that of the value if the type alone is no evidence.
fn better(declared: Option<RpcClient>, of_value: impl FnOnce() -> Option<RpcClient>) -> Option<RpcClient> {
    match declared {
        Some(declared) if declared.has_evidence() => Some(declared),
        declared => of_value().filter(|of_value| declared.is_none() || of_value.has_evidence()).or(declared),
    }
}

fn upper_first(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
