//! HTTP requests: by their address, by settings, and through proxies.

use super::*;

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
fn a_request_goes_to_the_repository_that_its_address_names_if_it_serves_the_path() {
    let services = "## acme/cart-service
         + http GET~/items/{}
         ## acme/books
         + http GET~/items/{}";
    const NONE: [&str; 0] = [];
    for (request, expected) in [
        ("GET~/items/{} {env:CART_API_URL}", &["GET /items/{} acme/cart-service 0.70"][..]),
        ("GET~/items/{} http://books-svc:80", &["GET /items/{} acme/books 0.70"]),
        ("GET~/{} {env:CART_API_URL}|http://localhost:80/items", &["GET /items/{} acme/cart-service 0.70"]),
        // The name alone is no evidence.
        ("GET~/other/{} {env:CART_API_URL}", &NONE),
        ("GET~/items/{} {env:API_URL}", &NONE),
        ("GET~/items/{} {env:ORDERS_URL}", &NONE),
    ] {
        assert_eq!(confirmed_links(&format!("## web\n- http {request}\n{services}"), "web"), expected, "{request}");
    }
    // A client of another owner may ask another system by the same name.
    let linked = ["GET /items/{} acme/cart-service 0.70"];
    for (user, expected) in [("acme/web", &linked[..]), ("other/web", &NONE)] {
        let client = format!("## {user}\n- http GET~/items/{{}} {{env:cartUrl}}\n{services}");
        assert_eq!(confirmed_links(&client, user), expected, "{user}");
    }
}

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
    surfaces[0].uses[1].site.path = "tests/test_web.py".into();
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
fn long_paths_cost_little() {
    let path = format!("GET~{}", "/a/{}".repeat(20_000));
    check(
        &format!("## a\n- http {path}\n## b\n+ http {path}"),
        &[&format!("a:1 uses {} b:1 0.40", path.replace('~', " "))],
    );
}

