//! JSON-RPC 2.0 messages as MCP restricts them: reads one message, or returns the error response to an invalid one.
//!
//! The MCP SDK answers an invalid message differently for each transport, and some of them not at all.

use std::fmt;

use federation::refusal::quoted;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorCode, RequestId};
use serde::{
    Deserialize, Deserializer,
    de::{Error as _, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Number, Value, json};

/// The methods that this server answers.
const METHODS: [&str; 11] = [
    "completion/complete",
    "initialize",
    "ping",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "server/discover",
    "tools/call",
    "tools/list",
];

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A message that cannot be answered, with its error response.
#[derive(Debug)]
pub(crate) struct InvalidMessage {
    /// The id of the request; `None` if it cannot be known.
    id: Option<RequestId>,
    code: ErrorCode,
    reason: String,
}

impl InvalidMessage {
    pub(super) fn too_long() -> InvalidMessage {
        invalid_request(None, "the message is longer than 1 MiB")
    }

    /// Returns true if the message is a request of an unknown method.
    pub(crate) fn is_of_unknown_method(&self) -> bool {
        self.code == ErrorCode::METHOD_NOT_FOUND
    }

    /// Returns false for a notification, whose receiver must not respond.
    pub(super) fn expects_response(&self) -> bool {
        self.id.is_some() || matches!(self.code, ErrorCode::PARSE_ERROR | ErrorCode::INVALID_REQUEST)
    }

    /// Returns the error response. JSON-RPC requires `null` for an unknown id; the type of the SDK omits the id.
    pub(crate) fn response(&self) -> Value {
        json!({"jsonrpc": "2.0", "id": self.id, "error": {"code": self.code, "message": self.reason}})
    }
}

/// Reads one message.
pub(crate) fn read(bytes: &[u8]) -> Result<ClientJsonRpcMessage, InvalidMessage> {
    let value = parse(bytes)?;
    let members = match &value {
        Value::Object(members) => members,
        Value::Array(_) => return Err(invalid_request(None, "batches are not supported: send one message at a time")),
        _ => return Err(invalid_request(None, "the message is not an object")),
    };
    let Some(method) = method(members)? else {
        let unreadable = |_| invalid_request(None, "the response is invalid");
        return serde_json::from_value(value).map_err(unreadable);
    };
    let (id, method) = (id(members)?, method.to_owned());
    check_params(members, id.as_ref())?;
    let invalid_params = |id: Option<RequestId>| {
        let reason = format!("the parameters of {} are invalid", quoted(&method));
        InvalidMessage { id, code: ErrorCode::INVALID_PARAMS, reason }
    };
    if id.is_some() && !METHODS.contains(&method.as_str()) {
        let reason = format!("unknown method {}", quoted(&method));
        return Err(InvalidMessage { id, code: ErrorCode::METHOD_NOT_FOUND, reason });
    }
    match serde_json::from_value(value) {
        // The SDK reads a request as a custom one if its parameters do not fit.
        Ok(ClientJsonRpcMessage::Request(request)) if matches!(request.request, ClientRequest::CustomRequest(_)) => {
            Err(invalid_params(id))
        }
        Ok(message) => Ok(message),
        Err(_) => Err(invalid_params(id)),
    }
}

fn parse(bytes: &[u8]) -> Result<Value, InvalidMessage> {
    let not_json = |reason: &str| InvalidMessage { id: None, code: ErrorCode::PARSE_ERROR, reason: reason.to_owned() };
    if bytes.trim_ascii().is_empty() {
        return Err(not_json("the message is empty"));
    }
    if bytes.starts_with(BYTE_ORDER_MARK) {
        return Err(not_json("the message begins with a byte order mark"));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| not_json("the message is not UTF-8"))?;
    let parsed: Result<UniqueKeys, serde_json::Error> = serde_json::from_str(text);
    parsed.map(|UniqueKeys(value)| value).map_err(|error| {
        if error.is_data() {
            invalid_request(None, &error.to_string())
        } else {
            not_json(&format!("the message is not JSON: {error}"))
        }
    })
}

/// Returns the method of a request or notification, or `None` for a response.
fn method(members: &Map<String, Value>) -> Result<Option<&str>, InvalidMessage> {
    let has = |name: &str| members.contains_key(name);
    let id = || id(members).ok().flatten();
    if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(invalid_request(id(), "`jsonrpc` must be \"2.0\""));
    }
    match members.get("method") {
        None if has("result") != has("error") => Ok(None),
        None => Err(invalid_request(id(), "`method` is missing")),
        Some(_) if has("result") || has("error") => {
            Err(invalid_request(id(), "a request has neither `result` nor `error`"))
        }
        Some(Value::String(method)) => Ok(Some(method)),
        Some(_) => Err(invalid_request(id(), "`method` must be a string")),
    }
}

fn id(members: &Map<String, Value>) -> Result<Option<RequestId>, InvalidMessage> {
    let invalid = |_| invalid_request(None, "`id` must be a string or an integer");
    members.get("id").map(RequestId::deserialize).transpose().map_err(invalid)
}

/// Checks the type of `params`. `null` counts as absent, since some clients send it.
fn check_params(members: &Map<String, Value>, id: Option<&RequestId>) -> Result<(), InvalidMessage> {
    match members.get("params") {
        None | Some(Value::Object(_) | Value::Null) => Ok(()),
        Some(Value::Array(_)) => {
            let reason = "`params` must be an object: MCP has no parameters by position".to_owned();
            Err(InvalidMessage { id: id.cloned(), code: ErrorCode::INVALID_PARAMS, reason })
        }
        Some(_) => Err(invalid_request(id.cloned(), "`params` must be an object")),
    }
}

fn invalid_request(id: Option<RequestId>, reason: &str) -> InvalidMessage {
    InvalidMessage { id, code: ErrorCode::INVALID_REQUEST, reason: reason.to_owned() }
}

/// JSON in which no object has a key twice. Programs differ in which of the two values they use.
struct UniqueKeys(Value);

impl<'de> Deserialize<'de> for UniqueKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<UniqueKeys, D::Error> {
        deserializer.deserialize_any(UniqueKeysVisitor).map(UniqueKeys)
    }
}

struct UniqueKeysVisitor;

impl<'de> Visitor<'de> for UniqueKeysVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(UniqueKeys(item)) = seq.next_element()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some((key, UniqueKeys(value))) = map.next_entry::<String, UniqueKeys>()? {
            if members.insert(key, value).is_some() {
                return Err(A::Error::custom("a key occurs twice"));
            }
        }
        Ok(Value::Object(members))
    }
}
