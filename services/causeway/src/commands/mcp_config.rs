//! `causeway mcp-config`: prints how to connect an MCP client, as a command or a file.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::{
    exit::Exit,
    options::GlobalOptions,
    output::{print, print_json},
    program, server_file,
};

const EXAMPLE: &str = "\
Example:
  causeway mcp-config claude-code
  causeway mcp-config cursor --stdio ~/code
  causeway mcp-config vscode --url http://code.example.com/mcp --with-token";

/// Server name in the configuration of clients.
const NAME: &str = "causeway";

/// Default address of `causeway up`.
const DEFAULT_URL: &str = "http://127.0.0.1:7474/mcp";

/// Environment variable from which clients read the token.
const TOKEN_VARIABLE: &str = "CAUSEWAY_TOKEN";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct McpConfigArgs {
    client: McpClient,
    /// Address of the server [default: that of the server on the data folder, or http://127.0.0.1:7474/mcp]
    #[arg(long, value_name = "URL", conflicts_with = "stdio")]
    url: Option<String>,
    /// Let the client start `causeway mcp`
    #[arg(long)]
    stdio: bool,
    /// With --stdio: folders with repositories [default: the one in which the client starts it]
    #[arg(value_name = "PATH", requires = "stdio")]
    paths: Vec<PathBuf>,
    /// Send the token from the environment variable CAUSEWAY_TOKEN
    #[arg(long)]
    with_token: bool,
}

/// Supported MCP clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum McpClient {
    ClaudeCode,
    Codex,
    Cursor,
    #[value(name = "vscode")]
    VsCode,
    Zed,
}

/// Transport between the client and Causeway.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ClientTransport {
    Http { url: String, with_token: bool },
    Stdio { program: String, arguments: Vec<String> },
}

/// Instructions: a command if the client has one, and the content of its configuration file.
#[derive(Debug, PartialEq, Eq)]
struct SetupInstructions {
    command: Option<String>,
    file: &'static str,
    snippet: String,
}

pub(crate) fn run(args: &McpConfigArgs, global: &GlobalOptions) -> anyhow::Result<Exit> {
    let instructions = instructions(args.client, &transport(args, global)?);
    if global.json {
        print_json(
            &json!({ "command": instructions.command, "file": instructions.file, "snippet": instructions.snippet }),
        )?;
        return Ok(Exit::Done);
    }
    let command = instructions.command.map(|command| format!("Run\n\n{command}\n\nor ")).unwrap_or_default();
    let verb = if command.is_empty() { "Write" } else { "write" };
    print(&format!("{command}{verb} this into {}:\n\n{}", instructions.file, instructions.snippet))?;
    Ok(Exit::Done)
}

fn transport(args: &McpConfigArgs, global: &GlobalOptions) -> anyhow::Result<ClientTransport> {
    if args.stdio {
        let data = global.data.iter().flat_map(|data| ["--data".to_owned(), absolute(data)]);
        let config = global.config.iter().flat_map(|config| ["--config".to_owned(), absolute(config)]);
        let paths = args.paths.iter().map(|path| absolute(path));
        let arguments = std::iter::once("mcp".to_owned()).chain(data).chain(config).chain(paths);
        return Ok(ClientTransport::Stdio { program: program::name(), arguments: arguments.collect() });
    }
    let running = || Some(server_file::find(&crate::data::folder(global).ok()?)?.url);
    let url = args.url.clone().or_else(running).unwrap_or_else(|| DEFAULT_URL.to_owned());
    Ok(ClientTransport::Http { url, with_token: args.with_token })
}

/// Returns an absolute path, since clients start in other folders.
fn absolute(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string()
}

fn instructions(client: McpClient, transport: &ClientTransport) -> SetupInstructions {
    match client {
        McpClient::ClaudeCode => SetupInstructions {
            command: Some(claude_command(transport)),
            file: ".mcp.json in the project",
            snippet: pretty(&json!({ "mcpServers": { NAME: entry(transport, "${CAUSEWAY_TOKEN}", true) } })),
        },
        McpClient::Codex => SetupInstructions {
            command: Some(codex_command(transport)),
            file: "~/.codex/config.toml",
            snippet: codex_snippet(transport),
        },
        McpClient::Cursor => SetupInstructions {
            command: None,
            file: "~/.cursor/mcp.json, or .cursor/mcp.json in the project",
            snippet: pretty(&json!({ "mcpServers": { NAME: entry(transport, "${env:CAUSEWAY_TOKEN}", false) } })),
        },
        McpClient::VsCode => SetupInstructions {
            command: None,
            file: ".vscode/mcp.json in the project",
            snippet: pretty(&json!({ "servers": { NAME: entry(transport, "${env:CAUSEWAY_TOKEN}", true) } })),
        },
        McpClient::Zed => SetupInstructions {
            command: None,
            file: "Zed's settings.json (zed: open settings file); Zed stores a token in plain text",
            snippet: pretty(&json!({ "context_servers": { NAME: entry(transport, "TOKEN", false) } })),
        },
    }
}

/// Returns a server entry in the notation of most clients; some also need its type.
fn entry(transport: &ClientTransport, token: &str, has_type_field: bool) -> Value {
    let mut entry = match transport {
        ClientTransport::Http { url, with_token: false } => json!({ "url": url }),
        ClientTransport::Http { url, with_token: true } => {
            json!({ "url": url, "headers": { "Authorization": format!("Bearer {token}") } })
        }
        ClientTransport::Stdio { program, arguments } => json!({ "command": program, "args": arguments }),
    };
    if has_type_field {
        let transport = if matches!(transport, ClientTransport::Http { .. }) { "http" } else { "stdio" };
        entry["type"] = json!(transport);
    }
    entry
}

