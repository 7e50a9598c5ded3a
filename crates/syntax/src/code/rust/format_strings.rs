//! Format strings: `format!("{}/x/{id}", base)` is a text with the arguments in its holes.

use model::code::{Expression, ExpressionId, Literal, ScopeId};

use super::{OPAQUE, RustLowering};

/// Maximum number of placeholders that are read.
const MAX_PLACEHOLDERS: usize = 30;

/// The value of a placeholder.
#[derive(Debug, PartialEq, Eq)]
enum Placeholder<'a> {
    /// The next argument.
    Next,
    /// The argument at an index.
    At(usize),
    /// A variable.
    Named(&'a str),
}

impl RustLowering<'_, '_> {
    /// Adds the text of a format macro, given the value of its arguments: a tuple, or the format alone.
    pub(super) fn add_formatted_text(&mut self, arguments: ExpressionId, scope: ScopeId) -> ExpressionId {
        let parts: Vec<ExpressionId> = match self.out.code.expression(arguments) {
            Expression::Tuple(parts) => parts.to_vec(),
            _ => vec![arguments],
        };
        let format = parts.first().map(|format| self.out.code.expression(*format));
        let Some(Expression::Literal(Literal::Text(Some(format)))) = format else {
            return self.add_literal(Literal::Text(None));
        };
        let format = self.out.code.name(*format).to_owned();
        let Some((text, placeholders)) = parse_format(&format) else { return self.add_literal(Literal::Text(None)) };
        let mut positional = parts.iter().skip(1).copied();
        let mut holes = Vec::new();
        for placeholder in placeholders {
            holes.push(match placeholder {
                Placeholder::Next => positional.next().unwrap_or(OPAQUE),
                Placeholder::At(index) => parts.get(index + 1).copied().unwrap_or(OPAQUE),
                Placeholder::Named(name) => {
                    let name = self.out.intern(name);
                    self.out.use_name(name, scope)
                }
            });
        }
        self.out.add_interpolated_text(&text, holes)
    }
}

/// Splits a format into its text, with `{}` for each placeholder, and the placeholders. Returns `None` for a format that is
/// not understood.
fn parse_format(format: &str) -> Option<(String, Vec<Placeholder<'_>>)> {
    let mut text = String::new();
    let mut placeholders = Vec::new();
    let mut rest = format;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, from) = rest.split_at(at);
        text.push_str(before);
        if let Some(after) = from.strip_prefix("{{").or_else(|| from.strip_prefix("}}")) {
            text.push_str(&from[..1]);
            rest = after;
            continue;
        }
        let (inner, after) = from.strip_prefix('{')?.split_once('}')?;
        let name = inner.split(':').next().unwrap_or_default().trim();
        placeholders.push(match name.parse() {
            _ if name.is_empty() => Placeholder::Next,
            Ok(index) => Placeholder::At(index),
            Err(_) => Placeholder::Named(name),
        });
        if placeholders.len() > MAX_PLACEHOLDERS {
            return None;
        }
        text.push_str("{}");
        rest = after;
    }
    text.push_str(rest);
    Some((text, placeholders))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_read() {
        for (format, text, expected) in [
            ("/a", "/a", &[][..]),
            ("{}/x/{id:?}", "{}/x/{}", &[Placeholder::Next, Placeholder::Named("id")]),
            ("{1}{{b}}", "{}{b}", &[Placeholder::At(1)]),
        ] {
            let (found, placeholders) = parse_format(format).expect("it is a format");
            assert_eq!((found.as_str(), placeholders.as_slice()), (text, expected));
        }
        assert!(parse_format("a{").is_none());
    }
}
