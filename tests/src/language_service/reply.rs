//! Responses of the service, event by event.

use std::{io, sync::Arc};

use http_body_util::{BodyExt as _, Full, StreamBody, combinators::BoxBody};
use hyper::{
    Response,
    body::{Bytes, Frame},
};
use serde_json::json;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use super::{ReceivedRequest, ServiceBehaviour, State, protocol::End};

pub(super) type Body = BoxBody<Bytes, io::Error>;

/// Number of characters per piece.
const PIECE_CHARS: usize = 3;

/// Maximum number of frames that wait for a slow client.
const MAX_FRAMES: usize = 4;

/// Sender to the client; fails if the client has disconnected.
struct Wire(mpsc::Sender<io::Result<Frame<Bytes>>>);

struct Gone;

pub(super) async fn to(received: &ReceivedRequest, behaviour: ServiceBehaviour, state: Arc<State>) -> Response<Body> {
    let is_streamed = received.body["stream"] == true;
    let behaviour = match behaviour {
        ServiceBehaviour::Status { status, retry_after, message } => {
            return self::status(status, retry_after, &message);
        }
        ServiceBehaviour::Answering(answer) => ServiceBehaviour::Sound(answer(received)),
        ServiceBehaviour::Silent => {
            released(&state).await;
            return self::status(503, None, "released");
        }
        behaviour => behaviour,
    };
    match &behaviour {
        ServiceBehaviour::Sound(text) if !is_streamed => {
            let document = received.protocol.document(text, pieces(text).len());
            response(200, "application/json", full(document.to_string()))
        }
        _ => {
            let (sender, frames) = mpsc::channel(MAX_FRAMES);
            let received = received.clone();
            // Ends with the client, or with the test's runtime.
            tokio::spawn(async move { _ = write(&Wire(sender), &received, behaviour, &state).await });
            response(200, "text/event-stream", BoxBody::new(StreamBody::new(ReceiverStream::new(frames))))
        }
    }
}

/// Returns an error response in the format of both protocols.
pub(super) fn status(status: u16, retry_after: Option<&str>, message: &str) -> Response<Body> {
    let error = json!({"type": "error", "error": {"type": "some_error", "message": message}});
    let mut response = response(status, "application/json", full(error.to_string()));
    if let Some(seconds) = retry_after {
        response.headers_mut().insert("retry-after", seconds.parse().expect("a header"));
    }
    response
}

async fn write(
    wire: &Wire,
    received: &ReceivedRequest,
    behaviour: ServiceBehaviour,
    state: &State,
) -> Result<(), Gone> {
    let protocol = received.protocol;
    match &behaviour {
        ServiceBehaviour::Raw(raw) => return wire.send(raw).await,
        ServiceBehaviour::EndlessEvent => {
            wire.send("data: ").await?;
            loop {
                wire.send(&"a".repeat(4_096)).await?;
            }
        }
        _ => wire.send_all(&protocol.beginning()).await?,
    }
    let (text, n_pieces): (&str, usize) = match &behaviour {
        ServiceBehaviour::Half { text, n_pieces } | ServiceBehaviour::Faulty { text, n_pieces, .. } => {
            (text, *n_pieces)
        }
        ServiceBehaviour::Sound(text)
        | ServiceBehaviour::Gated(text)
        | ServiceBehaviour::Cut(text)
        | ServiceBehaviour::Refusing(text) => (text, usize::MAX),
        ServiceBehaviour::Unended(text) | ServiceBehaviour::Lingering(text) => (text, usize::MAX),
        ServiceBehaviour::Endless(piece) => loop {
            wire.send(&protocol.piece(piece)).await?;
        },
        other => unreachable!("{other:?} writes no text"),
    };
    let pieces = pieces(text);
    for piece in pieces.iter().take(n_pieces) {
        if matches!(behaviour, ServiceBehaviour::Gated(_)) {
            released(state).await;
        }
        wire.send(&protocol.piece(piece)).await?;
    }
    let end = match behaviour {
        ServiceBehaviour::Half { .. } => return wire.break_off().await,
        ServiceBehaviour::Faulty { error, .. } => return wire.send(&protocol.error(error)).await,
        ServiceBehaviour::Unended(_) => return Ok(()),
        ServiceBehaviour::Cut(_) => End::Cut,
        ServiceBehaviour::Refusing(_) => End::Refusal,
        _ => End::Whole,
    };
    wire.send_all(&protocol.end(end, pieces.len())).await?;
    if matches!(behaviour, ServiceBehaviour::Lingering(_)) {
        released(state).await;
    }
    wire.send_all(&protocol.tail(received, pieces.len())).await
}

impl Wire {
    /// Sends an event in two frames, split at any byte.
    async fn send(&self, event: &str) -> Result<(), Gone> {
        let (head, rest) = event.as_bytes().split_at(event.len() / 2);
        for part in [head, rest].into_iter().filter(|part| !part.is_empty()) {
            self.0.send(Ok(Frame::data(Bytes::copy_from_slice(part)))).await.map_err(|_| Gone)?;
        }
        Ok(())
    }

    async fn send_all(&self, events: &[String]) -> Result<(), Gone> {
        for event in events {
            self.send(event).await?;
        }
        Ok(())
    }

    /// Closes the connection within the response.
    async fn break_off(&self) -> Result<(), Gone> {
        // Earlier frames are sent first: after every frame is taken, the connection has nothing else to do.
        drop(self.0.reserve_many(MAX_FRAMES).await.map_err(|_| Gone)?);
        tokio::task::yield_now().await;
        self.0.send(Err(io::ErrorKind::ConnectionAborted.into())).await.map_err(|_| Gone)
    }
}

async fn released(state: &State) {
    state.gate.acquire().await.expect("the service is there").forget();
}

fn pieces(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(PIECE_CHARS).map(|piece| piece.iter().collect()).collect()
}

fn full(text: String) -> Body {
    Full::new(Bytes::from(text)).map_err(|never| match never {}).boxed()
}

fn response(status: u16, content_type: &str, body: Body) -> Response<Body> {
    let response = Response::builder().status(status).header("content-type", content_type).body(body);
    response.expect("the test names a status that there is")
}
