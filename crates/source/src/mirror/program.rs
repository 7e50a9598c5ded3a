//! Runs `git`: with a deadline, in a process group of its own, and in an environment in which it asks nobody.

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

use super::{Credential, MirrorError, RemoteUrl, remote::Scheme, said};

/// How often a running program is looked after.
const LOOK_INTERVAL: Duration = Duration::from_millis(20);

/// How long the last words of a program that has ended are waited for: something that it started may hold the pipe.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Bytes of each stream that are kept, far more than any sentence of `git`; the lists asked for are of a few lines.
const MAX_OUTPUT_BYTES: u64 = 1 << 20;

/// Variables of `git` that stay as they are: they say where certificates, keys and the user's configuration lie. All others
/// could lead it to another repository, or have it write down what it sends.
const KEPT_VARIABLES: &[&str] = &[
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

/// What is configured for every run. A transfer below 1,000 bytes in a second for half a minute stands still.
const SETTINGS: &[(&str, &str)] = &[
    ("core.hooksPath", "/dev/null"),
    ("core.askPass", ""),
    ("core.fsmonitor", "false"),
    ("gc.autoDetach", "false"),
    ("maintenance.autoDetach", "false"),
    ("http.lowSpeedLimit", "1000"),
    ("http.lowSpeedTime", "30"),
];

/// What ssh is told: to ask nobody, and to notice when the other side is gone.
const SSH_OPTIONS: &str = "-oBatchMode=yes -oConnectTimeout=20 -oServerAliveInterval=15 -oServerAliveCountMax=3";

/// `git`, as it is run for one remote.
pub(super) struct Program<'a> {
    url: &'a RemoteUrl,
    /// Where the mirror lies; never told.
    folder: PathBuf,
    variables: BTreeMap<OsString, OsString>,
    stopped: &'a dyn Fn() -> bool,
}

impl<'a> Program<'a> {
    pub(super) fn new(
        url: &'a RemoteUrl,
        credential: Option<&Credential>,
        folder: &Path,
        stopped: &'a dyn Fn() -> bool,
    ) -> Result<Program<'a>, MirrorError> {
        credential.map_or(Ok(()), Credential::check)?;
        Ok(Program { url, folder: folder.to_owned(), variables: variables(url, credential), stopped })
    }

    /// Runs it in a mirror, and returns what it printed.
    pub(super) fn run_in(
        &self,
        folder: &Path,
        action: &'static str,
        arguments: &[&str],
        deadline: Duration,
    ) -> Result<String, MirrorError> {
        let own = [OsStr::new("--git-dir"), folder.as_os_str()];
        let arguments: Vec<&OsStr> = own.into_iter().chain(arguments.iter().map(OsStr::new)).collect();
        self.run(action, &arguments, deadline)
    }

    /// Runs it, and returns what it printed.
    pub(super) fn run(
        &self,
        action: &'static str,
        arguments: &[&OsStr],
        deadline: Duration,
    ) -> Result<String, MirrorError> {
        let mut command = Command::new("git");
        command.args(arguments).env_clear().envs(&self.variables).process_group(0);
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut running = Running(child.map_err(MirrorError::NoGit)?);
        let (sender, streams) = mpsc::channel();
        let stdout = running.0.stdout.take();
        let stderr = running.0.stderr.take();
        read(Stream::Out, stdout, sender.clone());
        read(Stream::Err, stderr, sender);
        let (status, mut told) = self.watch(&mut running, &streams, action, deadline)?;
        let last_words = Instant::now() + LAST_WORDS;
        while let Ok((stream, bytes)) = streams.recv_timeout(last_words.saturating_duration_since(Instant::now())) {
            told.insert(stream, bytes);
        }
        let text = |stream| String::from_utf8_lossy(told.get(&stream).map_or(&[], Vec::as_slice)).into_owned();
        if status.success() {
            return Ok(text(Stream::Out));
        }
        Err(MirrorError::Refused { action, said: said::one_line(&text(Stream::Err), self.url, &self.folder) })
    }

    fn watch(
        &self,
        running: &mut Running,
        streams: &mpsc::Receiver<(Stream, Vec<u8>)>,
        action: &'static str,
        deadline: Duration,
    ) -> Result<(ExitStatus, BTreeMap<Stream, Vec<u8>>), MirrorError> {
        let (began, mut told) = (Instant::now(), BTreeMap::new());
        loop {
            if let Some(status) = running.0.try_wait()? {
                return Ok((status, told));
            }
            if (self.stopped)() {
                return Err(MirrorError::Stopped);
            }
            if began.elapsed() > deadline {
                return Err(MirrorError::TooLong { action, seconds: deadline.as_secs() });
            }
            match streams.recv_timeout(LOOK_INTERVAL) {
                Ok((stream, bytes)) => drop(told.insert(stream, bytes)),
                Err(RecvTimeoutError::Timeout) => {}
                // It has said all, and is about to end.
                Err(RecvTimeoutError::Disconnected) => thread::sleep(Duration::from_millis(1)),
            }
        }
    }
}

fn variables(url: &RemoteUrl, credential: Option<&Credential>) -> BTreeMap<OsString, OsString> {
    let is_kept = |name: &OsString| {
        let name = name.to_string_lossy();
        !name.starts_with("GIT_") || KEPT_VARIABLES.contains(&&*name)
    };
    let mut variables: BTreeMap<OsString, OsString> = std::env::vars_os().filter(|(name, _)| is_kept(name)).collect();
    let mut settings: Vec<(String, String)> =
        SETTINGS.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let mut own: Vec<(String, String)> = Vec::new();
    if let Some(credential) = credential {
        let (of_token, environment) = credential.configuration(url);
        settings.extend(of_token);
        own.extend(environment.into_iter().map(|(name, value)| (name.to_owned(), value)));
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
        // A redirection to any other way is refused.
        ("GIT_ALLOW_PROTOCOL", protocol),
        ("GIT_SSH_COMMAND", &ssh),
    ];
    own.extend(fixed.map(|(name, value)| (name.to_owned(), value.to_owned())));
    own.push(("GIT_CONFIG_COUNT".to_owned(), settings.len().to_string()));
    for (idx, (key, value)) in settings.into_iter().enumerate() {
        own.extend([(format!("GIT_CONFIG_KEY_{idx}"), key), (format!("GIT_CONFIG_VALUE_{idx}"), value)]);
    }
    variables.extend(own.into_iter().map(|(name, value)| (name.into(), value.into())));
    variables
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stream {
    Out,
    Err,
}

/// Reads a stream to its end. The thread ends with the program, and with what that started in its group.
fn read(stream: Stream, source: Option<impl Read + Send + 'static>, sender: mpsc::Sender<(Stream, Vec<u8>)>) {
    let Some(mut source) = source else { return };
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What cannot be read was not said.
        let _ = source.by_ref().take(MAX_OUTPUT_BYTES).read_to_end(&mut bytes);
        let _ = std::io::copy(&mut source, &mut std::io::sink());
        let _ = sender.send((stream, bytes));
    });
}

/// A program that is killed with all that it started, unless it has come to its end.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        if matches!(self.0.try_wait(), Ok(Some(_))) {
            return;
        }
        // An error means that it is gone.
        let _ = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
        let _ = self.0.wait();
    }
}
