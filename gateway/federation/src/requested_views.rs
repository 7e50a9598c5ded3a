//! Views of branches, tags and commits: `alias@reference`. A worker makes one on the first call that names it.

use std::time::Duration;

use proto::v1;

use crate::{
    answer::Answer,
    call::CallContext,
    connection::ShardClient,
    did_you_mean,
    directory::Availability,
    fan_out, nodes,
    refusal::{Refusal, echo, quoted},
    repo_idx::RepoIdx,
};

/// Maximum time that a call waits for a view. Later calls find it.
const VIEW_WAIT: Duration = Duration::from_secs(6);

/// Maximum number of requested views in one call.
const MAX_REQUESTED: usize = 4;

/// Maximum number of similar names in an error.
const MAX_SIMILAR: usize = 5;

/// A view that arguments name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestedView {
    /// The default view of the repository.
    pub repo_idx: RepoIdx,
    /// The branch, tag or commit.
    pub reference: String,
}

impl CallContext<'_> {
    /// Returns the views at references that these texts name.
    pub fn requested_views(&self, texts: &[&str]) -> Vec<RequestedView> {
        let mut found: Vec<RequestedView> = Vec::new();
        for text in texts.iter().filter(|text| text.contains('@')) {
            let whole = requested_view(text);
            for (alias, reference) in text.split(',').filter_map(|item| requested_view(item.trim())).chain(whole) {
                // The name of a repository may contain `@`.
                let is_name = self.visible.known_repo_idx(&format!("{alias}@{reference}")).is_some();
                let Some(repo_idx) = self.visible.known_repo_idx(alias).filter(|_| !is_name) else { continue };
                let view = RequestedView { repo_idx, reference: reference.to_owned() };
                if !found.contains(&view) {
                    found.push(view);
                }
            }
        }
        found.truncate(MAX_REQUESTED);
        found
    }

    /// Has the worker of a repository make a view or keep it, and waits for it. An unknown reference, or a view that is not made in
    /// time, is refused.
    pub async fn ensure_view(&self, view: &RequestedView) -> Result<(), Refusal> {
        let RequestedView { repo_idx, reference } = view;
        let plan = self.visible.plan_for(vec![*repo_idx], false);
        let groups = nodes::groups(&plan, [*repo_idx].into_iter());
        let message =
            |_: &_| v1::EnsureViewRequest { target: Some(plan.target(*repo_idx)), reference: reference.clone() };
        let rpc = |mut client: ShardClient, request| async move { client.ensure_view(request).await };
        let Answer { value: replies, .. } =
            fan_out::ask(&plan, &groups, &self.connections, self.hard_deadline(), message, rpc).await;
        let repository = plan.alias(*repo_idx);
        let name = format!("{repository}@{reference}");
        let Some((_, reply)) = replies.into_iter().next() else {
            let name = quoted(&name);
            return Err(Refusal::new(format!("the worker of {name} did not answer: try again later")));
        };
        if !reply.failure.is_empty() {
            let (name, reason) = (quoted(&name), text::sanitise_name(&reply.failure));
            return Err(Refusal::new(format!("the view {name} cannot be made: {reason}")));
        }
        if reply.alias.is_empty() {
            return Err(unknown_reference(repository, reference, &reply.known));
        }
        self.until_served(&reply.alias, &name).await
    }

    /// Waits until a view is served.
    async fn until_served(&self, alias: &str, name: &str) -> Result<(), Refusal> {
        let alias = text::sanitise_name(alias);
        let latest = tokio::time::Instant::now() + VIEW_WAIT;
        loop {
            let directory = self.federation.workers.known().directory.clone();
            let mut called = directory.called(&alias).map(|repo_idx| &directory[repo_idx].availability);
            let found = called.next();
            if matches!(found, Some(Availability::Serving(_))) {
                return Ok(());
            }
            let remaining = latest.saturating_duration_since(tokio::time::Instant::now());
            if remaining.is_zero() || !self.federation.workers.wait_for_change(&directory, remaining).await {
                let state = match found {
                    Some(Availability::Short(_, reason)) => format!(" ({reason})"),
                    _ => String::new(),
                };
                let name = quoted(name);
                return Err(Refusal::new(format!("the view {name} is being made{state}: try again in a few seconds")));
            }
        }
    }
}

/// Splits the start of a text into an alias and a reference, which ends at the first `:` or `//`. A linked work tree is no reference.
fn requested_view(text: &str) -> Option<(&str, &str)> {
    let (alias, rest) = text.split_once('@')?;
    let end = [rest.find(':'), rest.find("//")].into_iter().flatten().min().unwrap_or(rest.len());
    let reference = &rest[..end];
    let is_work_tree = reference == "worktree" && rest[end..].starts_with(':');
    let is_text = reference.contains(char::is_whitespace);
    (!alias.is_empty() && !reference.is_empty() && !is_work_tree && !is_text).then_some((alias, reference))
}

fn unknown_reference(repository: &str, reference: &str, known: &[String]) -> Refusal {
    let known: Vec<String> = known.iter().map(|name| text::sanitise_name(name).into_owned()).collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let similar: Vec<String> =
        did_you_mean::first(&echo(reference), &known, MAX_SIMILAR).into_iter().map(quoted).collect();
    let (repository, reference) = (quoted(repository), quoted(reference));
    let hint = match similar.is_empty() {
        true => String::new(),
        false => format!("; the most similar ones are {}", similar.join(", ")),
    };
    Refusal::new(format!("{repository} has no branch, tag or reachable commit {reference}{hint}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_ends_at_a_colon_or_two_slashes() {
        for (text, expected) in [
            ("api@feature/login", Some(("api", "feature/login"))),
            ("api@v1.2:src/a.rs", Some(("api", "v1.2"))),
            ("api@feature/login//src/a.rs:10", Some(("api", "feature/login"))),
            ("api@0123abc:a::b", Some(("api", "0123abc"))),
            ("api@worktree:next:src/a.rs", None),
            ("api@worktree", Some(("api", "worktree"))),
            ("@scope/name", None),
            ("api@", None),
            ("api", None),
            ("api@example.com sends mail", None),
        ] {
            assert_eq!(requested_view(text), expected, "{text}");
        }
    }
}
