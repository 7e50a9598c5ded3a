//! Rendering the pages of a generation from its tables, graph and history; and its overview, which has the same content as
//! structured data.
//!
//! `file_relations` counts the uses between files, `modules` selects the folders with a page, and `sections` has the parts
//! that several kinds of pages share. `page_file` stores the rendered pages, and copies those of the previous generation whose inputs are
//! the same (`page_inputs`).

mod context;
mod file;
mod file_relations;
mod module;
mod modules;
mod overview;
mod page_file;
mod page_inputs;
mod repository;
mod sections;
mod shown_texts;

use std::path::Path;

use ::pages::{InfraKind, Page};
use model::PageType;
use ranking::analyser::Analyser;

use crate::{
    error::IndexError,
    overview::Overview,
    records::{PAGES_FILE, term_bags::TermBags},
    snapshot::Snapshot,
};

use context::PageContext;
use file_relations::FileRelations;
use modules::modules;
use page_file::{PageFileWriter, PageRecords, StoredPage};
use shown_texts::ShownTexts;

pub(super) use context::UnsealedGeneration;

/// The pages of a generation after their texts were written.
pub(super) struct WrittenPages {
    pub(super) records: PageRecords,
    /// The type of the page of each file.
    pub(super) type_of_file: Vec<PageType>,
    /// The terms of each page, for search. A page of a file has none, since its file is found by its rows.
    pub(super) term_bags: TermBags,
    pub(super) overview: Overview,
}

/// A page in the order of the page file.
enum VisitedPage {
    /// The page of a file, with the hash of its inputs.
    OfFile(Page, u64),
    /// The page of a file that the previous generation has, too.
    Stored(StoredPage),
    /// The page of a module with the hash of its inputs, or that of the repository.
    WithTerms(Page, u64),
    /// The page of a module that the previous generation has, too.
    StoredWithTerms(StoredPage),
}

/// Renders all pages, and writes their texts into the page file. `previous` is a generation with the same paths, classes and history,
/// whose pages may be copied.
pub(super) fn write_pages(
    dir: &Path,
    generation: &UnsealedGeneration<'_>,
    previous: Option<&Snapshot>,
) -> Result<WrittenPages, IndexError> {
    let mut analyser = Analyser::default();
    let mut term_bags = TermBags::default();
    let kinds = infra_kinds(generation)?;
    let mut writer = PageFileWriter::create(&dir.join(PAGES_FILE), previous)?;
    let overview = for_each_page(generation, &kinds, previous, |page| match page {
        VisitedPage::OfFile(page, inputs) => {
            term_bags.push_empty();
            writer.add(page, inputs)
        }
        VisitedPage::Stored(page) => {
            term_bags.push_empty();
            writer.reuse(page)
        }
        VisitedPage::WithTerms(page, inputs) => {
            term_bags.push_page(&format!("{} {}", page.title, page.path), &page.text, &mut analyser);
            writer.add(page, inputs)
        }
        VisitedPage::StoredWithTerms(page) => {
            match previous {
                Some(previous) => term_bags.push_stored(previous.page_words(), page.0),
                None => term_bags.push_empty(),
            }
            writer.reuse(page)
        }
    })?;
    term_bags.finish();
    let type_of_file = kinds.into_iter().map(type_of_page).collect();
    Ok(WrittenPages { records: writer.finish()?, type_of_file, term_bags, overview })
}

fn type_of_page(kind: Option<InfraKind>) -> PageType {
    if kind.is_some() { PageType::Infra } else { PageType::File }
}

/// Returns the kind of infrastructure of each file, if it is any.
fn infra_kinds(generation: &UnsealedGeneration<'_>) -> Result<Vec<Option<InfraKind>>, IndexError> {
    let mut kinds = Vec::with_capacity(generation.tables.files.len());
    for (file_idx, file) in generation.tables.files.iter().enumerate() {
        let is_read = generation.has_page(file_idx);
        let kind = match InfraKind::of_path(&file.path) {
            _ if !is_read => None,
            None if InfraKind::is_classified_by_text(&file.path) => {
                InfraKind::of_text(&file.path, &generation.source_text(file_idx)?)
            }
            kind => kind,
        };
        kinds.push(kind);
    }
    Ok(kinds)
}

/// Visits every page, sorted by type and path. Returns the overview of the repository.
fn for_each_page(
    generation: &UnsealedGeneration<'_>,
    kinds: &[Option<InfraKind>],
    previous: Option<&Snapshot>,
    mut visit: impl FnMut(VisitedPage) -> Result<(), IndexError>,
) -> Result<Overview, IndexError> {
    let relations = FileRelations::new(generation.tables, generation.graph);
    let texts = ShownTexts::new(generation);
    let context = PageContext { generation, relations: &relations, texts: &texts };
    let n_files = generation.tables.files.len();
    let of_type = |is_infra: bool| {
        (0..n_files).filter(move |file_idx| generation.has_page(*file_idx) && kinds[*file_idx].is_some() == is_infra)
    };
    let inputs_of_files: Vec<u64> = (0..n_files).map(|file_idx| context.file_inputs(file_idx)).collect();
    let page_of_file = |file_idx: usize| {
        let (kind, inputs) = (kinds[file_idx], inputs_of_files[file_idx]);
        let path = &generation.tables.files[file_idx].path;
        let stored = previous.and_then(|previous| page_inputs::find_stored(previous, type_of_page(kind), path, inputs));
        let page = match (stored, kind) {
            (Some(stored), _) => return Ok(VisitedPage::Stored(stored)),
            (None, None) => ::pages::file(&context.file_part(file_idx)),
            (None, Some(kind)) => {
                let text = generation.source_text(file_idx)?;
                ::pages::infra(&context.infra_part(file_idx, kind, &text))
            }
        };
        Ok::<_, IndexError>(VisitedPage::OfFile(page, inputs))
    };
    for file_idx in of_type(false) {
        visit(page_of_file(file_idx)?)?;
    }
    let modules = modules(generation.tables, generation.graph);
    let purposes = modules.iter().map(|module| context.module_purpose(module)).collect::<Result<Vec<_>, _>>()?;
    for (module, purpose) in modules.iter().zip(&purposes) {
        let inputs = context.module_inputs(module, &purpose.text, &inputs_of_files);
        let find = |previous| page_inputs::find_stored(previous, PageType::Module, module.path, inputs);
        visit(match previous.and_then(find) {
            Some(stored) => VisitedPage::StoredWithTerms(stored),
            None => VisitedPage::WithTerms(::pages::module(&context.module_part(module, &purpose.text)), inputs),
        })?;
    }
    let introduction = context.introduction()?;
    if n_files > 0 {
        let overview = ::pages::overview(&context.overview_part(&introduction, &modules, &purposes, kinds));
        visit(VisitedPage::WithTerms(overview, 0))?;
    }
    for file_idx in of_type(true) {
        visit(page_of_file(file_idx)?)?;
    }
    let overview = context.overview(&introduction, &modules, &purposes, kinds)?;
    texts.finish()?;
    Ok(overview)
}
