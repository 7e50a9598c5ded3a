//! Lowered snippets of Bash.

use model::Language;

use super::check_all;

fn check(snippets: &[(&str, &[&str])]) {
    check_all(Language::Bash, snippets);
}

#[test]
fn commands_are_calls() {
    check(&[(
        "BASE=\"http://x\"\nf() { local id=$1; curl -X POST \"$BASE/x/${id}\" -d '{\"a\":1}' | jq .; }\nwget \"${URL:-http://d}/x\"\nr=$(curl -s http://a/$b)",
        &[
            "def BASE = \"http://x\"",
            "def f()",
            "def r = curl(\"-s\", \"http://a/\" + b)",
            "id = 1",
            "2 in f: curl(\"-X\", \"POST\", \"{}/x/{}\"{BASE, id}, \"-d\", \"{\\\"a\\\":1}\")",
            "2 in f: jq(\".\")",
            "3 in -: wget(\"{}/x\"{(URL | \"http://d\")})",
            "4 in -: curl(\"-s\", \"http://a/\" + b)",
        ],
    )]);
}
