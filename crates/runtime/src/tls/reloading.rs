//! What is made from files, made anew when they change.
//!
//! The files are looked at when somebody needs what is made of them, at most every few seconds: so no task has to be
//! owned by anybody, and nobody looks for whom nobody connects to. They are compared by what they hold, since a mounted
//! secret changes by a link that leads elsewhere, and its times may go backwards.

use std::{
    fs, mem,
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

/// How often the files are looked at, at most: three small reads.
const LOOK_INTERVAL: Duration = Duration::from_secs(2);

/// A file with certificates or a key, as it was read.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Pem {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl Pem {
    fn read(path: &Path) -> Result<Pem, TlsError> {
        let unreadable = |error: std::io::Error| TlsError::Read { path: path.to_owned(), reason: error.to_string() };
        Ok(Pem { path: path.to_owned(), bytes: fs::read(path).map_err(unreadable)? })
    }

    pub(super) fn certificates(&self) -> Result<Vec<CertificateDer<'static>>, TlsError> {
        let what = "certificate";
        let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&self.bytes).collect();
        let certificates = read.map_err(|error| self.broken(what, &error.to_string()))?;
        if certificates.is_empty() {
            return Err(TlsError::Empty { path: self.path.clone(), what });
        }
        Ok(certificates)
    }

    /// Returns the authorities in the file.
    pub(super) fn authorities(&self) -> Result<Arc<RootCertStore>, TlsError> {
        let mut store = RootCertStore::empty();
        for certificate in self.certificates()? {
            store.add(certificate).map_err(|error| self.broken("certificate", &error.to_string()))?;
        }
        Ok(Arc::new(store))
    }

    pub(super) fn key(&self) -> Result<PrivateKeyDer<'static>, TlsError> {
        // The reason is left out: it might hold what was read.
        PrivateKeyDer::from_pem_slice(&self.bytes)
            .map_err(|_| TlsError::Empty { path: self.path.clone(), what: "private key" })
    }

    pub(super) fn unusable(&self, reason: impl ToString) -> TlsError {
        TlsError::Unusable { path: self.path.clone(), reason: reason.to_string() }
    }

    fn broken(&self, what: &'static str, reason: &str) -> TlsError {
        TlsError::Pem { path: self.path.clone(), what, reason: reason.to_owned() }
    }
}

/// The files that something is made from, in the order in which its maker takes them.
type Files = [Pem; 3];

/// What is made from files, and how.
pub(super) struct Reloading<C> {
    paths: [PathBuf; 3],
    make: fn(&Files) -> Result<C, TlsError>,
    state: Mutex<State<C>>,
}

struct State<C> {
    made: Arc<C>,
    /// What was read last, whether or not anything could be made of it.
    seen: Result<Files, TlsError>,
    looked: Instant,
}

impl<C: Send + Sync + 'static> Reloading<C> {
    /// Reads the files for the first time. Blocking.
    pub(super) fn open(paths: [PathBuf; 3], make: fn(&Files) -> Result<C, TlsError>) -> Result<Arc<Self>, TlsError> {
        let files = read(&paths)?;
        let made = Arc::new(make(&files)?);
        let state = State { made, seen: Ok(files), looked: Instant::now() };
        Ok(Arc::new(Reloading { paths, make, state: Mutex::new(state) }))
    }

    /// Returns the newest that could be made.
    pub(super) async fn current(self: &Arc<Self>) -> Arc<C> {
        if let Some(made) = self.fresh() {
            return made;
        }
        let reloading = Arc::clone(self);
        // Files may lie on a network; whoever needs a connection meanwhile gets the old ones.
        let looked = tokio::task::spawn_blocking(move || reloading.look()).await;
        if let Err(error) = looked {
            tracing::error!(%error, "looking for new certificates failed");
        }
        Arc::clone(&self.lock().made)
    }

    /// Returns what there is, if the files were looked at a moment ago; otherwise they count as looked at from now on.
    fn fresh(&self) -> Option<Arc<C>> {
        let mut state = self.lock();
        if state.looked.elapsed() < LOOK_INTERVAL {
            return Some(Arc::clone(&state.made));
        }
        state.looked = Instant::now();
        None
    }

    fn look(&self) {
        let seen = read(&self.paths);
        let before = mem::replace(&mut self.lock().seen, seen.clone());
        if before == seen {
            return;
        }
        match seen.and_then(|files| (self.make)(&files)) {
            Ok(made) => {
                self.lock().made = Arc::new(made);
                tracing::info!(certificate = %self.paths[0].display(), "new certificates are in use");
            }
            Err(error) => tracing::error!(%error, "new certificates cannot be used, the old ones stay"),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<C>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn read(paths: &[PathBuf; 3]) -> Result<Files, TlsError> {
    let [first, second, third] = paths;
    Ok([Pem::read(first)?, Pem::read(second)?, Pem::read(third)?])
}
