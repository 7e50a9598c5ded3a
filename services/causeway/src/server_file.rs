//! `server.json` in the data folder: how the other subcommands find the server that runs on it.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use worker::DataDirState;

const NAME: &str = "server.json";

/// A running server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunningServer {
    /// Where it speaks MCP.
    pub(crate) url: String,
    pub(crate) pid: u32,
}

/// The file of this process, which is removed with the value.
#[derive(Debug)]
pub(crate) struct ServerFile {
    path: PathBuf,
}

impl ServerFile {
    /// Announces this process, which owns the data folder, as the server at `url`.
    pub(crate) fn write(data: &Path, url: &str) -> io::Result<ServerFile> {
        let server = RunningServer { url: url.to_owned(), pid: std::process::id() };
        let path = data.join(NAME);
        // Renamed, so that nobody reads half of it.
        let beside = data.join(format!("{NAME}.new"));
        fs::write(&beside, serde_json::to_vec(&server)?)?;
        fs::rename(&beside, &path)?;
        Ok(ServerFile { path })
    }
}

impl Drop for ServerFile {
    fn drop(&mut self) {
        // One that stays behind is told apart by the lock.
        let _ = fs::remove_file(&self.path);
    }
}

/// Returns the server that runs on a data folder. A file that outlived its server does not count: its process no
/// longer owns the folder.
pub(crate) fn find(data: &Path) -> Option<RunningServer> {
    let server: RunningServer = serde_json::from_slice(&fs::read(data.join(NAME)).ok()?).ok()?;
    let owner = DataDirState::look(data).owner?;
    (owner == server.pid.to_string()).then_some(server)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Takes the folder as a worker does.
    pub(crate) fn own(data: &Path, owner: u32) -> fs::File {
        let path = data.join("LOCK");
        fs::write(&path, format!("{owner}\n")).unwrap();
        let lock = fs::File::open(path).unwrap();
        lock.lock().unwrap();
        lock
    }

    #[test]
    fn a_server_is_found_while_it_owns_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path();
        assert_eq!(find(data), None);
        let file = ServerFile::write(data, "http://127.0.0.1:7474/mcp").unwrap();
        assert_eq!(find(data), None, "nobody owns the folder");

        let lock = own(data, std::process::id());
        let found = find(data).unwrap();
        assert_eq!(found, RunningServer { url: "http://127.0.0.1:7474/mcp".to_owned(), pid: std::process::id() });
        drop(lock);

        let other = own(data, std::process::id() + 1);
        assert_eq!(find(data), None, "another process owns the folder");
        drop(other);

        drop(file);
        assert!(!data.join(NAME).exists());
    }

    #[test]
    fn a_damaged_file_is_no_server() {
        let folder = tempfile::tempdir().unwrap();
        let _lock = own(folder.path(), 1);
        fs::write(folder.path().join(NAME), "{\"url\"").unwrap();
        assert_eq!(find(folder.path()), None);
    }
}
