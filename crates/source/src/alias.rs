//! Derives aliases of checkouts from their paths. Aliases are short, unique, and independent of the order of the roots.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Component, Path},
};

use crate::CheckoutKind;

/// The word that means all repositories in a request. No repository may have it as its alias.
const RESERVED: &str = "all";

/// Returns an alias for each checkout: the name of its folder, preceded by as many parent folders as make it unique. No
/// alias is in `taken`.
pub(crate) fn aliases<'a>(
    checkouts: impl IntoIterator<Item = (&'a Path, CheckoutKind)>,
    taken: &BTreeSet<String>,
) -> Vec<String> {
    let mut names: Vec<AliasCandidate> =
        checkouts.into_iter().map(|(path, kind)| AliasCandidate::new(path, kind)).collect();
    loop {
        let clashes = clashes(&names, taken);
        let mut has_grown = false;
        for idx in clashes.into_values().flatten() {
            has_grown |= names[idx].grow();
        }
        if !has_grown {
            break;
        }
    }
    number_remaining_clashes(&mut names, taken);
    names.into_iter().map(|name| name.alias).collect()
}

struct AliasCandidate {
    /// The components of the path, sanitised, outermost first.
    parts: Vec<String>,
    n_parts: usize,
    alias: String,
}

impl AliasCandidate {
    fn new(path: &Path, kind: CheckoutKind) -> AliasCandidate {
        let components = path.components().filter_map(|component| match component {
            Component::Normal(name) => Some(sanitise(&name.to_string_lossy())),
            _ => None,
        });
        let parts: Vec<String> = components.collect();
        let last = parts.last().map_or("root", String::as_str);
        let stem = last.strip_suffix(".git").filter(|stem| kind == CheckoutKind::Bare && !stem.is_empty());
        let alias = stem.unwrap_or(last);
        let alias = if alias.eq_ignore_ascii_case(RESERVED) { format!("{alias}-") } else { alias.to_owned() };
        AliasCandidate { n_parts: 1, alias, parts }
    }

    /// Prepends one more component of the path to the alias. Returns false if no component is left.
    fn grow(&mut self) -> bool {
        if self.n_parts >= self.parts.len() {
            return false;
        }
        self.n_parts += 1;
        self.alias = self.parts[self.parts.len() - self.n_parts..].join("/");
        true
    }
}

/// Returns the indices of the candidates whose alias is taken or shared with another candidate, by alias.
fn clashes(names: &[AliasCandidate], taken: &BTreeSet<String>) -> BTreeMap<String, Vec<usize>> {
    let mut by_alias: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (idx, name) in names.iter().enumerate() {
        by_alias.entry(name.alias.clone()).or_default().push(idx);
    }
    by_alias.retain(|alias, indices| indices.len() > 1 || taken.contains(alias));
    by_alias
}

/// Appends numbers to aliases that clash even as whole paths. This happens if only replaced characters differ.
fn number_remaining_clashes(names: &mut [AliasCandidate], taken: &BTreeSet<String>) {
    loop {
        let clashes = clashes(names, taken);
        if clashes.is_empty() {
            return;
        }
        for (alias, indices) in clashes {
            let n_others = usize::from(taken.contains(&alias));
            for (rank, idx) in indices.into_iter().enumerate().skip(1 - n_others) {
                names[idx].alias = format!("{alias}-{}", rank + 1 + n_others);
            }
        }
    }
}

/// Replaces control characters and characters that separate aliases from each other or from paths.
fn sanitise(name: &str) -> String {
    let replace = |c: char| if matches!(c, ',' | ':' | '/' | '\\' | '\u{fffd}') || c.is_control() { '-' } else { c };
    let sanitised: String = name.trim().chars().map(replace).collect();
    if sanitised.is_empty() { "-".to_owned() } else { sanitised }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, path::PathBuf};

    use proptest::prelude::*;

    use super::*;

    fn check(paths: &[&str], expected: &[&str]) {
        let kind = |path: &str| if path.ends_with(".git") { CheckoutKind::Bare } else { CheckoutKind::WorkTree };
        let named = aliases(paths.iter().map(|path| (Path::new(*path), kind(path))), &BTreeSet::new());
        assert_eq!(named, expected, "{paths:?}");
    }

    #[test]
    fn a_taken_alias_is_not_assigned_again() {
        let taken = BTreeSet::from(["api".to_owned(), "w/docs".to_owned(), "docs".to_owned()]);
        let folder = |path| (Path::new(path), CheckoutKind::WorkTree);
        assert_eq!(aliases([folder("/w/api"), folder("/w/docs"), folder("/w/x")], &taken), ["w/api", "w/docs-2", "x"]);
    }

    #[test]
    fn an_alias_is_the_shortest_unique_path_suffix() {
        check(&["/w/api", "/w/web.git"], &["api", "web"]);
        check(&["/w/team-a/api", "/w/team-b/api", "/w/x"], &["team-a/api", "team-b/api", "x"]);
        check(&["/a/t/api", "/b/t/api"], &["a/t/api", "b/t/api"]);
        check(&["/api", "/x/api"], &["api", "x/api"]);
        check(&["/w/api", "/w/api.git"], &["w/api", "w/api.git"]);
        check(&["/w/all", "/w/ALL"], &["all-", "ALL-"]);
        check(&["/w/a,b:c", "/w/größe 2"], &["a-b-c", "größe 2"]);
        check(&["/w/a,b", "/w/a:b"], &["w/a-b", "w/a-b-2"]);
        check(&["/", "/w/.git"], &["root", ".git"]);
        check(&["/o+jq/repo", "/o+rg/repo"], &["o+jq/repo", "o+rg/repo"]);
    }

    proptest! {
        #[test]
        fn aliases_are_unique_and_ignore_the_order_of_roots(
            paths in prop::collection::btree_set("(/[ab,:]{1,2}|/all|/a\\.git){1,3}", 1..12),
        ) {
            let kinds = |path: &PathBuf| (path.clone(), CheckoutKind::Bare);
            let sorted: Vec<_> = paths.iter().map(PathBuf::from).collect::<BTreeSet<_>>().iter().map(kinds).collect();
            let named = aliases(sorted.iter().map(|(path, kind)| (path.as_path(), *kind)), &BTreeSet::new());
            prop_assert_eq!(named.iter().collect::<BTreeSet<_>>().len(), named.len());
            for alias in &named {
                prop_assert!(!alias.contains([',', ':']) && !alias.is_empty() && alias != "all", "{}", alias);
            }
        }
    }
}
