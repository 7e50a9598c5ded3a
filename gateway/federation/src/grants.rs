//! Grants: every request to a worker carries a signed list of the repositories that the caller may read.

use std::{sync::Arc, time::SystemTime};

use proto::grant::{GRANT_METADATA, GrantKeys, Targeted};
use tonic::metadata::MetadataValue;

/// Signs requests if a key is configured.
#[derive(Debug, Clone, Default)]
pub struct Grants(Option<Arc<GrantKeys>>);

impl Grants {
    pub(crate) fn new(keys: Option<Arc<GrantKeys>>) -> Grants {
        Grants(keys)
    }

    /// Adds the grant for the readable repositories of a request. The worker rejects a request whose grant does not cover all
    /// its repositories.
    pub fn sign<Q: Targeted>(&self, request: &mut tonic::Request<Q>, may_read: impl Fn(&str) -> bool) {
        let Some(keys) = &self.0 else { return };
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
        let mut readable = request.get_ref().repositories();
        readable.retain(|repository| may_read(repository));
        let grant = MetadataValue::from_bytes(&keys.sign(&readable, now));
        request.metadata_mut().insert_bin(GRANT_METADATA, grant);
    }

    /// Returns a signed request without repositories.
    pub fn signed<Q: Targeted>(&self, message: Q) -> tonic::Request<Q> {
        let mut request = tonic::Request::new(message);
        self.sign(&mut request, |_| false);
        request
    }
}
