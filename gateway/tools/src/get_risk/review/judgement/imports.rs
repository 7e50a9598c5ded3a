//! The effect of a change on the imports of a name, and on the uses behind them.
//!
//! After an import that fails the type of the name is unknown, so that some compilers report the import and nothing behind it. The places
//! behind it are then consequences of the import, and no findings of their own. Those behind an import that still works are fine.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use model::Language;
use proto::v1::{self, DefinitionChangeKind};
use review::{ImportFailure, SignatureChange, SiteVerdict, Visibility};

use super::{
    BothSides, CurrentUse, Evidence,
    modules::{NamedModule, exports_to, last_names, last_of_module, last_written},
    moved::imported_from,
    new_name, owner,
    removed_name::imports_from,
};
use crate::get_risk::{answer::ReviewFinding, review::uses::DefinitionUse};
use federation::{nodes::NodeRef, repo_idx::RepoIdx};

/// The imports of one name that fail, or take it from another module, with the places behind each.
pub(super) struct JudgedImports<'a> {
    imports: Vec<JudgedImport<'a>>,
}

/// An import with its verdict.
struct JudgedImport<'a> {
    /// A use in the same file.
    one: &'a DefinitionUse,
    /// The path after the change.
    path: &'a str,
    line: u32,
    verdict: SiteVerdict,
    language: Language,
    /// The position of the import that it follows from; its own one if there is none.
    cause: usize,
    /// Paths and lines.
    behind: BTreeSet<(&'a str, u32)>,
}

/// An import of the name, before its cause is known.
struct ImportOfName<'a> {
    one: &'a DefinitionUse,
    path: &'a str,
    module: &'a str,
    line: u32,
    from: NamedModule,
}

impl JudgedImports<'_> {
    /// Returns the position of the import that covers a place: the line of the import itself, or a use of the imported name. `module` is
    /// the receiver of a use that names the module, whose own import may fail.
    pub(super) fn covering_import(&self, one: &DefinitionUse, line: u32, module: Option<&str>) -> Option<usize> {
        let of_file = || self.imports.iter().enumerate().filter(|(_, import)| import.one.file == one.file);
        let own_line = of_file().find(|(_, import)| import.line == line);
        let covers_uses = |import: &JudgedImport<'_>| ImportFailure::of(import.language) != ImportFailure::EveryUse;
        let before = || of_file().filter(|(_, import)| import.line < line).max_by_key(|(_, import)| import.line);
        let nearest = || before().or_else(|| of_file().next()).filter(|(_, import)| covers_uses(import));
        let exporting = |module: &str| {
            let is_of_repository = |import: &JudgedImport<'_>| import.one.file.0 == one.file.0;
            let fails = |import: &JudgedImport<'_>| import.verdict != SiteVerdict::Fine && covers_uses(import);
            self.imports.iter().enumerate().find(|(_, import)| {
                is_of_repository(import) && fails(import) && last_names(import.path).contains(&module)
            })
        };
        own_line.or_else(|| module.map_or_else(nearest, exporting)).map(|(at, _)| at)
    }
}

impl<'a> JudgedImports<'a> {
    /// Adds a place to the import at a position. Returns false for a place behind an import that works, which is fine by itself.
    pub(super) fn add_place(&mut self, at: usize, path: &'a str, line: u32) -> bool {
        let is_itself = (self.imports[at].path, self.imports[at].line) == (path, line);
        let cause = self.imports[at].cause;
        if self.imports[at].verdict == SiteVerdict::Fine {
            return is_itself;
        }
        if cause != at || !is_itself {
            self.imports[cause].behind.insert((path, line));
        }
        true
    }

