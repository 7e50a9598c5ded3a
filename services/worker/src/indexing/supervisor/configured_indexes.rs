//! SCIP indexes at configured places: each is fetched before a run of its repository, and kept like a pushed one.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Seek},
    path::{Path, PathBuf},
    time::Duration,
};

use compiler_index::MAX_INDEX_BYTES;
use index::RepositoryDir;
use serde::Deserialize;
use tokio::runtime::Handle;

use crate::repositories::PushedIndex;

/// Maximum duration of a download. Another run of the repository tries again.
const DOWNLOAD_DEADLINE: Duration = Duration::from_secs(60);

/// The table `[scip]` of a worker's configuration: by alias of the repository, the place of its index.
pub type ScipSettings = BTreeMap<String, IndexLocation>;

/// The place of an index.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum IndexLocation {
    /// A file of the machine.
    File(PathBuf),
    /// An HTTP address.
    Url(String),
}

impl TryFrom<String> for IndexLocation {
    type Error = String;

    fn try_from(text: String) -> Result<IndexLocation, String> {
        if text.starts_with("https://") || text.starts_with("http://") {
            Ok(IndexLocation::Url(text))
        } else if Path::new(&text).is_absolute() {
            Ok(IndexLocation::File(text.into()))
        } else {
            Err(format!(
                "`{text}` is no place of an index: write an absolute path, or a URL with `https://` or `http://`"
            ))
        }
    }
}

/// Fetches an index into the folder of a repository. A failure is logged, and the index before stays. Blocking.
pub(super) fn fetch(location: &IndexLocation, directory: &RepositoryDir, alias: &str) {
    let stored = match location {
        IndexLocation::File(path) => files::open(path).and_then(|file| store(file, directory)),
        IndexLocation::Url(url) => download(url, directory),
    };
    if let Err(error) = stored {
        tracing::warn!(alias, ?location, %error, "the configured SCIP index cannot be fetched; the one before is used");
    }
}

fn store(mut file: File, directory: &RepositoryDir) -> io::Result<()> {
    PushedIndex::store(directory, &mut file, MAX_INDEX_BYTES, None).map(drop)
}

fn download(url: &str, directory: &RepositoryDir) -> io::Result<()> {
    fs::create_dir_all(directory.path())?;
    let path = directory.path().join("index-download");
    let mut file = files::create(&path)?;
    let received = runtime::http_client::download(url, &mut file, MAX_INDEX_BYTES, DOWNLOAD_DEADLINE);
    let received = Handle::current().block_on(received).map_err(io::Error::other);
    // The file can still be read without its name.
    let downloaded = File::open(&path);
    fs::remove_file(&path)?;
    received?;
    let mut downloaded = downloaded?;
    downloaded.rewind()?;
    store(downloaded, directory)
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read, Write},
        net::TcpListener,
        thread,
    };

    use model::RepoId;

    use super::*;

    #[test]
    fn places_are_paths_or_addresses() {
        for (text, is_valid) in [
            ("https://ci.example.com/index.scip", true),
            ("http://localhost:1/a", true),
            ("/srv/scip/api.scip", true),
            ("ftp://ci.example.com/a", false),
            ("file:///a", false),
            ("api.scip", false),
            ("", false),
        ] {
            assert_eq!(IndexLocation::try_from(text.to_owned()).is_ok(), is_valid, "{text}");
        }
    }

    /// Returns the address of a server that gives each connection the next of these responses.
    fn serve(responses: Vec<&'static [u8]>) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            for response in responses {
                let (mut stream, _) = listener.accept().unwrap();
                let _ = stream.read(&mut [0; 1024]);
                stream.write_all(response).unwrap();
            }
        });
        format!("http://{address}/index.scip")
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn an_index_is_downloaded_and_a_failure_keeps_it() {
        let root = tempfile::tempdir().unwrap();
        let directory = RepositoryDir::new(root.path(), RepoId([1; 16]));
        let url = serve(vec![
            b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none",
            b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\ncut",
        ]);
        let location = IndexLocation::try_from(url).unwrap();
        let run = |directory: RepositoryDir, location: IndexLocation| {
            tokio::task::spawn_blocking(move || {
                fetch(&location, &directory, "api");
                PushedIndex::find(&directory)
            })
        };
        let first = run(directory.clone(), location.clone()).await.unwrap().expect("the index is stored");
        assert_eq!(fs::read(&first.path).unwrap(), b"one");
        for _ in 0..2 {
            let after = run(directory.clone(), location.clone()).await.unwrap();
            assert_eq!(after.as_ref(), Some(&first));
        }
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
        let file = root.path().join("two");
        fs::write(&file, b"two").unwrap();
        let from_file = run(directory, IndexLocation::File(file)).await.unwrap();
        assert_ne!(from_file, Some(first));
    }
}
