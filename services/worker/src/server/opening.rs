//! The parts of a worker that are opened once, when it starts.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use embed::{Embedder, ModelConfig};
use proto::grant::GrantKeys;
use runtime::tls::{ClientFiles, ServerFiles, TlsClient, TlsError};
use store::{OpenReport, Store};
use tokio_util::sync::CancellationToken;

use super::StartError;
use crate::{
    indexing::FactsCache,
    operators::WorkerMetrics,
    repositories::DataDir,
    sharing::{GenerationsSettings, Sharing},
};

/// Maximum size on disk of the vectors of an embedding service, for all repositories together: some four million vectors.
/// Evicted vectors are requested again when they are needed.
const VECTORS_CAP_BYTES: u64 = 4 << 30;

/// Returns the TLS of connections to other workers: the certificate of this worker, and the authority of the gateways'.
pub(super) fn peer_tls(files: &ServerFiles) -> Result<TlsClient, TlsError> {
    let ServerFiles { cert, key, client_ca } = files.clone();
    TlsClient::open(&ClientFiles { ca: client_ca, cert, key })
}

/// Reads the keys of grants.
pub(super) fn grant_keys(path: &Path) -> Result<Arc<GrantKeys>, StartError> {
    let unusable = |reason: String| StartError::GrantKeys { path: path.to_owned(), reason };
    let text = files::read_text(path, files::MAX_SETTINGS_BYTES).map_err(|error| unusable(error.to_string()))?;
    Ok(Arc::new(GrantKeys::parse(&text).map_err(|error| unusable(error.to_string()))?))
}

/// Opens the model, with a store for the vectors of a service unless the data folder is read-only.
pub(super) async fn model(config: ModelConfig, vectors: Option<PathBuf>) -> Result<Embedder, StartError> {
    tokio::task::spawn_blocking(move || open_model(&config, vectors.as_deref())).await?
}

fn open_model(config: &ModelConfig, vectors: Option<&Path>) -> Result<Embedder, StartError> {
    let store = match (config, vectors) {
        (ModelConfig::BuiltIn | ModelConfig::Local(_), _) | (_, None) => None,
        (ModelConfig::Endpoint(_), Some(vectors)) => {
            let (store, report) = Store::open(vectors, VECTORS_CAP_BYTES)?;
            log_damage(&report);
            Some(Arc::new(store))
        }
    };
    Ok(Embedder::open(config, store)?)
}

/// Opens the object store of generations, if one is configured.
pub(super) async fn sharing(
    settings: Option<GenerationsSettings>,
    metrics: Arc<WorkerMetrics>,
    stop: CancellationToken,
) -> Result<Option<Arc<Sharing>>, StartError> {
    let Some(settings) = settings else { return Ok(None) };
    let opened = tokio::task::spawn_blocking(move || Sharing::open(&settings, metrics, stop)).await??;
    Ok(Some(Arc::new(opened)))
}

/// Opens the cache of facts. A worker without one is slower, and works. A read-only one extracts no facts.
pub(super) fn facts_cache(data: &DataDir) -> FactsCache {
    if data.read_only_reason().is_some() {
        return FactsCache::disabled();
    }
    match FactsCache::open(&data.facts()) {
        Ok((facts, report)) => {
            log_damage(&report);
            facts
        }
        Err(error) => {
            tracing::warn!(%error, "facts are not cached");
            FactsCache::disabled()
        }
    }
}

fn log_damage(report: &OpenReport) {
    for aside in &report.set_aside {
        tracing::warn!(path = %aside.path.display(), reason = %aside.reason, "damaged cache set aside");
    }
}
