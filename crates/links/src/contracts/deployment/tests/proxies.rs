//! Proxies and gateways: the routes that they offer and the services behind them.

use super::check;
use crate::testing::contracts;

#[test]
fn proxies_offer_routes_and_request_them_of_services() {
    for (fixture, expected) in [
        (
            "//- /nginx.conf\nupstream carts {\n  server cart:80;\n}\nserver {\n  location /cart/ {\n    proxy_pass http://carts/;\n  }\n  location /pay {\n    proxy_pass http://${PAY}:80;\n  }\n}\n",
            &[
                "+ * /cart/{*} http://cart:80 / = nginx.conf",
                "+ * /pay/{*} http://{env:PAY}:80 /pay = nginx.conf",
                "- * /pay/{*} http://{env:PAY}:80 by nginx.conf:9 0.95",
                "- * /{*} http://cart:80 by nginx.conf:6 0.95",
            ][..],
        ),
        (
            "//- /ingress.yaml\napiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: x}\nspec:\n  rules:\n  - http:\n      paths:\n      - path: /cart\n        backend: {service: {name: cart, port: {number: 80}}}\n",
            &[
                "+ * /cart/{*} http://cart:80 /cart = ingress.yaml",
                "- * /cart/{*} http://cart:80 by ingress.yaml:9 0.95",
            ],
        ),
        (
            "//- /application.yml\nspring:\n  cloud:\n    gateway:\n      routes:\n      - id: cart\n        uri: lb://cart\n        predicates:\n        - Path=/api/cart/**\n        filters:\n        - StripPrefix=1\n",
            &[
                "+ * /api/cart/{*} http://cart /cart = application.yml",
                "- * /cart/{*} http://cart by application.yml:6 0.95",
                "- /spring.cloud.gateway.routes.uri lb://cart by application.yml:6 0.95",
            ],
        ),
        (
            "//- /appsettings.json\n{\"ReverseProxy\": {\"Routes\": {\"a\": {\"ClusterId\": \"cart\", \"Match\": {\"Path\": \"/api/{version}/cart/{**rest}\"}, \"Transforms\": [{\"PathPattern\": \"/{version}/{**rest}\"}]}},\n\"Clusters\": {\"cart\": {\"Destinations\": {\"d\": {\"Address\": \"http://cart:80/\"}}}}}}\n",
            &[
                "+ * /api/{version}/cart/{*} http://cart:80 /{version} = appsettings.json",
                "- * /{version}/{*} http://cart:80 by appsettings.json:1 0.95",
                "- /ReverseProxy.Clusters.cart.Destinations.d.Address http://cart:80/ by appsettings.json:2 0.95",
            ],
        ),
        (
            "//- /appsettings.json\n{\"ReverseProxy\": {\"Routes\": {\"a\": {\"ClusterId\": \"cart\", \"Match\": {\"Path\": \"/cart/{**rest}\"}}},\n\"Clusters\": {\"cart\": {\"Destinations\": {\"d\": {\"Address\": \"http://cart:80/\"}}}}}}\n",
            &[
                "+ * /cart/{*} http://cart:80 /cart = appsettings.json",
                "- * /cart/{*} http://cart:80 by appsettings.json:1 0.95",
                "- /ReverseProxy.Clusters.cart.Destinations.d.Address http://cart:80/ by appsettings.json:2 0.95",
            ],
        ),
        (
            "//- /compose.yml\nservices:\n  cart:\n    image: acme/cart\n    labels:\n    - \"traefik.http.routers.cart.rule=PathPrefix(`/cart`)\"\n",
            &[
                "+ * /cart/{*} http://cart /cart = compose.yml",
                "+ cart acme/cart = compose.yml",
                "+ cart cart = compose.yml",
                "- * /cart/{*} http://cart by compose.yml:5 0.95",
            ],
        ),
        (
            "//- /envoy.yaml\nstatic_resources:\n  listeners:\n  - routes:\n    - match: {prefix: /cart}\n      route: {cluster: carts, prefix_rewrite: /}\n  clusters:\n  - name: carts\n    endpoints:\n    - socket_address: {address: cart, port_value: 80}\n",
            &["+ * /cart/{*} http://cart:80 / = envoy.yaml", "- * /{*} http://cart:80 by envoy.yaml:5 0.95"],
        ),
    ] {
        check(fixture, expected);
    }
}

