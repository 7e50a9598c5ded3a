//! `causeway mcp`: serves MCP over standard input and output, which carries nothing else.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

use anyhow::Context as _;
use gateway::Profile;

use crate::{
    backend, bridge, config, data,
    exit::Exit,
    laptop::Laptop,
    options::{GlobalOptions, ServerOptions, ViewsOption, or_current_folder},
    server_file,
};

const EXAMPLE: &str = "\
Example:
  causeway mcp ~/code
  causeway mcp --url http://127.0.0.1:7474/mcp
  claude mcp add causeway -- causeway mcp ~/code

Forwards messages to the server of --url, or to the server on the data folder. If there is none, this process indexes
and serves, and later processes on the same data folder forward their messages to it.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct McpArgs {
    /// Folders with repositories, if no server is running [default: the current folder]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    server: ServerOptions,
    #[command(flatten)]
    views: ViewsOption,
    /// Tools to list: all, or five that cost fewer tokens [default: full]
    #[arg(long, value_name = "PROFILE", value_parser = ["full", "lean"], hide_default_value = true, default_value = "full")]
    profile: String,
}

pub(crate) async fn run(args: McpArgs, global: &GlobalOptions) -> anyhow::Result<Exit> {
    let stop = super::serving::stop_on_signal(Duration::ZERO)?;
    let serving = serve(args, global);
    match stop.run_until_cancelled(serving).await {
        Some(served) => served.map(|()| Exit::Done),
        None => Ok(Exit::Done),
    }
}

async fn serve(args: McpArgs, global: &GlobalOptions) -> anyhow::Result<()> {
    let profile = Profile::parse(&args.profile)?;
    if let Some(server) = backend::running_server(&args.server, global)? {
        tracing::info!(url = server.url(), "forwarding messages");
        return bridge::run(server, args.server, profile, global).await;
    }
    let any_port = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let config = config::laptop(global, Some(any_port))?.with_views(args.views.chosen());
    let listener = super::serving::listen(config.listen()).await?;
    let url = format!("http://{}/mcp", listener.local_addr()?);
    let data = data::folder(global)?;
    let config = config.with_default_state(data::gateway_folder(&data));
    let laptop = Laptop::start(&data, &or_current_folder(args.paths), config).await?;
    let server_file = laptop.write_server_file(&data, &url)?;
    laptop.until_settled().await;
    tokio::select! {
        served = laptop.gateway.serve_stdio(profile) => served?,
        served = laptop.gateway.serve_http(listener, std::future::pending()) => served.context("serving HTTP failed")?,
        () = server_file::keep(server_file.as_ref()) => {}
    }
    drop(server_file);
    laptop.shutdown().await
}
