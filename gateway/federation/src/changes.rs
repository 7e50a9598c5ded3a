//! Changes of repositories, and the call sites that they may concern.

use std::collections::BTreeMap;

use proto::v1;

use crate::{
    answer::{Answer, Shortfalls},
    call::CallContext,
    connection::ShardClient,
    fan_out::fan_out,
    nodes::groups,
    plan::{Group, Plan},
    reply_checks,
    repo_idx::RepoIdx,
};

/// Maximum number of files of a request.
const MAX_FILES_OF_REQUEST: usize = 500;

impl CallContext<'_> {
    /// Reads a change of one repository; nothing if its worker did not answer.
    pub async fn changes(&self, plan: &Plan, repo_idx: RepoIdx, change: &str) -> Answer<Option<v1::ChangesResponse>> {
        let groups = groups(plan, std::iter::once(repo_idx));
        let message = |_: &Group| v1::ChangesRequest { target: Some(plan.target(repo_idx)), change: change.to_owned() };
        let rpc = |mut client: ShardClient, request| async move { client.changes(request).await };
        let replies =
            fan_out(plan, &groups, &self.connections, self.hard_deadline(), message, rpc, |_| Vec::new()).await;
        let has_answered = |reply: &v1::ChangesResponse| !reply.base.is_empty() || !reply.error.is_empty();
        replies.map(|replies| replies.into_iter().map(|(_, reply)| reply).find(has_answered))
    }

    /// Reads the call sites of names in files, by repository and path. Files that could not be read are absent.
    pub async fn sites(
        &self,
        plan: &Plan,
        files: &BTreeMap<(RepoIdx, String), Vec<String>>,
    ) -> Answer<BTreeMap<(RepoIdx, String), v1::FileSites>> {
        let mut by_repo: BTreeMap<RepoIdx, Vec<v1::SitesItem>> = BTreeMap::new();
        for ((repo_idx, path), names) in files {
            let item = v1::SitesItem { path: path.clone(), names: names.clone() };
            by_repo.entry(*repo_idx).or_default().push(item);
        }
        let (mut found, mut shortfalls) = (BTreeMap::new(), Shortfalls::default());
        let reads = by_repo.iter().flat_map(|(repo_idx, items)| {
            items.chunks(MAX_FILES_OF_REQUEST).map(|part| self.sites_of(plan, *repo_idx, part))
        });
        for read in futures::future::join_all(reads.collect::<Vec<_>>()).await {
            found.extend(read.value);
            shortfalls.extend(read.shortfalls);
        }
        Answer { value: found, shortfalls }
    }

    async fn sites_of(
        &self,
        plan: &Plan,
        repo_idx: RepoIdx,
        items: &[v1::SitesItem],
    ) -> Answer<Vec<((RepoIdx, String), v1::FileSites)>> {
        let groups = groups(plan, std::iter::once(repo_idx));
        let message = |_: &Group| v1::SitesRequest { target: Some(plan.target(repo_idx)), items: items.to_vec() };
        let rpc = |mut client: ShardClient, request| async move { client.sites(request).await };
        let faults = reply_checks::sites_faults(items.len());
        let replies = fan_out(plan, &groups, &self.connections, self.hard_deadline(), message, rpc, faults).await;
        let of_reply = |(_, reply): (Group, v1::SitesResponse)| {
            let keys = items.iter().map(|item| (repo_idx, item.path.clone()));
            keys.zip(reply.files).collect::<Vec<_>>()
        };
        replies.map(|replies| replies.into_iter().flat_map(of_reply).collect())
    }
}
