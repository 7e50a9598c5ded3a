//! The effect of a new signature on a call site.

use model::Language;

use crate::{
    DeclaredParameter, DeclaredSignature, ParameterKind, SignatureChange, Visibility,
    type_fit::{TypeFit, type_fit},
    type_spelling::is_same_type,
};

/// The arguments of a call, as written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PassedArguments {
    /// The last name of the receiver; empty if there is none.
    pub receiver: String,
    /// Number of arguments without a name.
    pub n_positional: usize,
    /// Names of the named arguments.
    pub names: Vec<String>,
    /// True if there may be more arguments: one is spread, or is a block behind the list.
    pub is_open: bool,
    /// The type of each argument without a name, if it is a literal: `str`, `bytes`, `int` or `bool`. Empty for others.
    pub types: Vec<String>,
    /// The same of each named argument.
    pub named_types: Vec<String>,
    /// True if the change wrote the call, so that its arguments are meant for the new declaration.
    pub is_rewritten: bool,
}

/// The effect of a change on a use.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SiteVerdict {
    /// The use fails, for this reason.
    Broken(String),
    /// The use may fail, for this reason.
    Maybe(String),
    /// The use works as before.
    Fine,
}

/// Returns the effect of new declarations of one name on a call of the old one. All overloads are in `new`, the one that replaced `old`
/// first; `changes` are the differences between both, and empty if none replaced it.
pub fn judge(
    old: &DeclaredSignature,
    new: &[DeclaredSignature],
    changes: &[SignatureChange],
    call: &PassedArguments,
) -> SiteVerdict {
    if is_hidden(changes) {
        return SiteVerdict::Broken("it is private now".to_owned());
    }
    let call = &with_known_results(old, call);
    let fits: Vec<CallFit> = new.iter().map(|one| fit(old, one, call)).collect();
    let best = || fits.iter().min().cloned();
    let first = if changes.is_empty() { best() } else { fits.first().cloned() };
    let Some(first) = first else { return SiteVerdict::Broken("it no longer exists".to_owned()) };
    let was_accepted = refusal(old, call).is_none();
    match first {
        // A call of another overload.
        CallFit::Refused(_) if !was_accepted && best() == Some(CallFit::Fits) => SiteVerdict::Fine,
        CallFit::Refused(_) if best().is_some_and(|best| !matches!(best, CallFit::Refused(_))) => {
            SiteVerdict::Maybe("another overload accepts the arguments".to_owned())
        }
        CallFit::Refused(reason) if !was_accepted => {
            SiteVerdict::Maybe(format!("the old declaration did not accept the arguments either: {reason}"))
        }
        CallFit::Refused(reason) if checks_arguments(old.language) => SiteVerdict::Broken(reason),
        CallFit::Refused(reason) => SiteVerdict::Maybe(format!("{reason}; the language does not check this")),
        CallFit::Doubtful(reason) if changes.is_empty() => SiteVerdict::Maybe(format!("it is removed: {reason}")),
        CallFit::Doubtful(reason) => SiteVerdict::Maybe(doubt(old, changes, call).unwrap_or(reason)),
        CallFit::Fits => doubt(old, changes, call).map_or(SiteVerdict::Fine, SiteVerdict::Maybe),
    }
}

/// Returns a call of Go without doubt about its number of arguments: if the old declaration takes one argument, so many results has the call
/// that it gets. A call that the change wrote may get another one.
fn with_known_results(old: &DeclaredSignature, call: &PassedArguments) -> PassedArguments {
    let is_variadic = |one: &DeclaredParameter| one.kind == ParameterKind::Variadic;
    let is_fixed = old.parameters.as_ref().is_some_and(|parameters| !parameters.iter().any(is_variadic));
    let closed = PassedArguments { is_open: false, ..call.clone() };
    match old.language == Language::Go && !call.is_rewritten && is_fixed && refusal(old, &closed).is_none() {
        true => closed,
        false => call.clone(),
    }
}

/// Returns the effect on a call of a declaration that is not visible to it now. `others` are the visible overloads.
pub fn judge_hidden(old: &DeclaredSignature, others: &[DeclaredSignature], call: &PassedArguments) -> SiteVerdict {
    let is_refused = |other: &DeclaredSignature| matches!(fit(old, other, call), CallFit::Refused(_));
    match others.iter().all(is_refused) {
        // A call of another overload.
        _ if !others.is_empty() && has_other_literal(old, call) => SiteVerdict::Fine,
        true => SiteVerdict::Broken("it is private now".to_owned()),
        false if refusal(old, call).is_some() => SiteVerdict::Fine,
        false => SiteVerdict::Maybe("it is private now, and another overload may accept the arguments".to_owned()),
    }
}

