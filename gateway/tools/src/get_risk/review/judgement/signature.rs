//! The effect of another signature on a use.

use model::Language;
use review::{PassedArguments, SignatureChange, SiteVerdict, Visibility, judge};

use super::BothSides;
use crate::get_risk::review::uses::{DefinitionUse, UseKind};

/// Judges one place that uses a definition with another signature.
pub(super) fn at_site(
    sides: &BothSides<'_>,
    one: &DefinitionUse,
    calls: &[PassedArguments],
    is_own_file: bool,
) -> SiteVerdict {
    let is_hidden = sides
        .changes
        .iter()
        .any(|change| matches!(change, SignatureChange::Visibility { to: Visibility::Private, .. }));
    if is_hidden && !is_own_file {
        return SiteVerdict::Broken("it is private now".to_owned());
    }
    let changes: Vec<SignatureChange> =
        sides.changes.iter().filter(|change| !matches!(change, SignatureChange::Visibility { .. })).cloned().collect();
    let first_change = || changes.iter().map(ToString::to_string).next();
    match one.kind {
        UseKind::Contract if !sides.change.wire_conflict.is_empty() => {
            SiteVerdict::Broken(format!("not compatible on the wire: {}", sides.change.wire_conflict))
        }
        UseKind::Call | UseKind::Contract if !calls.is_empty() => {
            let verdicts = calls.iter().map(|call| judge(&sides.old, &sides.new, &changes, call));
            verdicts.min().unwrap_or(SiteVerdict::Fine)
        }
        UseKind::Call if sides.old.parameters.is_some() => match first_change() {
            Some(change) => SiteVerdict::Maybe(format!("{change}; the arguments of the use cannot be read")),
            None if sides.new.is_empty() => SiteVerdict::Broken("it is removed".to_owned()),
            None => SiteVerdict::Fine,
        },
        UseKind::Override => overridden(sides, &changes),
        UseKind::Subtype => match first_change() {
            Some(change) => SiteVerdict::Maybe(change),
            None => SiteVerdict::Fine,
        },
        // A field or constant has another type; a function is passed on.
        _ => {
            let is_typed = |change: &&SignatureChange| !matches!(change, SignatureChange::Default { .. });
            changes.iter().find(is_typed).map_or(SiteVerdict::Fine, |change| SiteVerdict::Maybe(change.to_string()))
        }
    }
}

/// Judges an override of a method with another signature.
fn overridden(sides: &BothSides<'_>, changes: &[SignatureChange]) -> SiteVerdict {
    let is_checked =
        !matches!(sides.old.language, Language::Python | Language::Ruby | Language::JavaScript | Language::Php);
    let changes_form = changes.iter().find(|change| {
        matches!(
            change,
            SignatureChange::ParameterAdded { .. }
                | SignatureChange::ParameterRemoved { .. }
                | SignatureChange::ParameterType { .. }
        )
    });
    match changes_form {
        Some(change) if is_checked && sides.change.old.as_ref().is_some_and(|old| old.is_abstract) => {
            SiteVerdict::Broken(format!("it implements the old declaration: {change}"))
        }
        Some(change) => SiteVerdict::Maybe(format!("it overrides the old declaration: {change}")),
        None => SiteVerdict::Fine,
    }
}
