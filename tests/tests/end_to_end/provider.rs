//! The provider against a fake service with the real protocols: the outcome of each behaviour, the number of requests,
//! the token usage, and the secrecy of the key.

use std::{
    cell::Cell,
    io,
    sync::{Arc, Mutex},
    time::Duration,
};

use causeway_tests::{
    PATIENCE,
    language_service::{INPUT_TOKENS, KEY, LanguageService, Protocol, ServiceBehaviour},
};
use provider::{Completion, CompletionFailure, Limit, MAX_CONCURRENT, Prompt, Provider, ProviderSettings};
use serde_json::{Value, json};
use tokio::{
    sync::mpsc,
    time::{Instant, timeout},
};
use tracing_subscriber::{Layer as _, filter, fmt, layer::SubscriberExt as _, util::SubscriberInitExt as _};

const TEXT: &str = "Parcels are weighed in `weigh`, naïvely – see src/size.ts.";

const PROMPT: Prompt<'_> = Prompt { system: "Answer from the excerpts.", user: "Where are parcels weighed?" };

/// Longer than any step that is not meant to hang, and short enough for a test.
const SHORT: Duration = Duration::from_millis(400);

fn provider(service: &LanguageService, protocol: Protocol, more: &str) -> Provider {
    opened(&format!("{}{more}", service.provider(protocol)))
}

fn opened(settings: &str) -> Provider {
    let settings: ProviderSettings = toml::from_str(settings).expect("settings");
    Provider::open(&settings).expect("a provider")
}

async fn ask(provider: &Provider) -> Result<Completion, CompletionFailure> {
    provider.complete(&PROMPT, Instant::now() + PATIENCE, &mut |_| ()).await
}

/// Returns a result on one line.
fn outcome(result: &Result<Completion, CompletionFailure>) -> String {
    match result {
        Ok(Completion { text, ending, .. }) => format!("{ending:?}: {text}"),
        Err(failure) => format!("{failure:?}"),
    }
}

fn text() -> String {
    TEXT.to_owned()
}

fn status(status: u16, retry_after: Option<&'static str>) -> ServiceBehaviour {
    ServiceBehaviour::Status { status, retry_after, message: "the model is not well".to_owned() }
}

fn half(n_pieces: usize) -> ServiceBehaviour {
    ServiceBehaviour::Half { text: text(), n_pieces }
}

fn faulty(n_pieces: usize, error: &'static str) -> ServiceBehaviour {
    ServiceBehaviour::Faulty { text: text(), n_pieces, error }
}

/// Behaviours of the service, with their outcome and the number of requests.
fn cases() -> Vec<(Vec<ServiceBehaviour>, String, usize)> {
    let sound = || ServiceBehaviour::Sound(text());
    let whole = format!("Whole: {TEXT}");
    let limited = |wait: &str| format!("RateLimited {{ retry_after: {wait} }}");
    let failing = |status: u16| format!("Failing {{ status: {status} }}");
    let rejected = |status: u16, reason: &str| format!("Rejected {{ status: {status}, reason: {reason:?} }}");
    let malformed = || "Malformed".to_owned();
    vec![
        // Success.
        (vec![sound()], whole.clone(), 1),
        (vec![ServiceBehaviour::Lingering(text())], whole.clone(), 1),
        (vec![ServiceBehaviour::Cut(text())], format!("CutAtLimit: {TEXT}"), 1),
        (vec![ServiceBehaviour::Cut(String::new())], "CutAtLimit: ".to_owned(), 1),
        (vec![ServiceBehaviour::Refusing("I will".to_owned())], "Refused: I will".to_owned(), 1),
        // An incomplete completion is a failure; before its first piece, it is retried.
        (vec![ServiceBehaviour::Sound(" ".to_owned())], malformed(), 1),
        (vec![half(0), sound()], whole.clone(), 2),
        (vec![half(0)], malformed(), 2),
        (vec![half(2), sound()], malformed(), 1),
        (vec![ServiceBehaviour::Unended(text()), sound()], malformed(), 1),
        (vec![ServiceBehaviour::Unended(String::new()), sound()], whole.clone(), 2),
        (vec![faulty(0, "overloaded_error"), sound()], whole.clone(), 2),
        (vec![faulty(3, "overloaded_error"), sound()], malformed(), 1),
        (vec![faulty(0, "rate_limit_error"), sound()], limited("None"), 1),
        // Malformed responses.
        (vec![ServiceBehaviour::Raw(""), sound()], whole.clone(), 2),
        (vec![ServiceBehaviour::Raw("<html><body>Please log in</body></html>\n")], malformed(), 1),
        (vec![ServiceBehaviour::Raw("{\"choices\": []}\n")], malformed(), 1),
        (vec![ServiceBehaviour::Raw("data: {\"choices\": [{\"delta\"\n\n")], malformed(), 1),
        (vec![ServiceBehaviour::Raw("data: [DONE]\n\n")], malformed(), 1),
        (vec![ServiceBehaviour::Endless("and so on ")], malformed(), 1),
        (vec![ServiceBehaviour::EndlessEvent], malformed(), 1),
        // Rate limits.
        (vec![status(429, Some("0")), sound()], whole.clone(), 2),
        (vec![status(429, Some("0"))], limited("Some(0ns)"), 2),
        (vec![status(429, Some("3600")), sound()], limited("Some(3600s)"), 1),
        (vec![status(429, Some("1000000000000000000")), sound()], limited("Some(1000000000000000000s)"), 1),
        (vec![status(429, None), sound()], limited("None"), 1),
        (vec![status(429, Some("Fri, 31 Dec 1999 23:59:59 GMT")), sound()], limited("None"), 1),
        // Server errors.
        (vec![status(500, None), sound()], whole.clone(), 2),
        (vec![status(500, None)], failing(500), 2),
        (vec![status(502, None), sound()], whole.clone(), 2),
        (vec![status(503, Some("0")), sound()], whole.clone(), 2),
        (vec![status(503, Some("3600")), sound()], failing(503), 1),
        (vec![status(529, None), sound()], whole.clone(), 2),
        (vec![status(500, None), status(429, Some("0")), sound()], limited("Some(0ns)"), 2),
        (vec![status(504, None), sound()], failing(504), 1),
        // Client errors.
        (vec![status(400, None), sound()], rejected(400, "the model is not well"), 1),
        (vec![status(404, None)], rejected(404, "the model is not well"), 1),
        (vec![status(401, None)], rejected(401, "check `key_env` or `key_file`"), 1),
        (vec![status(302, None)], rejected(302, "it is a redirect: check `url`"), 1),
        (vec![status(204, None)], malformed(), 1),
    ]
}

