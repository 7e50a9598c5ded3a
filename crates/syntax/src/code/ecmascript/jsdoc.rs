//! JSDoc types in JavaScript comments (`@param {A} a`, `@returns {B}`, `@type {C}`, `@typedef {D} E`), which type
//! checkers read.

use std::ops::Range;

use model::code::{Expression, NameId, TypeExpression, TypeId};

use super::super::builder::FILE_SCOPE;
use super::{EcmascriptLowering, LexicalContext, UNKNOWN_TYPE};
use crate::node::SyntaxNode;

/// Maximum length in bytes of a comment whose types are read. Documentation is shorter; commented-out code may not be.
const MAX_COMMENT_BYTES: usize = 16 << 10;

/// Maximum number of tags of a comment that are read.
const MAX_TAGS: usize = 100;

/// Maximum number of parts of a type, so that the cost of a comment is linear in its length.
const MAX_PARTS: usize = 64;

/// The types in a JSDoc comment.
#[derive(Default)]
pub(super) struct JsdocTypes {
    parameters: Vec<(String, TypeId)>,
    pub(super) returns: Option<TypeId>,
    /// The type of the variable or field after the comment.
    pub(super) own: Option<TypeId>,
}

impl JsdocTypes {
    /// Returns the type of a parameter.
    pub(super) fn parameter(&self, name: &str) -> Option<TypeId> {
        self.parameters.iter().find(|(parameter, _)| parameter == name).map(|(_, declared)| *declared)
    }
}

/// A type that a comment defines.
struct JsdocTypedef<'c> {
    name: &'c str,
    written: TypeId,
    members: Vec<(NameId, TypeId)>,
}

/// A tag with its type and the name after it.
struct JsdocTag<'c> {
    word: &'c str,
    written: &'c str,
    name: &'c str,
}

impl EcmascriptLowering<'_, '_> {
    /// Keeps a comment for the next declaration, and binds the types that it defines.
    pub(super) fn keep_comment(&mut self, comment: SyntaxNode<'_>, context: LexicalContext) {
        self.comment = None;
        let text = self.out.text(comment);
        if !self.reads_comments || !text.starts_with("/**") || text.len() > MAX_COMMENT_BYTES || !text.contains('@') {
            return;
        }
        if text.contains("@typedef") {
            self.bind_typedefs(text, context);
        }
        self.comment = Some(comment.byte_range());
    }

    /// Returns the types in the comment before a declaration.
    pub(super) fn take_jsdoc(&mut self, context: LexicalContext) -> JsdocTypes {
        let mut jsdoc = JsdocTypes::default();
        let Some(range) = self.comment.take() else { return jsdoc };
        let source = self.out.source;
        let text = std::str::from_utf8(&source[range]).unwrap_or_default();
        for tag in typed_tags(text) {
            let written = self.lower_comment_type(tag.written, context);
            match tag.word {
                "param" | "arg" | "argument" => jsdoc.parameters.push((tag.name.to_owned(), written)),
                "returns" | "return" => jsdoc.returns = Some(written),
                "type" => jsdoc.own = Some(written),
                _ => {}
            }
        }
        jsdoc
    }

    /// Returns the type of a cast: `/** @type {A} */ (a)`.
    pub(super) fn jsdoc_cast(&mut self, parentheses: SyntaxNode<'_>, context: LexicalContext) -> Option<TypeId> {
        let range = self.comment_before(parentheses)?;
        let source = self.out.source;
        let text = std::str::from_utf8(&source[range]).ok()?;
        let tag = typed_tags(text).find(|tag| tag.word == "type")?;
        let written = self.lower_comment_type(tag.written, context);
        (written != UNKNOWN_TYPE).then_some(written)
    }

    /// Keeps the comment before a function in parentheses for it.
    pub(super) fn keep_inner_comment(&mut self, inner: SyntaxNode<'_>) {
        if inner.kind().contains("function") {
            self.comment = self.comment_before(inner).or(self.comment.take());
        }
    }

    /// Returns the bytes of the JSDoc comment directly before a node.
    fn comment_before(&self, node: SyntaxNode<'_>) -> Option<Range<usize>> {
        let before = self.out.source.get(..node.start_byte()).filter(|_| self.reads_comments)?.trim_ascii_end();
        let first = before.len().saturating_sub(MAX_COMMENT_BYTES);
        let inside = before[first..].strip_suffix(b"*/")?;
        let open = inside.windows(2).rposition(|pair| pair == b"/*")?;
        inside[open..].starts_with(b"/**").then_some(first + open..before.len())
    }

    /// `@typedef {A} B`; `@typedef {Object} B` with `@property {C} d`.
    fn bind_typedefs(&mut self, text: &str, context: LexicalContext) {
        let mut open: Option<JsdocTypedef<'_>> = None;
        for tag in typed_tags(text) {
            match (tag.word, &mut open) {
                ("typedef", _) => {
                    self.bind_typedef(open.take());
                    let written = self.lower_comment_type(tag.written, context);
                    open = Some(JsdocTypedef { name: tag.name, written, members: Vec::new() });
                }
                ("property" | "prop", Some(JsdocTypedef { members, .. })) => {
                    let written = self.lower_comment_type(tag.written, context);
                    members.push((self.out.intern(tag.name), written));
                }
                _ => {}
            }
        }
        self.bind_typedef(open);
    }

