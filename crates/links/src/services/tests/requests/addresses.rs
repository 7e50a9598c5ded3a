//! Requests with an address: a host, a port, a variable, the name of a repository.

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
        ("GET~/items/{} http://cart-svc.service.consul", &["web:2 uses GET /items/{} cart:2 0.90"]),
        ("GET~/items/{} http://other.service.consul", &[]),
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

#[test]
fn a_version_before_the_routes_of_the_only_service_of_an_address_may_be_a_setting() {
    let links = |request: &str, route: &str| {
        let text = format!(
            "## web\n+ image\n- http {request}\n## cart\n+ image\n+ http {route}\n## deploy\n+ workload cart acme/cart\n+ host cart cart"
        );
        confirmed_links(&text, "web")
    };
    const NONE: [&str; 0] = [];
    for (request, route, expected) in [
        ("GET~/api/v1/items/all http://cart", "GET~/items/all", &["GET /items/all cart 0.70"][..]),
        ("POST~/v1/orders/status http://cart", "POST~/orders/status", &["POST /orders/status cart 0.70"]),
        // Near misses: another prefix, another method, routes with the version, a probe, and an address that nothing knows.
        ("GET~/shop/items/all http://cart", "GET~/items/all", &NONE),
        ("PUT~/api/v1/items/all http://cart", "GET~/items/all", &NONE),
        ("GET~/api/v1/items/all http://cart", "GET~/items/all\n+ http GET~/api/v1/orders", &NONE),
        ("GET~/api/v2/items/all http://cart", "GET~/items/all\n+ http GET~/api/v1/items/all", &NONE),
        ("GET~/api/v2/items/all http://cart", "GET~/items/all\n+ http GET~/shop/v1/orders", &NONE),
        ("GET~/api/v1/health http://cart", "GET~/health", &NONE),
        ("GET~/api/v1/items/all http://other", "GET~/items/all", &NONE),
    ] {
        assert_eq!(links(request, route), expected, "{request} {route}");
    }
}

#[test]
fn a_setting_of_an_application_may_pass_on_a_variable_of_its_workload() {
    let links = |setting: &str, deployed: &str| {
        let text = format!(
            "## web\n+ image\n- http GET~/items {{env:services.cart.url}}\n- config /services.cart.url {setting}\n## shop\n+ image\n+ http GET~/items\n## deploy\n+ workload web acme/web\n+ workload shop acme/shop\n+ host shop-svc shop\n- config web/{deployed}"
        );
        // The deployment of both alone tells the service with less confidence.
        let is_confirmed = |link: &String| link.starts_with("GET") && link.ends_with("0.90");
        let requests = confirmed_links(&text, "web").into_iter().filter(is_confirmed);
        requests.collect::<Vec<_>>()
    };
    let found = ["GET /items shop 0.90"];
    assert_eq!(links("{env:CART_URL}", "CART_URL http://shop-svc:80"), found);
    // Near miss: the setting of another workload has the same name.
    let other = "CART_URL http://shop-svc:80\n- config mail/services.cart.url http://other-svc:80\n+ workload other acme/other\n+ host other-svc other\n## other\n+ image\n+ http GET~/items";
    assert_eq!(links("{env:CART_URL}", other), found);
    assert_eq!(links("http://shop-svc:80", "OTHER_URL http://shop-svc:80"), found);
    // Near misses: another variable, and one that passes itself on.
    assert_eq!(links("{env:CART_URL}", "OTHER_URL http://shop-svc:80"), [""; 0]);
    assert_eq!(links("{env:services.cart.url}", "CART_URL http://shop-svc:80"), [""; 0]);
}
