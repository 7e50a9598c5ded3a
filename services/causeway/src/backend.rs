//! The backend of tool calls: a running server, or both tiers in this process.

use std::path::PathBuf;

use federation::principal::Principal;
use serde_json::Value;

use crate::{
    client::{ServerClient, ToolCallResult},
    config, data,
    exit::{CommandError, Exit},
    laptop::Laptop,
    options::{GlobalOptions, ServerOptions},
    progress::{self, Display},
    server_file,
};

/// Destination of tool calls.
pub(crate) enum ToolBackend {
    Running(ServerClient),
    InProcess(Box<Laptop>),
}

impl ToolBackend {
    /// Returns the running server if there is one. Otherwise indexes the repositories below `roots` in this process,
    /// and waits until that is done.
    pub(crate) async fn find(
        server: &ServerOptions,
        roots: Vec<PathBuf>,
        global: &GlobalOptions,
    ) -> anyhow::Result<ToolBackend> {
        if let Some(running) = running_server(server, global)? {
            return Ok(ToolBackend::Running(running));
        }
        let mut display = if global.json { Display::Silent } else { Display::for_stderr() };
        let laptop = Laptop::start(&data::folder(global)?, &roots, config::laptop(global, None)?).await?;
        progress::until_indexed(&laptop, &mut display).await?;
        laptop.until_settled().await;
        Ok(ToolBackend::InProcess(Box::new(laptop)))
    }

    /// Calls a tool.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> anyhow::Result<ToolCallResult> {
        match self {
            ToolBackend::Running(server) => server.call(tool, arguments).await,
            ToolBackend::InProcess(laptop) => {
                let result = laptop.gateway.call(&Principal::local(), tool, arguments).await;
                Ok(ToolCallResult { text: result.text, structured: result.structured, is_error: result.is_error })
            }
        }
    }

    pub(crate) async fn close(self) -> anyhow::Result<()> {
        match self {
            ToolBackend::Running(_) => Ok(()),
            ToolBackend::InProcess(laptop) => laptop.shutdown().await,
        }
    }
}

/// Returns a client of the server of `--url`, or of the server on the data folder.
pub(crate) fn running_server(server: &ServerOptions, global: &GlobalOptions) -> anyhow::Result<Option<ServerClient>> {
    let url = match &server.url {
        Some(url) => Some(url.clone()),
        None => server_file::find(&data::folder(global)?).map(|running| running.url),
    };
    Ok(url.map(|url| ServerClient::new(&url, server.token.clone())).transpose()?)
}

/// Returns the same client, or an error if no server is running.
pub(crate) fn require_server(server: &ServerOptions, global: &GlobalOptions) -> anyhow::Result<ServerClient> {
    let found = running_server(server, global)?;
    let folder = data::folder(global)?;
    found.ok_or_else(|| {
        let message = format!(
            "no server runs on the data folder `{}`: start one with `causeway up PATH`, or name one with --url",
            folder.display()
        );
        CommandError::new(Exit::Unreachable, message).into()
    })
}
