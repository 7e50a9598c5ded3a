//! Contracts by name, those without their other side, and the rules of the user.

use super::{
    super::{CANDIDATE, NetworkIndex, missing_evidence, named_contract},
    *,
};
use crate::rules::LinkRulesSettings;

/// Returns the repositories of a system by alias.
fn aliases_of(repositories: &[(String, ContractSurface)]) -> Vec<ServiceRepository<'_>> {
    repositories.iter().map(|(alias, surface)| ServiceRepository { alias, surface }).collect()
}

/// Checks the contracts without their other side: `alias:line key reason`.
#[track_caller]
fn check_unlinked(text: &str, expected: &[&str]) {
    let repositories = system(text);
    let repositories = aliases_of(&repositories);
    let found = join(&repositories, &LinkRules::default()).unlinked;
    let found: Vec<String> = found
        .iter()
        .map(|one| {
            format!("{}:{} {} {}", repositories[one.repository].alias, one.site.line, one.key, one.reason.name())
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn contracts_without_their_other_side_are_found() {
    check_unlinked(
        "## web
         - http GET~/cart/{id} {env:CART_URL}
         - http GET~/gone {env:CART_URL}
         - http GET~/other {}
         - http GET~/x https://api.github.com
         - grpc Pay/Charge
         ## cart
         + http GET~/cart/{id}
         + image acme/cart .
         - topic kafka:carts
         * topic kafka:orders.*
         * topic kafka:lost
         ## ops
         - config web/CART_URL http://cart:80
         + host cart cart
         + workload cart acme/cart
         ## protos
         + grpc a.Ship/Send
         + grpc a.Ship/Track
         ## ship
         * grpc a.Ship/Send
         - topic kafka:orders.new
         - grpc a.Ship/Track",
        &[
            "web:2 GET /gone no route answers",
            "protos:1 a.Ship/Send nobody calls",
            "protos:2 a.Ship/Track nobody implements",
            "cart:3 kafka:carts nobody reads",
            "cart:5 kafka:lost nobody writes",
            "web:5 Pay/Charge nobody defines",
            "web:3 GET /other address unknown",
        ],
    );
}

#[test]
fn a_queue_that_is_bound_to_a_topic_is_written_and_so_are_dead_letters() {
    check_unlinked(
        "## mail
         + topic rabbitmq:OrderQueue rabbitmq:Shop/order.new
         * topic rabbitmq:OrderQueue
         * topic rabbitmq:OrderQueue.DLQ
         * topic rabbitmq:LostQueue
         * topic rabbitmq:players.dead
         ## shop
         - topic rabbitmq:Shop/order.new",
        &["mail:4 rabbitmq:LostQueue nobody writes", "mail:5 rabbitmq:players.dead nobody writes"],
    );
}

#[test]
fn the_missing_evidence_of_a_request_is_named() {
    let repositories = system(
        "## web
         - http GET~/a {env:A_URL}
         - http GET~/b {env:B_URL}
         - http GET~/c http://gone:80
         - http GET~/d {env:D_URL}
         - http GET~/e
         - http GET~/f {}
         - http GET~/g {env:authUrl}
         ## cart
         + http GET~/cart
         + image acme/cart .
         ## ops
         - config web/B_URL http://nowhere:80
         - config web/D_URL http://cart:80
         + host cart cart
         + workload cart acme/cart",
    );
    let all = aliases_of(&repositories);
    let found = missing_evidence(&all, &NetworkIndex::new(&all), &LinkRules::default(), 0);
    let mut found: Vec<String> = found.iter().map(|(one, missing)| format!("{} {missing}", one.key)).collect();
    found.sort();
    let expected = [
        "GET /a no deployment or settings file gives A_URL an address",
        "GET /b the value of B_URL is http://nowhere:80, which leads to no repository",
        "GET /c no deployment names the host gone",
        "GET /d the address leads to cart, which has no such route",
        "GET /e the request has no host",
        "GET /f the code computes the host",
        "GET /g no deployment or settings file gives authUrl an address; the code may compute it",
    ];
    assert_eq!(found, expected);
}

/// Checks the users of a named contract: `user:line -> provider:line`, after the places that define it.
#[track_caller]
fn check_named(text: &str, written: &str, expected: &[&str]) {
    let (repositories, rules) = (system(text), LinkRules::default());
    let repositories = aliases_of(&repositories);
    let joined = join(&repositories, &rules);
    let mut named = joined.names.find(written).into_iter();
    let found = named.find_map(|(kind, name)| named_contract(&repositories, &joined.network, &rules, kind, name));
    let shown = found.map_or_else(Vec::new, |found| {
        let alias = |repository: usize| repositories[repository].alias;
        let defined = found.defined_at.iter().map(|(of, site)| format!("at {}:{}", alias(*of), site.line));
        let users = found.users.iter().map(|one| {
            format!("{}:{} -> {}:{}", alias(one.user), one.link.user.line, alias(one.provider), one.link.offer.line)
        });
        defined.chain(users).collect()
    });
    assert_eq!(shown, expected, "{written}");
}

#[test]
fn contracts_have_names() {
    let shop = "## web
         - variable CART_URL
         - http GET~/cart {env:CART_URL}
         - topic kafka:orders
         - table orders
         - grpc Pay/Charge pay:80
         ## cart
         + http GET~/cart
         + image acme/cart .
         * topic kafka:orders
         + table orders
         - table orders
         ## ops
         - config web/CART_URL http://cart:80
         + host cart cart
         + workload cart acme/cart
         + workload web acme/web
         - config api/CART_URL http://cart:80";
    for written in ["CART_URL", "cart.url", "env:CART_URL"] {
        check_named(
            shop,
            written,
            &["at ops:1", "at ops:5", "web:1 -> web:1", "web:2 -> cart:2", "ops:1 -> cart:2", "ops:5 -> cart:2"],
        );
    }
    check_named(shop, "host:cart", &["at ops:2", "web:2 -> cart:2", "ops:1 -> cart:2", "ops:5 -> cart:2"]);
    for written in ["orders", "topic:orders", "kafka:orders"] {
        check_named(shop, written, &["web:3 -> cart:3", "cart:3 -> web:3"]);
    }
    check_named(shop, "table:orders", &["at cart:4", "web:4 -> cart:4", "cart:5 -> cart:4"]);
    check_named(shop, "Pay/Charge", &["web:5 -> web:5"]);
    check_named(shop, "pay", &["web:5 -> web:5"]);
    check_named(shop, "CART_ADDR", &[]);
}

#[test]
fn an_empty_text_names_nothing() {
    let repositories = system(
        "## web
         - http GET~/ http://cart:80
         ## cart
         + http GET~/",
    );
    let repositories = aliases_of(&repositories);
    let joined = join(&repositories, &LinkRules::default());
    for (written, n_named) in [("", 0), ("  ", 0), ("route:", 0), ("/", 1), ("GET /", 1)] {
        assert_eq!(joined.names.find(written).len(), n_named, "{written:?}");
    }
}

#[test]
fn rules_of_the_user_name_the_server_of_a_host_and_ignore_links() {
    let repositories = system(
        "## web
         - http GET~/cart http://basket.internal:80
         - http GET~/cart/{id} http://basket.internal:80
         ## cart
         + http GET~/cart
         + http GET~/cart/{id}",
    );
    let repositories = aliases_of(&repositories);
    let settings = LinkRulesSettings {
        served_by: [("basket.internal".to_owned(), "cart".to_owned())].into(),
        never: vec![["web", "cart", "GET /cart"].map(str::to_owned).to_vec()],
        ..Default::default()
    };
    let rules = LinkRules::new(settings).unwrap();
    let joined = join(&repositories, &rules);
    let found = joined.links;
    let shown: Vec<(&str, &str)> =
        found.iter().map(|one| (&*one.link.key, one.link.evidence[0].content.as_str())).collect();
    assert_eq!(shown, [("GET /cart/{id}", "`[links] served_by`: basket.internal is cart")]);
    let named = |name: &str| named_contract(&repositories, &joined.network, &rules, ContractKind::Http, name);
    let is_own = |name: &str| named(name).unwrap().users.iter().all(|one| one.user == one.provider);
    assert!(is_own("GET /cart") && !is_own("GET /cart/{id}"));
    assert!(found[0].link.confidence > CANDIDATE);
}

#[test]
fn tables_and_topics_are_linked_within_a_repository() {
    let repositories = system(
        "## cart
         + table orders
         - table orders
         - topic kafka:orders
         * topic kafka:orders",
    );
    let joined = join(&aliases_of(&repositories), &LinkRules::default());
    let ends: Vec<(u32, u32)> =
        joined.internal_links.iter().map(|one| (one.link.user.line, one.link.offer.line)).collect();
    assert_eq!((ends.as_slice(), joined.links.len()), (&[(2, 1), (3, 4)][..], 0));
}
