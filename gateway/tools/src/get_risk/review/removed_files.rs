//! Files that a change deletes or renames, and the imports that name them as modules.

mod module_state;

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
use module_state::{ModuleKey, ModuleState, SurroundingFiles, folders_of, module_name};
pub(super) use module_state::{module_key, without_ending};

/// Maximum number of removed files that are looked up.
const MAX_FILES: usize = 100;

/// The files that no longer have their paths and that code imports by them.
#[derive(Default)]
pub(super) struct RemovedFiles {
    files: Vec<RemovedFile>,
    /// Number of files beyond the limit.
    pub(super) n_omitted: usize,
}

/// A file that no longer has its path.
struct RemovedFile {
    path: String,
    /// The path after the change; empty if it is deleted.
    new_path: String,
    /// The state of the module that it was.
    state: ModuleState,
    node: NodeRef,
}

/// Finds the nodes of the files that a change deletes or renames.
pub(super) async fn locate(
    call: &CallContext<'_>,
    plan: &Plan,
    repo_idx: RepoIdx,
    response: &v1::ChangesResponse,
) -> Answer<RemovedFiles> {
    let moved = || response.files.iter().filter(|file| file.old_path != file.new_path);
    let written = response.files.iter().map(|file| file.new_path.clone()).filter(|path| !path.is_empty());
    let mut around = SurroundingFiles {
        removed: moved().map(|file| file.old_path.clone()).filter(|path| !path.is_empty()).collect(),
        written: written.collect(),
        ..SurroundingFiles::default()
    };
    let remaining: BTreeSet<ModuleKey> = around.written.iter().filter_map(|path| module_key(path)).collect();
    let modules = moved().filter_map(|file| Some((file, module_key(&file.old_path)?)));
    let gone: Vec<(&v1::ChangedPath, ModuleKey)> = modules.filter(|(_, key)| !remaining.contains(key)).collect();
    let n_omitted = gone.len().saturating_sub(MAX_FILES);
    let gone = &gone[..gone.len() - n_omitted];
    let folders: BTreeSet<String> = gone.iter().flat_map(|(_, key)| folders_of(key)).collect();
    let mut shortfalls = Shortfalls::default();
    let listings = join_all(folders.iter().map(|folder| call.folders(plan, folder))).await;
    for (folder, mut listed) in folders.into_iter().zip(listings) {
        shortfalls.extend(listed.shortfalls);
        around.listings.extend(listed.value.remove(&repo_idx).map(|listing| (folder, listing)));
    }
    let stated = gone.iter().map(|(file, key)| (*file, around.state_of(key)));
    let lost: Vec<(&v1::ChangedPath, ModuleState)> =
        stated.filter(|(_, state)| *state != ModuleState::Replaced).collect();
    let outlines = join_all(lost.iter().map(|(file, _)| call.outline(plan, &file.old_path, 1))).await;
    let mut found = Vec::new();
    for ((file, state), outline) in lost.iter().zip(outlines) {
        shortfalls.extend(outline.shortfalls);
        let mut outlined = files(plan, outline.value).into_iter();
        let outlined = outlined.find(|one| one.repo_idx == repo_idx && one.path == file.old_path);
        found.extend(outlined.map(|one| RemovedFile {
            path: file.old_path.clone(),
            new_path: file.new_path.clone(),
            state: *state,
            node: NodeRef { repo_idx, node: one.node() },
        }));
    }
    Answer { value: RemovedFiles { files: found, n_omitted }, shortfalls }
}

impl RemovedFiles {
    /// Returns the nodes of the files.
    pub(super) fn nodes(&self) -> impl Iterator<Item = NodeRef> {
        self.files.iter().map(|file| file.node)
    }

    /// Returns the names by which each user of the files imports them, by its file.
    pub(super) fn names<'a>(
        &'a self,
        uses: &'a [DefinitionUse],
    ) -> impl Iterator<Item = (&'a (RepoIdx, String), &'a str)> {
        let of_file = |one: &'a DefinitionUse| {
            let file = self.files.iter().find(|file| file.node == one.root)?;
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
        for file in &self.files {
            let id = evidence.plan.alias(evidence.repo_idx);
            let is_rust = Language::of_path(&file.path) == Language::Rust;
            let mut imports = file.judged_imports(evidence, uses);
            let is_declaration = |import: &&mut ReviewFinding| is_rust && import.verdict == VerdictKind::Broken;
            if let Some(declaration) = imports.first_mut().filter(is_declaration) {
                let (own, prefix) = (format!("{id}:"), format!("{id}//{}::", file.path));
                let follows = |finding: &ReviewFinding| {
                    finding.verdict == VerdictKind::Broken
                        && finding.definition.starts_with(&prefix)
                        && finding.at.starts_with(&own)
                };
                let following = findings.iter().filter(|(_, finding)| follows(finding));
                declaration.behind = following.flat_map(|(_, finding)| places_of(finding)).collect();
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
        let (verdict, reason) = match self.state {
            ModuleState::Gone | ModuleState::Replaced => (VerdictKind::Broken, reason),
            ModuleState::BareFolder => {
                (VerdictKind::Maybe, format!("{reason}, and its folder is a package without it"))
            }
            ModuleState::Unknown => (VerdictKind::Maybe, format!("{reason}, and the files beside it are not known")),
        };
        let id = format!("{}:{}", evidence.plan.alias(evidence.repo_idx), text::sanitise_name(&self.path));
        let finding = |one: &DefinitionUse| {
            let line = evidence.unchanged_line(one)?;
            let is_concerned = !is_rust || declares_module(evidence.imports_of(one), &self.path, line);
            is_concerned.then(|| evidence.finding_about(&id, one, line, (verdict, &reason)))
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

/// Returns the place of a finding, and those of the uses behind it.
fn places_of(finding: &ReviewFinding) -> impl Iterator<Item = String> {
    std::iter::once(finding.at.clone()).chain(finding.behind.iter().cloned())
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn places_of_findings_are_those_behind_them_too() {
        for (behind, expected) in [(&[][..], "a:1"), (&["b:2", "b:3"], "a:1 b:2 b:3")] {
            let finding = ReviewFinding {
                verdict: VerdictKind::Broken,
                at: "a:1".to_owned(),
                user: String::new(),
                definition: String::new(),
                reason: String::new(),
                behind: behind.iter().map(|place: &&str| (*place).to_owned()).collect(),
                n_behind: behind.len(),
                is_test: false,
            };
            assert_eq!(places_of(&finding).collect::<Vec<String>>().join(" "), expected);
        }
    }
}
