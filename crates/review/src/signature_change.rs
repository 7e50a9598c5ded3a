//! Differences between two signatures of one definition.

use std::fmt;

use model::Language;

use crate::{
    DeclaredParameter, DeclaredSignature, ParameterKind, Visibility,
    type_fit::{TypeFit, type_fit},
    type_spelling::is_same_type,
};

/// A difference between two signatures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignatureChange {
    /// A parameter that was not there.
    ParameterAdded {
        /// Its name.
        name: String,
        /// True if a call must pass it.
        is_required: bool,
    },
    /// A parameter that is gone.
    ParameterRemoved {
        /// Its name.
        name: String,
    },
    /// A parameter with another name in the same place.
    ParameterRenamed {
        /// The old name.
        from: String,
        /// The new name.
        to: String,
    },
    /// The parameters are in another order.
    ParametersReordered,
    /// A parameter with another type.
    ParameterType {
        /// Its name.
        name: String,
        /// The old type.
        from: String,
        /// The new type.
        to: String,
    },
    /// A parameter that a call must pass now.
    ParameterRequired {
        /// Its name.
        name: String,
    },
    /// A parameter that a call may omit now.
    ParameterOptional {
        /// Its name.
        name: String,
    },
    /// A parameter that is passed in another way, such as by name alone.
    ParameterKind {
        /// Its name.
        name: String,
    },
    /// A parameter with another default value.
    Default {
        /// Its name.
        name: String,
    },
    /// Another return type, or type of a field.
    Result {
        /// The old type.
        from: String,
        /// The new type.
        to: String,
    },
    /// Other declared errors.
    Throws {
        /// The old errors.
        from: String,
        /// The new errors.
        to: String,
    },
    /// Another visibility.
    Visibility {
        /// The old one.
        from: Visibility,
        /// The new one.
        to: Visibility,
    },
    /// A modifier that is new.
    ModifierAdded(String),
    /// A modifier that is gone.
    ModifierRemoved(String),
    /// Another receiver (`&self` became `&mut self`).
    Receiver {
        /// The old receiver.
        from: String,
        /// The new receiver.
        to: String,
    },
    /// Any other difference of the declaration.
    Other,
}

/// Returns the differences between two signatures, parameters first.
pub fn signature_changes(old: &DeclaredSignature, new: &DeclaredSignature) -> Vec<SignatureChange> {
    let mut changes = match (&old.parameters, &new.parameters) {
        (Some(before), Some(after)) => parameter_changes(old.language, before, after),
        (None, None) => Vec::new(),
        _ => vec![SignatureChange::Other],
    };
    let pair = |from: &String, to: &String| (from != to).then(|| (from.clone(), to.clone()));
    let result = pair(&old.result, &new.result).filter(|(from, to)| !is_same_type(old.language, from, to));
    changes.extend(result.map(|(from, to)| SignatureChange::Result { from, to }));
    changes.extend(pair(&old.throws, &new.throws).map(|(from, to)| SignatureChange::Throws { from, to }));
    changes.extend(pair(&old.receiver, &new.receiver).map(|(from, to)| SignatureChange::Receiver { from, to }));
    if old.visibility != new.visibility {
        changes.push(SignatureChange::Visibility { from: old.visibility, to: new.visibility });
    }
    changes.extend(new.modifiers.difference(&old.modifiers).cloned().map(SignatureChange::ModifierAdded));
    changes.extend(old.modifiers.difference(&new.modifiers).cloned().map(SignatureChange::ModifierRemoved));
    changes.extend((old.rest != new.rest).then_some(SignatureChange::Other));
    changes
}

