//! Differences between two signatures of one definition.

use std::fmt;

use crate::{DeclaredParameter, DeclaredSignature, ParameterKind, Visibility};

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
        (Some(old), Some(new)) => parameter_changes(old, new),
        (None, None) => Vec::new(),
        _ => vec![SignatureChange::Other],
    };
    let pair = |from: &String, to: &String| (from != to).then(|| (from.clone(), to.clone()));
    changes.extend(pair(&old.result, &new.result).map(|(from, to)| SignatureChange::Result { from, to }));
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

fn parameter_changes(old: &[DeclaredParameter], new: &[DeclaredParameter]) -> Vec<SignatureChange> {
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
        if before.type_text != after.type_text {
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
