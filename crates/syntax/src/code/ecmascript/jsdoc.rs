//! Types in the comments of JavaScript (`@param {A} a`, `@returns {B}`, `@type {C}`, `@typedef {D} E`), which its
//! compilers read as types.

use model::code::{Expression, NameId, TypeExpression, TypeId};

use super::super::lowering::FILE_SCOPE;
use super::{Ecmascript, Place};
use crate::node::Node;

/// The longest comment whose types are read; documentation is shorter, text that was commented out may not be.
const MAX_COMMENT_BYTES: usize = 16 << 10;

/// The most tags of a comment that are read.
const MAX_TAGS: usize = 100;

/// The most parts of a written type, so that a comment costs no more than its length.
const MAX_PARTS: usize = 64;

/// The types that a comment tells.
#[derive(Default)]
pub(super) struct Told {
    parameters: Vec<(String, TypeId)>,
    pub(super) returns: Option<TypeId>,
    /// Of the variable or field that it stands before.
    pub(super) own: Option<TypeId>,
}

impl Told {
    /// Returns the type of a parameter.
    pub(super) fn parameter(&self, name: &str) -> Option<TypeId> {
        self.parameters.iter().find(|(of, _)| of == name).map(|(_, told)| *told)
    }
}

/// A type that a comment defines.
struct Defined<'c> {
    name: &'c str,
    written: TypeId,
    members: Vec<(NameId, TypeId)>,
}

/// A tag with the type and the name after it.
struct Tag<'c> {
    word: &'c str,
    written: &'c str,
    name: &'c str,
}

impl Ecmascript<'_, '_> {
    /// Remembers a comment for what comes next, and reads what it defines by itself.
    pub(super) fn read_comment(&mut self, comment: Node<'_>, at: Place) {
        self.comment = None;
        let text = self.lowering.text(comment);
        if !self.reads_comments || !text.starts_with("/**") || text.len() > MAX_COMMENT_BYTES || !text.contains('@') {
            return;
        }
        if text.contains("@typedef") {
            self.define_types(text, at);
        }
        self.comment = Some(comment.byte_range());
    }

    /// Returns the types that the comment before a declaration tells.
    pub(super) fn told(&mut self, at: Place) -> Told {
        let mut told = Told::default();
        let Some(range) = self.comment.take() else { return told };
        let source = self.lowering.source;
        let text = std::str::from_utf8(&source[range]).unwrap_or_default();
        for tag in tags(text) {
            let written = self.written_in_comment(tag.written, at);
            match tag.word {
                "param" | "arg" | "argument" => told.parameters.push((tag.name.to_owned(), written)),
                "returns" | "return" => told.returns = Some(written),
                "type" => told.own = Some(written),
                _ => {}
            }
        }
        told
    }

    /// `@typedef {A} B`; `@typedef {Object} B` with `@property {C} d`.
    fn define_types(&mut self, text: &str, at: Place) {
        let mut open: Option<Defined<'_>> = None;
        for tag in tags(text) {
            match (tag.word, &mut open) {
                ("typedef", _) => {
                    self.bind_type(open.take());
                    let written = self.written_in_comment(tag.written, at);
                    open = Some(Defined { name: tag.name, written, members: Vec::new() });
                }
                ("property" | "prop", Some(Defined { members, .. })) => {
                    let written = self.written_in_comment(tag.written, at);
                    members.push((self.lowering.name(tag.name), written));
                }
                _ => {}
            }
        }
        self.bind_type(open);
    }

    /// Binds a type of a comment as `type A`, which is no name of a value.
    fn bind_type(&mut self, open: Option<Defined<'_>>) {
        let Some(Defined { name, written, members }) = open.filter(|open| !open.name.is_empty()) else { return };
        let written = match members.is_empty() {
            true => written,
            false => self.lowering.written(TypeExpression::Object(members.into_boxed_slice())),
        };
        let name = self.lowering.name(&format!("type {name}"));
        self.lowering.bind(FILE_SCOPE, name, Some(written), None);
    }

    fn written_in_comment(&mut self, text: &str, at: Place) -> TypeId {
        let mut reader = Reader { rest: text, n_parts: 0 };
        self.union_in(&mut reader, at)
    }

    /// `A | B`.
    fn union_in(&mut self, reader: &mut Reader<'_>, at: Place) -> TypeId {
        let mut parts = Vec::new();
        loop {
            let part = self.deeper(|code| code.type_in(reader, at)).flatten();
            parts.extend(part);
            if !reader.take("|") {
                break;
            }
        }
        match parts.as_slice() {
            [] => TypeId(0),
            [only] => *only,
            _ => self.lowering.written(TypeExpression::Union(parts.into_boxed_slice())),
        }
    }

