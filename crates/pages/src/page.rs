//! What rendering gives.

use model::PageType;

/// A page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    pub page_type: PageType,
    /// Of the file or folder it is about; empty for that of the repository.
    pub path: String,
    pub title: String,
    /// Markdown.
    pub text: String,
}
