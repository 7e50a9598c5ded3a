//! The roots of a client on standard input: the folders that it has open.

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use federation::client_views::ClientViews;
use rmcp::{RoleServer, service::Peer};

/// Time to wait for the roots of a client. A call goes on without them.
const PATIENCE: Duration = Duration::from_secs(2);

/// The roots of one client, from its last answer.
#[derive(Clone, Default)]
pub(super) struct ClientRoots(Arc<Mutex<Option<Vec<String>>>>);

impl ClientRoots {
    /// Forgets the roots, which have changed.
    pub(super) fn forget(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Adds the folders of the client, which is asked for them once.
    #[expect(deprecated, reason = "clients of the current revisions of the protocol announce roots")]
    pub(super) async fn add_to(&self, views: ClientViews, peer: &Peer<RoleServer>) -> ClientViews {
        let has_roots = peer.peer_info().is_some_and(|client| client.capabilities.roots.is_some());
        if !has_roots {
            return views;
        }
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let uris = match known {
            Some(known) => known,
            None => {
                let asked = tokio::time::timeout(PATIENCE, peer.list_roots()).await;
                let listed = asked.ok().and_then(Result::ok).map(|listed| listed.roots).unwrap_or_default();
                let uris: Vec<String> = listed.into_iter().map(|root| root.uri.to_string()).collect();
                *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(uris.clone());
                uris
            }
        };
        let views = views.with_roots(uris.iter().map(String::as_str));
        // The client is on this machine. Its paths may contain links.
        let canonical = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let roots = tokio::task::spawn_blocking(move || views.roots.iter().map(|root| canonical(root)).collect());
        ClientViews { names: views.names, roots: roots.await.unwrap_or_default() }
    }
}
