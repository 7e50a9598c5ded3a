//! A method that became a property, or the reverse: calls and reads that no longer fit.

use model::Language;

use crate::{DeclaredSignature, SignatureChange, SiteVerdict};

/// A way to use a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PropertyAccess {
    /// `a.b()`.
    Called,
    /// `a.b`.
    Read,
}

/// Returns the verdict about a use of a member that became a property or is none now; `None` if it is neither.
pub fn judge_property(
    new: &DeclaredSignature,
    changes: &[SignatureChange],
    access: PropertyAccess,
) -> Option<SiteVerdict> {
    use PropertyAccess::{Called, Read};
    let is_property = |word: &String| matches!(word.as_str(), "property" | "get");
    let is_checked = matches!(new.language, Language::Python | Language::TypeScript | Language::Tsx);
    let verdict = |is_sure: bool, reason: &str| match is_sure && is_checked {
        true => SiteVerdict::Broken(reason.to_owned()),
        false => SiteVerdict::Maybe(reason.to_owned()),
    };
    changes.iter().find_map(|change| match (change, access) {
        (SignatureChange::ModifierAdded(word), Called) if is_property(word) => {
            Some(verdict(is_never_called(&new.result), "it is a property now, and is called"))
        }
        (SignatureChange::ModifierAdded(word), Read) if is_property(word) => {
            Some(verdict(false, "it is a property now"))
        }
        (SignatureChange::ModifierRemoved(word), Read) if is_property(word) && new.parameters.is_some() => {
            Some(verdict(true, "it is a method now, and is not called"))
        }
        // The old value was called.
        (SignatureChange::ModifierRemoved(word), Called) if is_property(word) => {
            Some(verdict(false, "it is a method now"))
        }
        _ => None,
    })
}

/// Returns true for a type whose values no code calls.
fn is_never_called(written: &str) -> bool {
    let name = written.trim_matches(['"', '\'']).split(['[', '<']).next().unwrap_or_default();
    let values = [
        "str", "bytes", "int", "float", "bool", "string", "number", "boolean", "list", "dict", "set", "tuple", "List",
        "Dict", "Set", "Tuple", "Array", "Map", "None",
    ];
    !written.contains('|') && values.contains(&name.rsplit('.').next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use model::SymbolKind;

    use super::*;
    use crate::signature_changes;

    #[test]
    fn members_are_read_or_called_as_they_are_declared() {
        use Language::{JavaScript, Python, TypeScript};
        use PropertyAccess::{Called, Read};
        let method = "broken: it is a method now, and is not called";
        let property = "broken: it is a property now, and is called";
        for (language, old, new, access, expected) in [
            (TypeScript, "get f(): number", "f(): number", Read, method),
            (TypeScript, "get f(): number", "f(): number", Called, "maybe: it is a method now"),
            (TypeScript, "f(): number", "get f(): number", Called, property),
            (TypeScript, "f(): Handler", "get f(): Handler", Called, "maybe: it is a property now, and is called"),
            (
                TypeScript,
                "f(): number|Handler",
                "get f(): number|Handler",
                Called,
                "maybe: it is a property now, and is called",
            ),
            (TypeScript, "f(): number", "get f(): number", Read, "maybe: it is a property now"),
            (Python, "property def f(self) -> str", "def f(self) -> str", Read, method),
            (Python, "def f(self) -> t.List[str]", "property def f(self) -> t.List[str]", Called, property),
            (Python, "def f(self)", "property def f(self)", Called, "maybe: it is a property now, and is called"),
            (JavaScript, "get f()", "f()", Read, "maybe: it is a method now, and is not called"),
            (Python, "def f(self) -> str", "async def f(self) -> str", Called, "none"),
            (Python, "def f(self) -> str", "static def f(self) -> str", Read, "none"),
        ] {
            let read = |text: &str| DeclaredSignature::of(language, SymbolKind::Method, "A", "f", text);
            let (old, new) = (read(old), read(new));
            let found = match judge_property(&new, &signature_changes(&old, &new), access) {
                Some(SiteVerdict::Broken(reason)) => format!("broken: {reason}"),
                Some(SiteVerdict::Maybe(reason)) => format!("maybe: {reason}"),
                Some(SiteVerdict::Fine) => "fine".to_owned(),
                None => "none".to_owned(),
            };
            assert_eq!(found, expected, "{old:?} {new:?} {access:?}");
        }
    }
}
