//! Overviews of repositories and maps of their dependencies, for the example organisation.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use causeway_tests::{
    answer::text,
    federation::{Federation, InProcessWorker},
    links::{self, TrueEdge},
    organisation,
    repository::Repository,
};
use federation::principal::Principal;
use serde_json::{Value, json};
use tempfile::TempDir;

/// True edges that are not found: see `contracts.rs`.
const MISSED: [&str; 1] = ["notify-worker:src/notify_worker/tracking_client.py:14"];

async fn organisation() -> (TempDir, Federation) {
    let folder = tempfile::tempdir().expect("a folder for the test");
    organisation::materialise(&folder.path().join("org"));
    let federation = Federation::over(&folder.path().join("data"), &folder.path().join("org")).await;
    (folder, federation)
}

fn list<'a>(answer: &'a Value, name: &str) -> &'a [Value] {
    answer[name].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Returns the true edges that code states, that are found, and that a map counts.
fn edges() -> Vec<TrueEdge> {
    let mut edges = links::true_edges();
    edges.retain(|edge| {
        !matches!(edge.kind.as_str(), "proto-source" | "accesses") && !MISSED.contains(&edge.from.shown().as_str())
    });
    edges
}

/// Returns the kind under which a map counts an edge.
fn counted_as(edge: &TrueEdge) -> &str {
    match edge.kind.as_str() {
        "import" | "calls" | "references" if edge.to.path.ends_with(".proto") => "grpc",
        "import" | "calls" | "references" => "package_symbol",
        kind => kind,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn map_has_exactly_the_true_dependencies() {
    let (_folder, federation) = organisation().await;
    let mut expected: BTreeMap<(String, String, String), u64> = BTreeMap::new();
    for edge in edges() {
        let pair = (edge.from.repo.clone(), edge.to.repo.clone(), counted_as(&edge).to_owned());
        *expected.entry(pair).or_default() += 1;
    }
    let answer = federation.ask("get_overview", json!({"repo": "all", "token_budget": 25_000})).await;
    assert_eq!(answer["_meta"]["truncated"], false, "{answer}");
    let field = |link: &Value, name: &str| text(&link[name]).to_owned();
    let found: BTreeMap<(String, String, String), u64> = list(&answer, "links")
        .iter()
        .map(|link| {
            ((field(link, "user"), field(link, "provider"), field(link, "kind")), link["links"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(found, expected);

    let proofs: BTreeSet<links::Sides> = edges().iter().map(TrueEdge::sides).collect();
    let shown = links::shown(&answer);
    assert!(shown.len() >= expected.len() && shown.is_subset(&proofs), "{shown:?}");

    // Used definitions are listed with their users.
    let users = |of: &str| -> BTreeSet<String> {
        let others = list(&answer, "depended_on").iter().filter(|one| text(&one["id"]).starts_with(of));
        others.flat_map(|one| one["used_by_repos"].as_object().unwrap().keys().cloned()).collect()
    };
    assert_eq!(users("parcel-kit//"), BTreeSet::from(["customer-portal".to_owned()]));
    assert_eq!(users("tracking-service//"), BTreeSet::from(["customer-portal".to_owned(), "notify-worker".to_owned()]));
    let definitions: BTreeSet<(String, String)> =
        edges().iter().map(|edge| (edge.to.repo.clone(), edge.to.path.clone())).collect();
    for one in list(&answer, "depended_on") {
        let (repo, id) = text(&one["id"]).split_once("//").expect("the id of a definition");
        let path = id.split("::").next().unwrap_or_default();
        assert!(definitions.contains(&(repo.to_owned(), path.to_owned())), "{one}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn subset_map_names_the_neighbours() {
    let (_folder, federation) = organisation().await;
    let answer = federation.ask("get_overview", json!({"repo": "customer-portal,parcel-kit"})).await;
    let repos: Vec<&str> = list(&answer, "repositories").iter().map(|entry| text(&entry["repo"])).collect();
    assert_eq!(repos.iter().copied().collect::<BTreeSet<_>>(), BTreeSet::from(["customer-portal", "parcel-kit"]));
    assert!(list(&answer, "links").iter().all(|link| link["provider"] == "parcel-kit"), "{answer}");
    assert_eq!(answer["neighbours"], json!([{"repo": "tracking-service", "used_by": ["customer-portal"]}]));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_location_in_an_overview_exists() {
    let (_folder, federation) = organisation().await;
    for alias in organisation::REPOSITORIES {
        let answer = federation.ask("get_overview", json!({"repo": alias, "token_budget": 25_000})).await;
        assert_eq!(answer["_meta"]["truncated"], false, "{answer}");
        let lines = |path: &str| -> Vec<String> {
            let file = fs::read_to_string(organisation::sources().join(alias).join(path));
            file.unwrap_or_else(|error| panic!("{alias} {path}: {error}")).lines().map(str::to_owned).collect()
        };
        let line_at = |at: &Value| -> String {
            let (path, line) = text(at).rsplit_once(':').expect("a path and a line");
            lines(path)[line.parse::<usize>().expect("a number") - 1].clone()
        };
        for package in list(&answer, "requires").iter().chain(list(&answer, "makes")) {
            let name = text(&package["package"]).split_once(':').expect("an ecosystem").1;
            assert!(line_at(&package["at"]).contains(name), "{package}");
        }
        for start in list(&answer, "entry_points") {
            let name = text(&start["name"]).rsplit("::").next().unwrap_or_default();
            assert!(line_at(&start["at"]).contains(name), "{start}");
        }
        for route in list(&answer, "routes") {
            let path = text(&route["route"]).split_once(' ').expect("a method").1;
            assert!(line_at(&route["at"]).contains(path.split('{').next().unwrap_or(path)), "{route}");
        }
        for symbol in list(&answer, "most_used").iter().chain(list(&answer, "services")) {
            let (path, qualified) = text(&symbol["id"]).split_once("::").expect("an id");
            let name = qualified.split('#').next().unwrap_or(qualified).rsplit('.').next().unwrap_or(qualified);
            let line = &lines(path)[symbol["line"].as_u64().expect("a line") as usize - 1];
            assert!(line.contains(name), "{symbol}: {line}");
        }
        for quoted in list(&answer, "purpose") {
            let file = lines(text(&quoted["from"])).join(" ");
            let words = |text: &str| text.split_whitespace().take(4).collect::<Vec<_>>().join(" ");
            assert!(file.contains(&words(text(&quoted["text"]))), "{quoted}");
        }
        for module in list(&answer, "modules") {
            let path = text(&module["path"]).trim_start_matches('.');
            assert!(organisation::sources().join(alias).join(path).is_dir(), "{module}");
        }
        let paths = |entry: &Value, field: &str| -> Vec<String> {
            list(entry, field).iter().map(|path| text(path).to_owned()).collect()
        };
        let members = list(&answer, "communities").iter().flat_map(|group| paths(group, "members"));
        let infra = list(&answer, "built_and_run_by").iter().map(|file| text(&file["path"]).to_owned());
        for path in members.chain(infra) {
            assert!(organisation::sources().join(alias).join(&path).is_file(), "{path}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn overview_of_one_repository_has_its_parts() {
    let (_folder, federation) = organisation().await;
    let ask = async |repo: &str| federation.ask("get_overview", json!({"repo": repo, "token_budget": 25_000})).await;
    let values = |answer: &Value, name: &str, field: &str| -> Vec<String> {
        list(answer, name).iter().map(|entry| text(&entry[field]).to_owned()).collect()
    };
    let service = ask("tracking-service").await;
    assert_eq!(values(&service, "languages", "language"), ["go", "protobuf"]);
    assert_eq!(
        values(&service, "routes", "route"),
        ["POST /api/v1/parcels", "GET /api/v1/parcels/{id}", "GET /healthz"]
    );
    assert_eq!(values(&service, "services", "id"), ["proto/tracking/v1/tracking.proto::TrackingService"]);
    assert_eq!(values(&service, "entry_points", "name"), ["cmd/tracking/main.go::main"]);
    assert_eq!(values(&service, "owners", "name"), ["Ada Byron"]);
    assert_eq!(service["history"]["bus_factor"], 1);
    let modules: BTreeSet<String> = values(&service, "modules", "path").into_iter().collect();
    let expected = ["cmd/tracking", "internal/httpapi", "internal/parcel", "internal/rpc", "proto/tracking/v1"];
    assert_eq!(modules, expected.map(str::to_owned).into());
    let uses = |path: &str| {
        let module = list(&service, "modules").iter().find(|module| module["path"] == path).expect("it is there");
        module["uses"].as_object().map_or(Vec::new(), |uses| uses.keys().cloned().collect())
    };
    assert_eq!(uses("internal/httpapi"), ["internal/parcel"]);
    assert!(uses("internal/parcel").is_empty());

    let portal = ask("customer-portal").await;
    let kit = list(&portal, "requires").iter().find(|package| package["package"] == "npm:@harbour/parcel-kit");
    assert_eq!(kit.expect("it requires it")["repo"], "parcel-kit");
    assert!(list(&portal, "requires").iter().filter(|package| package["repo"].is_string()).count() == 1, "{portal}");
    let worker = ask("notify-worker").await;
    assert_eq!(list(&worker, "entry_points")[0]["kind"], "command");
    assert!(values(&worker, "built_and_run_by", "path").contains(&"Makefile".to_owned()), "{worker}");
}

#[tokio::test(flavor = "multi_thread")]
async fn overviews_respect_any_budget() {
    let (_folder, federation) = organisation().await;
    for token_budget in [100, 120, 170, 250, 400, 700, 1_200, 2_000] {
        for (repo, format) in [
            ("all", "json"),
            ("all", "compact"),
            ("all", "mermaid"),
            ("notify-worker", "json"),
            ("parcel-kit", "compact"),
        ] {
            let arguments = json!({"repo": repo, "format": format, "token_budget": token_budget});
            let answer = federation.call("get_overview", arguments).await;
            let n_tokens = ::text::estimate_tokens(&answer.text);
            assert!(!answer.is_error && n_tokens <= token_budget, "{n_tokens} of {token_budget}: {}", answer.text);
        }
    }
}

/// Returns the arrows of a chart: the labels of both ends, and the label of the arrow.
fn arrows(chart: &str) -> BTreeSet<(String, String, String)> {
    let quoted = |line: &str| line.split('"').nth(1).unwrap_or_default().to_owned();
    let label = |id: &str| {
        let node = chart.lines().find(|line| line.trim_start().starts_with(&format!("{id}[")));
        quoted(node.unwrap_or_else(|| panic!("{id} is a node of {chart}")))
    };
    let ends =
        |line: &str| Some((line.split_whitespace().next()?.to_owned(), line.split_whitespace().last()?.to_owned()));
    let drawn = chart.lines().filter(|line| line.contains("-->|") || line.contains("-.->|"));
    drawn.filter_map(|line| ends(line).map(|(from, to)| (label(&from), label(&to), quoted(line)))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn maps_are_drawn_as_charts() {
    let (_folder, federation) = organisation().await;
    let map = federation.ask("get_overview", json!({"repo": "all", "token_budget": 25_000})).await;
    let pairs = |links: &[Value]| -> BTreeSet<(String, String)> {
        links.iter().map(|link| (text(&link["user"]).to_owned(), text(&link["provider"]).to_owned())).collect()
    };
    let expected = pairs(list(&map, "links"));
    let chart = federation.call("get_overview", json!({"repo": "all", "format": "mermaid"})).await;
    assert!(
        !chart.is_error && chart.structured.is_none() && chart.text.starts_with("flowchart LR\n"),
        "{}",
        chart.text
    );
    let drawn: BTreeSet<(String, String)> =
        arrows(&chart.text).into_iter().map(|(user, provider, _)| (user, provider)).collect();
    assert_eq!(drawn, expected);
    let kinds = arrows(&chart.text)
        .into_iter()
        .find(|(user, provider, _)| (user, provider) == (&"notify-worker".into(), &"tracking-service".into()));
    assert!(kinds.is_some_and(|(_, _, kinds)| kinds.contains("grpc 8")), "{}", chart.text);
    assert!(chart.text.lines().last().is_some_and(|line| line.starts_with("%% -- 4 of 4 repositories answered")));

    let neighbours = federation.call("get_overview", json!({"repo": "parcel-kit", "format": "mermaid"})).await.text;
    assert_eq!(arrows(&neighbours).len(), 1, "{neighbours}");
    assert!(!neighbours.contains("tracking-service"), "{neighbours}");
}

#[tokio::test(flavor = "multi_thread")]
async fn impact_is_drawn_as_a_tree() {
    let (_folder, federation) = organisation().await;
    let arguments = json!({"target": "parcel-kit//src/code.ts::parseParcelCode", "format": "mermaid"});
    let chart = federation.call("get_impact", arguments.clone()).await.text;
    assert!(chart.starts_with("flowchart RL\n") && chart.contains("[\"customer-portal\"]"), "{chart}");
    let target = "parseParcelCode<br/>src/code.ts:34";
    let users: BTreeSet<String> =
        arrows(&chart).into_iter().filter(|(_, used, _)| used == target).map(|(user, ..)| user).collect();
    assert!(users.contains("TrackingClient.getParcel<br/>src/api/client.ts:36"), "{chart}");

    let mut small = arguments;
    small["token_budget"] = json!(200);
    let cut = federation.call("get_impact", small).await.text;
    assert!(::text::estimate_tokens(&cut) <= 200 && cut.contains("users are left out"), "{cut}");
    assert!(arrows(&cut).len() < arrows(&chart).len(), "{cut}");
}

#[tokio::test(flavor = "multi_thread")]
async fn unreadable_repositories_are_on_no_map() {
    let (folder, whole) = organisation().await;
    let [portal, worker, kit, service] = organisation::REPOSITORIES;
    for readable in [vec![portal], vec![service], vec![portal, kit], vec![worker, service, kit]] {
        let roots = readable.iter().map(|alias| folder.path().join("org").join(alias)).collect::<Vec<_>>();
        let data = folder.path().join(readable.join("+"));
        let alone = Federation::of(vec![InProcessWorker::indexed(&data, &roots).await]).await;
        let caller = Principal::limited("ui", readable.iter().map(|alias| (*alias).to_owned()));
        for repo in [json!(null), json!("all"), json!(portal), json!("parcel-kit,tracking-service")] {
            for format in ["json", "mermaid"] {
                let arguments = json!({"repo": repo, "token_budget": 10_000, "format": format});
                let expected = alone.call("get_overview", arguments.clone()).await.text;
                let limited = whole.gateway.call(&caller, "get_overview", arguments).await.text;
                let steady = |text: &str| match format {
                    "mermaid" => {
                        text.rsplit_once(" | ").map_or_else(String::new, |(before_timing, _)| before_timing.to_owned())
                    }
                    _ => causeway_tests::answer::steady(text),
                };
                assert_eq!(steady(&limited), steady(&expected), "{readable:?} {repo}");
            }
        }
        alone.stop().await;
    }
}

/// Two repositories that one person changes on the same day every other week, and one that changes on other days.
#[tokio::test(flavor = "multi_thread")]
async fn co_changing_repositories_are_reported_with_commits() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let repositories = ["alpha", "beta", "other"].map(|name| Repository::init(folder.path().join("org").join(name)));
    repositories[2].pass_days(5);
    for round in 0..8 {
        for repository in &repositories {
            repository.write("src/a.py", format!("def step():\n    return {round}\n"));
            repository.commit(&format!("Change the protocol again: {round}"));
            repository.pass_days(14);
        }
    }
    let federation = Federation::over(&folder.path().join("data"), &folder.path().join("org")).await;
    let answer = federation.ask("get_overview", json!({"repo": "all"})).await;
    let together = list(&answer, "changed_together");
    assert_eq!(together.len(), 1, "{answer}");
    assert_eq!((&together[0]["repos"], &together[0]["people"]), (&json!(["alpha", "beta"]), &json!(1)), "{answer}");
    assert!(together[0]["evidence"][0]["first"].as_str().is_some_and(|line| line.starts_with("alpha@")), "{answer}");
    federation.stop().await;
}
