//! The messages that a server sends back for one: JSON, or an event stream of them.

use http_body_util::BodyExt as _;
use hyper::{Response, body::Incoming, header};

use crate::exit::{Exit, Failure};

/// The messages of one response.
pub(crate) struct Messages {
    body: Incoming,
    /// Whether the body is an event stream; otherwise it is one message, or none.
    is_events: bool,
    received: Vec<u8>,
}

impl Messages {
    pub(super) fn of(response: Response<Incoming>) -> Messages {
        let content_type = response.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let is_events = content_type.is_some_and(|content_type| content_type.starts_with("text/event-stream"));
        Messages { body: response.into_body(), is_events, received: Vec::new() }
    }

    /// Returns the next message, as soon as all of it is there.
    pub(crate) async fn next(&mut self) -> anyhow::Result<Option<String>> {
        loop {
            if self.is_events {
                while let Some(event) = take_event(&mut self.received) {
                    if let Some(message) = event_data(&event) {
                        return Ok(Some(message));
                    }
                }
            }
            match self.body.frame().await {
                Some(frame) => {
                    let frame =
                        frame.map_err(|_| Failure::new(Exit::Unreachable, "the server ended while it answered"))?;
                    self.received.extend_from_slice(frame.data_ref().map(AsRef::as_ref).unwrap_or_default());
                }
                None if self.is_events => return Ok(None),
                None => {
                    let message = String::from_utf8_lossy(&std::mem::take(&mut self.received)).trim().to_owned();
                    return Ok(Some(message).filter(|message| !message.is_empty()));
                }
            }
        }
    }
}

/// Takes one event, up to its empty line, off the front.
fn take_event(received: &mut Vec<u8>) -> Option<String> {
    let ends = [b"\n\n".as_slice(), b"\r\n\r\n"];
    let end = |mark: &&[u8]| received.windows(mark.len()).position(|window| window == *mark).map(|at| at + mark.len());
    let end = ends.iter().filter_map(end).min()?;
    let event: Vec<u8> = received.drain(..end).collect();
    Some(String::from_utf8_lossy(&event).into_owned())
}

/// Returns the data of an event; none for comments, and for events that only say when to come back.
fn event_data(event: &str) -> Option<String> {
    let data: Vec<&str> = event
        .lines()
        .filter_map(|line| line.strip_prefix("data:"))
        .map(|data| data.strip_prefix(' ').unwrap_or(data))
        .collect();
    Some(data.join("\n")).filter(|data| !data.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_taken_one_by_one() {
        let mut received = b": hello\n\nid: 0\nretry: 3000\ndata:\n\ndata: {\"a\":\ndata: 1}\r\n\r\ndata: {".to_vec();
        let mut events = Vec::new();
        while let Some(event) = take_event(&mut received) {
            events.push(event_data(&event));
        }
        assert_eq!(events, [None, None, Some("{\"a\":\n1}".to_owned())]);
        assert_eq!(received, b"data: {");
    }
}
