//! Links of small systems.

use super::{ServiceRepository, join};
use crate::{
    contract::ContractKind,
    join::{ContractSite, ContractSurface, SurfaceOffer, SurfaceUse},
};

/// Reads a system: `## alias` begins a repository; `+ kind key [member]` is an offer, `- kind key [member]` a use, `* kind key` a use
/// that serves. In a key, `~` is a space. The line of each is its place in the repository.
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
        let (kind, key, member) = (kind_of(kind), key.replace('~', " "), parts.next().unwrap_or_default().to_owned());
        let node = (surface.offers.len() + surface.uses.len()) as u32 + 1;
        let site = ContractSite { node, path: format!("f{node}"), line: node };
        match side {
            Some("+") => surface.offers.push(SurfaceOffer { kind, key, member, site }),
            side => surface.uses.push(SurfaceUse {
                kind,
                key,
                member,
                site,
                confidence: 0.9,
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
        _ => panic!("unknown kind {name}"),
    }
}

/// Checks the links of a system: `user:line -kind-> provider:line confidence`.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let repositories = system(text);
    let repositories: Vec<ServiceRepository<'_>> =
        repositories.iter().map(|(alias, surface)| ServiceRepository { alias, surface }).collect();
    let found: Vec<String> = join(&repositories)
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
fn a_request_goes_where_its_address_leads() {
    let services = "
         ## cart
         + image
         + http GET~/items/{}
         + http POST~/items/{}
         + http GET~/items/new
         ## books
         + image
         + http GET~/items/{}
         ## deploy
         + workload cart-app acme/cart:1.0
         + host cart-svc cart-app
         + workload web registry/web
         - config web/CART_ADDR cart-svc:80
         - config web/API_ADDR http://cart-svc.shop.svc:80/v1";
    for (request, expected) in [
        ("GET~/items/{} http://cart:80", &["web:2 uses GET /items/{} cart:2 0.90"][..]),
        ("GET~/items/{} http://{env:CART_ADDR}", &["web:2 uses GET /items/{} cart:2 0.90"]),
        ("POST~/items/7 {env:CART_ADDR}", &["web:2 uses POST /items/{} cart:3 0.90"]),
        ("GET~/items/new {env:CART_ADDR}", &["web:2 uses GET /items/new cart:4 0.90"]),
        // The base path of the setting does not fit any route.
        ("GET~/items/{} {env:API_ADDR}", &[]),
        ("GET~/other {env:CART_ADDR}", &[]),
        ("GET~/items/{} https://api.example.com", &[]),
        // One constant segment says too little without an address.
        ("GET~/items/{}", &[]),
    ] {
        let web = format!("## web\n+ image\n- http {request}{services}");
        let found = |line: &&&str| line.starts_with("web:2");
        let repositories = system(&web);
        let repositories: Vec<ServiceRepository<'_>> =
            repositories.iter().map(|(alias, surface)| ServiceRepository { alias, surface }).collect();
        let links = join(&repositories);
        let shown: Vec<String> = links
            .iter()
            .map(|one| {
                let (user, provider) = (repositories[one.user].alias, repositories[one.provider].alias);
                let (link, from, to) = (&one.link, one.link.user.line, one.link.offer.line);
                format!("{user}:{from} uses {} {provider}:{to} {:.2}", link.key, link.confidence)
            })
            .collect();
        let shown: Vec<&str> = shown.iter().map(String::as_str).collect();
        assert_eq!(shown.iter().filter(found).copied().collect::<Vec<_>>(), expected, "{request}");
    }
}

#[test]
fn a_request_without_an_address_has_candidates() {
    let two = "## web
         - http GET~/api/items/{}
         ## a
         + http GET~/api/items/{}";
    check(two, &["web:1 uses GET /api/items/{} a:1 0.40"]);
    check(
        &format!("{two}\n## b\n+ http *~/api/items/{{}}"),
        &["web:1 uses GET /api/items/{} a:1 0.20", "web:1 uses * /api/items/{} b:1 0.20"],
    );
    // A route of the repository itself answers first.
    check("## web\n- http GET~/api/items\n+ http GET~/api/items\n## a\n+ http GET~/api/items", &[]);
}

#[test]
fn a_load_generator_is_linked_to_the_service_that_its_settings_name() {
    let system = |requests: &str, settings: &str| {
        format!(
            "## load
             + image
             {requests}
             ## shop
             + image
             + http GET~/
             + http GET~/product/{{}}
             ## cart
             + image
             + http GET~/api/cart
             ## deploy
             + workload load acme/load
             + workload shop acme/shop
             + workload cart acme/cart
             + host shop shop
             + host cart cart
             {settings}"
        )
    };
    let links = |requests: &str, settings: &str| -> Vec<String> {
        let repositories = self::system(&system(requests, settings));
        let repositories: Vec<ServiceRepository<'_>> =
            repositories.iter().map(|(alias, surface)| ServiceRepository { alias, surface }).collect();
        let links = join(&repositories);
        let of_load = links.iter().filter(|one| one.user == 0);
        of_load
            .map(|one| format!("{} {} {:.2}", one.link.key, repositories[one.provider].alias, one.link.confidence))
            .collect()
    };
    let one = "- config load/SHOP_ADDR shop:80";
    assert_eq!(links("- http GET~{}/product/{} {}", one), ["GET /product/{} shop 0.90"]);
    assert_eq!(links("- http GET~{}/ {}", one), ["GET / shop 0.90"]);
    // The service does not serve the path.
    assert_eq!(links("- http GET~{}/other/{} {}", one), [""; 0]);
    // An address that is written, or none at all, is no unknown host.
    assert_eq!(links("- http GET~/product/{}", one), [""; 0]);
    // Of two services, the one that serves the path answers, if the path says enough.
    let two = "- config load/SHOP_ADDR shop:80\n- config load/CART_ADDR cart:80";
    assert_eq!(links("- http GET~{}/api/cart {}", two), ["GET /api/cart cart 0.90"]);
    assert_eq!(links("- http GET~{}/ {}", two), [""; 0]);
}

#[test]
fn routes_of_every_service_need_an_address() {
    let routes = "## a\n+ image\n+ http GET~/api/healthz\n+ http GET~/metrics\n+ http GET~/";
    for request in ["GET~/api/healthz", "GET~/metrics", "GET~/", "GET~{}/api/healthz {}"] {
        check(&format!("## web\n- http {request}\n{routes}"), &[]);
    }
    check(&format!("## web\n- http GET~/api/healthz http://a:80\n{routes}"), &["web:1 uses GET /api/healthz a:2 0.90"]);
}

#[test]
fn a_mounted_route_replaces_the_bare_one_and_unit_tests_are_no_clients() {
    let repositories = system(
        "## web
         - http GET~/api/items http://a:80
         - http GET~/api/items http://a:80
         ## a
         + image
         + http GET~/items
         + http GET~/api/items",
    );
    let mut surfaces: Vec<ContractSurface> = repositories.iter().map(|(_, surface)| surface.clone()).collect();
    surfaces[0].uses[1].site.path = "tests/test_web.py".to_owned();
    surfaces[1].offers[2].site = surfaces[1].offers[1].site.clone();
    let all: Vec<ServiceRepository<'_>> =
        repositories.iter().zip(&surfaces).map(|((alias, _), surface)| ServiceRepository { alias, surface }).collect();
    let found: Vec<String> = join(&all).iter().map(|one| format!("{} {}", one.link.user.path, one.link.key)).collect();
    assert_eq!(found, ["f1 GET /api/items"]);
}

#[test]
fn settings_link_a_deployment_with_the_services_that_it_names() {
    check(
        "## deploy
         + workload web acme/web
         + workload cart acme/cart
         + host cart cart
         - config web/CART_ADDR cart:7070
         - config cart/SELF cart:7070
         - config web/LOG_LEVEL debug
         ## web
         + image
         ## cart
         + image",
        &["deploy:4 uses CART_ADDR cart:1 0.90"],
    );
}

#[test]
fn producers_are_linked_to_consumers() {
    check(
        "## a
         - topic orders
         * topic orders
         ## b
         * topic orders
         * topic payments",
        &["a:1 uses orders b:1 0.90"],
    );
}

#[test]
fn long_paths_cost_little() {
    let path = format!("GET~{}", "/a/{}".repeat(20_000));
    check(
        &format!("## a\n- http {path}\n## b\n+ http {path}"),
        &[&format!("a:1 uses {} b:1 0.40", path.replace('~', " "))],
    );
}
