//! The effect of a new field on the literals of its type.

use model::{Language, SymbolKind};
use proto::v1::{self, DefinitionChangeKind};
use review::{judge_literal, may_break_literals};

use super::{BothSides, CurrentUse, Evidence, owner, passed_arguments};
use crate::get_risk::{
    answer::ReviewFinding,
    review::uses::{DefinitionUse, UseKind},
};
use federation::nodes::NodeRef;

/// Receiver of a literal whose type is written so, in a method of Rust.
const OWN_TYPE: &str = "Self";

/// Returns true if a change is a new field that literals of its type may lack.
pub(in crate::get_risk::review) fn is_new_field(change: &v1::DefinitionChange) -> bool {
    let Some(new) = change.new.as_ref().filter(|_| change.kind() == DefinitionChangeKind::Added) else { return false };
    let kind = new.symbol.as_ref().and_then(|symbol| SymbolKind::parse(&symbol.kind));
    Language::parse(&new.language).zip(kind).is_some_and(|(language, kind)| may_break_literals(language, kind))
}

impl Evidence<'_> {
    /// Judges the literals that methods of a type with a new field write as `Self`: a method is no user of its own type. Those in other
    /// files than the type are not read.
    pub(super) fn own_literals(&self, sides: &BothSides<'_>, roots: &[NodeRef]) -> Vec<ReviewFinding> {
        let Some(new) = sides.change.new.as_ref().filter(|_| is_new_field(sides.change)) else { return Vec::new() };
        let root = roots.iter().copied().find(|root| self.is_struct(*root));
        let file = self.response.files.iter().find(|file| file.new_path == new.path);
        let Some((root, file)) = root.zip(file) else { return Vec::new() };
        let literals = file
            .calls
            .iter()
            .filter(|call| call.literal && call.receiver == OWN_TYPE && call.name == owner(sides.symbol));
        let finding = |literal: &v1::CallSite| {
            let passed = passed_arguments(sides.symbol, literal);
            let verdict = judge_literal(sides.old.language, &sides.symbol.name, &passed, false);
            let kind = UseKind::Reference;
            let file = (self.repo_idx, file.old_path.clone());
            let one = DefinitionUse { root, user: root, file, line: literal.line, kind, is_certain: true };
            self.finding(sides.change, &one, literal.line, verdict)
        };
        literals.map(finding).collect()
    }

    /// Returns true if a root is a struct. A literal of a union has one of its fields.
    pub(super) fn is_struct(&self, root: NodeRef) -> bool {
        let symbol = self.cards.get(&root).and_then(|card| card.symbol.as_ref());
        symbol.is_some_and(|symbol| symbol.kind == SymbolKind::Struct.name())
    }
}

impl<'a> CurrentUse<'a> {
    /// Returns the literals and patterns of the type of a field on a line.
    pub(super) fn literals<'b>(
        &self,
        sides: &'b BothSides<'_>,
        line: u32,
    ) -> impl Iterator<Item = &'a v1::CallSite> + use<'a, 'b> {
        let owner = owner(sides.symbol);
        self.calls.iter().filter(move |call| call.literal && call.line == line && call.name == owner)
    }
}
