//! Proxies in front of services, and names of discovery.

use super::{ContractKind, NearMiss, NotationRow};

/// The deployment of the proxy beside both services. The proxy asks the service by its host.
const BEHIND_PROXY: &str = "//- /compose.yaml\nservices:\n  gateway:\n    image: acme/gateway\n  cart:\n    image: acme/cart\n  shop:\n    image: acme/shop\n    environment:\n      API_URL: http://gateway\n";

/// The request that goes to the proxy, and the route of the service.
const REQUEST: &str = "//- /user.ts\nexport function load() { return fetch('http://gateway/carts/items/1') }";
const ROUTE: &str =
    "//- /app.js\nconst app = require('express')()\nfunction show(req, res) {}\napp.get('/items/:id', show)";

/// Proxy, its file beside the deployment, a near miss.
#[rustfmt::skip]
const PROXIES: &[(&str, &str, &str)] = &[
    (
        "nginx",
        "//- /nginx.conf\nserver {\n  server_name gateway.shop.local;\n  location /carts/ {\n    proxy_pass http://cart/;\n  }\n}\n",
        "//- /nginx.conf\nserver {\n  server_name gateway.shop.local;\n  location /carts/ {\n    root /var/cart;\n  }\n}\n",
    ),
    (
        "Envoy",
        "//- /envoy.yaml\nstatic_resources:\n  listeners:\n  - routes:\n    - match: {prefix: /carts}\n      route: {cluster: carts, prefix_rewrite: /}\n  clusters:\n  - name: carts\n    endpoints:\n    - socket_address: {address: cart, port_value: 80}\n",
        "//- /envoy.yaml\nstatic_resources:\n  listeners:\n  - routes:\n    - match: {prefix: /carts}\n      redirect: {path_redirect: /}\n  clusters:\n  - name: carts\n    endpoints:\n    - socket_address: {address: cart, port_value: 80}\n",
    ),
    (
        "Traefik",
        "//- /traefik.yml\nhttp:\n  routers:\n    cart:\n      rule: \"PathPrefix(`/carts`)\"\n      service: carts\n      middlewares: [strip]\n  middlewares:\n    strip:\n      stripPrefix:\n        prefixes: [\"/carts\"]\n  services:\n    carts:\n      loadBalancer:\n        servers:\n        - url: http://cart:80\n",
        "//- /traefik.yml\nhttp:\n  routers:\n    cart:\n      rule: \"Host(`carts`)\"\n      service: others\n  services:\n    carts:\n      loadBalancer:\n        servers:\n        - url: http://cart:80\n",
    ),
    (
        "Spring Cloud Gateway",
        "//- /application.yml\nspring:\n  cloud:\n    gateway:\n      routes:\n      - id: cart\n        uri: http://cart\n        predicates:\n        - Path=/carts/**\n        filters:\n        - StripPrefix=1\n",
        "//- /application.yml\nspring:\n  cloud:\n    gateway:\n      routes:\n      - id: cart\n        uri: http://cart\n        predicates:\n        - Host=carts\n",
    ),
    (
        "YARP",
        "//- /appsettings.json\n{\"ReverseProxy\": {\"Routes\": {\"a\": {\"ClusterId\": \"cart\", \"Match\": {\"Path\": \"/carts/{**rest}\"}, \"Transforms\": [{\"PathRemovePrefix\": \"/carts\"}]}},\n\"Clusters\": {\"cart\": {\"Destinations\": {\"d\": {\"Address\": \"http://cart:80/\"}}}}}}\n",
        "//- /appsettings.json\n{\"ReverseProxy\": {\"Routes\": {\"a\": {\"ClusterId\": \"other\", \"Match\": {\"Path\": \"/carts/{**rest}\"}}},\n\"Clusters\": {\"cart\": {\"Destinations\": {\"d\": {\"Address\": \"http://cart:80/\"}}}}}}\n",
    ),
];

