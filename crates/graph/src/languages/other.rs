//! Languages that are read only as far as definitions, imports and uses of names.
//!
//! A name means a definition of its own file, else the only one that any file of its language has. An import means the
//! only file whose path ends as the import is written.

use model::{Language, SymbolKind};
use rustc_hash::FxHashMap;

use crate::{
    dialect::{Dialect, Family},
    infer::Inference,
    names::Name,
    program::{FileIdx, Manifest, Program, SymbolIdx},
    resolve::Node,
    ty::Ty,
};

/// Shorter names are too common for the only definition of one to be what a use of it means.
const MIN_UNIQUE_NAME: usize = 4;

/// What is known of the files of a program.
pub(crate) struct Other {
    /// By the last part of a path without its extension: files, in order.
    by_stem: FxHashMap<String, Vec<FileIdx>>,
}

impl Other {
    /// Lays out the files of a program.
    pub(crate) fn lay_out(program: &Program<'_>, _manifests: &[Manifest<'_>]) -> Other {
        let mut by_stem: FxHashMap<String, Vec<FileIdx>> = FxHashMap::default();
        for file in program.file_indices().filter(|file| Family::of(program.language(*file)) == Family::Other) {
            let (_, stem) = split(program.path(file));
            by_stem.entry(stem.to_owned()).or_default().push(file);
        }
        Other { by_stem }
    }

    /// Returns the only file of a language whose path ends in a path.
    fn ending_in(&self, program: &Program<'_>, language: Language, wanted: &str) -> Option<FileIdx> {
        let (folder, stem) = split(wanted);
        let mut matching = self.by_stem.get(stem).into_iter().flatten().copied().filter(|file| {
            let (other, _) = split(program.path(*file));
            program.language(*file) == language && (folder.is_empty() || ends_in(other, folder))
        });
        let first = matching.next()?;
        matching.next().is_none().then_some(first)
    }
}

impl Dialect for Other {
    fn global(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name) -> Ty {
        let own = cx.program.top(file, name);
        if !own.is_empty() {
            return cx.symbols_value(own, None);
        }
        let unique = self.by_name_alone(cx, file, name, false);
        cx.symbols_value(&unique, None)
    }

    fn imported(&self, cx: &mut Inference<'_>, file: FileIdx, import: usize) -> Vec<Node> {
        let program = cx.program;
        let language = program.language(file);
        let module = program.facts(file).imports[import].module.trim_start_matches("./");
        let (folder, _) = split(program.path(file));
        let beside = if folder.is_empty() { module.to_owned() } else { format!("{folder}/{module}") };
        let found = program
            .file_at(&beside)
            .or_else(|| program.file_at(module))
            .or_else(|| self.ending_in(program, language, module))
            .or_else(|| self.ending_in(program, language, &module.replace(['.', '\\'], "/").replace("::", "/")));
        found.filter(|found| *found != file).map(Node::File).into_iter().collect()
    }

    fn by_name_alone(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name, is_member: bool) -> Vec<SymbolIdx> {
        let program = cx.program;
        let language = program.language(file);
        if program.text(name).len() < MIN_UNIQUE_NAME {
            return Vec::new();
        }
        let is_candidate = |symbol: &&SymbolIdx| {
            let definition = program.definition(**symbol);
            let is_value = matches!(definition.kind, SymbolKind::Section | SymbolKind::Field | SymbolKind::Variable);
            program.language(program.file_of(**symbol)) == language
                && !is_value
                && (is_member || definition.container.is_empty() || definition.kind.is_type())
        };
        let mut candidates = program.named(name).iter().filter(is_candidate).copied();
        match (candidates.next(), candidates.next()) {
            (Some(only), None) => vec![only],
            _ => Vec::new(),
        }
    }
}

/// Returns folder and stem of a path.
fn split(path: &str) -> (&str, &str) {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    (folder, name.rsplit_once('.').map_or(name, |(stem, _)| stem))
}

fn ends_in(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use crate::{
        EdgeKind,
        testing::{check_calls, edges},
    };

    #[test]
    fn the_only_definition_of_a_name_is_meant() {
        check_calls(
            "//- /a.rb\ndef format_code(x)\nend\ndef go\nend\n//- /b.rb\ndef run\n  format_code(1)\n  go\nend",
            &["b.rb::run -calls-> a.rb::format_code"],
        );
    }

    #[test]
    fn imports_lead_to_files() {
        let fixture = "//- /proto/a/v1/a.proto\nsyntax = \"proto3\";\nmessage Alpha {}\n//- /proto/b.proto\nsyntax = \"proto3\";\nimport \"a/v1/a.proto\";\nmessage B { Alpha x = 1; }";
        assert_eq!(edges(fixture, EdgeKind::Imports), ["proto/b.proto -imports-> proto/a/v1/a.proto"]);
        assert_eq!(
            edges(fixture, EdgeKind::References),
            ["proto/b.proto::B.x -references-> proto/a/v1/a.proto::Alpha"]
        );
    }
}
