//! Where a store is, from its address in the configuration.
//!
//! Credentials, endpoints and regions come from the environment, by the names that the tools of each service use
//! (`AWS_*`, `GOOGLE_*`, `AZURE_*`), or from the identity of the machine. An address holds none.

use std::{path::PathBuf, sync::Arc};

use object_store::{
    BackoffConfig, ClientConfigKey, ObjectStore, RetryConfig,
    aws::{AmazonS3Builder, AmazonS3ConfigKey},
    azure::{AzureConfigKey, MicrosoftAzureBuilder},
    gcp::{GoogleCloudStorageBuilder, GoogleConfigKey},
    local::LocalFileSystem,
    path::Path,
};

use crate::{
    Limits, ShareError,
    limits::{CONNECT_TIMEOUT, MAX_RETRIES},
};

/// Where generations are shared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    Folder(PathBuf),
    /// Service, bucket, and what all names begin with.
    Bucket {
        service: Service,
        bucket: String,
        prefix: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Service {
    S3,
    Google,
    Azure,
}

/// A store that generations are shared through.
#[derive(Debug, Clone)]
pub struct Share {
    pub(crate) store: Arc<dyn ObjectStore>,
    pub(crate) root: Path,
    pub(crate) limits: Limits,
}

impl Place {
    /// Reads an address.
    pub fn parse(url: &str) -> Result<Place, ShareError> {
        let wrong = |what: &str| {
            let forms = "file:///folder, s3://bucket/prefix, gs://bucket/prefix or az://container/prefix";
            ShareError::Place(format!("{what}: write {forms}"))
        };
        let (scheme, rest) = url.split_once("://").ok_or_else(|| wrong("`url` has no scheme"))?;
        if rest.contains(['@', '?', '#']) {
            return Err(wrong("`url` holds no credentials and no options, which come from the environment"));
        }
        let service = match scheme {
            "file" if rest.starts_with('/') => return Ok(Place::Folder(PathBuf::from(rest))),
            "file" => return Err(wrong("the folder of a `file://` is absolute")),
            "s3" => Service::S3,
            "gs" => Service::Google,
            "az" => Service::Azure,
            _ => return Err(wrong(&format!("`url` has the unknown scheme `{scheme}`"))),
        };
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() {
            return Err(wrong("`url` names no bucket"));
        }
        Ok(Place::Bucket { service, bucket: bucket.to_owned(), prefix: prefix.trim_matches('/').to_owned() })
    }
}

impl Share {
    /// Makes the client of a store. Nothing is asked yet; reading the certificates of the machine blocks.
    pub fn open(place: &Place) -> Result<Share, ShareError> {
        let (store, prefix) = match place {
            Place::Folder(folder) => (open_folder(folder)?, ""),
            Place::Bucket { service, bucket, prefix } => {
                // One library for all TLS of the process. Whoever was first is right.
                let _ = rustls::crypto::ring::default_provider().install_default();
                (open_bucket(*service, bucket).map_err(unusable)?, prefix.as_str())
            }
        };
        Ok(Share {
            store,
            root: Path::parse(prefix).map_err(|error| unusable(error.into()))?,
            limits: Limits::default(),
        })
    }

    /// Shares through a store of the caller's making.
    pub fn over(store: Arc<dyn ObjectStore>, limits: Limits) -> Share {
        Share { store, root: Path::default(), limits }
    }
}

fn open_folder(folder: &std::path::Path) -> Result<Arc<dyn ObjectStore>, ShareError> {
    let unusable = |error: &dyn std::fmt::Display| {
        ShareError::Place(format!("the folder `{}` of `[generations]` cannot be used: {error}", folder.display()))
    };
    std::fs::create_dir_all(folder).map_err(|error| unusable(&error))?;
    let store = LocalFileSystem::new_with_prefix(folder).map_err(|error| unusable(&error))?;
    Ok(Arc::new(store.with_automatic_cleanup(true)))
}

fn open_bucket(service: Service, bucket: &str) -> object_store::Result<Arc<dyn ObjectStore>> {
    let options = client_options();
    Ok(match service {
        Service::S3 => {
            let mut builder = AmazonS3Builder::from_env().with_bucket_name(bucket).with_retry(retry());
            for (key, value) in options {
                builder = builder.with_config(AmazonS3ConfigKey::Client(key), value);
            }
            Arc::new(builder.build()?)
        }
        Service::Google => {
            let mut builder = GoogleCloudStorageBuilder::from_env().with_bucket_name(bucket).with_retry(retry());
            for (key, value) in options {
                builder = builder.with_config(GoogleConfigKey::Client(key), value);
            }
            Arc::new(builder.build()?)
        }
        Service::Azure => {
            let mut builder = MicrosoftAzureBuilder::from_env().with_container_name(bucket).with_retry(retry());
            for (key, value) in options {
                builder = builder.with_config(AzureConfigKey::Client(key), value);
            }
            Arc::new(builder.build()?)
        }
    })
}

/// What all clients have in common. One request may carry a large file, so that it is bounded by silence, not by its length.
fn client_options() -> [(ClientConfigKey, String); 3] {
    let limits = Limits::default();
    let seconds = |limit: std::time::Duration| format!("{} seconds", limit.as_secs());
    [
        (ClientConfigKey::ConnectTimeout, seconds(CONNECT_TIMEOUT)),
        (ClientConfigKey::ReadTimeout, seconds(limits.stall)),
        (ClientConfigKey::Timeout, seconds(10 * limits.whole)),
    ]
}

fn retry() -> RetryConfig {
    RetryConfig { backoff: BackoffConfig::default(), max_retries: MAX_RETRIES, retry_timeout: Limits::default().stall }
}

fn unusable(error: object_store::Error) -> ShareError {
    ShareError::Place(format!("the object store of `[generations]` cannot be used: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        let bucket = |service, bucket: &str, prefix: &str| {
            Some(Place::Bucket { service, bucket: bucket.to_owned(), prefix: prefix.to_owned() })
        };
        for (url, expected) in [
            ("file:///srv/generations", Some(Place::Folder("/srv/generations".into()))),
            ("s3://indexes", bucket(Service::S3, "indexes", "")),
            ("s3://indexes/team/a/", bucket(Service::S3, "indexes", "team/a")),
            ("gs://indexes/team", bucket(Service::Google, "indexes", "team")),
            ("az://indexes/team", bucket(Service::Azure, "indexes", "team")),
            ("s3://key:secret@indexes/team", None),
            ("s3://indexes/team?sig=secret", None),
            ("s3:///team", None),
            ("file://srv", None),
            ("ftp://indexes", None),
            ("/srv/generations", None),
        ] {
            let read = Place::parse(url);
            if let Err(error) = &read {
                assert!(!error.to_string().contains("secret"), "{error}");
            }
            assert_eq!(read.ok(), expected, "{url}");
        }
    }
}
