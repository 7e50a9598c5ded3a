//! The tags of released versions that a commit contains, read from the files of git.

use std::{
    collections::{BTreeMap, BTreeSet, BinaryHeap},
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
};

use gix::ObjectId;
use model::VersionTag;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Checkout, CheckoutKind, Head, SourceError, git, git_dirs::GitDirs, object_chains::peel_to_commit};

/// Maximum number of tags that are read. Large projects have some thousands.
const MAX_TAGS: usize = 50_000;

/// Maximum depth of folders of tags. The name of a tag of a Go module has the folder of the module before the version.
const MAX_DEPTH: usize = 8;

/// Maximum size in bytes of the file of a tag.
const MAX_TAG_BYTES: u64 = 8 << 10;

/// Number of commits that are searched in any case, the newest first. A merge of an older release may be nearer than the newest one.
const MIN_COMMITS: usize = 1_000;

/// Maximum number of commits that are searched.
const MAX_COMMITS: usize = 20_000;

/// Maximum number of tags that are returned: each package of a large repository may have its own.
const MAX_FOUND: usize = 500;

/// The tags of released versions of a repository, with the objects that they name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VersionTags(BTreeMap<String, ObjectId>);

/// Reads the tags of released versions. A file that cannot be read has none.
pub fn version_tags(checkout: &Checkout) -> VersionTags {
    if checkout.kind == CheckoutKind::Folder {
        return VersionTags::default();
    }
    let mut tags = packed_tags(&checkout.dirs);
    loose_tags(&checkout.dirs.common_dir.join("refs/tags"), "", 0, &mut tags);
    tags.retain(|name, _| VersionTag::parse(name).is_some());
    VersionTags(tags)
}

impl VersionTags {
    /// Returns the names of the tags on a commit and its ancestors, in order: for each prefix and major version the newest.
    pub fn contained_in(&self, checkout: &Checkout, head: &Head) -> Result<Vec<String>, SourceError> {
        if self.0.is_empty() {
            return Ok(Vec::new());
        }
        let repository = git::open_checkout(checkout)?.to_thread_local();
        let mut by_commit: FxHashMap<ObjectId, Vec<&str>> = FxHashMap::default();
        for (name, id) in &self.0 {
            if let Some(commit) = commit_of(&repository, *id) {
                by_commit.entry(commit).or_default().push(name);
            }
        }
        Ok(newest(contained(&repository, head, &by_commit)))
    }
}

/// Returns the tags on a commit and its ancestors, within the limits of the search.
fn contained<'a>(
    repository: &gix::Repository,
    head: &Head,
    by_commit: &FxHashMap<ObjectId, Vec<&'a str>>,
) -> Vec<VersionTag<'a>> {
    let prefix = |name: &&'a str| VersionTag::parse(name).map(|tag| tag.prefix);
    let mut missing: BTreeSet<&str> = by_commit.values().flatten().filter_map(prefix).collect();
    let tip = ObjectId::from_bytes_or_panic(&head.commit.0);
    let (mut queue, mut seen) = (BinaryHeap::from([(head.committed_at, tip)]), FxHashSet::from_iter([tip]));
    let mut found = Vec::new();
    for n_commits in 0..MAX_COMMITS {
        let Some((_, id)) = queue.pop().filter(|_| n_commits < MIN_COMMITS || !missing.is_empty()) else { break };
        let tags = by_commit.get(&id).into_iter().flatten().filter_map(|name| VersionTag::parse(name));
        for tag in tags {
            missing.remove(tag.prefix);
            found.push(tag);
        }
        let Ok(commit) = repository.find_commit(id) else { continue };
        for parent in commit.parent_ids().map(gix::Id::detach).filter(|parent| seen.insert(*parent)) {
            // The parents of the last commit of a shallow clone are missing.
            let time = repository.find_commit(parent).ok().and_then(|parent| Some(parent.time().ok()?.seconds));
            queue.extend(time.map(|time| (time, parent)));
        }
    }
    found
}

/// Returns the name of the newest tag of each prefix and major version.
fn newest(tags: Vec<VersionTag<'_>>) -> Vec<String> {
    let mut newest: BTreeMap<(&str, u64), VersionTag<'_>> = BTreeMap::new();
    for tag in tags {
        let known = newest.entry((tag.prefix, tag.numbers[0])).or_insert(tag);
        if (tag.numbers, tag.version) > (known.numbers, known.version) {
            *known = tag;
        }
    }
    newest.into_values().take(MAX_FOUND).map(|tag| format!("{}{}", tag.prefix, tag.version)).collect()
}

