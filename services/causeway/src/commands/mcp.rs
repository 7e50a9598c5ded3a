//! `causeway mcp`: MCP over standard input and output, and nothing else there.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
};

use anyhow::Context as _;

use crate::{
    ask, bridge,
    cli::{Global, ServerArgs, or_current_folder},
    config, data,
    exit::Exit,
    laptop::Laptop,
    server_file::ServerFile,
};

const EXAMPLE: &str = "\
Example:
  causeway mcp ~/code
  causeway mcp --url http://127.0.0.1:7474/mcp
  claude mcp add causeway -- causeway mcp ~/code

Passes messages on to the server that runs on the data folder, or that --url names. Where there is none, this process
indexes and answers by itself, and others that start on the same data folder pass their messages on to it.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Args {
    /// Folders that hold repositories, where no server runs yet [default: the current folder]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    server: ServerArgs,
}

pub(crate) async fn run(args: Args, global: &Global) -> anyhow::Result<Exit> {
    let stop = super::up::stop_on_signal();
    let serving = serve(args, global);
    match stop.run_until_cancelled(serving).await {
        Some(served) => served.map(|()| Exit::Done),
        None => Ok(Exit::Done),
    }
}

async fn serve(args: Args, global: &Global) -> anyhow::Result<()> {
    if let Some(server) = ask::running_server(&args.server, global)? {
        tracing::info!(url = server.url(), "passing messages on");
        return bridge::run(server, args.server, global).await;
    }
    let any_port = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let config = config::laptop(global, Some(any_port))?;
    let listener = super::up::listen(config.listen()).await?;
    let url = format!("http://{}/mcp", listener.local_addr()?);
    let data = data::folder(global)?;
    let config = config.with_state_in(data::of_gateway(&data));
    let laptop = Laptop::start(&data, &or_current_folder(args.paths), config).await?;
    let announced = ServerFile::write(&data, &url).context("cannot write server.json into the data folder")?;
    laptop.settled().await;
    tokio::select! {
        served = laptop.gateway.serve_stdio() => served?,
        served = laptop.gateway.serve_http(listener, std::future::pending()) => served.context("serving HTTP failed")?,
    }
    drop(announced);
    laptop.shutdown().await
}
