//! The effect of a changed definition on each of its uses.

mod current_use;
mod finding;
mod imports;
mod lines;
mod modules;
mod moved;
mod new_field;
mod overrides;
mod reduced_visibility;
mod removed_name;
mod signature;

use std::collections::BTreeMap;

use model::{SymbolKind, symbol::qualify};
use proto::v1::{self, DefinitionChangeKind};
use review::{DeclaredSignature, PassedArguments, SignatureChange, SiteVerdict, judge_literal, signature_changes};

use super::{
    declared,
    uses::{DefinitionUse, UseKind},
};
use crate::get_risk::answer::ReviewFinding;
use federation::{nodes::NodeRef, plan::Plan, repo_idx::RepoIdx};

use current_use::CurrentUse;
use imports::module_of_call;
use lines::{NewLine, new_line};
use moved::moved;
pub(super) use new_field::is_new_field;
use removed_name::{is_bound_again, is_imported_instead, without_constructor};
use signature::{at_site, is_hidden, is_restricted};

/// The facts about the users.
pub(super) struct Evidence<'a> {
    pub(super) plan: &'a Plan,
    /// The changed repository.
    pub(super) repo_idx: RepoIdx,
    pub(super) response: &'a v1::ChangesResponse,
    pub(super) sites: &'a BTreeMap<(RepoIdx, String), v1::FileSites>,
    pub(super) cards: &'a BTreeMap<NodeRef, v1::NodeCard>,
    /// True if the change begins at another commit than the served one, whose lines are then taken for those after the change.
    pub(super) is_stale: bool,
}

/// Returns the name of the type that contains a definition; empty if there is none.
pub(super) fn owner(symbol: &v1::Symbol) -> &str {
    symbol.container.rsplit('.').next().unwrap_or_default()
}

/// The declarations before and after the change.
struct BothSides<'a> {
    change: &'a v1::DefinitionChange,
    old: DeclaredSignature,
    /// The overloads after the change, the replacement first.
    new: Vec<DeclaredSignature>,
    changes: Vec<SignatureChange>,
    symbol: &'a v1::Symbol,
}

