//! The table of the frameworks, clients, generators, brokers, proxies and deployment formats that people use. Each has a declaration in one
//! repository, a request in another one that is linked to it, and a near miss that is not.

mod deployments;
mod documents;
mod http;
mod messages;
mod proxies;
mod rpcs;

use crate::{
    contract::ContractKind,
    join::ContractSurface,
    rules::LinkRules,
    services::{NetworkIndex, ServiceRepository, answered},
    testing::surface,
};

/// The least confidence of a link with evidence.
const WITH_EVIDENCE: f32 = 0.6;

/// The alias of the repository that asks or sends, of the one that answers, and of the deployment.
const USER: &str = "shop";
const PROVIDER: &str = "cart";
const DEPLOYMENT: &str = "ops";

/// The alias of the repository of a proxy between the two.
const PROXY: &str = "gateway";

/// A deployment with both repositories, which tells their addresses.
const COMPOSE: &str = "//- /compose.yaml\nservices:\n  cart:\n    image: acme/cart\n  shop:\n    image: acme/shop\n    environment:\n      CART_URL: http://cart\n      CART_ADDR: cart:80\n      cart.url: http://cart\n      Services__Cart: cart:80\n";

/// The image of a repository.
const DOCKERFILE: &str = "\n//- /Dockerfile\nFROM scratch\nCOPY . /\n";

/// One row.
struct NotationRow {
    name: String,
    kind: ContractKind,
    /// The key of the link, or a part of it that no other link of the kind has.
    key: String,
    /// The fixtures of the repositories.
    user: String,
    provider: String,
    deployment: String,
    proxy: String,
    near_miss: NearMiss,
    /// The least confidence of the link.
    confidence: f32,
}

/// The fixture that takes the place of one of the others: it only looks alike.
enum NearMiss {
    User(String),
    Provider(String),
    Deployment(String),
    Proxy(String),
}

impl NotationRow {
    fn new(name: &str, kind: ContractKind, key: &str, user: &str, provider: &str, near_miss: NearMiss) -> NotationRow {
        let with_image = |fixture: &str| format!("{fixture}{DOCKERFILE}");
        let near_miss = match near_miss {
            NearMiss::User(fixture) => NearMiss::User(with_image(&fixture)),
            NearMiss::Provider(fixture) => NearMiss::Provider(with_image(&fixture)),
            NearMiss::Proxy(fixture) => NearMiss::Proxy(with_image(&fixture)),
            NearMiss::Deployment(fixture) => NearMiss::Deployment(fixture),
        };
        NotationRow {
            name: name.to_owned(),
            kind,
            key: key.to_owned(),
            user: with_image(user),
            provider: with_image(provider),
            deployment: COMPOSE.to_owned(),
            proxy: String::new(),
            near_miss,
            confidence: WITH_EVIDENCE,
        }
    }

    fn deployed(self, deployment: &str) -> NotationRow {
        NotationRow { deployment: deployment.to_owned(), ..self }
    }

    fn behind(self, proxy: &str) -> NotationRow {
        NotationRow { proxy: format!("{proxy}{DOCKERFILE}"), ..self }
    }

    fn candidate(self) -> NotationRow {
        NotationRow { confidence: crate::services::CANDIDATE, ..self }
    }

    /// Returns the links of the kind to the provider, as `key confidence`, and all others for a message.
    fn links(&self, near_miss: Option<&NearMiss>) -> (Vec<String>, Vec<String>) {
        let mut fixtures = [
            (USER, self.user.as_str()),
            (PROVIDER, self.provider.as_str()),
            (DEPLOYMENT, self.deployment.as_str()),
            (PROXY, self.proxy.as_str()),
        ];
        match near_miss {
            Some(NearMiss::User(fixture)) => fixtures[0].1 = fixture,
            Some(NearMiss::Provider(fixture)) => fixtures[1].1 = fixture,
            Some(NearMiss::Deployment(fixture)) => fixtures[2].1 = fixture,
            Some(NearMiss::Proxy(fixture)) => fixtures[3].1 = fixture,
            None => {}
        }
        let surfaces: Vec<(&str, ContractSurface)> = fixtures.map(|(alias, one)| (alias, surface(one))).into();
        let repositories: Vec<ServiceRepository<'_>> =
            surfaces.iter().map(|(alias, surface)| ServiceRepository { alias, surface }).collect();
        let links = answered(&repositories, &NetworkIndex::new(&repositories), &LinkRules::default());
        let (found, others): (Vec<_>, Vec<_>) = links.iter().partition(|one| {
            let is_of_kind = one.link.kind == self.kind && one.link.confidence >= self.confidence;
            let is_named = self.key.is_empty() || one.link.key.contains(&self.key);
            is_of_kind && is_named && repositories[one.provider].alias == PROVIDER
        });
        let show = |all: Vec<&crate::services::ServiceLink>| {
            let lines = all.into_iter().map(|one| {
                let (from, to) = (repositories[one.user].alias, repositories[one.provider].alias);
                format!("{from} {} {to} {:.2}", one.link.key, one.link.confidence)
            });
            lines.collect()
        };
        (show(found), show(others))
    }

    /// Returns what is wrong with the link; `None` if it is found.
    fn missing(&self) -> Option<String> {
        let (found, others) = self.links(None);
        found.is_empty().then(|| format!("{}: no link `{}`, others {others:?}", self.name, self.key))
    }

    /// Returns what is wrong with the near miss; `None` if it has no link.
    fn wrong(&self) -> Option<String> {
        let (found, _) = self.links(Some(&self.near_miss));
        (!found.is_empty()).then(|| format!("{}: the near miss has the links {found:?}", self.name))
    }
}

/// Returns all rows.
fn table() -> Vec<NotationRow> {
    [
        http::routes(),
        http::clients(),
        rpcs::rows(),
        documents::rows(),
        messages::rows(),
        proxies::rows(),
        deployments::rows(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[test]
fn declarations_of_the_table_answer_its_requests() {
    let table = table();
    let missing: Vec<String> = table.iter().filter_map(NotationRow::missing).collect();
    assert!(missing.is_empty(), "{} of {} are missing:\n{}", missing.len(), table.len(), missing.join("\n"));
}

#[test]
fn near_misses_of_the_table_have_no_links() {
    let wrong: Vec<String> = table().iter().filter_map(NotationRow::wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_table_names_each_notation_once() {
    let mut names: Vec<String> = table().into_iter().map(|row| row.name).collect();
    let n_rows = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), n_rows);
    assert!(n_rows >= 100, "{n_rows}");
}
