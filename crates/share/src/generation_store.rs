//! The client of an object store.
//!
//! Credentials, endpoints and regions come from the environment, by the names that the tools of each service use (`AWS_*`,
//! `GOOGLE_*`, `AZURE_*`), or from the identity of the machine.

use std::sync::Arc;

use object_store::{
    BackoffConfig, ClientConfigKey, ObjectStore, RetryConfig,
    aws::{AmazonS3Builder, AmazonS3ConfigKey},
    azure::{AzureConfigKey, MicrosoftAzureBuilder},
    gcp::{GoogleCloudStorageBuilder, GoogleConfigKey},
    local::LocalFileSystem,
    path::Path,
};

use crate::{
    address::{BucketService, StoreAddress},
    error::ShareError,
    limits::{CONNECT_TIMEOUT, MAX_RETRIES, TransferLimits},
};

/// An object store with sealed generations.
///
/// `holds`, `export`, `load`, `sweep` and `discard` are in the files of these operations.
#[derive(Debug, Clone)]
pub struct GenerationStore {
    pub(crate) store: Arc<dyn ObjectStore>,
    pub(crate) root: Path,
    pub(crate) limits: TransferLimits,
}

impl GenerationStore {
    /// Creates the client of a store. It makes no request, but reads the certificates of the machine, which blocks.
    pub fn open(address: &StoreAddress) -> Result<GenerationStore, ShareError> {
        let (store, prefix) = match address {
            StoreAddress::Folder(folder) => (open_folder(folder)?, ""),
            StoreAddress::Bucket { service, bucket, prefix } => {
                // The process has one TLS library; an installed one stays.
                let _ = rustls::crypto::ring::default_provider().install_default();
                (open_bucket(*service, bucket).map_err(config_error)?, prefix.as_str())
            }
        };
        Ok(GenerationStore {
            store,
            root: Path::parse(prefix).map_err(|error| config_error(error.into()))?,
            limits: TransferLimits::default(),
        })
    }

    /// Uses an object store that the caller created.
    pub fn with_store(store: Arc<dyn ObjectStore>, limits: TransferLimits) -> GenerationStore {
        GenerationStore { store, root: Path::default(), limits }
    }
}

fn open_folder(folder: &std::path::Path) -> Result<Arc<dyn ObjectStore>, ShareError> {
    let folder_error = |error: &dyn std::fmt::Display| {
        ShareError::Address(format!("the folder `{}` of `[generations]` cannot be used: {error}", folder.display()))
    };
    std::fs::create_dir_all(folder).map_err(|error| folder_error(&error))?;
    let store = LocalFileSystem::new_with_prefix(folder).map_err(|error| folder_error(&error))?;
    Ok(Arc::new(store.with_automatic_cleanup(true)))
}

fn open_bucket(service: BucketService, bucket: &str) -> object_store::Result<Arc<dyn ObjectStore>> {
    let options = client_options();
    Ok(match service {
        BucketService::S3 => {
            let mut builder = AmazonS3Builder::from_env().with_bucket_name(bucket).with_retry(retry());
            for (key, value) in options {
                builder = builder.with_config(AmazonS3ConfigKey::Client(key), value);
            }
            Arc::new(builder.build()?)
        }
        BucketService::Google => {
            let mut builder = GoogleCloudStorageBuilder::from_env().with_bucket_name(bucket).with_retry(retry());
            for (key, value) in options {
                builder = builder.with_config(GoogleConfigKey::Client(key), value);
            }
            Arc::new(builder.build()?)
        }
        BucketService::Azure => {
            let mut builder = MicrosoftAzureBuilder::from_env().with_container_name(bucket).with_retry(retry());
            for (key, value) in options {
                builder = builder.with_config(AzureConfigKey::Client(key), value);
            }
            Arc::new(builder.build()?)
        }
    })
}

/// Returns the options of all clients. One request may transfer a large file, so the read timeout bounds it, not its total
/// duration.
fn client_options() -> [(ClientConfigKey, String); 3] {
    let limits = TransferLimits::default();
    let seconds = |limit: std::time::Duration| format!("{} seconds", limit.as_secs());
    [
        (ClientConfigKey::ConnectTimeout, seconds(CONNECT_TIMEOUT)),
        (ClientConfigKey::ReadTimeout, seconds(limits.stall)),
        (ClientConfigKey::Timeout, seconds(10 * limits.whole)),
    ]
}

fn retry() -> RetryConfig {
    RetryConfig {
        backoff: BackoffConfig::default(),
        max_retries: MAX_RETRIES,
        retry_timeout: TransferLimits::default().stall,
    }
}

fn config_error(error: object_store::Error) -> ShareError {
    ShareError::Address(format!("the object store of `[generations]` cannot be used: {error}"))
}
