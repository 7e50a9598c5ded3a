//! Cursors: where the next page begins, bound to the request and the caller that it was given to.
//!
//! A cursor holds no right to anything: access is checked anew, and an altered one only counts from elsewhere.

use serde_json::Value;

use crate::{access::Principal, refusal::Refusal};

/// Bytes of the request's hash that a cursor carries: enough to tell requests apart by accident.
const N_HASH_BYTES: usize = 8;

/// What a cursor is bound to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Binding([u8; N_HASH_BYTES]);

impl Binding {
    /// Returns the binding of a request, the cursor in its arguments aside.
    pub(crate) fn new(principal: &Principal, tool: &str, arguments: &Value) -> Binding {
        let mut hasher = blake3::Hasher::new();
        hasher.update(principal.name().as_bytes());
        hasher.update(b"\0");
        hasher.update(tool.as_bytes());
        let mut arguments: Vec<(&String, &Value)> = arguments.as_object().into_iter().flatten().collect();
        arguments.sort_by_key(|(name, _)| *name);
        for (name, value) in arguments.into_iter().filter(|(name, value)| *name != "cursor" && !value.is_null()) {
            hasher.update(b"\0");
            hasher.update(name.as_bytes());
            hasher.update(b"=");
            hasher.update(value.to_string().as_bytes());
        }
        let mut bytes = [0; N_HASH_BYTES];
        bytes.copy_from_slice(&hasher.finalize().as_bytes()[..N_HASH_BYTES]);
        Binding(bytes)
    }

    /// Returns the cursor of the page that begins after `offset` items.
    pub(crate) fn cursor(self, offset: usize) -> String {
        let hash: String = self.0.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{hash}{:08x}", u32::try_from(offset).unwrap_or(u32::MAX))
    }

    /// Returns how many items a cursor skips.
    pub(crate) fn offset(self, cursor: &str) -> Result<usize, Refusal> {
        let beginning = self.cursor(0);
        let offset = cursor
            .trim()
            .strip_prefix(&beginning[..N_HASH_BYTES * 2])
            .filter(|digits| digits.len() == 8)
            .and_then(|digits| u32::from_str_radix(digits, 16).ok());
        offset.map(|offset| offset as usize).ok_or_else(|| {
            Refusal::new(
                "this cursor belongs to another request or caller: repeat the request with the very arguments that \
                 gave the cursor, or leave the cursor out to begin anew",
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_cursor_fits_the_request_it_came_from() {
        let local = Principal::local();
        let binding = Binding::new(&local, "search", &json!({"query": "a", "limit": 5}));
        let cursor = binding.cursor(20);
        let next = Binding::new(&local, "search", &json!({"limit": 5, "query": "a", "cursor": cursor}));
        assert_eq!(next.offset(&cursor).unwrap(), 20);
        for other in [
            Binding::new(&local, "search", &json!({"query": "b", "limit": 5})),
            Binding::new(&local, "other", &json!({"query": "a", "limit": 5})),
            Binding::new(&Principal::limited("ci", []), "search", &json!({"query": "a", "limit": 5})),
        ] {
            assert!(other.offset(&cursor).is_err());
        }
        for nonsense in ["", "é", "zz", &cursor[..20], &format!("{cursor}0")] {
            assert!(binding.offset(nonsense).is_err(), "{nonsense}");
        }
    }
}
