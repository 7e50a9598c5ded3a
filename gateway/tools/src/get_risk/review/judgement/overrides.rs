//! The effect of another signature on the methods that override or implement it.

use model::{Language, SymbolKind};
use review::{DeclaredSignature, OverridingMethod, SiteVerdict, judge_overriding};

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
        let (Some(user), Some(new)) = (user, sides.new.first()) else { return SiteVerdict::Fine };
        let kind = SymbolKind::parse(&user.kind).unwrap_or(SymbolKind::Method);
        let language = Language::of_path(&one.file.1);
        let signature = DeclaredSignature::of(language, kind, owner(user), &user.name, &user.signature);
        let method = OverridingMethod { declaration: &user.signature, signature, is_rewritten };
        let is_abstract = sides.change.old.as_ref().is_some_and(|old| old.is_abstract);
        judge_overriding(new, &sides.changes, is_abstract, &method)
    }
}
