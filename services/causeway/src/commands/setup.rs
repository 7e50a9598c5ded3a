//! `causeway setup`: writes the configuration of MCP clients, and optionally instructions, hooks and a service.

use std::{
    io::{self, BufRead as _, IsTerminal as _},
    path::{Path, PathBuf},
};

use http::Uri;
use serde::Serialize;

use crate::{
    exit::{CommandError, Exit},
    options::{GlobalOptions, or_current_folder},
    output::{print, print_json},
    program, server_file,
    setup::{
        change::{self, PlannedChange},
        client::{self, CLIENTS, ClientId, ClientSpec},
        entry::{self, ClientTransport},
        file_edit::FileEdit,
        hooks::{HOOKS_FILE, HookCommand},
        instructions::{INSTRUCTION_FILES, INSTRUCTIONS},
        service::{self, Service},
        user_folders::UserFolders,
    },
};

const EXAMPLE: &str = "\
Example:
  causeway setup                          find the clients, ask, and write their configuration
  causeway setup cursor --dry-run         print the change only
  causeway setup --yes --stdio --path ~/code
  causeway setup --service --path ~/code  also run the server as a service of the user
  causeway setup --undo                   restore all files";

/// Default address of `causeway up`.
const DEFAULT_URL: &str = "http://127.0.0.1:7474/mcp";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct SetupArgs {
    /// Clients to configure [default: the installed ones]
    #[arg(value_name = "CLIENT")]
    clients: Vec<ClientId>,
    /// Address of the server [default: that of the server on the data folder, or http://127.0.0.1:7474/mcp]
    #[arg(long, value_name = "URL", conflicts_with = "stdio")]
    url: Option<String>,
    /// Let the client start `causeway mcp`
    #[arg(long)]
    stdio: bool,
    /// Folder with repositories for --stdio and --service, may be repeated
    #[arg(long = "path", value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Send the token from the environment variable CAUSEWAY_TOKEN
    #[arg(long, conflicts_with = "stdio")]
    with_token: bool,
    /// Add a block for agents to this file, such as AGENTS.md; may be repeated
    #[arg(long, value_name = "FILE")]
    instructions: Vec<PathBuf>,
    /// Add hooks to Claude Code: users of a file before an edit, context of a symbol after a search
    #[arg(long)]
    hooks: bool,
    /// Write a service of the user that runs `causeway up` (systemd or launchd)
    #[arg(long)]
    service: bool,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
    /// Print the changes only
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
    /// Restore the files
    #[arg(long)]
    undo: bool,
}

/// One file of the set-up.
struct SetupStep {
    title: String,
    path: PathBuf,
    edit: FileEdit,
    /// Command to run after the change.
    then: Option<&'static str>,
}

