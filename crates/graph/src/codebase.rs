//! A program with the dialect of each language family: the input of resolution.
//!
//! This file chooses the languages. All layers below know a dialect only as a trait.

use crate::{
    family::Family,
    infer::{Dialect, Dialects, Inference},
    languages::{
        c::CDialect, ecmascript::EcmascriptDialect, fallback::FallbackDialect, go::GoDialect, java::JavaDialect,
        python::PythonDialect, rust::RustDialect,
    },
    manifest::ManifestFile,
    names::{NameNumbers, NumberedNames},
    program::{FileIdx, Program, SourceFile, SymbolIdx},
};

/// All files of a repository, or of several side by side, with the dialects that interpret them. Immutable once it is built.
pub struct Codebase<'a> {
    program: Program<'a>,
    dialects: Dialects,
}

impl<'a> Codebase<'a> {
    /// Lays out a repository. Files are numbered in the given order, which should be sorted by path.
    pub fn new(sources: impl IntoIterator<Item = SourceFile<'a>>, manifests: &[ManifestFile<'a>]) -> Codebase<'a> {
        Codebase::side_by_side(Vec::new(), sources, manifests)
    }

    /// Lays out several repositories side by side, as if they were one build. Every path begins with one of `roots`, the
    /// folders of the repositories, each with `/` behind it.
    pub fn side_by_side(
        roots: Vec<&'a str>,
        sources: impl IntoIterator<Item = SourceFile<'a>>,
        manifests: &[ManifestFile<'a>],
    ) -> Codebase<'a> {
        Codebase::of(Program::new(roots, sources), manifests)
    }

    /// Lays out a repository whose names have numbers; see [`Codebase::new`].
    pub fn numbered<'n>(
        numbers: &'a NameNumbers,
        sources: impl IntoIterator<Item = (SourceFile<'a>, &'n NumberedNames)>,
        manifests: &[ManifestFile<'a>],
    ) -> Codebase<'a> {
        Codebase::of(Program::numbered(numbers, sources), manifests)
    }

    fn of(mut program: Program<'a>, manifests: &[ManifestFile<'a>]) -> Codebase<'a> {
        let dialects = lay_out(&program, manifests);
        // A dialect finds the type of an extension only after the modules of its family are laid out.
        let attachments = attachments(&program, &dialects);
        program.attach(&attachments);
        Codebase { program, dialects }
    }

    /// Returns every definition of the repository.
    pub fn program(&self) -> &Program<'a> {
        &self.program
    }

    /// Starts an inference of types.
    pub(crate) fn inference(&self) -> Inference<'_> {
        Inference::new(&self.program, &self.dialects)
    }

    /// Returns the dialect of a file.
    pub(crate) fn dialect(&self, file: FileIdx) -> &dyn Dialect {
        self.dialects.of(Family::of(self.program.language(file)))
    }
}

/// Lays out the modules of each family.
fn lay_out(program: &Program<'_>, manifests: &[ManifestFile<'_>]) -> Dialects {
    Dialects::new(|family| match family {
        Family::Ecmascript => Box::new(EcmascriptDialect::lay_out(program, manifests)),
        Family::Python => Box::new(PythonDialect::lay_out(program, manifests)),
        Family::Go => Box::new(GoDialect::lay_out(program, manifests)),
        Family::Java => Box::new(JavaDialect::lay_out(program, manifests)),
        Family::Rust => Box::new(RustDialect::lay_out(program, manifests)),
        Family::C => Box::new(CDialect::lay_out(program, manifests)),
        Family::Other => Box::new(FallbackDialect::lay_out(program, manifests)),
    })
}

/// Returns the members that every family attaches to its types, as `(type, member)`.
fn attachments(program: &Program<'_>, dialects: &Dialects) -> Vec<(SymbolIdx, SymbolIdx)> {
    dialects.iter().flat_map(|dialect| dialect.attachments(&mut Inference::new(program, dialects))).collect()
}
