//! Arguments that several tools share: names from closed lists that are too long for a schema.

use model::{Language, LineSpan, SymbolKind};
use proto::v1;

use crate::arguments::not_listed;

/// Returns the kind with this name; none, and a line on it, where there is no such kind.
pub(super) fn symbol_kind(name: Option<&str>, argument: &str, ignored: &mut Vec<String>) -> Option<SymbolKind> {
    let name = name.map(str::trim).filter(|name| !name.is_empty())?;
    let kind = SymbolKind::parse(&name.to_lowercase());
    if kind.is_none() {
        let known: Vec<&str> = SymbolKind::ALL.iter().map(|kind| kind.name()).collect();
        ignored.push(not_listed(argument, name, &known));
    }
    kind
}

/// Returns the language with this name; none, and a line on it, where there is no such language.
pub(super) fn language(name: Option<&str>, ignored: &mut Vec<String>) -> Option<Language> {
    let name = name.map(str::trim).filter(|name| !name.is_empty())?;
    let language = Language::parse(name);
    if language.is_none() {
        let known: Vec<&str> = Language::ALL.iter().map(|language| language.name()).collect();
        ignored.push(not_listed("language", name, &known));
    }
    language
}

/// Returns lines that make sense, whatever was sent.
pub(crate) fn span(lines: v1::Lines) -> LineSpan {
    let start = lines.start.max(1);
    LineSpan { start, end: lines.end.max(start) }
}
