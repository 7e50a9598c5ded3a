//! The table of MCP clients: location, format and notation of their configuration.

use std::path::PathBuf;

use super::{
    entry::EntryNotation,
    user_folders::{Platform, UserFolders},
};

/// A supported MCP client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ClientId {
    ClaudeCode,
    ClaudeDesktop,
    Cursor,
    #[value(name = "vscode")]
    VsCode,
    Codex,
    Zed,
    Windsurf,
    GeminiCli,
    #[value(name = "jetbrains")]
    JetBrains,
    Cline,
    Roo,
    #[value(name = "opencode")]
    OpenCode,
    Goose,
}

/// Format of a configuration file. JSON includes JSON with comments and trailing commas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConfigFormat {
    Json,
    Toml,
    Yaml,
}

/// A path template on Unix, and the one on Windows if it differs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Location {
    unix: &'static str,
    windows: Option<&'static str>,
}

/// One row of the table.
#[derive(Debug)]
pub(crate) struct ClientSpec {
    pub(crate) id: ClientId,
    pub(crate) title: &'static str,
    /// Exists if the client is installed or was used.
    installed: Location,
    file: Location,
    pub(crate) format: ConfigFormat,
    /// Key of the object that has one entry per server.
    pub(crate) servers_key: &'static str,
    pub(crate) notation: EntryNotation,
}

impl ClientSpec {
    /// Returns the configuration file for all projects of the user.
    pub(crate) fn file(&self, folders: &UserFolders) -> PathBuf {
        self.file.path(folders)
    }

    /// Returns true if the client is installed.
    pub(crate) fn is_installed(&self, folders: &UserFolders) -> bool {
        self.installed.path(folders).exists() || self.file(folders).exists()
    }
}

impl Location {
    const fn everywhere(template: &'static str) -> Location {
        Location { unix: template, windows: None }
    }

    const fn or_windows(unix: &'static str, windows: &'static str) -> Location {
        Location { unix, windows: Some(windows) }
    }

    fn path(self, folders: &UserFolders) -> PathBuf {
        let windows = self.windows.filter(|_| folders.platform == Platform::Windows);
        folders.expand(windows.unwrap_or(self.unix))
    }
}

/// Returns the row of a client.
pub(crate) fn spec(id: ClientId) -> &'static ClientSpec {
    CLIENTS.iter().find(|client| client.id == id).expect("every client has a row")
}

