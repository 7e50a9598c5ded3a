//! Requests of clients that Kiota generates: a class has the template of a URL, and a method for each method of HTTP.

use std::collections::BTreeMap;

use graph::{FileIdx, Node, Program, SymbolIdx};
use model::code::Expression;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{KNOWN_CLIENT, methods};
use crate::{
    contract::{ContractKind, ContractUse},
    contracts::values::ValueReader,
};

/// The beginning of a template: the base that the adapter of the client has.
const BASE: &str = "{+baseurl}";

/// Maximum number of requests of the builders of one file.
const MAX_SENT: usize = 1_000;

/// Returns the requests that the methods of the builders of a file send.
pub(super) fn uses(values: &ValueReader<'_, '_>, file: FileIdx) -> Vec<ContractUse> {
    let (program, code) = (values.program(), values.code(file));
    if !code.names.iter().any(|name| name.starts_with(BASE)) {
        return Vec::new();
    }
    let sending = sending_methods(program, file);
    let mut found: Vec<ContractUse> = Vec::new();
    let mut known: FxHashSet<(SymbolIdx, String)> = FxHashSet::default();
    for site in &code.sites {
        let Expression::Call { arguments, .. } = code.expression(site.expression) else { continue };
        let texts = arguments.iter().filter_map(|argument| values.literal(file, *argument));
        let Some(path) = texts.filter_map(path_of).next() else { continue };
        let Some(owner) = values.type_around(file, site.scope) else { continue };
        for (method, symbol) in sending.get(&owner).into_iter().flatten() {
            if found.len() >= MAX_SENT {
                return found;
            }
            let key = format!("{method} {{}}{path}");
            // Two builders may have the same template.
            if !known.insert((owner, key.clone())) {
                continue;
            }
            found.push(ContractUse {
                kind: ContractKind::Http,
                key,
                member: "{}".to_owned(),
                node: Node::Symbol(*symbol),
                line: program.definition(*symbol).name_line,
                confidence: KNOWN_CLIENT,
                n_sites: 1,
                serves: false,
            });
        }
    }
    found
}

/// Returns the functions that send requests by the class that has them: the first one of each method of HTTP.
fn sending_methods(program: &Program<'_>, file: FileIdx) -> FxHashMap<SymbolIdx, BTreeMap<String, SymbolIdx>> {
    let mut sending: FxHashMap<SymbolIdx, BTreeMap<String, SymbolIdx>> = FxHashMap::default();
    for symbol in program.symbols_of(file) {
        let method = methods::of_name(program.definition(symbol).name.trim_end_matches("Async"));
        if let Some((owner, method)) = program.parent(symbol).zip(method) {
            sending.entry(owner).or_default().entry(method).or_insert(symbol);
        }
    }
    sending
}

/// Returns the path of a template: `/items/{}` of `{+baseurl}/items/{id}{?page}`.
fn path_of(template: &str) -> Option<String> {
    let path = template.strip_prefix(BASE)?;
    let path = path.split("{?").next().unwrap_or(path);
    let path = path.split('?').next().unwrap_or(path).trim_end_matches('/');
    let segments = path.split('/').map(|segment| if segment.starts_with('{') { "{}" } else { segment });
    let path = segments.collect::<Vec<_>>().join("/");
    path.starts_with('/').then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::contracts;

    #[test]
    fn each_builder_of_a_file_sends_its_own_requests() {
        let class = |name: &str, method: &str| {
            format!(
                "class {name} extends BaseRequestBuilder {{ {name}(RequestAdapter a) {{ super(a, \"{{+baseurl}}/items\", m); }} Item {method}() {{ return null; }} }}\n"
            )
        };
        let classes = [class("A", "get"), class("B", "get"), class("C", "put"), class("D", "fill")].concat();
        let found = contracts(&format!("//- /A.java\n{classes}"));
        let sent = |method: &str, by: &str| {
            let (start, by) = (format!("- {method} {{}}/items {{}} by "), format!("::{by}:"));
            found.iter().filter(|line| line.starts_with(&start) && line.contains(&by)).count()
        };
        for (method, by, expected) in
            [("GET", "A.get", 1), ("GET", "B.get", 1), ("PUT", "C.put", 1), ("GET", "C.put", 0), ("PUT", "D.fill", 0)]
        {
            assert_eq!(sent(method, by), expected, "{method} {by} in {found:?}");
        }
    }

    #[test]
    fn templates_have_paths() {
        for (template, expected) in [
            ("{+baseurl}/items/{id}", Some("/items/{}")),
            ("{+baseurl}/items{?page*,size*}", Some("/items")),
            ("{+baseurl}/items?limit={limit}{&page}", Some("/items")),
            ("{+baseurl}", None),
            ("/items", None),
        ] {
            assert_eq!(path_of(template).as_deref(), expected, "{template}");
        }
    }
}
