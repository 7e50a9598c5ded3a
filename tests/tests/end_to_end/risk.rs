//! `get_risk` over the example organisation with a history.

use causeway_tests::{answer::text, federation::Federation, organisation};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Days between two changes of both repositories.
const PAUSE: u64 = 20;

/// Indexes the organisation, with a history in which the code of parcels and its client change on the same days.
async fn organisation() -> (TempDir, Federation) {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let repositories = organisation::materialise(&folder.path().join("org"));
    let of = |name: &str| {
        let at =
            organisation::REPOSITORIES.iter().position(|alias| *alias == name).expect("a repository of the example");
        &repositories[at]
    };
    let changes = [("parcel-kit", "src/code.ts"), ("customer-portal", "src/api/client.ts")];
    for round in 0..6 {
        for (name, path) in changes {
            let repository = of(name);
            repository.pass_days(PAUSE);
            let before = std::fs::read_to_string(repository.path.join(path)).expect("a fixture");
            repository.write(path, format!("{before}// {round}\n"));
            repository.commit(&format!("Round {round}"));
        }
    }
    let federation = Federation::over(&folder.path().join("data"), &folder.path().join("org")).await;
    (folder, federation)
}

fn strings<'a>(list: &'a Value, name: &str) -> Vec<&'a str> {
    list.as_array().into_iter().flatten().map(|one| text(&one[name])).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn file_risk_has_history_users_and_co_changes() {
    let (_folder, federation) = organisation().await;
    let answer = federation.ask("get_risk", json!({"targets": ["parcel-kit:src/code.ts", "parseParcelCode"]})).await;
    let file = &answer["targets"][0];
    assert_eq!((&file["history"]["commits"], &file["history"]["bus_factor"]), (&json!(7), &json!(1)), "{answer}");
    assert_eq!(file["hotspot"]["score"], json!(10.0), "{answer}");
    assert!(
        text(&file["history"]["trend"]).starts_with("steady") || text(&file["history"]["trend"]).starts_with("rising")
    );
    let others = file["dependents"]["other_repositories"].as_array().expect("a list");
    assert!(others.contains(&json!("customer-portal")), "{answer}");
    assert!(strings(&file["tests_to_run"], "id").iter().any(|id| id.contains("tests/code.test.ts")), "{answer}");
    assert_eq!(strings(&file["reviewers"], "name"), ["Ada Byron"]);
    let partner = &file["changes_with"][0];
    assert_eq!(partner["file"], "customer-portal:src/api/client.ts", "{answer}");
    assert!(text(&partner["evidence"][0]["first"]).contains("Round 5"), "{answer}");
    let symbol = &answer["targets"][1];
    assert!(text(&symbol["id"]).starts_with("parcel-kit//src/code.ts::parseParcelCode"), "{answer}");
    for target in [file, symbol] {
        assert!((0.0..=10.0).contains(&target["score"].as_f64().expect("a number")), "{answer}");
        assert!(target["security"].is_null(), "{answer}");
    }
    assert!(causeway_tests::answer::is_complete(&answer));
}

#[tokio::test(flavor = "multi_thread")]
async fn change_risk_names_missing_co_changes() {
    let (_folder, federation) = organisation().await;
    let arguments = json!({"changed_files": ["parcel-kit:src/code.ts", "parcel-kit:src/codes.ts"]});
    let answer = federation.ask("get_risk", arguments.clone()).await;
    let change = &answer["change"];
    assert_eq!(strings(&change["not_found"], "path"), ["parcel-kit:src/codes.ts"], "{answer}");
    assert!(strings(&change["missing_co_changes"], "file").contains(&"customer-portal:src/api/client.ts"), "{answer}");
    assert!(strings(&change["may_break"], "id").iter().any(|id| id.starts_with("customer-portal//")), "{answer}");
    assert!(strings(&change["tests_to_run"], "id").iter().any(|id| id.contains("code.test.ts")), "{answer}");
    let again = federation.ask("get_risk", arguments).await;
    assert_eq!(change, &again["change"]);
    let both = ["parcel-kit:src/code.ts", "customer-portal:src/api/client.ts"];
    let answer = federation.ask("get_risk", json!({"changed_files": both})).await;
    let missing = strings(&answer["change"]["missing_co_changes"], "file");
    assert!(both.iter().all(|file| !missing.contains(file)), "{answer}");
}
