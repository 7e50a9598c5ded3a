//! The finding about one use.

use model::symbol::qualify;
use proto::v1;
use review::SiteVerdict;

use super::Evidence;
use crate::get_risk::{
    answer::{ReviewFinding, VerdictKind},
    review::uses::DefinitionUse,
};
use federation::{outline::signature, symbol_ref};

impl Evidence<'_> {
    /// Returns a finding about a changed definition.
    pub(super) fn finding(
        &self,
        change: &v1::DefinitionChange,
        one: &DefinitionUse,
        line: u32,
        verdict: SiteVerdict,
    ) -> ReviewFinding {
        let side = change.old.as_ref().or(change.new.as_ref());
        let symbol = side.and_then(|side| side.symbol.clone()).unwrap_or_default();
        let path = side.map_or("", |side| side.path.as_str());
        let (kind, reason) = VerdictKind::of(verdict);
        self.finding_about(
            &symbol_ref::full_id(self.plan.alias(self.repo_idx), path, &symbol),
            one,
            line,
            (kind, &reason),
        )
    }

    /// Returns a finding about a definition or contract with this id.
    pub(in crate::get_risk::review) fn finding_about(
        &self,
        definition: &str,
        one: &DefinitionUse,
        line: u32,
        (verdict, reason): (VerdictKind, &str),
    ) -> ReviewFinding {
        let card = self.cards.get(&one.user);
        let alias = self.plan.alias(one.file.0);
        let renamed =
            self.response.files.iter().find(|file| one.file.0 == self.repo_idx && file.old_path == one.file.1);
        let path = renamed.map_or(one.file.1.as_str(), |file| file.new_path.as_str());
        let user = card.and_then(|card| card.symbol.as_ref());
        ReviewFinding {
            verdict,
            at: format!("{alias}:{}:{line}", text::sanitise_name(path)),
            user: user
                .map(|symbol| text::sanitise_name(&qualify(&symbol.container, &symbol.name)).into_owned())
                .unwrap_or_default(),
            definition: definition.to_owned(),
            reason: signature(reason),
            behind: Vec::new(),
            n_behind: 0,
            is_test: card.and_then(|card| card.node.as_ref()).is_some_and(|node| node.is_test),
        }
    }
}
