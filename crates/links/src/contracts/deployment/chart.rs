//! Charts of Helm: the values of templates, and workloads that values describe.

use graph::{FileIdx, Inference, Program};
use model::DocumentFormat;

use super::{
    DeploymentFact, containers,
    tree::{DocumentTree, TreeNode},
};
use crate::contract::ContractKind;

/// Stands for the name of a release until the text around it is known.
const RELEASE: &str = "\u{1}";

/// Maximum nesting depth of values that refer to other values.
const MAX_DEPTH: u32 = 3;

/// Maximum length of a value after its actions are evaluated.
const MAX_VALUE_BYTES: usize = 1_000;

/// The chart that a template belongs to.
pub(super) struct Chart<'p> {
    /// The name of its folder; empty outside of charts.
    name: &'p str,
    values: Option<DocumentTree<'p>>,
}

impl<'p> Chart<'p> {
    /// Returns the chart of a path. The file of its values is consulted.
    pub(super) fn of(cx: &mut Inference<'p>, path: &str) -> Chart<'p> {
        if let Some(values) = values_file(cx.program, path) {
            cx.consult(values);
        }
        Chart::new(cx.program, path)
    }

    /// Returns the chart of a path.
    pub(super) fn new(program: &'p Program<'p>, path: &str) -> Chart<'p> {
        let Some(values) = values_file(program, path) else { return Chart { name: "", values: None } };
        let folder = super::folder(program.path(values));
        let mut documents = program.facts(values).documents.iter();
        let document = documents.find(|document| document.format == DocumentFormat::Yaml);
        Chart {
            name: folder.rsplit('/').next().unwrap_or(folder),
            values: document.map(|document| DocumentTree::new(&document.entries)),
        }
    }

    /// Returns a fact in which the actions of templates are evaluated. An unknown part is `{}`.
    pub(super) fn resolved(&self, fact: DeploymentFact) -> DeploymentFact {
        DeploymentFact { key: self.text(&fact.key), member: self.text(&fact.member), ..fact }
    }

    /// Returns a text in which the actions of templates are evaluated.
    pub(super) fn text(&self, text: &str) -> String {
        if !text.contains("{{") {
            return text.to_owned();
        }
        let evaluated = self.evaluated(text, 0);
        let joined = evaluated.replace(&format!("{RELEASE}-"), "").replace(&format!("-{RELEASE}"), "");
        joined.replace(RELEASE, "{}")
    }

    fn evaluated(&self, text: &str, depth: u32) -> String {
        let mut evaluated = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            let (action, next) = after.split_once("}}").unwrap_or((after, ""));
            evaluated.push_str(before);
            evaluated.push_str(&self.action(action.trim(), depth).unwrap_or_else(|| "{}".to_owned()));
            rest = next;
            if evaluated.len() > MAX_VALUE_BYTES {
                return evaluated;
            }
        }
        evaluated + rest
    }

    /// Evaluates a pipeline: `.Values.cart.name | default "cart" | quote`.
    fn action(&self, action: &str, depth: u32) -> Option<String> {
        let mut stages = action.split('|').map(str::trim);
        let first = self.term(stages.next()?, depth);
        stages.fold(first, |value, stage| {
            let default = stage.strip_prefix("default ").and_then(|default| self.term(default.trim(), depth));
            value.filter(|value| !value.is_empty()).or(default)
        })
    }

    fn term(&self, term: &str, depth: u32) -> Option<String> {
        let term = term.trim_matches(['(', ')']).trim();
        let (word, arguments) = term.split_once(' ').unwrap_or((term, ""));
        match word {
            "quote" | "squote" | "tpl" | "lower" | "toString" | "trim" | "required" => {
                let argument = if word == "required" { arguments.rsplit(' ').next()? } else { arguments };
                self.term(argument.split(' ').next()?, depth)
            }
            "default" => {
                let (default, value) = arguments.rsplit_once(' ')?;
                self.term(value, depth).filter(|value| !value.is_empty()).or_else(|| self.term(default, depth))
            }
            "printf" => {
                let (format, values) = arguments.strip_prefix('"')?.split_once('"')?;
                let values = values.split_whitespace();
                Some(values.fold(format.to_owned(), |text, value| {
                    text.replacen("%s", &self.term(value, depth).unwrap_or_else(|| "{}".to_owned()), 1)
                }))
            }
            // `helm create` and the common libraries name a release's objects after its chart.
            "include" => {
                let name = arguments.split('"').nth(1)?;
                let is_name = name.ends_with("fullname") || name.ends_with(".name");
                (is_name && !self.name.is_empty()).then(|| self.name.to_owned())
            }
            ".Release.Name" | "$.Release.Name" => Some(RELEASE.to_owned()),
            ".Chart.Name" | "$.Chart.Name" => Some(self.name.to_owned()).filter(|name| !name.is_empty()),
            _ if term.starts_with('"') => Some(term.trim_matches('"').to_owned()),
            _ => {
                let path = word.trim_start_matches('$').strip_prefix(".Values.")?;
                let keys: Vec<&str> = path.split('.').collect();
                let value = self.values.as_ref()?.root().at(&keys)?.value();
                match value.contains("{{") && depth < MAX_DEPTH {
                    true => Some(self.evaluated(value, depth + 1)),
                    false => Some(value.to_owned()).filter(|value| !value.is_empty()),
                }
            }
        }
    }
}

