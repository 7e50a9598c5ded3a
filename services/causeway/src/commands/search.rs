//! later
#[derive(Debug, clap::Args)]
#[command(after_help = "causeway search")]
pub(crate) struct Args {}
pub(crate) async fn run(_args: Args, _global: &crate::cli::Global) -> anyhow::Result<crate::exit::Exit> {
    anyhow::bail!("later")
}