fn claude_command(transport: &ClientTransport) -> String {
    match transport {
        ClientTransport::Http { url, with_token: false } => format!("claude mcp add --transport http {NAME} {url}"),
        ClientTransport::Http { url, with_token: true } => format!(
            "claude mcp add --transport http {NAME} {url} --header \"Authorization: Bearer ${{{TOKEN_VARIABLE}}}\""
        ),
        ClientTransport::Stdio { program, arguments } => {
            format!("claude mcp add {NAME} -- {}", shell_command(program, arguments))
        }
    }
}

fn codex_command(transport: &ClientTransport) -> String {
    match transport {
        ClientTransport::Http { url, with_token: false } => format!("codex mcp add {NAME} --url {url}"),
        ClientTransport::Http { url, with_token: true } => {
            format!("codex mcp add {NAME} --url {url} --bearer-token-env-var {TOKEN_VARIABLE}")
        }
        ClientTransport::Stdio { program, arguments } => {
            format!("codex mcp add {NAME} -- {}", shell_command(program, arguments))
        }
    }
}

/// Returns a command line, quoted for a shell.
fn shell_command(program: &str, arguments: &[String]) -> String {
    let is_plain = |word: &str| word.bytes().all(|b| b.is_ascii_alphanumeric() || b"/._-+=:,@".contains(&b));
    let quoted =
        |word: &str| if is_plain(word) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) };
    std::iter::once(program).chain(arguments.iter().map(String::as_str)).map(quoted).collect::<Vec<_>>().join(" ")
}

fn codex_snippet(transport: &ClientTransport) -> String {
    let quoted = |text: &str| json!(text).to_string();
    let lines = match transport {
        ClientTransport::Http { url, with_token } => {
            let token = with_token.then(|| format!("\nbearer_token_env_var = {}", quoted(TOKEN_VARIABLE)));
            format!("url = {}{}", quoted(url), token.unwrap_or_default())
        }
        ClientTransport::Stdio { program, arguments } => {
            format!("command = {}\nargs = {}", quoted(program), json!(arguments))
        }
    };
    format!("[mcp_servers.{NAME}]\n{lines}")
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).expect("keys are strings")
}

#[cfg(test)]
mod tests {
    use super::*;

    const HTTP: &str = "http://127.0.0.1:7474/mcp";

    fn http(with_token: bool) -> ClientTransport {
        ClientTransport::Http { url: HTTP.to_owned(), with_token }
    }

    fn stdio() -> ClientTransport {
        let arguments = ["mcp", "--data", "/my data"].map(str::to_owned).to_vec();
        ClientTransport::Stdio { program: NAME.to_owned(), arguments }
    }

    fn json_of(client: McpClient, transport: &ClientTransport) -> Value {
        serde_json::from_str(&instructions(client, transport).snippet).unwrap()
    }

    #[test]
    fn each_client_has_its_notation() {
        let claude = json!({"mcpServers": {"causeway": {"type": "http", "url": HTTP}}});
        assert_eq!(json_of(McpClient::ClaudeCode, &http(false)), claude);
        assert_eq!(json_of(McpClient::Cursor, &http(false)), json!({"mcpServers": {"causeway": {"url": HTTP}}}));
        assert_eq!(
            json_of(McpClient::VsCode, &http(false)),
            json!({"servers": {"causeway": {"type": "http", "url": HTTP}}})
        );
        assert_eq!(json_of(McpClient::Zed, &http(false)), json!({"context_servers": {"causeway": {"url": HTTP}}}));
        assert_eq!(
            instructions(McpClient::Codex, &http(true)).snippet,
            "[mcp_servers.causeway]\nurl = \"http://127.0.0.1:7474/mcp\"\nbearer_token_env_var = \"CAUSEWAY_TOKEN\""
        );
    }

    #[test]
    fn commands_are_complete() {
        let command = |client, transport: &ClientTransport| instructions(client, transport).command.unwrap_or_default();
        assert_eq!(
            command(McpClient::ClaudeCode, &http(true)),
            "claude mcp add --transport http causeway http://127.0.0.1:7474/mcp \
             --header \"Authorization: Bearer ${CAUSEWAY_TOKEN}\""
        );
        assert_eq!(
            command(McpClient::ClaudeCode, &stdio()),
            "claude mcp add causeway -- causeway mcp --data '/my data'"
        );
        assert_eq!(command(McpClient::Codex, &http(false)), "codex mcp add causeway --url http://127.0.0.1:7474/mcp");
        assert_eq!(command(McpClient::Zed, &stdio()), "");
    }

    #[test]
    fn stdio_entries_start_causeway() {
        let expected = json!({"command": "causeway", "args": ["mcp", "--data", "/my data"]});
        assert_eq!(json_of(McpClient::Zed, &stdio())["context_servers"]["causeway"], expected);
        assert_eq!(json_of(McpClient::VsCode, &stdio())["servers"]["causeway"]["type"], "stdio");
        assert!(instructions(McpClient::Codex, &stdio()).snippet.ends_with("args = [\"mcp\",\"--data\",\"/my data\"]"));
    }
}
