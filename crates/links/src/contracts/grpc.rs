//! Rpcs: the definitions of `.proto` files, and the clients, servers and messages in code of every language.
//!
//! A value is a client if it has a type of generated code, or was made by a function of generated code. Generated code is seldom in
//! the repository, so that its names count (`generators`), and the import that they come from. A use has the name of its rpc as
//! [`rpc_name`](crate::rpc_name) describes.

mod calls;
mod channels;
mod clients;
mod declared_servers;
mod definitions;
mod factories;
mod fields;
mod flow;
mod generated;
mod generators;
mod http_rules;
mod loaded;
mod messages;
mod named_calls;
mod packaged_services;
mod registrars;
mod returned_servers;
mod servers;
mod service_name;
mod signatures;
#[cfg(test)]
mod tests;

pub(super) use definitions::offers;
pub(super) use http_rules::{gateway, offers as rule_offers};

use std::collections::BTreeMap;

use graph::{FileIdx, Inference, Node, Program};
use model::Language;

use super::{values::ValueReader, visibility::is_test_or_example};
use crate::contract::{ContractKind, ContractUse};
use service_name::ServiceName;

/// Maximum number of uses of rpcs in one file.
const MAX_USES: usize = 20_000;

/// Returns the calls, the implementations and the messages of rpcs in a file. Generated code has none.
pub(super) fn uses(cx: &mut Inference<'_>, file: FileIdx) -> Vec<ContractUse> {
    let program = cx.program;
    let facts = program.facts(file);
    if facts.references.is_empty() && facts.code.sites.is_empty() || generated::is_generated(program, file) {
        return Vec::new();
    }
    // Most repositories have no rpcs.
    if !may_use_rpcs(program) {
        return Vec::new();
    }
    let mut found = calls::uses(cx, file);
    // A mock of a test serves nobody else.
    if !is_test_or_example(program.path(file)) {
        found.extend(servers::implementations(cx, file));
    }
    let messages = messages::uses(cx, file, &found);
    let fields = fields::uses(&mut ValueReader::new(cx), file, &found);
    found.extend(messages);
    found.extend(fields);
    merge(found)
}

/// Returns true if any file names rpcs. The other files of a repository without one have no uses of rpcs.
pub(crate) fn may_use_rpcs(program: &Program<'_>) -> bool {
    program.uses_rpcs(|file| names_rpcs(program, file))
}

/// Returns true if a file defines rpcs, imports generated code or a library for rpcs, or has a specific name of generated code.
pub(crate) fn names_rpcs(program: &Program<'_>, file: FileIdx) -> bool {
    const WORDS: [&str; 7] = ["Stub", "Base", "Serv", "Grpc", "Client", "Handler", "AsyncProvider"];
    let language = program.language(file);
    let facts = program.facts(file);
    language == Language::Protobuf
        || service_name::names_grpc(program, file)
        || facts.references.iter().any(|reference| {
            // Each specific name has one of these words, and few others have.
            let is_likely = |text: &str| WORDS.iter().any(|word| text.contains(word));
            if !is_likely(&reference.name) && !is_likely(&reference.receiver) {
                return false;
            }
            let receiver = reference.receiver.split(['.', ':', '\\', '/']).filter(|part| !part.is_empty());
            let path: Vec<&str> = receiver.chain([reference.name.as_str()]).collect();
            let is_specific =
                |path: &[&str]| generators::find(language, path, |_| true).is_some_and(|found| found.is_specific);
            is_specific(&path) || path.len() > 2 && is_specific(&path[..path.len() - 1])
        })
        || facts.code.names.iter().any(|name| {
            let may_be = name.starts_with('/') || name.contains("://") || name.starts_with("{}/");
            may_be && calls::full_name(name).is_some()
        })
}

/// A use of an rpc, a service or a message.
#[derive(Debug, Clone)]
struct RpcUse {
    service: ServiceName,
    /// The method; empty for the service or message itself.
    method: String,
    /// The address that a call goes to; empty if it is not known.
    address: String,
    node: Node,
    line: u32,
    serves: bool,
}

/// Merges the uses of one name in one definition.
fn merge(found: Vec<RpcUse>) -> Vec<ContractUse> {
    let mut merged: BTreeMap<(String, Node, bool), ContractUse> = BTreeMap::new();
    for used in found.into_iter().take(MAX_USES) {
        let key = used.service.key(&used.method);
        let one = merged.entry((key.clone(), used.node, used.serves)).or_insert_with(|| ContractUse {
            kind: ContractKind::Grpc,
            key,
            member: String::new(),
            node: used.node,
            line: used.line,
            confidence: 0.0,
            n_sites: 0,
            serves: used.serves,
        });
        one.n_sites += 1;
        one.line = one.line.min(used.line);
        one.confidence = one.confidence.max(used.service.confidence);
        if one.member.is_empty() {
            one.member = used.address;
        }
    }
    merged.into_values().collect()
}