/// Returns the file of values of the chart of a path: beside it, or beside the folder of its template.
fn values_file(program: &Program<'_>, path: &str) -> Option<FileIdx> {
    let is_template = path.starts_with("templates/") || path.contains("/templates/");
    let folder = match path.rfind("templates/").filter(|_| is_template) {
        Some(at) => path[..at].trim_end_matches('/'),
        None if path.rsplit('/').next().unwrap_or(path).starts_with("values") => super::folder(path),
        None => return None,
    };
    let names = ["values.yaml", "values.yml"];
    names.iter().find_map(|name| program.file_at(format!("{folder}/{name}").trim_start_matches('/')))
}

/// Returns the workloads that the values of a chart describe: a mapping with an image, its variables and its name.
pub(super) fn facts(chart: &Chart<'_>, path: &str, root: TreeNode<'_>) -> Vec<DeploymentFact> {
    let file_name = path.rsplit('/').next().unwrap_or(path);
    if !file_name.starts_with("values") || root.get("apiVersion").is_some() {
        return Vec::new();
    }
    let mut facts = Vec::new();
    for node in std::iter::once(root).chain(root.descendants()) {
        let has_variables = containers::VARIABLES.iter().any(|key| node.get(key).is_some());
        let image = image(node);
        if image.is_none() && !has_variables || node.key() == "image" {
            continue;
        }
        let name = ["fullnameOverride", "nameOverride", "name"].map(|key| node.text_of(key));
        let name = name.into_iter().find(|name| !name.is_empty()).unwrap_or(node.key());
        let name = if name.is_empty() { chart.name } else { name };
        let is_served = ["service", "ports", "containerPort", "port"].iter().any(|key| node.get(key).is_some());
        if let Some((image, line)) = &image {
            facts.push(DeploymentFact::offer(ContractKind::Workload, name, image, *line));
            facts.extend(is_served.then(|| DeploymentFact::offer(ContractKind::Host, name, name, node.line())));
        }
        facts.extend(containers::variables(node, name));
    }
    facts
}

/// Returns the image of a component and its line: `image: acme/cart`, `image: {repository: acme/cart}`.
fn image(node: TreeNode<'_>) -> Option<(String, u32)> {
    let image = node.get("image").or_else(|| node.get("imageOverride"))?;
    if !image.value().is_empty() {
        return Some((image.value().to_owned(), image.line()));
    }
    let name = image.get("repository").or_else(|| image.get("name"))?;
    Some((name.value().to_owned(), name.line())).filter(|(name, _)| !name.is_empty())
}
