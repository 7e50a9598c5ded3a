//! Pages: short documents about parts of a repository, rendered from what is known of them.
//!
//! Reading order: `part` has what pages share: names, relations, the past. Then one file per type of page, each with what
//! goes in and one function that renders it: `file`, `module`, `overview`, `infra`, `spotlight`. `sheet` is the paper: it
//! keeps every page within its size. `prose` takes sentences out of comments and READMEs, `manifest` the words that a package
//! has for itself, `speaker` tells which file speaks for a folder.
//!
//! Everything here is a total function of its arguments, and nothing is made up: what is not known is left out. Fixed
//! wording is kept to a few labels, since words that stand on every page would match every query. The crate deliberately
//! knows neither where parts come from nor where pages are kept.

mod file;
mod infra;
mod manifest;
mod module;
mod overview;
mod page;
mod part;
mod prose;
mod sheet;
mod speaker;
mod spotlight;

pub use file::{FilePart, file};
pub use infra::{InfraKind, InfraPart, infra, infra_says};
pub use manifest::{Promise, PromiseKind, description, is_package, promises};
pub use module::{MemberPart, ModulePart, module};
pub use overview::{LanguagePart, OverviewPart, overview};
pub use page::Page;
pub use part::{NamePart, PastPart, Relation, Relations};
pub use prose::{Introduction, first_paragraph, first_sentence, introduction};
pub use speaker::{Speaker, speaker};
pub use spotlight::{SpotlightPart, spotlight};
