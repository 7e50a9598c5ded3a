//! Tokens by host. A token stays in its file: `git` gets a helper that reads the file when a host requires it.

use std::{io::Read as _, path::PathBuf};

use super::{MirrorError, RemoteUrl, remote::Scheme};

/// A shell function that prints the first line of the token file in the format of git's credential helpers. It starts no
/// program, so the token never appears on a command line.
const HELPER: &str = "!f() { test \"$1\" = get || exit 0; IFS= read -r token < \"$CAUSEWAY_GIT_TOKEN_FILE\" || true; \
                      printf 'username=%s\\npassword=%s\\n' \"$CAUSEWAY_GIT_USERNAME\" \"$token\"; }; f";

/// A configuration key of git, and its value.
type Setting = (String, String);

/// An environment variable, and its value.
type Variable = (&'static str, String);

/// The token of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    /// The host name, with its port unless that is the default.
    pub host: String,
    /// The user name that is sent with the token.
    pub username: String,
    /// The file whose first line is the token.
    pub token_file: PathBuf,
}

impl Credential {
    /// Returns true if the URL is an HTTP URL of this host. Keys of ssh are left to ssh.
    pub(super) fn is_for(&self, url: &RemoteUrl) -> bool {
        matches!(url.scheme(), Scheme::Https | Scheme::Http) && self.host.eq_ignore_ascii_case(url.host())
    }

    /// Returns the git configuration and the environment by which `git` finds the token.
    ///
    /// It applies to this host only, and replaces other configured helpers, which would receive the token.
    pub(super) fn configuration(&self, url: &RemoteUrl) -> (Vec<Setting>, Vec<Variable>) {
        let scheme = if url.scheme() == Scheme::Http { "http" } else { "https" };
        let key = format!("credential.{scheme}://{}.helper", url.host());
        let settings = vec![(key.clone(), String::new()), (key, HELPER.to_owned())];
        let file = self.token_file.to_string_lossy().into_owned();
        (settings, vec![("CAUSEWAY_GIT_TOKEN_FILE", file), ("CAUSEWAY_GIT_USERNAME", self.username.clone())])
    }

    /// Checks that the token file is readable and not empty. The error of `git` would only state that prompts are disabled.
    pub(super) fn check(&self) -> Result<(), MirrorError> {
        let unreadable = |reason: String| MirrorError::Token { host: self.host.clone(), reason };
        let mut first = [0];
        let file = files::open(&self.token_file).and_then(|mut file| file.read(&mut first));
        match file.map_err(|error| unreadable(error.to_string()))? {
            1 if first != *b"\n" => Ok(()),
            _ => Err(unreadable("its first line is empty".to_owned())),
        }
    }
}
