//! What a search is limited to.

use crate::{FileClass, Language, PageType, SymbolKind};

/// The kind of content that a search asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContentKind {
    Implementation,
    Test,
    Config,
    Doc,
}

impl ContentKind {
    /// Every kind, in the order of declaration, which is also the number it has on the wire.
    pub const ALL: &'static [ContentKind] =
        &[ContentKind::Implementation, ContentKind::Test, ContentKind::Config, ContentKind::Doc];

    /// Returns the lower-case name that users type and read.
    pub fn name(self) -> &'static str {
        match self {
            ContentKind::Implementation => "implementation",
            ContentKind::Test => "test",
            ContentKind::Config => "config",
            ContentKind::Doc => "doc",
        }
    }

    /// Returns the kind with this name.
    pub fn parse(name: &str) -> Option<ContentKind> {
        ContentKind::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// Returns the kind of content that a file of this class holds; nothing for what is never searched.
    pub fn of(class: FileClass) -> Option<ContentKind> {
        match class {
            FileClass::Source | FileClass::Generated | FileClass::Vendored => Some(ContentKind::Implementation),
            FileClass::Test => Some(ContentKind::Test),
            FileClass::Config => Some(ContentKind::Config),
            FileClass::Docs => Some(ContentKind::Doc),
            FileClass::Binary => None,
        }
    }
}

/// Limits of a search within a repository. The default limits nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    pub content: Option<ContentKind>,
    pub symbol_kind: Option<SymbolKind>,
    pub language: Option<Language>,
    pub page_type: Option<PageType>,
    /// A prefix of whole path components: `src/app` holds `src/app/x.rs`, not `src/apple.rs`. Empty: everything.
    pub scope: String,
}

impl Filter {
    /// Says whether a file passes; the kind of a symbol is for the caller to check.
    pub fn admits_file(&self, path: &str, class: FileClass, language: Language) -> bool {
        self.content.is_none_or(|content| ContentKind::of(class) == Some(content))
            && self.language.is_none_or(|wanted| wanted == language)
            && self.admits_path(path)
    }

    /// Says whether files with this type of page are looked for, themselves or for their symbols.
    pub fn admits_page_of_file(&self, page_type: PageType) -> bool {
        self.page_type.is_none_or(|wanted| wanted == PageType::Symbol || wanted == page_type)
    }

    /// Says whether a path lies where the filter looks.
    pub fn admits_path(&self, path: &str) -> bool {
        is_within(&self.scope, path)
    }
}

fn is_within(scope: &str, path: &str) -> bool {
    let scope = scope.trim_matches('/');
    scope.is_empty() || path.strip_prefix(scope).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_holds_whole_components() {
        for (scope, path, expected) in [
            ("", "a.rs", true),
            ("src/app", "src/app/x.rs", true),
            ("/src/app/", "src/app/x.rs", true),
            ("src/app", "src/apple.rs", false),
            ("src/app.rs", "src/app.rs", true),
        ] {
            assert_eq!(is_within(scope, path), expected, "{scope} {path}");
        }
    }

    #[test]
    fn pages_of_folders_are_never_those_of_files() {
        let admits = |wanted: Option<PageType>, page_type| {
            Filter { page_type: wanted, ..Filter::default() }.admits_page_of_file(page_type)
        };
        for (wanted, of_file, of_infra) in [
            (None, true, true),
            (Some(PageType::File), true, false),
            (Some(PageType::Infra), false, true),
            (Some(PageType::Symbol), true, true),
            (Some(PageType::Module), false, false),
            (Some(PageType::Overview), false, false),
        ] {
            let found = (admits(wanted, PageType::File), admits(wanted, PageType::Infra));
            assert_eq!(found, (of_file, of_infra), "{wanted:?}");
        }
    }

    #[test]
    fn the_default_admits_every_file() {
        assert!(Filter::default().admits_file("x", FileClass::Binary, Language::Text));
    }
}
