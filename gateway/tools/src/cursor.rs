//! Paging cursors: the offset of the next page, bound to the request and its caller.
//!
//! A cursor grants no access: every call checks access again. The hash has no secret key, so any gateway accepts the
//! cursors of another. It detects accidents, not forgeries.

use serde_json::Value;

use federation::{plan::Plan, principal::Principal, refusal::Refusal};

/// Bytes of the request hash in a cursor: enough to detect a mix-up.
const N_HASH_BYTES: usize = 8;

/// The hash of a request to which a cursor is bound.
#[derive(Debug, Clone)]
pub struct CursorBinding(blake3::Hasher);

impl CursorBinding {
    /// Returns the binding of a request: its arguments and the repositories that it resolves to, in any notation.
    pub fn new(principal: &Principal, tool: &str, arguments: &Value, plan: &Plan) -> CursorBinding {
        CursorBinding::of(principal, tool, arguments, plan.asked.iter().map(|repo_idx| plan.alias(*repo_idx)))
    }

    fn of<'a>(
        principal: &Principal,
        tool: &str,
        arguments: &Value,
        aliases: impl IntoIterator<Item = &'a str>,
    ) -> CursorBinding {
        let mut hasher = blake3::Hasher::new();
        hasher.update(principal.name().as_bytes());
        hasher.update(b"\0");
        hasher.update(tool.as_bytes());
        let mut arguments: Vec<(&String, &Value)> = arguments.as_object().into_iter().flatten().collect();
        arguments.sort_by_key(|(name, _)| *name);
        let is_bound = |name: &str| !["cursor", "repo"].iter().any(|unbound| name.eq_ignore_ascii_case(unbound));
        for (name, value) in arguments.into_iter().filter(|(name, value)| is_bound(name) && !value.is_null()) {
            hasher.update(b"\0");
            hasher.update(name.as_bytes());
            hasher.update(b"=");
            hasher.update(value.to_string().as_bytes());
        }
        for alias in aliases {
            hasher.update(b"\x01");
            hasher.update(alias.as_bytes());
        }
        CursorBinding(hasher)
    }

    /// Binds the cursors to a list as well, given a hash of everything that its order depends on.
    pub fn with_list(self, hash: blake3::Hash) -> CursorBinding {
        let mut hasher = self.0;
        hasher.update(b"\x03").update(hash.as_bytes());
        CursorBinding(hasher)
    }

    /// Returns a hash of the request.
    pub fn hash(&self) -> blake3::Hash {
        self.0.finalize()
    }

    /// Returns the cursor of the page that begins after `offset` items.
    pub fn cursor(&self, offset: usize) -> String {
        let offset = u32::try_from(offset).unwrap_or(u32::MAX);
        let hash = self.0.clone().update(b"\x02").update(&offset.to_le_bytes()).finalize().to_hex();
        format!("{}{offset:08x}", &hash[..N_HASH_BYTES * 2])
    }

    /// Returns the number of items that a cursor skips.
    pub fn offset(&self, cursor: &str) -> Result<usize, Refusal> {
        let cursor = cursor.trim();
        let digits = cursor.get(N_HASH_BYTES * 2..).unwrap_or_default();
        let offset = u32::from_str_radix(digits, 16).ok().map(|offset| offset as usize);
        offset.filter(|offset| self.cursor(*offset) == cursor).ok_or_else(|| {
            Refusal::new(
                "this cursor belongs to another request, or the caller or the repositories changed: repeat the request with the \
                 arguments that returned the cursor, or omit `cursor` to start from the first page",
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_cursor_is_valid_for_its_own_request_only() {
        let local = Principal::local();
        let of = |principal: &Principal, tool: &str, arguments: Value, aliases: [&str; 2]| {
            CursorBinding::of(principal, tool, &arguments, aliases)
        };
        let (here, there) = (["api", "web"], ["ap", "iweb"]);
        let binding = of(&local, "search", json!({"query": "a", "limit": 5}), here);
        let cursor = binding.cursor(20);
        for same in [
            json!({"limit": 5, "query": "a", "cursor": cursor}),
            json!({"limit": 5, "query": "a", "repo": "web,api"}),
            json!({"limit": 5, "query": "a", "repo": ["api", "web"]}),
        ] {
            assert_eq!(of(&local, "search", same, here).offset(&cursor).unwrap(), 20);
        }
        for other in [
            of(&local, "search", json!({"query": "b", "limit": 5}), here),
            of(&local, "search", json!({"query": "a", "limit": 5}), there),
            of(&local, "other", json!({"query": "a", "limit": 5}), here),
            of(&Principal::limited("ci", []), "search", json!({"query": "a", "limit": 5}), here),
        ] {
            assert!(other.offset(&cursor).is_err());
        }
        let moved = format!("{}00000015", &cursor[..16]);
        for nonsense in ["", "é", "zz", &cursor[..20], &format!("{cursor}0"), &moved, &"é".repeat(12)] {
            assert!(binding.offset(nonsense).is_err(), "{nonsense}");
        }
    }
}
