//! Files that a change deletes or renames, and the imports that name them as modules.

use std::collections::{BTreeMap, BTreeSet};

use futures::future::join_all;
use model::Language;
use proto::v1;

use super::{
    judgement::Evidence,
    uses::{DefinitionUse, UseKind},
};
use crate::get_risk::answer::{ReviewFinding, VerdictKind};
use federation::{
    answer::{Answer, Shortfalls},
    call::CallContext,
    nodes::NodeRef,
    outline::files,
    plan::Plan,
    repo_idx::RepoIdx,
};

/// Maximum number of removed files that are looked up.
const MAX_FILES: usize = 100;

/// The files that no longer have their paths and that code imports by them.
#[derive(Default)]
pub(super) struct RemovedFiles(Vec<RemovedFile>);

/// A file that no longer has its path.
struct RemovedFile {
    path: String,
    /// The path after the change; empty if it is deleted.
    new_path: String,
    node: NodeRef,
}

/// Finds the nodes of the files that a change deletes or renames.
pub(super) async fn locate(
    call: &CallContext<'_>,
    plan: &Plan,
    repo_idx: RepoIdx,
    response: &v1::ChangesResponse,
) -> Answer<RemovedFiles> {
    let remaining: BTreeSet<String> = response.files.iter().filter_map(|file| module_key(&file.new_path)).collect();
    let is_gone = |file: &&v1::ChangedPath| {
        file.old_path != file.new_path && module_key(&file.old_path).is_some_and(|key| !remaining.contains(&key))
    };
    let gone: Vec<&v1::ChangedPath> = response.files.iter().filter(is_gone).take(MAX_FILES).collect();
    let outlines = join_all(gone.iter().map(|file| call.outline(plan, &file.old_path, 1))).await;
    let mut shortfalls = Shortfalls::default();
    let mut found = Vec::new();
    for (file, outline) in gone.iter().zip(outlines) {
        shortfalls.extend(outline.shortfalls);
        let mut outlined = files(plan, outline.value).into_iter();
        let outlined = outlined.find(|one| one.repo_idx == repo_idx && one.path == file.old_path);
        found.extend(outlined.map(|one| RemovedFile {
            path: file.old_path.clone(),
            new_path: file.new_path.clone(),
            node: NodeRef { repo_idx, node: one.node() },
        }));
    }
    Answer { value: RemovedFiles(found), shortfalls }
}

impl RemovedFiles {
    /// Returns the nodes of the files.
    pub(super) fn nodes(&self) -> impl Iterator<Item = NodeRef> {
        self.0.iter().map(|file| file.node)
    }

    /// Returns the names by which each user of the files imports them, by its file.
    pub(super) fn names<'a>(
        &'a self,
        uses: &'a [DefinitionUse],
    ) -> impl Iterator<Item = (&'a (RepoIdx, String), &'a str)> {
        let of_file = |one: &'a DefinitionUse| {
            let file = self.0.iter().find(|file| file.node == one.root)?;
            Some((&one.file, module_name(&file.path)?))
        };
        uses.iter().filter_map(of_file)
    }

    /// Adds the findings about imports of the files to those about definitions. A line that imports a lost definition is listed once.
    pub(super) fn add_findings(
        &self,
        evidence: &Evidence<'_>,
        uses: &[DefinitionUse],
        others: Vec<(usize, ReviewFinding)>,
    ) -> Vec<(usize, ReviewFinding)> {
        let mut findings = others;
        for file in &self.0 {
            let id = evidence.plan.alias(evidence.repo_idx);
            let is_rust = Language::of_path(&file.path) == Language::Rust;
            let mut imports = file.judged_imports(evidence, uses);
            if let Some(declaration) = imports.first_mut().filter(|_| is_rust) {
                let (own, prefix) = (format!("{id}:"), format!("{id}//{}::", file.path));
                let follows = |finding: &ReviewFinding| {
                    finding.verdict == VerdictKind::Broken
                        && finding.definition.starts_with(&prefix)
                        && finding.at.starts_with(&own)
                };
                let following = findings.iter().filter(|(_, finding)| follows(finding));
                declaration.behind = following.map(|(_, finding)| finding.at.clone()).collect();
                findings.retain(|(_, finding)| !follows(finding));
            }
            let is_broken = |at: &str| {
                let mut same = findings.iter().filter(|(_, finding)| finding.at == at);
                same.any(|(_, finding)| finding.verdict == VerdictKind::Broken)
            };
            imports.retain(|import| !is_broken(&import.at));
            findings.extend(imports.into_iter().map(|import| (usize::MAX, import)));
        }
        findings
    }
}

