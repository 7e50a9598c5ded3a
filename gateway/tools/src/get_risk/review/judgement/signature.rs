//! The effect of another signature on a use.

use model::Language;
use review::{
    DeclaredSignature, PassedArguments, PropertyAccess, SignatureChange, SiteVerdict, Visibility, judge, judge_hidden,
    judge_property, keeps_every_call,
};

use super::BothSides;
use crate::get_risk::review::uses::{DefinitionUse, UseKind};

/// Judges one place that uses a definition with another signature.
pub(super) fn at_site(
    sides: &BothSides<'_>,
    one: &DefinitionUse,
    calls: &[PassedArguments],
    is_own_file: bool,
) -> SiteVerdict {
    if is_hidden(&sides.changes) && !is_own_file {
        let is_visible = |other: &&DeclaredSignature| other.visibility != Visibility::Private;
        let others: Vec<DeclaredSignature> = sides.new.iter().skip(1).filter(is_visible).cloned().collect();
        let verdicts = calls.iter().map(|call| judge_hidden(&sides.old, &others, call));
        return verdicts.min().unwrap_or_else(|| SiteVerdict::Broken("it is private now".to_owned()));
    }
    let changes: Vec<SignatureChange> =
        sides.changes.iter().filter(|change| !matches!(change, SignatureChange::Visibility { .. })).cloned().collect();
    // Of several declarations, that of the use is not known.
    let keeps_calls = matches!(sides.new.as_slice(), [new] if keeps_every_call(&sides.old, new));
    let first_change = || changes.iter().map(ToString::to_string).next();
    let access = match one.kind {
        UseKind::Call | UseKind::Test if !calls.is_empty() => Some(PropertyAccess::Called),
        UseKind::Reference if calls.is_empty() => Some(PropertyAccess::Read),
        _ => None,
    };
    let of_property = access.zip(sides.new.first()).and_then(|(access, new)| judge_property(new, &changes, access));
    if let Some(verdict) = of_property {
        return verdict;
    }
    match one.kind {
        UseKind::Contract if !sides.change.wire_conflict.is_empty() => {
            SiteVerdict::Broken(format!("not compatible on the wire: {}", sides.change.wire_conflict))
        }
        UseKind::Call | UseKind::Test | UseKind::Contract if !calls.is_empty() => {
            let verdicts = calls.iter().map(|call| judge(&sides.old, &sides.new, &changes, call));
            verdicts.min().unwrap_or(SiteVerdict::Fine)
        }
        UseKind::Call if keeps_calls => SiteVerdict::Fine,
        UseKind::Call if sides.old.parameters.is_some() => match first_change() {
            Some(change) => SiteVerdict::Maybe(format!("{change}; the arguments of the use cannot be read")),
            None if sides.new.is_empty() => SiteVerdict::Broken("it is removed".to_owned()),
            None => SiteVerdict::Fine,
        },
        UseKind::Subtype => match first_change() {
            Some(change) => SiteVerdict::Maybe(change),
            None => SiteVerdict::Fine,
        },
        // A field or constant has another type; a function is passed on.
        _ if keeps_calls && can_be_passed_on(sides.old.language, &changes) => SiteVerdict::Fine,
        _ => {
            let is_typed = |change: &&SignatureChange| !matches!(change, SignatureChange::Default { .. });
            changes.iter().find(is_typed).map_or(SiteVerdict::Fine, |change| SiteVerdict::Maybe(change.to_string()))
        }
    }
}

/// Returns true if a definition is private now.
pub(super) fn is_hidden(changes: &[SignatureChange]) -> bool {
    changes.iter().any(|change| matches!(change, SignatureChange::Visibility { to: Visibility::Private, .. }))
}

/// Returns true if a definition of everybody is visible to its package or module alone now.
pub(super) fn is_restricted(changes: &[SignatureChange]) -> bool {
    changes.iter().any(|change| {
        matches!(change, SignatureChange::Visibility { to: Visibility::Restricted, from: Visibility::Public })
    })
}

/// Returns true if a function that takes every call of the old one can be passed on in place of it.
fn can_be_passed_on(language: Language, changes: &[SignatureChange]) -> bool {
    use Language::{JavaScript, Php, Python, Ruby, Tsx, TypeScript};
    match language {
        Python | Ruby => true,
        // `items.map(f)` passes further arguments, which `f` ignored.
        JavaScript | Php | Tsx | TypeScript => {
            !changes.iter().any(|change| matches!(change, SignatureChange::ParameterAdded { .. }))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use model::SymbolKind;
    use review::signature_changes;

    use super::*;

    #[test]
    fn longer_functions_are_passed_on_where_callers_pass_no_more() {
        use Language::{Java, JavaScript, Python, Ruby, TypeScript};
        for (language, old, new, expected) in [
            (Python, "def f(a)", "def f(a, radix=10)", true),
            (Ruby, "def f(a)", "def f(a, radix = 10)", true),
            (TypeScript, "function f(a: string)", "function f(a: string, radix?: number)", false),
            (TypeScript, "function f(a: string)", "function f(a: string | number)", true),
            (JavaScript, "function f(a)", "function f(a, radix = 10)", false),
            (Java, "void f(String a)", "void f(Object a)", false),
        ] {
            let read = |text: &str| DeclaredSignature::of(language, SymbolKind::Function, "", "f", text);
            let changes = signature_changes(&read(old), &read(new));
            assert_eq!(can_be_passed_on(language, &changes), expected, "{language:?} {new}");
        }
    }

    #[test]
    fn definitions_of_everybody_may_be_restricted() {
        use Visibility::{Private, Public, Restricted};
        for (from, to, expected) in [(Public, Restricted, true), (Public, Private, false), (Restricted, Public, false)]
        {
            assert_eq!(is_restricted(&[SignatureChange::Visibility { from, to }]), expected, "{from:?} {to:?}");
        }
    }
}
