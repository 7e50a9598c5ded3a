//! Requests without an address: by the deployment, the API, the settings and the file of the client.

use super::*;

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
fn a_request_without_an_address_goes_to_the_only_service_of_the_deployment_that_serves_it() {
    let links = |request: &str, other: &str, deployed: &str| {
        let text = format!(
            "## web
             + image
             - http {request}
             ## cart
             + image
             + http GET~/items/{{}}
             + http GET~/api/v1/offers
             + http GET~/internal/users
             + http GET~/health
             {other}
             ## deploy
             + workload web acme/web
             + workload cart acme/cart
             {deployed}"
        );
        shown_links(&text, "web")
    };
    const NONE: [&str; 0] = [];
    let books = "## books\n+ image\n+ http GET~/items/{}\n+ http GET~/api/v1/offers";
    for (request, other, deployed, expected) in [
        ("GET~/items/{}", "", "", &["GET /items/{} cart 0.70"][..]),
        ("GET~{}/items/{} {env:UNKNOWN}", "", "", &["GET /items/{} cart 0.70"]),
        ("GET~{}/offers {}", "", "", &["GET /api/v1/offers cart 0.70"]),
        // A base that is no version may be of another service.
        ("GET~{}/users {}", "", "", &NONE),
        ("GET~/health", "", "", &NONE),
        // A change of a state is no probe of it.
        ("PUT~/orders/status", "+ http PUT~/orders/status", "", &["PUT /orders/status cart 0.70"]),
        ("GET~/orders/status", "+ http GET~/orders/status", "", &NONE),
        // A host that is written, or that a setting names, is another one.
        ("GET~/items/{} http://other", "", "", &NONE),
        ("GET~/items/{} {env:DB_ADDR}", "", "- config web/DB_ADDR db:80", &NONE),
        // Two services serve it.
        ("GET~/items/{}", books, "+ workload books acme/books", &NONE),
        // A repository that may be of the system serves the single segment, too.
        ("GET~/items/{}", books, "", &NONE),
        ("GET~/api/v1/offers", books, "", &["GET /api/v1/offers cart 0.70"]),
    ] {
        assert_eq!(links(request, other, deployed), expected, "{request} {deployed}");
    }
}

