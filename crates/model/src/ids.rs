//! Identifiers. A repository id depends on the repository's identity, not on its location.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// Text that is not the hexadecimal form of an id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseIdError {
    what: &'static str,
    n_bytes: usize,
}

impl fmt::Display for ParseIdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a {} is {} hexadecimal digits", self.what, self.n_bytes * 2)
    }
}

impl std::error::Error for ParseIdError {}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $n_bytes:literal, $what:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub [u8; $n_bytes]);

        impl $name {
            /// Returns the first twelve hexadecimal digits, for people.
            pub fn short(&self) -> String {
                self.to_string()[..12].to_owned()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({self})", stringify!($name))
            }
        }

        // Human-readable formats have the hexadecimal text, binary formats the bytes.
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                if serializer.is_human_readable() { serializer.collect_str(self) } else { self.0.serialize(serializer) }
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                if deserializer.is_human_readable() {
                    String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
                } else {
                    <[u8; $n_bytes]>::deserialize(deserializer).map($name)
                }
            }
        }

        impl FromStr for $name {
            type Err = ParseIdError;

            fn from_str(hex: &str) -> Result<Self, ParseIdError> {
                let error = ParseIdError { what: $what, n_bytes: $n_bytes };
                if hex.len() != $n_bytes * 2 || !hex.bytes().all(|b| b.is_ascii_hexdigit()) {
                    return Err(error);
                }
                let mut bytes = [0; $n_bytes];
                for (byte_idx, byte) in bytes.iter_mut().enumerate() {
                    let digits = &hex[byte_idx * 2..byte_idx * 2 + 2];
                    *byte = u8::from_str_radix(digits, 16).map_err(|_| error.clone())?;
                }
                Ok(Self(bytes))
            }
        }
    };
}

id! {
    /// A repository: a hash of its origin or first commit, equal for all clones.
    RepoId, 16, "repository id"
}
id! {
    /// The contents of a work tree: the id that git would give to a tree of its files.
    ContentsId, 20, "contents id"
}
id! {
    /// A git commit; for a plain folder, a hash of its files in the same role.
    CommitId, 20, "commit id"
}
id! {
    /// The content of a file, hashed like a git blob.
    BlobId, 20, "blob id"
}
id! {
    /// A sealed index of a repository at one commit, by one version of the software.
    GenerationId, 16, "generation id"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_form_round_trips() {
        let id = RepoId([0xab; 16]);
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!(id.short(), "abababababab");
    }

    #[test]
    fn json_has_the_text_form() {
        let id = RepoId([0xab; 16]);
        let json = serde_json::to_string(&id).unwrap();
        assert_eq!(json, format!("\"{id}\""));
        assert_eq!(serde_json::from_str::<RepoId>(&json).unwrap(), id);
        assert!(serde_json::from_str::<RepoId>("\"xyz\"").is_err());
    }

    #[test]
    fn invalid_text_is_rejected() {
        for text in ["", "ab", "zz".repeat(16).as_str(), "é".repeat(16).as_str(), "+1".repeat(16).as_str()] {
            assert!(text.parse::<RepoId>().is_err(), "{text}");
        }
    }
}
