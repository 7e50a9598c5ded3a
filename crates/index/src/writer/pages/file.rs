//! The content of the page of a file.

use std::cmp::Reverse;

use ::pages::{FilePart, InfraKind, InfraPart, NamePart};
use model::{FileClass, Language};

use super::{
    context::PageContext,
    file_relations::class,
    sections::{MAX_NAMES, relations},
};

impl<'a> PageContext<'a> {
    /// Returns the content of the page of a file.
    pub(super) fn file_part(&self, file_idx: usize) -> FilePart<'a> {
        let file = &self.generation.tables.files[file_idx];
        let idx = file_idx as u32;
        let class_of = |other: u32| class(&self.generation.tables.files[other as usize]);
        let counted = self.relations;
        FilePart {
            path: &file.path,
            language: Language::ALL.get(file.language as usize).copied().unwrap_or(Language::Text),
            class: class(file),
            n_lines: file.n_lines,
            doc: &file.doc,
            names: self.names_of_file(idx),
            used_by: self.related_files(&counted.used_by, idx, |other| class_of(other) != FileClass::Test),
            tested_by: self.related_files(&counted.used_by, idx, |other| class_of(other) == FileClass::Test),
            documented_in: self.related_files(&counted.documented_in, idx, |_| true),
            depends_on: self.related_files(&counted.depends_on, idx, |_| true),
            packages: relations(counted.packages[file_idx].iter().copied()),
            past: self.history_part(&[idx]),
        }
    }

    /// Returns the content of the page of a file of infrastructure.
    pub(super) fn infra_part<'p>(&self, file_idx: usize, kind: InfraKind, text: &'p str) -> InfraPart<'p>
    where
        'a: 'p,
    {
        let part = self.file_part(file_idx);
        InfraPart {
            path: part.path,
            kind,
            text,
            doc: part.doc,
            names: part.names,
            used_by: part.used_by,
            depends_on: part.depends_on,
            past: part.past,
        }
    }

    /// Returns the public symbols of a file; of code the most used first, else in the order of lines.
    fn names_of_file(&self, file_idx: u32) -> Vec<NamePart<'a>> {
        let file = &self.generation.tables.files[file_idx as usize];
        let is_code = matches!(class(file), FileClass::Source | FileClass::Generated | FileClass::Vendored);
        let mut symbols: Vec<u32> = self.symbols_of(file_idx).filter(|symbol| self.is_public(*symbol)).collect();
        if is_code {
            symbols.sort_by_key(|symbol| (Reverse(self.relations.uses[*symbol as usize]), *symbol));
        }
        symbols.truncate(MAX_NAMES);
        symbols.into_iter().map(|symbol| self.name_part(symbol)).collect()
    }
}