fn parameter_changes(language: Language, old: &[DeclaredParameter], new: &[DeclaredParameter]) -> Vec<SignatureChange> {
    let pairs = pair_parameters(old, new);
    let partner_of_old = |at: usize| pairs.iter().find(|(from, _)| *from == at).map(|(_, to)| &new[*to]);
    let mut changes = Vec::new();
    for (at, before) in old.iter().enumerate() {
        let name = shown_name(before, at);
        let Some(after) = partner_of_old(at) else {
            changes.push(SignatureChange::ParameterRemoved { name });
            continue;
        };
        if before.name != after.name && !before.name.is_empty() && !after.name.is_empty() {
            let (from, to) = (before.name.clone(), after.name.clone());
            changes.push(SignatureChange::ParameterRenamed { from, to });
        }
        if !is_same_type(language, &before.type_text, &after.type_text) {
            let (from, to) = (before.type_text.clone(), after.type_text.clone());
            changes.push(SignatureChange::ParameterType { name: name.clone(), from, to });
        }
        if before.kind != after.kind {
            changes.push(SignatureChange::ParameterKind { name: name.clone() });
        }
        match (before.is_optional, after.is_optional) {
            (true, false) => changes.push(SignatureChange::ParameterRequired { name }),
            (false, true) => changes.push(SignatureChange::ParameterOptional { name }),
            _ if before.default != after.default => changes.push(SignatureChange::Default { name }),
            _ => {}
        }
    }
    for (at, after) in new.iter().enumerate() {
        if !pairs.iter().any(|(_, to)| *to == at) {
            changes
                .push(SignatureChange::ParameterAdded { name: shown_name(after, at), is_required: !after.is_optional });
        }
    }
    let is_ordered = pairs.windows(2).all(|two| two[0].1 < two[1].1);
    changes.extend((!is_ordered).then_some(SignatureChange::ParametersReordered));
    changes
}

/// Returns true if the new declaration accepts each call that the old one accepts, with the same meaning and result.
pub fn keeps_every_call(old: &DeclaredSignature, new: &DeclaredSignature) -> bool {
    let (Some(before), Some(after)) = (&old.parameters, &new.parameters) else { return false };
    let is_by_position = |one: &&DeclaredParameter| {
        matches!(one.kind, ParameterKind::Plain | ParameterKind::PositionalOnly | ParameterKind::Variadic)
    };
    let by_position = |list: &[DeclaredParameter]| list.iter().filter(is_by_position).cloned().collect::<Vec<_>>();
    let (old_places, new_places) = (by_position(before), by_position(after));
    let takes_rest = old_places.last().is_some_and(|one| one.kind == ParameterKind::Variadic);
    let is_same_place =
        |(from, to): (&DeclaredParameter, &DeclaredParameter)| (from.kind, &from.name) == (to.kind, &to.name);
    let has_same_places = old_places.len() <= new_places.len()
        && (!takes_rest || old_places.len() == new_places.len())
        && old_places.iter().zip(&new_places).all(is_same_place);
    let is_harmless = |change: &SignatureChange| match change {
        SignatureChange::ParameterAdded { is_required, .. } => !is_required,
        SignatureChange::ParameterType { from, to, .. } => {
            // A caller may not pass what an undeclared type took.
            !from.is_empty() && !to.is_empty() && type_fit(old.language, from, to) == TypeFit::Always
        }
        SignatureChange::ParameterOptional { .. } | SignatureChange::Default { .. } => true,
        _ => false,
    };
    // A new parameter takes its name out of the remaining arguments.
    let takes_names = before.iter().any(|one| one.kind == ParameterKind::NamedVariadic);
    has_same_places && !takes_names && signature_changes(old, new).iter().all(is_harmless)
}

/// Pairs the parameters of both sides by name, then the remaining ones by position and type.
fn pair_parameters(old: &[DeclaredParameter], new: &[DeclaredParameter]) -> Vec<(usize, usize)> {
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (from, before) in old.iter().enumerate().filter(|(_, before)| !before.name.is_empty()) {
        let is_free = |to: usize| pairs.iter().all(|(_, taken)| *taken != to);
        let to = (0..new.len()).find(|to| new[*to].name == before.name && is_free(*to));
        pairs.extend(to.map(|to| (from, to)));
    }
    for (from, before) in old.iter().enumerate() {
        let is_free = |pairs: &[(usize, usize)], to: usize| pairs.iter().all(|(_, taken)| *taken != to);
        if pairs.iter().any(|(taken, _)| *taken == from) {
            continue;
        }
        let is_alike = |after: &DeclaredParameter| {
            after.type_text == before.type_text
                || after.name.is_empty()
                || before.name.is_empty()
                || old.len() == new.len()
        };
        if new.get(from).is_some_and(|after| is_free(&pairs, from) && is_alike(after)) {
            pairs.push((from, from));
        }
    }
    pairs.sort_unstable();
    pairs
}

