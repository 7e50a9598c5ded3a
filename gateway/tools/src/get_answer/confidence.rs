//! The confidence of an answer, in the words of the contract.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Confidence {
    Low,
    Medium,
    High,
}

impl Confidence {
    /// Returns the lower of the two.
    pub(super) fn at_most(self, most: Confidence) -> Confidence {
        self.min(most)
    }
}
