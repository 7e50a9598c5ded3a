//! Links of small systems.

mod contracts;

use super::{ServiceRepository, grpc, in_order, join, network::Network};
use crate::{
    contract::ContractKind,
    join::{ContractSite, ContractSurface, SurfaceOffer, SurfaceUse},
    rules::LinkRules,
};

mod topics_and_tables;

/// Reads a system: `## alias` begins a repository; `+ kind key [member]` is an offer, `- kind key [member]` a use, `* kind key` a use
/// that serves. In the key and member of a route, `~` is a space. The line of each is its place in the repository.
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
        let key = if kind == ContractKind::Grpc { key.to_owned() } else { key.replace('~', " ") };
        let member = parts.next().unwrap_or_default().replace('~', " ");
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
    let found: Vec<String> = in_order(grpc::calls(&repositories, &Network::new(&repositories, &rules)))
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
        let links = join(&repositories, &LinkRules::default()).links;
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
        let links = join(&repositories, &LinkRules::default()).links;
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
fn a_request_to_a_proxy_is_answered_by_the_service_behind_it() {
    // By the address of the proxy, and from a page that the repository of the proxy has.
    check(
        "## cart
         + http GET~/items/{id}
         + image cart
         ## client
         - http GET~/api/cart/items/{} http://web:80
         ## web
         + http *~/api/cart/{*} http://cart:80~/
         - http *~/{*} http://cart:80
         - http GET~/api/cart/items/{}
         - http GET~/api/other/items/{}
         + image web",
        &[
            "client:1 uses GET /items/{id} cart:1 0.90",
            "client:1 uses * /api/cart/{*} web:1 0.90",
            "web:2 uses * /{*} cart:2 0.90",
            "web:3 uses GET /items/{id} cart:1 0.90",
        ],
    );
    // A proxy in the deployment serves the page and forwards other paths.
    check(
        "## cart
         + http GET~/cart/items
         + image cart
         ## deploy
         + http *~/cart/{*} http://cart:80~/cart
         + http *~/{*} http://web:80~/
         ## web
         - http GET~/cart/items
         + image web",
        &["web:1 uses GET /cart/items cart:1 0.90", "web:1 uses * /cart/{*} deploy:1 0.90"],
    );
    // The image of the proxy is built elsewhere.
    check(
        "## cart
         + http GET~/items
         + image cart
         ## client
         - http GET~/api/items http://edge
         ## deploy
         + host edge edge
         + workload edge docker.io/nginx:1.27
         + http *~/api/{*} http://cart~/",
        &["client:1 uses GET /items cart:1 0.90", "client:1 uses * /api/{*} deploy:3 0.90"],
    );
    // Proxies that forward to each other have an end.
    check(
        "## a
         + http *~/{*} http://b~/
         + image a
         ## b
         + http *~/{*} http://a~/
         + image b
         ## client
         - http GET~/items http://a",
        &["client:1 uses * /{*} a:1 0.90"],
    );
}

#[test]
fn a_published_port_of_the_own_machine_is_a_service() {
    check(
        "## cart
         + http GET~/items
         + image cart
         ## deploy
         + host localhost:8080 cart
         + workload cart acme/cart
         ## web
         - http GET~/items http://localhost:8080
         - http GET~/items http://localhost:9090",
        &["deploy:2 uses image cart cart:2 0.90", "web:1 uses GET /items cart:1 0.90"],
    );
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
    let found: Vec<String> = join(&all, &LinkRules::default())
        .links
        .iter()
        .map(|one| format!("{} {}", one.link.user.path, one.link.key))
        .collect();
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
        &[
            "deploy:1 uses image web web:1 0.90",
            "deploy:2 uses image cart cart:1 0.90",
            "deploy:4 uses CART_ADDR cart:1 0.90",
        ],
    );
}

#[test]
fn workloads_lead_to_the_repositories_of_their_images() {
    for (image, workload, expected) in [
        ("reg.io:5000/acme/cart:1", "x", true),
        ("{env:REGISTRY}/cart", "x", true),
        ("build:services/cart/src", "x", true),
        // Another name of the image counts if the workload has that of the repository.
        ("acme/shop-cart", "cart", true),
        ("{env:IMAGE}:{env:TAG}-cart", "cart", true),
        ("acme/shop-cart", "shop-cart", false),
        ("acme/store", "cart", false),
        ("acme/shopcart", "cart", false),
        ("redis:7", "cart", false),
    ] {
        let system = format!(
            "## deploy\n+ workload {workload} {image}\n+ host carts {workload}\n- config web/CART_ADDR carts:80\n## cart\n+ image\n## redis\n+ image"
        );
        let repositories = self::system(&system);
        let repositories: Vec<ServiceRepository<'_>> =
            repositories.iter().map(|(alias, surface)| ServiceRepository { alias, surface }).collect();
        let n_links = join(&repositories, &LinkRules::default()).links.len();
        assert_eq!(n_links, if expected { 2 } else { 0 }, "{image} {workload}");
    }
}

