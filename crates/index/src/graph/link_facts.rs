//! The link facts of a generation, from which the crate `links` resolves uses of other repositories.

use crate::{error::IndexError, records::LINK_FACTS_FILE, snapshot::Snapshot};

impl Snapshot {
    /// Reads the encoded link facts; `None` if the repository is too large for them.
    pub fn link_facts(&self) -> Result<Option<Vec<u8>>, IndexError> {
        Ok(Some(self.read_unmapped(LINK_FACTS_FILE)?).filter(|bytes| !bytes.is_empty()))
    }
}
