//! Documents of settings in a file, by its content: deployment manifests, Compose files, Dockerfiles, settings of applications,
//! configurations of proxies, commands that build images; and the variables, topics and tables that code names.
//!
//! Values that may be secrets are dropped here: see [`disclosed_value`](disclosure::disclosed_value).

mod aspire;
mod assignments;
mod builder;
mod commands;
mod connection_strings;
mod directives;
mod disclosure;
mod dockerfile;
mod environment;
mod graphql;
mod helm;
mod key_names;
mod listeners;
mod marks;
mod message_calls;
mod message_clients;
mod message_types;
mod message_values;
mod messages;
mod outbox;
mod pages;
mod properties;
mod requests;
mod sql_texts;
mod table_models;
mod tables;
mod terraform;
#[cfg(test)]
mod tests;
mod yaml;

use model::{DocumentFormat, Language, SettingsDocument};

use builder::DraftDocument;
use marks::Marks;

/// Maximum size of a file that is read as a document. Documents of deployments are far smaller.
const MAX_BYTES: usize = 512 << 10;

/// Maximum number of documents of one file.
const MAX_DOCUMENTS: usize = 2_000;

/// Maximum number of entries of all documents of one file.
const MAX_ENTRIES: usize = 20_000;

/// Maximum nesting depth of files within documents: a `ConfigMap` holds whole files.
const MAX_EMBEDDING: u32 = 1;

/// Returns the documents of a file.
pub(crate) fn read(language: Language, bytes: &[u8]) -> Vec<SettingsDocument> {
    if bytes.is_empty() || bytes.len() > MAX_BYTES {
        return Vec::new();
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return Vec::new() };
    let mut n_left = MAX_ENTRIES;
    let disclosed = drafts(language, text, 0).into_iter().take(MAX_DOCUMENTS).filter_map(|draft| {
        let document = draft.disclosed()?;
        n_left = n_left.checked_sub(document.entries.len())?;
        Some(document)
    });
    disclosed.collect()
}

/// Reads a text as documents of the notation that it looks like.
fn drafts(language: Language, text: &str, embedding: u32) -> Vec<DraftDocument> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match language {
        Language::Text if pages::is_page(text) => vec![pages::read(text)],
        Language::Text if graphql::is_operations(text) => vec![graphql::read(text)],
        Language::Text => match format_of(text) {
            Some(DocumentFormat::Dockerfile) => vec![dockerfile::read(text)],
            Some(DocumentFormat::Assignments) => {
                [Some(assignments::read(text)), properties::read(text)].into_iter().flatten().collect()
            }
            Some(DocumentFormat::Directives) => vec![directives::read(text)],
            Some(DocumentFormat::Yaml) => yaml::read(text, embedding),
            _ if commands::is_web_project(text) => vec![commands::read_project()],
            _ if tables::is_of_tables(text) => vec![tables::read(text, &Marks::of(text))],
            _ => vec![commands::read_text(text)],
        },
        Language::Terraform => vec![terraform::read(text)],
        Language::Bash => vec![commands::read_script(text), environment::read(language, text, &Marks::of(text))],
        Language::Sql => vec![tables::read_schema(text)],
        Language::Markdown | Language::Protobuf => Vec::new(),
        _ => {
            let marks = Marks::of(text);
            if marks.is_empty() {
                return Vec::new();
            }
            let host = marks.has(aspire::MARK).then(|| aspire::read(text));
            let of_code =
                [environment::read(language, text, &marks), messages::read(text, &marks), tables::read(text, &marks)];
            of_code.into_iter().chain(host).chain(listeners::read(text, &marks)).collect()
        }
    }
}

/// Returns the notation of a text.
fn format_of(text: &str) -> Option<DocumentFormat> {
    let text = helm::behind_comments(text);
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let first = lines().next()?;
    if dockerfile::is_dockerfile(lines()) {
        return Some(DocumentFormat::Dockerfile);
    }
    if directives::has_directives(text) {
        return Some(DocumentFormat::Directives);
    }
    if first.starts_with('{') && !first.starts_with("{{") {
        return yaml::is_json_of_settings(text).then_some(DocumentFormat::Yaml);
    }
    if assignments::are_assignments(lines()) {
        return Some(DocumentFormat::Assignments);
    }
    // YAML has no tabs before its keys, but a makefile has before its commands.
    let has_tabs = text.lines().any(|line| line.starts_with('\t'));
    (!has_tabs && yaml::is_yaml(lines())).then_some(DocumentFormat::Yaml)
}
