//! A fake object store with the part of S3 that a worker needs, without signatures, and with scripted misbehaviour.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    process::Command,
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
};

/// Its bucket.
pub const BUCKET: &str = "indexes";

/// Behaviour for requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreBehaviour {
    Sound,
    /// Accepts the request, and sends nothing until the service ends.
    Silent,
    Status(u16),
}

/// A service on this machine, until it is dropped.
pub struct ObjectService {
    address: SocketAddr,
    state: Arc<State>,
    serving: Option<JoinHandle<()>>,
}

struct State {
    is_over: AtomicBool,
    behaviour: Mutex<StoreBehaviour>,
    /// Objects by key, without the bucket.
    objects: Mutex<BTreeMap<String, Vec<u8>>>,
    /// Number of earlier objects, by key.
    order: Mutex<BTreeMap<String, usize>>,
    /// `METHOD key` of each request, without listings.
    requests: Mutex<Vec<String>>,
    held: Mutex<Vec<TcpStream>>,
}

struct ReceivedRequest {
    method: String,
    key: String,
    query: String,
    body: Vec<u8>,
}

impl ObjectService {
    pub fn start(behaviour: StoreBehaviour) -> ObjectService {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let state = Arc::new(State {
            is_over: AtomicBool::new(false),
            behaviour: Mutex::new(behaviour),
            objects: Mutex::default(),
            order: Mutex::default(),
            requests: Mutex::default(),
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
        ObjectService { address, state, serving: Some(serving) }
    }

    pub fn set(&self, behaviour: StoreBehaviour) {
        *lock(&self.state.behaviour) = behaviour;
    }

    /// Returns the keys of the objects, in order.
    pub fn names(&self) -> Vec<String> {
        lock(&self.state.objects).keys().cloned().collect()
    }

    /// Changes the objects.
    pub fn change(&self, change: impl FnOnce(&mut BTreeMap<String, Vec<u8>>)) {
        change(&mut lock(&self.state.objects));
    }

    /// Returns `METHOD key` of each request.
    pub fn requests(&self) -> Vec<String> {
        lock(&self.state.requests).clone()
    }

    /// Sets the environment variables with credentials and address for a process.
    pub fn configure(&self, command: &mut Command) {
        command.envs([
            ("AWS_ENDPOINT", format!("http://{}", self.address).as_str()),
            ("AWS_ALLOW_HTTP", "true"),
            ("AWS_REGION", "us-east-1"),
            ("AWS_ACCESS_KEY_ID", "an-id"),
            ("AWS_SECRET_ACCESS_KEY", "a-secret-of-the-tests"),
            ("AWS_DISABLE_BULK_DELETE", "true"),
        ]);
    }
}

impl Drop for ObjectService {
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
        let received = read(&stream)?;
        let behaviour = *lock(&self.behaviour);
        if received.query.is_empty() {
            lock(&self.requests).push(format!("{} {}", received.method, received.key));
        }
        let (status, body) = match behaviour {
            StoreBehaviour::Sound => self.act(&received),
            StoreBehaviour::Status(status) => (status, Vec::new()),
            StoreBehaviour::Silent => {
                lock(&self.held).push(stream);
                return Ok(());
            }
        };
        let head = format!(
            "HTTP/1.1 {status} Any\r\nconnection: close\r\ncontent-length: {}\r\netag: \"1\"\r\n\
             last-modified: Mon, 16 Jun 2025 12:00:00 GMT\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes())?;
        if received.method == "HEAD" { Ok(()) } else { stream.write_all(&body) }
    }

    fn act(&self, received: &ReceivedRequest) -> (u16, Vec<u8>) {
        let mut objects = lock(&self.objects);
        match received.method.as_str() {
            "PUT" => {
                objects.insert(received.key.clone(), received.body.clone());
                let mut order = lock(&self.order);
                let place = order.values().max().map_or(0, |last| last + 1);
                order.insert(received.key.clone(), place);
                (200, Vec::new())
            }
            "GET" if received.query.contains("list-type=2") => {
                (200, listing(&objects, &lock(&self.order), &received.query).into_bytes())
            }
            "GET" | "HEAD" => objects.get(&received.key).map_or((404, Vec::new()), |bytes| (200, bytes.clone())),
            "DELETE" => {
                objects.remove(&received.key);
                (204, Vec::new())
            }
            _ => (501, Vec::new()),
        }
    }
}

fn listing(objects: &BTreeMap<String, Vec<u8>>, order: &BTreeMap<String, usize>, query: &str) -> String {
    let prefix = query.split('&').find_map(|part| part.strip_prefix("prefix=")).unwrap_or_default().replace("%2F", "/");
    let item = |(key, bytes): (&String, &Vec<u8>)| {
        // One object per second.
        let place = order.get(key).copied().unwrap_or_default();
        let at = format!("2025-06-16T12:{:02}:{:02}.000Z", place / 60 % 60, place % 60);
        let size = bytes.len();
        format!(
            "<Contents><Key>{key}</Key><LastModified>{at}</LastModified><ETag>1</ETag><Size>{size}</Size></Contents>"
        )
    };
    let items: String = objects.iter().filter(|(key, _)| key.starts_with(&prefix)).map(item).collect();
    format!("<ListBucketResult><IsTruncated>false</IsTruncated>{items}</ListBucketResult>")
}

fn read(stream: &TcpStream) -> std::io::Result<ReceivedRequest> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first)?;
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
    let mut words = first.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let key = path.trim_start_matches('/').trim_start_matches(BUCKET).trim_start_matches('/').to_owned();
    Ok(ReceivedRequest { method: method.to_owned(), key, query: query.to_owned(), body })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no holder of this lock panics")
}