#[test]
fn servers_of_a_proxy_are_hosts() {
    for (block, expected) in [
        ("server_name Api.Shop.local www.shop.local;", &["+ api.shop.local {proxy}", "+ www.shop.local {proxy}"][..]),
        ("server_name _;", &[]),
        ("server_name localhost *.shop.local ~^(www\\.)?shop$ 10.0.0.1;", &[]),
        ("server_name www.example.local your-domain.local;", &[]),
        // The proxy may be a mirror of a public site, and a name without a domain tells no system.
        ("server_name api.github.com registry.npmjs.org;", &[]),
        ("server_name backend web app;", &[]),
    ] {
        let proxy = format!(
            "//- /nginx.conf\nserver {{\n  {block}\n  location /cart/ {{\n    proxy_pass http://cart;\n  }}\n}}\n"
        );
        let lines = contracts(&proxy);
        let hosts: Vec<&str> = lines.iter().filter_map(|line| line.strip_suffix(" = nginx.conf")).collect();
        let hosts: Vec<&str> = hosts.into_iter().filter(|line| !line.contains('*')).collect();
        assert_eq!(hosts, expected, "{block} {lines:#?}");
    }
    // A server that is no proxy serves its own files.
    let lines = contracts(
        "//- /nginx.conf\nserver {\n  server_name www.shop.local;\n}\nserver {\n  location /cart/ {\n    proxy_pass http://cart;\n  }\n}\n",
    );
    assert!(!lines.iter().any(|line| line.contains("shop.local")), "{lines:#?}");
    assert!(lines.iter().any(|line| line.contains("/cart/{*}")), "{lines:#?}");
}

#[test]
fn hosts_of_an_ingress_are_those_of_a_private_network() {
    for (host, expected) in [
        ("Api.Shop.local", Some("+ api.shop.local {proxy}")),
        ("www.shop.org", None),
        ("cart.shop.svc.cluster.local", None),
    ] {
        let lines = contracts(&format!(
            "//- /ingress.yaml\napiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {{name: x}}\nspec:\n  rules:\n  - host: {host}\n    http:\n      paths:\n      - path: /cart\n        backend: {{service: {{name: cart, port: {{number: 80}}}}}}\n"
        ));
        let found =
            lines.iter().find_map(|line| line.strip_suffix(" = ingress.yaml").filter(|line| !line.contains('*')));
        assert_eq!(found, expected, "{lines:#?}");
    }
}

