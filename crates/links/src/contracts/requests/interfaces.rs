//! Clients that are declared as interfaces: Feign, Retrofit, Refit, Micronaut, Spring's and MicroProfile's HTTP interfaces.

use graph::{FileIdx, Node, SymbolIdx};
use model::{Language, SymbolKind, code::ExpressionId};

use rustc_hash::FxHashMap;

use super::{HttpRequest, KNOWN_CLIENT, methods};
use crate::{
    contract::ContractUse,
    contracts::{
        decorations::{DecorationCall, decorations_of},
        text_value::{TextValue, with_slash},
        url::with_base,
        values::ValueReader,
    },
};

/// Annotations that make an interface a client.
const CLIENTS: [&str; 5] = ["FeignClient", "RegisterRestClient", "Client", "HttpExchange", "ReactiveFeignClient"];

/// Returns true if a type is a client: its methods are requests, not routes.
fn is_client(values: &ValueReader<'_, '_>, owner: SymbolIdx) -> bool {
    decorations_of(values, owner).iter().any(|decoration| CLIENTS.contains(&decoration.name))
}

/// Returns true for an annotation with a method and a path, which Retrofit and Refit read on methods of plain interfaces.
fn is_of_plain_interface(decoration: &DecorationCall<'_>, language: Language) -> bool {
    let name = decoration.name;
    // `@GetExchange` is of clients alone.
    if name.strip_suffix("Exchange").and_then(methods::of_name).is_some() {
        return true;
    }
    let is_method = methods::of_name(name).is_some() && decoration.first().is_some();
    is_method && (name.chars().all(|c| c.is_ascii_uppercase()) || language == Language::CSharp)
}

/// Returns true if a method of an interface is a request.
pub(in crate::contracts) fn is_request(
    values: &ValueReader<'_, '_>,
    owner: SymbolIdx,
    decoration: &DecorationCall<'_>,
) -> bool {
    let program = values.program();
    let definition = program.definition(owner);
    let language = program.language(program.file_of(owner));
    is_client(values, owner) || definition.kind == SymbolKind::Interface && is_of_plain_interface(decoration, language)
}

/// Returns the requests that the methods of the client interfaces of a file stand for.
pub(super) fn uses(values: &mut ValueReader<'_, '_>, file: FileIdx) -> Vec<ContractUse> {
    let program = values.program();
    let language = program.language(file);
    if !matches!(language, Language::Java | Language::Kotlin | Language::CSharp)
        || values.code(file).decorations.is_empty()
    {
        return Vec::new();
    }
    let mut members: Vec<SymbolIdx> =
        values.code(file).decorations.iter().map(|decoration| program.symbol(file, decoration.definition)).collect();
    members.dedup();
    let mut found = inherited_uses(values, &members);
    let mut bases: FxHashMap<SymbolIdx, (bool, Option<TextValue>)> = FxHashMap::default();
    for member in members {
        let Some(owner) = program.parent(member).filter(|owner| program.definition(*owner).kind.is_type()) else {
            continue;
        };
        let (is_client, base) = bases.entry(owner).or_insert_with(|| {
            let is_client = is_client(values, owner);
            let base = if is_client { base_of(values, owner) } else { None };
            (is_client, base)
        });
        let is_client = *is_client;
        if !is_client && program.definition(owner).kind != SymbolKind::Interface {
            continue;
        }
        let Some((method, path, line)) = request_of(values, member, is_client) else { continue };
        let url = with_base(base.as_ref(), &path);
        let request = HttpRequest { method, url, confidence: KNOWN_CLIENT };
        found.extend(request.contract(Node::Symbol(member), line));
    }
    found
}

/// Returns the requests of clients that inherit their methods: `@FeignClient("cart") interface CartClient extends CartApi {}`.
fn inherited_uses(values: &mut ValueReader<'_, '_>, decorated: &[SymbolIdx]) -> Vec<ContractUse> {
    let program = values.program();
    let clients: Vec<SymbolIdx> = decorated
        .iter()
        .copied()
        .filter(|symbol| program.definition(*symbol).kind.is_type() && is_client(values, *symbol))
        .collect();
    let mut found = Vec::new();
    for client in clients {
        let Some(base) = base_of(values, client) else { continue };
        for interface in values.base_types(client) {
            let path = path_of(values, interface);
            let behind = path.map_or(base.clone(), |path| with_slash(&base, &path));
            let of_interface = uses_behind(values, interface, &behind);
            found.extend(of_interface.into_iter().map(|used| ContractUse { node: Node::Symbol(client), ..used }));
        }
    }
    found
}

/// Returns the path before those of the methods of an interface: `@RequestMapping("/items")`.
fn path_of(values: &mut ValueReader<'_, '_>, interface: SymbolIdx) -> Option<TextValue> {
    let file = values.program().file_of(interface);
    decorations_of(values, interface).iter().find_map(|decoration| {
        let written = decoration.first().or_else(|| decoration.named(values, &["value", "path"]));
        let is_path = matches!(decoration.name, "RequestMapping" | "Path");
        written.filter(|_| is_path).map(|written| values.text(file, written))
    })
}

