//! Documents as text.

use model::Language;

use super::read;

/// Returns the entries with a value, as `path = value :line`.
fn shown(language: Language, text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for document in read(language, text.as_bytes()) {
        let mut paths: Vec<String> = Vec::new();
        for entry in &document.entries {
            let before = entry.parent.map_or("", |parent| paths[parent as usize].as_str()).to_owned();
            let path = if before.is_empty() { entry.key.clone() } else { format!("{before}/{}", entry.key) };
            if !entry.value.is_empty() {
                lines.push(format!("{path} = {} :{}", entry.value, entry.line));
            }
            paths.push(path);
        }
    }
    lines
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(shown(Language::Text, text), expected, "{text}");
}

#[test]
fn yaml_has_several_documents_anchors_tags_and_merge_keys() {
    check(
        "apiVersion: v1\nkind: Service\nmetadata: {name: cart}\n---\nx: &base\n  image: acme/cart:1\n  host: cart\nservices:\n  a:\n    <<: *base\n    host: !str other\n  b: *base\n",
        &[
            "apiVersion = v1 :1",
            "kind = Service :2",
            "metadata/name = cart :3",
            "x/image = acme/cart:1 :6",
            "x/host = cart :7",
            "services/a/host = other :11",
            "services/a/image = acme/cart:1 :6",
            "services/b/image = acme/cart:1 :6",
            "services/b/host = cart :7",
        ],
    );
}

#[test]
fn templates_of_helm_keep_their_lines_and_actions() {
    check(
        "{{- if .Values.cart.create }}\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ .Values.cart.name }}\n  {{- with .Values.x }}\n  labels:\n    {{- toYaml . | nindent 4 }}\n  {{- end }}\nspec:\n  image: {{ .Values.repository }}/{{ .Values.cart.name }}:{{ .Values.tag | default .Chart.AppVersion }}\n  env:\n  - name: CART_ADDR\n    value: \"{{ .Release.Name }}-cart:7070\"\n{{- end }}\n",
        &[
            "apiVersion = apps/v1 :2",
            "kind = Deployment :3",
            "metadata/name = {{ .Values.cart.name }} :5",
            "spec/image = {{ .Values.repository }}/{{ .Values.cart.name }}:{{ .Values.tag | default .Chart.AppVersion }} :11",
            "spec/env//name = CART_ADDR :13",
            "spec/env//value = {{ .Release.Name }}-cart:7070 :14",
        ],
    );
}

#[test]
fn an_error_costs_one_line() {
    check("a:\n  command: [\n    x\n  ]\n  host: cart\n", &["a/host = cart :5"]);
    check("host: cart\nlist: [a, b\n", &["host = cart :1"]);
    check("host: cart\n  bad: ]\nurl: http://a/b\n", &["host = cart :1", "url = http://a/b :3"]);
}

#[test]
fn a_secret_is_in_no_entry() {
    const SECRET: &str = "s3cr3tHunter2";
    for text in [
        "apiVersion: v1\nkind: Secret\nmetadata: {name: cart}\ndata:\n  host: SECRET\nstringData:\n  url: SECRET\n",
        "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - env:\n    - name: DB_PASSWORD\n      value: SECRET\n    - name: DATABASE_URL\n      value: postgres://admin:SECRET@db:5432/shop?password=SECRET\n",
        "services:\n  cart:\n    environment:\n      - API_KEY=SECRET\n      - TOKEN=SECRET\n      DB_PASS: SECRET\n",
        "API_KEY=SECRET\nDB_URL=postgres://u:SECRET@db/x\nPASSWORD=SECRET:80\nHOST=cart\n",
        "FROM a/b\nENV TOKEN=SECRET KEY=SECRET\nRUN echo SECRET\n",
        "{\"ConnectionStrings\": {\"Shop\": \"Server=db;User=sa;Password=SECRET\"}, \"Jwt\": {\"Key\": \"SECRET\"}}",
        "spring:\n  datasource:\n    url: jdbc:postgresql://db/x?password=SECRET\n    password: ${DB_PASSWORD:SECRET}\n",
        "hook: https://hooks.example.com/services/T0SECRET1/SECRET1\n",
        "plain: SECRET\nlist: [SECRET]\nargs: [\"--password=SECRET\", \"--token\", \"SECRET\"]\n",
        "server {\n  location / {\n    proxy_set_header Authorization \"Bearer SECRET\";\n    proxy_pass http://u:SECRET@cart/;\n  }\n}\n",
    ] {
        let shown = shown(Language::Text, &text.replace("SECRET", SECRET));
        assert!(!shown.iter().any(|line| line.contains(SECRET)), "{shown:#?}");
    }
    let code = "password = os.environ.get('DB_PASSWORD', 's3cr3tHunter2')\n";
    assert!(!shown(Language::Python, code).iter().any(|line| line.contains(SECRET)));
}

