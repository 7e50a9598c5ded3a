//! Aliases that several repositories have: a rule with such an alias is for all of them, which whoever wrote it may not
//! have meant.

use std::{collections::BTreeSet, sync::Arc};

use super::Access;
use crate::{directory::Directory, discovery::Federation};

/// Warns of them for ever, of each when it turns up.
pub(crate) async fn keep_warning(access: Access, federation: Arc<Federation>) {
    let mut known: BTreeSet<String> = BTreeSet::new();
    loop {
        let directory = federation.directory();
        let shared = shared(&access, &directory);
        for alias in shared.difference(&known) {
            let repositories = directory.called(alias).map(|position| &directory.repositories[position]);
            let told_by: Vec<&str> = repositories.filter_map(|one| directory.tellers(one).next()).collect();
            tracing::warn!(
                alias,
                workers = told_by.join(","),
                "several repositories have one alias, and a rule gives rights by it, for all of them: write `ALIAS@WORKER` for \
                 one of them, or name them apart in the workers' listing"
            );
        }
        known = shared;
        federation.newer(&directory).await;
    }
}

/// Returns the aliases of several repositories by which a rule gives rights, other than one for everything.
fn shared(access: &Access, directory: &Directory) -> BTreeSet<String> {
    let is_given =
        |alias: &&str| access.patterns().any(|pattern| pattern != "*" && super::matches_pattern(pattern, alias));
    directory.shared_aliases().into_iter().filter(is_given).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use model::RepoId;
    use proto::v1;

    use super::*;
    use crate::{
        TokenSettings,
        config::AccessSettings,
        directory::{Reach, WorkerView},
    };

    #[test]
    fn a_rule_for_several_repositories_is_told() {
        let view = |(name, id): (&str, u8)| WorkerView {
            name: name.to_owned(),
            reach: Reach::Reachable,
            inventory: Some(v1::InventoryResponse {
                repositories: vec![v1::Repository {
                    id: RepoId([id; 16]).to_string(),
                    alias: "api".to_owned(),
                    ..Default::default()
                }],
                ..Default::default()
            }),
        };
        let (one, twins) = (Directory::build(&[view(("w1", 1))]), Directory::build(&[("w1", 1), ("w2", 2)].map(view)));
        for (pattern, is_told) in [("api", true), ("a*", true), ("*", false), ("api@w1", false), ("web", false)] {
            let token =
                TokenSettings { name: "ci".to_owned(), sha256: "0".repeat(64), repositories: vec![pattern.to_owned()] };
            let access = Access::new(&AccessSettings { tokens: vec![token], ..AccessSettings::default() }).unwrap();
            assert_eq!(shared(&access, &twins).contains("api"), is_told, "{pattern}");
            assert!(shared(&access, &one).is_empty(), "{pattern}");
        }
    }
}
