//! The address of an object store, as configured.

use std::path::PathBuf;

use crate::error::ShareError;

/// The address of an object store. It never contains credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreAddress {
    /// A folder, usually on a network file system.
    Folder(PathBuf),
    /// A bucket of a cloud service.
    Bucket {
        /// The cloud service.
        service: BucketService,
        /// Name of the bucket or container.
        bucket: String,
        /// The common prefix of all object names; may be empty.
        prefix: String,
    },
}

/// A cloud service with object storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BucketService {
    /// Amazon S3, or a compatible service.
    S3,
    /// Google Cloud Storage.
    Google,
    /// Azure Blob Storage.
    Azure,
}

impl StoreAddress {
    /// Parses an address: `file:///folder`, `s3://bucket/prefix`, `gs://bucket/prefix` or `az://container/prefix`.
    ///
    /// ```
    /// use share::{BucketService, StoreAddress};
    ///
    /// let address = StoreAddress::parse("s3://indexes/team-a").unwrap();
    /// let (bucket, prefix) = ("indexes".to_owned(), "team-a".to_owned());
    /// assert_eq!(address, StoreAddress::Bucket { service: BucketService::S3, bucket, prefix });
    /// ```
    pub fn parse(url: &str) -> Result<StoreAddress, ShareError> {
        let invalid = |problem: &str| {
            let forms = "file:///folder, s3://bucket/prefix, gs://bucket/prefix or az://container/prefix";
            ShareError::Address(format!("{problem}: write {forms}"))
        };
        let (scheme, rest) = url.split_once("://").ok_or_else(|| invalid("`url` has no scheme"))?;
        if rest.contains(['@', '?', '#']) {
            return Err(invalid("`url` must not contain credentials or options; set them in the environment"));
        }
        let service = match scheme {
            "file" if rest.starts_with('/') => return Ok(StoreAddress::Folder(PathBuf::from(rest))),
            "file" => return Err(invalid("the folder of `file://` must be absolute")),
            "s3" => BucketService::S3,
            "gs" => BucketService::Google,
            "az" => BucketService::Azure,
            _ => return Err(invalid(&format!("`url` has the unknown scheme `{scheme}`"))),
        };
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() {
            return Err(invalid("`url` names no bucket"));
        }
        Ok(StoreAddress::Bucket { service, bucket: bucket.to_owned(), prefix: prefix.trim_matches('/').to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_parsed() {
        let bucket = |service, bucket: &str, prefix: &str| {
            Some(StoreAddress::Bucket { service, bucket: bucket.to_owned(), prefix: prefix.to_owned() })
        };
        for (url, expected) in [
            ("file:///srv/generations", Some(StoreAddress::Folder("/srv/generations".into()))),
            ("s3://indexes", bucket(BucketService::S3, "indexes", "")),
            ("s3://indexes/team/a/", bucket(BucketService::S3, "indexes", "team/a")),
            ("gs://indexes/team", bucket(BucketService::Google, "indexes", "team")),
            ("az://indexes/team", bucket(BucketService::Azure, "indexes", "team")),
            ("s3://key:secret@indexes/team", None),
            ("s3://indexes/team?sig=secret", None),
            ("s3:///team", None),
            ("file://srv", None),
            ("ftp://indexes", None),
            ("/srv/generations", None),
        ] {
            let parsed = StoreAddress::parse(url);
            if let Err(error) = &parsed {
                assert!(!error.to_string().contains("secret"), "{error}");
            }
            assert_eq!(parsed.ok(), expected, "{url}");
        }
    }
}
