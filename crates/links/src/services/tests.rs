//! Links of small systems.

mod contracts;
mod deployments;
mod requests;
mod topics_and_tables;

use super::{
    CANDIDATE, ServiceRepository, grpc, in_order, join,
    network::{Network, NetworkIndex},
};
use crate::{
    contract::ContractKind,
    join::{ContractSite, ContractSurface, SurfaceOffer, SurfaceUse},
    rules::LinkRules,
};

/// Reads a system: `## alias` begins a repository; `+ kind key [member]` is an offer, `- kind key [member]` a use, `* kind key` a use
/// that serves, `~ kind key` one that the caller of a wrapper names. In the key and member of a route, `~` is a space. The line of each
/// is its place in the repository, and `@path` behind the member its file.
fn system(text: &str) -> Vec<(String, ContractSurface)> {
    let mut repositories: Vec<(String, ContractSurface)> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(alias) = line.strip_prefix("## ") {
            repositories.push((alias.to_owned(), ContractSurface::default()));
            continue;
        }
        let (_, surface) = repositories.last_mut().expect("a system begins with a repository");
        let mut parts = line.split(' ');
        let (side, kind, key) = (parts.next(), parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let kind = kind_of(kind);
        let key = if kind == ContractKind::Grpc { key.into() } else { key.replace('~', " ").into() };
        let member = parts.next().unwrap_or_default().replace('~', " ").into();
        let node = (surface.offers.len() + surface.uses.len()) as u32 + 1;
        let path =
            parts.next().and_then(|path| path.strip_prefix('@')).map_or_else(|| format!("f{node}"), str::to_owned);
        let site = ContractSite { node, path: path.into(), line: node };
        match side {
            Some("+") => surface.offers.push(SurfaceOffer { kind, key, member, site }),
            side => surface.uses.push(SurfaceUse {
                kind,
                key,
                member,
                site,
                confidence: if side == Some("~") { 0.7 } else { 0.9 },
                n_sites: 1,
                serves: side == Some("*"),
            }),
        }
    }
    repositories
}

fn kind_of(name: &str) -> ContractKind {
    use ContractKind::*;
    match name {
        "grpc" => Grpc,
        "http" => Http,
        "topic" => Topic,
        "config" => Config,
        "host" => Host,
        "workload" => Workload,
        "image" => Image,
        "variable" => Variable,
        "table" => Table,
        _ => panic!("unknown kind {name}"),
    }
}

