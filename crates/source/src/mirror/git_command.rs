//! Runs `git` with a deadline, in its own process group, and in an environment in which it never prompts.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    io::Read,
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process_group};

use super::{Credential, MirrorError, RemoteUrl, remote::Scheme, stderr};

/// Interval at which a running process is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Time to wait for the output after the process has exited: one of its children may keep the pipe open.
const OUTPUT_GRACE: Duration = Duration::from_secs(2);

/// Maximum bytes kept of each output stream. All messages and lists of `git` are far shorter.
const MAX_OUTPUT_BYTES: u64 = 1 << 20;

/// Variables of `git` that are passed on: they configure certificates, keys and the user's configuration. All others are
/// removed, since they could redirect it to another repository, or log the transferred data.
const ALLOWED_GIT_VARIABLES: &[&str] = &[
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "GIT_EXEC_PATH",
    "GIT_PROXY_SSL_CAINFO",
    "GIT_PROXY_SSL_CERT",
    "GIT_PROXY_SSL_KEY",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_SSH_VARIANT",
    "GIT_SSL_CAINFO",
    "GIT_SSL_CAPATH",
    "GIT_SSL_CERT",
    "GIT_SSL_KEY",
];

/// Configuration of every run. A transfer below 1,000 bytes a second for half a minute counts as stalled.
const GIT_SETTINGS: &[(&str, &str)] = &[
    ("core.hooksPath", "/dev/null"),
    ("core.askPass", ""),
    ("core.fsmonitor", "false"),
    ("gc.autoDetach", "false"),
    ("maintenance.autoDetach", "false"),
    ("http.lowSpeedLimit", "1000"),
    ("http.lowSpeedTime", "30"),
];

/// Options of ssh: never prompt, and detect a dead connection.
const SSH_OPTIONS: &str = "-oBatchMode=yes -oConnectTimeout=20 -oServerAliveInterval=15 -oServerAliveCountMax=3";

/// Runs `git` commands for one remote.
pub(super) struct GitCommand<'a> {
    url: &'a RemoteUrl,
    /// The folder of the mirror. Never part of an error.
    folder: PathBuf,
    environment: BTreeMap<OsString, OsString>,
    is_stopped: &'a dyn Fn() -> bool,
}

impl<'a> GitCommand<'a> {
    pub(super) fn new(
        url: &'a RemoteUrl,
        credential: Option<&Credential>,
        folder: &Path,
        is_stopped: &'a dyn Fn() -> bool,
    ) -> Result<GitCommand<'a>, MirrorError> {
        credential.map_or(Ok(()), Credential::check)?;
        Ok(GitCommand { url, folder: folder.to_owned(), environment: environment(url, credential), is_stopped })
    }

    /// Runs a command in a mirror, and returns its standard output.
    pub(super) fn run_in(
        &self,
        folder: &Path,
        action: &'static str,
        arguments: &[&str],
        deadline: Duration,
    ) -> Result<String, MirrorError> {
        let git_dir = [OsStr::new("--git-dir"), folder.as_os_str()];
        let arguments: Vec<&OsStr> = git_dir.into_iter().chain(arguments.iter().map(OsStr::new)).collect();
        self.run(action, &arguments, deadline)
    }

    /// Runs a command, and returns its standard output.
    pub(super) fn run(
        &self,
        action: &'static str,
        arguments: &[&OsStr],
        deadline: Duration,
    ) -> Result<String, MirrorError> {
        let mut command = Command::new("git");
        command.args(arguments).env_clear().envs(&self.environment).process_group(0);
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut process = GitProcess(child.map_err(MirrorError::NoGit)?);
        let (sender, streams) = mpsc::channel();
        let stdout = process.0.stdout.take();
        let stderr = process.0.stderr.take();
        spawn_reader(Stream::Out, stdout, sender.clone());
        spawn_reader(Stream::Err, stderr, sender);
        let (status, mut outputs) = self.wait(&mut process, &streams, action, deadline)?;
        let output_deadline = Instant::now() + OUTPUT_GRACE;
        while let Ok((stream, bytes)) = streams.recv_timeout(output_deadline.saturating_duration_since(Instant::now()))
        {
            outputs.insert(stream, bytes);
        }
        let text = |stream| String::from_utf8_lossy(outputs.get(&stream).map_or(&[], Vec::as_slice)).into_owned();
        if status.success() {
            return Ok(text(Stream::Out));
        }
        Err(MirrorError::Refused { action, reason: stderr::one_line(&text(Stream::Err), self.url, &self.folder) })
    }

    fn wait(
        &self,
        process: &mut GitProcess,
        streams: &mpsc::Receiver<(Stream, Vec<u8>)>,
        action: &'static str,
        deadline: Duration,
    ) -> Result<(ExitStatus, BTreeMap<Stream, Vec<u8>>), MirrorError> {
        let (began, mut outputs) = (Instant::now(), BTreeMap::new());
        loop {
            if let Some(status) = process.0.try_wait()? {
                return Ok((status, outputs));
            }
            if (self.is_stopped)() {
                return Err(MirrorError::Stopped);
            }
            if began.elapsed() > deadline {
                return Err(MirrorError::DeadlineExceeded { action, seconds: deadline.as_secs() });
            }
            match streams.recv_timeout(POLL_INTERVAL) {
                Ok((stream, bytes)) => drop(outputs.insert(stream, bytes)),
                Err(RecvTimeoutError::Timeout) => {}
                // Both streams are closed: the process is about to exit.
                Err(RecvTimeoutError::Disconnected) => thread::sleep(Duration::from_millis(1)),
            }
        }
    }
}

