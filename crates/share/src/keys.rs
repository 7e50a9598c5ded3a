//! Object names: `v{format}/{repository}/{commit}/{generation}/{object}`.
//!
//! The format comes first, so that software versions with different formats never read each other's generations.

use index::{Checksum, FORMAT_VERSION, GenerationKey};
use model::RepoId;
use object_store::path::Path;

/// The object that marks a generation as complete: its manifest.
const SEAL: &str = "manifest";

/// The encoding of a stored file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ObjectEncoding {
    Plain,
    Zstd,
}

impl ObjectEncoding {
    /// Returns the encoding for a file name. Files that are compressed in the generation are not compressed again.
    pub(crate) fn of(name: &str) -> ObjectEncoding {
        if name.ends_with(".zst") { ObjectEncoding::Plain } else { ObjectEncoding::Zstd }
    }
}

/// Returns the folder of a repository.
pub(crate) fn repository(root: &Path, repo: RepoId) -> Path {
    join(root, &[&format!("v{FORMAT_VERSION}"), &repo.to_string()])
}

/// Returns the folder of a generation.
pub(crate) fn generation(root: &Path, key: &GenerationKey) -> Path {
    join(&repository(root, key.repo), &[&key.commit.to_string(), &key.generation.to_string()])
}

/// Returns the object that is written last and removed first.
pub(crate) fn seal(root: &Path, key: &GenerationKey) -> Path {
    join(&generation(root, key), &[SEAL])
}

/// Returns the object of a file. Its name depends on the content only.
pub(crate) fn file(root: &Path, key: &GenerationKey, name: &str, checksum: &Checksum) -> Path {
    let suffix = match ObjectEncoding::of(name) {
        ObjectEncoding::Plain => "",
        ObjectEncoding::Zstd => ".zst",
    };
    join(&generation(root, key), &[&format!("{}{suffix}", checksum.blake3)])
}

/// Splits an object of a repository into the folder of its generation, and true if it is the seal.
pub(crate) fn split(repository: &Path, object: &Path) -> Option<(Path, bool)> {
    let parts: Vec<_> = object.prefix_match(repository)?.collect();
    let [commit, generation, name] = parts.as_slice() else { return None };
    let folder = join(repository, &[commit.as_ref(), generation.as_ref()]);
    Some((folder, name.as_ref() == SEAL))
}

fn join(folder: &Path, parts: &[&str]) -> Path {
    parts.iter().fold(folder.clone(), |path, part| path.join(*part))
}

#[cfg(test)]
mod tests {
    use model::{CommitId, GenerationId};

    use super::*;

    const KEY: GenerationKey =
        GenerationKey { repo: RepoId([1; 16]), commit: CommitId([2; 20]), generation: GenerationId([3; 16]) };

    fn folder() -> String {
        format!("team/v{FORMAT_VERSION}/{}/{}/{}", "01".repeat(16), "02".repeat(20), "03".repeat(16))
    }

    #[test]
    fn keys_name_format_repository_commit_and_generation() {
        let root = Path::from("team");
        let checksum = Checksum { bytes: 7, blake3: "ab".repeat(32) };
        assert_eq!(seal(&root, &KEY).as_ref(), format!("{}/manifest", folder()));
        for (name, suffix) in [("graph.rkyv", ".zst"), ("text/0a.term", ".zst"), ("source.zst", "")] {
            let expected = format!("{}/{}{suffix}", folder(), "ab".repeat(32));
            assert_eq!(file(&root, &KEY, name, &checksum).as_ref(), expected, "{name}");
        }
        let bare = repository(&Path::from(""), KEY.repo);
        assert_eq!(bare.as_ref(), format!("v{FORMAT_VERSION}/{}", "01".repeat(16)));
    }

    #[test]
    fn objects_map_to_their_generation() {
        let root = Path::from("team");
        let repository = repository(&root, KEY.repo);
        let of = |object: &str| split(&repository, &Path::from(object)).map(|(path, seals)| (path.to_string(), seals));
        assert_eq!(of(&format!("{}/manifest", folder())), Some((folder(), true)));
        assert_eq!(of(&format!("{}/abc.zst", folder())), Some((folder(), false)));
        for strange in [folder(), "other/place".to_owned(), format!("{}/a/b", folder())] {
            assert_eq!(of(&strange), None, "{strange}");
        }
    }
}
