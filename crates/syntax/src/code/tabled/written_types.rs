//! Types as written, read from their text: `A.B<C>`, `[A]`, `?A`, `A[B]`, `Map<A, B?>`.

use model::code::{NameId, ScopeId, TypeExpression, TypeId};

use super::{TabledLowering, UNKNOWN_TYPE};
use crate::node::SyntaxNode;

/// Maximum length in bytes of a type that is read.
const MAX_TYPE_BYTES: usize = 300;

/// Maximum nesting depth of type arguments.
const MAX_DEPTH: u32 = 6;

/// Words that stand for the type of the value.
const INFERRED: [&str; 6] = ["var", "val", "let", "final", "dynamic", "mixed"];

/// Words before a type.
const MODIFIERS: [&str; 8] = ["in", "out", "inout", "some", "any", "ref", "readonly", "const"];

impl TabledLowering<'_, '_> {
    /// Lowers a type.
    pub(super) fn lower_type(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> TypeId {
        let text = self.out.text(node);
        if text.len() > MAX_TYPE_BYTES {
            return UNKNOWN_TYPE;
        }
        let mut reader = TypeReader { rest: text, depth: 0 };
        self.read_type(&mut reader, scope)
    }

    /// Lowers the declared type of a variable; `None` if the type is inferred.
    pub(super) fn lower_declared(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> Option<TypeId> {
        if INFERRED.contains(&self.out.text(node).trim()) {
            return None;
        }
        Some(self.lower_type(node, scope)).filter(|declared| *declared != UNKNOWN_TYPE)
    }

    fn read_type(&mut self, reader: &mut TypeReader<'_>, scope: ScopeId) -> TypeId {
        if reader.depth >= MAX_DEPTH {
            return UNKNOWN_TYPE;
        }
        reader.depth += 1;
        let mut alternatives = vec![self.read_single(reader, scope)];
        while reader.skip("|") {
            alternatives.push(self.read_single(reader, scope));
        }
        reader.depth -= 1;
        alternatives.retain(|one| *one != UNKNOWN_TYPE);
        match alternatives[..] {
            [] => UNKNOWN_TYPE,
            [only] => only,
            _ => self.out.add_type(TypeExpression::Union(alternatives.into())),
        }
    }

    fn read_single(&mut self, reader: &mut TypeReader<'_>, scope: ScopeId) -> TypeId {
        while reader.skip("?") || reader.skip("&") || reader.skip("*") || reader.skip("%") {}
        if reader.skip("[") {
            let item = self.read_type(reader, scope);
            let value = reader.skip(":").then(|| self.read_type(reader, scope));
            reader.skip("]");
            return match value {
                Some(value) => self.out.add_type(TypeExpression::Map { key: item, value }),
                None => self.out.add_type(TypeExpression::List(item)),
            };
        }
        let path = self.read_path(reader);
        if path.is_empty() {
            return UNKNOWN_TYPE;
        }
        let mut arguments = Vec::new();
        let is_list = reader.rest.trim_start().starts_with("[]") || reader.rest.trim_start().starts_with("[,");
        let close = [("<", ">"), ("[", "]")].into_iter().find(|(open, _)| !is_list && reader.skip(open));
        if let Some((_, close)) = close {
            arguments.push(self.read_type(reader, scope));
            while reader.skip(",") {
                arguments.push(self.read_type(reader, scope));
            }
            reader.skip(close);
        }
        let named = TypeExpression::Named { path: path.into(), arguments: arguments.into(), scope };
        let mut found = self.out.add_type(named);
        while reader.skip("?") || reader.skip("!") {}
        while reader.skip("[]") {
            found = self.out.add_type(TypeExpression::List(found));
        }
        if reader.skip("->") || reader.skip("=>") { UNKNOWN_TYPE } else { found }
    }

    fn read_path(&mut self, reader: &mut TypeReader<'_>) -> Vec<NameId> {
        let mut path = Vec::new();
        while reader.skip("\\") || reader.skip("::") {}
        while let Some(word) = reader.word() {
            if path.is_empty() && MODIFIERS.contains(&word) {
                continue;
            }
            path.push(self.out.intern(word));
            if !(reader.skip(".") || reader.skip("::") || reader.skip("\\")) {
                break;
            }
        }
        path
    }
}

/// The rest of a type that is being read.
struct TypeReader<'a> {
    rest: &'a str,
    depth: u32,
}

impl<'a> TypeReader<'a> {
    /// Skips a token if it is next.
    fn skip(&mut self, token: &str) -> bool {
        let after = self.rest.trim_start().strip_prefix(token);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    /// Reads the next word.
    fn word(&mut self) -> Option<&'a str> {
        let rest = self.rest.trim_start();
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        if word.is_empty() {
            return None;
        }
        self.rest = after;
        Some(word)
    }
}