#[tokio::test]
async fn every_service_behaviour_has_its_outcome() {
    for protocol in Protocol::ALL {
        for (behaviours, expected, n_requests) in cases() {
            let service = LanguageService::start(behaviours.clone()).await;
            let result = ask(&provider(&service, protocol, "")).await;
            assert_eq!(outcome(&result), expected, "{protocol:?} {behaviours:?}");
            assert_eq!(service.take_requests().len(), n_requests, "{protocol:?} {behaviours:?}");
            if let Err(failure) = result {
                let line = failure.to_string();
                assert!(line.len() < 250 && !line.contains(['\n', '\r']) && !line.contains("127.0.0.1"), "{line}");
            }
        }
    }
}

#[tokio::test]
async fn prompt_is_sent_and_usage_is_counted() {
    for protocol in Protocol::ALL {
        let service = LanguageService::start([ServiceBehaviour::Sound(text())]).await;
        let provider = provider(&service, protocol, "max_output_tokens = 333");
        let Completion { usage, .. } = ask(&provider).await.expect("an answer");
        let n_pieces = TEXT.chars().count().div_ceil(3) as u64;
        assert_eq!((usage.input_tokens, usage.output_tokens), (INPUT_TOKENS, n_pieces));
        assert_eq!(provider.spent_today(), usage.total());
        let requests = service.take_requests();
        assert_eq!((requests[0].system.as_str(), requests[0].user.as_str()), (PROMPT.system, PROMPT.user));
        assert_eq!((&requests[0].body["max_tokens"], &requests[0].body["stream"]), (&json!(333), &json!(true)));
        assert_eq!(provider.id(), format!("{}:writer", protocol.name()));
    }
}

#[tokio::test]
async fn pieces_are_passed_on_as_they_arrive() {
    for protocol in Protocol::ALL {
        let service = LanguageService::start([half(0), ServiceBehaviour::Gated("abcdefgh".to_owned())]).await;
        let provider = provider(&service, protocol, "");
        let (sender, mut pieces) = mpsc::unbounded_channel();
        let mut progress = move |piece: &str| sender.send(piece.to_owned()).expect("the test listens");
        let deadline = Instant::now() + PATIENCE;
        let asking = tokio::spawn(async move { provider.complete(&PROMPT, deadline, &mut progress).await });
        for expected in ["abc", "def", "gh"] {
            service.release(1);
            let piece = timeout(PATIENCE, pieces.recv()).await.expect("a piece").expect("the answer goes on");
            assert_eq!(piece, expected);
            assert!(pieces.try_recv().is_err(), "no piece is sent before it is written");
        }
        let answer = asking.await.expect("no panic").expect("an answer");
        assert_eq!(answer.text, "abcdefgh");
    }
}

