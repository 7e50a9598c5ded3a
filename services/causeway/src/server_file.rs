//! `server.json` in the data folder: the address of the running server, for the other subcommands.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use worker::DataDirState;

const NAME: &str = "server.json";

/// Maximum size of the file. It has an address and a number.
const MAX_BYTES: u64 = 64 << 10;

/// Address and process of a running server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunningServer {
    /// URL of the MCP endpoint.
    pub(crate) url: String,
    pub(crate) pid: u32,
}

/// Interval at which the file is written again if it was removed, with the data folder or alone.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// The file of this process. Dropping the value removes the file.
#[derive(Debug)]
pub(crate) struct ServerFile {
    path: PathBuf,
    content: Vec<u8>,
}

impl ServerFile {
    /// Writes the file for the server at `url` in this process, which must own the data folder.
    pub(crate) fn write(data: &Path, url: &str) -> io::Result<ServerFile> {
        let server = RunningServer { url: url.to_owned(), pid: std::process::id() };
        let file = ServerFile { path: data.join(NAME), content: serde_json::to_vec(&server)? };
        file.replace()?;
        Ok(file)
    }

    /// Writes the file again if it was removed. That fails until the worker has made the data folder again.
    fn restore(&self) {
        if !self.path.exists() {
            let _ = self.replace();
        }
    }

    fn replace(&self) -> io::Result<()> {
        files::replace(&self.path, &self.content)
    }
}

impl Drop for ServerFile {
    fn drop(&mut self) {
        // A file that stays behind is detected by the lock.
        let _ = fs::remove_file(&self.path);
    }
}

/// Writes the file again whenever it was removed. Never ends, also without a file.
pub(crate) async fn keep(file: Option<&ServerFile>) {
    let mut ticks = tokio::time::interval(CHECK_INTERVAL);
    loop {
        ticks.tick().await;
        file.into_iter().for_each(ServerFile::restore);
    }
}

/// Returns the server of a data folder. Ignores the file of a process that no longer owns the folder.
pub(crate) fn find(data: &Path) -> Option<RunningServer> {
    let server: RunningServer = serde_json::from_slice(&files::read(&data.join(NAME), MAX_BYTES).ok()?).ok()?;
    let owner = DataDirState::read(data).owner?;
    (owner == server.pid.to_string()).then_some(server)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Locks the folder like a worker.
    pub(crate) fn lock_folder(data: &Path, owner: u32) -> fs::File {
        let path = data.join("LOCK");
        fs::write(&path, format!("{owner}\n")).unwrap();
        let lock = fs::File::open(path).unwrap();
        lock.lock().unwrap();
        lock
    }

    #[test]
    fn server_is_found_while_it_owns_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path();
        assert_eq!(find(data), None);
        let file = ServerFile::write(data, "http://127.0.0.1:7474/mcp").unwrap();
        assert_eq!(find(data), None, "no process owns the folder");

        let lock = lock_folder(data, std::process::id());
        let found = find(data).unwrap();
        assert_eq!(found, RunningServer { url: "http://127.0.0.1:7474/mcp".to_owned(), pid: std::process::id() });
        drop(lock);

        let other = lock_folder(data, std::process::id() + 1);
        assert_eq!(find(data), None, "another process owns the folder");
        drop(other);

        fs::remove_file(data.join(NAME)).unwrap();
        file.restore();
        assert!(data.join(NAME).exists(), "it is written again");
        drop(file);
        assert!(!data.join(NAME).exists());
    }

    #[test]
    fn damaged_file_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let _lock = lock_folder(folder.path(), 1);
        fs::write(folder.path().join(NAME), "{\"url\"").unwrap();
        assert_eq!(find(folder.path()), None);
    }
}
