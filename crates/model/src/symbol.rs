//! Symbol kinds and symbol ids.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! kinds {
    ($($variant:ident = $name:literal;)*) => {
        /// Kind of a definition.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[allow(missing_docs, reason = "the variants are standard terms")]
        pub enum SymbolKind { $($variant),* }

        impl SymbolKind {
            /// All kinds in the order of declaration, which is also their number on disk and on the wire.
            pub const ALL: &'static [SymbolKind] = &[$(SymbolKind::$variant),*];

            /// Returns the lower-case name in requests and answers.
            pub fn name(self) -> &'static str {
                match self { $(SymbolKind::$variant => $name),* }
            }

            /// Returns the kind with this name.
            pub fn parse(name: &str) -> Option<SymbolKind> {
                match name { $($name => Some(SymbolKind::$variant),)* _ => None }
            }
        }
    };
}

kinds! {
    Function = "function";
    Method = "method";
    Constructor = "constructor";
    Class = "class";
    Struct = "struct";
    Union = "union";
    Interface = "interface";
    Trait = "trait";
    Enum = "enum";
    Variant = "variant";
    TypeAlias = "type";
    Module = "module";
    Constant = "constant";
    Variable = "variable";
    Field = "field";
    Property = "property";
    Macro = "macro";
    Annotation = "annotation";
    Message = "message";
    Service = "service";
    Rpc = "rpc";
    Table = "table";
    View = "view";
    Resource = "resource";
    Section = "section";
}

impl SymbolKind {
    /// Returns the kind with this number, by its position in `ALL`.
    pub fn from_index(index: u8) -> Option<SymbolKind> {
        SymbolKind::ALL.get(index as usize).copied()
    }

    /// Returns true if definitions of this kind have a row of their own in the text index.
    ///
    /// Constants, fields and similar definitions are found by name, and by the text of the enclosing definition.
    pub fn has_text_row(self) -> bool {
        use SymbolKind::*;
        !matches!(self, Variant | Constant | Variable | Field | Property | Module)
    }

    /// Returns true if definitions of this kind can contain others and qualify their names.
    pub fn is_type(self) -> bool {
        use SymbolKind::*;
        matches!(self, Class | Struct | Union | Interface | Trait | Enum | TypeAlias | Annotation | Message | Service)
    }
}

/// Public id of a symbol: `path::Container.name`, with `#2` and so on for overloads.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SymbolId {
    /// Path of the file.
    pub path: String,
    /// Container and name, joined by a dot.
    pub qualified: String,
    /// 1 for the first definition of this name in the file, 2 for the next.
    pub ordinal: u32,
}

impl fmt::Display for SymbolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}::{}", self.path, self.qualified)?;
        if self.ordinal > 1 {
            write!(f, "#{}", self.ordinal)?;
        }
        Ok(())
    }
}

/// Joins a container and a name as in symbol ids.
pub fn qualify(container: &str, name: &str) -> String {
    if container.is_empty() { name.to_owned() } else { format!("{container}.{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_round_trip_by_name_and_number() {
        for (index, kind) in SymbolKind::ALL.iter().enumerate() {
            assert_eq!(SymbolKind::parse(kind.name()), Some(*kind));
            assert_eq!(SymbolKind::from_index(index as u8), Some(*kind));
            assert_eq!(*kind as usize, index);
        }
        assert_eq!(SymbolKind::from_index(200), None);
    }

    #[test]
    fn ids_have_their_documented_form() {
        let id = SymbolId { path: "a/b.py".into(), qualified: qualify("Flask", "run"), ordinal: 2 };
        assert_eq!(id.to_string(), "a/b.py::Flask.run#2");
    }
}
