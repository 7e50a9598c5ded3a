//! Deployments and settings: which workload runs which image, under which host it is reached, and which addresses it is told.
//!
//! The input are the documents in the facts of a file. A value is looked up in another document where deployments do: the values
//! of a chart, a file of environment variables.

mod chart;
mod cloud;
mod commands;
mod compose;
mod containers;
mod dockerfile;
mod index;
mod kubernetes;
mod ports;
mod proxies;
mod requests;
mod settings;
#[cfg(test)]
mod tests;
mod tree;

use graph::{FileIdx, Inference, Node};
use model::DocumentFormat;

use crate::contract::{ContractKind, ContractOffer, ContractUse, FileContracts};

pub(crate) use index::DeploymentIndex;
pub(crate) use ports::key_of_local;
pub(crate) use settings::{is_context_path, is_database_name, is_of_broker, words};

use chart::Chart;
use tree::DocumentTree;

/// The member of a host for which a proxy answers. No workload has such a name.
pub(crate) const SERVER_OF_PROXY: &str = "{proxy}";

/// Maximum number of facts of one file.
const MAX_FACTS: usize = 5_000;

/// A fact that a document states.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct DeploymentFact {
    kind: ContractKind,
    key: String,
    member: String,
    line: u32,
    is_offer: bool,
    /// True of a consumer of a topic.
    serves: bool,
}

impl DeploymentFact {
    fn offer(kind: ContractKind, key: &str, member: &str, line: u32) -> DeploymentFact {
        DeploymentFact { kind, key: key.to_owned(), member: member.to_owned(), line, is_offer: true, serves: false }
    }

    /// Returns a setting of a workload; `None` if its value is no address, name in the network or context path.
    fn setting(workload: &str, variable: &str, value: &str, line: u32) -> Option<DeploymentFact> {
        let is_useful = settings::is_address_setting(variable, value);
        is_useful.then(|| DeploymentFact {
            kind: ContractKind::Config,
            key: format!("{workload}/{variable}"),
            member: value.to_owned(),
            line,
            is_offer: false,
            serves: false,
        })
    }

    /// Returns true if a fact still says something after the actions of templates are evaluated.
    fn is_known(&self) -> bool {
        let variable = self.key.rsplit_once('/').map_or("", |(_, variable)| variable);
        match self.kind {
            ContractKind::Config => settings::is_address_setting(variable, &self.member),
            ContractKind::Host | ContractKind::Workload => !self.key.is_empty() && self.key != "{}",
            _ => true,
        }
    }

    fn request(key: String, address: &str, line: u32) -> DeploymentFact {
        DeploymentFact {
            kind: ContractKind::Http,
            key,
            member: address.to_owned(),
            line,
            is_offer: false,
            serves: false,
        }
    }
}

/// Returns the contracts of the documents of a file.
pub(super) fn contracts(cx: &mut Inference<'_>, index: &DeploymentIndex, file: FileIdx) -> FileContracts {
    let program = cx.program;
    let path = program.path(file);
    let documents = &program.facts(file).documents;
    if documents.is_empty() || super::visibility::is_test_or_example(path) {
        return FileContracts::default();
    }
    let chart = Chart::of(cx, path);
    let mut facts = Vec::new();
    for document in documents {
        let tree = DocumentTree::new(&document.entries);
        facts.extend(requests::facts(tree.root()));
        match document.format {
            DocumentFormat::Yaml => {
                let mut found = kubernetes::facts(cx, index, &chart, path, tree.root());
                found.extend(compose::facts(cx, index, path, tree.root()));
                found.extend(chart::facts(&chart, path, tree.root()));
                found.extend(commands::facts(index, path, tree.root()));
                found.extend(settings::facts(path, tree.root()));
                found.extend(proxies::facts(tree.root()));
                found.extend(ports::of_profiles(tree.root()));
                found.extend(cloud::templates(tree.root()));
                facts.extend(found.into_iter().map(|fact| chart.resolved(fact)).filter(DeploymentFact::is_known));
            }
            DocumentFormat::Dockerfile => facts.extend(dockerfile::facts(path, tree.root())),
            DocumentFormat::Assignments => facts.extend(settings::assignments(index, path, tree.root())),
            DocumentFormat::Terraform => {
                let found = containers::facts(tree.root());
                facts.extend(found.into_iter().map(|fact| cloud::with_terraform_name(cx, index, path, fact)));
                facts.extend(cloud::terraform(cx, index, path, tree.root()));
            }
            DocumentFormat::Commands => {
                facts.extend(commands::facts(index, path, tree.root()));
                facts.extend(commands::named_images(path, tree.root()));
                facts.extend(ports::of_code(tree.root()));
            }
            DocumentFormat::Directives => facts.extend(proxies::directives(tree.root())),
            DocumentFormat::Variables | DocumentFormat::Messages | DocumentFormat::Tables => {}
        }
    }
    facts.sort();
    facts.dedup();
    facts.truncate(MAX_FACTS);
    let node = Node::File(file);
    let (offers, uses): (Vec<_>, Vec<_>) = facts.into_iter().partition(|fact| fact.is_offer);
    FileContracts {
        offers: offers
            .into_iter()
            .map(|fact| ContractOffer { kind: fact.kind, key: fact.key, member: fact.member, node, line: fact.line })
            .collect(),
        uses: uses
            .into_iter()
            .map(|fact| ContractUse {
                kind: fact.kind,
                key: fact.key,
                member: fact.member,
                node,
                line: fact.line,
                confidence: 0.95,
                n_sites: 1,
                serves: fact.serves,
            })
            .collect(),
        routes: Vec::new(),
    }
}

/// Returns the folder of a path; empty for the root of the repository.
fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns a path relative to a folder, without `.` and `..`; `None` if it leaves the repository.
fn joined(folder: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            parts.pop()?;
        } else {
            parts.push(part);
        }
    }
    Some(parts.join("/"))
}
