//! Requests of clients that Kiota generates: a class has the template of a URL, and a method for each method of HTTP.

use graph::{FileIdx, Node, SymbolIdx};
use model::code::Expression;

use super::{KNOWN_CLIENT, methods};
use crate::{
    contract::{ContractKind, ContractUse},
    contracts::values::ValueReader,
};

/// The beginning of a template: the base that the adapter of the client has.
const BASE: &str = "{+baseurl}";

/// Returns the requests that the methods of the builders of a file send.
pub(super) fn uses(values: &ValueReader<'_, '_>, file: FileIdx) -> Vec<ContractUse> {
    let (program, code) = (values.program(), values.code(file));
    if !code.names.iter().any(|name| name.starts_with(BASE)) {
        return Vec::new();
    }
    let mut found: Vec<ContractUse> = Vec::new();
    for site in &code.sites {
        let Expression::Call { arguments, .. } = code.expression(site.expression) else { continue };
        let texts = arguments.iter().filter_map(|argument| values.literal(file, *argument));
        let Some(path) = texts.filter_map(path_of).next() else { continue };
        let Some(owner) = values.type_around(file, site.scope) else { continue };
        let is_sending = |symbol: &SymbolIdx| program.parent(*symbol) == Some(owner);
        for symbol in program.symbols_of(file).filter(is_sending) {
            let definition = program.definition(symbol);
            let name = definition.name.trim_end_matches("Async");
            let Some(method) = methods::of_name(name) else { continue };
            let key = format!("{method} {{}}{path}");
            if found.iter().any(|one| one.key == key) {
                continue;
            }
            found.push(ContractUse {
                kind: ContractKind::Http,
                key,
                member: "{}".to_owned(),
                node: Node::Symbol(symbol),
                line: definition.name_line,
                confidence: KNOWN_CLIENT,
                n_sites: 1,
                serves: false,
            });
        }
    }
    found
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
