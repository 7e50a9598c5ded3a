//! A fake of OpenAI's embeddings service, with scripted misbehaviour.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
};

use serde_json::{Value, json};

/// Number of dimensions of its vectors.
pub const N_DIMS: usize = 4;

/// Behaviour for requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelBehaviour {
    Sound,
    /// Accepts the request, and sends nothing until the service ends.
    Silent,
    Status(u16),
    /// Sends invalid JSON.
    Garbage,
    /// Sends vectors with one dimension too many.
    Wide,
}

/// A service on this machine, until it is dropped.
pub struct ModelService {
    address: SocketAddr,
    state: Arc<State>,
    serving: Option<JoinHandle<()>>,
}

struct State {
    is_over: AtomicBool,
    behaviour: Mutex<ModelBehaviour>,
    texts: Mutex<Vec<String>>,
    /// Connections that are never answered.
    held: Mutex<Vec<TcpStream>>,
}

impl ModelService {
    pub fn start(behaviour: ModelBehaviour) -> ModelService {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let state = Arc::new(State {
            is_over: AtomicBool::new(false),
            behaviour: Mutex::new(behaviour),
            texts: Mutex::default(),
            held: Mutex::default(),
        });
        let serving = thread::spawn({
            let state = Arc::clone(&state);
            move || {
                for stream in listener.incoming().map_while(Result::ok) {
                    if state.is_over.load(Ordering::Acquire) {
                        return;
                    }
                    // A client that disconnects is irrelevant to the tests.
                    let _ = state.answer(stream);
                }
            }
        });
        ModelService { address, state, serving: Some(serving) }
    }

    pub fn set(&self, behaviour: ModelBehaviour) {
        *lock(&self.state.behaviour) = behaviour;
    }

    /// Returns and removes the texts of the requests.
    pub fn take_texts(&self) -> Vec<String> {
        std::mem::take(&mut *lock(&self.state.texts))
    }

    /// Returns the configuration line for this service.
    pub fn setting(&self) -> String {
        let url = format!("http://{}/v1", self.address);
        format!("model = {{ url = '{url}', name = 'small', dimensions = {N_DIMS}, requests_per_second = 1000 }}\n")
    }
}

impl Drop for ModelService {
    fn drop(&mut self) {
        self.state.is_over.store(true, Ordering::Release);
        lock(&self.state.held).clear();
        let woken = TcpStream::connect(self.address);
        if let (Ok(_), Some(serving)) = (woken, self.serving.take()) {
            let _ = serving.join();
        }
    }
}

impl State {
    fn answer(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let texts = read(&stream)?;
        let behaviour = *lock(&self.behaviour);
        lock(&self.texts).extend(texts.iter().cloned());
        let (status, body) = match behaviour {
            ModelBehaviour::Sound => (200, vectors(&texts, N_DIMS)),
            ModelBehaviour::Wide => (200, vectors(&texts, N_DIMS + 1)),
            ModelBehaviour::Status(status) => (status, String::new()),
            ModelBehaviour::Garbage => (200, "<html>".to_owned()),
            ModelBehaviour::Silent => {
                lock(&self.held).push(stream);
                return Ok(());
            }
        };
        let head = format!("HTTP/1.1 {status} Any\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
        stream.write_all((head + &body).as_bytes())
    }
}

/// Returns the texts of a request.
fn read(stream: &TcpStream) -> std::io::Result<Vec<String>> {
    let mut reader = BufReader::new(stream);
    let mut n_bytes = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        match line.trim_end().to_lowercase().split_once(':') {
            Some(("content-length", length)) => n_bytes = length.trim().parse().map_err(std::io::Error::other)?,
            Some(_) => {}
            None if line.trim_end().is_empty() => break,
            None => {}
        }
    }
    let mut body = vec![0; n_bytes];
    reader.read_exact(&mut body)?;
    let question: Value = serde_json::from_slice(&body)?;
    Ok(serde_json::from_value(question["input"].clone())?)
}

/// Returns a response: texts about money have one direction, all others another one.
fn vectors(texts: &[String], n_dims: usize) -> String {
    let of_text = |(index, text): (usize, &String)| {
        let is_of_money = ["refund", "reimburse"].iter().any(|word| text.contains(word));
        let mut numbers = vec![0.0; n_dims];
        numbers[usize::from(!is_of_money)] = 1.0;
        json!({"index": index, "embedding": numbers})
    };
    json!({"data": texts.iter().enumerate().map(of_text).collect::<Vec<_>>()}).to_string()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no holder of this lock panics")
}
