//! Formats of deployments and settings, which tell the address of a service.

use super::{ContractKind, NearMiss, NotationRow};

/// Format, deployment, near miss.
#[rustfmt::skip]
const FORMATS: &[(&str, &str, &str)] = &[
    (
        "Kubernetes",
        "//- /k8s.yaml\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: cart\nspec:\n  template:\n    metadata:\n      labels: {app: cart}\n    spec:\n      containers:\n      - name: server\n        image: acme/cart\n---\napiVersion: v1\nkind: Service\nmetadata:\n  name: basket\nspec:\n  selector: {app: cart}\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: shop\nspec:\n  template:\n    spec:\n      containers:\n      - name: server\n        image: acme/shop\n        env:\n        - name: BASKET_ADDR\n          value: basket:80\n",
        "//- /k8s.yaml\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: cart\nspec:\n  template:\n    metadata:\n      labels: {app: cart}\n    spec:\n      containers:\n      - name: server\n        image: acme/cart\n---\napiVersion: v1\nkind: Service\nmetadata:\n  name: basket\nspec:\n  selector: {app: other}\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: shop\nspec:\n  template:\n    spec:\n      containers:\n      - name: server\n        image: acme/shop\n        env:\n        - name: BASKET_ADDR\n          value: basket:80\n",
    ),
    (
        "Kustomize",
        "//- /base/cart.yaml\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: basket\nspec:\n  template:\n    spec:\n      containers:\n      - name: server\n        image: acme/cart\n//- /base/service.yaml\napiVersion: v1\nkind: Service\nmetadata:\n  name: basket\nspec:\n  selector: {app: basket}\n//- /overlay/kustomization.yaml\napiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [../base]\nconfigMapGenerator:\n- name: urls\n  literals:\n  - BASKET_ADDR=http://basket\n//- /overlay/shop.yaml\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: shop\nspec:\n  template:\n    spec:\n      containers:\n      - name: server\n        image: acme/shop\n        envFrom: [{configMapRef: {name: urls}}]\n",
        "//- /base/cart.yaml\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: basket\nspec:\n  template:\n    spec:\n      containers:\n      - name: server\n        image: acme/cart\n//- /overlay/kustomization.yaml\napiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [../base]\ncommonLabels:\n  BASKET_ADDR: http://basket\n",
    ),
    (
        "Helm",
        "//- /charts/shop/values.yaml\nbasket:\n  name: basket\n  url: http://basket\n//- /charts/shop/templates/cart.yaml\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ .Values.basket.name }}\nspec:\n  template:\n    metadata:\n      labels: {app: cart}\n    spec:\n      containers:\n      - name: server\n        image: \"acme/cart:{{ .Values.tag | default .Chart.AppVersion }}\"\n---\napiVersion: v1\nkind: Service\nmetadata:\n  name: {{ .Values.basket.name }}\nspec:\n  selector: {app: cart}\n//- /charts/shop/templates/shop.yaml\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: shop\nspec:\n  template:\n    spec:\n      containers:\n      - name: server\n        image: acme/shop\n        env:\n        - name: BASKET_ADDR\n          value: {{ .Values.basket.url | quote }}\n",
        "//- /charts/shop/values.yaml\nbasket:\n  name: basket\n  url: http://basket\n//- /charts/shop/templates/cart.yaml\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ .Values.basket.name }}\nspec:\n  template:\n    metadata:\n      labels: {app: cart}\n    spec:\n      containers:\n      - name: server\n        image: \"acme/cart:{{ .Values.tag }}\"\n//- /charts/shop/templates/shop.yaml\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: shop\nspec:\n  template:\n    spec:\n      containers:\n      - name: server\n        image: acme/shop\n        env:\n        - name: BASKET_ADDR\n          value: {{ .Values.unknown.url | quote }}\n",
    ),
    (
        "Compose",
        "//- /compose.yaml\nservices:\n  basket:\n    image: acme/cart\n  shop:\n    image: acme/shop\n    environment:\n      BASKET_ADDR: basket:80\n",
        "//- /compose.yaml\nservices:\n  basket:\n    image: redis:7\n  shop:\n    image: acme/shop\n    environment:\n      BASKET_ADDR: basket:80\n",
    ),
    (
        "Terraform",
        "//- /main.tf\nresource \"kubernetes_deployment\" \"cart\" {\n  metadata {\n    name = \"cart\"\n  }\n}\nresource \"kubernetes_service\" \"basket\" {\n  metadata {\n    name = \"basket\"\n  }\n  spec {\n    selector = {\n      app = \"cart\"\n    }\n  }\n}\nresource \"aws_ecs_task_definition\" \"all\" {\n  container_definitions = jsonencode([{\n    name = \"cart\"\n    image = \"acme/cart:1\"\n  }, {\n    name = \"shop\"\n    image = \"acme/shop:1\"\n    environment = [\n      { name = \"BASKET_ADDR\", value = \"http://basket:80\" },\n    ]\n  }])\n}\n",
        "//- /main.tf\nresource \"aws_ecs_task_definition\" \"all\" {\n  container_definitions = jsonencode([{\n    name = \"cart\"\n    image = \"acme/cart:1\"\n  }, {\n    name = \"shop\"\n    image = \"acme/shop:1\"\n    environment = [\n      { name = \"BASKET_ADDR\", value = var.basket },\n    ]\n  }])\n}\n",
    ),
];

/// Format, key of the setting, file of the user, near miss.
#[rustfmt::skip]
const SETTINGS: &[(&str, &str, &str, &str)] = &[
    ("Dockerfiles", "BASKET_ADDR", "//- /api/Dockerfile\nFROM scratch\nENV BASKET_ADDR=http://cart\n", "//- /api/Dockerfile\nFROM scratch\nLABEL BASKET_ADDR=http://cart\n"),
    (".env", "BASKET_ADDR", "//- /.env\nBASKET_ADDR=http://cart\n", "//- /notes.txt\nThe basket has an address.\nBASKET_ADDR=http://cart\nIt may change.\n"),
    ("settings of applications", "Basket", "//- /appsettings.json\n{\"Logging\": {\"Level\": \"x\"},\n \"Basket\": {\"Url\": \"http://cart\"}}\n", "//- /texts.json\n{\"Logging\": {\"Level\": \"x\"},\n \"Basket\": {\"Url\": \"http://cart\"}}\n"),
];

pub(super) fn rows() -> Vec<NotationRow> {
    let format = |(name, deployment, near): &(&str, &str, &str)| {
        let near = NearMiss::Deployment((*near).to_owned());
        NotationRow::new(name, ContractKind::Config, "BASKET_ADDR", "", "", near).deployed(deployment)
    };
    let setting = |(name, key, user, near): &(&str, &str, &str, &str)| {
        NotationRow::new(name, ContractKind::Config, key, user, "", NearMiss::User((*near).to_owned()))
    };
    let defaults = NotationRow::new(
        "addresses as defaults in code",
        ContractKind::Http,
        "/items",
        "//- /a.py\nimport os, requests\ndef f():\n    return requests.get(os.environ.get('BASKET_URL', 'http://cart') + '/items')\n",
        "//- /app.js\nconst app = require('express')()\nfunction show(req, res) {}\napp.get('/items', show)",
        NearMiss::User("//- /a.py\nimport os, requests\ndef f():\n    return requests.get(os.environ.get('BASKET_URL', 'https://api.example.com') + '/items')\n".to_owned()),
    );
    FORMATS.iter().map(format).chain(SETTINGS.iter().map(setting)).chain([defaults]).collect()
}