/// Discovery, user, provider, deployment, near miss of the provider or, if it begins with `@`, of the deployment.
#[rustfmt::skip]
const DISCOVERY: &[(&str, &str, &str, &str, &str)] = &[
    (
        "Eureka",
        "//- /A.java\nclass A { RestTemplate rest; void f() { rest.getForObject(\"http://BASKET-SERVICE/items/1\", Item.class); } }",
        "//- /src/main/resources/application.yml\nspring:\n  application:\n    name: basket-service\neureka:\n  client:\n    serviceUrl:\n      defaultZone: http://registry:8761/eureka\n",
        "",
        "//- /src/main/resources/application.yml\nspring:\n  application:\n    name: mail-service\neureka:\n  instance:\n    instance-id: basket-service\n",
    ),
    (
        "Consul",
        "//- /A.java\n@FeignClient(name = \"basket-service\") interface A { @GetMapping(\"/items/{id}\") Item f(); }",
        "//- /src/main/resources/application.yml\nspring:\n  cloud:\n    consul:\n      discovery:\n        service-name: basket-service\n",
        "",
        "//- /src/main/resources/application.yml\nspring:\n  cloud:\n    consul:\n      discovery:\n        instance-id: basket-service\n",
    ),
    (
        "Aspire",
        "//- /A.cs\nclass A { private readonly HttpClient _http; async Task F(int id) { await _http.GetAsync($\"https+http://basket-api/items/{id}\"); } }",
        "//- /Cart.csproj\n<Project Sdk=\"Microsoft.NET.Sdk.Web\">\n</Project>\n",
        "//- /AppHost/Program.cs\nvar builder = DistributedApplication.CreateBuilder(args);\nvar cart = builder.AddProject<Projects.Cart>(\"basket-api\");\nbuilder.AddProject<Projects.Shop>(\"shop\").WithReference(cart);\n",
        "@//- /AppHost/Program.cs\nvar builder = DistributedApplication.CreateBuilder(args);\nvar cart = builder.AddProject<Projects.Cart>(\"mail-api\");\nbuilder.AddParameter(\"basket-api\");\n",
    ),
    (
        "Dapr",
        "//- /a.py\nfrom dapr.clients import DaprClient\ndef f(client: DaprClient):\n    client.invoke_method('basket-app', 'items/1', http_verb='GET')\n",
        "",
        "//- /cart.yaml\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: cart\nspec:\n  template:\n    metadata:\n      annotations:\n        dapr.io/app-id: basket-app\n    spec:\n      containers:\n      - name: server\n        image: acme/cart\n",
        "@//- /cart.yaml\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: cart\nspec:\n  template:\n    metadata:\n      annotations:\n        dapr.io/config: basket-app\n    spec:\n      containers:\n      - name: server\n        image: acme/cart\n",
    ),
];

pub(super) fn rows() -> Vec<NotationRow> {
    let proxy = |(name, file, near): &(&str, &str, &str)| {
        NotationRow::new(name, ContractKind::Http, "items", REQUEST, ROUTE, NearMiss::Proxy((*near).to_owned()))
            .deployed(BEHIND_PROXY)
            .behind(file)
    };
    let discovered = |(name, user, provider, deployment, near): &(&str, &str, &str, &str, &str)| {
        let with_route = |file: &str| format!("{ROUTE}\n{file}");
        let near = match near.strip_prefix('@') {
            Some(deployment) => NearMiss::Deployment(deployment.to_owned()),
            None => NearMiss::Provider(with_route(near)),
        };
        NotationRow::new(name, ContractKind::Http, "items", user, &with_route(provider), near).deployed(deployment)
    };
    let ingress = |backend: &str| {
        format!(
            "//- /compose.yaml\nservices:\n  cart:\n    image: acme/cart\n  shop:\n    image: acme/shop\n//- /ingress.yaml\napiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata:\n  name: shop\n  annotations:\n    nginx.ingress.kubernetes.io/rewrite-target: /$1\nspec:\n  rules:\n  - host: api.shop.local\n    http:\n      paths:\n      - path: /carts/(.*)\n        backend: {{{backend}}}\n"
        )
    };
    let behind_ingress = NotationRow::new(
        "Ingress",
        ContractKind::Http,
        "items",
        &REQUEST.replace("gateway", "api.shop.local"),
        ROUTE,
        NearMiss::Deployment(ingress("resource: {kind: StorageBucket, name: cart}")),
    )
    .deployed(&ingress("service: {name: cart, port: {number: 80}}"));
    PROXIES.iter().map(proxy).chain([behind_ingress]).chain(DISCOVERY.iter().map(discovered)).collect()
}
