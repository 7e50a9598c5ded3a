//! Pages: short generated documents about parts of a repository.

use serde::{Deserialize, Serialize};

/// The subject of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum PageType {
    /// A file of code, settings or prose.
    File,
    /// A folder of code, or a package.
    Module,
    /// A symbol. Such pages are not stored: the type labels symbol hits.
    Symbol,
    /// The whole repository.
    Overview,
    /// A file for building, testing, deploying or running.
    Infra,
}

impl PageType {
    /// All types in the order of declaration, which is also their number on disk.
    pub const ALL: &'static [PageType] =
        &[PageType::File, PageType::Module, PageType::Symbol, PageType::Overview, PageType::Infra];

    /// Returns the name in requests, in answers and on the wire.
    pub fn name(self) -> &'static str {
        match self {
            PageType::File => "file_page",
            PageType::Module => "module_page",
            PageType::Symbol => "symbol_spotlight",
            PageType::Overview => "repo_overview",
            PageType::Infra => "infra_page",
        }
    }

    /// Returns the type with this name.
    pub fn parse(name: &str) -> Option<PageType> {
        PageType::ALL.iter().copied().find(|page_type| page_type.name() == name)
    }

    /// Returns the type with this number, by its position in `ALL`.
    pub fn from_index(index: u8) -> Option<PageType> {
        PageType::ALL.get(index as usize).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_round_trip_by_name_and_number() {
        for (index, page_type) in PageType::ALL.iter().enumerate() {
            assert_eq!(PageType::parse(page_type.name()), Some(*page_type));
            assert_eq!(PageType::from_index(index as u8), Some(*page_type));
            assert_eq!(*page_type as usize, index);
        }
        assert_eq!(PageType::parse("wiki_page"), None);
        assert_eq!(PageType::from_index(200), None);
    }
}
