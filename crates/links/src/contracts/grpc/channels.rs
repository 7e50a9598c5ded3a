//! The address of a channel, where it is written near its client.

use graph::{FileIdx, Inference};
use model::code::{Expression, ExpressionId};

use crate::{
    contracts::{
        text_value::{TextPart, TextValue},
        url::RequestUrl,
        values::{ValueReader, ValueSource},
    },
    services::AddressTemplate,
};

/// Maximum number of steps from a client to its address.
const MAX_STEPS: u32 = 8;

/// Functions that make a channel of an address.
const CHANNELS: [&str; 26] = [
    "Dial",
    "DialContext",
    "NewClient",
    "insecure_channel",
    "secure_channel",
    "Channel",
    "forTarget",
    "forAddress",
    "ForAddress",
    "newChannelBuilder",
    "usePlaintext",
    "build",
    "createChannel",
    "createGrpcTransport",
    "createConnectTransport",
    "createGrpcWebTransport",
    "CreateChannel",
    "CreateCustomChannel",
    "from_static",
    "from_shared",
    "connect",
    "ClientChannel",
    "insecure",
    "new",
    "intercept_channel",
    "strings",
];

/// Returns the template of the address among the arguments of a client; empty if it is not known.
pub(super) fn address(cx: &mut Inference<'_>, file: FileIdx, arguments: &[ExpressionId]) -> String {
    let mut values = ValueReader::new(cx);
    let found = arguments.iter().find_map(|argument| channel_address(&mut values, file, *argument, 0));
    found.map_or_else(String::new, |address| address.notation())
}

fn channel_address(
    values: &mut ValueReader<'_, '_>,
    file: FileIdx,
    expression: ExpressionId,
    depth: u32,
) -> Option<AddressTemplate> {
    if depth > MAX_STEPS {
        return None;
    }
    let text = values.text(file, expression);
    if let Some(address) = address_of(&text) {
        return Some(address);
    }
    match values.expression(file, expression) {
        Expression::Name { .. } | Expression::Member { .. } | Expression::Path { .. } => {
            let sources = values.sources(file, expression);
            sources.into_iter().find_map(|source| match source {
                ValueSource::Expression(file, value) => channel_address(values, file, value, depth + 1),
                _ => None,
            })
        }
        Expression::Awaited { of }
        | Expression::Tried { of }
        | Expression::Dereferenced { of }
        | Expression::Part { of, index: 0 }
        | Expression::Matched { of, index: 0, .. } => channel_address(values, file, *of, depth + 1),
        Expression::Call { .. } => {
            let call = values.call(file, expression)?;
            let makes_channel = CHANNELS.contains(&call.name);
            let arguments = call.arguments.iter().filter(|_| makes_channel);
            let of_arguments = arguments.copied().find_map(|one| channel_address(values, file, one, depth + 1));
            // `ManagedChannelBuilder.forTarget(x).usePlaintext().build()`.
            of_arguments.or_else(|| channel_address(values, file, call.object?, depth + 1))
        }
        Expression::Object(fields) => {
            let code = values.code(file);
            let named = fields.iter().find(|(name, _)| matches!(code.name(*name), "baseUrl" | "address" | "target"));
            channel_address(values, file, named?.1, depth + 1)
        }
        _ => None,
    }
}

/// Returns the address that a text is; `None` if it may be another text.
fn address_of(text: &TextValue) -> Option<AddressTemplate> {
    let is_address = text.alternatives.iter().any(|parts| {
        let has_variable = parts.iter().any(|part| matches!(part, TextPart::Variable(_)));
        let is_host = |text: &str| {
            text.contains("://") || text.rsplit_once(':').is_some_and(|(host, port)| is_host(host) && is_port(port))
        };
        has_variable || matches!(parts.first(), Some(TextPart::Text(text)) if is_host(text))
    });
    RequestUrl::of(text).filter(|_| is_address).map(|url| url.address).filter(|one| !one.alternatives.is_empty())
}

fn is_host(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | '/' | ':'))
}

/// Returns true for a port, and for an empty text before a computed one.
fn is_port(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_digit())
}
