//! Quoted types: forward references, and names imported only for annotations.

use model::code::{Literal, NameId, ScopeId, TypeExpression, TypeId};

use super::{PythonLowering, UNKNOWN_TYPE, types::TypeArgument};

/// Maximum nesting depth of brackets in a quoted type.
const MAX_BRACKETS: u32 = 20;

impl PythonLowering<'_, '_> {
    /// Lowers the type in a string. Returns the unknown type if the text is not a type.
    pub(super) fn lower_quoted_type(&mut self, text: &str, scope: ScopeId) -> TypeId {
        self.lower_quoted_type_at(text, 0, scope)
    }

    fn lower_quoted_type_at(&mut self, text: &str, depth: u32, scope: ScopeId) -> TypeId {
        let mut reader = QuotedTypeReader { rest: text.trim_start(), depth };
        let written = self.parse_union(&mut reader, scope);
        if reader.rest.is_empty() { written } else { UNKNOWN_TYPE }
    }

    fn parse_union(&mut self, reader: &mut QuotedTypeReader<'_>, scope: ScopeId) -> TypeId {
        let mut types = vec![self.parse_type(reader, scope)];
        while reader.consume('|') {
            types.push(self.parse_type(reader, scope));
        }
        match types.as_slice() {
            [single] => *single,
            _ => self.out.add_type(TypeExpression::Union(types.into())),
        }
    }

    fn parse_type(&mut self, reader: &mut QuotedTypeReader<'_>, scope: ScopeId) -> TypeId {
        if let Some(text) = reader.consume_quoted() {
            return if reader.depth < MAX_BRACKETS {
                reader.depth += 1;
                self.lower_quoted_type_at(text, reader.depth, scope)
            } else {
                UNKNOWN_TYPE
            };
        }
        let mut path: Vec<NameId> = Vec::new();
        while let Some(name) = reader.consume_name() {
            path.push(self.out.intern(name));
            if !reader.consume('.') {
                break;
            }
        }
        if let [single] = path[..]
            && self.out.code.name(single) == "None"
        {
            return self.out.add_type(TypeExpression::Literal(Literal::Null));
        }
        let mut arguments = Vec::new();
        if reader.open_bracket() {
            arguments = self.parse_arguments(reader, scope);
        }
        self.lower_named_type(path, arguments, scope)
    }

    fn parse_arguments(&mut self, reader: &mut QuotedTypeReader<'_>, scope: ScopeId) -> Vec<TypeArgument> {
        let mut arguments = Vec::new();
        while !reader.rest.is_empty() && !reader.close_bracket() {
            if reader.consume_ellipsis() {
                arguments.push(TypeArgument::Rest);
            } else if reader.open_bracket() {
                let inner = self.parse_arguments(reader, scope);
                let types = inner.into_iter().map(|one| match one {
                    TypeArgument::One(one) => one,
                    _ => UNKNOWN_TYPE,
                });
                arguments.push(TypeArgument::Many(types.collect()));
            } else {
                let before = reader.rest.len();
                arguments.push(TypeArgument::One(self.parse_union(reader, scope)));
                if reader.rest.len() == before {
                    reader.rest = "";
                }
            }
            reader.consume(',');
        }
        arguments
    }
}

/// The unread rest of a quoted type.
struct QuotedTypeReader<'a> {
    rest: &'a str,
    depth: u32,
}

impl<'a> QuotedTypeReader<'a> {
    fn consume(&mut self, expected: char) -> bool {
        let Some(rest) = self.rest.strip_prefix(expected) else { return false };
        self.rest = rest.trim_start();
        true
    }

    fn consume_ellipsis(&mut self) -> bool {
        let Some(rest) = self.rest.strip_prefix("...") else { return false };
        self.rest = rest.trim_start();
        true
    }

    fn open_bracket(&mut self) -> bool {
        if self.depth >= MAX_BRACKETS || !self.consume('[') {
            return false;
        }
        self.depth += 1;
        true
    }

    fn close_bracket(&mut self) -> bool {
        let closed = self.consume(']');
        self.depth -= u32::from(closed && self.depth > 0);
        closed
    }

    fn consume_name(&mut self) -> Option<&'a str> {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        self.rest = rest.trim_start();
        Some(name)
    }

    fn consume_quoted(&mut self) -> Option<&'a str> {
        let quote = self.rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let (text, rest) = self.rest[1..].split_once(quote)?;
        self.rest = rest.trim_start();
        Some(text)
    }
}
