//! URLs that statements complete: fields of `url.URL{Scheme: "http", Host: host, Path: "/items"}`, a path that is assigned to a URL
//! (`u.Path = "/items"`, `url.pathname = "/items"`), and the pieces of a `StringBuilder`.

use graph::{FileIdx, Name};
use model::{
    Language,
    code::{Expression, ExpressionId, ScopeId},
};

use super::{CallFrame, TextPart, TextValue, with_slash};
use crate::contracts::values::ValueReader;

/// Types of builders of texts.
const BUILDERS: [&str; 2] = ["StringBuilder", "StringBuffer"];

/// Methods of a builder of texts that do not change it.
const READERS: [&str; 4] = ["toString", "ToString", "length", "isEmpty"];

/// Maximum number of pieces of a text that statements append.
const MAX_PIECES: usize = 12;

/// The field with the path of a URL, by language.
fn path_field(language: Language) -> Option<&'static str> {
    match language {
        Language::Go | Language::CSharp => Some("Path"),
        Language::JavaScript | Language::TypeScript | Language::Tsx => Some("pathname"),
        _ => None,
    }
}

impl ValueReader<'_, '_> {
    /// Returns the URL that the fields behind a type describe; `None` if they have no host.
    pub(super) fn url_of_fields(
        &mut self,
        file: FileIdx,
        arguments: &[ExpressionId],
        frame: Option<&CallFrame<'_>>,
        depth: u32,
    ) -> Option<TextValue> {
        let code = self.code(file);
        let fields = arguments.iter().find_map(|argument| match code.expression(*argument) {
            Expression::Object(fields) => Some(fields),
            _ => None,
        })?;
        let field = |name: &str| fields.iter().find(|(of, _)| code.name(*of) == name).map(|(_, value)| *value);
        let (host, scheme, path) = (field("Host")?, field("Scheme")?, field("Path"));
        let mut text = |value: ExpressionId| self.text_within(file, value, frame, depth + 1);
        let scheme = text(scheme).as_literal().unwrap_or_else(|| "http".to_owned());
        let address = TextValue::literal(&format!("{scheme}://")).followed_by(&text(host));
        Some(path.map_or(address.clone(), |path| with_slash(&address, &text(path))))
    }

    /// Returns the address that a variable has, with the path that the code assigns to it.
    pub(super) fn with_assigned_path(
        &mut self,
        file: FileIdx,
        variable: ExpressionId,
        address: TextValue,
        frame: Option<&CallFrame<'_>>,
        depth: u32,
    ) -> TextValue {
        let Some(field) = path_field(self.program().language(file)) else { return address };
        let Expression::Name { name, scope, n_before } = self.expression(file, variable) else { return address };
        if !is_address_alone(&address) {
            return address;
        }
        let name = self.program().name(file, *name);
        let Some(binding) = self.cx.binding_before(file, name, *scope, *n_before) else { return address };
        let assigned = self.field_values(file, field).into_iter().filter(|(object, value)| {
            let Expression::Name { name: of, scope, n_before } = self.expression(file, *object) else { return false };
            *value < variable
                && self.program().name(file, *of) == name
                && self.cx.binding_before(file, name, *scope, *n_before) == Some(binding)
        });
        let assigned: Vec<ExpressionId> = assigned.map(|(_, value)| value).collect();
        let [path] = assigned[..] else { return address };
        let path = self.text_within(file, path, frame, depth + 1);
        if path.is_computed() { address } else { with_slash(&address, &path) }
    }
}

