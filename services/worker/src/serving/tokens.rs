//! Tokens of source for display: classes from its syntax, and definitions from the graph.

use std::collections::{BTreeMap, HashMap};

use index::{IndexError, Snapshot, SourceExcerpt};
use model::{Language, SymbolId};
use proto::v1;
use syntax::{SourceToken, TokenClass};

/// Returns the tokens of an excerpt of a file, and the definitions that they name. The whole file is parsed, since the class of a
/// token may depend on what is before it.
pub(super) fn annotate(
    snapshot: &Snapshot,
    path: &str,
    excerpt: &SourceExcerpt,
) -> Result<(Vec<v1::SourceToken>, Vec<v1::TokenTarget>), IndexError> {
    let Some(whole) = snapshot.source(path, None)? else { return Ok(Default::default()) };
    let lines = excerpt.lines.start..=excerpt.lines.end;
    let tokens = syntax::tokens(Language::of_path(path), whole.text.as_bytes(), lines);
    let mut definitions: HashMap<(u32, String), Option<(SymbolId, u32)>> = HashMap::new();
    for name_use in snapshot.name_uses(path, excerpt.lines) {
        let found = (name_use.target, name_use.target_line);
        let known = definitions.entry((name_use.line, name_use.name)).or_insert_with(|| Some(found.clone()));
        let Some(other) = known.as_ref().filter(|known| **known != found) else { continue };
        // A type and its constructor have one name, which leads to the type. Another name of two definitions leads to neither.
        let is_member = |id: &SymbolId, of: &SymbolId| {
            id.path == of.path && id.qualified.starts_with(&format!("{}.", of.qualified))
        };
        *known = match () {
            () if is_member(&found.0, &other.0) => continue,
            () if is_member(&other.0, &found.0) => Some(found),
            () => None,
        };
    }
    let texts: Vec<&str> = whole.text.lines().collect();
    let mut indices: BTreeMap<(SymbolId, u32), u32> = BTreeMap::new();
    let mut targets = Vec::new();
    let annotated = tokens.into_iter().map(|token| {
        let definition = named_text(&token, &texts).and_then(|name| definitions.get(&(token.line, name.to_owned())));
        let target = definition.and_then(Option::as_ref).map(|definition| {
            *indices.entry(definition.clone()).or_insert_with(|| {
                targets.push(to_wire(definition));
                targets.len() as u32
            })
        });
        let SourceToken { line, start, end, class } = token;
        v1::SourceToken { line, start, end, class: wire_class(class).into(), target: target.unwrap_or_default() }
    });
    let annotated = annotated.collect();
    Ok((annotated, targets))
}

/// Returns the text of a token that may name a definition.
fn named_text<'a>(token: &SourceToken, lines: &[&'a str]) -> Option<&'a str> {
    let is_name = matches!(token.class, TokenClass::Type | TokenClass::Function | TokenClass::Identifier);
    let line = is_name.then(|| lines.get(token.line as usize - 1)).flatten()?;
    line.get(token.start as usize..token.end as usize)
}

fn to_wire((id, line): &(SymbolId, u32)) -> v1::TokenTarget {
    let SymbolId { path, qualified, ordinal } = id.clone();
    v1::TokenTarget { path, qualified, ordinal, line: *line }
}

fn wire_class(class: TokenClass) -> v1::TokenClass {
    match class {
        TokenClass::Keyword => v1::TokenClass::Keyword,
        TokenClass::String => v1::TokenClass::String,
        TokenClass::Comment => v1::TokenClass::Comment,
        TokenClass::Number => v1::TokenClass::Number,
        TokenClass::Type => v1::TokenClass::Type,
        TokenClass::Function => v1::TokenClass::Function,
        TokenClass::Identifier => v1::TokenClass::Identifier,
    }
}