    /// Returns the imports that follow from no other one.
    pub(super) fn findings(self, evidence: &Evidence<'_>, change: &v1::DefinitionChange) -> Vec<ReviewFinding> {
        let followers: Vec<(usize, (&str, u32))> =
            self.imports.iter().map(|import| (import.cause, (import.path, import.line))).collect();
        let own = self.imports.into_iter().enumerate().filter(|(at, import)| import.cause == *at);
        let finding = |(at, mut import): (usize, JudgedImport<'a>)| {
            let own_place = (import.path, import.line);
            let following = followers.iter().filter(|(cause, place)| *cause == at && *place != own_place);
            import.behind.extend(following.map(|(_, place)| *place));
            let found = evidence.finding(change, import.one, import.line, import.verdict);
            let alias = evidence.plan.alias(import.one.file.0);
            let place = |(path, line): &(&str, u32)| format!("{alias}:{}:{line}", text::sanitise_name(path));
            ReviewFinding { user: String::new(), behind: import.behind.iter().map(place).collect(), ..found }
        };
        own.map(finding).collect()
    }
}

impl Evidence<'_> {
    /// Returns the imports of a name that a change breaks or leads elsewhere, in the files that use it.
    pub(super) fn judged_imports<'a>(
        &'a self,
        sides: &BothSides<'_>,
        roots: &[NodeRef],
        uses: &[&'a DefinitionUse],
    ) -> JudgedImports<'a> {
        let Some((reason, is_sure)) = self.reason_of_imports(sides) else {
            return JudgedImports { imports: Vec::new() };
        };
        let imports = self.imports_of_name(sides, roots, uses);
        let is_moved = sides.change.kind() == DefinitionChangeKind::Moved;
        let judged = imports.iter().map(|import| match import.from {
            NamedModule::New => None,
            NamedModule::Other if self.is_offered_again(sides, import) => Some(SiteVerdict::Fine),
            NamedModule::Other if is_moved => None,
            _ if !self.is_hidden_from(sides, import.one) => None,
            NamedModule::Either if is_moved => Some(SiteVerdict::Maybe(reason.clone())),
            _ if is_sure => Some(SiteVerdict::Broken(reason.clone())),
            _ => Some(SiteVerdict::Maybe(reason.clone())),
        });
        let mut verdicts: Vec<Option<SiteVerdict>> = judged.collect();
        let causes = causes(self.repo_idx, &imports, &mut verdicts);
        let judged: Vec<usize> = (0..imports.len()).filter(|at| verdicts[*at].is_some()).collect();
        let place_of: BTreeMap<usize, usize> = judged.iter().enumerate().map(|(to, at)| (*at, to)).collect();
        let imports = judged.iter().map(|at| JudgedImport {
            one: imports[*at].one,
            path: imports[*at].path,
            line: imports[*at].line,
            verdict: verdicts[*at].clone().unwrap_or(SiteVerdict::Fine),
            language: Language::of_path(imports[*at].path),
            cause: place_of[&causes[*at]],
            behind: BTreeSet::new(),
        });
        JudgedImports { imports: imports.collect() }
    }

    /// Returns the reason why imports of a name fail, and true if it is sure; nothing if they do not.
    fn reason_of_imports(&self, sides: &BothSides<'_>) -> Option<(String, bool)> {
        let of_verdict = |verdict: SiteVerdict| match verdict {
            SiteVerdict::Broken(reason) => Some((reason, true)),
            SiteVerdict::Maybe(reason) => Some((reason, false)),
            SiteVerdict::Fine => None,
        };
        let is_hidden = |change: &SignatureChange| {
            matches!(change, SignatureChange::Visibility { to: Visibility::Private | Visibility::Restricted, .. })
        };
        match sides.change.kind() {
            DefinitionChangeKind::Removed if !sides.new.is_empty() => None,
            DefinitionChangeKind::Removed if self.is_imported(sides) => {
                Some(("it is removed, and its module imports a name like it".to_owned(), false))
            }
            DefinitionChangeKind::Removed => of_verdict(self.judge_removed_name(sides, "it is removed".to_owned())),
            DefinitionChangeKind::Renamed => {
                of_verdict(self.judge_removed_name(sides, format!("it is `{}` now", new_name(sides.change))))
            }
            // A module of Python has the names that it imports.
            DefinitionChangeKind::Moved if self.is_imported(sides) && sides.old.language == Language::Python => None,
            DefinitionChangeKind::Moved => {
                let new = sides.change.new.as_ref()?;
                Some((format!("it is in `{}` now", new.path), !self.is_imported(sides)))
            }
            DefinitionChangeKind::Signature if sides.changes.iter().any(is_hidden) => {
                Some(("it is not visible here now".to_owned(), true))
            }
            _ => None,
        }
    }

    /// Returns false for the uses of a definition that is still visible to them.
    fn is_hidden_from(&self, sides: &BothSides<'_>, one: &DefinitionUse) -> bool {
        let is_private =
            |change: &SignatureChange| matches!(change, SignatureChange::Visibility { to: Visibility::Private, .. });
        sides.change.kind() != DefinitionChangeKind::Signature
            || sides.changes.iter().any(is_private)
            || self.is_no_longer_visible(sides, one)
    }

    /// Returns the imports of the changed name, once for each file and line.
    fn imports_of_name<'a>(
        &'a self,
        sides: &BothSides<'_>,
        roots: &[NodeRef],
        uses: &[&'a DefinitionUse],
    ) -> Vec<ImportOfName<'a>> {
        let mut seen: BTreeSet<(&(RepoIdx, String), u32)> = BTreeSet::new();
        let mut found = Vec::new();
        let certain = || uses.iter().copied().filter(|one| one.is_certain && roots.contains(&one.root));
        for one in certain().filter(|one| !self.is_own_file(sides, one)) {
            let path = self.path_after(one);
            let Some(current) = self.current(sides, one).filter(|_| !path.is_empty()) else { continue };
            for import in current.imports.iter().filter(|import| import.name == sides.symbol.name) {
                let is_use = || current.lines.contains(&import.line);
                if !(is_use() || self.may_import(sides, one, &import.module)) || !seen.insert((&one.file, import.line))
                {
                    continue;
                }
                let from = imported_from(sides, &import.module, path);
                found.push(ImportOfName { one, path, module: &import.module, line: import.line, from });
            }
        }
        found.sort_by_key(|import| (&import.one.file, import.line));
        found
    }

    /// Returns true if a changed file offers the name under another module, from which an import takes it.
    fn is_offered_again(&self, sides: &BothSides<'_>, import: &ImportOfName<'_>) -> bool {
        let old_path = sides.change.old.as_ref().map_or("", |old| old.path.as_str());
        let name = &sides.symbol.name;
        let binds = |other: &v1::ImportedName| match () {
            () if !other.alias.is_empty() => other.alias == *name,
            () => other.name == *name && !imports_from(old_path, &other.module),
        };
        let offers = |file: &v1::ChangedPath| {
            let is_declared = file.definitions.iter().any(|one| one.name == *name && one.container.is_empty());
            is_declared || file.imports.iter().any(binds)
        };
        let others = self.response.files.iter().filter(|file| file.old_path != old_path && !file.new_path.is_empty());
        let is_own = import.one.file.0 == self.repo_idx;
        is_own
            && others
                .filter(|file| offers(file))
                .any(|file| file.new_path != import.path && exports_to(&file.new_path, import.module, import.path))
    }

    /// Returns true if a module as written may be that of the definition, or one that exports it again.
    fn may_import(&self, sides: &BothSides<'_>, one: &DefinitionUse, module: &str) -> bool {
        let old_path = sides.change.old.as_ref().map_or("", |old| old.path.as_str());
        match one.file.0 == self.repo_idx {
            // A member is imported from its type.
            _ if !sides.symbol.container.is_empty() => last_of_module(module) == owner(sides.symbol),
            true => imports_from(old_path, module),
            // Another repository imports by the name of a package, which need not be in the path.
            false => !module.starts_with('.'),
        }
    }
}