fn environment(url: &RemoteUrl, credential: Option<&Credential>) -> BTreeMap<OsString, OsString> {
    let is_allowed = |name: &OsString| {
        let name = name.to_string_lossy();
        !name.starts_with("GIT_") || ALLOWED_GIT_VARIABLES.contains(&&*name)
    };
    let mut variables: BTreeMap<OsString, OsString> =
        std::env::vars_os().filter(|(name, _)| is_allowed(name)).collect();
    let mut settings: Vec<(String, String)> =
        GIT_SETTINGS.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let mut overrides: Vec<(String, String)> = Vec::new();
    if let Some(credential) = credential {
        let (token_settings, environment) = credential.configuration(url);
        settings.extend(token_settings);
        overrides.extend(environment.into_iter().map(|(name, value)| (name.to_owned(), value)));
    }
    let protocol = match url.scheme() {
        Scheme::Https => "https",
        Scheme::Http => "http",
        Scheme::Ssh => "ssh",
        Scheme::File => "file",
    };
    let ssh = ["GIT_SSH_COMMAND", "GIT_SSH"].iter().find_map(|name| std::env::var(name).ok());
    let ssh = format!("{} {SSH_OPTIONS}", ssh.as_deref().unwrap_or("ssh"));
    let fixed = [
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_OPTIONAL_LOCKS", "0"),
        ("GIT_DEFAULT_REF_FORMAT", "files"),
        ("GIT_DEFAULT_HASH", "sha1"),
        ("SSH_ASKPASS_REQUIRE", "never"),
        ("LC_ALL", "C"),
        // Refuses a redirection to another protocol.
        ("GIT_ALLOW_PROTOCOL", protocol),
        ("GIT_SSH_COMMAND", &ssh),
    ];
    overrides.extend(fixed.map(|(name, value)| (name.to_owned(), value.to_owned())));
    overrides.push(("GIT_CONFIG_COUNT".to_owned(), settings.len().to_string()));
    for (idx, (key, value)) in settings.into_iter().enumerate() {
        overrides.extend([(format!("GIT_CONFIG_KEY_{idx}"), key), (format!("GIT_CONFIG_VALUE_{idx}"), value)]);
    }
    variables.extend(overrides.into_iter().map(|(name, value)| (name.into(), value.into())));
    variables
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stream {
    Out,
    Err,
}

/// Reads a stream to its end in a thread. The thread ends when the process and its children close the stream.
fn spawn_reader(stream: Stream, source: Option<impl Read + Send + 'static>, sender: mpsc::Sender<(Stream, Vec<u8>)>) {
    let Some(mut source) = source else { return };
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // An unreadable stream counts as empty.
        let _ = source.by_ref().take(MAX_OUTPUT_BYTES).read_to_end(&mut bytes);
        let _ = std::io::copy(&mut source, &mut std::io::sink());
        let _ = sender.send((stream, bytes));
    });
}

/// A child process. Dropping it kills its process group unless it has exited.
struct GitProcess(Child);

impl Drop for GitProcess {
    fn drop(&mut self) {
        if matches!(self.0.try_wait(), Ok(Some(_))) {
            return;
        }
        // An error means that the process group does not exist any more.
        let _ = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
        let _ = self.0.wait();
    }
}
