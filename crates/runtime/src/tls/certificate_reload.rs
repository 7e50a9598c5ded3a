//! TLS configurations that are rebuilt when their files change.
//!
//! The files are checked when a connection needs the configuration, at most every few seconds: this needs no background
//! task. They are compared by content, since a mounted secret changes by a symbolic link and its modification time may
//! go backwards.

use std::{
    mem,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;
use tokio_rustls::rustls::{
    RootCertStore,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
};

use super::TlsError;

/// Minimum interval between two checks of the files: three small reads.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// Content of a PEM file.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Pem {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl Pem {
    pub(crate) fn read(path: &Path) -> Result<Pem, TlsError> {
        let unreadable = |error: std::io::Error| TlsError::Read { path: path.to_owned(), reason: error.to_string() };
        Ok(Pem { path: path.to_owned(), bytes: files::read(path, files::MAX_SETTINGS_BYTES).map_err(unreadable)? })
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn certificates(&self) -> Result<Vec<CertificateDer<'static>>, TlsError> {
        let what = "certificate";
        let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&self.bytes).collect();
        let certificates = read.map_err(|error| self.malformed(what, &error.to_string()))?;
        if certificates.is_empty() {
            return Err(TlsError::Empty { path: self.path.clone(), what });
        }
        Ok(certificates)
    }

    /// Returns the certificate authorities in the file.
    pub(crate) fn authorities(&self) -> Result<Arc<RootCertStore>, TlsError> {
        let mut store = RootCertStore::empty();
        for certificate in self.certificates()? {
            store.add(certificate).map_err(|error| self.malformed("certificate", &error.to_string()))?;
        }
        Ok(Arc::new(store))
    }

    pub(crate) fn key(&self) -> Result<PrivateKeyDer<'static>, TlsError> {
        // The parser's reason is omitted, since it may contain key material.
        PrivateKeyDer::from_pem_slice(&self.bytes)
            .map_err(|_| TlsError::Empty { path: self.path.clone(), what: "private key" })
    }

    pub(super) fn unusable(&self, reason: impl ToString) -> TlsError {
        TlsError::Unusable { path: self.path.clone(), reason: reason.to_string() }
    }

    fn malformed(&self, what: &'static str, reason: &str) -> TlsError {
        TlsError::Pem { path: self.path.clone(), what, reason: reason.to_owned() }
    }
}

/// The PEM files of a configuration, in the order that its builder expects.
type PemFiles = [Pem; 3];

/// A configuration that is built from files, and its builder.
pub(super) struct ReloadingConfig<C> {
    paths: [PathBuf; 3],
    build: fn(&PemFiles) -> Result<C, TlsError>,
    state: Mutex<ReloadState<C>>,
}

struct ReloadState<C> {
    config: Arc<C>,
    /// The last read, successful or not.
    last_read: Result<PemFiles, TlsError>,
    checked_at: Instant,
}

impl<C: Send + Sync + 'static> ReloadingConfig<C> {
    /// Reads the files and builds the first configuration. Blocking.
    pub(super) fn open(
        paths: [PathBuf; 3],
        build: fn(&PemFiles) -> Result<C, TlsError>,
    ) -> Result<Arc<Self>, TlsError> {
        let files = read(&paths)?;
        let config = Arc::new(build(&files)?);
        let state = ReloadState { config, last_read: Ok(files), checked_at: Instant::now() };
        Ok(Arc::new(ReloadingConfig { paths, build, state: Mutex::new(state) }))
    }

    /// Returns the newest valid configuration.
    pub(super) async fn current(self: &Arc<Self>) -> Arc<C> {
        if let Some(config) = self.recently_checked() {
            return config;
        }
        let this = Arc::clone(self);
        // Files may be on a network file system; concurrent callers get the old configuration meanwhile.
        let checked_at = tokio::task::spawn_blocking(move || this.reload()).await;
        if let Err(error) = checked_at {
            tracing::error!(%error, "checking for new certificates failed");
        }
        Arc::clone(&self.lock().config)
    }

    /// Returns the configuration if the files were checked recently; otherwise marks them as checked now.
    fn recently_checked(&self) -> Option<Arc<C>> {
        let mut state = self.lock();
        if state.checked_at.elapsed() < CHECK_INTERVAL {
            return Some(Arc::clone(&state.config));
        }
        state.checked_at = Instant::now();
        None
    }

    fn reload(&self) {
        let last_read = read(&self.paths);
        let before = mem::replace(&mut self.lock().last_read, last_read.clone());
        if before == last_read {
            return;
        }
        match last_read.and_then(|files| (self.build)(&files)) {
            Ok(config) => {
                self.lock().config = Arc::new(config);
                tracing::info!(certificate = %self.paths[0].display(), "new certificates are in use");
            }
            Err(error) => tracing::error!(%error, "new certificates cannot be used; the old ones stay in use"),
        }
    }

    fn lock(&self) -> MutexGuard<'_, ReloadState<C>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn read(paths: &[PathBuf; 3]) -> Result<PemFiles, TlsError> {
    let [first, second, third] = paths;
    Ok([Pem::read(first)?, Pem::read(second)?, Pem::read(third)?])
}
