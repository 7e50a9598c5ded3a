//! Warnings about rules that grant an alias of several repositories. Such a rule applies to all of them, possibly by
//! mistake.

use std::{collections::BTreeSet, sync::Arc};

use super::Access;
use federation::{directory::Directory, discovery::Workers, principal::matches_pattern};

/// Watches the directory forever, and logs a warning for each new ambiguous alias.
pub(crate) async fn warn_of_duplicates(access: Access, workers: Arc<Workers>) {
    let mut known: BTreeSet<String> = BTreeSet::new();
    loop {
        let directory = workers.directory();
        let duplicates = granted_duplicates(&access, &directory);
        for alias in duplicates.difference(&known) {
            let repositories = directory.called(alias).map(|repo_idx| &directory[repo_idx]);
            let worker_names: Vec<&str> = repositories.filter_map(|one| directory.advertisers(one).next()).collect();
            tracing::warn!(
                alias,
                workers = worker_names.join(","),
                "a rule grants an alias of several repositories, and so grants all of them: write `ALIAS@WORKER` for one of \
                 them, or configure distinct aliases at the workers"
            );
        }
        known = duplicates;
        workers.wait_for_newer(&directory).await;
    }
}

/// Returns the aliases of several repositories that a rule grants. The pattern `*` does not count.
fn granted_duplicates(access: &Access, directory: &Directory) -> BTreeSet<String> {
    let is_granted = |alias: &&str| access.patterns().any(|pattern| pattern != "*" && matches_pattern(pattern, alias));
    directory.shared_aliases().into_iter().filter(is_granted).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use model::RepoId;
    use proto::v1;

    use super::*;
    use crate::{TokenSettings, access::AccessSettings};
    use federation::directory::{Reachability, WorkerView};

    #[test]
    fn granted_aliases_of_several_repositories_are_found() {
        let view = |(name, id): (&str, u8)| WorkerView {
            name: name.to_owned(),
            reach: Reachability::Reachable,
            inventory: Some(v1::InventoryResponse {
                repositories: vec![v1::Repository {
                    id: RepoId([id; 16]).to_string(),
                    alias: "api".to_owned(),
                    ..Default::default()
                }],
                ..Default::default()
            }),
        };
        let (unique, duplicate) =
            (Directory::build(&[view(("w1", 1))]), Directory::build(&[("w1", 1), ("w2", 2)].map(view)));
        for (pattern, is_found) in [("api", true), ("a*", true), ("*", false), ("api@w1", false), ("web", false)] {
            let token =
                TokenSettings { name: "ci".to_owned(), sha256: "0".repeat(64), repositories: vec![pattern.to_owned()] };
            let access = Access::new(&AccessSettings { tokens: vec![token], ..AccessSettings::default() }).unwrap();
            assert_eq!(granted_duplicates(&access, &duplicate).contains("api"), is_found, "{pattern}");
            assert!(granted_duplicates(&access, &unique).is_empty(), "{pattern}");
        }
    }
}
