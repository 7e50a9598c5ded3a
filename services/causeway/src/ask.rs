//! Whoever answers a question: the server that runs on the data folder, or both tiers in this process.

use std::path::PathBuf;

use gateway::Principal;
use serde_json::Value;

use crate::{
    cli::{Global, ServerArgs},
    client::{Answered, Server},
    config, data,
    exit::{Exit, Failure},
    laptop::Laptop,
    progress::{self, Display},
    server_file,
};

/// Where answers come from.
pub(crate) enum Source {
    Running(Server),
    InProcess(Box<Laptop>),
}

impl Source {
    /// Returns the running server, or else indexes what is below `roots`, and waits until that is done.
    pub(crate) async fn find(server: &ServerArgs, roots: Vec<PathBuf>, global: &Global) -> anyhow::Result<Source> {
        if let Some(running) = running_server(server, global)? {
            return Ok(Source::Running(running));
        }
        let mut display = if global.json { Display::Silent } else { Display::for_stderr() };
        let laptop = Laptop::start(&data::folder(global)?, &roots, config::laptop(global, None)?).await?;
        progress::until_indexed(&laptop, &mut display).await?;
        laptop.settled().await;
        Ok(Source::InProcess(Box::new(laptop)))
    }

    /// Calls a tool.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> anyhow::Result<Answered> {
        match self {
            Source::Running(server) => server.call(tool, arguments).await,
            Source::InProcess(laptop) => {
                let result = laptop.gateway.call(&Principal::local(), tool, arguments).await;
                Ok(Answered { text: result.text, structured: result.structured, is_error: result.is_error })
            }
        }
    }

    pub(crate) async fn close(self) -> anyhow::Result<()> {
        match self {
            Source::Running(_) => Ok(()),
            Source::InProcess(laptop) => laptop.shutdown().await,
        }
    }
}

/// Returns the server that is named, or that runs on the data folder.
pub(crate) fn running_server(server: &ServerArgs, global: &Global) -> anyhow::Result<Option<Server>> {
    let url = match &server.url {
        Some(url) => Some(url.clone()),
        None => server_file::find(&data::folder(global)?).map(|running| running.url),
    };
    Ok(url.map(|url| Server::at(&url, server.token.clone())).transpose()?)
}

/// Returns the same; that there is none is an error.
pub(crate) fn require_server(server: &ServerArgs, global: &Global) -> anyhow::Result<Server> {
    let found = running_server(server, global)?;
    let folder = data::folder(global)?;
    found.ok_or_else(|| {
        let message = format!(
            "no server runs on the data folder `{}`: start one with `causeway up PATH`, or name one with --url",
            folder.display()
        );
        Failure::new(Exit::Unreachable, message).into()
    })
}
