//! Requests through proxies and gateways.

use super::*;

#[test]
fn a_request_without_an_address_goes_through_the_only_proxy_that_takes_its_path() {
    let gateway = |prefix: &str| {
        format!(
            "## cart
             + image
             + http GET~/items/{{}}
             ## gateway
             + http *~{prefix}/{{*}} http://cart~
             ## deploy
             + workload cart acme/cart
             + host cart cart"
        )
    };
    let web = "## web\n- http GET~{}/shop/items/{} {}\n";
    assert_eq!(confirmed_links(&format!("{web}{}", gateway("/shop")), "web").len(), 2);
    // A version is the prefix of many proxies.
    let web = "## web\n- http GET~{}/api/items/{} {}\n";
    assert_eq!(confirmed_links(&format!("{web}{}", gateway("/api")), "web"), [""; 0]);
    // No service behind the proxy serves the path.
    let web = "## web\n- http GET~{}/shop/other/{} {}\n";
    assert_eq!(confirmed_links(&format!("{web}{}", gateway("/shop")), "web"), [""; 0]);
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
fn an_ingress_in_the_repository_of_a_deployment_does_not_answer_for_a_service() {
    let deployed = "
         ## users
         + http GET~/people/{}
         ## ops
         + host users users
         + workload users build:build
         + image acme/all build
         + http *~/{*} http://front:80~/";
    check(
        &format!("## web\n- http GET~/people/{{}} http://users{deployed}"),
        &["web:1 uses GET /people/{} users:1 0.70"],
    );
}

#[test]
fn a_gateway_with_the_route_of_a_service_calls_the_one_that_the_address_names() {
    let system = |address: &str| {
        format!(
            "## gateway
             + http POST~/api/reviews
             - http POST~{{}}/api/reviews {address}
             ## review-service
             + http POST~/api/reviews"
        )
    };
    let linked = ["POST /api/reviews review-service 0.70"];
    assert_eq!(confirmed_links(&system("{env:reviewBaseUrl}"), "gateway"), linked);
    for address in ["{env:baseUrl}", "{env:GATEWAY_URL}", "http://localhost:80"] {
        assert_eq!(confirmed_links(&system(address), "gateway"), [""; 0], "{address}");
    }
}

#[test]
fn the_base_of_a_variable_is_a_part_of_the_path_that_a_proxy_takes() {
    let services = "
         ## gateway
         + image
         + http *~/api/people/{*} http://people~/api/people
         ## people
         + image
         + http GET~/api/people
         ## ops
         + host people people
         + workload people acme/people";
    for (request, expected) in [
        ("GET~/people {env:GATEWAY}|{env:GATEWAY}/api", &["gateway", "people"][..]),
        ("GET~/people {env:GATEWAY}|{env:GATEWAY}/v2", &[]),
        ("PUT~/people {env:GATEWAY}/api", &[]),
    ] {
        assert_eq!(providers(&format!("## web\n- http {request}{services}")), expected, "{request}");
    }
}

#[test]
fn a_prefix_of_a_proxy_may_be_taken_away_behind_it() {
    let services = "
         ## gateway
         + image
         + http *~/api/menu/{*} http://menu~/api/menu
         ## menu
         + image
         + http GET~/v2/recipes/{}
         + http GET~/status
         ## ops
         + host gateway gateway
         + workload gateway acme/gateway
         + host menu menu
         + workload menu acme/menu";
    for (request, expected) in [
        ("GET~/api/menu/v2/recipes/{} http://gateway", &["gateway", "menu"][..]),
        // Another method, and a route of every service.
        ("PUT~/api/menu/v2/recipes/{} http://gateway", &["gateway"]),
        ("GET~/api/menu/status http://gateway", &["gateway"]),
    ] {
        assert_eq!(providers(&format!("## web\n- http {request}{services}")), expected, "{request}");
    }
}

#[test]
fn a_gateway_forwards_to_the_service_that_its_variable_names() {
    let services = "
         ## auth-service
         + http GET~/status
         + http POST~/v1/auth/login
         ## order-service
         + http GET~/orders
         ## web";
    for (forwarding, expected) in [
        ("*~/auth/{*} {env:AUTH_SERVICE_URL}|http://localhost:3001", &["auth-service"][..]),
        ("*~/orders/{*} {env:ORDER_SERVICE_URL}", &["order-service"]),
        ("*~/all/{*} {env:SERVICE_URL}", &[]),
        ("*~/pay/{*} {env:PAYMENT_SERVICE_URL}", &[]),
        ("*~/{*} {env:ORDER_SERVICE_URL}", &["order-service"]),
        // The service has no route below the path.
        ("*~/users/{*} {env:AUTH_SERVICE_URL}", &[]),
        ("*~/order/{*} {env:ORDER_SERVICE_URL}", &[]),
    ] {
        assert_eq!(providers(&format!("{services}\n- http {forwarding}")), expected, "{forwarding}");
    }
    // The client of a gateway asks the service, although the gateway has the same route.
    let client = "- http GET~/orders {} @src/OrderServiceProxy.php\n+ http GET~/orders";
    assert_eq!(providers(&format!("{services}\n{client}")), ["order-service"]);
    // A page asks its own server on the own machine or by a path.
    for (from, to) in [("OrderServiceProxy", "Handler"), ("{} @", "http://localhost:9999 @"), ("{} @", "/ @")] {
        let other = client.replace(from, to);
        assert_eq!(providers(&format!("{services}\n{other}")), [""; 0], "{other}");
    }
}
