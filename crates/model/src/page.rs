//! Pages: short documents about parts of a repository, made from what is known of them.

use serde::{Deserialize, Serialize};

/// What a page is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum PageType {
    /// A file of code, settings or prose.
    File,
    /// A folder of code, or a package.
    Module,
    /// One symbol. Such a page is never stored: it is what a hit on a symbol is called.
    Symbol,
    /// The repository as a whole.
    Overview,
    /// A file that says how things are built, tested, deployed or run.
    Infra,
}

impl PageType {
    /// Every type, in the order of declaration, which is also the number it has on disk.
    pub const ALL: &'static [PageType] =
        &[PageType::File, PageType::Module, PageType::Symbol, PageType::Overview, PageType::Infra];

    /// Returns the name that users type and read, which is also the one on the wire.
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

    /// Returns the type with this number, as `ALL` counts.
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
