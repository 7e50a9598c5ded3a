//! The paths by which code of other repositories includes a header.

use crate::paths::folder;

/// Folders of headers that a build installs, or adds to the search path of its users.
const PUBLIC_FOLDERS: [&str; 3] = ["include", "single_include", "inc"];

/// Folders at the root of a repository that are on the search path of its own build.
const SOURCE_FOLDERS: [&str; 4] = ["src", "source", "sources", "lib"];

/// Folders with code of other repositories, in lower case and without `-` and `_`.
const FOREIGN_FOLDERS: [&str; 16] = [
    "3rdparty",
    "bundled",
    "contrib",
    "dependencies",
    "deps",
    "ext",
    "extern",
    "external",
    "externals",
    "nodemodules",
    "pods",
    "subprojects",
    "submodules",
    "thirdparty",
    "vendor",
    "vendored",
];

/// Names of headers and folders that many repositories have or generate: they do not tell which repository is meant.
const GENERAL_NAMES: [&str; 45] = [
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
    "error",
    "errors",
    "export",
    "file",
    "global",
    "globals",
    "hash",
    "helpers",
    "internal",
    "list",
    "log",
    "logging",
    "macros",
    "main",
    "options",
    "parser",
    "pch",
    "platform",
    "private",
    "queue",
    "resource",
    "settings",
    "src",
    "stdafx",
    "test",
    "tests",
    "thread",
    "types",
    "util",
    "utils",
    "version",
];

/// Headers of the standard library of C, of POSIX and of Windows.
const SYSTEM_HEADERS: [&str; 91] = [
    "aio.h",
    "alloca.h",
    "assert.h",
    "byteswap.h",
    "complex.h",
    "conio.h",
    "cpio.h",
    "crtdbg.h",
    "ctype.h",
    "direct.h",
    "dirent.h",
    "dlfcn.h",
    "endian.h",
    "err.h",
    "errno.h",
    "execinfo.h",
    "fcntl.h",
    "features.h",
    "fenv.h",
    "float.h",
    "fmtmsg.h",
    "fnmatch.h",
    "ftw.h",
    "getopt.h",
    "glob.h",
    "grp.h",
    "iconv.h",
    "ifaddrs.h",
    "immintrin.h",
    "intrin.h",
    "inttypes.h",
    "io.h",
    "iso646.h",
    "langinfo.h",
    "libgen.h",
    "limits.h",
    "locale.h",
    "malloc.h",
    "math.h",
    "memory.h",
    "monetary.h",
    "netdb.h",
    "nl_types.h",
    "poll.h",
    "process.h",
    "pthread.h",
    "pwd.h",
    "regex.h",
    "resolv.h",
    "sched.h",
    "search.h",
    "semaphore.h",
    "setjmp.h",
    "signal.h",
    "spawn.h",
    "stdalign.h",
    "stdarg.h",
    "stdatomic.h",
    "stdbit.h",
    "stdbool.h",
    "stdckdint.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "stdnoreturn.h",
    "string.h",
    "strings.h",
    "stropts.h",
    "sysexits.h",
    "syslog.h",
    "tchar.h",
    "termios.h",
    "tgmath.h",
    "threads.h",
    "time.h",
    "tlhelp32.h",
    "uchar.h",
    "ucontext.h",
    "ulimit.h",
    "unistd.h",
    "utime.h",
    "utmpx.h",
    "values.h",
    "wchar.h",
    "wctype.h",
    "windows.h",
    "winsock.h",
    "winsock2.h",
    "wordexp.h",
    "ws2tcpip.h",
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
    let is_foreign = |part: &str| {
        let plain = part.to_ascii_lowercase().replace(['-', '_'], "");
        FOREIGN_FOLDERS.contains(&plain.as_str())
    };
    let is_own = !above.split('/').chain(folder(included).split('/')).any(is_foreign);
    (is_own && is_specific(included)).then_some(included)
}

/// Returns true if a path that code includes tells which header is meant: it is none of a standard library, and many repositories have no
/// header of the name.
pub fn is_specific(included: &str) -> bool {
    // Headers of the standard library of C++ have no extension.
    let Some((stem, _)) = included.rsplit_once('.') else { return false };
    let first = stem.split('/').next().unwrap_or_default().to_ascii_lowercase();
    !SYSTEM_HEADERS.contains(&included) && !GENERAL_NAMES.contains(&first.as_str())
}

/// Returns the folder that many builds install a header without a folder into: that of its own name.
pub fn own_folder(included: &str) -> Option<&str> {
    if included.contains('/') { None } else { included.rsplit_once('.').map(|(stem, _)| stem) }
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
            ("Third-Party/kit/include/kit.h", None),
            ("src/common/kit.h", None),
            ("include/unistd.h", None),
            ("kit/stdio.h", Some("kit/stdio.h")),
        ] {
            assert_eq!(included_path(path), expected, "{path}");
        }
        assert_eq!((own_folder("cJSON.h"), own_folder("kit/pool.h")), (Some("cJSON"), None));
    }
}