#[test]
fn addresses_lose_user_and_query() {
    check(
        "a_url: https://user:pw@cart:80/api/v1?x=1\nbrokers: kafka-1:9092,kafka-2:9092\nlevel: debug\ncart_host: cart\nport: \"8080\"\nspring_url: http://${CART_HOST:cart}:${CART_PORT}/api\n",
        &[
            "a_url = https://cart:80/api/v1 :1",
            "brokers = kafka-1:9092,kafka-2:9092 :2",
            "cart_host = cart :4",
            "port = 8080 :5",
            "spring_url = http://cart:{env:CART_PORT}/api :6",
        ],
    );
}

#[test]
fn other_notations_are_read() {
    check(
        "ARG V=1\nFROM golang:1 AS build\nENV PORT=80 \\\n    CART_ADDR=cart:7070\nLABEL org.opencontainers.image.source=\"https://github.com/acme/cart\"\nEXPOSE 80\nCMD [\"x\"]\n",
        &[
            "FROM = golang:1 AS build :2",
            "ENV CART_ADDR = cart:7070 :4",
            "LABEL org.opencontainers.image.source = https://github.com/acme/cart :5",
            "EXPOSE = 80 :6",
        ],
    );
    check("# x\nCART_ADDR=cart:7070\nexport URL=\"http://a\"\nDEBUG=1\n", &["CART_ADDR = cart:7070 :2", "URL = http://a :3"]);
    check(
        "upstream cart {\n  server cart:80;\n}\nserver {\n  location /cart/ {\n    proxy_pass http://${CART}/;\n  }\n}\n",
        &["upstream = cart :1", "upstream/server = cart:80 :2", "server/location = /cart/ :5", "server/location/proxy_pass = http://{env:CART}/ :6"],
    );
    check("image:\n\tdocker build -t acme/cart:1 -f src/cart/Dockerfile .\n\tdocker push acme/cart\n", &["build = acme/cart:1 src/cart :2"]);
    let terraform = "resource \"x\" \"cart\" {\n  image = \"acme/cart\"\n  environment = [{ name = \"CART_URL\", value = \"http://cart:80\" }]\n}\n";
    assert_eq!(
        shown(Language::Terraform, terraform),
        [
            "resource x cart/image = acme/cart :2",
            "resource x cart/environment//name = CART_URL :3",
            "resource x cart/environment//value = http://cart:80 :3"
        ]
    );
}

#[test]
fn variables_of_code_have_their_lines_and_defaults() {
    for (language, text, expected) in [
        (Language::Go, "x := os.Getenv(\"CART_ADDR\")\nmustMapEnv(&y, \"PAY_ADDR\")\nz := other(\"NOT_ONE\")", "CART_ADDR:1 PAY_ADDR:2"),
        (Language::Python, "a = os.environ['A_B']\nb = os.environ.get(\"C_HOST\", \"cart:80\")", "A_B:1 C_HOST=cart:80:2"),
        (Language::TypeScript, "const a = process.env.CART_URL || 'http://cart'\nconst b = process.env['B_X']", "CART_URL=http://cart:1 B_X:2"),
        (Language::Java, "String a = System.getenv(\"A_B\");\n@Value(\"${cart.url:http://cart:80}\") String u;", "A_B:1 cart.url=http://cart:80:2"),
        (Language::CSharp, "var a = Environment.GetEnvironmentVariable(\"A_B\");\nvar b = Configuration[\"Cart:Url\"];", "A_B:1 Cart:Url:2"),
        (Language::Ruby, "a = ENV['A_B']\nb = ENV.fetch('CART_URL', 'http://cart')", "A_B:1 CART_URL=http://cart:2"),
        (Language::Rust, "let a = env::var(\"A_B\");", "A_B:1"),
        (Language::Php, "$a = getenv('A_B');", "A_B:1"),
        (Language::Elixir, "a = System.get_env(\"A_B\")", "A_B:1"),
        (Language::Cpp, "auto a = std::getenv(\"A_B\");", "A_B:1"),
        (Language::Bash, "curl ${CART_URL:-http://cart}/x", "CART_URL=http://cart:1"),
    ] {
        let found: Vec<String> = read(language, text.as_bytes())
            .iter()
            .flat_map(|document| &document.entries)
            .map(|entry| {
                let value = if entry.value.is_empty() { String::new() } else { format!("={}", entry.value) };
                format!("{}{value}:{}", entry.key, entry.line)
            })
            .collect();
        assert_eq!(found.join(" "), expected, "{text}");
    }
}

#[test]
fn texts_of_other_kinds_have_no_documents() {
    for text in ["Hello: this is prose.\nMore of it.\n", "{\"name\": \"x\", \"url\": \"http://a\"}", "a,b\n1,2\n", ""] {
        assert!(read(Language::Text, text.as_bytes()).is_empty(), "{text}");
    }
}
