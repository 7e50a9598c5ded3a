//! Load generator: a closed loop of callers, or a fixed rate independent of the replies.

use std::{
    fmt,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use causeway_tests::measure::client::Client;
use hyper::StatusCode;
use serde_json::json;

use crate::processes::LoadBalancer;

/// Number of connections at a fixed rate, and thus of calls in flight.
const CONNECTIONS: usize = 600;

/// Load profile.
#[derive(Clone, Copy)]
pub(crate) enum LoadProfile {
    /// A closed loop: each caller sends its next call after the reply.
    Callers(usize),
    /// A fixed rate of calls per second, independent of the replies.
    PerSecond(f64),
}

/// Measurements of one load.
#[derive(Default)]
pub(crate) struct LoadMeasurements {
    answered: Vec<Duration>,
    partial: usize,
    shed: Vec<Duration>,
    failed: usize,
    /// Latency of `/livez` during the load: the share of the machine itself.
    alive: Vec<Duration>,
    /// Calls that were not sent since no connection was free.
    not_sent: usize,
    lasted: Duration,
}

impl LoadMeasurements {
    fn note(&mut self, reply: Result<(StatusCode, String), hyper::Error>, took: Duration) {
        match reply {
            Ok((StatusCode::OK, text)) if !text.contains("\"isError\":true") => {
                self.answered.push(took);
                self.partial += usize::from(!text.contains("\"complete\":true"));
            }
            Ok((StatusCode::SERVICE_UNAVAILABLE, _)) => self.shed.push(took),
            Ok(_) | Err(_) => self.failed += 1,
        }
    }

    /// Returns the number of answers per second.
    pub(crate) fn rate(&self) -> f64 {
        self.answered.len() as f64 / self.lasted.as_secs_f64()
    }

    /// Returns the 99th percentile of the latency.
    pub(crate) fn tail(&mut self) -> Duration {
        self.answered.sort_unstable();
        self.answered.get(self.answered.len() * 99 / 100).copied().unwrap_or(Duration::MAX)
    }

    /// Returns percentiles and maximum of durations.
    pub(crate) fn spread(took: &mut [Duration]) -> String {
        took.sort_unstable();
        let Some(longest) = took.last() else { return "none".to_owned() };
        let at = |part: usize| took[(took.len() * part / 100).min(took.len() - 1)].as_secs_f64() * 1e3;
        let longest = longest.as_secs_f64() * 1e3;
        format!("p50 {:.1}, p95 {:.1}, p99 {:.1}, max {longest:.1} ms", at(50), at(95), at(99))
    }
}

impl fmt::Display for LoadMeasurements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let answered = LoadMeasurements::spread(&mut self.answered.clone());
        write!(f, "{:.0} answers/s ({answered}), {} partial, {} failed", self.rate(), self.partial, self.failed)?;
        if !self.shed.is_empty() {
            write!(f, ", {} rejected ({})", self.shed.len(), LoadMeasurements::spread(&mut self.shed.clone()))?;
            write!(f, ", /livez beside them ({})", LoadMeasurements::spread(&mut self.alive.clone()))?;
        }
        if self.not_sent > 0 {
            write!(f, ", {} not sent", self.not_sent)?;
        }
        Ok(())
    }
}

/// Generates load for a duration.
pub(crate) async fn run(
    service: &LoadBalancer,
    questions: &[String],
    profile: LoadProfile,
    lasting: Duration,
) -> LoadMeasurements {
    run_while(service, questions, profile, tokio::time::sleep(lasting)).await
}

/// Generates load until `meanwhile` completes.
pub(crate) async fn run_while(
    service: &LoadBalancer,
    questions: &[String],
    profile: LoadProfile,
    meanwhile: impl Future<Output = ()>,
) -> LoadMeasurements {
    let is_over = Arc::new(AtomicBool::new(false));
    let generate = generate(service, questions, profile, Arc::clone(&is_over));
    let (measurements, ()) = tokio::join!(generate, async {
        meanwhile.await;
        is_over.store(true, Ordering::Relaxed);
    });
    measurements
}

async fn generate(
    service: &LoadBalancer,
    questions: &[String],
    profile: LoadProfile,
    is_over: Arc<AtomicBool>,
) -> LoadMeasurements {
    let measurements = Arc::new(Mutex::new(LoadMeasurements::default()));
    let questions: Arc<[String]> = questions.into();
    let (began, next) = (Instant::now(), Arc::new(AtomicUsize::new(0)));
    let callers = match profile {
        LoadProfile::Callers(callers) => callers,
        LoadProfile::PerSecond(_) => CONNECTIONS,
    };
    // At a fixed rate, permits are issued over time; a permit without a free caller is a call that is not sent.
    let (permits, next_permit) = tokio::sync::mpsc::channel::<()>(1);
    let next_permit = Arc::new(tokio::sync::Mutex::new(next_permit));
    let mut generate = tokio::task::JoinSet::new();
    generate.spawn(probe_liveness(service.clone(), Arc::clone(&measurements), Arc::clone(&is_over)));
    for caller in 0..callers {
        let (measurements, questions, next, next_permit) =
            (measurements.clone(), questions.clone(), next.clone(), next_permit.clone());
        let (service, is_over) = (service.clone(), Arc::clone(&is_over));
        generate.spawn(async move {
            let mut client = Client::connect(service.of(caller)).await;
            while !is_over.load(Ordering::Relaxed) {
                if matches!(profile, LoadProfile::PerSecond(_)) && next_permit.lock().await.recv().await.is_none() {
                    return;
                }
                if client.is_closed() {
                    client = Client::connect(service.of(caller)).await;
                }
                let question = &questions[next.fetch_add(1, Ordering::Relaxed) % questions.len()];
                let sent = Instant::now();
                let reply = client.post("search_codebase", json!({"query": question, "repo": "all", "limit": 5})).await;
                let took = sent.elapsed();
                measurements.lock().expect("no caller panics with it").note(reply, took);
            }
        });
    }
    if let LoadProfile::PerSecond(rate) = profile {
        let mut not_sent = 0;
        let mut n_due = 0.0;
        while !is_over.load(Ordering::Relaxed) {
            tokio::time::sleep(Duration::from_millis(1)).await;
            while n_due < began.elapsed().as_secs_f64() * rate {
                n_due += 1.0;
                if permits.send_timeout((), Duration::from_micros(50)).await.is_err() {
                    not_sent += 1;
                }
            }
        }
        measurements.lock().expect("no caller panics with it").not_sent = not_sent;
    }
    drop(permits);
    while generate.join_next().await.is_some() {}
    let mut measurements = std::mem::take(&mut *measurements.lock().expect("no caller panicked with it"));
    measurements.lasted = began.elapsed();
    measurements
}

async fn probe_liveness(service: LoadBalancer, measurements: Arc<Mutex<LoadMeasurements>>, is_over: Arc<AtomicBool>) {
    /// Rare enough to add no load.
    const PAUSE: Duration = Duration::from_millis(20);
    let mut client = Client::connect(service.of(0)).await;
    while !is_over.load(Ordering::Relaxed) {
        tokio::time::sleep(PAUSE).await;
        let sent = Instant::now();
        if client.is_alive().await {
            measurements.lock().expect("no caller panics with it").alive.push(sent.elapsed());
        } else {
            client = Client::connect(service.of(0)).await;
        }
    }
}
