//! Facts with their numbers as distances: what refers to something close by says so in the same small number wherever it
//! stands in the file, which packs into far less than its place does.
//!
//! Numbers are followed in one order, there and back: on the way out each is replaced by its distance from the last of its
//! kind, on the way back by the sum. Whatever the numbers are, they come back as they were.

use model::{
    ByteSpan, Code, Definition, FileFacts, LineSpan, Reference,
    code::{Binding, Expression, ExpressionId, Literal, NameId, Parameter, ScopeId, Site, TypeExpression, TypeId},
};

/// Replaces numbers by distances.
pub(super) fn to_distances(facts: &mut FileFacts) {
    Walk { last: [0; N_KINDS], is_back: false }.facts(facts);
}

/// Replaces distances by the numbers that they were made from.
pub(super) fn from_distances(facts: &mut FileFacts) {
    Walk { last: [0; N_KINDS], is_back: true }.facts(facts);
}

/// What is numbered for itself.
#[derive(Clone, Copy)]
enum Kind {
    Name,
    Scope,
    Expression,
    Type,
    Definition,
    Bound,
    Line,
    Byte,
}

const N_KINDS: usize = Kind::Byte as usize + 1;

struct Walk {
    /// By kind.
    last: [u32; N_KINDS],
    is_back: bool,
}

impl Walk {
    fn facts(&mut self, facts: &mut FileFacts) {
        let FileFacts { definitions, references, imports, chunks, code, .. } = facts;
        definitions.iter_mut().for_each(|definition| self.definition(definition));
        self.begin(Kind::Line);
        self.begin(Kind::Definition);
        references.iter_mut().for_each(|reference| self.reference(reference));
        self.begin(Kind::Line);
        imports.iter_mut().for_each(|import| self.number(Kind::Line, &mut import.line));
        self.begin(Kind::Line);
        self.begin(Kind::Byte);
        for chunk in chunks {
            self.lines(&mut chunk.lines);
            self.bytes(&mut chunk.bytes);
        }
        self.code(code);
    }

    fn definition(&mut self, definition: &mut Definition) {
        // The line of the name lies within the lines, and the next definition most often behind them.
        self.number(Kind::Line, &mut definition.name_line);
        self.lines(&mut definition.lines);
        self.bytes(&mut definition.bytes);
        definition.parent.iter_mut().for_each(|parent| self.number(Kind::Definition, parent));
    }

    fn reference(&mut self, reference: &mut Reference) {
        self.number(Kind::Line, &mut reference.line);
        reference.enclosing.iter_mut().for_each(|enclosing| self.number(Kind::Definition, enclosing));
    }

    fn code(&mut self, code: &mut Code) {
        self.begin(Kind::Definition);
        for (idx, scope) in (0..).zip(&mut code.scopes) {
            self.last[Kind::Scope as usize] = idx;
            scope.parent.iter_mut().for_each(|parent| self.scope(parent));
            scope.definition.iter_mut().for_each(|definition| self.number(Kind::Definition, &mut definition.0));
        }
        self.begin(Kind::Scope);
        for (idx, expression) in (0..).zip(&mut code.expressions) {
            self.last[Kind::Expression as usize] = idx;
            self.in_expression(expression);
        }
        self.begin(Kind::Scope);
        for (idx, written) in (0..).zip(&mut code.types) {
            self.last[Kind::Type as usize] = idx;
            self.in_type(written);
        }
        self.begin(Kind::Scope);
        self.begin(Kind::Type);
        self.begin(Kind::Expression);
        code.bindings.iter_mut().for_each(|binding| self.binding(binding));
        self.begin(Kind::Line);
        self.begin(Kind::Scope);
        self.begin(Kind::Expression);
        code.sites.iter_mut().for_each(|site| self.site(site));
    }

