//! `HEAD` of a repository and the reference that it names, read from the files of git.

use std::{
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
};

use crate::{
    git_dirs::{GitDirs, named_error},
    path_text,
};

/// Maximum size in bytes of `HEAD` and of a reference. The longest name that git allows fits.
const MAX_REFERENCE_BYTES: u64 = 8 << 10;

/// Maximum number of symbolic references followed from `HEAD`; the limit of git is five as well.
const MAX_SYMBOLIC_DEPTH: usize = 5;

/// `HEAD`, resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HeadRef {
    /// The full name of the reference that `HEAD` names; `None` if it is detached.
    pub(crate) name: Option<String>,
    /// The object id in hexadecimal digits; `None` if the reference does not exist, as before the first commit.
    pub(crate) id: Option<String>,
}

impl HeadRef {
    /// Reads `HEAD` and follows it.
    pub(crate) fn read(dirs: &GitDirs) -> io::Result<HeadRef> {
        let chain = symbolic_chain(dirs)?;
        let name = chain.iter().find_map(|link| link.target.clone());
        let id = match chain.last().and_then(|link| link.target.as_deref()) {
            Some(missing) => packed_id(dirs, missing)?,
            None => chain.last().map(|link| link.content.clone()),
        };
        let is_id = |id: &String| matches!(id.len(), 40 | 64) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        match id {
            Some(id) if !is_id(&id) => Err(malformed()),
            id => Ok(HeadRef { name, id }),
        }
    }
}

/// A loose reference.
pub(crate) struct LooseRef {
    /// Without white space around it.
    pub(crate) content: String,
    /// The name of the reference that it names, if it is symbolic.
    target: Option<String>,
}

/// Reads `HEAD` and the loose references that it leads to. The last one names a reference that is not loose, or has an id.
pub(crate) fn symbolic_chain(dirs: &GitDirs) -> io::Result<Vec<LooseRef>> {
    let mut chain = vec![loose_ref(&dirs.git_dir.join("HEAD")).map_err(|error| named_error("HEAD", &error))?];
    while let Some(name) = chain.last().and_then(|link| link.target.clone()) {
        if chain.len() > MAX_SYMBOLIC_DEPTH || !is_safe_name(&name) {
            return Err(malformed());
        }
        let candidates: [PathBuf; 2] = [dirs.common_dir.join(&name), dirs.git_dir.join(&name)];
        // A folder contains references whose names begin with its own.
        let mut read = candidates.iter().filter(|path| !path.is_dir()).map(|path| loose_ref(path));
        let found = read.find(|read| !matches!(read, Err(error) if files::is_missing(error)));
        match found {
            Some(read) => chain.push(read.map_err(|error| named_error(&path_text::to_text(name.as_bytes()), &error))?),
            None => break,
        }
    }
    Ok(chain)
}

fn loose_ref(path: &Path) -> io::Result<LooseRef> {
    // `HEAD` was a symbolic link once.
    if let Ok(target) = path.read_link()
        && target.starts_with("refs")
        && let Some(target) = target.to_str()
    {
        return Ok(LooseRef { content: format!("ref: {target}"), target: Some(target.to_owned()) });
    }
    let content = String::from_utf8_lossy(&files::read(path, MAX_REFERENCE_BYTES)?).trim().to_owned();
    let target = content.strip_prefix("ref:").map(|name| name.trim().to_owned());
    Ok(LooseRef { content, target })
}

fn is_safe_name(name: &str) -> bool {
    name.starts_with("refs/") && !name.contains("..") && !name.contains('\0')
}

/// Returns the id of a packed reference.
fn packed_id(dirs: &GitDirs, name: &str) -> io::Result<Option<String>> {
    let packed = match files::open(&dirs.common_dir.join("packed-refs")) {
        Err(error) if files::is_missing(&error) => return Ok(None),
        packed => packed.map_err(|error| named_error("packed-refs", &error))?,
    };
    for line in BufReader::new(packed).split(b'\n') {
        let line = line.map_err(|error| named_error("packed-refs", &error))?;
        if let Some(at) = line.iter().position(|byte| *byte == b' ')
            && line[at + 1..].trim_ascii_end() == name.as_bytes()
        {
            return Ok(Some(String::from_utf8_lossy(&line[..at]).into_owned()));
        }
    }
    Ok(None)
}

fn malformed() -> io::Error {
    named_error("HEAD", &files::refused("it names neither a branch nor a commit".to_owned()))
}
