//! Checks of the configuration of MCP clients: each installed client has an entry that leads to the server.

use std::path::Path;

use super::{Finding, ok_finding, problem_finding};
use crate::{
    program,
    setup::{
        change,
        client::{CLIENTS, ClientSpec},
        entry::{self, EntryTarget},
        file_edit::FileEdit,
        user_folders::UserFolders,
    },
};

/// Returns a finding for each installed client. `url` is that of the running server.
pub(super) fn findings(folders: &UserFolders, url: Option<&str>) -> Vec<Finding> {
    CLIENTS.iter().filter(|client| client.is_installed(folders)).map(|client| check(client, folders, url)).collect()
}

fn check(client: &ClientSpec, folders: &UserFolders, url: Option<&str>) -> Finding {
    let file = client.file(folders);
    let (what, shown) = (format!("client {}", client.title), folders.display(&file));
    let name = clap::ValueEnum::to_possible_value(&client.id).expect("no client is hidden");
    // Setup with another data folder knows nothing of this server.
    let address = url.map(|url| format!(" --url {url}")).unwrap_or_default();
    let command = format!("causeway setup {}{address}", name.get_name());
    let again = format!("`{command}` writes the entry again");
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
        Ok(None) => return ok_finding(what, format!("no entry in {shown} (`{command}` adds it)")),
        Err(error) => return problem_finding(what, format!("{shown}: {error}"), "repair the file"),
    };
    let other_address = |written: &str| {
        let url = url.filter(|url| !is_same_address(written, url))?;
        Some(format!("{shown} names {written}, but the server is at {url}"))
    };
    match entry::target(&entry) {
        Some(EntryTarget::Url(written)) => match other_address(&written) {
            Some(is) => problem_finding(what, is, again),
            None => ok_finding(what, format!("{written} in {shown}")),
        },
        Some(EntryTarget::Program { program, arguments }) => {
            let written = arguments.windows(2).find(|pair| pair[0] == "--url").map(|pair| pair[1].as_str());
            let is_wrong = wrong_program(&program).map(|problem| format!("{shown} starts `{program}`, {problem}"));
            match is_wrong.or_else(|| other_address(written?)) {
                Some(is) => problem_finding(what, is, again),
                None => ok_finding(what, format!("starts `{program}`, in {shown}")),
            }
        }
        None => problem_finding(what, format!("the entry in {shown} has neither an address nor a program"), again),
    }
}

/// Returns the reason why an entry cannot start this program.
fn wrong_program(written: &str) -> Option<String> {
    let is_path = Path::new(written).components().count() > 1;
    match program::find(written) {
        None => Some("which does not exist".to_owned()),
        // A path was chosen, and another name is a launcher. The name of this program may lead to that of somebody else.
        Some(found) if !is_path && program::is_other_program(&found) => {
            Some(format!("which is {}, another program than this one", found.display()))
        }
        Some(_) => None,
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
            // A launcher.
            ("{\"mcpServers\": {\"causeway\": {\"command\": \"sh\", \"args\": [\"causeway-mcp\", \"mcp\"]}}}", "ok "),
            ("{\"mcpServers\": {\"causeway\": {\"command\": \"no-such-launcher\", \"args\": [\"mcp\"]}}}", "!! "),
            ("{\"mcpServers\": {\"causeway\": {\"command\": \"/bin/sh\", \"args\": [\"mcp\"]}}}", "ok "),
            (
                "{\"mcpServers\": {\"causeway\": {\"command\": \"/bin/sh\", \"args\": [\"mcp\", \"--url\", \"http://127.0.0.1:1/mcp\"]}}}",
                "!! client Cursor: ~/.cursor/mcp.json names http://127.0.0.1:1/mcp",
            ),
            ("{\"mcpServers\": {\"causeway\": {}}}", "!! "),
            ("{", "!! "),
        ] {
            let line = check(entry);
            assert!(line.starts_with(expected), "{entry}: {line}");
            let names_this_server = line.contains("`causeway setup cursor --url http://127.0.0.1:7474/mcp`");
            assert_eq!(names_this_server, line.contains("`causeway setup"), "{line}");
        }
    }
}
