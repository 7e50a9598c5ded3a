//! Deployments: settings, workloads, images and names of discovery.

use super::*;

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
fn an_image_with_a_public_name_is_built_where_three_others_are() {
    let deployment = |own: &str, broker: &str| {
        let workloads: String =
            ["cart", "pay", "mail"].map(|name| format!("+ workload {name} {own}/{name}\n")).concat();
        format!(
            "## deploy\n{workloads}+ workload rabbitmq {broker}\n## cart\n+ image\n## pay\n+ image\n## mail\n+ image\n## rabbitmq\n+ image"
        )
    };
    let others = [
        "deploy:1 uses image cart cart:1 0.90",
        "deploy:2 uses image pay pay:1 0.90",
        "deploy:3 uses image mail mail:1 0.90",
    ];
    let all = [&others[..], &["deploy:4 uses image rabbitmq rabbitmq:1 0.90"]].concat();
    check(&deployment("{env:REGISTRY}", "{env:REGISTRY}/rabbitmq:{env:TAG}"), &all);
    check(&deployment("build:src", "build:src/rabbitmq"), &all);
    // Near misses: the public image, and one of another registry or folder.
    check(&deployment("{env:REGISTRY}", "rabbitmq:3"), &others);
    check(&deployment("acme", "bitnami/rabbitmq:3"), &others);
    check(&deployment("build:src", "build:docker/rabbitmq"), &others);
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
    check(
        &deployment(&["cart-service", "pay-service", "mail-service", "redis-service"]),
        &[
            "deploy:1 uses image cart-service cart:1 0.90",
            "deploy:2 uses image pay-service pay:1 0.90",
            "deploy:3 uses image mail-service mail:1 0.90",
        ],
    );
    check(&deployment(&["cart-service", "pay-service", "mail-api"]), &[]);
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
    let setting = links.iter().find(|one| &*one.link.key == "cart.url").expect("the setting is linked");
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

#[test]
fn variables_in_a_value_are_those_of_the_same_workload_or_repository() {
    check(
        "## deploy
         + workload web acme/web
         + workload cart acme/cart
         + workload pay acme/pay
         + host cart cart
         + host pay pay
         - config /CART_HOST cart
         - config /CART_ADDR {env:CART_HOST}:7070
         - config web/CART_URL http://{env:CART_ADDR}/v1
         - config web/LOOP_URL http://{env:LOOP_ADDR}
         - config web/LOOP_ADDR {env:LOOP_URL}
         - config web/PAY_URL http://{env:PAY_HOST}
         - config one/PAY_HOST pay
         ## web
         + image
         ## cart
         + image
         ## pay
         + image",
        &[
            "deploy:1 uses image web web:1 0.90",
            "deploy:2 uses image cart cart:1 0.90",
            "deploy:3 uses image pay pay:1 0.90",
            "deploy:6 uses CART_HOST cart:1 0.90",
            "deploy:7 uses CART_ADDR cart:1 0.90",
            "deploy:8 uses CART_URL cart:1 0.90",
            "deploy:12 uses PAY_HOST pay:1 0.90",
        ],
    );
}

#[test]
fn destinations_of_a_proxy_are_addresses_and_those_of_a_broker_are_names() {
    for (setting, expected) in
        [("/ReverseProxy.Clusters.cart.Destinations.d1.Address http://cart:80", true), ("/jms.destination cart", false)]
    {
        let system = format!(
            "## gateway\n+ image\n- config {setting}\n## ops\n+ host cart cart\n+ workload cart acme/cart\n## cart\n+ image"
        );
        let repositories = self::system(&system);
        let repositories: Vec<ServiceRepository<'_>> =
            repositories.iter().map(|(alias, surface)| ServiceRepository { alias, surface }).collect();
        let links = join(&repositories, &LinkRules::default()).links;
        let is_linked = links.iter().any(|one| repositories[one.user].alias == "gateway");
        assert_eq!(is_linked, expected, "{setting}");
    }
}

#[test]
fn a_service_without_an_image_of_its_own_has_the_name_of_the_image() {
    let shop = "## deploy
         + workload orders acme/order-service:1.0
         + host orders orders
         + workload db acme/postgres
         - config web/ORDER_URL http://orders
         ## order-service
         + http GET~/orders
         ## postgres
         + http GET~/tables";
    let linked =
        ["deploy:1 uses image order-service order-service:1 0.90", "deploy:4 uses ORDER_URL order-service:1 0.90"];
    check(shop, &linked);
    // A library, and a repository that builds another image.
    check(&shop.replace("+ http GET~/orders", "+ table orders"), &[]);
    check(&shop.replace("+ http GET~/orders", "+ host :10000"), &[]);
    check(&shop.replace("+ http GET~/orders", "+ http GET~/orders\n+ image acme/other"), &[]);
}