impl Evidence<'_> {
    /// Judges the uses of one definition.
    pub(super) fn judge(
        &self,
        change: &v1::DefinitionChange,
        roots: &[NodeRef],
        uses: &[&DefinitionUse],
    ) -> Vec<ReviewFinding> {
        let Some(sides) = both_sides(change) else { return Vec::new() };
        let mut imports = self.judged_imports(&sides, roots, uses);
        let mut findings = Vec::new();
        for one in uses {
            // Of a type whose constructor changed, only the calls matter; of one with a new member, only subtypes.
            let is_of_type = self.is_type_of(&sides, one.root);
            let is_new_field = is_new_field(change);
            let is_concerned = match (change.kind(), is_of_type) {
                (DefinitionChangeKind::Added, _) if is_new_field => {
                    self.is_struct(one.root) && matches!(one.kind, UseKind::Call | UseKind::Test | UseKind::Reference)
                }
                (DefinitionChangeKind::Added, _) => one.kind == UseKind::Subtype,
                (_, true) => matches!(one.kind, UseKind::Call | UseKind::Test),
                _ => true,
            };
            if !is_concerned {
                continue;
            }
            let Some(current) = self.current(&sides, one).filter(|current| !is_bound_again(&sides, one, current))
            else {
                continue;
            };
            // A test that only names a type calls no constructor.
            let names_type =
                |line: u32| is_of_type && one.kind == UseKind::Test && !current.has_call(sides.symbol, line);
            let is_judged = |line: &&u32| match is_new_field {
                true => current.literals(&sides, **line).next().is_some(),
                false => !names_type(**line),
            };
            for line in current.lines.iter().filter(is_judged) {
                let import = imports.covering_import(one, *line, module_of_call(&sides, &current, *line));
                let verdict = match import {
                    Some(at) if imports.add_place(at, self.path_after(one), *line) => continue,
                    Some(_) => SiteVerdict::Fine,
                    None => self.verdict(&sides, one, &current, *line),
                };
                findings.push(self.finding(change, one, *line, verdict));
            }
        }
        findings.extend(imports.findings(self, change));
        findings.extend(self.own_literals(&sides, roots));
        findings
    }

    fn is_type_of(&self, sides: &BothSides<'_>, root: NodeRef) -> bool {
        let symbol = self.cards.get(&root).and_then(|card| card.symbol.as_ref());
        symbol.is_some_and(|symbol| qualify(&symbol.container, &symbol.name) == sides.symbol.container)
    }

    /// Returns a use as it stands after the change; nothing if the change itself mended it.
    fn current(&self, sides: &BothSides<'_>, one: &DefinitionUse) -> Option<CurrentUse<'_>> {
        let Some(changed) = self.changed_file(one) else {
            let sites = self.sites.get(&one.file);
            return Some(CurrentUse {
                lines: vec![one.line],
                is_rewritten: false,
                is_changed_file: false,
                calls: sites.map(|sites| sites.calls.as_slice()).unwrap_or_default(),
                imports: sites.map(|sites| sites.imports.as_slice()).unwrap_or_default(),
                definitions: sites.map(|sites| sites.definitions.as_slice()).unwrap_or_default(),
            });
        };
        if changed.new_path.is_empty() {
            return None;
        }
        let (lines, is_rewritten) = match new_line(&changed.hunks, one.line) {
            _ if self.is_stale => (vec![one.line], false),
            NewLine::Same(line) => (vec![line], false),
            NewLine::Replaced(range) => {
                let names = match is_new_field(sides.change) {
                    true => vec![owner(sides.symbol)],
                    false => called_names(sides.symbol),
                };
                let of_name = changed.mentions.iter().filter(|mention| names.contains(&mention.name.as_str()));
                let lines = of_name.flat_map(|mention| &mention.lines).copied().filter(|line| range.contains(line));
                (lines.collect(), true)
            }
        };
        Some(CurrentUse {
            lines,
            is_rewritten,
            is_changed_file: true,
            calls: &changed.calls,
            imports: &changed.imports,
            definitions: &changed.definitions,
        })
    }

    fn verdict(&self, sides: &BothSides<'_>, one: &DefinitionUse, current: &CurrentUse<'_>, line: u32) -> SiteVerdict {
        let names = called_names(sides.symbol);
        let calls = current.calls.iter().filter(|call| !call.literal && call.line == line);
        let calls = calls.filter(|call| names.contains(&call.name.as_str()));
        let calls: Vec<PassedArguments> = calls.map(|call| passed_arguments(sides.symbol, call)).collect();
        let is_rewritten = current.is_rewritten;
        let calls: Vec<PassedArguments> =
            calls.into_iter().map(|call| PassedArguments { is_rewritten, ..call }).collect();
        let verdict = match sides.change.kind() {
            DefinitionChangeKind::Removed if sides.new.is_empty() && one.kind == UseKind::Override => {
                self.overrides_nothing(sides, one, "it is removed".to_owned())
            }
            DefinitionChangeKind::Renamed if one.kind == UseKind::Override => {
                self.overrides_nothing(sides, one, format!("it is `{}` now", new_name(sides.change)))
            }
            DefinitionChangeKind::Removed if sides.new.is_empty() && self.is_imported(sides) => {
                SiteVerdict::Maybe("it is removed, and its module imports a name like it".to_owned())
            }
            DefinitionChangeKind::Removed
                if sides.new.is_empty() && is_imported_instead(sides.symbol, &calls, current.imports) =>
            {
                SiteVerdict::Maybe("it is removed, and the file imports a name like it".to_owned())
            }
            DefinitionChangeKind::Removed if sides.new.is_empty() && is_constructor(sides.symbol) => {
                without_constructor(sides.old.language, &calls)
            }
            DefinitionChangeKind::Removed if sides.new.is_empty() && current.is_rewritten => {
                SiteVerdict::Maybe("it is removed, and the change wrote a line with its name".to_owned())
            }
            DefinitionChangeKind::Removed if sides.new.is_empty() => {
                self.judge_removed_name(sides, "it is removed".to_owned())
            }
            DefinitionChangeKind::Renamed if current.is_rewritten => {
                let new_name = new_name(sides.change);
                SiteVerdict::Maybe(format!("it is `{new_name}` now, and the change wrote a line with the old name"))
            }
            DefinitionChangeKind::Renamed => {
                let root = self.cards.get(&one.root).and_then(|card| card.symbol.as_ref());
                let reason = format!("it is `{}` now", new_name(sides.change));
                match root.is_some_and(|root| is_used_without_type(sides.symbol, root)) {
                    true => SiteVerdict::Maybe(format!("{reason}, and the use is of its member")),
                    false => self.judge_removed_name(sides, reason),
                }
            }
            DefinitionChangeKind::Moved if self.is_in_new_file(sides, one) => SiteVerdict::Fine,
            DefinitionChangeKind::Moved => {
                moved(sides, one, current, &calls, self.is_imported(sides), self.path_after(one))
            }
            DefinitionChangeKind::Added if is_new_field(sides.change) => {
                let verdict = |literal: &v1::CallSite| {
                    let literal = passed_arguments(sides.symbol, literal);
                    judge_literal(sides.old.language, &sides.symbol.name, &literal, current.is_rewritten)
                };
                current.literals(sides, line).map(verdict).min().unwrap_or(SiteVerdict::Fine)
            }
            DefinitionChangeKind::Added => self.missing_member(sides, one, current),
            _ if self.is_no_longer_visible(sides, one) => SiteVerdict::Broken("it is not visible here now".to_owned()),
            // `pub use` of a name that its crate alone sees is an error, and `pub(crate) use` is none.
            _ if is_restricted(&sides.changes) && current.is_reexport(sides.symbol, line) => {
                SiteVerdict::Maybe("it is exported again, and it is visible to fewer now".to_owned())
            }
            // An import takes any signature; what the file does with the name are other uses.
            _ if matches!(one.kind, UseKind::Reference | UseKind::Test) && current.is_import(sides.symbol, line) => {
                SiteVerdict::Fine
            }
            _ if one.kind == UseKind::Override && !is_hidden(&sides.changes) => {
                self.overrides_changed(sides, one, current.is_rewritten)
            }
            _ => at_site(sides, one, &calls, self.is_own_file(sides, one)),
        };
        match verdict {
            SiteVerdict::Broken(reason) if !one.is_certain => {
                SiteVerdict::Maybe(format!("{reason}; the use is resolved by its name alone"))
            }
            verdict => verdict,
        }
    }

    /// Returns true if a use is in the file of the definition, where private names are visible.
    fn is_own_file(&self, sides: &BothSides<'_>, one: &DefinitionUse) -> bool {
        one.file.0 == self.repo_idx && sides.change.old.as_ref().is_some_and(|old| old.path == one.file.1)
    }

    /// Returns true if a use is in the file that has the definition after the change.
    fn is_in_new_file(&self, sides: &BothSides<'_>, one: &DefinitionUse) -> bool {
        one.file.0 == self.repo_idx && sides.change.new.as_ref().is_some_and(|new| new.path == self.path_after(one))
    }

    /// Returns the path of the file of a use after the change.
    fn path_after<'a>(&'a self, one: &'a DefinitionUse) -> &'a str {
        let mut changed = self.response.files.iter().filter(|_| one.file.0 == self.repo_idx);
        changed.find(|file| file.old_path == one.file.1).map_or(one.file.1.as_str(), |file| file.new_path.as_str())
    }

    /// Returns true if the old file imports the name after the change, so that users may still find it there.
    fn is_imported(&self, sides: &BothSides<'_>) -> bool {
        let old_path = sides.change.old.as_ref().map_or("", |old| old.path.as_str());
        let file = self.response.files.iter().find(|file| file.old_path == old_path && file.new_path == old_path);
        let imports = file.map(|file| file.imports.as_slice()).unwrap_or_default();
        let local_name = |import: &v1::ImportedName| {
            if import.alias.is_empty() { import.name.clone() } else { import.alias.clone() }
        };
        sides.symbol.container.is_empty() && imports.iter().any(|import| local_name(import) == sides.symbol.name)
    }

    fn missing_member(&self, sides: &BothSides<'_>, one: &DefinitionUse, current: &CurrentUse<'_>) -> SiteVerdict {
        let user = self.cards.get(&one.user).and_then(|card| card.symbol.as_ref());
        let Some(user) = user else { return SiteVerdict::Maybe("it may lack the new member".to_owned()) };
        let name = &sides.symbol.name;
        let own = qualify(&user.container, &user.name);
        let has_it = current.definitions.iter().any(|other| other.name == *name && other.container == own);
        match has_it {
            true => SiteVerdict::Fine,
            false if is_abstract_type(user) => SiteVerdict::Maybe(format!("its subtypes must provide `{name}`")),
            false => SiteVerdict::Broken(format!("it does not provide the new member `{name}`")),
        }
    }
}

