//! The paths by which code of other repositories includes a header.

use crate::paths::folder;

/// Folders of headers that a build installs, or adds to the search path of its users.
const PUBLIC_FOLDERS: [&str; 3] = ["include", "single_include", "inc"];

/// Folders at the root of a repository that are on the search path of its own build.
const SOURCE_FOLDERS: [&str; 4] = ["src", "source", "sources", "lib"];

/// Folders with code of other repositories.
const FOREIGN_FOLDERS: [&str; 12] = [
    "3rdparty",
    "bundled",
    "contrib",
    "deps",
    "extern",
    "external",
    "externals",
    "subprojects",
    "submodules",
    "third_party",
    "thirdparty",
    "vendor",
];

/// Names of headers that many repositories have or generate, so that an include without a folder does not tell which one it means.
const GENERAL_NAMES: [&str; 48] = [
    "api",
    "array",
    "atomic",
    "base",
    "buffer",
    "common",
    "compat",
    "compiler",
    "config",
    "constants",
    "core",
    "debug",
    "defines",
    "defs",
    "endian",
    "error",
    "errors",
    "export",
    "file",
    "global",
    "globals",
    "hash",
    "helpers",
    "internal",
    "io",
    "list",
    "log",
    "logging",
    "macros",
    "main",
    "memory",
    "options",
    "parser",
    "pch",
    "platform",
    "private",
    "queue",
    "resource",
    "settings",
    "stdafx",
    "string",
    "test",
    "thread",
    "time",
    "types",
    "util",
    "utils",
    "version",
];

/// Returns the path by which code of other repositories includes the header at a path of a repository; `None` if the file is no header
/// of its own that an include can mean.
///
/// It is the path below a folder of public headers. Without one, it is that below the root of the sources.
pub fn included_path(path: &str) -> Option<&str> {
    if !is_header(path) {
        return None;
    }
    let (above, included) = match below_public_folder(path) {
        Some(split) => split,
        None => {
            let first = path.split_once('/').filter(|(first, _)| SOURCE_FOLDERS.contains(first));
            first.unwrap_or(("", path))
        }
    };
    let is_foreign = |part: &str| FOREIGN_FOLDERS.contains(&part.to_ascii_lowercase().as_str());
    let is_named = included.contains('/') || !is_general(included);
    (is_named && !above.split('/').chain(folder(included).split('/')).any(is_foreign)).then_some(included)
}

/// Returns the folder that many builds install a header without a folder into: that of its own name.
pub fn own_folder(included: &str) -> Option<&str> {
    if included.contains('/') { None } else { included.rsplit_once('.').map(|(stem, _)| stem) }
}

/// Returns true if an include without a folder names a header that many repositories have.
pub fn is_general(included: &str) -> bool {
    let stem = own_folder(included).unwrap_or_default().to_ascii_lowercase();
    GENERAL_NAMES.contains(&stem.as_str())
}

/// Splits a path at its first folder of public headers.
fn below_public_folder(path: &str) -> Option<(&str, &str)> {
    let mut start = 0;
    for part in path.split('/') {
        let end = start + part.len();
        if end < path.len() && PUBLIC_FOLDERS.contains(&part) {
            return Some((&path[..start], &path[end + 1..]));
        }
        start = end + 1;
    }
    None
}

fn is_header(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, extension)| extension.starts_with(['h', 'H']) && extension.len() <= 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_included_below_public_folders_and_roots() {
        for (path, expected) in [
            ("include/kit/pool.h", Some("kit/pool.h")),
            ("libs/kit/include/kit/pool.hpp", Some("kit/pool.hpp")),
            ("c/inc/enc.h", Some("enc.h")),
            ("kit.h", Some("kit.h")),
            ("src/kit.h", Some("kit.h")),
            ("src/google/kit/message.h", Some("google/kit/message.h")),
            ("re2/re2.h", Some("re2/re2.h")),
            ("kit/sub/pool.hh", Some("kit/sub/pool.hh")),
            ("kit.c", None),
            ("include", None),
            ("config.h", None),
            ("src/Util.h", None),
            ("include/version.h", None),
            ("kit/version.h", Some("kit/version.h")),
            ("third_party/kit/include/kit/pool.h", None),
            ("include/log/bundled/core.h", None),
            ("deps/kit.h", None),
        ] {
            assert_eq!(included_path(path), expected, "{path}");
        }
        assert_eq!((own_folder("cJSON.h"), own_folder("kit/pool.h")), (Some("cJSON"), None));
    }
}
