//! Tables of databases: migrations define them, models declare them, and SQL in code uses them.

use graph::{FileIdx, Node, Program};
use model::{DocumentEntry, DocumentFormat, SymbolKind};

use super::{
    enclosing::{enclosing_node, entries},
    visibility::is_test_or_example,
};
use crate::contract::{ContractKind, ContractOffer, ContractUse};

/// The member of the offer of a table that a model declares. A migration defines it, maybe in another repository.
pub(crate) const MODEL: &str = "model";

/// Returns the tables that a file defines or declares.
pub(super) fn offers(program: &Program<'_>, file: FileIdx) -> Vec<ContractOffer> {
    if is_test_or_example(program.path(file)) {
        return Vec::new();
    }
    let path = program.path(file);
    let offer = |table: &str, member: &str, node, line| ContractOffer {
        kind: ContractKind::Table,
        key: table_key(path, table),
        member: member.to_owned(),
        node,
        line,
    };
    let of_code = entries(program, file, DocumentFormat::Tables).filter_map(|entry| {
        let member = match entry.key.as_str() {
            "define" => "",
            "model" => MODEL,
            _ => return None,
        };
        Some(offer(&entry.value, member, enclosing_node(program, file, entry.line), entry.line))
    });
    let created = program.symbols_of(file).filter_map(|symbol| {
        let definition = program.definition(symbol);
        let is_table = definition.kind == SymbolKind::Table;
        is_table.then(|| offer(&definition.name, "", Node::Symbol(symbol), definition.name_line))
    });
    let of_change_logs = change_log_tables(program, file);
    let of_change_logs = of_change_logs.map(|entry| offer(&entry.value, "", Node::File(file), entry.line));
    of_code.chain(created).chain(of_change_logs).collect()
}

/// Returns the tables that the models and the SQL of a file use.
pub(super) fn uses(program: &Program<'_>, file: FileIdx) -> Vec<ContractUse> {
    if is_test_or_example(program.path(file)) {
        return Vec::new();
    }
    let used = entries(program, file, DocumentFormat::Tables).filter(|entry| entry.key != "define");
    let uses = used.map(|entry| ContractUse {
        kind: ContractKind::Table,
        key: table_key(program.path(file), &entry.value),
        member: String::new(),
        node: enclosing_node(program, file, entry.line),
        line: entry.line,
        confidence: 0.9,
        n_sites: 1,
        serves: false,
    });
    uses.collect()
}

/// Returns the names of the tables that change sets of Liquibase in YAML or JSON create.
fn change_log_tables<'p>(program: &Program<'p>, file: FileIdx) -> impl Iterator<Item = &'p DocumentEntry> + use<'p> {
    let documents = program.facts(file).documents.iter().filter(|document| document.format == DocumentFormat::Yaml);
    documents.flat_map(|document| {
        let is_created = |entry: &&DocumentEntry| {
            let parent = entry.parent.and_then(|parent| document.entries.get(parent as usize));
            entry.key == "tableName" && parent.is_some_and(|parent| parent.key == "createTable")
        };
        document.entries.iter().filter(is_created)
    })
}

/// Returns the key of a table: in lower case, without quotes and the schema that databases have by default.
///
/// Django puts the name of the application before: the folder of the models, or of their migrations.
fn table_key(path: &str, name: &str) -> String {
    let mut folders = path.rsplit('/').skip(1).filter(|folder| !matches!(*folder, "migrations" | "models"));
    let plain = name.replace("{app}", folders.next().unwrap_or_default());
    let plain = plain.replace(['"', '`', '[', ']'], "").to_ascii_lowercase();
    let schemas = ["public.", "dbo."];
    schemas.iter().find_map(|schema| plain.strip_prefix(schema)).unwrap_or(&plain).to_owned()
}
