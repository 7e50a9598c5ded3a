//! Build constraints: the files of a package that belong to the same build, by file name suffix and `//go:build` line.

/// Operating systems that a file name suffix can name (`GOOS`).
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

/// Processor architectures that a file name suffix can name (`GOARCH`).
const PROCESSORS: [&str; 14] = [
    "386", "amd64", "arm", "arm64", "loong64", "mips", "mips64", "mips64le", "mipsle", "ppc64", "ppc64le", "riscv64",
    "s390x", "wasm",
];

/// Maximum nesting depth of a constraint expression.
const MAX_NESTING: u32 = 32;

/// Returns the build target of a file as a text: equal texts mean equal file name suffix and constraint.
pub(super) fn target(path: &str, condition: &str) -> String {
    let parts: Vec<&str> = target_suffixes(path).collect();
    if parts.is_empty() { condition.to_owned() } else { format!("{} {condition}", parts.join("_")) }
}

/// Returns true if a file belongs to the default build: Linux on amd64, without cgo.
pub(super) fn is_built_by_default(path: &str, condition: &str) -> bool {
    target_suffixes(path).all(is_satisfied) && (condition.is_empty() || ConstraintEvaluator::of(condition))
}

/// Returns the operating system and architecture suffixes of a file name.
fn target_suffixes(path: &str) -> impl Iterator<Item = &str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.strip_suffix(".go").unwrap_or(name);
    let stem = stem.strip_suffix("_test").unwrap_or(stem);
    // The part before the first `_` is never a suffix: `linux.go` is built for all systems.
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

/// Returns true if a tag is satisfied in the default build. Every language version is assumed to be reached.
fn is_satisfied(word: &str) -> bool {
    matches!(word, "linux" | "amd64" | "unix" | "gc") || word.starts_with("go1.")
}

/// Recursive-descent evaluator of a constraint expression.
struct ConstraintEvaluator<'c> {
    rest: &'c str,
    depth: u32,
}

impl ConstraintEvaluator<'_> {
    fn of(condition: &str) -> bool {
        ConstraintEvaluator { rest: condition, depth: 0 }.evaluate_or()
    }

    fn evaluate_or(&mut self) -> bool {
        let mut value = self.evaluate_and();
        while self.consume("||") {
            value |= self.evaluate_and();
        }
        value
    }

    fn evaluate_and(&mut self) -> bool {
        let mut value = self.evaluate_term();
        while self.consume("&&") {
            value &= self.evaluate_term();
        }
        value
    }

    fn evaluate_term(&mut self) -> bool {
        let mut is_negated = false;
        while self.consume("!") {
            is_negated = !is_negated;
        }
        let value = if self.consume("(") {
            self.depth += 1;
            let value = self.depth < MAX_NESTING && self.evaluate_or();
            self.depth -= 1;
            self.consume(")");
            value
        } else {
            let rest = self.rest.trim_start();
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '.').unwrap_or(rest.len());
            self.rest = &rest[end..];
            is_satisfied(&rest[..end])
        };
        value != is_negated
    }

    fn consume(&mut self, token: &str) -> bool {
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
    fn default_build() {
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