impl RemovedFile {
    /// Returns a finding for each line that imports the file. The compiler of Rust reports the declaration of its module, and nothing that
    /// follows from it.
    fn judged_imports(&self, evidence: &Evidence<'_>, uses: &[DefinitionUse]) -> Vec<ReviewFinding> {
        let is_rust = Language::of_path(&self.path) == Language::Rust;
        let reason = match self.new_path.as_str() {
            "" => "the file is removed".to_owned(),
            new_path => format!("the file is `{new_path}` now"),
        };
        let id = format!("{}:{}", evidence.plan.alias(evidence.repo_idx), text::sanitise_name(&self.path));
        let finding = |one: &DefinitionUse| {
            let line = evidence.unchanged_line(one)?;
            let is_concerned = !is_rust || declares_module(evidence.imports_of(one), &self.path, line);
            is_concerned.then(|| evidence.finding_about(&id, one, line, (VerdictKind::Broken, &reason)))
        };
        let own = uses.iter().filter(|one| one.root == self.node && one.kind == UseKind::Reference && one.is_certain);
        let by_place: BTreeMap<String, ReviewFinding> =
            own.filter_map(finding).map(|finding| (finding.at.clone(), finding)).collect();
        by_place.into_values().collect()
    }
}

/// Returns true if a line declares the module of a file (`mod name;`).
fn declares_module(imports: &[v1::ImportedName], path: &str, line: u32) -> bool {
    let name = module_name(path);
    imports.iter().any(|import| import.line == line && Some(import.name.as_str()) == name && import.module == "self")
}

/// Returns the path of the module that a file is, in languages whose imports name files: without the extension, or the folder for a file
/// that stands for it.
fn module_key(path: &str) -> Option<String> {
    use Language::{C, Cpp, JavaScript, Python, Rust, Tsx, TypeScript};
    let language = Language::of_path(path);
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().unwrap_or_default();
    let index = match language {
        Python => "__init__",
        Rust => "mod",
        JavaScript | TypeScript | Tsx => "index",
        // A header is named with its extension, and is found in any folder of includes.
        C | Cpp => return Some(name.to_owned()),
        _ => return None,
    };
    let is_root = language == Rust && matches!(stem, "lib" | "main");
    match stem {
        _ if is_root => None,
        stem if stem == index => Some(folder.to_owned()),
        stem if folder.is_empty() => Some(stem.to_owned()),
        stem => Some(format!("{folder}/{stem}")),
    }
}

/// Returns the last name of the module that a file is.
pub(super) fn module_name(path: &str) -> Option<&str> {
    let key = module_key(path)?;
    let name = key.rsplit('/').next()?;
    path.rfind(name).map(|at| &path[at..at + name.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_modules_by_their_paths() {
        for (path, expected) in [
            ("src/attrs.rs", Some("src/attrs")),
            ("src/attrs/mod.rs", Some("src/attrs")),
            ("src/lib.rs", None),
            ("app/__init__.py", Some("app")),
            ("setup.py", Some("setup")),
            ("src/a.d.ts", Some("src/a")),
            ("src/a/index.tsx", Some("src/a")),
            ("include/spdlog/fmt.h", Some("fmt.h")),
            ("src/Size.java", None),
            ("docs/guide.md", None),
            ("", None),
        ] {
            assert_eq!(module_key(path).as_deref(), expected, "{path}");
        }
    }

    #[test]
    fn names_of_modules_are_the_last_ones() {
        let cases = [("src/attrs/mod.rs", Some("attrs")), ("a/a/__init__.py", Some("a")), ("x/size.h", Some("size.h"))];
        for (path, expected) in cases {
            assert_eq!(module_name(path), expected, "{path}");
        }
    }

    #[test]
    fn only_declarations_of_modules_need_their_file() {
        let import = |module: &str, name: &str, line| v1::ImportedName {
            module: module.to_owned(),
            name: name.to_owned(),
            line,
            ..Default::default()
        };
        let imports = [import("self", "attrs", 3), import("crate::attrs", "Name", 4), import("self", "other", 5)];
        for (line, expected) in [(3, true), (4, false), (5, false), (6, false)] {
            assert_eq!(declares_module(&imports, "src/attrs.rs", line), expected, "{line}");
        }
    }
}
