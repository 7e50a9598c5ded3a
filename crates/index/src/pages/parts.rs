//! Gathering what goes into each page, and rendering one after the other; and what is known of the whole beside its page.

mod file;
mod gathered;
mod module;
mod overview;
mod told;

use ::pages::{InfraKind, Page};
use model::FileClass;

use super::{
    ground::{Ground, class},
    modules::modules,
};
use crate::{IndexError, NewGraph, Overview, history::HistoryTables, table::Tables};

/// Longer files are not read again for what they say of themselves or of infrastructure.
const MAX_TEXT_BYTES: u32 = 256 << 10;

/// A generation that is about to be sealed.
pub(crate) struct Sealing<'a> {
    pub(crate) tables: &'a Tables,
    pub(crate) graph: &'a NewGraph<'a>,
    pub(crate) past: &'a HistoryTables,
    /// Reads the source of a file.
    pub(crate) read: &'a dyn Fn(usize) -> Result<Vec<u8>, IndexError>,
}

/// Returns by file the kind of infrastructure that it is, if it is any.
pub(crate) fn infra_kinds(sealing: &Sealing<'_>) -> Result<Vec<Option<InfraKind>>, IndexError> {
    let mut kinds = Vec::with_capacity(sealing.tables.files.len());
    for (file_idx, file) in sealing.tables.files.iter().enumerate() {
        let is_read = has_page(sealing, file_idx);
        let kind = match InfraKind::of_path(&file.path) {
            _ if !is_read => None,
            None if InfraKind::is_told_by_text(&file.path) => InfraKind::of_text(&file.path, &sealing.text(file_idx)?),
            kind => kind,
        };
        kinds.push(kind);
    }
    Ok(kinds)
}

/// Renders every page, in the order of types and paths. A page of a file comes with its index. Returns what is known of the
/// repository as a whole.
pub(crate) fn for_each_page(
    sealing: &Sealing<'_>,
    kinds: &[Option<InfraKind>],
    mut visit: impl FnMut(Page, Option<u32>) -> Result<(), IndexError>,
) -> Result<Overview, IndexError> {
    let ground = Ground::new(sealing.tables, sealing.graph);
    let told = Told { sealing, ground: &ground };
    let n_files = sealing.tables.files.len();
    let of_type = |is_infra: bool| {
        (0..n_files).filter(move |file_idx| has_page(sealing, *file_idx) && kinds[*file_idx].is_some() == is_infra)
    };
    for file_idx in of_type(false) {
        visit(::pages::file(&told.file(file_idx)), Some(file_idx as u32))?;
    }
    let modules = modules(sealing.tables, sealing.graph);
    let purposes = modules.iter().map(|module| told.purpose(module)).collect::<Result<Vec<_>, _>>()?;
    for (module, purpose) in modules.iter().zip(&purposes) {
        visit(::pages::module(&told.module(module, &purpose.text)), None)?;
    }
    let introduced = told.introduced()?;
    if n_files > 0 {
        visit(::pages::overview(&told.overview(&introduced, &modules, &purposes, kinds)), None)?;
    }
    for file_idx in of_type(true) {
        let (Some(kind), text) = (kinds[file_idx], sealing.text(file_idx)?) else { continue };
        visit(::pages::infra(&told.infra(file_idx, kind, &text)), Some(file_idx as u32))?;
    }
    told.gathered(&introduced, &modules, &purposes, kinds)
}

/// Says whether a file has a page: it was read, and holds something.
fn has_page(sealing: &Sealing<'_>, file_idx: usize) -> bool {
    let file = &sealing.tables.files[file_idx];
    file.stored.n_raw > 0 && class(file) != FileClass::Binary
}

impl Sealing<'_> {
    /// Reads the text of a file; nothing of one that is too long.
    fn text(&self, file_idx: usize) -> Result<String, IndexError> {
        if self.tables.files[file_idx].stored.n_raw > MAX_TEXT_BYTES {
            return Ok(String::new());
        }
        Ok(String::from_utf8_lossy(&(self.read)(file_idx)?).into_owned())
    }
}

/// What pages tell, as far as it is laid out already.
struct Told<'a> {
    sealing: &'a Sealing<'a>,
    ground: &'a Ground<'a>,
}
