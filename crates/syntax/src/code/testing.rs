//! Readable text form of the code of a snippet, for tests.

use model::code::{
    Base, BaseKind, Binding, Code, Expression, ExpressionId, Literal, NameId, Parameter, TypeExpression, TypeId,
};
use model::{Definition, Language};

/// Returns the lines of [`print_code`], after the value of each assignment to a member or an element.
///
/// Languages with a table lower such an assignment as an operation that nothing else refers to.
pub(crate) fn print_tabled_code(language: Language, source: &str) -> Vec<String> {
    let facts = crate::extract(language, source.as_bytes());
    let printer = CodePrinter { code: &facts.code, definitions: &facts.definitions };
    let assigns = |at: &u32| match facts.code.expression(ExpressionId(*at)) {
        Expression::Operation { operator, .. } => facts.code.name(*operator) == "=",
        _ => false,
    };
    let assigned = (0..facts.code.expressions.len() as u32).filter(assigns);
    let assigned: Vec<String> = assigned.map(|at| printer.expression_text(ExpressionId(at))).collect();
    assigned.into_iter().chain(print_code(language, source)).collect()
}

/// Returns one line per definition, extension, field and decoration, then per binding, then per call, in text order.
pub(crate) fn print_code(language: Language, source: &str) -> Vec<String> {
    let facts = crate::extract(language, source.as_bytes());
    let code = &facts.code;
    let printer = CodePrinter { code, definitions: &facts.definitions };
    let definitions = (0..facts.definitions.len()).map(|at| printer.definition_text(at));
    let bindings = code.bindings.iter().map(|binding| printer.binding_text(binding));
    let sites = code.sites.iter().map(|site| {
        let enclosing = code.definition_around(site.scope).map_or("-", |of| printer.definition_name(of.index()));
        format!("{} in {enclosing}: {}", site.line, printer.expression_text(site.expression))
    });
    let fields = code.fields.iter().map(|field| {
        let owner = printer.definition_name(field.owner.index());
        format!("field {owner}.{}{}", code.name(field.name), printer.annotation_text(field.declared, field.value))
    });
    let extensions = code.extensions.iter().map(|extension| {
        let members: Vec<&str> =
            extension.members.iter().map(|member| printer.definition_name(member.index())).collect();
        let implements = extension.implements.map(|of| printer.type_text(of) + " for ").unwrap_or_default();
        format!("extend {implements}{} with {}", printer.type_text(extension.of), members.join(", "))
    });
    let decorations = code.decorations.iter().map(|decoration| {
        let of = printer.definition_name(decoration.definition.index());
        format!("@{} {of}", printer.expression_text(decoration.expression))
    });
    definitions.chain(extensions).chain(fields).chain(decorations).chain(bindings).chain(sites).collect()
}

struct CodePrinter<'c> {
    code: &'c Code,
    definitions: &'c [Definition],
}