impl ValueReader<'_, '_> {
    /// Returns the text of a variable with a builder of texts, with the pieces that the statements before its use append to it. The text is
    /// unknown if a branch or a loop beside the use changes it, or another method.
    pub(super) fn appended(
        &mut self,
        file: FileIdx,
        variable: ExpressionId,
        frame: Option<&CallFrame<'_>>,
        depth: u32,
    ) -> Option<TextValue> {
        if !matches!(self.program().language(file), Language::Java | Language::Kotlin | Language::CSharp) {
            return None;
        }
        let Expression::Name { name, scope, n_before } = self.expression(file, variable) else { return None };
        let name = self.program().name(file, *name);
        let binding = self.cx.binding_before(file, name, *scope, *n_before)?;
        let made = self.code(file).bindings[binding as usize].value?;
        let first = match self.expression(file, made) {
            Expression::Make { made, arguments } => {
                let (_, of) = self.written_name(file, *made)?;
                BUILDERS.contains(&self.code(file).name(of)).then_some(arguments)?
            }
            _ => return None,
        };
        let start =
            first.first().map_or(TextValue::literal(""), |first| self.text_within(file, *first, frame, depth + 1));
        let Some(pieces) = self.pieces(file, (made, variable), *scope, (name, binding)) else {
            return Some(TextValue::of_parts(vec![TextPart::Computed]));
        };
        Some(
            pieces
                .into_iter()
                .fold(start, |text, piece| text.followed_by(&self.text_within(file, piece, frame, depth + 1))),
        )
    }

    /// Returns the pieces that calls between two expressions append to a builder; `None` if they are not known.
    fn pieces(
        &mut self,
        file: FileIdx,
        (made, used): (ExpressionId, ExpressionId),
        scope: ScopeId,
        builder: (Name, u32),
    ) -> Option<Vec<ExpressionId>> {
        let code = self.code(file);
        // Blocks of other languages have no scopes, so that branches are not known.
        let has_scopes = self.program().language(file) == Language::Java;
        let mut pieces = Vec::new();
        for site in code.sites.iter().filter(|site| site.expression > made && site.expression < used) {
            if !self.may_step() {
                return None;
            }
            match self.change_of(file, site.expression, builder) {
                BuilderChange::None => {}
                BuilderChange::Piece(piece)
                    if has_scopes && code.is_within(scope, site.scope) && pieces.len() < MAX_PIECES =>
                {
                    pieces.push(piece);
                }
                BuilderChange::Piece(_) | BuilderChange::Unknown => return None,
            }
        }
        Some(pieces)
    }

    /// Returns the change that a call makes to a builder: as the last of a chain of calls, or with the builder among its arguments.
    fn change_of(&self, file: FileIdx, site: ExpressionId, builder: (Name, u32)) -> BuilderChange {
        let Some(call) = self.call(file, site) else { return BuilderChange::None };
        if call.arguments.iter().any(|argument| self.is_variable(file, *argument, builder)) {
            return BuilderChange::Unknown;
        }
        let Some(mut at) = call.object else { return BuilderChange::None };
        while let Some(before) = self.call(file, at).filter(|before| is_append(before.name)) {
            let Some(object) = before.object else { break };
            at = object;
        }
        if !self.is_variable(file, at, builder) {
            return BuilderChange::None;
        }
        match call.arguments {
            [piece] if is_append(call.name) => BuilderChange::Piece(*piece),
            _ if READERS.contains(&call.name) => BuilderChange::None,
            _ => BuilderChange::Unknown,
        }
    }

    fn is_variable(&self, file: FileIdx, expression: ExpressionId, (name, binding): (Name, u32)) -> bool {
        let Expression::Name { name: of, scope, n_before } = self.expression(file, expression) else { return false };
        self.program().name(file, *of) == name && self.cx.binding_before(file, name, *scope, *n_before) == Some(binding)
    }
}

/// The change that a call makes to a builder of texts.
enum BuilderChange {
    None,
    /// Appends the value of an expression.
    Piece(ExpressionId),
    Unknown,
}

fn is_append(name: &str) -> bool {
    matches!(name, "append" | "Append")
}

/// Returns true for a text that is a host or a variable, and has no path.
fn is_address_alone(text: &TextValue) -> bool {
    text.alternatives.iter().all(|parts| match parts.as_slice() {
        [TextPart::Variable(_)] => true,
        [TextPart::Text(text)] => {
            text.split_once("://").is_some_and(|(_, rest)| !rest.trim_end_matches('/').contains('/'))
        }
        [TextPart::Text(scheme), TextPart::Variable(_)] => scheme.ends_with("://"),
        _ => false,
    })
}
