//! Workloads, their images, hosts and settings.

use super::check;
use crate::testing::contracts;

#[test]
fn kubernetes_objects_are_workloads_hosts_and_settings() {
    check(
        "//- /k8s/cart.yaml\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: cart-app\nspec:\n  template:\n    metadata:\n      labels:\n        app: cart\n        tier: back\n    spec:\n      containers:\n      - name: istio-proxy\n        image: istio/proxy\n      - name: server\n        image: registry.io/acme/cart:1.2\n        args: [\"--pay=http://pay:80\", \"--verbose\"]\n        env:\n        - name: PAY_ADDR\n          value: \"pay.shop.svc:50051\"\n        - name: LEVEL\n          value: debug\n        - name: BOOKS_URL\n          valueFrom:\n            configMapKeyRef:\n              name: urls\n              key: books\n        envFrom:\n        - configMapRef:\n            name: all\n//- /k8s/maps.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: urls\ndata:\n  books: http://books:80\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: all\ndata:\n  MAIL_ADDR: mail:25\n  application.yml: |\n    clients:\n      ship:\n        url: http://ship:80\n//- /k8s/service.yaml\napiVersion: v1\nkind: Service\nmetadata:\n  name: cart-svc\nspec:\n  selector:\n    app: cart\n",
        &[
            "+ cart-app registry.io/acme/cart:1.2 = k8s/cart.yaml",
            "+ cart-svc cart-app = k8s/service.yaml",
            "- /books http://books:80 by k8s/maps.yaml:6 0.95",
            "- cart-app/--pay http://pay:80 by k8s/cart.yaml:17 0.95",
            "- cart-app/BOOKS_URL http://books:80 by k8s/cart.yaml:23 0.95",
            "- cart-app/MAIL_ADDR mail:25 by k8s/maps.yaml:13 0.95",
            "- cart-app/PAY_ADDR pay.shop.svc:50051 by k8s/cart.yaml:19 0.95",
            "- cart-app/clients.ship.url http://ship:80 by k8s/maps.yaml:17 0.95",
        ],
    );
}

#[test]
fn patches_of_kustomize_set_variables_of_their_workload() {
    check(
        "//- /overlay/kustomization.yaml\napiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [../base]\nconfigMapGenerator:\n- name: urls\n  literals:\n  - PAY_URL=http://pay\n  - KEY=abc\n//- /overlay/patch.yaml\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: cart\nspec:\n  template:\n    spec:\n      containers:\n      - name: server\n        env:\n        - {name: REDIS_ADDR, value: \"redis:6379\"}\n        envFrom: [{configMapRef: {name: urls}}]\n",
        &[
            "- cart/PAY_URL http://pay by overlay/kustomization.yaml:7 0.95",
            "- cart/REDIS_ADDR redis:6379 by overlay/patch.yaml:11 0.95",
        ],
    );
}

#[test]
fn values_of_charts_fill_their_templates() {
    check(
        "//- /charts/shop/values.yaml\nimages:\n  repository: acme.io/shop\ncart:\n  name: cartservice\n//- /charts/shop/templates/cart.yaml\n{{- if .Values.cart.create }}\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ .Values.cart.name }}\nspec:\n  template:\n    spec:\n      containers:\n      - name: server\n        image: \"{{ .Values.images.repository }}/{{ .Values.cart.name }}:{{ .Values.tag | default .Chart.AppVersion }}\"\n        env:\n        - name: PAY_ADDR\n          value: \"{{ .Release.Name }}-pay:80\"\n        - name: SHIP_ADDR\n          value: {{ .Values.ship.host | default \"ship\" | quote }}\n        - name: UNKNOWN_ADDR\n          value: {{ include \"shop.unknown\" . }}\n{{- end }}\n---\napiVersion: v1\nkind: Service\nmetadata:\n  name: {{ include \"shop.fullname\" . }}\nspec:\n  selector:\n    {{- include \"shop.selectorLabels\" . | nindent 4 }}\n",
        &[
            "+ cartservice acme.io/shop/cartservice:{} = charts/shop/templates/cart.yaml",
            "+ shop cartservice = charts/shop/templates/cart.yaml",
            "- cartservice/PAY_ADDR pay:80 by charts/shop/templates/cart.yaml:13 0.95",
            "- cartservice/SHIP_ADDR ship by charts/shop/templates/cart.yaml:15 0.95",
        ],
    );
}