    /// `?A`, `A[]`, `(A)`, `import("a").B`, `A.B<C>`; nothing for what says that a value may be absent.
    fn type_in(&mut self, reader: &mut Reader<'_>, at: Place) -> Option<TypeId> {
        reader.n_parts += 1;
        if reader.n_parts > MAX_PARTS {
            reader.rest = "";
            return None;
        }
        while reader.take("?") || reader.take("!") || reader.take("...") {}
        let mut written = if reader.take("(") {
            let inner = self.union_in(reader, at);
            reader.take(")").then_some(inner)?
        } else {
            let path = reader.path();
            if path == "import" { self.import_in(reader)? } else { self.named_in(path, reader, at)? }
        };
        loop {
            if reader.take("[]") {
                written = self.lowering.written(TypeExpression::List(written));
            } else if !reader.take("=") {
                return Some(written);
            }
        }
    }

    fn import_in(&mut self, reader: &mut Reader<'_>) -> Option<TypeId> {
        reader.take("(").then_some(())?;
        let module = reader.quoted()?;
        (reader.take(")") && reader.take(".")).then_some(())?;
        let name = Some(self.lowering.name(reader.path()));
        let module = self.lowering.name(module);
        let import = self.lowering.expression(Expression::Import { module, name });
        Some(self.lowering.written(TypeExpression::Of(import)))
    }

    fn named_in(&mut self, path: &str, reader: &mut Reader<'_>, at: Place) -> Option<TypeId> {
        let plain = match path.trim_end_matches('.') {
            "" if reader.take("*") => "any",
            "" | "null" | "undefined" | "void" => {
                if path.is_empty() {
                    reader.rest = "";
                }
                return None;
            }
            "Object" | "object" => "any",
            "String" => "string",
            "Number" => "number",
            "Boolean" => "boolean",
            other => other,
        };
        let mut arguments = Vec::new();
        if reader.take("<") {
            while arguments.len() < MAX_PARTS {
                arguments.push(self.union_in(reader, at));
                if !reader.take(",") {
                    break;
                }
            }
            reader.take(">");
        }
        let plain = if plain == "any" && arguments.len() == 2 { "Record" } else { plain };
        let path = plain.split('.').map(|name| self.lowering.name(name)).collect();
        let arguments = arguments.into_boxed_slice();
        Some(self.lowering.written(TypeExpression::Named { path, arguments, scope: at.block }))
    }
}

/// What is left of a written type.
struct Reader<'c> {
    rest: &'c str,
    n_parts: usize,
}

impl<'c> Reader<'c> {
    /// Takes a sign, if it is next.
    fn take(&mut self, sign: &str) -> bool {
        let rest = self.rest.trim_start();
        let taken = rest.strip_prefix(sign);
        self.rest = taken.unwrap_or(rest);
        taken.is_some()
    }

    /// Takes names joined by dots.
    fn path(&mut self) -> &'c str {
        let rest = self.rest.trim_start();
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
        let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
        self.rest = &rest[end..];
        &rest[..end]
    }

    /// Takes a text in quotes.
    fn quoted(&mut self) -> Option<&'c str> {
        let rest = self.rest.trim_start();
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let (text, after) = rest[1..].split_once(quote)?;
        self.rest = after;
        Some(text)
    }
}

/// Returns the tags of a comment that are followed by a type.
fn tags(comment: &str) -> impl Iterator<Item = Tag<'_>> {
    let is_tag = |at: &usize| comment[..*at].ends_with(|c: char| c.is_whitespace() || matches!(c, '*' | '{'));
    let starts = comment.match_indices('@').map(|(at, _)| at).filter(is_tag);
    starts.take(MAX_TAGS).filter_map(|at| {
        let tag = &comment[at + 1..];
        let (word, rest) = tag.split_once(|c: char| c.is_whitespace() || c == '{')?;
        let open = tag[word.len()..].trim_start().strip_prefix('{');
        let inner = open.or_else(|| rest.trim_start().strip_prefix('{'))?;
        let end = closing(inner)?;
        let name = inner[end + 1..].trim_start().trim_start_matches('[');
        let name = name.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '.'))).next()?;
        Some(Tag { word, written: &inner[..end], name })
    })
}

/// Returns where the bracket closes that was open before a text.
fn closing(text: &str) -> Option<usize> {
    let mut n_open = 1;
    for (at, c) in text.char_indices() {
        match c {
            '{' => n_open += 1,
            '}' => n_open -= 1,
            _ => {}
        }
        if n_open == 0 {
            return Some(at);
        }
    }
    None
}
