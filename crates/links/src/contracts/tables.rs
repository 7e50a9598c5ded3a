//! Tables of databases: schemas, migrations and models define them, and SQL in code uses them.

use graph::{FileIdx, Node, Program};
use model::{DocumentFormat, SymbolKind};

use super::{
    enclosing::{enclosing_node, entries},
    visibility::is_test_or_example,
};
use crate::contract::{ContractKind, ContractOffer, ContractUse};

/// Returns the tables that a file defines.
pub(super) fn offers(program: &Program<'_>, file: FileIdx) -> Vec<ContractOffer> {
    if is_test_or_example(program.path(file)) {
        return Vec::new();
    }
    let offer = |table: &str, node, line| ContractOffer {
        kind: ContractKind::Table,
        key: table_key(table),
        member: String::new(),
        node,
        line,
    };
    let modelled = entries(program, file, DocumentFormat::Tables).filter(|entry| entry.key == "define");
    let modelled = modelled.map(|entry| offer(&entry.value, enclosing_node(program, file, entry.line), entry.line));
    let created = program.symbols_of(file).filter_map(|symbol| {
        let definition = program.definition(symbol);
        let is_table = definition.kind == SymbolKind::Table;
        is_table.then(|| offer(&definition.name, Node::Symbol(symbol), definition.name_line))
    });
    modelled.chain(created).collect()
}

/// Returns the tables that the SQL of a file uses.
pub(super) fn uses(program: &Program<'_>, file: FileIdx) -> Vec<ContractUse> {
    if is_test_or_example(program.path(file)) {
        return Vec::new();
    }
    let used = entries(program, file, DocumentFormat::Tables).filter(|entry| entry.key == "use");
    let uses = used.map(|entry| ContractUse {
        kind: ContractKind::Table,
        key: table_key(&entry.value),
        member: String::new(),
        node: enclosing_node(program, file, entry.line),
        line: entry.line,
        confidence: 0.9,
        n_sites: 1,
        serves: false,
    });
    uses.collect()
}

/// Returns the key of a table: in lower case, without quotes and the schema that databases have by default.
fn table_key(name: &str) -> String {
    let plain = name.replace(['"', '`', '[', ']'], "").to_ascii_lowercase();
    let schemas = ["public.", "dbo."];
    schemas.iter().find_map(|schema| plain.strip_prefix(schema)).unwrap_or(&plain).to_owned()
}
