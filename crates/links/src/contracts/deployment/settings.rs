//! Settings of applications: `.env`, `application.yml`, `appsettings.json`, properties.

use super::{DeploymentFact, index::DeploymentIndex, ports, tree::TreeNode};
use crate::contract::ContractKind;

/// Last words of the names of variables whose values are a host without a port.
const HOST_WORDS: [&str; 21] = [
    "host", "hostname", "addr", "address", "url", "uri", "endpoint", "server", "service", "upstream", "backend",
    "target", "peer", "origin", "proxy", "gateway", "broker", "brokers", "servers", "hosts", "domain",
];

/// Words of the names of variables whose values are names of a broker.
const BROKER_WORDS: [&str; 6] = ["topic", "queue", "subject", "exchange", "channel", "destination"];

/// Returns true if the value of a variable is an address, a name in a broker, or the path under which a service runs.
pub(super) fn is_address_setting(variable: &str, value: &str) -> bool {
    // An action of a template is not evaluated yet.
    if let Some((before, after)) = value.split_once("{{") {
        let rest = after.split_once("}}").map_or("", |(_, rest)| rest);
        return is_address_setting(variable, &format!("{before}x{rest}"));
    }
    let has_port = value.rsplit_once(':').is_some_and(|(host, port)| {
        let is_number = port.chars().all(|c| c.is_ascii_digit()) || port.starts_with('{');
        !host.is_empty() && !port.is_empty() && is_number
    });
    let words = words(variable);
    let is_host = words.last().is_some_and(|last| {
        HOST_WORDS.contains(&last.as_str()) || HOST_WORDS.iter().take(6).any(|end| last.ends_with(end))
    });
    let has_letter = value.chars().any(|c| c.is_ascii_alphabetic()) && !matches!(value, "true" | "false");
    let is_name = is_of_broker(variable) || is_database_name(variable);
    has_letter
        && !value.contains(' ')
        && (value.contains("://") || has_port || is_host || is_name || is_context_path(variable, value))
}

/// Returns true if a setting is the path under which a service runs: `server.servlet.context-path: /accounts`.
pub(crate) fn is_context_path(variable: &str, value: &str) -> bool {
    let words = words(variable);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let is_path = matches!(
        words.as_slice(),
        [.., "context", "path"] | [.., "contextpath"] | [.., "path", "base"] | [.., "webflux", "base", "path"]
    );
    is_path && value.len() > 1 && value.starts_with('/') && !value.contains(['{', '$', ' '])
}

/// Returns true if a variable names a topic or a queue.
pub(crate) fn is_of_broker(variable: &str) -> bool {
    words(variable).iter().any(|word| BROKER_WORDS.contains(&word.strip_suffix('s').unwrap_or(word)))
}

/// Returns true if a variable names a database of a server: `DB_NAME`, `POSTGRES_DB`, `MYSQL_DATABASE`.
pub(crate) fn is_database_name(variable: &str) -> bool {
    let words = words(variable);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    matches!(
        words.as_slice(),
        [.., "db" | "database", "name"]
            | [.., "dbname"]
            | ["pgdatabase"]
            | [.., "postgres" | "postgresql" | "mysql" | "mariadb" | "db", "db" | "database"]
    )
}

