//! Names of commits: branches, tags, `HEAD~2` and ids that are reachable from a reference.

use gix::ObjectId;
use model::CommitId;

use super::{ChangeError, MAX_REVISION_BYTES};
use crate::{Checkout, SourceError, git, object_chains::peel_to_commit};

/// Maximum number of references from which a commit is searched that is named by its id.
const MAX_REFERENCES: usize = 200;

pub(super) struct Revisions {
    repository: gix::Repository,
    /// The commit of the checkout, which may be a linked work tree.
    head: CommitId,
}

impl Revisions {
    pub(super) fn open(checkout: &Checkout, head: CommitId) -> Result<Revisions, SourceError> {
        Ok(Revisions { repository: git::open_with_references(checkout)?.to_thread_local(), head })
    }

    /// Returns the commit with this name.
    pub(super) fn resolve(&self, name: &str) -> Result<CommitId, ChangeError> {
        let is_plain = |character: char| character.is_ascii_alphanumeric() || "/._-~^+#".contains(character);
        if name.is_empty() || name.len() > MAX_REVISION_BYTES || !name.chars().all(is_plain) {
            let reason =
                format!("`{}` is no name of a commit: give a branch, a tag, HEAD~N or a commit id", shortened(name));
            return Err(ChangeError::Invalid(reason));
        }
        let unknown = || {
            let names = self.branches().join(", ");
            let known = if names.is_empty() { String::new() } else { format!("; its branches are {names}") };
            ChangeError::Invalid(format!("the repository has no commit `{}`{known}", shortened(name)))
        };
        // The library follows tags without a bound, and a tag may lead to itself: so what is named comes first, then its ancestor.
        let (base, ancestor) = name.split_at(name.find(['~', '^']).unwrap_or(name.len()));
        let find = |spec: &str| {
            let id = if spec == "HEAD" { ObjectId::from_bytes_or_panic(&self.head.0) } else { self.parse(spec)? };
            Some(peel_to_commit(&self.repository, id)?.id)
        };
        let id = find(base).ok_or_else(unknown)?;
        let id = if ancestor.is_empty() { id } else { find(&format!("{id}{ancestor}")).ok_or_else(unknown)? };
        let is_id = name.len() >= 4
            && name
                .chars()
                .take_while(|character| !matches!(character, '~' | '^'))
                .all(|character| character.is_ascii_hexdigit());
        if is_id && !self.is_reachable(id) {
            return Err(unknown());
        }
        git::commit_id(id).ok_or_else(unknown)
    }

    /// Returns the last common commit.
    pub(super) fn merge_base(&self, one: CommitId, other: CommitId) -> Result<CommitId, ChangeError> {
        let ids = [one, other].map(|commit| ObjectId::from_bytes_or_panic(&commit.0));
        let base = self.repository.merge_base(ids[0], ids[1]).ok().flatten().and_then(|id| git::commit_id(id.detach()));
        base.ok_or_else(|| {
            let reason = "the two commits have no common one in this clone: a shallow clone lacks it, `git fetch --unshallow` completes it";
            ChangeError::Invalid(reason.to_owned())
        })
    }

    fn parse(&self, spec: &str) -> Option<ObjectId> {
        Some(self.repository.rev_parse_single(spec).ok()?.detach())
    }

    fn branches(&self) -> Vec<String> {
        let Ok(references) = self.repository.references() else { return Vec::new() };
        let Ok(branches) = references.local_branches() else { return Vec::new() };
        branches.flatten().take(5).map(|branch| branch.name().shorten().to_string()).collect()
    }

    /// Returns true if `HEAD` or a reference leads to a commit. Commits that a force push left behind are not read.
    fn is_reachable(&self, id: ObjectId) -> bool {
        let head = ObjectId::from_bytes_or_panic(&self.head.0);
        let tips = self.repository.references().ok();
        let tips = tips.as_ref().and_then(|references| references.all().ok()).into_iter().flatten().flatten();
        let tips = tips.take(MAX_REFERENCES).filter_map(|mut tip| {
            let id = tip.follow_to_object().ok()?.detach();
            Some(peel_to_commit(&self.repository, id)?.id)
        });
        let leads = |tip: ObjectId| {
            tip == id
                || self.repository.merge_base(tip, id).is_ok_and(|base| base.is_some_and(|base| base.detach() == id))
        };
        std::iter::once(head).chain(tips).any(leads)
    }
}

fn shortened(name: &str) -> String {
    name.chars().filter(|character| !character.is_control()).take(60).collect()
}