#[test]
fn values_of_a_chart_describe_workloads() {
    check(
        "//- /shop/values.yaml\nglobal: {}\ncomponents:\n  cart:\n    image: {repository: acme/cart, tag: v1}\n    service: {port: 80}\n    env:\n    - name: PAY_ADDR\n      value: pay:80\n  web:\n    image: {repository: acme/web}\n    extraEnv:\n      API_URL: http://cart\n",
        &[
            "+ cart acme/cart = shop/values.yaml",
            "+ cart cart = shop/values.yaml",
            "+ web acme/web = shop/values.yaml",
            "- cart/PAY_ADDR pay:80 by shop/values.yaml:7 0.95",
            "- web/API_URL http://cart by shop/values.yaml:12 0.95",
        ],
    );
}

#[test]
fn services_of_compose_are_hosts() {
    check(
        "//- /ops/docker-compose.yml\nx-common: &common\n  environment: &env\n    MAIL_ADDR: mail:25\nservices:\n  web:\n    build: ../web\n    image: ${REGISTRY}/web\n    environment:\n      - CART_ADDR=cart:80\n      - LEVEL=debug\n      - PAY_ADDR\n    env_file: [web.env]\n    depends_on: [cart]\n  cart:\n    container_name: shop-cart\n    build:\n      context: ..\n      dockerfile: src/cart/Dockerfile\n    environment:\n      <<: *env\n      PAY_URL: http://${PAY_HOST:-pay}:80\n  redis:\n    image: redis:7\n//- /ops/.env\nPAY_ADDR=pay:50051\n//- /ops/web.env\nBOOKS_ADDR=books:80\nPASSWORD=x:1\n",
        &[
            "+ cart build:src/cart = ops/docker-compose.yml",
            "+ cart cart = ops/docker-compose.yml",
            "+ redis redis = ops/docker-compose.yml",
            "+ redis redis:7 = ops/docker-compose.yml",
            "+ shop-cart cart = ops/docker-compose.yml",
            "+ web build:web = ops/docker-compose.yml",
            "+ web web = ops/docker-compose.yml",
            "+ web {env:REGISTRY}/web = ops/docker-compose.yml",
            "- /PAY_ADDR pay:50051 by ops/.env:1 0.95",
            "- cart/MAIL_ADDR mail:25 by ops/docker-compose.yml:3 0.95",
            "- cart/PAY_URL http://pay:80 by ops/docker-compose.yml:21 0.95",
            "- web/BOOKS_ADDR books:80 by ops/web.env:1 0.95",
            "- web/CART_ADDR cart:80 by ops/docker-compose.yml:9 0.95",
            "- web/PAY_ADDR pay:50051 by ops/docker-compose.yml:11 0.95",
        ],
    );
    // Other documents have services too.
    check("//- /a.yaml\nservices:\n  cart:\n    url: x\n", &[]);
}

#[test]
fn images_are_offered_where_their_dockerfile_is() {
    let dockerfile = "//- /src/Dockerfile\nFROM golang AS build\nRUN x\nFROM scratch\nENV PAY_ADDR=pay:80 PORT=80\n";
    check(dockerfile, &["+  src = src/Dockerfile", "- /PAY_ADDR pay:80 by src/Dockerfile:4 0.95"]);
    for (other, expected) in [
        ("//- /Makefile\nall:\n\tdocker build -t acme/cart:1 src\n", "+ acme/cart:1 src = Makefile"),
        (
            "//- /.github/workflows/ci.yml\non: push\njobs:\n  a:\n    steps:\n    - run: |\n        docker build -t acme/cart -f src/Dockerfile .\n",
            "+ acme/cart src = .github/workflows/ci.yml",
        ),
        (
            "//- /.github/workflows/ci.yml\njobs:\n  a:\n    steps:\n    - uses: docker/build-push-action@v5\n      with:\n        context: src\n        tags: ghcr.io/acme/cart:latest\n",
            "+ ghcr.io/acme/cart:latest src = .github/workflows/ci.yml",
        ),
        (
            "//- /skaffold.yaml\napiVersion: skaffold/v3\nkind: Config\nbuild:\n  artifacts:\n  - image: cart\n    context: src\n",
            "+ cart src = skaffold.yaml",
        ),
    ] {
        let lines = contracts(&format!("{dockerfile}{other}"));
        assert!(lines.iter().any(|line| line == expected), "{expected} is missing from {lines:#?}");
        // Without its Dockerfile, a build names the image of another repository.
        let lines = contracts(other);
        assert!(!lines.iter().any(|line| line.starts_with("+ ") && line.contains("cart")), "{lines:#?}");
    }
}

