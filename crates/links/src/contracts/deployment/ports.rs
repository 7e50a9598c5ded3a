//! Ports that the application of a repository listens on, as its settings and its image say. The key is `:PORT`, since the host is
//! that of the machine.

use super::{DeploymentFact, tree::TreeNode};
use crate::contract::ContractKind;

/// Settings of frameworks that hold the port.
const SETTINGS: [&str; 5] =
    ["server.port", "quarkus.http.port", "micronaut.server.port", "server.http.port", "ktor.deployment.port"];

/// Variables of the environment that hold the port of the only application of a repository.
const VARIABLES: [&str; 4] = ["PORT", "APP_PORT", "HTTP_PORT", "SERVER_PORT"];

/// Key of the addresses of a profile that starts an application of .NET.
const PROFILE_ADDRESSES: &str = "applicationUrl";

/// Returns the port of a setting: `8081` of `server.port: 8081`, of `{env:PORT:8081}` its default.
pub(super) fn of_setting(name: &str, value: &str, line: u32) -> Option<DeploymentFact> {
    let is_port = SETTINGS.contains(&name) || SETTINGS.iter().any(|known| name == format!("%dev.{known}"));
    let written = value.rsplit(':').next()?.trim_end_matches('}');
    listener(written.trim()).filter(|_| is_port).map(|port| offer(port, line))
}

/// Returns the port of a variable that a file of the environment sets: `4000` of `PORT=4000`.
pub(super) fn of_variable(name: &str, value: &str, line: u32) -> Option<DeploymentFact> {
    let port = listener(value.trim()).filter(|_| VARIABLES.contains(&name));
    port.map(|port| offer(port, line)).or_else(|| of_setting(name, value, line))
}

/// Returns the ports of the profiles that start an application of .NET: `"applicationUrl": "https://localhost:7101;http://localhost:5101"`.
pub(super) fn of_profiles(root: TreeNode<'_>) -> Vec<DeploymentFact> {
    let Some(profiles) = root.get("profiles") else { return Vec::new() };
    let addresses = profiles.children().filter_map(|profile| profile.get(PROFILE_ADDRESSES));
    let ports = addresses.flat_map(|addresses| {
        let each = addresses.value().split(';').filter_map(|address| address.trim_end_matches('/').rsplit(':').next());
        each.filter_map(listener).map(|port| offer(port, addresses.line())).collect::<Vec<_>>()
    });
    ports.collect()
}

/// Returns the ports that an image exposes: `EXPOSE 8081/tcp 9090`.
pub(super) fn exposed(instruction: &str, line: u32) -> Vec<DeploymentFact> {
    let ports = instruction.split_whitespace().filter_map(|port| listener(port.split('/').next().unwrap_or(port)));
    ports.map(|port| offer(port, line)).collect()
}

/// Returns the ports that code listens on.
pub(super) fn of_code(root: TreeNode<'_>) -> Vec<DeploymentFact> {
    let listening = root.children().filter(|node| node.key() == "listen");
    listening.filter_map(|node| listener(node.value()).map(|port| offer(port, node.line()))).collect()
}

/// Returns the key of the offer of a port, for an address of the own machine: `:8081` of `localhost:8081`.
pub(crate) fn key_of_local(name: &str) -> Option<String> {
    name.strip_prefix("localhost").and_then(|port| listener(port.strip_prefix(':')?)).map(key)
}

/// Returns a port that tells an application. Many listen on the port that their framework has by default.
fn listener(port: &str) -> Option<u16> {
    const DEFAULTS: [u16; 10] = [80, 443, 1234, 3000, 4200, 5000, 5173, 8000, 8080, 8888];
    let port = port.parse::<u16>().ok().filter(|port| *port > 0)?;
    (!DEFAULTS.contains(&port)).then_some(port)
}

fn key(port: u16) -> String {
    format!(":{port}")
}

fn offer(port: u16, line: u32) -> DeploymentFact {
    DeploymentFact::offer(ContractKind::Host, &key(port), "", line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_of_settings_tell_an_application() {
        for (name, value, expected) in [
            ("server.port", "8081", Some(":8081")),
            ("server.port", "{env:PORT:8081}", Some(":8081")),
            ("%dev.quarkus.http.port", "8083", Some(":8083")),
            ("server.port", "8080", None),
            ("server.port", "0", None),
            ("server.port", "{env:PORT}", None),
            ("management.server.port", "8081", None),
        ] {
            assert_eq!(of_setting(name, value, 1).map(|fact| fact.key).as_deref(), expected, "{name}={value}");
        }
    }

    #[test]
    fn ports_of_variables_tell_an_application() {
        for (name, value, expected) in [
            ("PORT", "4000", Some(":4000")),
            ("server.port", "8081", Some(":8081")),
            ("PORT", "3000", None),
            ("PORT", "{env:OTHER}", None),
            ("CART_PORT", "4000", None),
            ("DB_PORT", "5432", None),
            // The port of another service may have these names.
            ("API_PORT", "4000", None),
            ("SERVICE_PORT", "4000", None),
        ] {
            assert_eq!(of_variable(name, value, 1).map(|fact| fact.key).as_deref(), expected, "{name}={value}");
        }
    }

    #[test]
    fn ports_of_images_and_of_addresses() {
        let keys: Vec<String> = exposed("8081/tcp 80 $PORT 9091", 1).into_iter().map(|fact| fact.key).collect();
        assert_eq!(keys, [":8081", ":9091"]);
        assert_eq!(key_of_local("localhost:8081").as_deref(), Some(":8081"));
        assert_eq!(key_of_local("localhost:8080"), None);
        assert_eq!(key_of_local("localhostx:8081"), None);
    }
}
