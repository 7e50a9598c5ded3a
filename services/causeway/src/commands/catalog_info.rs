//! Links between services as entities of a Backstage catalog.

use std::collections::{BTreeMap, BTreeSet};

use worker::export::ExportedServiceLink;

/// Maximum length of the name of an entity.
const MAX_NAME: usize = 63;

/// The relations of a component.
#[derive(Debug, Default)]
struct Relations {
    provides: BTreeSet<String>,
    consumes: BTreeSet<String>,
    depends_on: BTreeSet<String>,
}

/// Returns a `catalog-info` document for each repository of some links: its component with `providesApis`, `consumesApis` and
/// `dependsOn`. Settings of deployments are no relations of components.
pub(super) fn catalog_info(links: &[ExportedServiceLink]) -> String {
    let mut components: BTreeMap<String, Relations> = BTreeMap::new();
    for link in links.iter().filter(|link| link.kind != "config") {
        let (user, provider) = (entity_name(&link.from_repo), entity_name(&link.to_repo));
        let api = match link.kind {
            "grpc" => Some(entity_name(link.name.rsplit_once('.').map_or(&link.name, |(service, _)| service))),
            "http" => Some(entity_name(&format!("{}-http", link.to_repo))),
            _ => None,
        };
        let used_by = components.entry(user).or_default();
        used_by.depends_on.insert(format!("component:{provider}"));
        used_by.consumes.extend(api.clone());
        components.entry(provider).or_default().provides.extend(api);
    }
    // A repository with a client of its own service provides the API, and does not depend on it.
    for relations in components.values_mut() {
        relations.consumes.retain(|api| !relations.provides.contains(api));
    }
    components.iter().map(|(name, relations)| document(name, relations)).collect()
}

fn document(name: &str, relations: &Relations) -> String {
    let list = |key: &str, values: &BTreeSet<String>| {
        let values: String = values.iter().map(|value| format!("    - {value}\n")).collect();
        if values.is_empty() { String::new() } else { format!("  {key}:\n{values}") }
    };
    format!(
        "---\napiVersion: backstage.io/v1alpha1\nkind: Component\nmetadata:\n  name: {name}\nspec:\n  type: service\n  \
         lifecycle: unknown\n  owner: unknown\n{}{}{}",
        list("providesApis", &relations.provides),
        list("consumesApis", &relations.consumes),
        list("dependsOn", &relations.depends_on),
    )
}

/// Returns a name with the characters that the catalog allows.
fn entity_name(name: &str) -> String {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let name: String = name.chars().map(|c| if is_allowed(c) { c } else { '-' }).take(MAX_NAME).collect();
    name.trim_matches(['-', '_', '.']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(from: &str, to: &str, kind: &'static str, name: &str) -> ExportedServiceLink {
        ExportedServiceLink {
            from_repo: from.to_owned(),
            from_file: "a".to_owned(),
            from_line: 1,
            to_repo: to.to_owned(),
            to_file: "b".to_owned(),
            to_line: 1,
            kind,
            name: name.to_owned(),
            confidence: 0.9,
        }
    }

    #[test]
    fn each_repository_is_a_component_with_its_relations() {
        let links = [
            link("web", "acme/cart", "http", "GET /cart"),
            link("web", "pay", "grpc", "PaymentService.Charge"),
            link("ops", "pay", "config", "PAY_ADDR"),
        ];
        let head = |name: &str| {
            format!(
                "---\napiVersion: backstage.io/v1alpha1\nkind: Component\nmetadata:\n  name: {name}\nspec:\n  type: service\n  \
                 lifecycle: unknown\n  owner: unknown\n"
            )
        };
        let expected = format!(
            "{}  providesApis:\n    - acme-cart-http\n{}  providesApis:\n    - PaymentService\n{}  consumesApis:\n    - \
             PaymentService\n    - acme-cart-http\n  dependsOn:\n    - component:acme-cart\n    - component:pay\n",
            head("acme-cart"),
            head("pay"),
            head("web"),
        );
        assert_eq!(catalog_info(&links), expected);
        assert_eq!(entity_name("@acme/ui!"), "acme-ui");
    }
}