#[tokio::test]
async fn completion_respects_its_deadline() {
    for protocol in Protocol::ALL {
        // Silent from the start, silent in the middle, silent at the second attempt, and with a retry after the
        // deadline.
        for (behaviours, expected, n_requests) in [
            (vec![ServiceBehaviour::Silent], "TimedOut".to_owned(), 1),
            (vec![ServiceBehaviour::Gated(text())], "TimedOut".to_owned(), 1),
            (vec![status(500, Some("0")), ServiceBehaviour::Silent], "TimedOut".to_owned(), 2),
            (vec![status(429, Some("1"))], "RateLimited { retry_after: Some(1s) }".to_owned(), 1),
        ] {
            let service = LanguageService::start(behaviours.clone()).await;
            let provider = provider(&service, protocol, "");
            let began = Instant::now();
            let result = provider.complete(&PROMPT, began + SHORT, &mut |_| ()).await;
            assert_eq!(outcome(&result), expected, "{protocol:?} {behaviours:?}");
            assert_eq!(service.take_requests().len(), n_requests, "{protocol:?} {behaviours:?}");
            assert!(began.elapsed() < SHORT * 5, "{:?}", began.elapsed());
        }
    }
    let service = LanguageService::start([ServiceBehaviour::Silent]).await;
    let provider = provider(&service, Protocol::OpenAi, "timeout_seconds = 1");
    assert_eq!(outcome(&ask(&provider).await), "TimedOut", "the configured time is a deadline, too");
}

#[tokio::test]
async fn missing_service_is_unreachable() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port").local_addr().expect("an address");
    let provider = opened(&format!("kind = 'openai'\nmodel = 'm'\nurl = 'http://{free}/v1'"));
    assert_eq!(outcome(&ask(&provider).await), "Unreachable");
    assert_eq!(provider.spent_today(), 0);
}

#[tokio::test]
async fn budgets_are_respected() {
    for protocol in Protocol::ALL {
        let service = LanguageService::start([ServiceBehaviour::Sound(text())]).await;
        let limits = "max_output_tokens = 100\ntokens_per_answer = 110";
        let narrow = provider(&service, protocol, limits);
        assert_eq!(ask(&narrow).await, Err(CompletionFailure::OverBudget(Limit::Answer)));
        assert_eq!((narrow.spent_today(), narrow.input_tokens()), (0, 0));

        let limits = "max_output_tokens = 100\ntokens_per_answer = 250\ntokens_per_day = 250";
        let of_a_day = provider(&service, protocol, limits);
        assert!(ask(&of_a_day).await.is_ok());
        let spent = of_a_day.spent_today();
        assert!((130..160).contains(&spent), "{spent}");
        assert_eq!(ask(&of_a_day).await, Err(CompletionFailure::OverBudget(Limit::Day)));
        assert_eq!(
            (of_a_day.clone().spent_today(), service.take_requests().len()),
            (spent, 1),
            "nothing is sent that is too much"
        );

        // Requests that never reached the model cost nothing; truncated completions cost their actual usage.
        service.set([status(429, None), status(500, None), status(500, None), half(0), half(2)]);
        let provider = provider(&service, protocol, "");
        for _ in 0..2 {
            assert!(ask(&provider).await.is_err());
        }
        assert_eq!(provider.spent_today(), 0);
        assert!(ask(&provider).await.is_err());
        let spent = provider.spent_today();
        assert!(spent > 0 && spent < 2 * provider.input_tokens(), "{spent}");

        // Timeouts cost the whole reservation.
        service.set([ServiceBehaviour::Silent]);
        assert!(provider.complete(&PROMPT, Instant::now() + SHORT, &mut |_| ()).await.is_err());
        assert!(provider.spent_today() >= spent + 700);
    }
}

#[tokio::test]
async fn concurrency_is_limited() {
    let service = LanguageService::start([ServiceBehaviour::Gated("abc".to_owned())]).await;
    let provider = provider(&service, Protocol::OpenAi, "");
    let asking: Vec<_> = (0..MAX_CONCURRENT).map(|_| provider.clone()).collect();
    let asking: Vec<_> = asking.into_iter().map(|provider| tokio::spawn(async move { ask(&provider).await })).collect();
    service.arrived(MAX_CONCURRENT as u32).await;
    assert_eq!(ask(&provider).await, Err(CompletionFailure::Busy));
    service.release(MAX_CONCURRENT);
    for answer in asking {
        assert_eq!(outcome(&answer.await.expect("no panic")), "Whole: abc");
    }
    assert_eq!(service.take_requests().len(), MAX_CONCURRENT);
    service.release(1);
    assert!(ask(&provider).await.is_ok(), "a slot is free again");
}