fn both_sides(change: &v1::DefinitionChange) -> Option<BothSides<'_>> {
    let side = change.old.as_ref().or(change.new.as_ref())?;
    let old = declared(side, None)?;
    let new_side = change.new.as_ref().unwrap_or(side);
    let new: Vec<DeclaredSignature> =
        change.overloads.iter().filter_map(|text| declared(new_side, Some(text))).collect();
    let changes = match (&change.old, new.first()) {
        (Some(_), Some(new)) if change.kind() != DefinitionChangeKind::Removed => signature_changes(&old, new),
        _ => Vec::new(),
    };
    Some(BothSides { change, old, new, changes, symbol: side.symbol.as_ref()? })
}

fn new_name(change: &v1::DefinitionChange) -> String {
    let symbol = change.new.as_ref().and_then(|new| new.symbol.as_ref());
    symbol.map(|symbol| qualify(&symbol.container, &symbol.name)).unwrap_or_default()
}

/// Returns true for a member that lines can use without the name of its renamed type, such as `case RED:`.
fn is_used_without_type(changed: &v1::Symbol, root: &v1::Symbol) -> bool {
    let rest = root.container.strip_prefix(&qualify(&changed.container, &changed.name));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.')) && !is_constructor(root)
}

fn is_constructor(symbol: &v1::Symbol) -> bool {
    symbol.kind == SymbolKind::Constructor.name()
}