#[test]
fn a_start_that_three_images_share_is_no_part_of_their_names() {
    let deployment = |names: &[&str]| {
        let workloads: String = names.iter().map(|name| format!("+ workload {name} acme/{name}:1\n")).collect();
        format!("## deploy\n{workloads}## cart\n+ image\n## pay\n+ image\n## mail\n+ image")
    };
    check(
        &deployment(&["shop-cart", "shop-pay", "shop-mail", "shop-redis"]),
        &[
            "deploy:1 uses image shop-cart cart:1 0.90",
            "deploy:2 uses image shop-pay pay:1 0.90",
            "deploy:3 uses image shop-mail mail:1 0.90",
        ],
    );
    check(&deployment(&["shop-cart", "shop-pay", "store-mail"]), &[]);
}

#[test]
fn settings_prefer_the_hosts_of_their_own_deployment() {
    check(
        "## one
         + workload cart acme/cart
         + host db cart
         - config web/CART_ADDR db:80
         ## two
         + workload db postgres:16
         + host db db
         - config web/DB_HOST db
         - config web/ORDERS_TOPIC cart
         ## cart
         + image",
        &["one:1 uses image cart cart:1 0.90", "one:3 uses CART_ADDR cart:1 0.90"],
    );
}

#[test]
fn images_of_other_owners_are_not_meant_by_their_name() {
    let system = |image: &str| {
        format!(
            "## acme/deploy
             + workload cart {image}
             ## acme/cart
             + image
             ## other/cart
             + image
             ## other/web
             + image"
        )
    };
    check(&system("cart:1"), &["acme/deploy:1 uses image cart acme/cart:1 0.90"]);
    check(&system("web:1"), &[]);
    check(&system("ghcr.io/other/web:1"), &["acme/deploy:1 uses image web other/web:1 0.90"]);
}

#[test]
fn names_of_discovery_lead_to_the_repository_that_registers_them() {
    check(
        "## gateway
         - config /routes.uri lb://cart-service
         ## cart
         + host cart-service",
        &["gateway:1 uses routes.uri cart:1 0.90"],
    );
}

#[test]
fn variables_of_code_are_the_last_step_of_the_evidence() {
    let repositories = system(
        "## deploy
         + workload web acme/web
         + workload cart acme/cart
         + host cart cart
         - config web/cart.url http://cart:80
         ## web
         + image
         - variable CART_URL
         ## cart
         + image",
    );
    let repositories: Vec<ServiceRepository<'_>> =
        repositories.iter().map(|(alias, surface)| ServiceRepository { alias, surface }).collect();
    let links = join(&repositories, &LinkRules::default()).links;
    let setting = links.iter().find(|one| one.link.key == "cart.url").expect("the setting is linked");
    let contents: Vec<&str> = setting.link.evidence.iter().map(|step| step.content.as_str()).collect();
    assert_eq!(
        contents,
        [
            "cart.url = http://cart:80",
            "host cart",
            "workload cart runs acme/cart",
            "builds the image cart",
            "workload web runs acme/web",
            "builds the image web",
            "reads CART_URL"
        ]
    );
}

#[test]
fn producers_are_linked_to_consumers_of_the_same_broker() {
    check(
        "## a
         - topic kafka:orders
         * topic kafka:orders
         - topic kafka:events
         - topic kafka:{env:PAY_TOPIC}
         - topic nats:stock.new
         - topic sqs:https://sqs.eu/1/mails
         - topic kafka:{env:BOOKS_TOPIC} books
         ## b
         * topic kafka:orders
         * topic nats:orders
         * topic kafka:payments
         * topic kafka:events
         * topic nats:stock.*
         * topic sqs:{env:MAIL_QUEUE_URL}
         * topic kafka:books
         ## deploy
         + workload a acme/a
         - config a/PAY_TOPIC payments
         - config /MAIL_QUEUE_URL https://sqs.eu/1/mails",
        &[
            "a:1 uses kafka:orders b:1 0.90",
            "a:3 uses kafka:events b:4 0.40",
            "a:4 uses kafka:payments b:3 0.90",
            "a:5 uses nats:stock.new b:5 0.90",
            "a:6 uses sqs:mails b:6 0.90",
            "a:7 uses kafka:books b:7 0.90",
        ],
    );
}

#[test]
fn tables_of_one_name_need_a_shared_database() {
    let tables = "
         - table users
         - table billing.invoices
         - table own
         + table own
         ## shop
         + table users
         + table billing.invoices
         + table own";
    check(
        &format!("## report{tables}"),
        &["report:1 uses users shop:1 0.40", "report:2 uses billing.invoices shop:2 0.90"],
    );
    check(
        &format!(
            "## report\n- config /DB_URL postgres://db:5432/shop{tables}\n- config /URL jdbc:postgresql://db/shop"
        ),
        &["report:2 uses users shop:1 0.90", "report:3 uses billing.invoices shop:2 0.90"],
    );
    check(
        &format!(
            "## report\n- config /DB_URL postgres://db:5432/other{tables}\n- config /URL jdbc:postgresql://db/shop"
        ),
        &["report:2 uses users shop:1 0.40", "report:3 uses billing.invoices shop:2 0.90"],
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

#[test]
fn an_image_of_the_own_repository_is_meant_before_one_of_another() {
    check(
        "## bank
         + workload frontend x/frontend
         + host frontend frontend
         + image frontend src/frontend
         - config load/FRONTEND_ADDR frontend:80
         ## shop
         + image frontend src/frontend",
        &[],
    );
}