/// Result of one step, for `--json`.
#[derive(Debug, Serialize)]
struct StepReport {
    title: String,
    file: String,
    state: StepState,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum StepState {
    Changed,
    Unchanged,
    Planned,
    Declined,
    Failed,
}

pub(crate) fn run(args: &SetupArgs, global: &GlobalOptions) -> anyhow::Result<Exit> {
    let is_interactive = io::stdin().is_terminal() && !global.json;
    if !is_interactive && !args.yes && !args.dry_run {
        let message = "setup asks before it writes, and there is no terminal: pass --yes or --dry-run";
        return Err(CommandError::new(Exit::Usage, message).into());
    }
    let folders = UserFolders::of_this_user()?;
    let steps = steps(args, global, &folders)?;
    if steps.is_empty() && !args.undo {
        let names: Vec<&str> = CLIENTS.iter().map(|client| client.title).collect();
        let message = format!("none of these clients is installed: {}; name one to configure it", names.join(", "));
        return Err(CommandError::new(Exit::Failed, message).into());
    }
    let mut reports = Vec::new();
    for step in &steps {
        let report = run_step(step, args, &folders)?;
        let is_silent = global.json || (args.undo && report.state == StepState::Unchanged);
        if !is_silent {
            print(&report.line())?;
        }
        reports.push(report);
    }
    if global.json {
        print_json(&reports)?;
    } else if args.undo && reports.iter().all(|report| report.state == StepState::Unchanged) {
        print("there is nothing to undo")?;
    }
    let has_failed = reports.iter().any(|report| report.state == StepState::Failed);
    Ok(if has_failed { Exit::Failed } else { Exit::Done })
}

fn steps(args: &SetupArgs, global: &GlobalOptions, folders: &UserFolders) -> anyhow::Result<Vec<SetupStep>> {
    if let Some(url) = &args.url {
        check_url(url)?;
    }
    let transport = transport(args, global);
    let chosen: Vec<&ClientSpec> = match &args.clients[..] {
        // An undo also covers a client that is no longer installed.
        [] => CLIENTS.iter().filter(|client| args.undo || client.is_installed(folders)).collect(),
        ids => ids.iter().map(|id| client::spec(*id)).collect(),
    };
    let mut steps: Vec<SetupStep> = chosen.into_iter().map(|one| client_step(one, &transport, folders)).collect();
    let undoes_all = args.undo && args.clients.is_empty();
    steps.extend(instruction_files(args, undoes_all).into_iter().map(|path| SetupStep {
        title: "instructions for agents".to_owned(),
        path,
        edit: FileEdit::ManagedBlock(INSTRUCTIONS.to_owned()),
        then: None,
    }));
    if args.hooks || undoes_all {
        steps.push(SetupStep {
            title: "hooks of Claude Code".to_owned(),
            path: folders.expand(HOOKS_FILE),
            edit: FileEdit::Hooks(hook_command(args, global)),
            then: None,
        });
    }
    if args.service || undoes_all {
        match service::service(folders, &service_command(args, global)) {
            Ok(service) => steps.push(service_step(service, args.undo)),
            Err(_) if undoes_all => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(steps)
}

/// Returns the files of `--instructions`. Without it, files of the current folder are offered, but never changed unasked.
fn instruction_files(args: &SetupArgs, undoes_all: bool) -> Vec<PathBuf> {
    let is_offered = args.instructions.is_empty() && args.clients.is_empty() && (undoes_all || !args.yes);
    let offered = INSTRUCTION_FILES.iter().filter(|file| is_offered && Path::new(file).is_file()).map(PathBuf::from);
    args.instructions.iter().cloned().chain(offered).collect()
}

fn client_step(client: &ClientSpec, transport: &ClientTransport, folders: &UserFolders) -> SetupStep {
    let entry = entry::entry(client.notation, transport, &program::command());
    SetupStep {
        title: client.title.to_owned(),
        path: client.file(folders),
        edit: FileEdit::ServerEntry { format: client.format, servers_key: client.servers_key, entry },
        then: None,
    }
}

fn service_step(service: Service, is_undo: bool) -> SetupStep {
    SetupStep {
        title: "service".to_owned(),
        path: service.file,
        edit: FileEdit::WholeFile(service.content),
        then: Some(if is_undo { service.stop } else { service.start }),
    }
}

fn run_step(step: &SetupStep, args: &SetupArgs, folders: &UserFolders) -> io::Result<StepReport> {
    let report =
        |state, detail| StepReport { title: step.title.clone(), file: folders.display(&step.path), state, detail };
    let planned =
        if args.undo { change::plan_undo(&step.path, &step.edit) } else { change::plan(&step.path, &step.edit) };
    let change = match planned {
        Ok(Some(change)) => change,
        Ok(None) => return Ok(report(StepState::Unchanged, None)),
        Err(error) => return Ok(report(StepState::Failed, Some(error.to_string()))),
    };
    if args.dry_run {
        return Ok(report(StepState::Planned, Some(change.diff())));
    }
    if !args.yes && !is_confirmed(step, &change, folders)? {
        return Ok(report(StepState::Declined, None));
    }
    let then = step.then.map(|command| format!("now run: {command}"));
    Ok(match change.execute() {
        Ok(()) => report(StepState::Changed, then),
        Err(error) => report(StepState::Failed, Some(error.to_string())),
    })
}

fn is_confirmed(step: &SetupStep, change: &PlannedChange, folders: &UserFolders) -> io::Result<bool> {
    let action = if change.removes_file() { "remove" } else { "change" };
    print(&format!("{}\n{}: {action} {}? [y/N]", change.diff(), step.title, folders.display(&step.path)))?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(["y", "yes"].contains(&answer.trim().to_lowercase().as_str()))
}

impl StepReport {
    fn line(&self) -> String {
        let state = match self.state {
            StepState::Changed => "changed",
            StepState::Unchanged => "already set up",
            StepState::Planned => "would change",
            StepState::Declined => "not changed",
            StepState::Failed => "failed",
        };
        let detail = self.detail.as_ref().map(|detail| format!("\n{detail}")).unwrap_or_default();
        format!("{}: {state}: {}{detail}", self.title, self.file)
    }
}

fn transport(args: &SetupArgs, global: &GlobalOptions) -> ClientTransport {
    if args.stdio {
        let paths = args.paths.iter().map(|path| absolute(path));
        let arguments = std::iter::once("mcp".to_owned()).chain(shared_options(global)).chain(paths);
        return ClientTransport::Stdio { arguments: arguments.collect() };
    }
    let running = || Some(server_file::find(&crate::data::folder(global).ok()?)?.url);
    let url = args.url.clone().or_else(running).unwrap_or_else(|| DEFAULT_URL.to_owned());
    ClientTransport::Http { url, with_token: args.with_token }
}

/// Returns the command line of the service. A service has no `PATH` of a shell.
fn service_command(args: &SetupArgs, global: &GlobalOptions) -> Vec<String> {
    let paths = or_current_folder(args.paths.clone()).into_iter().map(|path| absolute(&path));
    program::command().into_iter().chain(["up".to_owned()]).chain(shared_options(global)).chain(paths).collect()
}

/// Returns the command of the hooks, which talks to the same server as the clients.
fn hook_command(args: &SetupArgs, global: &GlobalOptions) -> HookCommand {
    let url = args.url.iter().flat_map(|url| ["--url".to_owned(), url.clone()]);
    HookCommand { program: program::command(), options: shared_options(global).chain(url).collect() }
}

/// Rejects a text that clients could not connect to.
fn check_url(url: &str) -> Result<(), CommandError> {
    let uri = url.parse::<Uri>().ok();
    let is_address = uri.is_some_and(|uri| {
        matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some_and(|host| !host.is_empty())
    });
    if is_address {
        return Ok(());
    }
    let message = format!("`{url}` is not the address of a server: write it like {DEFAULT_URL}");
    Err(CommandError::new(Exit::Usage, message))
}

fn shared_options(global: &GlobalOptions) -> impl Iterator<Item = String> {
    let data = global.data.iter().flat_map(|data| ["--data".to_owned(), absolute(data)]);
    let config = global.config.iter().flat_map(|config| ["--config".to_owned(), absolute(config)]);
    data.chain(config)
}

/// Returns an absolute path, since clients start in other folders.
fn absolute(path: &Path) -> String {
    let path = path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned());
    path.display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_checked() {
        for url in ["http://127.0.0.1:7474/mcp", "https://code.example/mcp", "http://[::1]:7474"] {
            assert!(check_url(url).is_ok(), "{url}");
        }
        for url in ["not a url", "", "localhost:7474", "127.0.0.1", "http://", "file:///etc", "ftp://code.example"] {
            let error = check_url(url).unwrap_err();
            assert!(error.exit == Exit::Usage && error.message.contains("like http://"), "{url}: {error}");
        }
    }

    #[test]
    fn hooks_talk_to_the_server_of_the_clients() {
        #[derive(Debug, clap::Parser)]
        struct Parsed {
            #[command(flatten)]
            setup: SetupArgs,
        }
        use clap::Parser as _;
        let parsed = Parsed::parse_from(["setup", "--hooks", "--url", "http://127.0.0.1:1/mcp"]);
        let global = GlobalOptions { data: Some(PathBuf::from("/my data")), ..GlobalOptions::default() };
        let command = hook_command(&parsed.setup, &global);
        assert_eq!(command.options, ["--data", "/my data", "--url", "http://127.0.0.1:1/mcp"]);
        assert!(Parsed::try_parse_from(["setup", "--stdio", "--with-token"]).is_err(), "no token would be sent");
    }
}