/// Returns the names by which a definition is called.
fn called_names(symbol: &v1::Symbol) -> Vec<&str> {
    let owner = Some(owner(symbol)).filter(|owner| is_constructor(symbol) && !owner.is_empty());
    std::iter::once(symbol.name.as_str()).chain(owner).collect()
}

fn passed_arguments(symbol: &v1::Symbol, call: &v1::CallSite) -> PassedArguments {
    // A constructor is called without its receiver.
    let is_by_type = call.name != symbol.name;
    PassedArguments {
        receiver: if is_by_type { String::new() } else { call.receiver.clone() },
        n_positional: call.positional as usize,
        names: call.names.clone(),
        is_rewritten: false,
        is_open: call.open,
        types: call.types.clone(),
        named_types: call.named_types.clone(),
    }
}

fn is_abstract_type(symbol: &v1::Symbol) -> bool {
    matches!(symbol.kind.as_str(), "interface" | "trait") || symbol.signature.contains("abstract ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_used_without_their_renamed_type() {
        let symbol = |kind: &str, container: &str, name: &str| {
            let (kind, container, name) = (kind.to_owned(), container.to_owned(), name.to_owned());
            v1::Symbol { kind, container, name, ..Default::default() }
        };
        let changed = symbol("enum", "", "Color");
        for (kind, container, name, expected) in [
            ("variant", "Color", "RED", true),
            ("class", "Color", "Shade", true),
            ("enum", "", "Color", false),
            ("constructor", "Color", "Color", false),
            ("variant", "Colors", "RED", false),
        ] {
            assert_eq!(is_used_without_type(&changed, &symbol(kind, container, name)), expected, "{kind} {name}");
        }
    }
}
