//! The roots of earlier discoveries with what was found below them, so that a root that is lost before the start is recognised.

use std::{
    collections::BTreeMap,
    ops::Bound,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf, absolute},
    sync::Arc,
};

use serde::{Deserialize, Serialize};

use super::{LastDiscovery, RealRoot, layout::CheckoutLayout};
use crate::{CheckoutKind, UnreadReason, folder::to_path, path_text};

/// Maximum number of roots that are remembered though they are not configured any more.
const MAX_OTHER_ROOTS: usize = 256;

/// The roots of earlier discoveries, also of earlier processes: those of the last one come first. The caller stores them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KnownRoots(Vec<KnownRoot>);

/// A root when it was searched last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct KnownRoot {
    /// The absolute path by which it is configured.
    root: String,
    /// Its canonical path.
    path: String,
    inode: u64,
    /// By path: the kind of each checkout that was found at or below its canonical path.
    checkouts: BTreeMap<String, CheckoutKind>,
}

impl KnownRoots {
    /// Returns true if no root is known.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if a discovery lists what was found at or below a root that cannot be searched now. A root that is missing and
    /// was a repository or a plain folder itself is gone with it.
    pub fn keeps(&self, root: &Path, is_missing: bool) -> bool {
        let is_gone = |known: &KnownRoot| is_missing && known.checkouts.contains_key(&known.path);
        self.get(root).is_some_and(|known| !known.checkouts.is_empty() && !is_gone(known))
    }

    /// Returns what is known of configured roots, as the result of a discovery that has read none of their repositories yet.
    pub(super) fn to_last_discovery(&self, configured: &[PathBuf]) -> LastDiscovery {
        let mut roots = BTreeMap::new();
        let mut layouts = BTreeMap::new();
        for root in configured {
            let Some(known) = self.get(root) else { continue };
            roots.insert(root.clone(), RealRoot { path: to_path(&known.path), device: None, inode: known.inode });
            let unread = |kind| CheckoutLayout::Unread(kind, UnreadReason::Reading);
            layouts.extend(known.checkouts.iter().map(|(path, kind)| (to_path(path), unread(*kind))));
        }
        LastDiscovery { roots, layouts: Arc::new(layouts) }
    }

    /// Returns the roots of a discovery, and then those of earlier ones that are not configured any more.
    pub(super) fn of_discovery(configured: &[PathBuf], last: &LastDiscovery, earlier: &KnownRoots) -> KnownRoots {
        let names: Vec<Option<String>> = configured.iter().map(|root| name_of(root)).collect();
        let mut roots: Vec<KnownRoot> = configured
            .iter()
            .zip(&names)
            .filter_map(|(root, name)| Some(KnownRoot::new(name.clone()?, last.roots.get(root)?, &last.layouts)))
            .collect();
        roots.sort_by(|a, b| a.root.cmp(&b.root));
        roots.dedup_by(|a, b| a.root == b.root);
        let is_other = |known: &&KnownRoot| !names.iter().flatten().any(|name| *name == known.root);
        roots.extend(earlier.0.iter().filter(is_other).take(MAX_OTHER_ROOTS).cloned());
        KnownRoots(roots)
    }

    fn get(&self, root: &Path) -> Option<&KnownRoot> {
        let name = name_of(root)?;
        self.0.iter().find(|known| known.root == name)
    }
}

impl KnownRoot {
    fn new(root: String, real: &RealRoot, layouts: &BTreeMap<PathBuf, CheckoutLayout>) -> KnownRoot {
        // Paths below a folder follow it in the order of paths.
        let from_root = layouts.range::<Path, _>((Bound::Included(real.path.as_path()), Bound::Unbounded));
        let checkouts = from_root
            .take_while(|(path, _)| path.starts_with(&real.path))
            .map(|(path, layout)| (text_of(path), layout.kind()))
            .collect();
        KnownRoot { root, path: text_of(&real.path), inode: real.inode, checkouts }
    }
}

/// Returns the text of the absolute path of a root; `None` if the current folder is gone.
fn name_of(root: &Path) -> Option<String> {
    let path = absolute(root).ok()?;
    // Without a slash at the end.
    Some(text_of(&path.components().collect::<PathBuf>()))
}

fn text_of(path: &Path) -> String {
    path_text::to_text(path.as_os_str().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(root: &str, checkouts: &[&str]) -> KnownRoot {
        let checkouts = checkouts.iter().map(|path| ((*path).to_owned(), CheckoutKind::WorkTree)).collect();
        KnownRoot { root: root.to_owned(), path: format!("/real{root}"), inode: 7, checkouts }
    }

    #[test]
    fn a_lost_root_is_kept_for_what_was_found_below_it() {
        for (checkouts, if_missing, if_unreadable) in [
            (&[][..], false, false),
            (&["/real/org"], false, true),
            (&["/real/org/app"], true, true),
            (&["/real/org", "/real/org/app"], false, true),
        ] {
            let roots = KnownRoots(vec![known("/org", checkouts)]);
            let keeps = |root: &str| [true, false].map(|is_missing| roots.keeps(Path::new(root), is_missing));
            assert_eq!(keeps("/org/"), [if_missing, if_unreadable], "{checkouts:?}");
            assert_eq!(keeps("/other"), [false, false], "{checkouts:?}");
        }
    }

    #[test]
    fn roots_that_are_not_configured_any_more_are_remembered_up_to_a_limit() {
        let roots = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        let many = (0..MAX_OTHER_ROOTS + 5).map(|nth| known(&format!("/old{nth}"), &["/x"]));
        let earlier = KnownRoots([known("/a", &["/x"]), known("/b", &["/x"])].into_iter().chain(many).collect());
        let real = RealRoot { path: PathBuf::from("/a"), device: Some(1), inode: 2 };
        let layouts =
            [("/a/app", CheckoutKind::WorkTree), ("/a/notes", CheckoutKind::Folder), ("/ab", CheckoutKind::Bare)]
                .map(|(path, kind)| (PathBuf::from(path), CheckoutLayout::Unread(kind, UnreadReason::Reading)));
        let last = LastDiscovery {
            roots: BTreeMap::from([(PathBuf::from("/a"), real)]),
            layouts: Arc::new(BTreeMap::from(layouts)),
        };
        // One of the configured roots was not found, and is not remembered.
        let found = KnownRoots::of_discovery(&roots(&["/a", "/old0"]), &last, &earlier);
        let names: Vec<&str> = found.0.iter().map(|known| known.root.as_str()).collect();
        assert_eq!((&names[..3], names.len()), (&["/a", "/b", "/old1"][..], 1 + MAX_OTHER_ROOTS));
        let below: Vec<&str> = found.0[0].checkouts.keys().map(String::as_str).collect();
        assert_eq!((below.as_slice(), found.0[0].inode), (&["/a/app", "/a/notes"][..], 2));
    }
}
