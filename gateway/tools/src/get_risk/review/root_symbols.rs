//! The symbols of the served generation whose users a change concerns.

use model::{SymbolKind, symbol::qualify};
use proto::v1::{self, DefinitionChangeKind};

/// Returns the symbols whose users a change concerns: the definition, for a constructor its type too, for a type that is gone what its
/// name leads to (constructors, static members, enum members, and nested types with theirs), and for a new member its type alone.
pub(super) fn root_symbols<'a>(
    change: &v1::DefinitionChange,
    symbols: &'a [v1::Symbol],
) -> impl Iterator<Item = &'a v1::Symbol> + use<'a> {
    let symbol = |side: &Option<v1::DefinitionSide>| side.as_ref().and_then(|side| side.symbol.clone());
    let (old, new) = (symbol(&change.old), symbol(&change.new));
    let is_constructor = old.as_ref().is_some_and(|old| old.kind == SymbolKind::Constructor.name());
    let has_type = is_constructor || old.is_none();
    let type_name = old.as_ref().or(new.as_ref()).map(|symbol| symbol.container.clone()).filter(|_| has_type);
    let is_gone = !matches!(change.kind(), DefinitionChangeKind::Signature | DefinitionChangeKind::Added);
    let gone_type = old.as_ref().filter(|_| is_gone).map(|old| qualify(&old.container, &old.name));
    symbols.iter().filter(move |symbol| {
        let is_static = || symbol.signature.split_whitespace().any(|word| word == "static");
        let is_inside = |gone: &String| {
            symbol.container.strip_prefix(gone.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let is_named_by_type = || {
            let kind = SymbolKind::parse(&symbol.kind);
            kind.is_some_and(|kind| kind.is_type() || matches!(kind, SymbolKind::Constructor | SymbolKind::Variant))
        };
        let is_member_of_gone = gone_type.as_ref().is_some_and(is_inside) && (is_named_by_type() || is_static());
        let is_it = old.as_ref().is_some_and(|old| {
            (&old.container, &old.name, old.ordinal) == (&symbol.container, &symbol.name, symbol.ordinal)
        });
        is_it
            || is_member_of_gone
            || type_name.as_ref().is_some_and(|name| *name == qualify(&symbol.container, &symbol.name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_type_leads_to_what_is_inside() {
        let symbol = |text: &str| {
            let (kind, qualified) = text.split_once(' ').unwrap();
            let (signature, qualified) = match qualified.strip_prefix("static ") {
                Some(rest) => ("static int".to_owned(), rest),
                None => (String::new(), qualified),
            };
            let (container, name) = qualified.rsplit_once('.').unwrap_or(("", qualified));
            v1::Symbol {
                kind: kind.to_owned(),
                name: name.to_owned(),
                container: container.to_owned(),
                signature,
                ordinal: 1,
                ..Default::default()
            }
        };
        let all = [
            "class A",
            "constructor A.A",
            "method A.run",
            "field static A.MAX",
            "class A.B",
            "field static A.B.ONE",
            "field A.B.size",
            "variant A.Kind.Red",
            "class AB",
            "field static AB.MAX",
        ];
        let symbols: Vec<v1::Symbol> = all.iter().map(|text| symbol(text)).collect();
        let whole = "A A.A A.MAX A.B A.B.ONE A.Kind.Red";
        for (kind, old, expected) in [
            (DefinitionChangeKind::Removed, "class A", whole),
            (DefinitionChangeKind::Moved, "class A", whole),
            (DefinitionChangeKind::Removed, "class A.B", "A.B A.B.ONE"),
            (DefinitionChangeKind::Signature, "class A", "A"),
            (DefinitionChangeKind::Removed, "method A.run", "A.run"),
            (DefinitionChangeKind::Signature, "constructor A.A", "A A.A"),
        ] {
            let side = v1::DefinitionSide { symbol: Some(symbol(old)), ..Default::default() };
            let change = v1::DefinitionChange { kind: kind.into(), old: Some(side), ..Default::default() };
            let found = root_symbols(&change, &symbols).map(|one| qualify(&one.container, &one.name));
            assert_eq!(found.collect::<Vec<_>>().join(" "), expected, "{kind:?} {old}");
        }
    }
}