impl<'c> CodePrinter<'c> {
    fn definition_name(&self, at: usize) -> &'c str {
        self.definitions.get(at).map_or("?", |definition| definition.name.as_str())
    }

    /// `def (receiver) name[type parameters](parameters): declared = values < bases`.
    fn definition_text(&self, at: usize) -> String {
        let shape = &self.code.shapes[at];
        let receiver = shape.receiver.map(|of| format!("({}) ", self.type_text(of))).unwrap_or_default();
        let type_parameters: Vec<String> = shape
            .type_parameters
            .iter()
            .map(|one| {
                let bounds: Vec<String> = one.bounds.iter().map(|bound| self.type_text(*bound)).collect();
                let bounds = if bounds.is_empty() { String::new() } else { format!(": {}", bounds.join(" + ")) };
                format!("{}{bounds}", self.code.name(one.name))
            })
            .collect();
        let type_parameters = bracketed("[", &type_parameters, "]");
        let parameters: Vec<String> = shape.parameters.iter().map(|one| self.parameter_text(one)).collect();
        let parameters = if shape.body.is_some() || !parameters.is_empty() {
            format!("({})", parameters.join(", "))
        } else {
            String::new()
        };
        let declared = shape.declared.map(|of| format!(": {}", self.type_text(of))).unwrap_or_default();
        let values = bracketed(" = ", &self.expression_texts(&shape.values), "");
        let bases: Vec<String> = shape.bases.iter().map(|base| self.base_text(base)).collect();
        let bases = bracketed(" < ", &bases, "");
        format!("def {receiver}{}{type_parameters}{parameters}{declared}{values}{bases}", self.definition_name(at))
    }

    fn base_text(&self, base: &Base) -> String {
        let kind = match base.kind {
            BaseKind::Extend => "",
            BaseKind::Implement => "implements ",
            BaseKind::Embed => "embeds ",
        };
        format!("{kind}{}", self.type_text(base.base))
    }

    fn parameter_text(&self, parameter: &Parameter) -> String {
        let many = if parameter.is_variadic { "…" } else { "" };
        let optional = if parameter.is_optional { "?" } else { "" };
        format!("{many}{}{optional}{}", self.code.name(parameter.name), self.annotation_text(parameter.declared, None))
    }

    fn binding_text(&self, binding: &Binding) -> String {
        format!("{}{}", self.code.name(binding.name), self.annotation_text(binding.declared, binding.value))
    }

    fn annotation_text(&self, declared: Option<TypeId>, value: Option<ExpressionId>) -> String {
        let declared = declared.map(|of| format!(": {}", self.type_text(of))).unwrap_or_default();
        let value = value.map(|value| format!(" = {}", self.expression_text(value))).unwrap_or_default();
        declared + &value
    }

    fn expression_text(&self, expression: ExpressionId) -> String {
        let name = |name: &NameId| self.code.name(*name).to_owned();
        let one = |of: &ExpressionId| self.expression_text(*of);
        match self.code.expression(expression) {
            Expression::Opaque => "_".into(),
            Expression::Literal(literal) => {
                self.literal_text(literal) + &bracketed("{", &self.expression_texts(self.code.holes(expression)), "}")
            }
            Expression::Name { name: of, .. } => name(of),
            Expression::This { .. } => "this".into(),
            Expression::Super { .. } => "super".into(),
            Expression::Member { of, name: member } => format!("{}.{}", one(of), name(member)),
            Expression::Path { of, name: member } => format!("{}::{}", one(of), name(member)),
            Expression::Call { callee, type_arguments, arguments } => {
                let types: Vec<String> = type_arguments.iter().map(|of| self.type_text(*of)).collect();
                format!(
                    "{}{}({})",
                    one(callee),
                    bracketed("<", &types, ">"),
                    self.expression_texts(arguments).join(", ")
                )
            }
            Expression::Make { made, arguments } => {
                format!("new {}({})", self.type_text(*made), self.expression_texts(arguments).join(", "))
            }
            Expression::Element { of, index } => format!("{}[{}]", one(of), index.as_ref().map_or(String::new(), one)),
            Expression::Item { of } => format!("item({})", one(of)),
            Expression::Part { of, index } => format!("{}#{index}", one(of)),
            Expression::Matched { of, variant, index } => format!("{} matched {}#{index}", one(of), one(variant)),
            Expression::Awaited { of } => format!("await {}", one(of)),
            Expression::Tried { of } => format!("{}?", one(of)),
            Expression::Dereferenced { of } => format!("*{}", one(of)),
            Expression::Cast { of, to } => format!("({} as {})", one(of), self.type_text(*to)),
            Expression::Either(choices) => format!("({})", self.expression_texts(choices).join(" | ")),
            Expression::Tuple(parts) => format!("({})", self.expression_texts(parts).join(", ")),
            Expression::List(items) => format!("[{}]", self.expression_texts(items).join(", ")),
            Expression::Object(members) => {
                let members: Vec<String> =
                    members.iter().map(|(of, value)| format!("{}: {}", name(of), one(value))).collect();
                format!("{{{}}}", members.join(", "))
            }
            Expression::Function { parameters, results, declared, .. } => {
                let parameters: Vec<String> = parameters.iter().map(|one| self.parameter_text(one)).collect();
                let declared = declared.map(|of| format!(": {}", self.type_text(of))).unwrap_or_default();
                format!("fn({}){declared} => {}", parameters.join(", "), self.expression_texts(results).join(" | "))
            }
            Expression::Definition(definition) => format!("def {}", self.definition_name(definition.index())),
            Expression::Type(of) => format!("type {}", self.type_text(*of)),
            Expression::Import { module, name: of } => {
                format!("import {}{}", name(module), of.as_ref().map_or(String::new(), |of| format!(" {}", name(of))))
            }
            Expression::Operation { operator, left, right } => {
                format!("{} {} {}", one(left), name(operator), right.as_ref().map_or(String::new(), one))
            }
        }
    }

    fn expression_texts(&self, expressions: &[ExpressionId]) -> Vec<String> {
        expressions.iter().map(|expression| self.expression_text(*expression)).collect()
    }

    fn literal_text(&self, literal: &Literal) -> String {
        match literal {
            Literal::Text(Some(text)) => format!("{:?}", self.code.name(*text)),
            Literal::Text(None) => "text".into(),
            other => format!("{other:?}").to_lowercase(),
        }
    }

    fn type_text(&self, written: TypeId) -> String {
        let name = |name: &NameId| self.code.name(*name);
        let all = |types: &[TypeId]| types.iter().map(|of| self.type_text(*of)).collect::<Vec<String>>();
        match self.code.written(written) {
            TypeExpression::Unknown => "_".into(),
            TypeExpression::Named { path, arguments, .. } => {
                let path: Vec<&str> = path.iter().map(name).collect();
                format!("{}{}", path.join("."), bracketed("<", &all(arguments), ">"))
            }
            TypeExpression::Union(types) => format!("({})", all(types).join(" | ")),
            TypeExpression::Intersection(types) => format!("({})", all(types).join(" & ")),
            TypeExpression::Tuple(types) => format!("({})", all(types).join(", ")),
            TypeExpression::List(of) => format!("[{}]", self.type_text(*of)),
            TypeExpression::Map { key, value } => format!("{{{}: {}}}", self.type_text(*key), self.type_text(*value)),
            TypeExpression::Function { parameters, result } => {
                let result = result.map(|of| format!(": {}", self.type_text(of))).unwrap_or_default();
                format!("fn({}){result}", all(parameters).join(", "))
            }
            TypeExpression::Object(members) => {
                let members: Vec<String> =
                    members.iter().map(|(of, ty)| format!("{}: {}", name(of), self.type_text(*ty))).collect();
                format!("{{{}}}", members.join(", "))
            }
            TypeExpression::Pointer(of) => format!("*{}", self.type_text(*of)),
            TypeExpression::Of(of) => format!("typeof {}", self.expression_text(*of)),
            TypeExpression::This { .. } => "This".into(),
            TypeExpression::Literal(literal) => self.literal_text(literal),
            TypeExpression::Member { of, name: member } => format!("{}::{}", self.type_text(*of), name(member)),
        }
    }
}

fn bracketed(before: &str, parts: &[String], after: &str) -> String {
    if parts.is_empty() { String::new() } else { format!("{before}{}{after}", parts.join(", ")) }
}
