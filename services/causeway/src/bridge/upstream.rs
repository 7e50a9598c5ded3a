//! Where messages go: the server of the moment.

use std::sync::{Mutex, PoisonError};

use crate::{
    ask,
    cli::{Global, ServerArgs},
    client::Server,
};

/// The server that messages go to, and how the one that takes its place is found.
pub(super) struct Upstream {
    named: ServerArgs,
    global: Global,
    current: Mutex<Server>,
}

impl Upstream {
    /// Returns one that goes to `server`, until that ends.
    pub(super) fn new(server: Server, named: ServerArgs, global: Global) -> Upstream {
        Upstream { named, global, current: Mutex::new(server) }
    }

    pub(super) fn current(&self) -> Server {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the server that runs now, and keeps to it.
    pub(super) fn find_again(&self) -> Option<Server> {
        let found = ask::running_server(&self.named, &self.global).ok()??;
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&found);
        Some(found)
    }
}
