//! Renders pages: short Markdown documents about parts of a repository, from known facts.
//!
//! Reading order: `part` contains the shared inputs: names, relations, history. Each type of page has a file with its input
//! and a function that renders it: `file`, `module`, `overview`, `infra`, `symbol`. `bounded_markdown` limits the size of
//! every page. `prose` extracts sentences from doc comments and READMEs, `manifest` reads package manifests, and
//! `doc_source` selects the file that documents a folder.
//!
//! All functions are total and pure. Unknown facts are omitted. Fixed wording is limited to a few labels, since words on
//! every page would match every query. The crate does not know the origin of parts or the storage of pages.
//!
//! ```
//! use pages::{RelatedItem, RelatedItems, SymbolPart, symbol};
//!
//! let page = symbol(&SymbolPart {
//!     path: "shop/cart.py",
//!     qualified_name: "Cart.add",
//!     kind: model::SymbolKind::Method,
//!     lines: model::LineSpan { start: 20, end: 34 },
//!     signature: "def add(self, item)",
//!     doc: "Adds an item.",
//!     used_by: RelatedItems { strongest: vec![RelatedItem { name: "shop/checkout.py", count: 2 }], n_all: 1 },
//!     uses: RelatedItems::default(),
//! });
//! assert!(page.text.starts_with("# Cart.add\n"));
//! assert!(page.text.contains("Used by: shop/checkout.py (2)"));
//! ```

#![warn(missing_docs)]

mod page;
mod part;

mod file;
mod infra;
mod module;
mod overview;
mod symbol;

mod bounded_markdown;
mod doc_source;
mod manifest;
mod prose;

/// Version of the text of pages. A page of another version is rendered again.
pub const PAGES_VERSION: u32 = 1;

pub use doc_source::{DocSource, doc_source};
pub use file::{FilePart, file};
pub use infra::{InfraKind, InfraPart, infra, infra_items};
pub use manifest::{ManifestTarget, ManifestTargetKind, description, is_package, manifest_targets};
pub use module::{MemberPart, ModulePart, module};
pub use overview::{LanguagePart, OverviewPart, overview};
pub use page::Page;
pub use part::{NamePart, PastPart, RelatedItem, RelatedItems};
pub use prose::{Introduction, first_paragraph, first_sentence, introduction};
pub use symbol::{SymbolPart, symbol};