#[test]
fn several_requests_to_one_address_are_the_api_of_one_repository() {
    let api = "## cart\n+ http GET~/items/{}\n+ http POST~/orders\n+ http GET~/offers/new\n+ http GET~/me/orders";
    let three = "- http GET~{}/items/7 {}\n- http POST~{}/orders {}\n- http GET~{}/offers/new {}";
    let linked = ["GET /items/{} cart 0.70", "POST /orders cart 0.70", "GET /offers/new cart 0.70"];
    assert_eq!(shown_links(&format!("## web\n{three}\n{api}"), "web"), linked);
    // Two requests are too few, and so are three of one noun.
    let two = "- http GET~{}/items/7 {}\n- http POST~{}/orders {}";
    assert_eq!(confirmed_links(&format!("## web\n{two}\n{api}"), "web"), [""; 0]);
    let one_noun = "- http GET~{}/items/7 {}\n- http GET~{}/items {}\n- http POST~{}/items {}";
    let items = "## cart\n+ http GET~/items/{}\n+ http GET~/items\n+ http POST~/items";
    assert_eq!(confirmed_links(&format!("## web\n{one_noun}\n{items}"), "web"), [""; 0]);
    // Another repository has the same API.
    let copy = api.replace("cart", "copy");
    assert_eq!(confirmed_links(&format!("## web\n{three}\n{api}\n{copy}"), "web"), [""; 0]);
    // Requests to different addresses are no API.
    let apart = "- http GET~{}/items/7 {env:A}\n- http POST~{}/orders {env:B}\n- http GET~{}/offers/new {env:C}";
    assert_eq!(confirmed_links(&format!("## web\n{apart}\n{api}"), "web"), [""; 0]);
    // Routes that take every path of a version are the API of nobody.
    let any = "## cart\n+ http *~/api/v1/{*}\n+ http GET~/api/v1/{}/{}";
    let versioned = "- http GET~/api/v1/items/7\n- http POST~/api/v1/orders\n- http GET~/api/v1/offers/new";
    assert_eq!(confirmed_links(&format!("## web\n{versioned}\n{any}"), "web"), [""; 0]);
    // A base that all requests lack in the same way.
    let behind = api.replace('~', "~/shop");
    let linked = ["GET /shop/items/{} cart 0.70", "POST /shop/orders cart 0.70", "GET /shop/offers/new cart 0.70"];
    assert_eq!(shown_links(&format!("## web\n{three}\n{behind}"), "web"), linked);
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
    let links = |requests: &str, settings: &str| shown_links(&system(requests, settings), "load");
    let one = "- config load/SHOP_ADDR shop:80";
    assert_eq!(links("- http GET~{}/product/{} {}", one), ["GET /product/{} shop 0.90"]);
    assert_eq!(links("- http GET~{}/ {}", one), ["GET / shop 0.90"]);
    // The service does not serve the path.
    assert_eq!(links("- http GET~{}/other/{} {}", one), [""; 0]);
    // A request without an address: only one of the services beside the client serves the path.
    assert_eq!(links("- http GET~/product/{}", one), ["GET /product/{} shop 0.70"]);
    assert_eq!(links("- http GET~/product/{} http://books:80", one), [""; 0]);
    // Of two services, the one that serves the path answers, if the path says enough.
    let two = "- config load/SHOP_ADDR shop:80\n- config load/CART_ADDR cart:80";
    assert_eq!(links("- http GET~{}/api/cart {}", two), ["GET /api/cart cart 0.90"]);
    assert_eq!(links("- http GET~{}/ {}", two), [""; 0]);
}

#[test]
fn a_client_is_known_by_its_file() {
    let services = "
         ## billing-service
         + http GET~/settings/costs
         ## stock-service
         + http GET~/settings/costs
         + http GET~/items/{}
         ## order-service
         + http GET~/items/{}";
    for (request, expected) in [
        ("GET~/settings/costs {} @internal/client/billing/client.go", &["billing-service"][..]),
        ("GET~/settings/costs {} @src/clients/stock-service.client.ts", &["stock-service"]),
        ("GET~/settings/costs {} @src/BillingServiceProxy.java", &["billing-service"]),
        // No file of a client; a client of a service without the route; a host that is written.
        ("GET~/settings/costs {} @src/billing/handler.go", &[]),
        ("GET~/settings/costs {} @clients/order/client.go", &[]),
        ("GET~/settings/costs {} @internal/billing/client.go", &["billing-service"]),
        ("GET~/settings/costs {} @client/billing/http/api.go", &["billing-service"]),
        // The folder of a frontend.
        ("GET~/settings/costs {} @client/src/billing.js", &[]),
        ("GET~/settings/costs {} @client/src/billing/index.js", &[]),
        ("GET~/settings/costs https://api.pay.org @clients/billing/client.go", &[]),
    ] {
        assert_eq!(providers(&format!("## web\n- http {request}{services}")), expected, "{request}");
    }
}

#[test]
fn a_default_without_a_host_has_a_base_path() {
    let system = |address: &str| {
        format!(
            "## web
             + image
             - http GET~/offers/all {address}
             ## cart
             + image
             + http GET~/offers/all
             ## gateway
             + image
             + http GET~/api/offers/all
             ## deploy
             + workload web acme/web
             + workload cart acme/cart
             + workload gateway acme/gateway"
        )
    };
    assert_eq!(providers(&system("{env:API_URL}|/api")), ["gateway"]);
    assert_eq!(providers(&system("{env:API_URL}|/v2")), [""; 0]);
    assert_eq!(providers(&system("{env:API_URL}")), ["cart"]);
}