/// Returns the name of a parameter, or its position from 1.
fn shown_name(parameter: &DeclaredParameter, at: usize) -> String {
    match parameter.kind {
        ParameterKind::Variadic => format!("...{}", parameter.name),
        _ if parameter.name.is_empty() => format!("#{}", at + 1),
        _ => parameter.name.clone(),
    }
}

impl fmt::Display for Visibility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Visibility::Private => "private",
            Visibility::Restricted => "restricted",
            Visibility::Public => "public",
        })
    }
}

impl fmt::Display for SignatureChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or_none = |text: &str| if text.is_empty() { "none".to_owned() } else { format!("`{text}`") };
        match self {
            SignatureChange::ParameterAdded { name, is_required: true } => write!(f, "new required parameter `{name}`"),
            SignatureChange::ParameterAdded { name, .. } => write!(f, "new optional parameter `{name}`"),
            SignatureChange::ParameterRemoved { name } => write!(f, "parameter `{name}` removed"),
            SignatureChange::ParameterRenamed { from, to } => write!(f, "parameter `{from}` renamed to `{to}`"),
            SignatureChange::ParametersReordered => write!(f, "parameters in another order"),
            SignatureChange::ParameterType { name, from, to } => {
                write!(f, "type of parameter `{name}`: {} to {}", or_none(from), or_none(to))
            }
            SignatureChange::ParameterRequired { name } => write!(f, "parameter `{name}` is required now"),
            SignatureChange::ParameterOptional { name } => write!(f, "parameter `{name}` is optional now"),
            SignatureChange::ParameterKind { name } => write!(f, "parameter `{name}` is passed in another way"),
            SignatureChange::Default { name } => write!(f, "another default of parameter `{name}`"),
            SignatureChange::Result { from, to } => write!(f, "type: {} to {}", or_none(from), or_none(to)),
            SignatureChange::Throws { from, to } => write!(f, "declared errors: {} to {}", or_none(from), or_none(to)),
            SignatureChange::Visibility { from, to } => write!(f, "visibility: {from} to {to}"),
            SignatureChange::ModifierAdded(word) => write!(f, "`{word}` added"),
            SignatureChange::ModifierRemoved(word) => write!(f, "`{word}` removed"),
            SignatureChange::Receiver { from, to } => write!(f, "receiver: {} to {}", or_none(from), or_none(to)),
            SignatureChange::Other => write!(f, "another declaration"),
        }
    }
}

#[cfg(test)]
mod tests {
    use model::SymbolKind;

    use super::*;

    #[test]
    fn optional_parameters_behind_the_others_keep_every_call() {
        use Language::{Cpp, Java, Kotlin, Python};
        for (language, old, new, expected) in [
            (Python, "def f(a, b=1)", "def f(a, b=1, c=2)", true),
            (Python, "def f(a, *, b)", "def f(a, *, c=1, b)", true),
            (Python, "def f(a: 'A')", "def f(a: A = None)", true),
            (Python, "def f(a, b=1)", "def f(a, c=2, b=1)", false),
            (Python, "def f(a)", "def f(a, c)", false),
            (Python, "def f(a, *rest)", "def f(a, c=1, *rest)", false),
            (Python, "def f(a, *rest)", "def f(a, *rest, c=1)", true),
            (Python, "def f(a, **rest)", "def f(a, c=1, **rest)", false),
            (Python, "def f(a)", "def f(b)", false),
            (Python, "def f(a: str)", "def f(a: int, b=1)", false),
            (Python, "def f(a: str)", "def f(a: t.Optional[str])", true),
            (Python, "def f(a: t.Optional[str])", "def f(a: str)", false),
            (Python, "def f(a)", "def f(a: str)", false),
            (Python, "def f(a)", "async def f(a, b=1)", false),
            (Python, "def f(a) -> A", "def f(a, b=1) -> B", false),
            (Cpp, "void f(int a)", "void f(int a, int b = 1)", true),
            (Java, "void f(int a)", "void f(int a, int b)", false),
            (Kotlin, "fun f(a: Int)", "fun f(a: Int, b: Int = 1)", true),
        ] {
            let read = |text: &str| DeclaredSignature::of(language, SymbolKind::Function, "", "f", text);
            assert_eq!(keeps_every_call(&read(old), &read(new)), expected, "{old} {new}");
        }
    }
}