/// Checks the links of a system: `user:line -kind-> provider:line confidence`.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let repositories = system(text);
    let repositories: Vec<ServiceRepository<'_>> =
        repositories.iter().map(|(alias, surface)| ServiceRepository { alias, surface }).collect();
    let found: Vec<String> = join(&repositories, &LinkRules::default())
        .links
        .iter()
        .map(|one| {
            let (user, provider) = (repositories[one.user].alias, repositories[one.provider].alias);
            let arrow = if one.link.serves { "serves" } else { "uses" };
            let (link, from, to) = (&one.link, one.link.user.line, one.link.offer.line);
            format!("{user}:{from} {arrow} {} {provider}:{to} {:.2}", link.key, link.confidence)
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn rpcs_are_known_by_their_full_names_wherever_they_are_defined() {
    check(
        "## shop
         + grpc shop.v1.Cart/Get
         - grpc Cart/Get
         ## cart
         + grpc shop.v1.Cart/Get
         * grpc Cart/Get
         ## protos
         + grpc shop.v1.Cart/Get
         + grpc shop.v2.Cart/List",
        &[
            "shop:1 uses shop.v1.Cart/Get protos:1 0.90",
            "shop:2 uses shop.v1.Cart/Get protos:1 0.90",
            "cart:1 uses shop.v1.Cart/Get protos:1 0.90",
            "cart:2 serves shop.v1.Cart/Get protos:1 0.90",
        ],
    );
}

#[test]
fn without_a_repository_of_contracts_the_definition_is_at_home_with_its_server() {
    check(
        "## shop
         + grpc shop.Cart/Get
         - grpc Cart/Get
         ## cart
         + grpc shop.Cart/Get
         * grpc Cart/Get",
        &["shop:1 uses shop.Cart/Get cart:1 0.90", "shop:2 uses shop.Cart/Get cart:1 0.90"],
    );
}

#[test]
fn an_rpc_of_two_packages_is_a_candidate_of_each_and_an_undefined_one_leads_to_its_server() {
    check(
        "## shop
         - grpc Cart/Get
         - grpc Pay/Charge
         ## a
         + grpc v1.Cart/Get
         ## b
         + grpc v1beta.Cart/Get
         * grpc Pay/Charge",
        &[
            "shop:1 uses v1.Cart/Get a:1 0.20",
            "shop:1 uses v1beta.Cart/Get b:1 0.20",
            "shop:2 uses Pay/Charge b:2 0.90",
        ],
    );
}

#[test]
fn without_definitions_the_packages_in_code_choose_the_server() {
    check(
        "## shop
         - grpc shop.v1.Cart/Get
         ## a
         * grpc ~m.org.gen.shop.v1.Cart/Get
         ## b
         * grpc ~m.org.gen.shop.v2.Cart/Get",
        &["shop:1 uses Cart/Get a:1 0.90"],
    );
}

#[test]
fn hints_of_packages_choose_among_definitions_and_versions() {
    let system = |key: &str| {
        format!(
            "## shop
             - grpc {key}
             ## a
             + grpc shop.v1.Cart/GetCart
             ## b
             + grpc shop.v1beta1.Cart/GetCart"
        )
    };
    for (key, expected) in [
        ("~com.acme.shop.v1.Cart/getCart", &["shop:1 uses shop.v1.Cart/GetCart a:1 0.90"][..]),
        ("shop.v1beta1.Cart/GetCart", &["shop:1 uses shop.v1beta1.Cart/GetCart b:1 0.90"]),
        ("~Shop.V2.Cart/GetCartAsync", &[]),
        ("other.Cart/GetCart", &[]),
        (
            "Cart/get_cart",
            &["shop:1 uses shop.v1.Cart/GetCart a:1 0.20", "shop:1 uses shop.v1beta1.Cart/GetCart b:1 0.20"],
        ),
    ] {
        check(&system(key), expected);
    }
}

/// Checks the links from calls of rpcs to their servers: `user:line -> provider:line confidence`.
#[track_caller]
fn check_calls(text: &str, expected: &[&str]) {
    let repositories = system(text);
    let repositories: Vec<ServiceRepository<'_>> =
        repositories.iter().map(|(alias, surface)| ServiceRepository { alias, surface }).collect();
    let rules = LinkRules::default();
    let index = NetworkIndex::new(&repositories);
    let found: Vec<String> = in_order(grpc::calls(&repositories, &Network::new(&repositories, &index, &rules)))
        .iter()
        .map(|one| {
            let (user, provider) = (repositories[one.user].alias, repositories[one.provider].alias);
            format!("{user}:{} -> {provider}:{} {:.2}", one.link.user.line, one.link.offer.line, one.link.confidence)
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn calls_lead_to_the_only_server_or_to_that_of_the_address() {
    let one = "## shop
         - grpc Cart/Get
         ## protos
         + grpc shop.Cart/Get
         ## cart
         + image
         * grpc ~gen.shop.Cart/get";
    check_calls(one, &["shop:1 -> cart:2 0.90"]);
    let two = "## fake
         + image
         * grpc Cart/Get";
    // Nothing tells which of two servers is called.
    check_calls(&format!("{one}\n{two}"), &["shop:1 -> cart:2 0.20", "shop:1 -> fake:2 0.20"]);
    let addressed = one.replace("- grpc Cart/Get", "- grpc Cart/Get {env:CART_ADDR}");
    let deployment = "## deploy
         + workload cart acme/cart
         + workload shop acme/shop
         + host cart cart
         - config shop/CART_ADDR cart:7070";
    check_calls(&format!("{addressed}\n{two}\n{deployment}"), &["shop:1 -> cart:2 0.90"]);
    // A host of the public network is no repository.
    check_calls(&one.replace("- grpc Cart/Get", "- grpc Cart/Get https://api.example.com"), &[]);
}

#[test]
fn a_repository_that_registers_a_service_serves_its_rpcs_unless_others_have_the_functions() {
    let registered = "## shop
         - grpc a.Ship/Send
         ## protos
         + grpc a.Ship/Send
         + grpc a.Ship
         ## ship
         * grpc a.Ship";
    check_calls(registered, &["shop:1 -> ship:1 0.90"]);
    // Two registrations of one repository are one server.
    check_calls(&format!("{registered}\n* grpc a.Ship"), &["shop:1 -> ship:1 0.90"]);
    check_calls(&format!("{registered}\n## other\n* grpc a.Ship/Send"), &["shop:1 -> other:1 0.90"]);
    // Another service, and an rpc that the service does not have.
    check_calls(&registered.replace("* grpc a.Ship", "* grpc a.Mail"), &[]);
    check_calls(&registered.replace("- grpc a.Ship/Send", "- grpc a.Ship/Drop"), &[]);
}

#[test]
fn many_rpcs_and_repositories_cost_linear_time() {
    let mut text = String::from("## protos\n");
    (0..3_000).for_each(|idx| text += &format!("+ grpc big.v1.Service{}/Method{idx}\n", idx / 10));
    for repository in 0..1_000 {
        text += &format!("## r{repository}\n");
        (0..10).for_each(|idx| {
            let rpc = (repository * 7 + idx) % 3_000;
            text += &format!("- grpc ~gen.big.v1.Service{}/method_{rpc}\n", rpc / 10);
        });
    }
    let repositories = system(&text);
    let repositories: Vec<ServiceRepository<'_>> =
        repositories.iter().map(|(alias, surface)| ServiceRepository { alias, surface }).collect();
    assert_eq!(join(&repositories, &LinkRules::default()).links.len(), 10_000);
}