#[test]
fn proxies_replace_prefixes() {
    for (fixture, expected) in [
        (
            "//- /nginx.conf\nserver {\n  location /api/order {\n    rewrite ^/api/order(/.*)$ $1 break;\n    proxy_pass http://order:3000;\n  }\n}\n",
            "+ * /api/order/{*} http://order:3000 / = nginx.conf",
        ),
        (
            "//- /nginx.conf\nserver {\n  location /cart/ {\n    set $cart_host \"cart\";\n    proxy_pass http://$cart_host:80;\n  }\n}\n",
            "+ * /cart/{*} http://cart:80 /cart = nginx.conf",
        ),
        (
            "//- /nginx.conf\nserver {\n  set $cart_host pay;\n  set $cart_host cart;\n  set $cart_host_backend bill;\n  location /cart/ {\n    proxy_pass http://$cart_host:80;\n  }\n}\n",
            "+ * /cart/{*} http://cart:80 /cart = nginx.conf",
        ),
        (
            "//- /nginx.conf\nserver {\n  set $backend http://pay:80;\n  location /pay/ {\n    proxy_pass $backend;\n  }\n}\n",
            "+ * /pay/{*} http://pay:80 /pay = nginx.conf",
        ),
        (
            "//- /nginx.conf\nserver {\n  location ~ ^/api/item/(?<id>\\w+) {\n    proxy_pass http://item:80/v1/$id;\n  }\n}\n",
            "+ * /api/item/{*} http://item:80 /v1 = nginx.conf",
        ),
        (
            "//- /application.yml\nspring:\n  cloud:\n    gateway:\n      routes:\n      - uri: http://pay:80\n        predicates: [\"Path=/pay/**,/bill/**\"]\n        filters: [\"RewritePath=/pay/(?<rest>.*), /v1/$\\\\{rest}\"]\n",
            "+ * /pay/{*} http://pay:80 /v1 = application.yml",
        ),
        (
            "//- /application.yml\nzuul:\n  routes:\n    cart:\n      path: /cart/**\n      serviceId: cart-service\n",
            "+ * /cart/{*} http://cart-service / = application.yml",
        ),
        (
            "//- /ocelot.json\n{\"Routes\": [{\"DownstreamPathTemplate\": \"/api/{rest}\", \"DownstreamHostAndPorts\": [{\"Host\": \"cart\", \"Port\": 80}],\n\"UpstreamPathTemplate\": \"/cart/{rest}\"}]}\n",
            "+ * /cart/{*} http://cart /api = ocelot.json",
        ),
        (
            "//- /ocelot.json\n{\"Routes\": [{\"DownstreamPathTemplate\": \"/health\", \"DownstreamHostAndPorts\": [{\"Host\": \"cart\", \"Port\": 80}],\n\"UpstreamPathTemplate\": \"/cart/health\"}]}\n",
            "+ * /cart/health/{*} http://cart /health$ = ocelot.json",
        ),
        (
            "//- /appsettings.json\n{\"ReverseProxy\": {\"Routes\": {\"a\": {\"ClusterId\": \"cart\", \"Match\": {\"Path\": \"/a/{tenant}/{version:int}/{**rest}\"}, \"Transforms\": [{\"PathPattern\": \"/{version}/{tenant}/{**rest}\"}]}},\n\"Clusters\": {\"cart\": {\"Destinations\": {\"d\": {\"Address\": \"http://cart:80/\"}}}}}}\n",
            "+ * /a/{tenant}/{version}/{*} http://cart:80 /{version}/{tenant} = appsettings.json",
        ),
        (
            "//- /appsettings.json\n{\"ReverseProxy\": {\"Routes\": {\"a\": {\"ClusterId\": \"cart\", \"Match\": {\"Path\": \"/cart/{**rest}\"}, \"Transforms\": [{\"PathPattern\": \"/health\"}]}},\n\"Clusters\": {\"cart\": {\"Destinations\": {\"d\": {\"Address\": \"http://cart:80/\"}}}}}}\n",
            "+ * /cart/{*} http://cart:80 /health$ = appsettings.json",
        ),
        (
            "//- /traefik.yml\nhttp:\n  routers:\n    cart:\n      rule: \"PathPrefix(`/cart`)\"\n      service: carts\n      middlewares: [strip]\n  middlewares:\n    strip:\n      stripPrefix:\n        prefixes: [\"/cart\"]\n  services:\n    carts:\n      loadBalancer:\n        servers:\n        - url: http://cart:80\n",
            "+ * /cart/{*} http://cart:80 / = traefik.yml",
        ),
        (
            "//- /route.yaml\napiVersion: traefik.io/v1alpha1\nkind: IngressRoute\nmetadata: {name: x}\nspec:\n  routes:\n  - match: Host(`a.example`) && PathPrefix(`/cart`)\n    services:\n    - name: cart\n      port: 80\n",
            "+ * /cart/{*} http://cart:80 /cart = route.yaml",
        ),
        (
            "//- /ingress.yaml\napiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata:\n  name: x\n  annotations:\n    nginx.ingress.kubernetes.io/rewrite-target: /$2\nspec:\n  rules:\n  - http:\n      paths:\n      - path: /cart(/|$)(.*)\n        backend: {service: {name: cart, port: {number: 80}}}\n",
            "+ * /cart/{*} http://cart:80 / = ingress.yaml",
        ),
        (
            "//- /vs.yaml\napiVersion: networking.istio.io/v1\nkind: VirtualService\nmetadata: {name: x}\nspec:\n  http:\n  - match:\n    - uri: {prefix: /a}\n    - uri: {prefix: /b}\n    rewrite: {uri: /}\n    route:\n    - destination: {host: cart}\n",
            "+ * /b/{*} http://cart / = vs.yaml",
        ),
        (
            "//- /route.yaml\napiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: x}\nspec:\n  rules:\n  - matches:\n    - path: {type: PathPrefix, value: /cart}\n    filters:\n    - urlRewrite:\n        path: {replacePrefixMatch: /}\n    backendRefs:\n    - {name: cart, port: 80}\n",
            "+ * /cart/{*} http://cart:80 / = route.yaml",
        ),
    ] {
        let lines = contracts(fixture);
        assert!(lines.iter().any(|line| line == expected), "{expected} is missing from {lines:#?}");
    }
}

