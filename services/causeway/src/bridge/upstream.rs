//! The current server of the bridge, and the look-up of its replacement.

use std::sync::{Mutex, PoisonError};

use gateway::Profile;

use crate::{
    backend,
    client::ServerClient,
    options::{GlobalOptions, ServerOptions},
};

/// The server that receives messages.
pub(super) struct Upstream {
    server_args: ServerOptions,
    profile: Profile,
    global: GlobalOptions,
    current: Mutex<ServerClient>,
}

impl Upstream {
    /// Returns an upstream with `server` as the current one.
    pub(super) fn new(
        server: ServerClient,
        server_args: ServerOptions,
        profile: Profile,
        global: GlobalOptions,
    ) -> Upstream {
        let current = Mutex::new(server.with_profile(profile));
        Upstream { server_args, profile, global, current }
    }

    pub(super) fn current(&self) -> ServerClient {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Looks up the server that runs now, and makes it the current one.
    pub(super) fn find_replacement(&self) -> Option<ServerClient> {
        let found = backend::running_server(&self.server_args, &self.global).ok()??.with_profile(self.profile);
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&found);
        Some(found)
    }
}
