//! Types in quotes: names that are defined further down, or imported for annotations alone.

use model::code::{Literal, NameId, ScopeId, TypeExpression, TypeId};

use super::{Walk, types::Argument};

/// How deep brackets lie in each other in a quoted type.
const MAX_BRACKETS: u32 = 20;

impl Walk<'_, '_> {
    /// Writes the type that a text in quotes names; unknown where the text is no type.
    pub(super) fn quoted(&mut self, text: &str, scope: ScopeId) -> TypeId {
        let mut reader = Reader { rest: text.trim_start(), depth: 0 };
        let written = self.read_union(&mut reader, scope);
        if reader.rest.is_empty() { written } else { TypeId(0) }
    }

    fn read_union(&mut self, reader: &mut Reader<'_>, scope: ScopeId) -> TypeId {
        let mut types = vec![self.read_one(reader, scope)];
        while reader.takes('|') {
            types.push(self.read_one(reader, scope));
        }
        match types.as_slice() {
            [single] => *single,
            _ => self.out.written(TypeExpression::Union(types.into())),
        }
    }

    fn read_one(&mut self, reader: &mut Reader<'_>, scope: ScopeId) -> TypeId {
        if let Some(text) = reader.quoted() {
            return if reader.depth < MAX_BRACKETS {
                reader.depth += 1;
                self.quoted_within(text, reader.depth, scope)
            } else {
                TypeId(0)
            };
        }
        let mut path: Vec<NameId> = Vec::new();
        while let Some(name) = reader.name() {
            path.push(self.out.name(name));
            if !reader.takes('.') {
                break;
            }
        }
        if let [single] = path[..]
            && self.out.code.name(single) == "None"
        {
            return self.out.written(TypeExpression::Literal(Literal::Null));
        }
        let mut arguments = Vec::new();
        if reader.opens() {
            arguments = self.read_arguments(reader, scope);
        }
        self.named_type(path, arguments, scope)
    }

    fn quoted_within(&mut self, text: &str, depth: u32, scope: ScopeId) -> TypeId {
        let mut reader = Reader { rest: text.trim_start(), depth };
        let written = self.read_union(&mut reader, scope);
        if reader.rest.is_empty() { written } else { TypeId(0) }
    }

    fn read_arguments(&mut self, reader: &mut Reader<'_>, scope: ScopeId) -> Vec<Argument> {
        let mut arguments = Vec::new();
        while !reader.rest.is_empty() && !reader.closes() {
            if reader.takes_rest() {
                arguments.push(Argument::Rest);
            } else if reader.opens() {
                let inner = self.read_arguments(reader, scope);
                let types = inner.into_iter().map(|one| match one {
                    Argument::One(one) => one,
                    _ => TypeId(0),
                });
                arguments.push(Argument::Many(types.collect()));
            } else {
                let before = reader.rest.len();
                arguments.push(Argument::One(self.read_union(reader, scope)));
                if reader.rest.len() == before {
                    reader.rest = "";
                }
            }
            reader.takes(',');
        }
        arguments
    }
}

/// What is left of a text.
struct Reader<'a> {
    rest: &'a str,
    depth: u32,
}

impl<'a> Reader<'a> {
    fn takes(&mut self, wanted: char) -> bool {
        let Some(rest) = self.rest.strip_prefix(wanted) else { return false };
        self.rest = rest.trim_start();
        true
    }

    fn takes_rest(&mut self) -> bool {
        let Some(rest) = self.rest.strip_prefix("...") else { return false };
        self.rest = rest.trim_start();
        true
    }

    fn opens(&mut self) -> bool {
        if self.depth >= MAX_BRACKETS || !self.takes('[') {
            return false;
        }
        self.depth += 1;
        true
    }

    fn closes(&mut self) -> bool {
        let closed = self.takes(']');
        self.depth -= u32::from(closed && self.depth > 0);
        closed
    }

    fn name(&mut self) -> Option<&'a str> {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        self.rest = rest.trim_start();
        Some(name)
    }

    fn quoted(&mut self) -> Option<&'a str> {
        let quote = self.rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let (text, rest) = self.rest[1..].split_once(quote)?;
        self.rest = rest.trim_start();
        Some(text)
    }
}
