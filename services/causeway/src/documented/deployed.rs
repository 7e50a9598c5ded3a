//! Whether what runs on clusters and in containers can be read by the program: configurations, and command lines of pods.
//! How these files fit each other is the matter of `make deploy-check`.

use gateway::Settings;

use super::{check_typed, code};

const KUBERNETES_PAGE: &str = include_str!("../../../../deploy/kubernetes.md");
const GATEWAYS: [&str; 3] = [
    include_str!("../../../../deploy/kustomize/base/config/gateway.toml"),
    include_str!("../../../../deploy/kustomize/overlays/prod/config/gateway.toml"),
    include_str!("../../../../deploy/compose/gateway.toml"),
];
const WORKERS: [&str; 4] = [
    include_str!("../../../../deploy/kustomize/base/config/worker.toml"),
    include_str!("../../../../deploy/kustomize/overlays/dev/config/worker.toml"),
    include_str!("../../../../deploy/kustomize/overlays/prod/config/worker.toml"),
    include_str!("../../../../deploy/compose/worker.toml"),
];
const PODS: [&str; 2] = [
    include_str!("../../../../deploy/kustomize/base/worker.yaml"),
    include_str!("../../../../deploy/kustomize/base/gateway.yaml"),
];
const COMPOSE: &str = include_str!("../../../../deploy/compose.yaml");

#[test]
fn configurations_of_clusters_are_valid() {
    for text in GATEWAYS {
        let settings = Settings::from_toml(text).unwrap_or_else(|error| panic!("{text}\n{error}"));
        assert!(!settings.workers.is_empty() && !settings.access.tokens.is_empty(), "{text}");
    }
    let of_the_page = code(KUBERNETES_PAGE, "toml").join("\n");
    for text in WORKERS.into_iter().chain([of_the_page.as_str()]) {
        worker::Settings::from_toml(text).unwrap_or_else(|error| panic!("{text}\n{error}"));
    }
}

#[test]
fn command_lines_of_pods_can_be_typed() {
    for pod in PODS {
        let args = pod.lines().map(str::trim).skip_while(|line| *line != "args:").skip(1);
        let args: Vec<&str> = args.map_while(|line| line.strip_prefix("- ")).collect();
        assert!(args.len() > 2, "{args:?}");
        check_typed(&format!("causeway {}", args.join(" ")));
    }
}

#[test]
fn command_lines_of_containers_can_be_typed() {
    let listed = |line: &'static str, key: &str| {
        line.trim().strip_prefix(key)?.strip_prefix(": [")?.strip_suffix(']').map(|words| words.replace(", ", " "))
    };
    let commands: Vec<String> = COMPOSE.lines().filter_map(|line| listed(line, "command")).collect();
    assert_eq!(commands.len(), 2, "{commands:?}");
    commands.iter().for_each(|command| check_typed(&format!("causeway {command}")));
    let checks: Vec<String> = COMPOSE.lines().filter_map(|line| listed(line, "test")).collect();
    assert_eq!(checks.len(), 1, "{checks:?}");
    checks.iter().for_each(|check| check_typed(check.strip_prefix("CMD ").unwrap()));
}

#[test]
fn commands_of_the_page_on_clusters_can_be_typed() {
    let ours: Vec<&str> = KUBERNETES_PAGE.lines().map(str::trim).filter(|line| line.starts_with("causeway ")).collect();
    assert!(!ours.is_empty());
    ours.into_iter().for_each(check_typed);
}
