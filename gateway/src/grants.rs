//! Grants: with every request to a worker goes the gateway's word on what the caller may read.

use std::{sync::Arc, time::SystemTime};

use proto::grant::{GRANT_METADATA, GrantKeys, Targeted};
use tonic::metadata::MetadataValue;

/// Signs requests, where a key is configured.
#[derive(Debug, Clone, Default)]
pub(crate) struct Grants(Option<Arc<GrantKeys>>);

impl Grants {
    pub(crate) fn new(keys: Option<Arc<GrantKeys>>) -> Grants {
        Grants(keys)
    }

    /// Adds the grant to a request: for those of its repositories that may be read. If that is not all of them, the worker
    /// refuses the request.
    pub(crate) fn sign<Q: Targeted>(&self, request: &mut tonic::Request<Q>, may_read: impl Fn(&str) -> bool) {
        let Some(keys) = &self.0 else { return };
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
        let mut readable = request.get_ref().repositories();
        readable.retain(|repository| may_read(repository));
        let grant = MetadataValue::from_bytes(&keys.sign(&readable, now));
        request.metadata_mut().insert_bin(GRANT_METADATA, grant);
    }

    /// Returns a request that is about no repository, with its grant.
    pub(crate) fn signed<Q: Targeted>(&self, message: Q) -> tonic::Request<Q> {
        let mut request = tonic::Request::new(message);
        self.sign(&mut request, |_| false);
        request
    }
}