#[test]
fn a_service_runs_under_a_path_that_other_settings_have() {
    let deployed = "
         ## account-service
         + image
         + http GET~/{}
         + http POST~/users/new
         ## ops
         + host accounts accounts
         + workload accounts acme/account-service
         - config web/API_URL http://accounts/api
         - config web/UAA_URL http://accounts/uaa
         ## settings
         - config accounts/server.servlet.context-path /uaa";
    for (request, expected) in [
        ("GET~/accounts/{} http://accounts", &["GET /{} account-service 0.70"][..]),
        ("POST~/uaa/users/new http://accounts", &["POST /users/new account-service 0.70"]),
        ("POST~/users/new {env:UAA_URL}", &["POST /users/new account-service 0.70"]),
        // No setting has the path.
        ("POST~/legacy/users/new http://accounts", &["POST /users/new account-service 0.40"]),
        // The address has another path before it.
        ("POST~/uaa/users/new {env:API_URL}", &[]),
        // Another word before a variable, and another method.
        ("GET~/bills/{} http://accounts", &[]),
        ("PUT~/uaa/users/new http://accounts", &[]),
    ] {
        assert_eq!(shown_links(&format!("## web\n- http {request}{deployed}"), "web"), expected, "{request}");
    }
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
fn a_name_does_not_beat_the_own_route_or_the_deployment() {
    let deployed = "## ops\n+ host cart cart\n+ workload cart";
    const NONE: [&str; 0] = [];
    for (system, user, expected) in [
        // The host leads to the repository itself, which has the route.
        (
            format!(
                "## shop/platform
                 + image
                 + http GET~/items/{{}}
                 - http GET~/items/{{}} http://cart
                 ## old/cart
                 + http GET~/items/{{}}
                 {deployed} shop/platform"
            ),
            "shop/platform",
            &NONE[..],
        ),
        // The repository of the host has lost the route, and another has the name and the route.
        (
            format!(
                "## shop/web
                 - http GET~/items/{{}} http://cart
                 ## shop/cart
                 + image
                 ## demo/my-cart
                 + http GET~/items/{{}}
                 {deployed} shop/cart"
            ),
            "shop/web",
            &NONE,
        ),
        // The repository of the host builds several services, and is of the same owner as that of the name, or of another one.
        (
            format!(
                "## shop/web
                 - http GET~/items/{{}} http://cart
                 ## shop/platform
                 + image
                 ## shop/cart
                 + http GET~/items/{{}}
                 {deployed} shop/platform"
            ),
            "shop/web",
            &["GET /items/{} shop/cart 0.70"],
        ),
        (
            format!(
                "## shop/web
                 - http GET~/items/{{}} http://cart
                 ## shop/platform
                 + image
                 ## old/cart
                 + http GET~/items/{{}}
                 {deployed} shop/platform"
            ),
            "shop/web",
            &NONE,
        ),
        // Without owners, nothing says that they are of different systems.
        (
            format!(
                "## web
                 - http GET~/items/{{}} http://cart
                 ## platform
                 + image
                 ## cart
                 + http GET~/items/{{}}
                 {deployed} acme/platform"
            ),
            "web",
            &["GET /items/{} cart 0.70"],
        ),
    ] {
        assert_eq!(confirmed_links(&system, user), expected, "{system}");
    }
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
fn an_application_is_known_by_its_port_of_the_own_machine() {
    let services = "
         ## cart
         + host :8081
         + http GET~/api/items
         + http GET~/health
         ## books
         + host :8082
         + http GET~/api/items
         ## copy
         + host :8083
         + http GET~/api/items
         ## other
         + host :8083
         + http GET~/api/items";
    for (request, expected) in [
        ("GET~/api/items http://localhost:8081", &["cart"][..]),
        ("GET~/api/items {env:BOOKS}", &["books"]),
        // Two applications listen on the port; every service has the route; nothing listens on the port.
        ("GET~/api/items http://localhost:8083", &[]),
        ("GET~/health http://localhost:8081", &[]),
        ("GET~/api/items http://localhost:8084", &[]),
    ] {
        let text = format!("## web\n- http {request}\n- config /BOOKS http://127.0.0.1:8082{services}");
        assert_eq!(providers(&text), expected, "{request}");
    }
    for (owner, expected) in [("acme", &["GET /orders/{} acme/orders 0.70"][..]), ("other", &[])] {
        let text = format!(
            "## {owner}/web\n- http GET~/orders/{{}} http://localhost:4000\n## acme/orders\n+ host :4000\n+ http GET~/orders/{{}}"
        );
        assert_eq!(confirmed_links(&text, &format!("{owner}/web")), expected, "{owner}");
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

#[test]
fn the_root_of_a_service_needs_its_name() {
    let system = |address: &str, route: &str| {
        format!(
            "## web\n- http POST~/ {address}\n## order-service\n+ image\n+ http {route}\n## pay\n+ image\n+ http POST~/"
        )
    };
    let named = "{env:ORDER_SERVICE_URL}|http://localhost:3000";
    check(&system(named, "POST~/"), &["web:1 uses POST / order-service:2 0.70"]);
    // Near misses: another method, a route for all methods, a variable that names no service, and no address.
    check(&system(named, "GET~/"), &[]);
    check(&system(named, "*~/"), &[]);
    check(&system("{env:BASE_URL}", "POST~/"), &[]);
    // The variable may hold a whole URL.
    check(&system("{env:ORDER_SERVICE_URL}", "POST~/"), &[]);
    check(&system("{env:ORDER_SERVICE_URL}|http://localhost:3000/orders", "POST~/"), &[]);
    check(&system("{env:ORDER_SERVICE_URL}", "POST~/").replace("POST~/", "GET~/"), &[]);
    check(&system("", "POST~/"), &[]);
}

#[test]
fn the_path_of_a_default_address_may_be_that_of_the_service() {
    let system = |setting: &str, route: &str| {
        format!(
            "## order\n- http GET~/items {{env:acme.services.cart}}|http://gateway:80/cart\n## cart\n+ image\n{setting}\n+ http GET~{route}"
        )
    };
    check(&system("", "/items"), &["order:1 uses GET /items cart:2 0.70"]);
    // Near miss: the path is that of another service.
    let other = "## order\n- http GET~/items {env:acme.services.cart}|http://gateway:80/pay\n## cart\n+ image\n+ http GET~/items";
    check(other, &[]);
}
