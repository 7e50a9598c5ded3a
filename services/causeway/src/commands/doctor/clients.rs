//! Checks of the configuration of MCP clients: each installed client has an entry that leads to the server.

use std::path::Path;

use super::{Finding, ok_finding, problem_finding};
use crate::setup::{
    change,
    client::{CLIENTS, ClientSpec},
    entry::{self, EntryTarget},
    file_edit::FileEdit,
    user_folders::UserFolders,
};

/// Returns a finding for each installed client. `url` is that of the running server.
pub(super) fn findings(folders: &UserFolders, url: Option<&str>) -> Vec<Finding> {
    CLIENTS.iter().filter(|client| client.is_installed(folders)).map(|client| check(client, folders, url)).collect()
}

fn check(client: &ClientSpec, folders: &UserFolders, url: Option<&str>) -> Finding {
    let file = client.file(folders);
    let (what, shown) = (format!("client {}", client.title), folders.display(&file));
    let name = clap::ValueEnum::to_possible_value(&client.id).expect("no client is hidden");
    let again = format!("`causeway setup {}` writes the entry again", name.get_name());
    let edit = FileEdit::ServerEntry {
        format: client.format,
        servers_key: client.servers_key,
        entry: serde_json::Value::Null,
    };
    let text = match change::read(&file) {
        Ok(text) => text.unwrap_or_default(),
        Err(error) => return problem_finding(what, error.to_string(), "make the file readable"),
    };
    let entry = match edit.entry(&text) {
        Ok(Some(entry)) => entry,
        // A user may want the server in some clients only.
        Ok(None) => {
            return ok_finding(what, format!("no entry in {shown} (`causeway setup {}` adds it)", name.get_name()));
        }
        Err(error) => return problem_finding(what, format!("{shown}: {error}"), "repair the file"),
    };
    match entry::target(&entry) {
        Some(EntryTarget::Url(entry_url)) => match url {
            Some(url) if !is_same_address(&entry_url, url) => {
                problem_finding(what, format!("{shown} names {entry_url}, but the server is at {url}"), again)
            }
            _ => ok_finding(what, format!("{entry_url} in {shown}")),
        },
        Some(EntryTarget::Program { program, .. }) if is_program(&program) => {
            ok_finding(what, format!("starts `{program}`, in {shown}"))
        }
        Some(EntryTarget::Program { program, .. }) => {
            problem_finding(what, format!("{shown} starts `{program}`, which does not exist"), again)
        }
        None => problem_finding(what, format!("the entry in {shown} has neither an address nor a program"), again),
    }
}

/// Compares addresses without the options of the endpoint, and with one name for the loopback address.
fn is_same_address(left: &str, right: &str) -> bool {
    let normalised = |url: &str| {
        let url = url.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/').to_lowercase();
        url.replace("://localhost", "://127.0.0.1").replace("://[::1]", "://127.0.0.1")
    };
    normalised(left) == normalised(right)
}

fn is_program(program: &str) -> bool {
    if Path::new(program).components().count() > 1 {
        return Path::new(program).is_file();
    }
    let path_folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path_folders).any(|folder| folder.join(program).is_file())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::setup::user_folders::Platform;

    #[test]
    fn entries_are_compared_with_the_server() {
        let home = tempfile::tempdir().unwrap();
        let folders = UserFolders::below(Platform::Linux, home.path());
        let server = Some("http://127.0.0.1:7474/mcp");
        assert!(findings(&folders, server).is_empty(), "no client is installed");

        fs::create_dir(home.path().join(".cursor")).unwrap();
        let check = |text: &str| {
            fs::write(home.path().join(".cursor/mcp.json"), text).unwrap();
            let [finding] = &findings(&folders, server)[..] else { panic!("one client is installed") };
            finding.lines()
        };
        for (entry, expected) in [
            ("{}", "ok client Cursor: no entry"),
            ("{\"mcpServers\": {\"causeway\": {\"url\": \"http://localhost:7474/mcp?profile=lean\"}}}", "ok "),
            (
                "{\"mcpServers\": {\"causeway\": {\"url\": \"http://127.0.0.1:1/mcp\"}}}",
                "!! client Cursor: ~/.cursor/mcp.json names",
            ),
            ("{\"mcpServers\": {\"causeway\": {\"command\": \"/no/causeway\"}}}", "!! "),
            ("{\"mcpServers\": {\"causeway\": {}}}", "!! "),
            ("{", "!! "),
        ] {
            let line = check(entry);
            assert!(line.starts_with(expected), "{entry}: {line}");
        }
    }
}
