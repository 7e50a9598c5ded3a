//! Callers: so many at a time, or so many a second whatever comes back.

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

use crate::stand::Service;

/// Connections over which calls are offered at a rate: as many can be in flight.
const CONNECTIONS: usize = 600;

/// How fast is asked.
#[derive(Clone, Copy)]
pub(crate) enum Pace {
    /// So many callers, each of whom asks again once answered.
    Callers(usize),
    /// So many calls a second, whatever becomes of them.
    PerSecond(f64),
}

/// What came of the calls.
#[derive(Default)]
pub(crate) struct Figures {
    answered: Vec<Duration>,
    partial: usize,
    shed: Vec<Duration>,
    failed: usize,
    /// The least that a gateway can be asked, while it is asked all that: what the machine itself takes.
    alive: Vec<Duration>,
    /// Calls that found no connection free: they were never sent.
    not_sent: usize,
    lasted: Duration,
}

impl Figures {
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

    /// Returns how many calls were answered a second.
    pub(crate) fn rate(&self) -> f64 {
        self.answered.len() as f64 / self.lasted.as_secs_f64()
    }

    /// Returns the time that one answer of a hundred took longer than.
    pub(crate) fn tail(&mut self) -> Duration {
        self.answered.sort_unstable();
        self.answered.get(self.answered.len() * 99 / 100).copied().unwrap_or(Duration::MAX)
    }

    /// Returns the median, tails and the longest of durations.
    pub(crate) fn spread(took: &mut [Duration]) -> String {
        took.sort_unstable();
        let Some(longest) = took.last() else { return "none".to_owned() };
        let at = |part: usize| took[(took.len() * part / 100).min(took.len() - 1)].as_secs_f64() * 1e3;
        let longest = longest.as_secs_f64() * 1e3;
        format!("p50 {:.1}, p95 {:.1}, p99 {:.1}, max {longest:.1} ms", at(50), at(95), at(99))
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let answered = Figures::spread(&mut self.answered.clone());
        write!(f, "{:.0} answers/s ({answered}), {} partial, {} failed", self.rate(), self.partial, self.failed)?;
        if !self.shed.is_empty() {
            write!(f, ", {} turned away ({})", self.shed.len(), Figures::spread(&mut self.shed.clone()))?;
            write!(f, ", /livez beside them ({})", Figures::spread(&mut self.alive.clone()))?;
        }
        if self.not_sent > 0 {
            write!(f, ", {} not sent", self.not_sent)?;
        }
        Ok(())
    }
}

/// Asks for a while.
pub(crate) async fn run(service: &Service, questions: &[String], pace: Pace, lasting: Duration) -> Figures {
    run_while(service, questions, pace, tokio::time::sleep(lasting)).await
}

/// Asks for as long as something else takes.
pub(crate) async fn run_while(
    service: &Service,
    questions: &[String],
    pace: Pace,
    meanwhile: impl Future<Output = ()>,
) -> Figures {
    let is_over = Arc::new(AtomicBool::new(false));
    let asking = asking(service, questions, pace, Arc::clone(&is_over));
    let (figures, ()) = tokio::join!(asking, async {
        meanwhile.await;
        is_over.store(true, Ordering::Relaxed);
    });
    figures
}

async fn asking(service: &Service, questions: &[String], pace: Pace, is_over: Arc<AtomicBool>) -> Figures {
    let figures = Arc::new(Mutex::new(Figures::default()));
    let questions: Arc<[String]> = questions.into();
    let (began, next) = (Instant::now(), Arc::new(AtomicUsize::new(0)));
    let callers = match pace {
        Pace::Callers(callers) => callers,
        Pace::PerSecond(_) => CONNECTIONS,
    };
    // At a rate, turns are handed out as time passes; a turn that nobody is free to take was never sent.
    let (turns, taken) = tokio::sync::mpsc::channel::<()>(1);
    let taken = Arc::new(tokio::sync::Mutex::new(taken));
    let mut asking = tokio::task::JoinSet::new();
    asking.spawn(ask_whether_alive(service.clone(), Arc::clone(&figures), Arc::clone(&is_over)));
    for caller in 0..callers {
        let (figures, questions, next, taken) = (figures.clone(), questions.clone(), next.clone(), taken.clone());
        let (service, is_over) = (service.clone(), Arc::clone(&is_over));
        asking.spawn(async move {
            let mut client = Client::connect(service.of(caller)).await;
            while !is_over.load(Ordering::Relaxed) {
                if matches!(pace, Pace::PerSecond(_)) && taken.lock().await.recv().await.is_none() {
                    return;
                }
                if client.is_closed() {
                    client = Client::connect(service.of(caller)).await;
                }
                let question = &questions[next.fetch_add(1, Ordering::Relaxed) % questions.len()];
                let sent = Instant::now();
                let reply = client.post("search_codebase", json!({"query": question, "repo": "all", "limit": 5})).await;
                let took = sent.elapsed();
                figures.lock().expect("no caller panics with it").note(reply, took);
            }
        });
    }
    if let Pace::PerSecond(rate) = pace {
        let mut not_sent = 0;
        let mut n_due = 0.0;
        while !is_over.load(Ordering::Relaxed) {
            tokio::time::sleep(Duration::from_millis(1)).await;
            while n_due < began.elapsed().as_secs_f64() * rate {
                n_due += 1.0;
                if turns.send_timeout((), Duration::from_micros(50)).await.is_err() {
                    not_sent += 1;
                }
            }
        }
        figures.lock().expect("no caller panics with it").not_sent = not_sent;
    }
    drop(turns);
    while asking.join_next().await.is_some() {}
    let mut figures = std::mem::take(&mut *figures.lock().expect("no caller panicked with it"));
    figures.lasted = began.elapsed();
    figures
}

async fn ask_whether_alive(service: Service, figures: Arc<Mutex<Figures>>, is_over: Arc<AtomicBool>) {
    /// Seldom enough to be no load.
    const PAUSE: Duration = Duration::from_millis(20);
    let mut client = Client::connect(service.of(0)).await;
    while !is_over.load(Ordering::Relaxed) {
        tokio::time::sleep(PAUSE).await;
        let sent = Instant::now();
        if client.is_alive().await {
            figures.lock().expect("no caller panics with it").alive.push(sent.elapsed());
        } else {
            client = Client::connect(service.of(0)).await;
        }
    }
}