/// Returns the requests that the methods of an interface stand for, behind a base that the code that makes the client has.
pub(super) fn uses_behind(values: &mut ValueReader<'_, '_>, owner: SymbolIdx, base: &TextValue) -> Vec<ContractUse> {
    let program = values.program();
    let file = program.file_of(owner);
    if program.definition(owner).kind != SymbolKind::Interface {
        return Vec::new();
    }
    let members: Vec<SymbolIdx> =
        program.symbols_of(file).filter(|member| program.parent(*member) == Some(owner)).collect();
    let requests = members.into_iter().filter_map(|member| {
        let (method, path, line) = request_of(values, member, true)?;
        let request = HttpRequest { method, url: with_base(Some(base), &path), confidence: KNOWN_CLIENT };
        request.contract(Node::Symbol(member), line)
    });
    requests.collect()
}

/// Returns the address of a client interface, with its path.
fn base_of(values: &mut ValueReader<'_, '_>, owner: SymbolIdx) -> Option<TextValue> {
    let program = values.program();
    let file = program.file_of(owner);
    let mut base: Option<TextValue> = None;
    let mut name: Option<TextValue> = None;
    let mut path: Option<TextValue> = None;
    for decoration in decorations_of(values, owner) {
        let mut of = |names: &[&str]| -> Option<TextValue> {
            decoration.named(values, names).map(|value: ExpressionId| values.text(file, value))
        };
        match decoration.name {
            "FeignClient" | "ReactiveFeignClient" => {
                base = of(&["url"]);
                path = of(&["path"]).or(path);
                name = of(&["name", "value", "serviceId"]);
            }
            "RegisterRestClient" => {
                base = of(&["baseUri"]);
                let key = of(&["configKey"]).and_then(|key| key.as_literal());
                let setting = key.map(|key| TextValue::variable(&format!("quarkus.rest-client.{key}.url")));
                base = base.or(setting);
            }
            "HttpExchange" => base = of(&["url", "value"]),
            "Client" => {
                name = of(&["value", "id"]);
                path = of(&["path"]).or(path);
            }
            _ => {}
        }
        // `@Path("/cart")` of the type is before the paths of its methods.
        let named = decoration.named(values, &["value", "path"]);
        let first = decoration.first().map(|value| values.text(file, value));
        if matches!(decoration.name, "Path" | "RequestMapping") {
            let named = named.map(|value| values.text(file, value));
            path = named.or_else(|| first.clone()).or(path);
        }
        if let (Some(first), true) =
            (first.filter(|first| first.as_literal().is_some()), CLIENTS.contains(&decoration.name))
        {
            match decoration.name {
                "HttpExchange" => base = Some(first),
                _ => name = Some(first),
            }
        }
    }
    // The name of a client is that of a service in discovery; the name of Micronaut may be a URL or a path.
    let by_name = name.map(|name| match name.as_literal() {
        Some(text) if text.contains("://") || text.starts_with('/') => name,
        _ => TextValue::literal("http://").followed_by(&name),
    });
    match (base.or(by_name), path) {
        (Some(base), Some(path)) => Some(with_slash(&base, &path)),
        (base, path) => base.or(path),
    }
}

/// Returns the method and path of a method of a client interface, and its line.
fn request_of(
    values: &mut ValueReader<'_, '_>,
    member: SymbolIdx,
    is_client: bool,
) -> Option<(String, TextValue, u32)> {
    let program = values.program();
    let file = program.file_of(member);
    let decorations = decorations_of(values, member);
    let mut found: Option<(String, Option<TextValue>, u32)> = None;
    let mut path: Option<TextValue> = None;
    for decoration in &decorations {
        let written = decoration.first().or_else(|| decoration.named(values, &["value", "path", "url", "uri"]));
        let text = written.map(|value| values.text(file, value));
        let of_name = |name: &str, method: &str| Some((methods::of_name(name)?, method.to_owned()));
        let name = decoration.name;
        if name == "Path" {
            path = text;
            continue;
        }
        if name == "RequestLine" {
            // `@RequestLine("GET /items/{id}")` of Feign.
            let line = written.and_then(|value| values.literal(file, value)).unwrap_or_default();
            let (method, path) = line.split_once(' ').unwrap_or((line, "/"));
            found = methods::of_name(method).map(|method| (method, Some(TextValue::literal(path)), decoration.line));
            continue;
        }
        let verb = name.strip_suffix("Mapping").or(name.strip_suffix("Exchange")).unwrap_or(name);
        if let Some((method, _)) = of_name(verb, verb) {
            if is_client || is_of_plain_interface(decoration, program.language(file)) {
                found = Some((method, text, decoration.line));
            }
        } else if matches!(name, "RequestMapping" | "HTTP") && is_client {
            let method = decoration.named(values, &["method"]);
            let method = method.and_then(|method| methods::of_value(values, file, method, None));
            found = Some((method.unwrap_or_else(|| "*".to_owned()), text, decoration.line));
        }
    }
    let (method, own, line) = found?;
    let path = own.or(path).unwrap_or_else(|| TextValue::literal("/"));
    Some((method, path, line))
}

impl DecorationCall<'_> {
    fn first(&self) -> Option<ExpressionId> {
        self.positional.first().copied()
    }
}