#[tokio::test]
async fn dropped_caller_cancels_the_request() {
    let service = LanguageService::start([ServiceBehaviour::Silent]).await;
    let provider = provider(&service, Protocol::Anthropic, "");
    let asking = tokio::spawn({
        let provider = provider.clone();
        async move { ask(&provider).await }
    });
    service.arrived(1).await;
    asking.abort();
    assert!(asking.await.is_err_and(|error| error.is_cancelled()));
    assert!(provider.spent_today() > 700, "the usage is unknown");
    service.set([ServiceBehaviour::Sound(text())]);
    assert!(ask(&provider).await.is_ok());
}

/// All log messages of one test's thread, at every level.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

thread_local! {
    /// True if messages of this thread are recorded. The tasks of a test share its thread.
    static IS_HEARD: Cell<bool> = const { Cell::new(false) };
}

impl Log {
    /// Installs a logger for the whole process, so that earlier tests do not matter, and records this thread. Must be
    /// called only once.
    fn listen() -> Log {
        let log = Log::default();
        let writer = log.clone();
        let heard = filter::dynamic_filter_fn(|_, _| IS_HEARD.get());
        let layer = fmt::layer().with_writer(move || writer.clone()).with_filter(heard);
        tracing_subscriber::registry().with(layer).init();
        IS_HEARD.set(true);
        log
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().expect("no holder of this lock panics")).into_owned()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no holder of this lock panics").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn key_is_never_shown() {
    let log = Log::listen();
    let repeats_the_key = |status: u16| ServiceBehaviour::Status {
        status,
        retry_after: None,
        message: format!("the key {KEY} is\n\u{1b}[31mnot right; ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8 neither"),
    };
    let (mut shown, mut rejected) = (String::new(), String::new());
    for protocol in Protocol::ALL {
        let others = cases().into_iter().map(|(behaviours, ..)| behaviours).step_by(4);
        for behaviours in
            [400, 401, 422, 429, 500].map(|status| vec![repeats_the_key(status)]).into_iter().chain(others)
        {
            let service = LanguageService::start(behaviours).await;
            let provider = provider(&service, protocol, "");
            let result = ask(&provider).await;
            shown += &format!("{provider:?} {result:?}\n");
            if let Err(failure) = result {
                shown += &format!("{failure}\n");
                rejected +=
                    if matches!(failure, CompletionFailure::Rejected { status: 400, .. }) { &shown } else { "" };
            }
            assert!(service.take_requests().len() <= 2);
        }
        // A missing key is reported without being shown.
        let service = LanguageService::start([ServiceBehaviour::Sound(text())]).await;
        let settings = service.provider(protocol);
        let keyless: Vec<&str> = settings.lines().filter(|line| !line.starts_with("key")).collect();
        let refused = outcome(&ask(&opened(&keyless.join("\n"))).await);
        assert_eq!(refused, "Rejected { status: 401, reason: \"check `key_env` or `key_file`\" }");
    }
    assert!(rejected.contains("the key [masked] is") && !rejected.contains("ghp_"), "{rejected}");
    let logged = log.text();
    assert!(logged.contains("the completion failed") && logged.contains("retrying the request"), "the log is heard");
    for secret in [KEY, PROMPT.user, "Parcels are"] {
        assert!(!logged.contains(secret), "`{secret}` is in the log");
    }
    assert!(!shown.contains(KEY));
}

#[tokio::test]
async fn fake_service_answers_without_streaming() {
    use http_body_util::{BodyExt as _, Full};

    let service = LanguageService::start([ServiceBehaviour::Sound(text())]).await;
    let address = service.url().trim_start_matches("http://").trim_end_matches("/v1").to_owned();
    for (path, header, key, at) in [
        ("/v1/chat/completions", "authorization", format!("Bearer {KEY}"), "/choices/0/message/content"),
        ("/v1/messages", "x-api-key", KEY.to_owned(), "/content/0/text"),
    ] {
        let stream = tokio::net::TcpStream::connect(&address).await.expect("the service is there");
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(hyper_util::rt::TokioIo::new(stream)).await.expect("HTTP");
        let serving = tokio::spawn(connection);
        let messages = json!([{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]);
        let messages = if path.ends_with("messages") { json!([messages[1]]) } else { messages };
        let body = json!({"model": "writer", "system": "s", "messages": messages, "max_tokens": 9});
        let request = hyper::Request::post(path).header("host", &address).header(header, key);
        let request = request
            .header("anthropic-version", "2023-06-01")
            .body(Full::<hyper::body::Bytes>::new(body.to_string().into()));
        let response = sender.send_request(request.expect("a request")).await.expect("an answer");
        let document = response.into_body().collect().await.expect("all of it").to_bytes();
        let document: Value = serde_json::from_slice(&document).expect("JSON");
        assert_eq!(document.pointer(at), Some(&json!(TEXT)), "{document}");
        serving.abort();
    }
}
