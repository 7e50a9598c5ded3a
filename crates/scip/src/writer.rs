//! Writing an index.

use protobuf::{Message, MessageField};
use scip::types::{
    self, Document, Index, Metadata, ProtocolVersion, SymbolInformation, SymbolRole, TextEncoding, ToolInfo,
};

/// The name of the tool that an index names.
const TOOL: &str = "causeway";

/// Why an index cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("the index cannot be encoded: {0}")]
pub struct WriteError(String);

/// A file to write.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportedDocument {
    /// The path relative to the root of the index.
    pub path: String,
    /// The language.
    pub language: String,
    /// Occurrences in the order of the text.
    pub occurrences: Vec<ExportedOccurrence>,
    /// The symbols that the file defines.
    pub symbols: Vec<ExportedSymbol>,
}

/// An occurrence of a symbol.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExportedOccurrence {
    /// The line, from 1.
    pub line: u32,
    /// First column and the column after the last one, in bytes from 0.
    pub columns: (u32, u32),
    /// The symbol.
    pub symbol: String,
    /// True if the symbol is defined here.
    pub is_definition: bool,
}

/// A symbol that is defined in the index, or used from outside.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportedSymbol {
    /// The symbol.
    pub symbol: String,
    /// The name that users read.
    pub display_name: String,
    /// The documentation; empty if there is none.
    pub documentation: String,
    /// The types that this type implements or extends.
    pub implements: Vec<String>,
}

/// Returns the bytes of an index. `external` describes used symbols of other packages. Columns of documents are in bytes.
pub fn write(
    version: &str,
    documents: Vec<ExportedDocument>,
    external: Vec<ExportedSymbol>,
) -> Result<Vec<u8>, WriteError> {
    let tool = ToolInfo { name: TOOL.to_owned(), version: version.to_owned(), ..Default::default() };
    let metadata = Metadata {
        version: ProtocolVersion::UnspecifiedProtocolVersion.into(),
        tool_info: MessageField::some(tool),
        // The folder of a repository is no business of a reader; paths are relative.
        project_root: "file:///".to_owned(),
        text_document_encoding: TextEncoding::UTF8.into(),
        ..Default::default()
    };
    let index = Index {
        metadata: MessageField::some(metadata),
        documents: documents.into_iter().map(document).collect(),
        external_symbols: external.into_iter().map(symbol).collect(),
        ..Default::default()
    };
    index.write_to_bytes().map_err(|error| WriteError(error.to_string()))
}

fn document(document: ExportedDocument) -> Document {
    Document {
        language: document.language,
        relative_path: document.path,
        occurrences: document.occurrences.into_iter().map(occurrence).collect(),
        symbols: document.symbols.into_iter().map(symbol).collect(),
        position_encoding: types::PositionEncoding::UTF8CodeUnitOffsetFromLineStart.into(),
        ..Default::default()
    }
}

fn occurrence(occurrence: ExportedOccurrence) -> types::Occurrence {
    let (start, end) = occurrence.columns;
    let role = if occurrence.is_definition { SymbolRole::Definition } else { SymbolRole::UnspecifiedSymbolRole };
    types::Occurrence {
        // The typed form of ranges is newer than most readers.
        range: [occurrence.line.saturating_sub(1), start, end].map(|number| number as i32).to_vec(),
        symbol: occurrence.symbol,
        symbol_roles: role as i32,
        ..Default::default()
    }
}

fn symbol(symbol: ExportedSymbol) -> SymbolInformation {
    let relationship = |symbol: String| types::Relationship { symbol, is_implementation: true, ..Default::default() };
    SymbolInformation {
        symbol: symbol.symbol,
        display_name: symbol.display_name,
        documentation: Some(symbol.documentation).filter(|text| !text.is_empty()).into_iter().collect(),
        relationships: symbol.implements.into_iter().map(relationship).collect(),
        ..Default::default()
    }
}
