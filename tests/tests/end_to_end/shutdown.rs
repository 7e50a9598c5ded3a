//! The end of processes whose log cannot be written.

use std::{
    fs::File,
    io::{BufRead as _, BufReader, ErrorKind, Write as _},
    net::TcpStream,
    os::{fd::OwnedFd, unix::net::UnixStream},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::Instant,
};

use causeway_tests::{
    PATIENCE,
    http::search_until,
    process::{Finished, causeway, finish},
    repository::Repository,
};
use serde_json::json;
use tempfile::TempDir;

/// Returns a folder with one repository whose file has a diagnostic, so that something is logged.
fn org() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder for the test");
    Repository::with_files(folder.path().join("org/sound"), [("lib.rs", "pub fn foghorn() {}\n")]);
    folder
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = causeway(["--data".as_ref(), folder.join("data").as_os_str()]);
    command.args(arguments).arg(folder.join("org")).env("CAUSEWAY_LOG", "debug");
    command
}

/// Returns the standard error of a process on a full disk.
fn full_disk() -> Stdio {
    File::options().write(true).open("/dev/full").expect("the device is there").into()
}

fn signal(process: &Child, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &process.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()), "{name} can be sent");
}

/// Waits until a process ends, and returns its exit code.
fn wait(process: &mut Child) -> Option<i32> {
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        if let Ok(Some(status)) = process.try_wait() {
            return status.code();
        }
        thread::yield_now();
    }
    process.kill().expect("it can be killed");
    panic!("it did not end");
}

#[test]
fn log_on_a_full_disk_does_not_end_a_run() {
    let folder = org();
    let mut index = command(folder.path(), &["index"]);
    index.stderr(full_disk());
    let Finished { code, stdout, .. } = finish(index);
    assert_eq!(code, Some(0), "{stdout}");
    assert!(stdout.contains("indexed 1 repository"), "{stdout}");
}

#[test]
fn server_with_a_log_on_a_full_disk_obeys_signals() {
    let folder = org();
    let mut up = command(folder.path(), &["up", "--listen", "127.0.0.1:0"]);
    let mut server = up.stderr(full_disk()).stdout(Stdio::piped()).spawn().expect("it starts");
    let address = address(&mut server);
    search_until(&address, "foghorn", "indexed", |answer| answer.to_string().contains("sound"));
    signal(&server, "TERM");
    assert_eq!(wait(&mut server), Some(0));
}

/// Reads the standard output of a server until it prints its address.
fn address(server: &mut Child) -> String {
    let stdout = server.stdout.take().expect("it is piped");
    let mut lines = BufReader::new(stdout).lines().map_while(Result::ok);
    let line = lines.find(|line| line.contains("serving MCP at ")).expect("it prints its address");
    // Its later output is read, too.
    thread::spawn(move || lines.for_each(drop));
    let (_, rest) = line.split_once("serving MCP at ").expect("it is in the line");
    rest.split_once("/mcp").expect("it is a URL").0.to_owned()
}

/// Fills the buffer of a stream that nobody reads.
fn fill(stream: &mut UnixStream) {
    stream.set_nonblocking(true).expect("it can be set");
    loop {
        match stream.write(&[b'x'; 4096]) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => break,
            Err(error) => panic!("{error}"),
        }
    }
    stream.set_nonblocking(false).expect("it can be set");
}

/// Starts a server whose log is full, and returns it with its address and the reader of its log.
fn start_with_full_log(folder: &Path) -> (Child, String, UnixStream) {
    let (mut log, reader) = UnixStream::pair().expect("a pair of sockets");
    let mut up = command(folder, &["up", "--listen", "127.0.0.1:0"]);
    up.env("CAUSEWAY_LOG", "off,gateway::audit=info");
    let stderr = OwnedFd::from(log.try_clone().expect("it can be cloned"));
    let mut server = up.stderr(Stdio::from(stderr)).stdout(Stdio::piped()).spawn().expect("it starts");
    let address = address(&mut server);
    fill(&mut log);
    (server, address, reader)
}

#[test]
fn server_with_a_log_that_nobody_reads_answers_calls() {
    let folder = org();
    let (mut server, address, reader) = start_with_full_log(folder.path());
    // Each call logs an event of some 200 bytes. There are more calls than threads.
    let n_calls = 200;
    let before = Instant::now();
    for _ in 0..n_calls {
        search_until(&address, "foghorn", "answered", |_| true);
    }
    assert!(before.elapsed() < PATIENCE);
    // Once the log is read, it has every event.
    let lines = BufReader::new(reader).lines().map_while(Result::ok);
    let answered = lines.filter(|line| line.contains("search_codebase") && line.contains("answered"));
    assert_eq!(answered.take(n_calls).count(), n_calls);
    signal(&server, "TERM");
    assert_eq!(wait(&mut server), Some(0));
}

#[test]
fn server_with_a_log_that_nobody_reads_obeys_signals() {
    let folder = org();
    let (mut server, address, _never_read) = start_with_full_log(folder.path());
    search_until(&address, "foghorn", "answered", |_| true);
    signal(&server, "TERM");
    assert_eq!(wait(&mut server), Some(0), "the last lines of the log have a deadline");
    let (mut server, address, _never_read) = start_with_full_log(folder.path());
    let _calls: Vec<TcpStream> = (0..8).map(|_| call(&address)).collect();
    // The first one asks it to end, and the second one ends it at once.
    signal(&server, "TERM");
    signal(&server, "INT");
    assert_eq!(wait(&mut server), Some(130));
}

/// Calls a tool, without reading the answer.
fn call(address: &str) -> TcpStream {
    let host = address.strip_prefix("http://").expect("an address");
    let mut stream = TcpStream::connect(host).expect("it listens");
    let params = json!({"name": "list_repos", "arguments": {}});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).expect("it can be sent");
    stream
}
