//! Definitions of `.proto` files, under their full names.

use graph::{FileIdx, Node, Program};
use model::{SymbolKind, symbol::qualify};

use crate::contract::{ContractKind, ContractOffer};

/// Returns the services, rpcs, messages, fields and enumerations of a `.proto` file.
pub(crate) fn offers(program: &Program<'_>, file: FileIdx) -> Vec<ContractOffer> {
    let package = &program.code(file).package;
    let offers = program.symbols_of(file).filter_map(|symbol| {
        let definition = program.definition(symbol);
        let name = match definition.kind {
            SymbolKind::Rpc => format!("{}/{}", definition.container, definition.name),
            SymbolKind::Service | SymbolKind::Message | SymbolKind::Enum | SymbolKind::Field => {
                qualify(&definition.container, &definition.name)
            }
            _ => return None,
        };
        Some(ContractOffer {
            kind: ContractKind::Grpc,
            key: qualify(package, &name),
            member: String::new(),
            node: Node::Symbol(symbol),
            line: definition.name_line,
        })
    });
    offers.collect()
}