/// Returns for each import the one that it follows from: another file of the repository imports the name, and exports it to this one. Where
/// each import is reported, such an import has the verdict of the other. Failing imports come before those that work.
fn causes(own: RepoIdx, imports: &[ImportOfName<'_>], verdicts: &mut [Option<SiteVerdict>]) -> Vec<usize> {
    let mut causes: Vec<usize> = (0..imports.len()).collect();
    let is_own = |at: &usize| imports[*at].one.file.0 == own;
    let is_known = |at: &usize| imports[*at].from != NamedModule::Other || verdicts[*at] == Some(SiteVerdict::Fine);
    let (mut known, unknown): (Vec<usize>, Vec<usize>) = (0..imports.len()).filter(is_own).partition(is_known);
    known.retain(|at| verdicts[*at].is_some());
    known.sort_by_key(|at| verdicts[*at] == Some(SiteVerdict::Fine));
    let mut by_module: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for at in unknown {
        by_module.entry(last_written(imports[at].module)).or_default().push(at);
    }
    let mut known = VecDeque::from(known);
    while let Some(from) = known.pop_front() {
        let exports = |to: &mut usize| {
            imports[from].one.file != imports[*to].one.file
                && exports_to(imports[from].path, imports[*to].module, imports[*to].path)
        };
        let mut followers: Vec<usize> = Vec::new();
        for name in last_names(imports[from].path) {
            followers.extend(by_module.get_mut(name).into_iter().flat_map(|of_name| of_name.extract_if(.., exports)));
        }
        followers.sort_unstable();
        for at in followers {
            verdicts[at] = verdicts[from].clone();
            let failure = ImportFailure::of(Language::of_path(imports[at].path));
            if failure == ImportFailure::FirstImport && verdicts[at] != Some(SiteVerdict::Fine) {
                causes[at] = causes[from];
            }
            known.push_back(at);
        }
    }
    causes
}

/// Returns the receiver of a call on a line that names the module of a definition.
pub(super) fn module_of_call<'a>(sides: &BothSides<'_>, current: &CurrentUse<'a>, line: u32) -> Option<&'a str> {
    let mut calls = current.calls.iter().filter(|call| call.line == line && call.name == sides.symbol.name);
    let call = calls.find(|call| !call.receiver.is_empty()).filter(|_| sides.symbol.container.is_empty());
    call.map(|call| call.receiver.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::get_risk::review::uses::UseKind;

    fn use_in(repo: usize, path: &str) -> DefinitionUse {
        let node = NodeRef { repo_idx: RepoIdx(repo), node: 0 };
        let file = (RepoIdx(repo), path.to_owned());
        DefinitionUse { root: node, user: node, file, line: 1, kind: UseKind::Reference, is_certain: true }
    }

    fn broken() -> SiteVerdict {
        SiteVerdict::Broken("it is removed".to_owned())
    }

    #[test]
    fn imports_follow_from_those_that_export_the_name_to_them() {
        use NamedModule::{Old, Other};
        let (failing, works) = (Some(broken()), Some(SiteVerdict::Fine));
        // Each import: its repository, file, module and verdict; the position of its cause, and its verdict then.
        let cases = [
            // In chains, too, whatever their order.
            vec![
                (0, "src/a.ts", "./b", Other, &failing, 2, &failing),
                (0, "src/b.ts", "./index", Other, &failing, 2, &failing),
                (0, "src/index.ts", "./lib", Old, &failing, 2, &failing),
                (0, "src/c.ts", "./d", Other, &failing, 3, &failing),
                (1, "src/b.ts", "./index", Other, &failing, 4, &failing),
            ],
            // Each import is reported.
            vec![
                (0, "app/__init__.py", ".made", Old, &failing, 0, &failing),
                (0, "app/uses.py", "app", Other, &None, 1, &failing),
            ],
            // An import that works lets others work, and stands for none of them.
            vec![
                (0, "src/index.ts", "./new", Other, &works, 0, &works),
                (0, "src/a.ts", "./index", Other, &failing, 1, &works),
                (0, "src/b.ts", "./a", Other, &failing, 2, &works),
            ],
            // One that fails comes first.
            vec![
                (0, "one/index.ts", "./new", Other, &works, 0, &works),
                (0, "two/index.ts", "./lib", Old, &failing, 1, &failing),
                (0, "two/a.ts", "./index", Other, &failing, 1, &failing),
            ],
            // Nothing follows from an import that is not concerned.
            vec![
                (0, "src/index.ts", "./lib", Old, &None, 0, &None),
                (0, "src/a.ts", "./index", Other, &failing, 1, &failing),
            ],
        ];
        for case in cases {
            let uses: Vec<DefinitionUse> = case.iter().map(|(repo, path, ..)| use_in(*repo, path)).collect();
            let imports = case.iter().zip(&uses).map(|((_, path, module, from, ..), one)| ImportOfName {
                one,
                path,
                module,
                line: 1,
                from: *from,
            });
            let imports: Vec<ImportOfName<'_>> = imports.collect();
            let mut verdicts: Vec<Option<SiteVerdict>> = case.iter().map(|one| one.4.clone()).collect();
            let found = causes(RepoIdx(0), &imports, &mut verdicts);
            let expected: (Vec<usize>, Vec<Option<SiteVerdict>>) =
                case.iter().map(|one| (one.5, one.6.clone())).unzip();
            assert_eq!((found, verdicts), expected, "{case:?}");
        }
    }

    #[test]
    fn uses_behind_an_import_that_works_are_fine() {
        for (path, verdict, line, module, expected) in [
            ("a.ts", broken(), 1, None, Some((true, false))),
            ("a.ts", broken(), 5, None, Some((true, true))),
            ("a.ts", SiteVerdict::Fine, 1, None, Some((true, false))),
            ("a.ts", SiteVerdict::Fine, 5, None, Some((false, false))),
            ("a.ts", broken(), 5, Some("other"), None),
            ("A.java", broken(), 5, None, None),
        ] {
            let one = use_in(0, path);
            let language = Language::of_path(path);
            let behind = BTreeSet::new();
            let import = JudgedImport { one: &one, path, line: 1, verdict, language, cause: 0, behind };
            let mut imports = JudgedImports { imports: vec![import] };
            let import = imports.covering_import(&one, line, module);
            let found = import.map(|at| (imports.add_place(at, path, line), !imports.imports[at].behind.is_empty()));
            assert_eq!(found, expected, "{path} {line}");
        }
    }

    #[test]
    fn uses_through_a_module_follow_from_its_failing_import() {
        for (path, verdict, repo, module, expected) in [
            ("app/__init__.py", broken(), 0, "app", true),
            ("app/__init__.py", broken(), 0, "_config", false),
            ("app/__init__.py", broken(), 1, "app", false),
            ("app/__init__.py", SiteVerdict::Fine, 0, "app", false),
            ("app/uses.py", broken(), 0, "app", false),
            ("app/app.java", broken(), 0, "app", false),
        ] {
            let (one, user) = (use_in(0, path), use_in(repo, "tests/use.py"));
            let language = Language::of_path(path);
            let behind = BTreeSet::new();
            let import = JudgedImport { one: &one, path, line: 1, verdict, language, cause: 0, behind };
            let mut imports = JudgedImports { imports: vec![import] };
            let covering = imports.covering_import(&user, 7, Some(module));
            assert_eq!(covering.is_some(), expected, "{path} {module}");
            let places = covering.filter(|at| imports.add_place(*at, "tests/use.py", 7));
            let behind = places.map(|at| imports.imports[at].behind.clone()).unwrap_or_default();
            assert_eq!(behind.contains(&("tests/use.py", 7)), expected, "{path} {module}");
        }
    }
}