/// Returns the commit of a tag.
fn commit_of(repository: &gix::Repository, id: ObjectId) -> Option<ObjectId> {
    Some(peel_to_commit(repository, id)?.id)
}

/// Returns the packed tags: the object of each, and of an annotated one the object that it names.
fn packed_tags(dirs: &GitDirs) -> BTreeMap<String, ObjectId> {
    let mut tags: BTreeMap<String, ObjectId> = BTreeMap::new();
    let Ok(packed) = files::open(&dirs.common_dir.join("packed-refs")) else { return tags };
    let mut last: Option<String> = None;
    for line in BufReader::new(packed).split(b'\n').map_while(Result::ok) {
        if tags.len() >= MAX_TAGS {
            break;
        }
        let line = String::from_utf8_lossy(&line);
        if let Some(peeled) = line.strip_prefix('^') {
            let id = ObjectId::from_hex(peeled.trim().as_bytes()).ok();
            if let (Some(name), Some(id)) = (last.take(), id) {
                tags.insert(name, id);
            }
            continue;
        }
        let tag = line.split_once(' ').and_then(|(id, name)| {
            Some((ObjectId::from_hex(id.as_bytes()).ok()?, name.trim().strip_prefix("refs/tags/")?.to_owned()))
        });
        last = tag.as_ref().map(|(_, name)| name.clone());
        tags.extend(tag.map(|(id, name)| (name, id)));
    }
    tags
}

/// Adds the tags in a folder and below. Links are not followed.
fn loose_tags(folder: &Path, prefix: &str, depth: usize, tags: &mut BTreeMap<String, ObjectId>) {
    for entry in fs::read_dir(folder).into_iter().flatten().map_while(Result::ok) {
        if tags.len() >= MAX_TAGS {
            return;
        }
        let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string()) else { continue };
        let name = format!("{prefix}{name}");
        if kind.is_dir() && depth < MAX_DEPTH {
            loose_tags(&entry.path(), &format!("{name}/"), depth + 1, tags);
        } else if kind.is_file() && VersionTag::parse(&name).is_some() {
            let id = files::read_text(&entry.path(), MAX_TAG_BYTES).ok();
            let id = id.and_then(|id| ObjectId::from_hex(id.trim().as_bytes()).ok());
            tags.extend(id.map(|id| (name, id)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        resolve,
        testing::{Sandbox, make_pipe},
    };

    fn check(sandbox: &Sandbox, folder: &str, expected: &[&str]) {
        let checkout = sandbox.checkout(folder);
        assert_eq!(version_tags(&checkout).contained_in(&checkout, &resolve(&checkout).unwrap()).unwrap(), expected);
    }

    #[test]
    fn the_newest_tag_of_each_prefix_and_major_version_is_found() {
        let sandbox = Sandbox::new();
        sandbox.repository("app", &[("a.rs", "")]);
        check(&sandbox, "app", &[]);
        for tags in [&["v1.2.0", "v1.10.0", "wire/v0.3.0"][..], &["v2.0.0", "nightly"], &["v2.0.1-rc.1"]] {
            sandbox.commit("app");
            tags.iter().for_each(|tag| drop(sandbox.run("app", &format!("git tag -a -m release {tag}"))));
        }
        sandbox.run("app", "git checkout -q -b later");
        sandbox.commit("app");
        sandbox.run("app", "git tag v9.0.0");
        sandbox.run("app", "git checkout -q main");
        let expected = ["1.10.0", "2.0.0", "wire/0.3.0"];
        check(&sandbox, "app", &expected);
        sandbox.run("app", "git pack-refs --all");
        sandbox.run("app", "git tag v2.1.0 v2.0.0");
        check(&sandbox, "app", &["1.10.0", "2.1.0", "wire/0.3.0"]);
        sandbox.run("", &format!("git clone -q --depth 1 file://{} shallow", sandbox.path("app").display()));
        check(&sandbox, "shallow", &[]);
    }

    #[test]
    fn hostile_tags_cost_nothing() {
        let sandbox = Sandbox::new();
        sandbox.repository("app", &[("a.rs", "")]);
        make_pipe(&sandbox.path("app/.git/refs/tags/v1.0.0"));
        sandbox.write("app/.git/refs/tags/v1.1.0", "no id");
        sandbox.write("app/.git/refs/tags/v1.2.0", &"0123456789".repeat(4));
        sandbox.write("app/.git/packed-refs", "^x\nx refs/tags/v3.0.0\n\0 \n");
        check(&sandbox, "app", &[]);
    }
}
