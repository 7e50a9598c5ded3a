//! Comparison of a required version with that of the indexed package.
//!
//! Each ecosystem has its own notation. A notation that is not understood is shown as it is written, and never judged.

use std::str::FromStr as _;

use serde::{Deserialize, Serialize};

/// The relation of a requirement to the version of the indexed package.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum VersionFit {
    /// The requirement admits the version.
    Admits,
    /// The requirement ends before the version, and the number with this place differs first.
    Behind(VersionPlace),
    /// The requirement begins after the version.
    Ahead,
    /// A notation is not understood, or a version is not known.
    Unknown,
}

/// A number of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum VersionPlace {
    /// The first number.
    Major,
    /// The second number.
    Minor,
    /// The third number, or a later part.
    Patch,
}

impl VersionPlace {
    /// Returns the name that users read.
    pub fn name(self) -> &'static str {
        match self {
            VersionPlace::Major => "major",
            VersionPlace::Minor => "minor",
            VersionPlace::Patch => "patch",
        }
    }
}

/// The first three numbers of a version.
type VersionNumbers = [u64; 3];

/// Compares the requirement of a package, such as `npm:kit`, with the version of the indexed package.
pub fn version_fit(package: &str, required: &str, indexed: &str) -> VersionFit {
    let (required, indexed) = (required.trim(), indexed.trim());
    if required.is_empty() || indexed.is_empty() {
        return VersionFit::Unknown;
    }
    let judged = match package.split_once(':').map(|(ecosystem, _)| ecosystem) {
        Some("npm") => npm(required, indexed),
        Some("cargo") => cargo(required, indexed),
        Some("pypi") => pypi(required, indexed),
        // The required version is the one that is built, unless another module requires a newer one.
        Some("go" | "maven") => exact(required, indexed),
        _ => None,
    };
    judged.unwrap_or(VersionFit::Unknown)
}

fn cargo(required: &str, indexed: &str) -> Option<VersionFit> {
    fit_of_ranges(&[semver::VersionReq::parse(required).ok()?], &semver::Version::parse(indexed).ok()?)
}

fn npm(required: &str, indexed: &str) -> Option<VersionFit> {
    let ranges: Option<Vec<semver::VersionReq>> = required.split("||").map(npm_range).collect();
    fit_of_ranges(&ranges?, &semver::Version::parse(indexed).ok()?)
}

/// Returns a range of npm in the notation of Cargo. There, comparators have commas between them, and a version alone admits later
/// ones. Ranges with a hyphen, tags and addresses are not understood.
fn npm_range(range: &str) -> Option<semver::VersionReq> {
    const OPERATORS: [char; 5] = ['<', '>', '=', '~', '^'];
    let mut comparators: Vec<String> = Vec::new();
    for word in range.split_whitespace() {
        match comparators.last_mut().filter(|last| last.ends_with(OPERATORS)) {
            // A space may follow an operator.
            Some(operator) => operator.push_str(word.trim_start_matches('v')),
            None => comparators.push(word.trim_start_matches('v').to_owned()),
        }
    }
    let translated: Vec<String> = comparators.iter().map(|comparator| npm_comparator(comparator)).collect();
    let range = if translated.is_empty() { "*".to_owned() } else { translated.join(", ") };
    semver::VersionReq::parse(&range).ok()
}

fn npm_comparator(comparator: &str) -> String {
    let is_bare = comparator.starts_with(|c: char| c.is_ascii_digit());
    let is_whole = comparator.split(['-', '+']).next().is_some_and(|numbers| {
        numbers.split('.').count() == 3 && numbers.split('.').all(|number| number.parse::<u64>().is_ok())
    });
    match (is_bare, is_whole) {
        (true, true) => format!("={comparator}"),
        // `1` and `1.2` mean any version that begins so.
        (true, false) if !comparator.contains(['x', 'X', '*']) => format!("{comparator}.*"),
        _ => comparator.to_owned(),
    }
}

fn fit_of_ranges(ranges: &[semver::VersionReq], indexed: &semver::Version) -> Option<VersionFit> {
    // A development version counts as the release that it leads to.
    let released = semver::Version::new(indexed.major, indexed.minor, indexed.patch);
    if ranges.iter().any(|range| range.matches(indexed) || range.matches(&released)) {
        return Some(VersionFit::Admits);
    }
    let numbers = |one: &semver::Comparator| {
        let numbers = [one.major, one.minor.unwrap_or(0), one.patch.unwrap_or(0)];
        if one.op == semver::Op::Less { below(numbers) } else { numbers }
    };
    let newest = ranges.iter().flat_map(|range| &range.comparators).map(numbers).max()?;
    difference(newest, [released.major, released.minor, released.patch])
}

fn pypi(required: &str, indexed: &str) -> Option<VersionFit> {
    // Poetry writes ranges as Cargo does.
    if required.starts_with(['^', '~']) && !required.starts_with("~=") {
        return cargo(required, indexed);
    }
    let specifiers = pep440_rs::VersionSpecifiers::from_str(required).ok()?;
    let indexed = pep440_rs::Version::from_str(indexed).ok()?;
    let numbers = |version: &pep440_rs::Version| -> VersionNumbers {
        let release = version.release();
        std::array::from_fn(|place| release.get(place).copied().unwrap_or(0))
    };
    let released = pep440_rs::Version::new(indexed.release().iter().copied());
    if specifiers.contains(&indexed) || specifiers.contains(&released) {
        return Some(VersionFit::Admits);
    }
    let excludes = |one: &&pep440_rs::VersionSpecifier| *one.operator() != pep440_rs::Operator::NotEqual;
    let newest = specifiers.iter().filter(excludes).map(|one| match one.operator() {
        pep440_rs::Operator::LessThan => below(numbers(one.version())),
        _ => numbers(one.version()),
    });
    let newest = newest.max()?;
    difference(newest, numbers(&indexed))
}

