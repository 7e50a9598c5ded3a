//! Conversions from the results of an index to messages.

use index::{FileView, NameHit, RowHit, SymbolView};
use proto::v1;
use ranking::name::NameTier;

pub(super) fn file(file: FileView) -> v1::File {
    v1::File {
        path: file.path,
        blob: file.blob.to_string(),
        class: v1::FileClass::from(file.class).into(),
        language: file.language.name().to_owned(),
        lines: file.n_lines,
        bytes: file.n_bytes,
        node: file.node,
        used_by: file.used_by,
        page_type: file.page_type.name().to_owned(),
    }
}

pub(super) fn symbol(symbol: SymbolView) -> v1::Symbol {
    v1::Symbol {
        kind: symbol.kind.name().to_owned(),
        name: symbol.name,
        container: symbol.container,
        signature: symbol.signature,
        doc: symbol.doc,
        lines: Some(symbol.lines.into()),
        name_line: symbol.name_line,
        ordinal: symbol.id.ordinal,
        node: symbol.node,
        used_by: symbol.used_by,
        importance: symbol.importance,
    }
}

pub(super) fn row(row: RowHit) -> v1::Row {
    let RowHit { number, lexical, cosine, .. } = row;
    v1::Row { symbol: row.symbol.map(symbol), lines: Some(row.lines.into()), lexical, cosine, number }
}

pub(super) fn name_match(name: NameHit) -> v1::NameMatch {
    v1::NameMatch {
        identifier: name.identifier as u32,
        tier: tier(name.tier).into(),
        symbol: Some(symbol(name.symbol)),
    }
}

pub(super) fn tier(tier: NameTier) -> v1::NameTier {
    match tier {
        NameTier::Exact => v1::NameTier::Exact,
        NameTier::Folded => v1::NameTier::Folded,
        NameTier::Prefix => v1::NameTier::Prefix,
        NameTier::SubWord => v1::NameTier::SubWord,
        NameTier::Fuzzy => v1::NameTier::Fuzzy,
    }
}
