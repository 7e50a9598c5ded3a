//! Which files of a package are built together: by their names and by the condition they state.

/// Systems that a name of a file can end in.
const SYSTEMS: [&str; 17] = [
    "aix",
    "android",
    "darwin",
    "dragonfly",
    "freebsd",
    "hurd",
    "illumos",
    "ios",
    "js",
    "linux",
    "nacl",
    "netbsd",
    "openbsd",
    "plan9",
    "solaris",
    "wasip1",
    "windows",
];

/// Processors that a name of a file can end in.
const PROCESSORS: [&str; 14] = [
    "386", "amd64", "arm", "arm64", "loong64", "mips", "mips64", "mips64le", "mipsle", "ppc64", "ppc64le", "riscv64",
    "s390x", "wasm",
];

/// How many operators of a condition may lie in each other.
const MAX_NESTING: u32 = 32;

/// Returns what a file is built for, as a text that is equal for files that are built together: its ending and condition.
pub(super) fn target(path: &str, condition: &str) -> String {
    let parts: Vec<&str> = endings(path).collect();
    if parts.is_empty() { condition.to_owned() } else { format!("{} {condition}", parts.join("_")) }
}

/// Says whether a file is part of the plain build for Linux on amd64, without C.
pub(super) fn is_built_by_default(path: &str, condition: &str) -> bool {
    endings(path).all(holds) && (condition.is_empty() || Evaluation::of(condition))
}

/// Returns the system and the processor that a name of a file ends in.
fn endings(path: &str) -> impl Iterator<Item = &str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.strip_suffix(".go").unwrap_or(name);
    let stem = stem.strip_suffix("_test").unwrap_or(stem);
    // What stands before the first `_` is never an ending: `linux.go` is for all systems.
    let mut parts = stem.split_once('_').map_or("", |(_, rest)| rest).rsplit('_');
    let last = parts.next().unwrap_or_default();
    let before = parts.next().unwrap_or_default();
    let is_processor = PROCESSORS.contains(&last);
    let system = match is_processor {
        true => Some(before).filter(|before| SYSTEMS.contains(before)),
        false => Some(last).filter(|last| SYSTEMS.contains(last)),
    };
    system.into_iter().chain(is_processor.then_some(last))
}

/// Says whether a word of a condition holds. Every version of the language is taken to be reached.
fn holds(word: &str) -> bool {
    matches!(word, "linux" | "amd64" | "unix" | "gc") || word.starts_with("go1.")
}

/// A condition while it is read from left to right.
struct Evaluation<'c> {
    rest: &'c str,
    depth: u32,
}

impl Evaluation<'_> {
    fn of(condition: &str) -> bool {
        Evaluation { rest: condition, depth: 0 }.any()
    }

    fn any(&mut self) -> bool {
        let mut value = self.all();
        while self.takes("||") {
            value |= self.all();
        }
        value
    }

    fn all(&mut self) -> bool {
        let mut value = self.one();
        while self.takes("&&") {
            value &= self.one();
        }
        value
    }

    fn one(&mut self) -> bool {
        let mut is_negated = false;
        while self.takes("!") {
            is_negated = !is_negated;
        }
        let value = if self.takes("(") {
            self.depth += 1;
            let value = self.depth < MAX_NESTING && self.any();
            self.depth -= 1;
            self.takes(")");
            value
        } else {
            let rest = self.rest.trim_start();
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '.').unwrap_or(rest.len());
            self.rest = &rest[end..];
            holds(&rest[..end])
        };
        value != is_negated
    }

    fn takes(&mut self, token: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(token);
        if let Some(rest) = rest {
            self.rest = rest;
        }
        rest.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_builds() {
        for (path, condition, expected) in [
            ("a/x.go", "", true),
            ("a/x_linux.go", "", true),
            ("a/x_windows.go", "", false),
            ("a/x_windows_test.go", "", false),
            ("a/x_linux_arm64.go", "", false),
            ("a/x_linux_amd64_test.go", "", true),
            ("a/windows.go", "", true),
            ("a/x_y_386.go", "", false),
            ("x.go", "ignore", false),
            ("x.go", "!windows && (linux || darwin)", true),
            ("x.go", "linux && cgo", false),
            ("x.go", "!(cgo || !go1.18)", true),
            ("x.go", "(((", false),
            ("x_windows.go", "linux", false),
        ] {
            assert_eq!(is_built_by_default(path, condition), expected, "{path} {condition}");
        }
        is_built_by_default("x.go", &"(!".repeat(50_000));
    }
}
