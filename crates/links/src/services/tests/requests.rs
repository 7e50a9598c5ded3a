//! HTTP requests: by their address, by settings, and through proxies.

mod addresses;
mod proxies;
mod unaddressed;

use super::*;

/// Returns the links of a repository that have evidence: key, provider and confidence.
fn confirmed_links(text: &str, user: &str) -> Vec<String> {
    let has_evidence = |shown: &String| {
        shown.rsplit(' ').next().is_some_and(|one| one.parse::<f32>().is_ok_and(|one| one > CANDIDATE))
    };
    shown_links(text, user).into_iter().filter(has_evidence).collect()
}

/// Returns the repositories to which the requests of `web` are linked with evidence.
fn providers(text: &str) -> Vec<String> {
    let found = confirmed_links(text, "web");
    found.iter().filter_map(|line| line.rsplit(' ').nth(1).map(str::to_owned)).collect()
}

/// Returns the links of a repository: key, provider and confidence.
fn shown_links(text: &str, user: &str) -> Vec<String> {
    let repositories = system(text);
    let repositories: Vec<ServiceRepository<'_>> =
        repositories.iter().map(|(alias, surface)| ServiceRepository { alias, surface }).collect();
    let links = join(&repositories, &LinkRules::default()).links;
    let of_user = links.iter().filter(|one| repositories[one.user].alias == user);
    let shown = of_user.map(|one| (&one.link, repositories[one.provider].alias));
    shown.map(|(link, provider)| format!("{} {provider} {:.2}", link.key, link.confidence)).collect()
}