/// Compares two versions of which the first is required exactly. Both may begin with `v`, and have one to three numbers.
fn exact(required: &str, indexed: &str) -> Option<VersionFit> {
    let (required, indexed) = (numbers_of(required)?, numbers_of(indexed)?);
    if required == indexed { Some(VersionFit::Admits) } else { difference(required, indexed) }
}

fn numbers_of(version: &str) -> Option<VersionNumbers> {
    let version = version.strip_prefix('v').unwrap_or(version);
    let release = version.split(['-', '+']).next().unwrap_or(version);
    let parts: Vec<u64> = release.split('.').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    (parts.len() <= 3).then(|| std::array::from_fn(|place| parts.get(place).copied().unwrap_or(0)))
}

/// Returns the newest version below one.
fn below([major, minor, patch]: VersionNumbers) -> VersionNumbers {
    match (minor, patch) {
        (0, 0) => [major.saturating_sub(1), u64::MAX, u64::MAX],
        (minor, 0) => [major, minor - 1, u64::MAX],
        (minor, patch) => [major, minor, patch - 1],
    }
}

/// Compares the newest version that a requirement names with the indexed one, which it does not admit.
fn difference(required: VersionNumbers, indexed: VersionNumbers) -> Option<VersionFit> {
    use VersionPlace::{Major, Minor, Patch};
    if required > indexed {
        return Some(VersionFit::Ahead);
    }
    let places = [Major, Minor, Patch].into_iter().zip(required.iter().zip(&indexed));
    let first = places.filter(|(_, (required, indexed))| required != indexed).map(|(place, _)| place).next();
    // A development version differs only after its numbers.
    Some(VersionFit::Behind(first.unwrap_or(Patch)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_are_compared_in_the_notation_of_their_ecosystem() {
        use VersionFit::{Admits, Ahead, Behind, Unknown};
        use VersionPlace::{Major, Minor, Patch};
        for (package, required, indexed, expected) in [
            ("npm:kit", "^1.2.0", "1.9.0", Admits),
            ("npm:kit", "^1.2.0", "2.0.1", Behind(Major)),
            ("npm:kit", "1.2.0", "1.2.1", Behind(Patch)),
            ("npm:kit", "1.2", "1.2.9", Admits),
            ("npm:kit", "1.x", "2.0.0", Behind(Major)),
            ("npm:kit", "~1.2.0", "1.3.0", Behind(Minor)),
            ("npm:kit", ">= 1.0 < 3", "2.5.0", Admits),
            ("npm:kit", "^1.0.0 || ^2.0.0", "2.5.0", Admits),
            ("npm:kit", "^3.0.0", "2.5.0", Ahead),
            ("npm:kit", "*", "0.0.1", Admits),
            ("npm:kit", "v1.0.0", "1.0.0", Admits),
            ("npm:kit", "^2.0.0", "2.0.0-beta.1", Admits),
            ("npm:kit", "1.0.0 - 2.0.0", "1.5.0", Unknown),
            ("npm:kit", "workspace:*", "1.5.0", Unknown),
            ("npm:kit", "latest", "1.5.0", Unknown),
            ("npm:kit", "github:acme/kit", "1.5.0", Unknown),
            ("npm:kit", "^1.0.0", "", Unknown),
            ("cargo:kit", "1.2", "1.9.0", Admits),
            ("cargo:kit", "0.1", "0.3.0", Behind(Minor)),
            ("cargo:kit", "git tag v1", "0.3.0", Unknown),
            ("go:kit", "v1.2.0", "v1.2.0", Admits),
            ("go:kit", "v0.0.0-20240101000000-abcdef123456", "v1.0.0", Behind(Major)),
            ("go:kit", "v1.2.0 => ../kit", "v1.2.0", Unknown),
            ("maven:a:kit", "1.2", "1.2.1-SNAPSHOT", Behind(Patch)),
            ("maven:a:kit", "[1,2)", "1.2", Unknown),
            ("maven:a:kit", "${kit.version}", "1.2", Unknown),
            ("pypi:kit", ">=1,<2", "1.4", Admits),
            ("pypi:kit", ">=1,<2", "2.1", Behind(Major)),
            ("npm:kit", ">=1.0.0 <1.3.0", "1.4.0", Behind(Minor)),
            ("pypi:kit", "==1.0.*", "3.0", Behind(Major)),
            ("pypi:kit", "~=1.4", "1.9.dev1", Admits),
            ("pypi:kit", "^1.4", "2.0.0", Behind(Major)),
            ("pypi:kit", "@ https://x.org/kit.zip", "2.0.0", Unknown),
            ("composer:a/kit", "^1", "1.0.0", Unknown),
        ] {
            assert_eq!(version_fit(package, required, indexed), expected, "{package} {required} {indexed}");
        }
    }
}
