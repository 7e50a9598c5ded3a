//! The effect of another signature on the methods that override or implement it.

use model::{Language, SymbolKind};
use proto::v1;
use review::{DeclaredSignature, OverridingMethod, SiteVerdict, judge_overriding, may_concern_overrides};

use super::{BothSides, Evidence, owner};
use crate::get_risk::review::uses::DefinitionUse;

impl Evidence<'_> {
    /// Judges an override of a method with another signature.
    pub(super) fn overrides_changed(
        &self,
        sides: &BothSides<'_>,
        one: &DefinitionUse,
        is_rewritten: bool,
    ) -> SiteVerdict {
        let user = self.cards.get(&one.user).and_then(|card| card.symbol.as_ref());
        judge_override(sides, user, Language::of_path(&one.file.1), is_rewritten)
    }
}

/// Judges a method that overrides one with another signature. The declaration of the method may be unknown.
fn judge_override(
    sides: &BothSides<'_>,
    user: Option<&v1::Symbol>,
    language: Language,
    is_rewritten: bool,
) -> SiteVerdict {
    let Some(new) = sides.new.first() else { return SiteVerdict::Fine };
    let Some(user) = user else {
        if !sides.changes.is_empty() && !may_concern_overrides(language, &sides.changes) {
            return SiteVerdict::Fine;
        }
        let change = sides.changes.first().map(|change| format!(": {change}")).unwrap_or_default();
        return SiteVerdict::Maybe(format!("its own declaration is unknown, and it overrides the old one{change}"));
    };
    let kind = SymbolKind::parse(&user.kind).unwrap_or(SymbolKind::Method);
    let signature = DeclaredSignature::of(language, kind, owner(user), &user.name, &user.signature);
    let method = OverridingMethod { declaration: &user.signature, signature, is_rewritten };
    let is_abstract = sides.change.old.as_ref().is_some_and(|old| old.is_abstract);
    judge_overriding(new, &sides.changes, is_abstract, &method)
}

#[cfg(test)]
mod tests {
    use proto::v1::DefinitionChangeKind;

    use super::*;
    use crate::get_risk::review::judgement::both_sides;

    #[test]
    fn overrides_with_unknown_declarations_may_break() {
        let symbol = |signature: &str| v1::Symbol {
            kind: SymbolKind::Method.name().to_owned(),
            name: "run".to_owned(),
            container: "A".to_owned(),
            signature: signature.to_owned(),
            ..Default::default()
        };
        let side = |signature: &str| {
            Some(v1::DefinitionSide {
                path: "A.java".to_owned(),
                language: "java".to_owned(),
                symbol: Some(symbol(signature)),
                is_abstract: true,
            })
        };
        let (old, added) = ("void run(int a)", "void run(int a, int b)");
        for (new, user, expected) in [
            (added, None, "maybe"),
            ("long run(int a)", None, "maybe"),
            ("void run(int size)", None, "fine"),
            ("public void run(int a)", None, "fine"),
            (added, Some("@Override public void run(int a)"), "broken"),
            (added, Some("@Override public void run(int a, int b)"), "fine"),
        ] {
            let change = v1::DefinitionChange {
                kind: DefinitionChangeKind::Signature.into(),
                old: side(old),
                new: side(new),
                overloads: vec![new.to_owned()],
                ..Default::default()
            };
            let sides = both_sides(&change).unwrap();
            let verdict = match judge_override(&sides, user.map(symbol).as_ref(), Language::Java, false) {
                SiteVerdict::Broken(_) => "broken",
                SiteVerdict::Maybe(_) => "maybe",
                SiteVerdict::Fine => "fine",
            };
            assert_eq!(verdict, expected, "{new} {user:?}");
        }
    }
}