    fn binding(&mut self, binding: &mut Binding) {
        self.name(&mut binding.name);
        self.scope(&mut binding.scope);
        binding.declared.iter_mut().for_each(|declared| self.written(declared));
        binding.value.iter_mut().for_each(|value| self.expression(value));
    }

    fn site(&mut self, site: &mut Site) {
        self.expression(&mut site.expression);
        self.scope(&mut site.scope);
        self.number(Kind::Line, &mut site.line);
    }

    fn in_expression(&mut self, expression: &mut Expression) {
        match expression {
            Expression::Opaque | Expression::Definition(_) => {}
            Expression::Literal(literal) => self.literal(literal),
            Expression::Name { name, scope, n_before } => {
                self.name(name);
                self.scope(scope);
                self.number(Kind::Bound, n_before);
            }
            Expression::This { scope } | Expression::Super { scope } => self.scope(scope),
            Expression::Member { of, name } | Expression::Path { of, name } => {
                self.expression(of);
                self.name(name);
            }
            Expression::Call { callee, type_arguments, arguments } => {
                self.expression(callee);
                type_arguments.iter_mut().for_each(|argument| self.written(argument));
                self.expressions(arguments);
            }
            Expression::Make { made, arguments } => {
                self.written(made);
                self.expressions(arguments);
            }
            Expression::Element { of, index } => {
                self.expression(of);
                index.iter_mut().for_each(|index| self.expression(index));
            }
            Expression::Item { of }
            | Expression::Part { of, .. }
            | Expression::Awaited { of }
            | Expression::Tried { of }
            | Expression::Dereferenced { of } => self.expression(of),
            Expression::Matched { of, variant, .. } => {
                self.expression(of);
                self.expression(variant);
            }
            Expression::Cast { of, to } => {
                self.expression(of);
                self.written(to);
            }
            Expression::Either(values) | Expression::Tuple(values) | Expression::List(values) => {
                self.expressions(values);
            }
            Expression::Object(fields) => {
                for (name, value) in fields {
                    self.name(name);
                    self.expression(value);
                }
            }
            Expression::Function { scope, parameters, results, declared } => {
                self.scope(scope);
                parameters.iter_mut().for_each(|parameter| self.parameter(parameter));
                self.expressions(results);
                declared.iter_mut().for_each(|declared| self.written(declared));
            }
            Expression::Type(written) => self.written(written),
            Expression::Operation { operator, left, right } => {
                self.name(operator);
                self.expression(left);
                right.iter_mut().for_each(|right| self.expression(right));
            }
            Expression::Import { module, name } => {
                self.name(module);
                name.iter_mut().for_each(|name| self.name(name));
            }
        }
    }

    fn in_type(&mut self, written: &mut TypeExpression) {
        match written {
            TypeExpression::Unknown => {}
            TypeExpression::Named { path, arguments, scope } => {
                path.iter_mut().for_each(|name| self.name(name));
                arguments.iter_mut().for_each(|argument| self.written(argument));
                self.scope(scope);
            }
            TypeExpression::Union(types) | TypeExpression::Intersection(types) | TypeExpression::Tuple(types) => {
                types.iter_mut().for_each(|part| self.written(part));
            }
            TypeExpression::List(of) | TypeExpression::Pointer(of) => self.written(of),
            TypeExpression::Map { key, value } => {
                self.written(key);
                self.written(value);
            }
            TypeExpression::Function { parameters, result } => {
                parameters.iter_mut().for_each(|parameter| self.written(parameter));
                result.iter_mut().for_each(|result| self.written(result));
            }
            TypeExpression::Object(fields) => {
                for (name, of) in fields {
                    self.name(name);
                    self.written(of);
                }
            }
            TypeExpression::Of(expression) => self.expression(expression),
            TypeExpression::This { scope } => self.scope(scope),
            TypeExpression::Literal(literal) => self.literal(literal),
            TypeExpression::Member { of, name } => {
                self.written(of);
                self.name(name);
            }
        }
    }

