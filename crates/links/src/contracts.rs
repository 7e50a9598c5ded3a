//! Reads the contracts of one file: its offers to other repositories, its uses of them, and its HTTP routes.

mod decorations;
mod deployment;
mod enclosing;
mod exports;
mod graphql;
mod grpc;
mod imports;
#[cfg(test)]
mod large_files;
#[cfg(test)]
mod notation_table;
mod openapi;
mod path_template;
mod proxies;
mod requests;
mod routes;
mod tables;
#[cfg(test)]
mod tests;
mod text_value;
mod topics;
mod url;
mod values;
mod variables;
mod visibility;

pub(crate) use deployment::{
    DeploymentIndex, SERVER_OF_PROXY, is_context_path, is_database_name, is_of_broker, key_of_local, words,
};
pub(crate) use grpc::{may_use_rpcs, names_rpcs};
pub(crate) use imports::{local_name, package_of_import};
pub(crate) use requests::invoked_service;
pub(crate) use tables::MODEL;
pub(crate) use topics::{constant_name, exchange_of_unknown_key, has_known_key};
pub(crate) use visibility::{is_below_tests_or_examples, is_installed_dependency, is_test_or_example};

use graph::{FileIdx, Inference, Node, Program, is_manifest};
use model::Language;

use crate::{
    contract::{ContractKind, ContractOffer, ContractUse, FileContracts},
    manifests::{PackageDeclaration, RepositoryManifests},
};

/// Reads the contracts of one file.
pub(crate) fn contracts(cx: &mut Inference<'_>, manifests: &RepositoryManifests, file: FileIdx) -> FileContracts {
    let program = cx.program;
    let path = program.path(file);
    if visibility::is_installed_dependency(path) {
        return FileContracts::default();
    }
    if program.language(file) == Language::Protobuf {
        let mut offers = grpc::offers(program, file);
        offers.extend(grpc::rule_offers(program, file));
        return FileContracts { offers, ..FileContracts::default() };
    }
    if is_manifest(path) {
        let mut contracts = manifest_contracts(program, manifests, file);
        // A project of .NET also names what it deploys.
        if !program.facts(file).documents.is_empty() {
            let deployed = deployment::contracts(cx, manifests.deployments(program), file);
            contracts.offers.extend(deployed.offers);
            contracts.uses.extend(deployed.uses);
        }
        return contracts;
    }
    let mut values = values::ValueReader::new(cx);
    let routes = routes::routes(&mut values, file);
    let requests = requests::uses(&mut values, file, &routes.registrations);
    let (gateway_routes, gateway_calls) = grpc::gateway(&mut values, file);
    let (proxied, forwarded) = proxies::contracts(&mut values, file, &routes.routes);
    let (resolved, asked) = graphql::contracts(&mut values, file);
    let messages = topics::uses(&mut values, file);
    let named_topics = topics::offers(&mut values, file);
    let mut offers = exports::offers(cx, &manifests.packages, file);
    let public_routes = routes.routes.iter().filter(|_| !visibility::is_test_or_example(path));
    // The service behind a proxy answers in the place of its handler.
    let public_routes = public_routes.filter(|found| {
        let (path, line) = (&found.route.path, found.route.line);
        !proxied.iter().any(|proxy| proxy.line == line && proxies::is_route_of(proxy, path))
    });
    offers.extend(public_routes.filter_map(|route| route.offer(file)));
    offers.extend(openapi::offers(program, manifests, file));
    let mut uses = imports::uses(cx, &manifests.packages, file);
    uses.extend(grpc::uses(cx, file));
    uses.extend(requests);
    uses.extend(gateway_calls);
    uses.extend(forwarded);
    offers.extend(proxied);
    uses.extend(asked);
    offers.extend(resolved.into_iter().filter(|_| !visibility::is_test_or_example(path)));
    offers.extend(gateway_routes.iter().filter_map(|route| {
        route_offer(&route.method, &route.path, route.handler.unwrap_or(Node::File(file)), route.line)
    }));
    uses.extend(variables::uses(program, file));
    uses.extend(messages);
    offers.extend(named_topics);
    uses.extend(tables::uses(program, file));
    offers.extend(tables::offers(program, file));
    let deployed = deployment::contracts(cx, manifests.deployments(program), file);
    offers.extend(deployed.offers);
    uses.extend(deployed.uses);
    let routes = routes.routes.into_iter().map(|found| found.route).chain(gateway_routes).collect();
    FileContracts { offers, uses, routes }
}

/// Confidence of a topic that an AsyncAPI document declares. The document may be a copy of that of another application.
const OF_DOCUMENT: f32 = 0.4;

/// Returns the contracts of a manifest or an API document: it offers the packages that it makes and its operations, and uses the
/// packages that it requires and its topics.
fn manifest_contracts(program: &Program<'_>, manifests: &RepositoryManifests, file: FileIdx) -> FileContracts {
    let path = program.path(file);
    let node = Node::File(file);
    let package_offer = |package: &PackageDeclaration| ContractOffer {
        kind: ContractKind::Package,
        key: package.key.clone(),
        member: String::new(),
        node,
        line: package.line,
    };
    let package_use = |package: &PackageDeclaration| ContractUse {
        kind: ContractKind::Package,
        key: package.key.clone(),
        member: String::new(),
        node,
        line: package.line,
        confidence: 1.0,
        n_sites: 1,
        serves: false,
    };
    let packages = &manifests.packages;
    let operations = manifests.operations(path).iter();
    let operations =
        operations.filter_map(|operation| route_offer(&operation.method, &operation.path, node, operation.line));
    let offers = packages.made_by(path).map(package_offer).chain(operations);
    let required = packages.required_by(path).filter(|package| !packages.makes(&package.key));
    let declared = manifests.messages(path).iter().filter(|_| !visibility::is_test_or_example(path));
    let declared = declared.map(|message| ContractUse {
        kind: ContractKind::Topic,
        key: message.topic.clone(),
        member: String::new(),
        node,
        line: message.line,
        confidence: OF_DOCUMENT,
        n_sites: 1,
        serves: message.receives,
    });
    FileContracts {
        offers: offers.filter(|_| !visibility::is_test_or_example(path)).collect(),
        uses: required.map(package_use).chain(declared).collect(),
        routes: Vec::new(),
    }
}

/// Returns the offer of a route; `None` if its path is invalid.
fn route_offer(method: &str, path: &str, node: Node, line: u32) -> Option<ContractOffer> {
    let key = format!("{method} {}", path_template::normalize(path)?);
    Some(ContractOffer { kind: ContractKind::Http, key, member: String::new(), node, line })
}
