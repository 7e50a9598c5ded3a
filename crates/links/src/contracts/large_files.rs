//! Files of unusual size: every contract is found up to a bound, and a bound is a number, not a time.

use crate::testing::contracts;

#[test]
fn a_proto_with_thousands_of_rpcs_offers_each() {
    let rpcs: String = (0..3_000).map(|n| format!("  rpc Get{n}(A) returns (A);\n")).collect();
    let lines = contracts(&format!(
        "//- /api.proto\nsyntax = \"proto3\";\npackage shop.v1;\nmessage A {{}}\nservice Api {{\n{rpcs}}}\n"
    ));
    let n_rpcs = lines.iter().filter(|line| line.starts_with("+ shop.v1.Api/Get")).count();
    assert_eq!(n_rpcs, 3_000);
}

#[test]
fn a_generated_client_of_a_hundred_thousand_lines_is_read() {
    let methods: String = (0..20_000)
        .map(|n| format!("  get{n}() {{\n    return axios.get(\n      '/api/v1/things/{n}'\n    )\n  }}\n"))
        .collect();
    let lines = contracts(&format!("//- /client.ts\nimport axios from 'axios'\nexport class Client {{\n{methods}}}\n"));
    let n_requests = lines.iter().filter(|line| line.starts_with("- GET /api/v1/things/")).count();
    assert!((1..=20_000).contains(&n_requests), "{n_requests}");
}

#[test]
fn a_minified_openapi_document_of_five_megabytes_is_read() {
    let operation = format!("{{\"summary\":\"{}\"}}", "x".repeat(900));
    let paths: Vec<String> = (0..5_600).map(|n| format!("\"/things/{n}\":{{\"get\":{operation}}}")).collect();
    let document =
        format!("{{\"openapi\":\"3.0.0\",\"servers\":[{{\"url\":\"/api\"}}],\"paths\":{{{}}}}}", paths.join(","));
    assert!(document.len() > 5_000_000, "{}", document.len());
    let lines = contracts(&format!("//- /openapi.json\n{document}\n"));
    let n_operations = lines.iter().filter(|line| line.starts_with("+ GET /api/things/")).count();
    assert_eq!(n_operations, 5_000, "the operations of one document are bounded");
}

#[test]
fn documents_that_no_parser_reads_as_they_are() {
    let template = "{{- range $name, $one := .Values.services }}\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ $name }}\nspec:\n  template:\n    spec:\n      containers:\n      {{- range .containers }}\n      - name: {{ .name }}\n        image: \"{{ .image }}\"\n      {{- end }}\n      - name: cart\n        image: acme/cart:1\n        env:\n        - name: PAY_ADDR\n          value: pay:80\n{{- end }}\n";
    let lines = contracts(&format!("//- /templates/all.yaml\n{template}"));
    // The name of the workload is unknown, and its settings are no facts about another one.
    assert!(lines.iter().all(|line| !line.contains("{{")), "{lines:#?}");
    let tagged = "//- /docker-compose.yml\nx-env: &env\n  PAY_ADDR: !reset pay:80\nx-ship: &ship {SHIP_ADDR: \"ship:80\"}\nservices:\n  cart: !override\n    image: acme/cart\n    environment:\n      <<: [*env, *ship]\n";
    let lines = contracts(tagged);
    for expected in ["- cart/PAY_ADDR pay:80", "- cart/SHIP_ADDR ship:80", "+ cart acme/cart"] {
        assert!(lines.iter().any(|line| line.starts_with(expected)), "{expected} is missing from {lines:#?}");
    }
}