#[test]
fn patterns_of_an_ingress_tell_a_path_or_none() {
    for (path, expected) in [
        ("/api/?(.*)", Some("+ * /api/{*} http://cart:80 / = ingress.yaml")),
        ("/api(/|$)(.*)", Some("+ * /api/{*} http://cart:80 / = ingress.yaml")),
        ("/(cart|pay)/(.*)", None),
        ("/api/(pay)/(.*)", None),
        ("/v[12]/(.*)", None),
        ("/cart|/basket", None),
    ] {
        for kind in [
            "        pathType: ImplementationSpecific\n",
            "      - path: /pay\n        backend: {service: {name: pay}}\n",
        ] {
            let lines = contracts(&format!(
                "//- /ingress.yaml\napiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata:\n  name: x\n  annotations:\n    nginx.ingress.kubernetes.io/rewrite-target: /$2\nspec:\n  rules:\n  - http:\n      paths:\n      - path: {path}\n        backend: {{service: {{name: cart, port: {{number: 80}}}}}}\n{kind}"
            ));
            let found = lines.iter().find(|line| line.starts_with('+') && line.contains("http://cart"));
            assert_eq!(found.map(String::as_str), expected, "{path} {lines:#?}");
        }
    }
}

#[test]
fn a_gateway_forwards_to_a_variable_of_its_workload() {
    check(
        "//- /src/main/resources/application.yml\nspring:\n  cloud:\n    gateway:\n      routes:\n        - id: cart\n          uri: ${CART_URL}\n          predicates:\n            - Path=/cart/**\n",
        &[
            "+ * /cart/{*} {env:CART_URL} /cart = src/main/resources/application.yml",
            "- * /cart/{*} {env:CART_URL} by src/main/resources/application.yml:6 0.95",
            "- /spring.cloud.gateway.routes.uri {env:CART_URL} by src/main/resources/application.yml:6 0.95",
        ],
    );
}

#[test]
fn routes_of_kong_lead_to_their_services() {
    check(
        "//- /kong.yml\n_format_version: \"3.0\"\nservices:\n- name: cart\n  url: http://cart:80/v1\n  routes:\n  - name: all\n    paths: [/cart]\n- name: pay\n  host: pay\n  port: 81\nroutes:\n- service: pay\n  strip_path: false\n  paths:\n  - /pay\n- service: other\n  paths: [/other]\n",
        &[
            "+ * /cart/{*} http://cart:80 /v1 = kong.yml",
            "+ * /pay/{*} http://pay:81 /pay = kong.yml",
            "- * /pay/{*} http://pay:81 by kong.yml:15 0.95",
            "- * /v1/{*} http://cart:80 by kong.yml:7 0.95",
        ],
    );
}
