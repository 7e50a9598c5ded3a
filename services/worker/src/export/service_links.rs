//! Links between the services of a data folder.

use std::path::Path;

use links::{
    ContractKind,
    rules::LinkRules,
    services::{self, NetworkIndex, ServiceLink, ServiceRepository},
};

use super::{ExportError, cross_repo};

/// A link between services of two repositories.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportedServiceLink {
    /// Alias of the using repository.
    pub from_repo: String,
    /// Path of the using file.
    pub from_file: String,
    /// Line of the use.
    pub from_line: u32,
    /// Alias of the answering repository.
    pub to_repo: String,
    /// Path of the file that answers.
    pub to_file: String,
    /// Line of the definition that answers.
    pub to_line: u32,
    /// The kind of boundary: `grpc`, `http`, `topic`, `sql` or `config`.
    pub kind: &'static str,
    /// The rpc (`Service.Method`), route (`GET /x`), topic, table or variable.
    pub name: String,
    /// In (0, 1].
    pub confidence: f32,
}

/// Returns the links between the services of the repositories with these aliases, or between all if there are none, in the order of
/// users. A call of an rpc leads to the method that answers it, or to its definition if no repository answers it.
pub fn service_links(
    data: &Path,
    aliases: &[String],
    min_confidence: f32,
    rules: &LinkRules,
) -> Result<Vec<ExportedServiceLink>, ExportError> {
    let surfaces = cross_repo::surfaces(data, aliases)?;
    let repositories: Vec<ServiceRepository<'_>> =
        surfaces.iter().map(|(alias, surface)| ServiceRepository { alias, surface }).collect();
    let alias = |repository: usize| repositories[repository].alias.to_owned();
    let links = services::answered(&repositories, &NetworkIndex::new(&repositories), rules).into_iter();
    let links = links.filter(|one| one.link.confidence >= min_confidence);
    let row = |ServiceLink { user, provider, link }: ServiceLink| ExportedServiceLink {
        from_repo: alias(user),
        from_file: link.user.path.to_string(),
        from_line: link.user.line,
        to_repo: alias(provider),
        to_file: link.offer.path.to_string(),
        to_line: link.offer.line,
        kind: kind_name(link.kind),
        name: services::shown_name(link.kind, &link.key),
        confidence: link.confidence,
    };
    Ok(links.map(row).collect())
}

fn kind_name(kind: ContractKind) -> &'static str {
    match kind {
        ContractKind::Grpc => "grpc",
        ContractKind::Http => "http",
        ContractKind::Topic => "topic",
        ContractKind::Table => "sql",
        _ => "config",
    }
}
