//! The entry of the server in the notation of each client.

use serde_json::{Value, json};

use super::SERVER_NAME;

/// Environment variable from which clients read the token.
const TOKEN_VARIABLE: &str = "CAUSEWAY_TOKEN";

/// Transport between a client and the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ClientTransport {
    Http { url: String, with_token: bool },
    Stdio { arguments: Vec<String> },
}

/// Notation of a server entry.
#[derive(Debug, Clone, Copy)]
pub(crate) enum EntryNotation {
    /// `url` or `command` and `args`, and the type of the transport if the client requires it.
    Plain {
        url_key: &'static str,
        http_type: Option<&'static str>,
        stdio_type: Option<&'static str>,
        /// Reference to the variable of the token, if the client replaces variables in headers.
        token: Option<&'static str>,
    },
    /// The same, for a client that only starts programs.
    ProgramOnly,
    Codex,
    OpenCode,
    Goose,
}

/// Returns the entry of a client. A client that cannot send the token, or cannot use HTTP, starts `causeway mcp --url`, which does both.
///
/// `command` are the words that start this program.
pub(crate) fn entry(notation: EntryNotation, transport: &ClientTransport, command: &[String]) -> Value {
    match transport {
        ClientTransport::Stdio { arguments } => program_entry(notation, command, arguments),
        ClientTransport::Http { url, with_token } => url_entry(notation, url, *with_token).unwrap_or_else(|| {
            let arguments = ["mcp", "--url", url].map(str::to_owned);
            program_entry(notation, command, &arguments)
        }),
    }
}

fn url_entry(notation: EntryNotation, url: &str, with_token: bool) -> Option<Value> {
    let authorization = |reference: &str| json!({ "Authorization": format!("Bearer {reference}") });
    let mut entry = match notation {
        EntryNotation::Plain { url_key, http_type, token, .. } => {
            let mut entry = json!({ url_key: url });
            if let Some(http_type) = http_type {
                entry["type"] = json!(http_type);
            }
            if with_token {
                entry["headers"] = authorization(token?);
            }
            return Some(entry);
        }
        EntryNotation::ProgramOnly => return None,
        EntryNotation::Codex => json!({ "url": url }),
        EntryNotation::OpenCode => json!({ "type": "remote", "url": url, "enabled": true }),
        EntryNotation::Goose if with_token => return None,
        EntryNotation::Goose => {
            let name = SERVER_NAME;
            json!({ "type": "streamable_http", "name": name, "uri": url, "enabled": true, "timeout": GOOSE_TIMEOUT_SECONDS })
        }
    };
    match notation {
        EntryNotation::Codex if with_token => entry["bearer_token_env_var"] = json!(TOKEN_VARIABLE),
        EntryNotation::OpenCode if with_token => entry["headers"] = authorization("{env:CAUSEWAY_TOKEN}"),
        _ => {}
    }
    Some(entry)
}

/// Timeout of a call of Goose, which has no default for servers in its file.
const GOOSE_TIMEOUT_SECONDS: u64 = 300;

fn program_entry(notation: EntryNotation, command: &[String], arguments: &[String]) -> Value {
    let words = [command, arguments].concat();
    let (program, arguments) = words.split_first().expect("a command has a program");
    match notation {
        EntryNotation::Plain { stdio_type: Some(stdio_type), .. } => {
            json!({ "type": stdio_type, "command": program, "args": arguments })
        }
        EntryNotation::Plain { .. } | EntryNotation::ProgramOnly | EntryNotation::Codex => {
            json!({ "command": program, "args": arguments })
        }
        EntryNotation::OpenCode => {
            json!({ "type": "local", "command": words, "enabled": true })
        }
        EntryNotation::Goose => json!({
            "type": "stdio", "name": SERVER_NAME, "cmd": program, "args": arguments, "enabled": true,
            "timeout": GOOSE_TIMEOUT_SECONDS,
        }),
    }
}

/// Keys of all notations that tell the way to the server.
const TRANSPORT_KEYS: [&str; 10] =
    ["url", "serverUrl", "httpUrl", "uri", "type", "command", "cmd", "args", "headers", "bearer_token_env_var"];

/// Keys whose value is the user's choice once they are written.
const CHOICE_KEYS: [&str; 2] = ["enabled", "timeout"];

