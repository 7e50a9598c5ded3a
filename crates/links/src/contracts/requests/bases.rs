//! Base URLs of clients, as their constructors and builders set them.

use graph::{FileIdx, Name, SymbolIdx};
use model::code::{Expression, ExpressionId};

use super::clients;
use crate::contracts::{
    text_value::{CallFrame, TextPart, TextValue, with_slash},
    values::{ValueReader, ValueSource},
};

/// Options and keyword arguments of a constructor that set the base.
const OPTIONS: [&str; 11] = [
    "baseURL",
    "base_url",
    "baseUrl",
    "prefixUrl",
    "prefix",
    "base_uri",
    "BaseAddress",
    "url",
    "host",
    "baseAddress",
    "base",
];

/// Methods of a builder that set the base.
const BUILDERS: [&str; 8] =
    ["baseUrl", "rootUri", "base_url", "SetBaseURL", "SetHostURL", "baseURL", "defaultRequest", "uri_template_handler"];

/// The field of a client of .NET that sets the base.
const ASSIGNED: &str = "BaseAddress";

/// Maximum number of calls of a builder.
const MAX_CHAIN: usize = 12;

/// Returns the base of the client that a call or constructor made.
pub(super) fn base_of(values: &mut ValueReader<'_, '_>, made_by: Option<(FileIdx, ExpressionId)>) -> Option<TextValue> {
    base_in_call(values, made_by, None)
}

/// Returns the base of the client that a call or constructor made in a call of the function around it.
pub(super) fn base_in_call(
    values: &mut ValueReader<'_, '_>,
    made_by: Option<(FileIdx, ExpressionId)>,
    frame: Option<&CallFrame<'_>>,
) -> Option<TextValue> {
    let (mut file, mut at) = made_by?;
    for _ in 0..MAX_CHAIN {
        let (arguments, object, name) = match values.expression(file, at) {
            Expression::Call { callee, arguments, .. } => match values.expression(file, *callee) {
                Expression::Member { of, name } | Expression::Path { of, name } => {
                    (arguments, Some(*of), values.code(file).name(*name))
                }
                Expression::Name { name, .. } => (arguments, None, values.code(file).name(*name)),
                _ => return None,
            },
            Expression::Make { arguments, .. } => (arguments, None, ""),
            Expression::Name { .. } | Expression::Member { .. } => {
                let sources = values.sources(file, at);
                (file, at) = sources.into_iter().find_map(|source| match source {
                    ValueSource::Expression(file, value) => Some((file, value)),
                    _ => None,
                })?;
                continue;
            }
            _ => return None,
        };
        let frame = frame.filter(|frame| values.home_of(frame.function) == file);
        if let Some(base) = base_of_arguments(values, file, name, arguments, frame) {
            return Some(base);
        }
        at = object?;
    }
    None
}

/// Returns the base that the file assigns to the client that a call or constructor made: `client.BaseAddress = new Uri("http://cart")`;
/// `None` for several different ones.
pub(super) fn assigned_base(
    values: &mut ValueReader<'_, '_>,
    made_by: Option<(FileIdx, ExpressionId)>,
) -> Option<TextValue> {
    let (file, made) = made_by?;
    let mut found: Vec<TextValue> = Vec::new();
    for (client, value) in values.field_values(file, ASSIGNED) {
        let is_name = matches!(values.expression(file, client), Expression::Name { .. });
        if is_name && values.sources(file, client).contains(&ValueSource::Expression(file, made)) {
            found.push(values.text(file, value));
        }
    }
    found.dedup();
    if found.len() == 1 { found.pop().filter(is_address) } else { None }
}

/// Returns the base that the file assigns to a client which it is given: `_client.BaseAddress = new Uri("http://cart")` of a field, or of
/// the parameter that the field takes; `None` for several different ones.
pub(super) fn base_of_given(
    values: &mut ValueReader<'_, '_>,
    file: FileIdx,
    client: ExpressionId,
) -> Option<TextValue> {
    let assigned = values.field_values(file, ASSIGNED);
    if assigned.is_empty() {
        return None;
    }
    let variables = variables_of(values, file, client);
    let mut found: Vec<TextValue> = Vec::new();
    for (object, value) in assigned {
        if variable_of(values, file, object).is_some_and(|object| variables.contains(&object)) {
            found.push(values.text(file, value));
        }
    }
    found.dedup();
    if found.len() == 1 { found.pop().filter(is_address) } else { None }
}

/// A variable of a file that holds a client.
#[derive(Debug, PartialEq, Eq)]
enum VariableOfClient {
    /// A parameter or a local variable, by its binding.
    Local(u32),
    /// A field, by its type and its name.
    Field(SymbolIdx, Name),
}

/// Returns a variable or field, and those of the same file whose value it takes.
fn variables_of(values: &mut ValueReader<'_, '_>, file: FileIdx, variable: ExpressionId) -> Vec<VariableOfClient> {
    let sources = values.sources(file, variable).into_iter().filter_map(|source| match source {
        ValueSource::Expression(home, value) if home == file => Some(value),
        _ => None,
    });
    let expressions: Vec<ExpressionId> = std::iter::once(variable).chain(sources).collect();
    expressions.into_iter().filter_map(|expression| variable_of(values, file, expression)).collect()
}

