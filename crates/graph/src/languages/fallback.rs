//! Fallback dialect for languages that are read only as definitions, imports and uses of names.
//!
//! A name resolves to a definition of its file, else to the only one of its language. An import resolves to the only
//! file whose path ends with the imported path.

use model::{Language, SymbolKind};
use rustc_hash::FxHashMap;

use crate::{
    family::Family,
    infer::{Dialect, Inference},
    manifest::ManifestFile,
    names::Name,
    program::{FileIdx, Node, Program, SymbolIdx},
    ty::Ty,
};

/// Minimum length of a name that resolves to its only definition; shorter names are too common.
const MIN_UNIQUE_NAME: usize = 4;

/// The fallback dialect of one program.
pub(crate) struct FallbackDialect {
    /// Files by file name without extension, in order.
    by_stem: FxHashMap<String, Vec<FileIdx>>,
}

impl FallbackDialect {
    /// Indexes the files of a program.
    pub(crate) fn lay_out(program: &Program<'_>, _manifests: &[ManifestFile<'_>]) -> FallbackDialect {
        let mut by_stem: FxHashMap<String, Vec<FileIdx>> = FxHashMap::default();
        for file in program.file_indices().filter(|file| Family::of(program.language(*file)) == Family::Other) {
            let (_, stem) = split(program.path(file));
            by_stem.entry(stem.to_owned()).or_default().push(file);
        }
        FallbackDialect { by_stem }
    }

    /// Returns the only file of a language whose path ends with a path.
    fn file_by_path_suffix(&self, program: &Program<'_>, language: Language, suffix: &str) -> Option<FileIdx> {
        let (folder, stem) = split(suffix);
        let mut matching = self.by_stem.get(stem).into_iter().flatten().copied().filter(|file| {
            let (other, _) = split(program.path(*file));
            program.language(*file) == language && (folder.is_empty() || has_path_suffix(other, folder))
        });
        let first = matching.next()?;
        matching.next().is_none().then_some(first)
    }
}

impl Dialect for FallbackDialect {
    fn global(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name) -> Ty {
        let own = cx.program.top(file, name);
        if !own.is_empty() {
            return cx.symbols_value(own, None);
        }
        let unique = self.by_name_alone(cx, file, name, false);
        cx.symbols_value(&unique, None)
    }

    fn import_targets(&self, cx: &mut Inference<'_>, file: FileIdx, import: usize) -> Vec<Node> {
        let program = cx.program;
        let language = program.language(file);
        let module = program.facts(file).imports[import].module.trim_start_matches("./");
        let (folder, _) = split(program.path(file));
        let sibling = if folder.is_empty() { module.to_owned() } else { format!("{folder}/{module}") };
        let found = program
            .file_at(&sibling)
            .or_else(|| program.file_at(module))
            .or_else(|| self.file_by_path_suffix(program, language, module))
            .or_else(|| {
                self.file_by_path_suffix(program, language, &module.replace(['.', '\\'], "/").replace("::", "/"))
            });
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

/// Returns the folder and the file name without extension of a path.
fn split(path: &str) -> (&str, &str) {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    (folder, name.rsplit_once('.').map_or(name, |(stem, _)| stem))
}

fn has_path_suffix(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use crate::{
        EdgeKind,
        testing::{check_calls, edges},
    };

    #[test]
    fn a_name_resolves_to_its_only_definition() {
        check_calls(
            "//- /a.rb\ndef format_code(x)\nend\ndef go\nend\n//- /b.rb\ndef run\n  format_code(1)\n  go\nend",
            &["b.rb::run -calls-> a.rb::format_code"],
        );
    }

    #[test]
    fn imports_resolve_to_files() {
        let fixture = "//- /proto/a/v1/a.proto\nsyntax = \"proto3\";\nmessage Alpha {}\n//- /proto/b.proto\nsyntax = \"proto3\";\nimport \"a/v1/a.proto\";\nmessage B { Alpha x = 1; }";
        assert_eq!(edges(fixture, EdgeKind::Imports), ["proto/b.proto -imports-> proto/a/v1/a.proto"]);
        assert_eq!(
            edges(fixture, EdgeKind::References),
            ["proto/b.proto::B.x -references-> proto/a/v1/a.proto::Alpha"]
        );
    }
}
