//! The rendered page.

use model::PageType;

/// A rendered page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The type of the page.
    pub page_type: PageType,
    /// The path of its file or folder; empty for the page of the repository.
    pub path: String,
    /// The title.
    pub title: String,
    /// The content in Markdown.
    pub text: String,
}