    /// Binds a type from a comment under the name `type A`, which no value can have.
    fn bind_typedef(&mut self, open: Option<JsdocTypedef<'_>>) {
        let Some(JsdocTypedef { name, written, members }) = open.filter(|open| !open.name.is_empty()) else { return };
        let written = match members.is_empty() {
            true => written,
            false => self.out.add_type(TypeExpression::Object(members.into_boxed_slice())),
        };
        let name = self.out.intern(&format!("type {name}"));
        self.out.bind(FILE_SCOPE, name, Some(written), None);
    }

    fn lower_comment_type(&mut self, text: &str, context: LexicalContext) -> TypeId {
        let mut reader = JsdocTypeReader { rest: text, n_parts: 0 };
        self.parse_union(&mut reader, context)
    }

    /// `A | B`.
    fn parse_union(&mut self, reader: &mut JsdocTypeReader<'_>, context: LexicalContext) -> TypeId {
        let mut parts = Vec::new();
        loop {
            let part = self.deeper(|lowering| lowering.parse_type(reader, context)).flatten();
            parts.extend(part);
            if !reader.consume("|") {
                break;
            }
        }
        match parts.as_slice() {
            [] => UNKNOWN_TYPE,
            [only] => *only,
            _ => self.out.add_type(TypeExpression::Union(parts.into_boxed_slice())),
        }
    }

    /// `?A`, `A[]`, `(A)`, `import("a").B`, `A.B<C>`. Returns `None` for `null`, `undefined` and `void`.
    fn parse_type(&mut self, reader: &mut JsdocTypeReader<'_>, context: LexicalContext) -> Option<TypeId> {
        reader.n_parts += 1;
        if reader.n_parts > MAX_PARTS {
            reader.rest = "";
            return None;
        }
        while reader.consume("?") || reader.consume("!") || reader.consume("...") {}
        let mut written = if reader.consume("(") {
            let inner = self.parse_union(reader, context);
            reader.consume(")").then_some(inner)?
        } else {
            let path = reader.consume_path();
            if path == "import" { self.parse_import(reader)? } else { self.parse_named_type(path, reader, context)? }
        };
        loop {
            if reader.consume("[]") {
                written = self.out.add_type(TypeExpression::List(written));
            } else if !reader.consume("=") {
                return Some(written);
            }
        }
    }

    fn parse_import(&mut self, reader: &mut JsdocTypeReader<'_>) -> Option<TypeId> {
        reader.consume("(").then_some(())?;
        let module = reader.consume_quoted()?;
        (reader.consume(")") && reader.consume(".")).then_some(())?;
        let name = Some(self.out.intern(reader.consume_path()));
        let module = self.out.intern(module);
        let import = self.out.add_expression(Expression::Import { module, name });
        Some(self.out.add_type(TypeExpression::Of(import)))
    }

    fn parse_named_type(
        &mut self,
        path: &str,
        reader: &mut JsdocTypeReader<'_>,
        context: LexicalContext,
    ) -> Option<TypeId> {
        let plain = match path.trim_end_matches('.') {
            "" if reader.consume("*") => "any",
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
        if reader.consume("<") {
            while arguments.len() < MAX_PARTS {
                arguments.push(self.parse_union(reader, context));
                if !reader.consume(",") {
                    break;
                }
            }
            reader.consume(">");
        }
        let plain = if plain == "any" && arguments.len() == 2 { "Record" } else { plain };
        let path = plain.split('.').map(|name| self.out.intern(name)).collect();
        let arguments = arguments.into_boxed_slice();
        Some(self.out.add_type(TypeExpression::Named { path, arguments, scope: context.block }))
    }
}

/// The unread rest of a type.
struct JsdocTypeReader<'c> {
    rest: &'c str,
    n_parts: usize,
}

impl<'c> JsdocTypeReader<'c> {
    /// Consumes a sign if it is next.
    fn consume(&mut self, sign: &str) -> bool {
        let rest = self.rest.trim_start();
        let stripped = rest.strip_prefix(sign);
        self.rest = stripped.unwrap_or(rest);
        stripped.is_some()
    }

    /// Consumes names joined by dots.
    fn consume_path(&mut self) -> &'c str {
        let rest = self.rest.trim_start();
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
        let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
        self.rest = &rest[end..];
        &rest[..end]
    }

    /// Consumes a quoted string.
    fn consume_quoted(&mut self) -> Option<&'c str> {
        let rest = self.rest.trim_start();
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let (text, after) = rest[1..].split_once(quote)?;
        self.rest = after;
        Some(text)
    }
}

/// Returns the tags of a comment that have a type.
fn typed_tags(comment: &str) -> impl Iterator<Item = JsdocTag<'_>> {
    let is_tag = |at: &usize| comment[..*at].ends_with(|c: char| c.is_whitespace() || matches!(c, '*' | '{'));
    let starts = comment.match_indices('@').map(|(at, _)| at).filter(is_tag);
    starts.take(MAX_TAGS).filter_map(|at| {
        let tag = &comment[at + 1..];
        let (word, rest) = tag.split_once(|c: char| c.is_whitespace() || c == '{')?;
        let open = tag[word.len()..].trim_start().strip_prefix('{');
        let inner = open.or_else(|| rest.trim_start().strip_prefix('{'))?;
        let end = find_closing_brace(inner)?;
        let name = inner[end + 1..].trim_start().trim_start_matches('[');
        let name = name.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '.'))).next()?;
        Some(JsdocTag { word, written: &inner[..end], name })
    })
}

/// Returns the position of the bracket that closes the one before the text.
fn find_closing_brace(text: &str) -> Option<usize> {
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
