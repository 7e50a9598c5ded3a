//! The host of an application of .NET Aspire, as the Compose file that it replaces: services, images and variables.

use std::collections::BTreeMap;

use model::DocumentFormat;

use super::builder::DraftDocument;

/// Maximum number of resources of one host.
const MAX_RESOURCES: usize = 500;

/// In every file that builds the host of an application.
pub(super) const MARK: &str = "DistributedApplication.CreateBuilder(";

/// Methods that add a resource with an address.
const RESOURCES: [&str; 7] =
    [".AddProject<", ".AddContainer(", ".AddDockerfile(", ".AddNpmApp(", ".AddNodeApp(", ".AddPythonApp(", ".AddYarp("];

/// A resource of the host.
struct Resource<'t> {
    /// The variable that holds it; empty if there is none.
    variable: &'t str,
    name: &'t str,
    /// `image` or `build`, and its value.
    source: Option<(&'static str, String)>,
    line: u32,
}

/// Reads a host. Projects have the image of their name, and a reference is a variable with the address.
pub(super) fn read(text: &str) -> DraftDocument {
    let statements = statements(text);
    let resources: Vec<Resource<'_>> =
        statements.iter().filter_map(|(line, statement)| resource(statement, *line)).take(MAX_RESOURCES).collect();
    let addresses = addresses(&statements, &resources);
    let mut document = DraftDocument::new(DocumentFormat::Yaml);
    let services = document.add(None, "services", "", 1);
    for resource in &resources {
        let service = document.add(Some(services), resource.name, "", resource.line);
        if let Some((key, value)) = &resource.source {
            document.add(Some(service), key, value, resource.line);
        }
        let environment = document.add(Some(service), "environment", "", resource.line);
        let own = statements.iter().filter(|(line, statement)| {
            *line == resource.line || subject(statement) == resource.variable && !resource.variable.is_empty()
        });
        for (line, statement) in own {
            for (name, value) in variables(statement, &addresses) {
                document.add(Some(environment), &name, &value, *line);
            }
        }
    }
    document
}

/// Splits a text at its semicolons. Each part has the line on which it begins.
fn statements(text: &str) -> Vec<(u32, &str)> {
    let mut line = 1;
    let parts = text.split(';').map(|part| {
        let blank = part.len() - part.trim_start().len();
        let start = line + part[..blank].matches('\n').count() as u32;
        line += part.matches('\n').count() as u32;
        (start, part.trim_start())
    });
    parts.collect()
}

fn resource<'t>(statement: &'t str, line: u32) -> Option<Resource<'t>> {
    let (before, method, rest) = RESOURCES
        .iter()
        .find_map(|method| statement.split_once(method).map(|(before, rest)| (before, *method, rest)))?;
    let (type_argument, arguments) = if method.ends_with('<') { rest.split_once(">(")? } else { ("", rest) };
    let mut texts = arguments.split(')').next()?.split('"').skip(1).step_by(2);
    let name = texts.next()?;
    let source = match method {
        ".AddProject<" => {
            let project = type_argument.rsplit('.').next()?.replace('_', ".");
            Some(("image", project))
        }
        ".AddYarp(" => None,
        ".AddContainer(" => texts.next().map(|image| ("image", image.to_owned())),
        _ => texts.next().map(|folder| ("build", folder.replace('\\', "/"))),
    };
    Some(Resource { variable: assigned(before), name, source, line })
}

/// Returns the variable that a statement assigns: `cart` of `var cart = builder`.
fn assigned(before: &str) -> &str {
    let declared = before.split_once('=').map_or("", |(declared, _)| declared.trim());
    declared.rsplit(char::is_whitespace).next().unwrap_or_default()
}

/// Returns the variable on which a statement calls methods.
fn subject(statement: &str) -> &str {
    let end = statement.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(statement.len());
    &statement[..end]
}

/// Returns by variable the name and the value of what a reference to it sets.
fn addresses<'t>(statements: &[(u32, &'t str)], resources: &[Resource<'t>]) -> BTreeMap<&'t str, (String, String)> {
    let mut addresses: BTreeMap<&str, (String, String)> = BTreeMap::new();
    for resource in resources.iter().filter(|resource| !resource.variable.is_empty()) {
        let (name, address) = (format!("services__{}__http__0", resource.name), format!("http://{}", resource.name));
        addresses.insert(resource.variable, (name, address));
    }
    for (_, statement) in statements.iter().take(5_000) {
        if let Some((before, rest)) = statement.split_once(".AddDatabase(\"") {
            let server = before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
            let name = rest.split('"').next().unwrap_or_default();
            let address = format!("postgres://{}/{name}", server.to_ascii_lowercase());
            addresses.insert(assigned(before), (format!("ConnectionStrings__{name}"), address));
        } else if let Some((before, _)) = statement.split_once(".GetEndpoint(") {
            let owner = before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
            let known = addresses.get(owner).cloned();
            if let Some(known) = known.filter(|_| before.contains('=') && !before.contains('(')) {
                addresses.insert(assigned(before), known);
            }
        }
    }
    addresses
}

/// Returns the variables that a statement sets: `.WithReference(cart)`, `.WithEnvironment("CART_URL", cart.GetEndpoint("http"))`.
fn variables(statement: &str, addresses: &BTreeMap<&str, (String, String)>) -> Vec<(String, String)> {
    let references = statement.split(".WithReference(").skip(1);
    let references = references.filter_map(|rest| addresses.get(subject(rest)).cloned());
    let set = statement.split(".WithEnvironment(\"").skip(1).filter_map(|rest| {
        let (name, rest) = rest.split_once('"')?;
        let value = rest.trim_start_matches([',', ' ']);
        let value = match value.strip_prefix('"') {
            Some(text) => text.split('"').next()?.to_owned(),
            None => addresses.get(subject(value)).map(|(_, address)| address.clone())?,
        };
        Some((name.to_owned(), value))
    });
    references.chain(set).collect()
}
