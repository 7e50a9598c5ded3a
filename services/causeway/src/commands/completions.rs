//! `causeway completions` and `causeway man`: files for shells and `man`, made from the command line itself.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::{cli::Cli, exit::Exit, output::print};

const COMPLETIONS_EXAMPLE: &str = "\
Example:
  causeway completions bash > ~/.local/share/bash-completion/completions/causeway
  causeway completions zsh > ~/.zfunc/_causeway
  causeway completions fish > ~/.config/fish/completions/causeway.fish";

const MAN_EXAMPLE: &str = "\
Example:
  causeway man ~/.local/share/man/man1";

#[derive(Debug, clap::Args)]
#[command(after_help = COMPLETIONS_EXAMPLE)]
pub(crate) struct CompletionsArgs {
    shell: Shell,
}

#[derive(Debug, clap::Args)]
#[command(after_help = MAN_EXAMPLE)]
pub(crate) struct ManArgs {
    /// Folder for the pages
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Prints the completions of a shell.
pub(crate) fn completions(args: &CompletionsArgs) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "causeway", &mut script);
    print(String::from_utf8(script)?.trim_end())?;
    Ok(Exit::Done)
}

/// Writes a page of the manual for the program and for each subcommand.
pub(crate) fn man(args: &ManArgs) -> anyhow::Result<Exit> {
    let failed = || format!("cannot write pages to `{}`", args.folder.display());
    std::fs::create_dir_all(&args.folder).with_context(failed)?;
    clap_mangen::generate_to(Cli::command(), &args.folder).with_context(failed)?;
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page() {
        let folder = tempfile::tempdir().unwrap();
        man(&ManArgs { folder: folder.path().to_owned() }).unwrap();
        for page in ["causeway.1", "causeway-up.1", "causeway-setup.1"] {
            assert!(folder.path().join(page).is_file(), "{page}");
        }
    }
}