#[test]
fn a_folder_that_a_service_of_compose_mounts_is_what_it_runs() {
    check(
        "//- /docker-compose.yml\nservices:\n  cart:\n    image: node:20-alpine\n    working_dir: /app\n    volumes:\n      - ./cart:/app\n      - ./data:/data\n  pay:\n    image: python:3.12\n    volumes: [\"./services/pay:/srv:ro\"]\n  db:\n    image: postgres:16\n    volumes: [\"./db:/docker-entrypoint-initdb.d\"]\n  web:\n    image: node:20\n    volumes: [\"./a:/a\", \"./b:/b\", \"./.env:/env\"]\n",
        &[
            "+ cart build:cart = docker-compose.yml",
            "+ cart cart = docker-compose.yml",
            "+ cart node:20-alpine = docker-compose.yml",
            "+ db db = docker-compose.yml",
            "+ db postgres:16 = docker-compose.yml",
            "+ pay build:services/pay = docker-compose.yml",
            "+ pay pay = docker-compose.yml",
            "+ pay python:3.12 = docker-compose.yml",
            "+ web node:20 = docker-compose.yml",
            "+ web web = docker-compose.yml",
        ],
    );
}

#[test]
fn ports_of_applications_are_hosts_of_the_own_machine() {
    check(
        "//- /src/main/resources/application.yml\nserver:\n  port: 8081\n//- /Properties/launchSettings.json\n{\"profiles\": {\"Shop\": {\"applicationUrl\": \"https://localhost:7101;http://localhost:5101\"}}}\n",
        &[
            "+ :5101 = Properties/launchSettings.json",
            "+ :7101 = Properties/launchSettings.json",
            "+ :8081 = src/main/resources/application.yml",
        ],
    );
}

#[test]
fn settings_of_applications_are_of_the_own_workload() {
    // The name of the application itself is no address.
    check(
        "//- /conf/conf.yaml\nkitex:\n  service: cart\nclients:\n  pay_service: pay\n",
        &["- /clients.pay_service pay by conf/conf.yaml:4 0.95"],
    );
    check(
        "//- /src/main/resources/application.yml\nserver:\n  port: 80\nclients:\n  cart:\n    url: http://cart:80\n",
        &["- /clients.cart.url http://cart:80 by src/main/resources/application.yml:5 0.95"],
    );
    check(
        "//- /appsettings.json\n{\"Logging\": {\"Level\": \"x\"},\n \"Cart\": {\"Url\": \"http://cart\"}}\n",
        &["- /Cart.Url http://cart by appsettings.json:2 0.95"],
    );
    check(
        "//- /application.properties\ncart.url=http://cart:80\nname=x\n",
        &["- /cart.url http://cart:80 by application.properties:1 0.95"],
    );
    check(
        "//- /application.yml\nspring:\n  application:\n    name: cart-service\n",
        &["+ cart-service = application.yml"],
    );
    check(
        "//- /application.yml\nspring:\n  cloud:\n    stream:\n      bindings:\n        a-out-0:\n          destination: orders\n        b-in-0:\n          destination: pays\n      kafka:\n        binder:\n          brokers: kafka:9092\n",
        &[
            "- /spring.cloud.stream.bindings.a-out-0.destination orders by application.yml:6 0.95",
            "- /spring.cloud.stream.bindings.b-in-0.destination pays by application.yml:8 0.95",
            "- /spring.cloud.stream.kafka.binder.brokers kafka:9092 by application.yml:11 0.95",
            "- kafka:orders by application.yml:6 0.95",
            "- kafka:pays by application.yml:8 0.95 serves",
        ],
    );
    check("//- /data.yml\nclients:\n  cart:\n    url: http://cart:80\n", &[]);
}

#[test]
fn commands_of_documents_send_requests() {
    for (fixture, expected) in [
        (
            "//- /Dockerfile\nFROM a/b\nRUN curl -X POST http://cart:80/items\n",
            Some("- POST /items http://cart:80 by Dockerfile:2 0.95"),
        ),
        (
            "//- /.github/workflows/ci.yml\non: push\njobs:\n  a:\n    steps:\n    - run: |\n        make\n        curl \"$CART_URL/items/$ID?key=x\"\n",
            Some("- GET /items/{} {env:CART_URL} by .github/workflows/ci.yml:7 0.95"),
        ),
        (
            "//- /ci.yml\ntest:\n  script:\n  - curl -d @a.json http://u:p@cart/items\n",
            Some("- POST /items http://cart by ci.yml:3 0.95"),
        ),
        (
            "//- /Dockerfile\nFROM a/b\nHEALTHCHECK CMD curl -f http://localhost:80/items\nRUN apt-get install curl\n",
            None,
        ),
    ] {
        let lines: Vec<String> = contracts(fixture).into_iter().filter(|line| line.starts_with("- ")).collect();
        assert_eq!(lines.first().map(String::as_str), expected, "{fixture}");
    }
}

