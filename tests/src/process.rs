//! Processes of the `causeway` binary.

use std::{
    ffi::OsStr,
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{LazyLock, mpsc},
    thread,
    time::Instant,
};

use crate::PATIENCE;

/// Returns the path of the binary, which cargo built for the tests, in the parent folder of the tests.
pub fn binary() -> &'static Path {
    static BINARY: LazyLock<PathBuf> = LazyLock::new(|| {
        let test = std::env::current_exe().expect("a test knows its own path");
        let binary = test.ancestors().nth(2).expect("tests lie in a folder below the binaries").join("causeway-tested");
        assert!(binary.is_file(), "{} is built by `cargo test -p causeway-tests`", binary.display());
        binary
    });
    &BINARY
}

/// Returns a command of the binary, isolated from the user's settings.
pub fn causeway<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    isolated(binary(), arguments)
}

/// Returns a command of a program without the user's `CAUSEWAY_*` variables.
pub fn isolated<S: AsRef<OsStr>>(program: &Path, arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CAUSEWAY_")) {
        command.env_remove(name);
    }
    command.args(arguments).stdin(Stdio::null());
    command
}

/// Result of a finished process.
#[derive(Debug)]
pub struct Finished {
    /// None if a signal ended the process.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// Runs a process to its end.
pub fn finish(mut command: Command) -> Finished {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Finished { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
}

/// A process that runs until it is killed or dropped. Its output is read continuously, so that it never blocks.
pub struct Running {
    child: Child,
    lines: mpsc::Receiver<String>,
    /// All output so far, of both streams.
    output: Vec<String>,
}

impl Running {
    pub fn start(mut command: Command) -> Running {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let (sender, lines) = mpsc::channel();
        pass_on(child.stdout.take().expect("it is piped"), sender.clone());
        pass_on(child.stderr.take().expect("it is piped"), sender);
        Running { child, lines, output: Vec::new() }
    }

    /// Waits for a line in which `find` finds a value, and returns the value.
    pub fn wait_for<T>(&mut self, what: &str, find: impl Fn(&str) -> Option<T>) -> T {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let Ok(line) = self.lines.recv_timeout(left) else {
                panic!("it never printed {what}; its output:\n{}", self.output.join("\n"));
            };
            let found = find(&line);
            self.output.push(line);
            if let Some(found) = found {
                return found;
            }
        }
    }

    /// Waits until a line has been printed that contains all of `parts`, also before this call.
    pub fn wait_for_line(&mut self, parts: &[&str]) {
        let contains_all = |line: &str| parts.iter().all(|part| line.contains(part));
        if !self.output.iter().any(|line| contains_all(line)) {
            self.wait_for(&parts.join(" ... "), |line| contains_all(line).then_some(()));
        }
    }

    /// Waits for the address of a server on this machine, and returns it as `http://127.0.0.1:40123`.
    pub fn wait_for_address(&mut self) -> String {
        self.wait_for("its address", |line| {
            // Other lines, such as warnings, may have other addresses.
            let (_, after) = line.split_once("listening on ")?;
            let (_, rest) = after.split_once("127.0.0.1:")?;
            let port: String = rest.chars().take_while(char::is_ascii_digit).collect();
            Some(format!("http://127.0.0.1:{port}"))
        })
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns true if it has not ended.
    pub fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Waits until it ends, and returns its exit code.
    pub fn wait(&mut self) -> Option<i32> {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if let Ok(Some(status)) = self.child.try_wait() {
                return status.code();
            }
            thread::yield_now();
        }
        panic!("it never ended; its output:\n{}", self.output.join("\n"));
    }

    /// Kills it by SIGKILL, and waits for its end.
    pub fn kill(&mut self) {
        // An error means that it has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

fn pass_on(stream: impl Read + Send + 'static, lines: mpsc::Sender<String>) {
    thread::spawn(move || {
        for line in BufReader::new(stream).lines() {
            let Ok(line) = line else { return };
            if lines.send(line).is_err() {
                return;
            }
        }
    });
}
