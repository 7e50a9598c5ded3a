//! The names of services in the paths of their clients: `clients/billing/client.go`, `billing_client.py`.

use crate::services::service_name::WrittenName;

/// Maximum number of folders of the path of a client that may name the service.
const MAX_NAMING_FOLDERS: usize = 2;

/// Returns the names of the last folders and of a file that are those of clients: the name itself or its folder says so, or a file that
/// is only called a client is in the folder.
pub(super) fn names(path: &str) -> Vec<WrittenName> {
    const CLIENTS: [&str; 9] =
        ["client", "clients", "proxy", "proxies", "gateway", "connector", "service", "services", "api"];
    let words = |part: &str| crate::contracts::words(part);
    let stem = |part: &str| part.split('.').next().unwrap_or(part).to_owned();
    let is_client = |part: &&str| words(part).iter().any(|word| CLIENTS.contains(&word.as_str()));
    let name_of = |part: &str| {
        let kept: Vec<String> =
            words(&stem(part)).into_iter().filter(|word| !CLIENTS.contains(&word.as_str())).collect();
        kept.join("-")
    };
    // From the file to its folders.
    let parts: Vec<&str> = path.rsplit('/').take(2 + MAX_NAMING_FOLDERS).collect();
    let is_of_client = |at: usize| {
        let is_of_file = at == 1 && is_client(&parts[0]) && name_of(parts[0]).is_empty();
        is_of_file || parts[at..].iter().take(2).any(is_client)
    };
    let named =
        (0..parts.len().min(1 + MAX_NAMING_FOLDERS)).filter(|at| is_of_client(*at)).map(|at| name_of(parts[at]));
    named.filter(|name| !name.is_empty()).map(|name| WrittenName::of(&name)).collect()
}