#[test]
fn published_ports_are_hosts_of_the_own_machine() {
    check(
        "//- /compose.yml\nservices:\n  cart:\n    image: acme/cart\n    ports:\n    - \"8080:80\"\n    - \"90\"\n",
        &["+ cart acme/cart = compose.yml", "+ cart cart = compose.yml", "+ localhost:8080 cart = compose.yml"],
    );
}

#[test]
fn images_may_have_no_dockerfile() {
    let skaffold = "//- /skaffold.yaml\napiVersion: skaffold/v3\nkind: Config\nbuild:\n  artifacts:\n  - image: cart\n    jib: {}\n";
    let lines = contracts(&format!("{skaffold}//- /pom.xml\n<project><artifactId>cart</artifactId></project>\n"));
    assert!(lines.iter().any(|line| line == "+ cart = skaffold.yaml"), "{lines:#?}");
    check(skaffold, &[]);
}

#[test]
fn tests_and_examples_deploy_nothing() {
    check("//- /examples/docker-compose.yml\nservices:\n  cart:\n    image: acme/cart\n", &[]);
    check("//- /tests/Dockerfile\nFROM a/b\nRUN x\n", &[]);
}

#[test]
fn variables_of_code_are_uses_of_their_function() {
    let lines = contracts("//- /a.py\nimport os\ndef connect():\n    return os.environ.get('CART_ADDR', 'cart:80')\n");
    assert!(lines.iter().any(|line| line == "- CART_ADDR cart:80 by a.py::connect:3 0.9"), "{lines:#?}");
}

#[test]
fn secrets_are_in_no_contract() {
    let lines = contracts(
        "//- /.env\nDB_PASSWORD=hunter2:80\nDB_URL=postgres://u:hunter2@db:5432/x\nJWT_SECRET=hunter2\n//- /a.yaml\napiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {URL: \"http://hunter2\"}\n//- /docker-compose.yml\nservices:\n  a:\n    image: x/a\n    environment: {API_TOKEN: hunter2, URL: \"http://u:hunter2@a/?k=hunter2\"}\n    command: [\"--password=hunter2\"]\n",
    );
    assert!(!lines.iter().any(|line| line.contains("hunter2")), "{lines:#?}");
    assert!(lines.iter().any(|line| line.starts_with("- /DB_URL postgres://db:5432/x")), "{lines:#?}");
}

#[test]
fn names_of_services_and_images_of_overlays() {
    // Another name of a service, and an image that an overlay replaces.
    check(
        "//- /base/cart.yaml\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: cart\nspec:\n  template:\n    metadata:\n      annotations:\n        dapr.io/app-id: cart-app\n    spec:\n      containers:\n      - name: server\n        image: cart-image:dev\n//- /base/other.yaml\napiVersion: v1\nkind: Service\nmetadata:\n  name: basket\nspec:\n  type: ExternalName\n  externalName: cart.shop.svc.cluster.local\n//- /prod/kustomization.yaml\napiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [../base]\nimages:\n- name: cart-image\n  newName: ghcr.io/acme/cart\n  newTag: v1\n- name: other\n  newTag: v2\n",
        &[
            "+ basket cart = base/other.yaml",
            "+ cart cart-image:dev = base/cart.yaml",
            "+ cart ghcr.io/acme/cart = base/cart.yaml",
            "+ cart-app cart = base/cart.yaml",
        ],
    );
    check(
        "//- /sub.yaml\napiVersion: dapr.io/v2alpha1\nkind: Subscription\nmetadata: {name: a}\nspec:\n  topic: orders\n  pubsubname: bus\n---\napiVersion: dapr.io/v2alpha1\nkind: Subscription\nmetadata: {name: b}\nspec:\n  topic: pays\nscopes: [other]\n",
        &["- dapr:orders by sub.yaml:5 0.95 serves"],
    );
}

