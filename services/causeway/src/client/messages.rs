//! The messages of one response: a JSON body, or an event stream.

use std::pin::Pin;

use futures::StreamExt as _;
use reqwest::{Body, Response, header::CONTENT_TYPE};
use sse_stream::SseStream;

use crate::exit::{CommandError, Exit};

/// The messages of one response.
pub(crate) enum Messages {
    /// A body with at most one message; `None` after it was read.
    Json(Option<Response>),
    /// An event stream with any number of messages.
    Events(Pin<Box<SseStream<Body>>>),
}

impl Messages {
    pub(super) fn of(response: Response) -> Messages {
        if has_content_type(&response, "text/event-stream") {
            Messages::Events(Box::pin(SseStream::new(Body::from(response))))
        } else {
            Messages::Json(Some(response))
        }
    }

    /// Returns the next message once it is complete; `None` at the end of the response.
    pub(crate) async fn next(&mut self) -> anyhow::Result<Option<String>> {
        match self {
            Messages::Json(response) => {
                let Some(response) = response.take() else { return Ok(None) };
                let body = response.bytes().await.map_err(|_| truncated())?;
                let message = String::from_utf8_lossy(&body).trim().to_owned();
                Ok(Some(message).filter(|message| !message.is_empty()))
            }
            Messages::Events(events) => loop {
                match events.next().await {
                    None => return Ok(None),
                    // Comments, and events that only set the reconnection time, have no data.
                    Some(Ok(event)) => {
                        if let Some(data) = event.data.filter(|data| !data.is_empty()) {
                            return Ok(Some(data));
                        }
                    }
                    Some(Err(sse_stream::Error::Body(_))) => return Err(truncated().into()),
                    Some(Err(error)) => anyhow::bail!("the server sent an invalid event stream: {error}"),
                }
            },
        }
    }
}

pub(super) fn has_content_type(response: &Response, expected: &str) -> bool {
    let content_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    content_type.is_some_and(|content_type| content_type.starts_with(expected))
}

fn truncated() -> CommandError {
    CommandError::new(Exit::Unreachable, "the server ended during its response")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn events_with_data_are_messages() {
        let body = ": hello\n\nid: 0\nretry: 3000\ndata:\n\ndata: {\"a\":\ndata: 1}\r\n\r\ndata: {";
        let mut messages = Messages::Events(Box::pin(SseStream::new(Body::from(body))));
        assert_eq!(messages.next().await.unwrap().as_deref(), Some("{\"a\":\n1}"));
        assert_eq!(messages.next().await.unwrap(), None, "the last event is incomplete");
    }
}
