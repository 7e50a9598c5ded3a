//! The names and the values of expressions, in their own notation.

use graph::{FileIdx, Inference, Node, Program, SymbolIdx};
use model::code::{Binding, Code, Expression, ExpressionId, Literal, ScopeId, TypeExpression, TypeId};

/// Maximum number of names of a path.
const MAX_NAMES: usize = 12;

/// Returns the names of an expression such as `a.b.C`; `None` if it has another form.
pub(super) fn path_of(code: &Code, expression: ExpressionId) -> Option<Vec<&str>> {
    let mut names = Vec::new();
    let mut at = expression;
    while names.len() < MAX_NAMES {
        match code.expression(at) {
            Expression::Member { of, name } | Expression::Path { of, name } => {
                names.push(code.name(*name));
                at = *of;
            }
            Expression::Name { name, .. } => {
                names.push(code.name(*name));
                names.reverse();
                return Some(names);
            }
            Expression::Type(written) => {
                let mut path = type_path(code, *written)?;
                names.reverse();
                path.extend(names);
                return Some(path);
            }
            // `this.packages.shop` is named by its members.
            Expression::This { .. } if !names.is_empty() => {
                names.reverse();
                return Some(names);
            }
            _ => return None,
        }
    }
    None
}

/// Returns the names of a type as written.
pub(super) fn type_path(code: &Code, written: TypeId) -> Option<Vec<&str>> {
    match code.written(written) {
        TypeExpression::Named { path, .. } => Some(path.iter().map(|name| code.name(*name)).collect()),
        TypeExpression::Of(expression) => path_of(code, *expression),
        TypeExpression::Pointer(of) => type_path(code, *of),
        _ => None,
    }
}

/// Returns the last name of an expression and the object before it.
pub(super) fn member_of(code: &Code, expression: ExpressionId) -> Option<(ExpressionId, &str)> {
    match code.expression(expression) {
        Expression::Member { of, name } | Expression::Path { of, name } => Some((*of, code.name(*name))),
        _ => None,
    }
}

/// Returns the value of a string literal.
pub(super) fn text<'p>(program: &Program<'p>, file: FileIdx, expression: ExpressionId) -> Option<&'p str> {
    let code = program.code(file);
    match code.expression(expression) {
        Expression::Literal(Literal::Text(Some(text))) => Some(code.name(*text)),
        _ => None,
    }
}

/// Returns the binding of a name at a place, or else the one that the file's own scope has later, as functions see it.
pub(super) fn binding_of<'p>(cx: &Inference<'p>, file: FileIdx, expression: ExpressionId) -> Option<&'p Binding> {
    let code = cx.program.code(file);
    let Expression::Name { name, scope, n_before } = code.expression(expression) else { return None };
    let before = cx.binding_before(file, cx.program.name(file, *name), *scope, *n_before);
    if let Some(binding) = before {
        return code.bindings.get(binding as usize);
    }
    let is_of_file =
        |binding: &&Binding| binding.name == *name && binding.scope == ScopeId(0) && binding.value.is_some();
    code.bindings.iter().find(is_of_file)
}

/// Returns the top-level definitions that a bare name means: of the file, of its package, or imported ones.
pub(super) fn definitions_named(cx: &mut Inference<'_>, file: FileIdx, name: &str) -> Vec<SymbolIdx> {
    let program = cx.program;
    let Some(known) = program.name_named(name) else { return Vec::new() };
    let own = program.top(file, known);
    if !own.is_empty() {
        return own.to_vec();
    }
    if let Some((import_idx, _)) = super::service_name::import_of(program, file, name) {
        let targets = cx.import_targets(file, import_idx);
        let symbols = targets.into_iter().filter_map(|target| match target {
            Node::Symbol(symbol) => Some(symbol),
            Node::File(_) => None,
        });
        return symbols.take(4).collect();
    }
    if program.language(file) != model::Language::Go {
        return Vec::new();
    }
    let of_package = program.named(known).iter().copied().filter(|symbol| {
        let other = program.file_of(*symbol);
        program.parent(*symbol).is_none() && folder(program.path(other)) == folder(program.path(file))
    });
    of_package.take(4).collect()
}

/// Returns the fields of the object literal behind an expression, with its file.
pub(super) fn object_fields<'p>(
    cx: &mut Inference<'p>,
    file: FileIdx,
    expression: ExpressionId,
    depth: u32,
) -> Option<(FileIdx, Vec<(&'p str, ExpressionId)>)> {
    if depth > 6 {
        return None;
    }
    let program = cx.program;
    let code = program.code(file);
    match code.expression(expression) {
        Expression::Object(fields) => {
            Some((file, fields.iter().map(|(name, value)| (code.name(*name), *value)).collect()))
        }
        Expression::Cast { of, .. } | Expression::Awaited { of } | Expression::Dereferenced { of } => {
            object_fields(cx, file, *of, depth + 1)
        }
        Expression::Name { name, .. } => {
            if let Some(binding) = binding_of(cx, file, expression) {
                return object_fields(cx, file, binding.value?, depth + 1);
            }
            let (of, value) = definitions_named(cx, file, code.name(*name))
                .into_iter()
                .find_map(|symbol| Some((program.file_of(symbol), *program.shape(symbol).values.first()?)))?;
            cx.consult(of);
            object_fields(cx, of, value, depth + 1)
        }
        Expression::Member { of, name } => {
            let (of, fields) = match field_of_object(cx, file, *of, code.name(*name)) {
                Some((of, value)) => return object_fields(cx, of, value, depth + 1),
                None => object_fields(cx, file, *of, depth + 1)?,
            };
            let (_, value) = fields.into_iter().find(|(field, _)| *field == code.name(*name))?;
            object_fields(cx, of, value, depth + 1)
        }
        _ => None,
    }
}

/// Returns the value that code assigns to a field of the object of an expression (`this.x = value`).
fn field_of_object(
    cx: &mut Inference<'_>,
    file: FileIdx,
    object: ExpressionId,
    field: &str,
) -> Option<(FileIdx, ExpressionId)> {
    let program = cx.program;
    let owner = cx.type_of(file, object).definition()?;
    let of = program.file_of(owner);
    let code = program.code(of);
    let owner = program.definition_id(owner);
    let fact = code.fields.iter().find(|fact| fact.owner == owner && code.name(fact.name) == field)?;
    cx.consult(of);
    Some((of, fact.value?))
}

/// Returns the folder of a path.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