    fn parameter(&mut self, parameter: &mut Parameter) {
        self.name(&mut parameter.name);
        parameter.declared.iter_mut().for_each(|declared| self.written(declared));
    }

    fn literal(&mut self, literal: &mut Literal) {
        if let Literal::Text(Some(name)) = literal {
            self.name(name);
        }
    }

    fn lines(&mut self, lines: &mut LineSpan) {
        self.number(Kind::Line, &mut lines.start);
        self.number(Kind::Line, &mut lines.end);
    }

    fn bytes(&mut self, bytes: &mut ByteSpan) {
        self.number(Kind::Byte, &mut bytes.start);
        self.number(Kind::Byte, &mut bytes.end);
    }

    fn expressions(&mut self, expressions: &mut [ExpressionId]) {
        expressions.iter_mut().for_each(|expression| self.expression(expression));
    }

    fn expression(&mut self, ExpressionId(number): &mut ExpressionId) {
        self.number(Kind::Expression, number);
    }

    fn written(&mut self, TypeId(number): &mut TypeId) {
        self.number(Kind::Type, number);
    }

    fn scope(&mut self, ScopeId(number): &mut ScopeId) {
        self.number(Kind::Scope, number);
    }

    /// Names are numbered as they first come: the distance is from the latest of them.
    fn name(&mut self, NameId(number): &mut NameId) {
        let latest = self.last[Kind::Name as usize];
        self.number(Kind::Name, number);
        let last = &mut self.last[Kind::Name as usize];
        *last = latest.max(*last);
    }

    fn begin(&mut self, kind: Kind) {
        self.last[kind as usize] = 0;
    }

    fn number(&mut self, kind: Kind, number: &mut u32) {
        let last = &mut self.last[kind as usize];
        if self.is_back {
            *number = last.wrapping_add(unfolded(*number));
            *last = *number;
        } else {
            let there = std::mem::replace(last, *number);
            *number = folded(number.wrapping_sub(there));
        }
    }
}

/// Makes a small number of a small distance, whichever way it goes.
fn folded(distance: u32) -> u32 {
    (distance << 1) ^ ((distance as i32 >> 31) as u32)
}

fn unfolded(number: u32) -> u32 {
    (number >> 1) ^ (number & 1).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use model::Language;

    use super::*;

    #[test]
    fn numbers_come_back() {
        for number in [0, 1, 2, 7, u32::MAX, u32::MAX / 2, u32::MAX / 2 + 1] {
            assert_eq!(unfolded(folded(number)), number);
        }
        for (language, text) in [
            (
                Language::Python,
                "class A(B):\n  def f(self, x: int):\n    y = [g(z)[0] for z in x.a if z]\n    return {**y}\n",
            ),
            (
                Language::Rust,
                "impl<T: C> A for B<T> { fn f(&self) -> Option<T> { match self.x? { Some(y) => y.g::<T>(|z| z), _ => (1, [2]) } } }\n",
            ),
            (
                Language::TypeScript,
                "export const a = async (b: C | 'd', { e }: { e: F[] }) => await new G(b).h?.(e as any)\n",
            ),
            (
                Language::Go,
                "package a\nfunc (b *B) c(d map[string][]D) (e, error) { for _, f := range d { f.g(func() {}) }; return }\n",
            ),
            (Language::Java, "class A<T> extends B { C c = new C() { int d() { return super.e()[1]; } }; }\n"),
            (Language::Cpp, "namespace a { template <class T> auto b(T& c) -> decltype(c.d()) { return *c + 1; } }\n"),
            (Language::Text, "one\n\ntwo\n"),
        ] {
            let facts = syntax::extract(language, text.repeat(3).as_bytes());
            let mut walked = facts.clone();
            to_distances(&mut walked);
            assert!(language == Language::Text || walked != facts);
            from_distances(&mut walked);
            assert_eq!(walked, facts, "{language:?}");
        }
    }
}