/// Returns true if a literal argument is never one of its parameter.
fn has_other_literal(signature: &DeclaredSignature, call: &PassedArguments) -> bool {
    let passes_receiver = !signature.receiver.is_empty() && call.receiver == signature.owner;
    let Some(parameters) = signature.parameters.as_ref().filter(|_| !call.is_open && !passes_receiver) else {
        return false;
    };
    let is_plain = |one: &&DeclaredParameter| matches!(one.kind, ParameterKind::Plain | ParameterKind::PositionalOnly);
    let by_position = parameters.iter().take_while(is_plain).zip(&call.types);
    let by_name =
        call.names.iter().zip(&call.named_types).filter_map(|(name, literal)| {
            Some((parameters.iter().find(|parameter| parameter.name == *name)?, literal))
        });
    by_position.chain(by_name).any(|(parameter, literal)| {
        let is_known = !literal.is_empty() && !parameter.type_text.is_empty();
        is_known && type_fit(signature.language, literal, &parameter.type_text) == TypeFit::Never
    })
}

/// The fit of a declaration for the arguments that an older one accepted, the best first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum CallFit {
    Fits,
    /// A type is another one, and may fit.
    Doubtful(String),
    Refused(String),
}

fn fit(old: &DeclaredSignature, new: &DeclaredSignature, call: &PassedArguments) -> CallFit {
    if let Some(reason) = refusal(new, call) {
        return CallFit::Refused(reason);
    }
    // The arguments of a call that passes the receiver are one further.
    let (Some(before), Some(after)) = (&old.parameters, &new.parameters) else { return CallFit::Fits };
    if !old.receiver.is_empty() && call.receiver == old.owner && !call.receiver.is_empty() {
        return CallFit::Fits;
    }
    let is_plain = |one: &&DeclaredParameter| matches!(one.kind, ParameterKind::Plain | ParameterKind::PositionalOnly);
    let by_position = before.iter().zip(after).take(call.n_positional).enumerate();
    let by_position = by_position.take_while(|(_, (from, to))| is_plain(from) && is_plain(to));
    // A spread argument takes an unknown number of places, so that the literals behind it have unknown parameters.
    let literals: &[String] = if call.is_open { &[] } else { &call.types };
    let by_position = by_position.map(|(at, (from, to))| (from, to, literals.get(at)));
    let named = |parameters: &'_ [DeclaredParameter], name: &String| {
        parameters.iter().position(|parameter| parameter.name == *name)
    };
    let by_name = call.names.iter().enumerate().filter_map(|(at, name)| {
        Some((&before[named(before, name)?], &after[named(after, name)?], call.named_types.get(at)))
    });
    let fits = by_position.chain(by_name).map(|(from, to, literal)| {
        let is_refused = |literal: &&String| {
            let fits = |parameter: &DeclaredParameter| {
                parameter.type_text.is_empty()
                    || parameter.default.as_ref() == Some(literal)
                    || type_fit(old.language, literal, &parameter.type_text) != TypeFit::Never
            };
            !literal.is_empty() && fits(from) && !fits(to)
        };
        if let Some(literal) = literal.filter(is_refused) {
            return CallFit::Refused(format!("parameter `{}` is `{}`, and gets `{literal}`", to.name, to.type_text));
        }
        if call.is_rewritten {
            return CallFit::Fits;
        }
        let reason = || format!("parameter `{}` is `{}`, and was `{}`", to.name, to.type_text, from.type_text);
        match type_fit(old.language, &from.type_text, &to.type_text) {
            TypeFit::Always => CallFit::Fits,
            _ if from.type_text.is_empty() || to.type_text.is_empty() => CallFit::Fits,
            _ if is_same_type(old.language, &from.type_text, &to.type_text) => CallFit::Fits,
            TypeFit::Unknown => CallFit::Doubtful(reason()),
            TypeFit::Never => CallFit::Refused(reason()),
        }
    });
    fits.max().unwrap_or(CallFit::Fits)
}

fn is_hidden(changes: &[SignatureChange]) -> bool {
    changes.iter().any(|change| matches!(change, SignatureChange::Visibility { to: Visibility::Private, .. }))
}