/// All clients, in the order in which they are asked about.
pub(crate) const CLIENTS: &[ClientSpec] = &[
    ClientSpec {
        id: ClientId::ClaudeCode,
        title: "Claude Code",
        installed: Location::everywhere("~/.claude"),
        file: Location::everywhere("~/.claude.json"),
        format: ConfigFormat::Json,
        servers_key: "mcpServers",
        notation: EntryNotation::Plain {
            url_key: "url",
            http_type: Some("http"),
            stdio_type: Some("stdio"),
            token: Some("${CAUSEWAY_TOKEN}"),
        },
    },
    ClientSpec {
        id: ClientId::ClaudeDesktop,
        title: "Claude Desktop",
        installed: Location::everywhere("$APPLICATION_DATA/Claude"),
        file: Location::everywhere("$APPLICATION_DATA/Claude/claude_desktop_config.json"),
        format: ConfigFormat::Json,
        servers_key: "mcpServers",
        notation: EntryNotation::ProgramOnly,
    },
    ClientSpec {
        id: ClientId::Cursor,
        title: "Cursor",
        installed: Location::everywhere("~/.cursor"),
        file: Location::everywhere("~/.cursor/mcp.json"),
        format: ConfigFormat::Json,
        servers_key: "mcpServers",
        notation: EntryNotation::Plain {
            url_key: "url",
            http_type: None,
            stdio_type: None,
            token: Some("${env:CAUSEWAY_TOKEN}"),
        },
    },
    ClientSpec {
        id: ClientId::VsCode,
        title: "VS Code",
        installed: Location::everywhere("$APPLICATION_DATA/Code/User"),
        file: Location::everywhere("$APPLICATION_DATA/Code/User/mcp.json"),
        format: ConfigFormat::Json,
        servers_key: "servers",
        notation: EntryNotation::Plain {
            url_key: "url",
            http_type: Some("http"),
            stdio_type: Some("stdio"),
            token: Some("${env:CAUSEWAY_TOKEN}"),
        },
    },
    ClientSpec {
        id: ClientId::Codex,
        title: "Codex",
        installed: Location::everywhere("~/.codex"),
        file: Location::everywhere("~/.codex/config.toml"),
        format: ConfigFormat::Toml,
        servers_key: "mcp_servers",
        notation: EntryNotation::Codex,
    },
    ClientSpec {
        id: ClientId::Zed,
        title: "Zed",
        installed: Location::or_windows("$CONFIG/zed", "$APPLICATION_DATA/Zed"),
        file: Location::or_windows("$CONFIG/zed/settings.json", "$APPLICATION_DATA/Zed/settings.json"),
        format: ConfigFormat::Json,
        servers_key: "context_servers",
        notation: EntryNotation::Plain { url_key: "url", http_type: None, stdio_type: None, token: None },
    },
    ClientSpec {
        id: ClientId::Windsurf,
        title: "Windsurf",
        installed: Location::everywhere("~/.codeium/windsurf"),
        file: Location::everywhere("~/.codeium/windsurf/mcp_config.json"),
        format: ConfigFormat::Json,
        servers_key: "mcpServers",
        notation: EntryNotation::Plain {
            url_key: "serverUrl",
            http_type: None,
            stdio_type: None,
            token: Some("${env:CAUSEWAY_TOKEN}"),
        },
    },
    ClientSpec {
        id: ClientId::GeminiCli,
        title: "Gemini CLI",
        installed: Location::everywhere("~/.gemini"),
        file: Location::everywhere("~/.gemini/settings.json"),
        format: ConfigFormat::Json,
        servers_key: "mcpServers",
        notation: EntryNotation::Plain {
            url_key: "httpUrl",
            http_type: None,
            stdio_type: None,
            token: Some("${CAUSEWAY_TOKEN}"),
        },
    },
    ClientSpec {
        id: ClientId::JetBrains,
        title: "JetBrains Junie",
        installed: Location::everywhere("~/.junie"),
        file: Location::everywhere("~/.junie/mcp/mcp.json"),
        format: ConfigFormat::Json,
        servers_key: "mcpServers",
        notation: EntryNotation::Plain { url_key: "url", http_type: None, stdio_type: None, token: None },
    },
    ClientSpec {
        id: ClientId::Cline,
        title: "Cline",
        installed: Location::everywhere("$APPLICATION_DATA/Code/User/globalStorage/saoudrizwan.claude-dev"),
        file: Location::everywhere(
            "$APPLICATION_DATA/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        ),
        format: ConfigFormat::Json,
        servers_key: "mcpServers",
        notation: EntryNotation::Plain {
            url_key: "url",
            http_type: Some("streamableHttp"),
            stdio_type: Some("stdio"),
            token: None,
        },
    },
    ClientSpec {
        id: ClientId::Roo,
        title: "Roo Code",
        installed: Location::everywhere("$APPLICATION_DATA/Code/User/globalStorage/rooveterinaryinc.roo-cline"),
        file: Location::everywhere(
            "$APPLICATION_DATA/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
        ),
        format: ConfigFormat::Json,
        servers_key: "mcpServers",
        notation: EntryNotation::Plain {
            url_key: "url",
            http_type: Some("streamable-http"),
            stdio_type: Some("stdio"),
            token: Some("${env:CAUSEWAY_TOKEN}"),
        },
    },
    ClientSpec {
        id: ClientId::OpenCode,
        title: "OpenCode",
        installed: Location::everywhere("~/.config/opencode"),
        file: Location::everywhere("~/.config/opencode/opencode.json"),
        format: ConfigFormat::Json,
        servers_key: "mcp",
        notation: EntryNotation::OpenCode,
    },
    ClientSpec {
        id: ClientId::Goose,
        title: "Goose",
        installed: Location::or_windows("$CONFIG/goose", "$APPLICATION_DATA/Block/goose"),
        file: Location::or_windows("$CONFIG/goose/config.yaml", "$APPLICATION_DATA/Block/goose/config/config.yaml"),
        format: ConfigFormat::Yaml,
        servers_key: "extensions",
        notation: EntryNotation::Goose,
    },
];

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clap::ValueEnum as _;

    use super::*;

    #[test]
    fn every_client_has_one_row() {
        for id in ClientId::value_variants() {
            assert_eq!(CLIENTS.iter().filter(|client| client.id == *id).count(), 1, "{id:?}");
        }
    }

    #[test]
    fn files_follow_the_operating_system() {
        let file = |id, platform| {
            let folders = UserFolders::below(platform, Path::new("/home/ada"));
            folders.display(&spec(id).file(&folders))
        };
        for (id, platform, expected) in [
            (ClientId::VsCode, Platform::Linux, "~/.config/Code/User/mcp.json"),
            (ClientId::VsCode, Platform::MacOs, "~/Library/Application Support/Code/User/mcp.json"),
            (ClientId::VsCode, Platform::Windows, "~/AppData/Roaming/Code/User/mcp.json"),
            (ClientId::Zed, Platform::MacOs, "~/.config/zed/settings.json"),
            (ClientId::Zed, Platform::Windows, "~/AppData/Roaming/Zed/settings.json"),
            (ClientId::Goose, Platform::Windows, "~/AppData/Roaming/Block/goose/config/config.yaml"),
            (ClientId::ClaudeCode, Platform::Windows, "~/.claude.json"),
        ] {
            assert_eq!(file(id, platform), expected);
        }
    }
}
