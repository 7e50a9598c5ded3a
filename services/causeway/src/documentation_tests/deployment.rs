//! Tests of `deploy/`: configurations, and command lines of pods and containers. `make deploy-check` tests how these
//! files fit together.

use gateway::GatewaySettings;

use super::commands::check_command_line;

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
        let settings = GatewaySettings::from_toml(text).unwrap_or_else(|error| panic!("{text}\n{error}"));
        assert!(!settings.workers.is_empty() && !settings.access.tokens.is_empty(), "{text}");
    }
    for text in WORKERS {
        worker::WorkerSettings::from_toml(text).unwrap_or_else(|error| panic!("{text}\n{error}"));
    }
}

#[test]
fn command_lines_of_pods_are_valid() {
    for pod in PODS {
        let args = pod.lines().map(str::trim).skip_while(|line| *line != "args:").skip(1);
        let args: Vec<&str> = args.map_while(|line| line.strip_prefix("- ")).collect();
        assert!(args.len() > 2, "{args:?}");
        check_command_line(&format!("causeway {}", args.join(" ")));
    }
}

#[test]
fn command_lines_of_containers_are_valid() {
    let list_value = |line: &'static str, key: &str| {
        line.trim().strip_prefix(key)?.strip_prefix(": [")?.strip_suffix(']').map(|words| words.replace(", ", " "))
    };
    let commands: Vec<String> = COMPOSE.lines().filter_map(|line| list_value(line, "command")).collect();
    assert_eq!(commands.len(), 2, "{commands:?}");
    commands.iter().for_each(|command| check_command_line(&format!("causeway {command}")));
    let checks: Vec<String> = COMPOSE.lines().filter_map(|line| list_value(line, "test")).collect();
    assert_eq!(checks.len(), 1, "{checks:?}");
    checks.iter().for_each(|check| check_command_line(check.strip_prefix("CMD ").unwrap()));
}
