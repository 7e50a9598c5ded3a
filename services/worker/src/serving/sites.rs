//! Call sites, imports and definitions of some names in files, read from their text.

use std::collections::BTreeSet;

use model::{FileFacts, Language};
use proto::v1;
use syntax::{WrittenCall, written_calls};

use super::{
    query_pool::{self, QueryContext},
    targets::{self, QueryTarget},
};

/// Maximum number of names of one file.
const MAX_NAMES: usize = 1_000;

/// Maximum number of calls, and of imports and definitions, of one file.
const MAX_SITES: usize = 5_000;

/// Reads the sites in files of a generation. Files after the deadline, and files that are gone, have none.
pub(super) fn sites(items: &[v1::SitesItem], targets: &[QueryTarget], context: &QueryContext) -> v1::SitesResponse {
    let (mut replies, mut outcomes) = targets::query_all(targets, context, |shard| {
        let read = |item: &v1::SitesItem| {
            let source = if context.is_over() { None } else { shard.snapshot.source(&item.path, None)? };
            let names: BTreeSet<&str> = item.names.iter().take(MAX_NAMES).map(String::as_str).collect();
            let read = |text: &str| {
                let facts = syntax::extract(Language::of_path(&item.path), text.as_bytes());
                file_sites(&facts, text.as_bytes(), &names)
            };
            Ok(source.map(|source| read(&source.text)).unwrap_or_default())
        };
        query_pool::map(items, read).into_iter().collect::<Result<Vec<v1::FileSites>, _>>()
    });
    let files = replies.pop().map(|(_, files)| files).unwrap_or_default();
    let mut outcome = outcomes.pop();
    if let Some(outcome) = outcome.as_mut().filter(|_| context.is_over()) {
        outcome.state = v1::TargetState::Partial.into();
        outcome.reason = "the deadline passed before all call sites were read".to_owned();
    }
    v1::SitesResponse { outcome, files }
}

/// Returns the sites of some names in a file.
pub(super) fn file_sites(facts: &FileFacts, bytes: &[u8], names: &BTreeSet<&str>) -> v1::FileSites {
    let call = |call: WrittenCall| v1::CallSite {
        line: call.line,
        name: call.name,
        receiver: call.receiver,
        positional: call.n_positional,
        names: call.names,
        open: call.is_open,
        literal: call.is_literal,
        types: call.types.into_iter().map(str::to_owned).collect(),
        named_types: call.named_types.into_iter().map(str::to_owned).collect(),
    };
    let imports = facts.imports.iter().filter(|import| {
        // `import a.b` binds a name without naming it.
        let module = import.module.rsplit(['/', '.', ':']).next().filter(|_| import.name.is_empty());
        [import.name.as_str(), import.alias.as_str()].into_iter().chain(module).any(|name| names.contains(name))
    });
    let definitions = facts.definitions.iter().filter(|definition| names.contains(definition.name.as_str()));
    v1::FileSites {
        calls: written_calls(facts.language, bytes, names).into_iter().take(MAX_SITES).map(call).collect(),
        imports: imports
            .take(MAX_SITES)
            .map(|import| v1::ImportedName {
                module: import.module.clone(),
                name: import.name.clone(),
                alias: import.alias.clone(),
                line: import.line,
                reexport: import.reexport,
            })
            .collect(),
        definitions: definitions
            .take(MAX_SITES)
            .map(|definition| v1::Symbol {
                kind: definition.kind.name().to_owned(),
                name: definition.name.clone(),
                container: definition.container.clone(),
                name_line: definition.name_line,
                ..Default::default()
            })
            .collect(),
    }
}
