//! Tokens by host. They stay in their files: `git` is told how to read one, at the moment that it needs it.

use std::{fs::File, io::Read as _, path::PathBuf};

use super::{MirrorError, RemoteUrl, remote::Scheme};

/// Reads the first line of a file and hands it to `git`, without a program on whose command line it would stand.
const HELPER: &str = "!f() { test \"$1\" = get || exit 0; IFS= read -r token < \"$CAUSEWAY_GIT_TOKEN_FILE\" || true; \
                      printf 'username=%s\\npassword=%s\\n' \"$CAUSEWAY_GIT_USERNAME\" \"$token\"; }; f";

/// A key of git's configuration, and its value.
type Setting = (String, String);

/// A variable of the environment, and its value.
type Variable = (&'static str, String);

/// A token that a host wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    /// With its port, unless that is the usual one.
    pub host: String,
    pub username: String,
    pub token_file: PathBuf,
}

impl Credential {
    /// Says whether the host of a URL is this one. Keys of ssh are the business of ssh.
    pub(super) fn is_for(&self, url: &RemoteUrl) -> bool {
        matches!(url.scheme(), Scheme::Https | Scheme::Http) && self.host.eq_ignore_ascii_case(url.host())
    }

    /// Returns what to configure so that `git` finds the token, and the environment that goes with it.
    ///
    /// For this host alone, and in place of what else is configured for it, which would get to know the token.
    pub(super) fn configuration(&self, url: &RemoteUrl) -> (Vec<Setting>, Vec<Variable>) {
        let scheme = if url.scheme() == Scheme::Http { "http" } else { "https" };
        let key = format!("credential.{scheme}://{}.helper", url.host());
        let settings = vec![(key.clone(), String::new()), (key, HELPER.to_owned())];
        let file = self.token_file.to_string_lossy().into_owned();
        (settings, vec![("CAUSEWAY_GIT_TOKEN_FILE", file), ("CAUSEWAY_GIT_USERNAME", self.username.clone())])
    }

    /// Looks whether there is a token: `git` would only say that it may not prompt for one.
    pub(super) fn check(&self) -> Result<(), MirrorError> {
        let unreadable = |reason: String| MirrorError::Token { host: self.host.clone(), reason };
        let mut first = [0];
        let file = File::open(&self.token_file).and_then(|mut file| file.read(&mut first));
        match file.map_err(|error| unreadable(error.kind().to_string()))? {
            1 if first != *b"\n" => Ok(()),
            _ => Err(unreadable("its first line is empty".to_owned())),
        }
    }
}