/// Returns the words of a name in small letters: `cart`, `url` of `CART_URL` and of `cartUrl`.
pub(crate) fn words(variable: &str) -> Vec<String> {
    let mut spaced = String::new();
    let mut is_after_lower = false;
    for c in variable.chars() {
        if c.is_ascii_uppercase() && is_after_lower || !c.is_ascii_alphanumeric() {
            spaced.push(' ');
        }
        spaced.push(c.to_ascii_lowercase());
        is_after_lower = c.is_ascii_lowercase();
    }
    spaced.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Returns true if a path is that of settings of an application.
fn is_settings(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let starts = ["application", "bootstrap", "appsettings", "config", "settings", "conf."];
    let is_in_folder = path.split('/').rev().skip(1).any(|part| matches!(part, "config" | "conf" | "config-repo"));
    starts.iter().any(|start| name.starts_with(start)) || is_in_folder || name.ends_with(".properties")
}

/// Returns the settings of an application in YAML or JSON. Their names are the keys, joined by dots.
pub(super) fn facts(path: &str, root: TreeNode<'_>) -> Vec<DeploymentFact> {
    let is_manifest = root.get("apiVersion").is_some() || root.get("services").is_some_and(is_of_compose);
    if !is_settings(path) || is_manifest {
        return Vec::new();
    }
    let leaves = root.descendants().into_iter().filter(|node| !node.value().is_empty());
    let has_key = |key: &str| root.descendants().into_iter().any(|node| node.key() == key);
    let broker = ["kafka", "rabbit"].into_iter().find(|broker| has_key(broker));
    let facts = leaves.flat_map(|leaf| {
        let name = name(leaf);
        let registered = registered_name(&name, leaf.value(), leaf.line());
        let topic = stream_binding(&name, leaf, broker);
        registered
            .into_iter()
            .chain(topic)
            .chain(ports::of_setting(&name, leaf.value(), leaf.line()))
            .chain(DeploymentFact::setting("", &name, leaf.value(), leaf.line()).filter(|_| !is_own_name(leaf)))
            .collect::<Vec<_>>()
    });
    facts.collect()
}

/// Returns true for the services of Compose. An application may have a section of this name with the addresses of others.
fn is_of_compose(services: TreeNode<'_>) -> bool {
    const KEYS: [&str; 8] =
        ["image", "build", "container_name", "environment", "depends_on", "extends", "command", "volumes"];
    services.children().any(|service| KEYS.iter().any(|key| service.get(key).is_some()))
}

/// Returns the host under which an application registers itself: discovery maps the name to it. Without a workload, the host is the
/// application of this repository.
fn registered_name(name: &str, value: &str, line: u32) -> Option<DeploymentFact> {
    const NAMES: [&str; 7] = [
        "spring.application.name",
        "micronaut.application.name",
        "quarkus.application.name",
        "spring.cloud.consul.discovery.service-name",
        "spring.cloud.consul.discovery.serviceName",
        "spring.cloud.nacos.discovery.service",
        "consul.client.registration.name",
    ];
    let is_name = NAMES.contains(&name) && !value.contains(['{', ' ']);
    is_name.then(|| DeploymentFact::offer(ContractKind::Host, &value.to_ascii_lowercase(), "", line))
}

/// Returns true for the name of the application itself: `service: cart` in its settings.
fn is_own_name(leaf: TreeNode<'_>) -> bool {
    leaf.key() == "service" && !leaf.value().contains([':', '/', '.', '{'])
}

/// Returns the topic of a binding of Spring Cloud Stream: `orders-out-0` publishes to its destination, `orders-in-0` consumes.
fn stream_binding(name: &str, leaf: TreeNode<'_>, broker: Option<&str>) -> Option<DeploymentFact> {
    let binding = name.strip_prefix("spring.cloud.stream.bindings.")?.strip_suffix(".destination")?;
    let broker = if broker? == "rabbit" { "rabbitmq" } else { "kafka" };
    Some(DeploymentFact {
        kind: ContractKind::Topic,
        key: format!("{broker}:{}", leaf.value()),
        member: String::new(),
        line: leaf.line(),
        is_offer: false,
        serves: binding.contains("-in-"),
    })
}

fn name(leaf: TreeNode<'_>) -> String {
    let mut keys: Vec<&str> = std::iter::successors(Some(leaf), |node| node.parent()).map(TreeNode::key).collect();
    keys.reverse();
    keys.retain(|key| !key.is_empty());
    keys.join(".")
}

/// Returns the settings of a file of assignments: of the workloads that name it, else of the repository's own.
pub(super) fn assignments(index: &DeploymentIndex, path: &str, root: TreeNode<'_>) -> Vec<DeploymentFact> {
    let users = index.users_of_env_file(path);
    let users = if users.is_empty() { vec![""] } else { users };
    let entries = root.children().collect::<Vec<_>>();
    // The port of one of several workloads is not that of the only application.
    let port: fn(&str, &str, u32) -> Option<DeploymentFact> =
        if users == [""] { ports::of_variable } else { ports::of_setting };
    let registered = entries
        .iter()
        .flat_map(|entry| {
            let name = registered_name(entry.key(), entry.value(), entry.line());
            name.into_iter().chain(port(entry.key(), entry.value(), entry.line()))
        })
        .collect::<Vec<_>>();
    let settings = users
        .into_iter()
        .flat_map(|workload| {
            entries
                .iter()
                // Items of lists are read from the tree of the file.
                .filter(|entry| !entry.key().contains('['))
                .filter_map(move |entry| DeploymentFact::setting(workload, entry.key(), entry.value(), entry.line()))
        })
        .collect::<Vec<_>>();
    [registered, settings].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_services_are_settings() {
        for (variable, value, expected) in [
            ("server.servlet.context-path", "/accounts", true),
            ("SERVER_SERVLET_CONTEXT_PATH", "/accounts", true),
            ("server.contextPath", "/accounts", true),
            ("PATH_BASE", "/accounts", true),
            ("server.servlet.context-path", "/", false),
            ("server.servlet.context-path", "${CONTEXT}", false),
            ("LOG_PATH", "/var/log", false),
            ("PATH", "/usr/bin", false),
        ] {
            assert_eq!(is_context_path(variable, value), expected, "{variable} {value}");
            assert_eq!(is_address_setting(variable, value), expected, "{variable} {value}");
        }
    }
}