/// Returns the variable that an expression names; `None` for a field of another object.
fn variable_of(values: &ValueReader<'_, '_>, file: FileIdx, expression: ExpressionId) -> Option<VariableOfClient> {
    let program = values.program();
    match values.expression(file, expression) {
        Expression::Name { name, scope, n_before } => {
            let name = program.name(file, *name);
            match values.cx.binding_before(file, name, *scope, *n_before) {
                Some(binding) => Some(VariableOfClient::Local(binding)),
                None => Some(VariableOfClient::Field(values.type_around(file, *scope)?, name)),
            }
        }
        Expression::Member { of, name } => {
            let (Expression::This { scope } | Expression::Name { scope, .. }) = values.expression(file, *of) else {
                return None;
            };
            let is_own = values.dotted(file, *of).is_some_and(|object| object == "this");
            let owner = values.type_around(file, *scope).filter(|_| is_own)?;
            Some(VariableOfClient::Field(owner, program.name(file, *name)))
        }
        _ => None,
    }
}

/// Returns the host of the simulated users of a file of Locust: `host = "http://cart"` in their classes; `None` for several different ones,
/// and if a user has none. The command line gives such a user its host.
pub(super) fn of_simulated_user(
    values: &mut ValueReader<'_, '_>,
    file: FileIdx,
    object: Option<ExpressionId>,
) -> Option<TextValue> {
    if !clients::is_user_of_load_generator(values, file, object?) {
        return None;
    }
    let program = values.program();
    let is_user = |class: &SymbolIdx| {
        program.definition(*class).kind.is_type()
            && program.shape(*class).bases.iter().any(|base| {
                let name = values.written_name(file, base.base).map(|(_, name)| program.code(file).name(name));
                name.is_some_and(|name| name.ends_with("User"))
            })
    };
    let users: Vec<SymbolIdx> = program.symbols_of(file).filter(is_user).collect();
    let host_of = |user: &SymbolIdx| {
        let mut members = program.symbols_of(file).filter(|member| program.parent(*member) == Some(*user));
        let host = members.find(|member| program.definition(*member).name == "host")?;
        program.shape(host).values.first().copied()
    };
    let hosts: Vec<ExpressionId> = users.iter().map(host_of).collect::<Option<_>>()?;
    let mut found: Vec<TextValue> = hosts.into_iter().map(|host| values.text(file, host)).collect();
    found.dedup();
    if found.len() == 1 { found.pop().filter(is_address) } else { None }
}

fn base_of_arguments(
    values: &mut ValueReader<'_, '_>,
    file: FileIdx,
    name: &str,
    arguments: &[ExpressionId],
    frame: Option<&CallFrame<'_>>,
) -> Option<TextValue> {
    for argument in arguments {
        let fields = values.object(file, *argument, 0);
        if let Some((home, fields)) = fields {
            let code = values.code(home);
            let base = fields.iter().find(|(name, _)| OPTIONS.contains(&code.name(*name))).map(|(_, value)| *value);
            let frame = frame.filter(|_| home == file);
            return base.map(|base| values.text_in_call(home, base, frame)).filter(is_address);
        }
    }
    // `Dio(BaseOptions(baseUrl: "http://cart"))`.
    let inner = arguments.iter().find_map(|argument| values.call(file, *argument));
    if let Some(base) = inner.filter(|inner| inner.name == "BaseOptions").and_then(|inner| inner.named(&OPTIONS)) {
        return Some(values.text(file, base)).filter(is_address);
    }
    let is_builder = BUILDERS.contains(&name);
    let may_be_base = is_builder || matches!(name, "create" | "new" | "ClientSession" | "" | "wretch" | "newInstance");
    let first = arguments.first().filter(|_| may_be_base)?;
    Some(values.text(file, *first)).filter(is_address)
}

/// Returns true for `:8080/items`.
pub(super) fn begins_with_port(url: &TextValue) -> bool {
    let is_port =
        |text: &str| text.strip_prefix(':').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    url.alternatives.iter().all(|parts| matches!(parts.first(), Some(TextPart::Text(text)) if is_port(text)))
}

/// Returns true if a text may be the address of a service.
pub(super) fn is_address(text: &TextValue) -> bool {
    text.alternatives.iter().any(|parts| match parts.first() {
        Some(TextPart::Text(text)) => text.contains("://") || text.starts_with('/') || text.contains(':'),
        Some(TextPart::Variable(_) | TextPart::Parameter) => true,
        _ => false,
    })
}

/// Returns a relative URL behind a host that nothing names.
pub(super) fn of_unknown_host(url: &TextValue) -> TextValue {
    // A slash between the host and the path may be added: `get("api/items")`.
    let is_path = |text: &str| {
        let is_bare = text.starts_with(|c: char| c.is_ascii_alphanumeric()) && text.contains('/');
        text.starts_with('/') && !text.starts_with("//") || is_bare && !text.contains(':')
    };
    let is_relative =
        url.alternatives.iter().all(|parts| matches!(parts.first(), Some(TextPart::Text(text)) if is_path(text)));
    match is_relative {
        true => with_slash(&TextValue::of_parts(vec![TextPart::Computed]), url),
        false => url.clone(),
    }
}
