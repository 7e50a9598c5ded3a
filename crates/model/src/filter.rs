//! Search filters.

use crate::{FileClass, Language, PageType, SymbolKind};

/// The kind of content that a search is limited to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContentKind {
    /// Code of the product, including generated and vendored code.
    Implementation,
    /// Tests, examples and benchmarks.
    Test,
    /// Manifests, build files and settings.
    Config,
    /// Documentation.
    Doc,
}

impl ContentKind {
    /// All kinds in the order of declaration, which is also their number on the wire.
    pub const ALL: &'static [ContentKind] =
        &[ContentKind::Implementation, ContentKind::Test, ContentKind::Config, ContentKind::Doc];

    /// Returns the lower-case name in requests and answers.
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

    /// Returns the content kind of a file class; `None` for files that are never searched.
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

/// Filters of a search within a repository. The default admits everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Admits only files of this kind.
    pub content: Option<ContentKind>,
    /// Admits only symbols of this kind.
    pub symbol_kind: Option<SymbolKind>,
    /// Admits only files of this language.
    pub language: Option<Language>,
    /// Admits only pages of this type.
    pub page_type: Option<PageType>,
    /// Path prefix of whole components: `src/app` admits `src/app/x.rs`, not `src/apple.rs`. Empty admits everything.
    pub scope: String,
}

impl Filter {
    /// Returns true if a file passes. The caller checks the kinds of symbols.
    pub fn admits_file(&self, path: &str, class: FileClass, language: Language) -> bool {
        self.content.is_none_or(|content| ContentKind::of(class) == Some(content))
            && self.language.is_none_or(|expected| expected == language)
            && self.admits_path(path)
    }

    /// Returns true if files with this page type are admitted, themselves or for their symbols.
    pub fn admits_page_of_file(&self, page_type: PageType) -> bool {
        self.page_type.is_none_or(|expected| expected == PageType::Symbol || expected == page_type)
    }

    /// Returns true if a path is within the scope.
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
    fn scope_matches_whole_components() {
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
    fn folder_page_types_exclude_files() {
        let admits = |requested: Option<PageType>, page_type| {
            Filter { page_type: requested, ..Filter::default() }.admits_page_of_file(page_type)
        };
        for (requested, of_file, of_infra) in [
            (None, true, true),
            (Some(PageType::File), true, false),
            (Some(PageType::Infra), false, true),
            (Some(PageType::Symbol), true, true),
            (Some(PageType::Module), false, false),
            (Some(PageType::Overview), false, false),
        ] {
            let found = (admits(requested, PageType::File), admits(requested, PageType::Infra));
            assert_eq!(found, (of_file, of_infra), "{requested:?}");
        }
    }

    #[test]
    fn default_admits_every_file() {
        assert!(Filter::default().admits_file("x", FileClass::Binary, Language::Text));
    }
}