/// Returns true for languages in which a call with wrong arguments fails.
fn checks_arguments(language: Language) -> bool {
    !matches!(language, Language::JavaScript | Language::Lua | Language::Bash)
}

/// Returns the reason why a declaration does not accept the arguments of a call.
fn refusal(signature: &DeclaredSignature, call: &PassedArguments) -> Option<String> {
    let parameters = signature.parameters.as_ref()?;
    let passes_receiver =
        !signature.receiver.is_empty() && signature.receiver != "cls" && call.receiver == signature.owner;
    if passes_receiver && !call.receiver.is_empty() && call.n_positional == 0 {
        return None;
    }
    let n_positional = call.n_positional - usize::from(passes_receiver && !call.receiver.is_empty());
    let by_position =
        |parameter: &&DeclaredParameter| matches!(parameter.kind, ParameterKind::Plain | ParameterKind::PositionalOnly);
    let has = |kind: ParameterKind| parameters.iter().any(|parameter| parameter.kind == kind);
    let n_places = parameters.iter().filter(by_position).count();
    if n_positional > n_places && !has(ParameterKind::Variadic) && signature.language != Language::Php {
        return Some(format!("{n_positional} arguments, and it takes {n_places}"));
    }
    let takes_names = has_named_arguments(signature.language);
    let is_named = |parameter: &DeclaredParameter| takes_names && call.names.contains(&parameter.name);
    let accepts = |name: &String| {
        let is_it = |parameter: &DeclaredParameter| {
            parameter.name == *name && matches!(parameter.kind, ParameterKind::Plain | ParameterKind::NamedOnly)
        };
        has(ParameterKind::NamedVariadic) || parameters.iter().any(is_it)
    };
    if takes_names && let Some(unknown) = call.names.iter().find(|name| !accepts(name)) {
        return Some(format!("no parameter `{unknown}`"));
    }
    if call.is_open {
        return None;
    }
    let mut n_left = n_positional;
    for parameter in parameters {
        let is_passed = by_position(&parameter) && n_left > 0;
        n_left -= usize::from(is_passed);
        if !is_passed && !parameter.is_optional && !is_named(parameter) {
            let name = if parameter.name.is_empty() { &parameter.type_text } else { &parameter.name };
            return Some(format!("no argument for the required parameter `{name}`"));
        }
    }
    None
}

/// Returns true for languages with named arguments.
fn has_named_arguments(language: Language) -> bool {
    use Language::*;
    matches!(language, Python | Kotlin | Scala | CSharp | Swift | Ruby | Php | Dart)
}

/// Returns the reason why an accepted call may fail or behave in another way.
fn doubt(old: &DeclaredSignature, changes: &[SignatureChange], call: &PassedArguments) -> Option<String> {
    let parameters = old.parameters.as_deref().unwrap_or_default();
    let is_passed = |name: &str| {
        let place = parameters.iter().position(|parameter| parameter.name == name);
        call.is_open
            || call.names.iter().any(|named| named == name)
            || place.is_none_or(|place| place < call.n_positional)
    };
    let matters = |change: &&SignatureChange| match change {
        SignatureChange::ParameterType { name, from, to } => {
            let is_other = type_fit(old.language, from, to) != TypeFit::Always;
            !from.is_empty() && !to.is_empty() && is_other && is_passed(name) && !call.is_rewritten
        }
        // The spread arguments may not be enough.
        SignatureChange::ParameterAdded { name, is_required: true } | SignatureChange::ParameterRequired { name } => {
            call.is_open && !call.is_rewritten && !call.names.contains(name)
        }
        SignatureChange::ParametersReordered => call.n_positional > 1 && !call.is_rewritten,
        SignatureChange::Result { from, .. } => !from.is_empty(),
        SignatureChange::Receiver { to, .. } => to.starts_with("&mut") || !to.starts_with('&'),
        SignatureChange::Throws { to, .. } => !to.is_empty(),
        SignatureChange::Visibility { from, to } => to < from,
        SignatureChange::ModifierAdded(word) | SignatureChange::ModifierRemoved(word) => {
            matches!(
                word.as_str(),
                "async" | "static" | "suspend" | "unsafe" | "get" | "readonly" | "property" | "classmethod"
            )
        }
        SignatureChange::ParameterRemoved { name } => is_passed(name) && !call.is_rewritten,
        SignatureChange::Other => true,
        _ => false,
    };
    changes.iter().find(matters).map(ToString::to_string)
}

#[cfg(test)]
mod tests;
