//! Follows chains of objects: tags to their commit, and commits along their first parents.
//!
//! Nobody checks the content of an object against its id. So an object may lead to itself, and a chain that is followed to its end has
//! none.

use gix::{ObjectId, objs::Kind};

/// Maximum number of tags that lead to each other. Git warns of the second one.
const MAX_TAGS: usize = 16;

/// Returns the commit with an id, or the one that the tag with this id leads to.
pub(crate) fn peel_to_commit(repository: &gix::Repository, id: ObjectId) -> Option<gix::Commit<'_>> {
    let mut id = id;
    for _ in 0..=MAX_TAGS {
        let object = repository.find_object(id).ok()?;
        match object.kind {
            Kind::Commit => return object.try_into_commit().ok(),
            Kind::Tag => id = object.try_into_tag().ok()?.target_id().ok()?.detach(),
            Kind::Tree | Kind::Blob => return None,
        }
    }
    None
}

/// Returns the last available commit along first parents, and whether it has no parent. Commits that lead to themselves have one.
pub(crate) fn oldest_first_parent(repository: &gix::Repository, head: ObjectId) -> Option<(ObjectId, bool)> {
    let mut oldest = peel_to_commit(repository, head)?.id;
    // A commit of the chain, which is met again in a circle. It moves on after one step, two, four and so on.
    let (mut earlier, mut n_steps) = (oldest, 0_u64);
    loop {
        let parent = repository.find_commit(oldest).ok().map(|commit| commit.parent_ids().next().map(gix::Id::detach));
        match parent {
            Some(Some(parent)) if parent == earlier => return Some((oldest, false)),
            Some(Some(parent)) if repository.has_object(parent) => oldest = parent,
            parent => return Some((oldest, parent == Some(None))),
        }
        n_steps += 1;
        if n_steps.is_power_of_two() {
            earlier = oldest;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{git, testing::Sandbox};

    fn id_of(sandbox: &Sandbox, name: &str) -> String {
        sandbox.run("app", &format!("git rev-parse {name}"))
    }

    #[test]
    fn commits_that_lead_to_themselves_have_no_first_one() {
        for (n_commits, forged) in [(2, "HEAD~1"), (4, "HEAD~1"), (9, "HEAD~8"), (9, "HEAD~3")] {
            let sandbox = Sandbox::new();
            sandbox.repository("app", &[("a.rs", "")]);
            (1..n_commits).for_each(|nth| {
                sandbox.run("app", &format!("git commit -q --allow-empty -m {nth}"));
            });
            let repository = git::open_with_references(&sandbox.checkout("app")).unwrap().to_thread_local();
            let head = ObjectId::from_hex(id_of(&sandbox, "HEAD").as_bytes()).unwrap();
            let (root, has_no_parent) = oldest_first_parent(&repository, head).unwrap();
            let expected = id_of(&sandbox, &format!("HEAD~{}", n_commits - 1));
            assert_eq!((root.to_string(), has_no_parent), (expected, true));
            sandbox.forge("app", forged, "HEAD");
            let (_, has_no_parent) = oldest_first_parent(&repository, head).unwrap();
            assert!(!has_no_parent, "{n_commits} {forged}");
        }
    }

    #[test]
    fn tags_that_lead_to_themselves_have_no_commit() {
        let sandbox = Sandbox::new();
        sandbox.repository("app", &[("a.rs", "")]);
        sandbox.run("app", "git tag -a -m first v1");
        sandbox.run("app", "git tag -a -m second v2 v1");
        let repository = git::open_with_references(&sandbox.checkout("app")).unwrap().to_thread_local();
        let commit_of = |name: &str| {
            let id = ObjectId::from_hex(id_of(&sandbox, name).as_bytes()).unwrap();
            peel_to_commit(&repository, id).map(|commit| commit.id.to_string())
        };
        let head = id_of(&sandbox, "HEAD");
        assert_eq!(["HEAD", "v1", "v2"].map(commit_of), [(); 3].map(|()| Some(head.clone())));
        assert_eq!(commit_of("HEAD:a.rs"), None);
        sandbox.forge("app", "v1", "v2");
        assert_eq!(["v1", "v2"].map(commit_of), [None, None]);
    }
}
