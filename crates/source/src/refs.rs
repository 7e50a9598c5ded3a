//! The branches, tags and commits of a repository that a view can be made of.
//!
//! A commit must be reachable from a branch or tag: others may have been removed for a reason.

use gix::{ObjectId, bstr::ByteSlice};
use model::CommitId;

use crate::{
    Checkout, SourceError,
    git::{self, commit_id},
    object_chains::peel_to_commit,
};

/// Maximum length in bytes of the name of a reference.
const MAX_NAME_BYTES: usize = 255;

/// Minimum number of hexadecimal digits of a commit.
const MIN_COMMIT_DIGITS: usize = 7;

/// Maximum number of commits that are searched for an abbreviated one.
const MAX_SEARCHED_COMMITS: usize = 500_000;

/// Maximum number of references that are listed.
const MAX_LISTED: usize = 1_000;

/// The folders of references, in order of precedence.
const FOLDERS: &[&str] = &["refs/heads/", "refs/tags/", "refs/remotes/", "refs/remotes/origin/"];

/// The result of a look-up of a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReferenceLookup {
    /// The full name of the reference, or all digits of the commit.
    Found(String),
    /// There is none. The short names of those that there are, sorted.
    Unknown(Vec<String>),
}

/// Looks up a branch, a tag, or a commit that one of them leads to.
pub fn find_reference(checkout: &Checkout, name: &str) -> Result<ReferenceLookup, SourceError> {
    let repository = git::open_with_references(checkout)?.to_thread_local();
    let is_valid = name.len() <= MAX_NAME_BYTES && !name.chars().any(char::is_control);
    let exists = |full: &String| matches!(repository.try_find_reference(full.as_str()), Ok(Some(_)));
    if let Some(found) = FOLDERS.iter().map(|folder| format!("{folder}{name}")).filter(|_| is_valid).find(exists) {
        return Ok(ReferenceLookup::Found(found));
    }
    let is_commit = (MIN_COMMIT_DIGITS..=40).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    let found = if is_commit { find_commit(&repository, &name.to_ascii_lowercase()) } else { None };
    Ok(match found {
        Some(commit) => ReferenceLookup::Found(commit),
        None => ReferenceLookup::Unknown(short_names(&repository)),
    })
}

/// Resolves a full name of [`find_reference`] to its commit.
pub(crate) fn resolve(repository: &gix::Repository, full_name: &str) -> Option<CommitId> {
    let id = match ObjectId::from_hex(full_name.as_bytes()) {
        Ok(id) => id,
        Err(_) => repository.try_find_reference(full_name).ok()??.follow_to_object().ok()?.detach(),
    };
    commit_id(peel_to_commit(repository, id)?.id)
}

/// Returns the only reachable commit whose id begins with these digits.
fn find_commit(repository: &gix::Repository, digits: &str) -> Option<String> {
    let tips: Vec<ObjectId> = references(repository).into_iter().map(|(_, id)| id).collect();
    let commits = repository.rev_walk(tips).all().ok()?.filter_map(Result::ok).take(MAX_SEARCHED_COMMITS);
    let mut found = commits.map(|commit| commit.id.to_string()).filter(|id| id.starts_with(digits));
    let first = found.next()?;
    let is_unique = digits.len() == 40 || found.next().is_none();
    is_unique.then_some(first)
}

/// Returns the branches and tags, each with its commit.
fn references(repository: &gix::Repository) -> Vec<(String, ObjectId)> {
    let Ok(platform) = repository.references() else { return Vec::new() };
    let Ok(all) = platform.all() else { return Vec::new() };
    let commit = |mut reference: gix::Reference<'_>| {
        let name = reference.name().as_bstr().to_str().ok()?.to_owned();
        let is_listed = FOLDERS.iter().any(|folder| name.starts_with(folder));
        let id = reference.follow_to_object().ok().filter(|_| is_listed)?.detach();
        Some((name, peel_to_commit(repository, id)?.id))
    };
    all.filter_map(Result::ok).filter_map(commit).collect()
}

fn short_names(repository: &gix::Repository) -> Vec<String> {
    let short = |(name, _): (String, ObjectId)| {
        let folder = FOLDERS.iter().find(|folder| name.starts_with(*folder))?;
        Some(name[folder.len()..].to_owned()).filter(|short| short != "origin/HEAD")
    };
    let mut names: Vec<String> = references(repository).into_iter().filter_map(short).collect();
    names.sort_unstable();
    names.dedup();
    names.truncate(MAX_LISTED);
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CheckoutView, testing::Sandbox};

    #[test]
    fn branches_tags_and_reachable_commits_are_found() {
        let sandbox = Sandbox::new();
        sandbox.repository("app", &[("a.rs", "one")]);
        sandbox.run("app", "git tag v1.2");
        sandbox.run("app", "git checkout -q -b feature/login");
        sandbox.write("app/a.rs", "two");
        sandbox.commit("app");
        let login = sandbox.run("app", "git rev-parse HEAD");
        sandbox.write("app/a.rs", "three");
        sandbox.commit("app");
        let lost = sandbox.run("app", "git rev-parse HEAD");
        sandbox.run("app", "git reset -q --hard HEAD~1");
        sandbox.run("app", "git checkout -q main");
        let checkout = sandbox.checkout("app");
        for (name, expected) in [
            ("main", Some("refs/heads/main")),
            ("feature/login", Some("refs/heads/feature/login")),
            ("v1.2", Some("refs/tags/v1.2")),
            (&login[..8], Some(login.as_str())),
            (&login.to_uppercase(), Some(login.as_str())),
            (&login[..6], None),
            (&lost, None),
            ("feature", None),
            ("../HEAD", None),
            ("a\nb", None),
            ("", None),
        ] {
            let found = find_reference(&checkout, name).unwrap();
            let unknown = ReferenceLookup::Unknown(["feature/login", "main", "v1.2"].map(str::to_owned).into());
            let expected = expected.map_or(unknown, |full| ReferenceLookup::Found(full.to_owned()));
            assert_eq!(found, expected, "{name}");
        }
        for (full, content) in [("refs/tags/v1.2", "one"), ("refs/heads/feature/login", "two"), (login.as_str(), "two")]
        {
            let view = CheckoutView::Reference(full.into());
            let checkout = Checkout { view, ..checkout.clone() };
            let head = crate::resolve(&checkout).unwrap();
            let tree = crate::list(&checkout, &head).unwrap();
            let reader = crate::BlobSource::open(&checkout).unwrap().reader();
            assert_eq!(reader.read(&tree.files[0]).unwrap(), content.as_bytes(), "{full}");
        }
    }

    #[test]
    fn the_signature_of_a_view_changes_with_its_reference_alone() {
        let sandbox = Sandbox::new();
        sandbox.repository("app", &[("a.rs", "one")]);
        sandbox.run("app", "git branch topic");
        let view = CheckoutView::Reference("refs/heads/topic".into());
        let checkout = Checkout { view, ..sandbox.checkout("app") };
        let before = crate::head_signature(&checkout);
        sandbox.run("app", "git commit -q --allow-empty -m two");
        assert_eq!(crate::head_signature(&checkout), before);
        sandbox.run("app", "git branch -f topic main");
        assert_ne!(crate::head_signature(&checkout), before);
    }
}