/// Returns an entry with the other settings of the present one, such as `disabled` and `alwaysAllow`.
pub(crate) fn merged(present: &Value, entry: &Value) -> Value {
    let (Some(present), Some(new)) = (present.as_object(), entry.as_object()) else { return entry.clone() };
    let other_settings = present.iter().filter(|(key, _)| !TRANSPORT_KEYS.contains(&key.as_str()));
    let mut merged: serde_json::Map<String, Value> =
        other_settings.map(|(key, value)| (key.clone(), value.clone())).collect();
    for (key, value) in new {
        let is_chosen = CHOICE_KEYS.contains(&key.as_str()) && present.contains_key(key);
        if !is_chosen {
            merged.insert(key.clone(), value.clone());
        }
    }
    Value::Object(merged)
}

/// The destination of an entry, as far as it can be checked.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum EntryTarget {
    Url(String),
    Program { program: String, arguments: Vec<String> },
}

/// Returns the destination of an entry in any notation; `None` if it has neither an address nor a program.
pub(crate) fn target(entry: &Value) -> Option<EntryTarget> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let url = ["url", "serverUrl", "httpUrl", "uri"].iter().find_map(|key| text(&entry[*key]));
    if let Some(url) = url {
        return Some(EntryTarget::Url(url));
    }
    let words = |value: &Value| value.as_array().into_iter().flatten().filter_map(text).collect::<Vec<String>>();
    if let [program, arguments @ ..] = words(&entry["command"]).as_slice() {
        return Some(EntryTarget::Program { program: program.clone(), arguments: arguments.to_vec() });
    }
    let program = ["command", "cmd"].iter().find_map(|key| text(&entry[*key]))?;
    Some(EntryTarget::Program { program, arguments: words(&entry["args"]) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::client::{CLIENTS, ClientId, spec};

    const URL: &str = "http://127.0.0.1:7474/mcp";

    fn http(id: ClientId, with_token: bool) -> Value {
        entry(spec(id).notation, &ClientTransport::Http { url: URL.to_owned(), with_token }, &["causeway".to_owned()])
    }

    #[test]
    fn each_client_has_its_notation() {
        let bridge = json!({ "command": "causeway", "args": ["mcp", "--url", URL] });
        let header = |reference: &str| json!({ "Authorization": format!("Bearer {reference}") });
        for (id, with_token, expected) in [
            (ClientId::ClaudeCode, false, json!({ "type": "http", "url": URL })),
            (ClientId::ClaudeDesktop, false, bridge.clone()),
            (ClientId::Cursor, true, json!({ "url": URL, "headers": header("${env:CAUSEWAY_TOKEN}") })),
            (ClientId::Codex, true, json!({ "url": URL, "bearer_token_env_var": "CAUSEWAY_TOKEN" })),
            (ClientId::Zed, false, json!({ "url": URL })),
            (ClientId::Zed, true, bridge),
            (ClientId::Windsurf, false, json!({ "serverUrl": URL })),
            (ClientId::GeminiCli, false, json!({ "httpUrl": URL })),
            (ClientId::Cline, false, json!({ "type": "streamableHttp", "url": URL })),
            (ClientId::Roo, false, json!({ "type": "streamable-http", "url": URL })),
            (ClientId::OpenCode, false, json!({ "type": "remote", "url": URL, "enabled": true })),
        ] {
            assert_eq!(http(id, with_token), expected, "{id:?}");
        }
    }

    #[test]
    fn targets_of_all_entries_are_found() {
        let arguments = vec!["mcp".to_owned(), "--data".to_owned(), "/my data".to_owned()];
        for client in CLIENTS {
            let stdio = ClientTransport::Stdio { arguments: arguments.clone() };
            let expected = |program: &str, before: &[String]| EntryTarget::Program {
                program: program.to_owned(),
                arguments: [before, &arguments[..]].concat(),
            };
            let direct = target(&entry(client.notation, &stdio, &["/opt/causeway".to_owned()]));
            assert_eq!(direct, Some(expected("/opt/causeway", &[])), "{client:?}");
            let launched = target(&entry(client.notation, &stdio, &["uvx".to_owned(), "causeway-mcp".to_owned()]));
            assert_eq!(launched, Some(expected("uvx", &["causeway-mcp".to_owned()])), "{client:?}");
            let is_url = matches!(target(&http(client.id, false)), Some(EntryTarget::Url(url)) if url == URL);
            assert_eq!(is_url, client.id != ClientId::ClaudeDesktop, "{client:?}");
        }
    }
}
