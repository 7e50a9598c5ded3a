//! Filter arguments that several tools share: values of closed lists that are too long for a schema.

use model::{Language, SymbolKind};

use crate::arguments::not_listed;

/// Returns the symbol kind with this name. An unknown name yields no kind and a line in `ignored`.
pub(super) fn symbol_kind(name: Option<&str>, argument: &str, ignored: &mut Vec<String>) -> Option<SymbolKind> {
    let name = name.map(str::trim).filter(|name| !name.is_empty())?;
    let kind = SymbolKind::parse(&name.to_lowercase());
    if kind.is_none() {
        let known: Vec<&str> = SymbolKind::ALL.iter().map(|kind| kind.name()).collect();
        ignored.push(not_listed(argument, name, &known));
    }
    kind
}

/// Returns the language with this name. An unknown name yields no language and a line in `ignored`.
pub(super) fn language(name: Option<&str>, ignored: &mut Vec<String>) -> Option<Language> {
    let name = name.map(str::trim).filter(|name| !name.is_empty())?;
    let language = Language::parse(name);
    if language.is_none() {
        let known: Vec<&str> = Language::ALL.iter().map(|language| language.name()).collect();
        ignored.push(not_listed("language", name, &known));
    }
    language
}
