//! The address of a channel, where it is written near its client.

use graph::{FileIdx, Inference};
use model::code::{Expression, ExpressionId};

use super::flow;
use crate::services::{AddressPart, AddressTemplate};

/// Maximum number of steps from a client to its address.
const MAX_STEPS: u32 = 8;

/// Functions that make a channel of an address, or format an address.
const PASSING: [&str; 26] = [
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
    "Sprintf",
    "format",
    "String",
    "strings",
];

/// Functions that return a variable of the environment.
const ENVIRONMENT: [&str; 9] =
    ["Getenv", "LookupEnv", "getenv", "get", "var", "GetEnvironmentVariable", "fetch", "env", "getEnv"];

/// Returns the template of the address among the arguments of a client; empty if it is not known.
pub(super) fn address(cx: &mut Inference<'_>, file: FileIdx, arguments: &[ExpressionId]) -> String {
    let found = arguments.iter().find_map(|argument| alternatives(cx, file, *argument, 0));
    found.map_or_else(String::new, |alternatives| AddressTemplate { alternatives }.notation())
}

type Alternatives = Vec<Vec<AddressPart>>;

fn alternatives(cx: &mut Inference<'_>, file: FileIdx, expression: ExpressionId, depth: u32) -> Option<Alternatives> {
    if depth > MAX_STEPS {
        return None;
    }
    let program = cx.program;
    let code = program.code(file);
    if let Some(text) = flow::text(program, file, expression) {
        return text_parts(text).map(|parts| vec![parts]);
    }
    if let Some(variable) = variable(cx, file, expression) {
        return Some(vec![vec![AddressPart::Variable(variable)]]);
    }
    match code.expression(expression) {
        Expression::Name { name, .. } => {
            if let Some(binding) = flow::binding_of(cx, file, expression) {
                return alternatives(cx, file, binding.value?, depth + 1);
            }
            let (of, value) = flow::definitions_named(cx, file, code.name(*name))
                .into_iter()
                .find_map(|symbol| Some((program.file_of(symbol), *program.shape(symbol).values.first()?)))?;
            cx.consult(of);
            alternatives(cx, of, value, depth + 1)
        }
        Expression::Awaited { of }
        | Expression::Tried { of }
        | Expression::Dereferenced { of }
        | Expression::Part { of, index: 0 }
        | Expression::Matched { of, index: 0, .. } => alternatives(cx, file, *of, depth + 1),
        Expression::Either(choices) => {
            let all: Alternatives =
                choices.iter().filter_map(|choice| alternatives(cx, file, *choice, depth + 1)).flatten().collect();
            (!all.is_empty()).then_some(all)
        }
        Expression::Operation { operator, left, right: Some(right) } if code.name(*operator) == "+" => {
            let left = alternatives(cx, file, *left, depth + 1).and_then(|mut all| all.pop());
            let right = alternatives(cx, file, *right, depth + 1).and_then(|mut all| all.pop());
            if left.is_none() && right.is_none() {
                return None;
            }
            let computed = || vec![AddressPart::Computed];
            let mut parts = left.unwrap_or_else(computed);
            parts.extend(right.unwrap_or_else(computed));
            Some(vec![parts])
        }
        Expression::Call { callee, arguments, .. } => {
            let last = flow::member_of(code, *callee);
            let name = last.map(|(_, name)| name).or_else(|| flow::path_of(code, *callee)?.last().copied())?;
            let of_arguments = PASSING
                .contains(&name)
                .then(|| arguments.iter().find_map(|argument| alternatives(cx, file, *argument, depth + 1)));
            // `ManagedChannelBuilder.forTarget(x).usePlaintext().build()`.
            of_arguments.flatten().or_else(|| alternatives(cx, file, last?.0, depth + 1))
        }
        Expression::Object(fields) => {
            let named = fields.iter().find(|(name, _)| matches!(code.name(*name), "baseUrl" | "address" | "target"));
            alternatives(cx, file, named?.1, depth + 1)
        }
        _ => None,
    }
}

/// Returns the variable of the environment that an expression reads.
fn variable(cx: &Inference<'_>, file: FileIdx, expression: ExpressionId) -> Option<String> {
    let program = cx.program;
    let code = program.code(file);
    let is_environment = |of: ExpressionId| {
        let path = flow::path_of(code, of).unwrap_or_default();
        matches!(path.as_slice(), ["process", "env"] | ["os", "environ"] | ["environ"] | ["ENV"])
    };
    match code.expression(expression) {
        Expression::Member { of, name } if is_environment(*of) => Some(code.name(*name).to_owned()),
        Expression::Element { of, index: Some(index) } if is_environment(*of) => {
            flow::text(program, file, *index).map(str::to_owned)
        }
        Expression::Call { callee, arguments, .. } => {
            let path = flow::path_of(code, *callee)?;
            let (name, before) = path.split_last()?;
            let of = before.last().copied().unwrap_or_default();
            let is_read = ENVIRONMENT.contains(name)
                && (*name == "getenv"
                    || *name == "env"
                    || matches!(of, "os" | "environ" | "System" | "env" | "Environment" | "ENV"));
            let variable = flow::text(program, file, *arguments.first()?)?;
            is_read.then(|| variable.to_owned())
        }
        _ => None,
    }
}

/// Returns the parts of a text that is an address, with computed parts for its placeholders.
fn text_parts(text: &str) -> Option<Vec<AddressPart>> {
    let is_address = !text.contains(char::is_whitespace)
        && text.len() < 200
        && (text.contains("://")
            || text.rsplit_once(':').is_some_and(|(host, port)| {
                !host.is_empty() && (port.starts_with(|c: char| c.is_ascii_digit()) || port.starts_with(['%', '{']))
            }));
    if !is_address {
        return None;
    }
    let text = text.replace("%s", "{}").replace("%v", "{}").replace("%d", "{}");
    AddressTemplate::parse(&text).alternatives.into_iter().next()
}
