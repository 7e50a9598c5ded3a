//! Rendering the pages of a generation from its tables, graph and history; and its overview, which has the same content as
//! structured data.
//!
//! `file_relations` counts the uses between files, `modules` selects the folders with a page, and `sections` has the parts
//! that several kinds of pages share. `page_file` stores the rendered pages.

mod context;
mod file;
mod file_relations;
mod module;
mod modules;
mod overview;
mod page_file;
mod repository;
mod sections;

use std::path::Path;

use ::pages::{InfraKind, Page};
use model::PageType;
use ranking::analyser::Analyser;

use crate::{
    error::IndexError,
    overview::Overview,
    records::{PAGES_FILE, term_bags::TermBags},
};

use context::PageContext;
use file_relations::FileRelations;
use modules::modules;
use page_file::{PageFileWriter, PageRecords};

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

/// Renders all pages, and writes their texts into the page file.
pub(super) fn write_pages(dir: &Path, generation: &UnsealedGeneration<'_>) -> Result<WrittenPages, IndexError> {
    let mut analyser = Analyser::default();
    let mut term_bags = TermBags::default();
    let kinds = infra_kinds(generation)?;
    let mut writer = PageFileWriter::create(&dir.join(PAGES_FILE))?;
    let overview = for_each_page(generation, &kinds, |page, file_idx| {
        match file_idx {
            Some(_) => term_bags.push_empty(),
            None => term_bags.push_page(&format!("{} {}", page.title, page.path), &page.text, &mut analyser),
        }
        writer.add(&page)
    })?;
    term_bags.finish();
    let page_type = |kind: Option<InfraKind>| if kind.is_some() { PageType::Infra } else { PageType::File };
    let type_of_file = kinds.into_iter().map(page_type).collect();
    Ok(WrittenPages { records: writer.finish()?, type_of_file, term_bags, overview })
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

/// Renders every page, sorted by type and path. `visit` also gets the index of the file, for the page of a file. Returns the
/// overview of the repository.
fn for_each_page(
    generation: &UnsealedGeneration<'_>,
    kinds: &[Option<InfraKind>],
    mut visit: impl FnMut(Page, Option<u32>) -> Result<(), IndexError>,
) -> Result<Overview, IndexError> {
    let relations = FileRelations::new(generation.tables, generation.graph);
    let context = PageContext { generation, relations: &relations };
    let n_files = generation.tables.files.len();
    let of_type = |is_infra: bool| {
        (0..n_files).filter(move |file_idx| generation.has_page(*file_idx) && kinds[*file_idx].is_some() == is_infra)
    };
    for file_idx in of_type(false) {
        visit(::pages::file(&context.file_part(file_idx)), Some(file_idx as u32))?;
    }
    let modules = modules(generation.tables, generation.graph);
    let purposes = modules.iter().map(|module| context.module_purpose(module)).collect::<Result<Vec<_>, _>>()?;
    for (module, purpose) in modules.iter().zip(&purposes) {
        visit(::pages::module(&context.module_part(module, &purpose.text)), None)?;
    }
    let introduction = context.introduction()?;
    if n_files > 0 {
        visit(::pages::overview(&context.overview_part(&introduction, &modules, &purposes, kinds)), None)?;
    }
    for file_idx in of_type(true) {
        let (Some(kind), text) = (kinds[file_idx], generation.source_text(file_idx)?) else { continue };
        visit(::pages::infra(&context.infra_part(file_idx, kind, &text)), Some(file_idx as u32))?;
    }
    context.overview(&introduction, &modules, &purposes, kinds)
}
