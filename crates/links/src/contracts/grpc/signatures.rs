//! Clients in languages whose values are not analysed: by the types in declarations, and by the types that a file constructs.
//!
//! A declaration names the type and the variable (`private readonly Cart.CartClient _cart`). The variable of a constructed client is
//! not known: only calls on a variable that is named as a client of the service count.

use graph::{FileIdx, Program};
use model::{Language, ReferenceKind, code::DefinitionId};

use super::{
    RpcUse,
    generators::{self, Role},
    service_name::{self, ServiceName},
};
use crate::{contracts::enclosing::node_of, services::CONFIRMED};

/// A variable that holds a client.
struct ClientVariable<'p> {
    /// Its name; empty for a client that is constructed.
    name: &'p str,
    service: ServiceName,
    /// The type around the declaration, or the file.
    owner: Option<u32>,
}

/// Returns the calls of rpcs in a file.
pub(super) fn calls(program: &Program<'_>, file: FileIdx) -> Vec<RpcUse> {
    let variables = variables(program, file);
    let facts = program.facts(file);
    let mut found = Vec::new();
    for reference in facts.references.iter().filter(|reference| reference.kind == ReferenceKind::Call) {
        let receiver = receiver_name(&reference.receiver);
        let is_module = service_of_path(program, file, &paths(&reference.receiver).pop().unwrap_or_default());
        let use_of = |service: &ServiceName| RpcUse {
            service: service.clone(),
            method: reference.name.clone(),
            address: String::new(),
            node: node_of(program, file, reference.enclosing.map(DefinitionId)),
            line: reference.line,
            serves: false,
        };
        if receiver.is_empty() || generators::is_client_method(&reference.name) {
            continue;
        }
        if let Some(service) = is_module.filter(|_| program.language(file) == Language::Elixir) {
            found.push(use_of(&service));
            continue;
        }
        let owner = outermost(program, file, reference.enclosing);
        let declared = variables.iter().find(|one| one.name == receiver && (one.owner.is_none() || one.owner == owner));
        if let Some(variable) = declared {
            found.push(use_of(&variable.service));
            continue;
        }
        let made = variables.iter().filter(|one| one.name.is_empty() && one.owner == owner);
        let services = made.map(|one| &one.service).filter(|service| is_named_as_client(receiver, &service.name));
        found.extend(services.map(use_of));
    }
    found
}

/// Returns the clients that declarations and constructions of a file name.
fn variables<'p>(program: &Program<'p>, file: FileIdx) -> Vec<ClientVariable<'p>> {
    let facts = program.facts(file);
    let mut found: Vec<ClientVariable<'p>> = Vec::new();
    for (definition, one) in facts.definitions.iter().enumerate() {
        let owner = outermost(program, file, Some(definition as u32));
        let is_variable = !one.kind.is_type() && !one.signature.contains('(') || one.signature.contains('=');
        let words: Vec<&str> = words(&one.signature).collect();
        for (at, word) in words.iter().enumerate().filter(|(_, word)| **word != one.name) {
            let Some(service) = service_of_path(program, file, &split(word)) else { continue };
            let name = match (is_variable, words.get(at + 1), at.checked_sub(1).and_then(|before| words.get(before))) {
                (true, _, _) => one.name.as_str(),
                (false, _, Some(before)) if before.ends_with(':') => before.trim_end_matches(':'),
                (false, Some(after), _) => after.trim_start_matches('$'),
                _ => continue,
            };
            found.push(ClientVariable { name, service, owner });
        }
    }
    // Languages without `new` call the type.
    let has_new = matches!(program.language(file), Language::CSharp | Language::Php | Language::Ruby);
    for reference in &facts.references {
        let is_made = reference.kind == ReferenceKind::Construct || reference.kind == ReferenceKind::Call && !has_new;
        let mut path = paths(&reference.receiver).pop().unwrap_or_default();
        path.push(&reference.name);
        let is_of_type = path.iter().all(|name| name.starts_with(|c: char| c.is_uppercase()) || path.len() > 1);
        if let Some(service) = service_of_path(program, file, &path).filter(|_| is_made && is_of_type) {
            found.push(ClientVariable { name: "", service, owner: outermost(program, file, reference.enclosing) });
        }
    }
    found
}

/// Returns the service of the client that a path of names is the type of.
///
/// A name that other libraries have too counts only if the file imports a library for rpcs or generated code.
fn service_of_path(program: &Program<'_>, file: FileIdx, path: &[&str]) -> Option<ServiceName> {
    let expanded = service_name::without_alias(program, file, path);
    let path = expanded.as_slice();
    let found = generators::find(program.language(file), path, |role| role == Role::Client)?;
    let last = path.last().and_then(|last| program.name_named(last));
    let is_written = last.is_some_and(|last| {
        program.named(last).iter().any(|symbol| {
            program.definition(*symbol).kind.is_type()
                && !super::generated::is_generated(program, program.file_of(*symbol))
        })
    });
    if is_written && path.len() == 1 {
        return None;
    }
    let service = service_name::without_inference(program, file, path, &found);
    (service.confidence >= CONFIRMED).then_some(service)
}

/// Returns the outermost type around a definition.
fn outermost(program: &Program<'_>, file: FileIdx, definition: Option<u32>) -> Option<u32> {
    let definitions = &program.facts(file).definitions;
    let chain = std::iter::successors(definition, |at| definitions.get(*at as usize)?.parent).take(16);
    chain.filter(|at| definitions[*at as usize].kind.is_type()).last()
}

/// Returns true if a variable has the name of a client, or a part of the name of its service.
fn is_named_as_client(variable: &str, service: &str) -> bool {
    let variable = variable.trim_start_matches(['_', '@', '$']).replace('_', "").to_ascii_lowercase();
    let service = service.to_ascii_lowercase();
    let stem = service.strip_suffix("service").unwrap_or(&service);
    variable.contains("stub") || variable.contains("client") || !stem.is_empty() && variable.contains(stem)
}

/// Returns the variable of a receiver: `_cart` of `this._cart`, `pay` of `$this->pay`.
fn receiver_name(receiver: &str) -> &str {
    let last = receiver.rsplit(['.', '>', ':', '?', '!']).find(|part| !part.is_empty()).unwrap_or_default();
    last.trim_start_matches(['$', '@'])
}

/// Returns the words of a declaration. A colon stays with the name before it.
fn words(signature: &str) -> impl Iterator<Item = &str> {
    signature
        .split([' ', '(', ')', ',', '<', '>', '?', '=', ';', '{', '}', '[', ']', '&', '*'])
        .filter(|word| !word.is_empty())
}

/// Returns the paths of names in a text: `Cart.CartClient`, `\Shop\CartClient`.
pub(super) fn paths(text: &str) -> Vec<Vec<&str>> {
    words(text).map(split).filter(|path| !path.is_empty()).collect()
}

fn split(word: &str) -> Vec<&str> {
    word.split(['.', ':', '\\']).filter(|part| !part.is_empty()).collect()
}