#[test]
fn services_of_compose_extend_and_link() {
    check(
        "//- /docker-compose.yml\nservices:\n  cart:\n    extends:\n      file: common.yml\n      service: base\n    environment: {MAIL_ADDR: \"own:25\"}\n    links: [\"pay-service:pay\", \"web\"]\n  web:\n    extends: cart\n    image: acme/web\n//- /common.yml\nservices:\n  base:\n    image: acme/cart\n    environment: {MAIL_ADDR: \"mail:25\", SHIP_ADDR: \"ship:80\"}\n",
        &[
            "+ base acme/cart = common.yml",
            "+ base base = common.yml",
            "+ cart acme/cart = docker-compose.yml",
            "+ cart cart = docker-compose.yml",
            "+ pay pay-service = docker-compose.yml",
            "+ web acme/web = docker-compose.yml",
            "+ web web = docker-compose.yml",
            "- base/MAIL_ADDR mail:25 by common.yml:4 0.95",
            "- base/SHIP_ADDR ship:80 by common.yml:4 0.95",
            "- cart/MAIL_ADDR own:25 by docker-compose.yml:6 0.95",
            "- cart/SHIP_ADDR ship:80 by docker-compose.yml:3 0.95",
            "- web/MAIL_ADDR own:25 by docker-compose.yml:9 0.95",
        ],
    );
}

#[test]
fn databases_are_settings() {
    check(
        "//- /appsettings.json\n{\"ConnectionStrings\": {\"Shop\": \"Server=db;Database=shop;User Id=sa;Password=hunter2\"}}\n//- /.env\nPOSTGRES_DB=shop\nDB_HOST=db\nDB_USER=hunter2\n",
        &[
            "- /ConnectionStrings.Shop mssql://db/shop by appsettings.json:1 0.95",
            "- /DB_HOST db by .env:2 0.95",
            "- /POSTGRES_DB shop by .env:1 0.95",
        ],
    );
}

#[test]
fn options_with_addresses_are_settings() {
    check(
        "//- /compose.yaml\nservices:\n  web:\n    image: acme/web\n    command:\n      - \"-usersAPI\"\n      - \"http://users:4000/api\"\n      - \"--cart-url\"\n      - \"http://cart:80\"\n      - \"-phunter2\"\n      - \"--level\"\n      - \"debug\"\n",
        &[
            "+ web acme/web = compose.yaml",
            "+ web web = compose.yaml",
            "- web/cart-url http://cart:80 by compose.yaml:8 0.95",
            "- web/usersAPI http://users:4000/api by compose.yaml:6 0.95",
        ],
    );
}

#[test]
fn properties_have_the_routes_and_names_of_an_application() {
    check(
        "//- /src/main/resources/application.properties\nspring.application.name=shop-gateway\nserver.port=9321\nspring.cloud.gateway.routes[0].uri=lb://cart\nspring.cloud.gateway.routes[0].predicates[0]=Path=/cart/**\n",
        &[
            "+ * /cart/{*} http://cart /cart = src/main/resources/application.properties",
            "+ :9321 = src/main/resources/application.properties",
            "+ shop-gateway = src/main/resources/application.properties",
            "- * /cart/{*} http://cart by src/main/resources/application.properties:3 0.95",
            "- /spring.cloud.gateway.routes.uri lb://cart by src/main/resources/application.properties:3 0.95",
        ],
    );
}

#[test]
fn a_section_of_services_is_none_of_compose() {
    check(
        "//- /src/main/resources/application.yml\nservices:\n  cart:\n    url: ${CART_URL}\n  pay:\n    url: http://pay:80\n",
        &[
            "- /services.cart.url {env:CART_URL} by src/main/resources/application.yml:3 0.95",
            "- /services.pay.url http://pay:80 by src/main/resources/application.yml:5 0.95",
        ],
    );
}

#[test]
fn an_application_registers_its_name_at_a_discovery() {
    for (key, expected) in [
        ("spring.cloud.consul.discovery.service-name", &["+ cart = application.properties"][..]),
        ("consul.client.registration.name", &["+ cart = application.properties"]),
        // A name of something else.
        ("spring.cloud.consul.discovery.instance-id", &[]),
    ] {
        let found = contracts(&format!("//- /application.properties\n{key}=cart\n"));
        let hosts: Vec<&String> = found.iter().filter(|line| line.starts_with("+ cart")).collect();
        assert_eq!(hosts, expected, "{key}: {found:?}");
    }
}
