//! The version of a package by the tags of its repository.

use model::VersionTag;

/// Prefixes of tags that release all packages of a repository.
const COMMON_PREFIXES: [&str; 6] = ["", "release", "releases", "rel", "version", "ver"];

/// Separators between the name of a package and its version.
const SEPARATORS: [char; 6] = ['-', '_', '/', '@', '.', ':'];

/// Returns false for a version that a manifest gives although releases have another one: none, a place holder, or a computed one.
pub(super) fn is_released(version: &str) -> bool {
    let numbers = version.split(['-', '+']).next().unwrap_or(version);
    let is_zero = !numbers.is_empty() && numbers.chars().all(|c| matches!(c, '0' | '.'));
    !version.is_empty() && !is_zero && !version.contains('$')
}

/// Returns the newest version of a package among tags, given the folder of its manifest: empty or with `/` behind it.
pub(super) fn version(tags: &[String], key: &str, folder: &str) -> Option<String> {
    let (ecosystem, name) = key.split_once(':')?;
    let tags: Vec<VersionTag<'_>> = tags.iter().filter_map(|tag| VersionTag::parse(tag)).collect();
    let newest = |is_meant: &dyn Fn(&VersionTag<'_>) -> bool| {
        tags.iter().filter(|tag| is_meant(tag)).max_by_key(|tag| tag.numbers).map(|tag| tag.version.to_owned())
    };
    if ecosystem == "go" {
        return newest(&|tag| is_of_module(tag, name, folder)).map(|version| format!("v{version}"));
    }
    let folder_name = folder.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let last = name.rsplit(['/', ':']).next().unwrap_or(name);
    let names = [name, last, folder_name, folder.trim_end_matches('/')];
    let is_own = |tag: &VersionTag<'_>| {
        let prefix = tag.prefix.trim_end_matches(SEPARATORS);
        let end = prefix.rsplit('/').next().unwrap_or(prefix);
        !prefix.is_empty()
            && names.iter().any(|name| name.eq_ignore_ascii_case(prefix) || name.eq_ignore_ascii_case(end))
    };
    let is_common = |tag: &VersionTag<'_>| {
        COMMON_PREFIXES.contains(&tag.prefix.trim_end_matches(SEPARATORS).to_ascii_lowercase().as_str())
    };
    let has_one_prefix = tags.windows(2).all(|pair| pair[0].prefix == pair[1].prefix);
    newest(&is_own).or_else(|| newest(&is_common)).or_else(|| newest(&|_| has_one_prefix))
}

/// Returns true if a tag releases a module of Go: its prefix is the folder of the module, and its major version that of the path.
fn is_of_module(tag: &VersionTag<'_>, path: &str, folder: &str) -> bool {
    let suffix = path.rsplit('/').next().and_then(|last| last.strip_prefix('v')).and_then(|major| major.parse().ok());
    let major = suffix.or_else(|| path.rsplit_once(".v").and_then(|(_, major)| major.parse().ok()));
    let is_major = match major {
        Some(major) => tag.numbers[0] == major,
        None => tag.numbers[0] <= 1,
    };
    // A major version may have a folder of its own, which is no part of the tag.
    let parent = suffix.and_then(|major: u64| folder.strip_suffix(&format!("v{major}/")));
    is_major && (tag.prefix == folder || parent == Some(tag.prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_belongs_to_the_package_that_its_prefix_names() {
        for (tags, key, folder, expected) in [
            (&["v1.2.0", "v2.0.1"][..], "npm:kit", "", Some("2.0.1")),
            (&["v1.2.0", "v2.0.1"], "go:example.org/kit", "", Some("v1.2.0")),
            (&["v1.2.0", "v2.0.1"], "go:example.org/kit/v2", "", Some("v2.0.1")),
            (&["v1.2.0", "v2.0.1"], "go:example.org/kit/v2", "v2/", Some("v2.0.1")),
            (&["v1.2.0", "v2.0.1"], "go:gopkg.in/kit.v2", "", Some("v2.0.1")),
            (&["v1.2.0", "wire/v0.3.0"], "go:example.org/kit/wire", "wire/", Some("v0.3.0")),
            (&["v1.2.0"], "go:example.org/kit/wire", "wire/", None),
            (&["@acme/kit@1.2.0", "@acme/ui@3.0.0", "9.0"], "npm:@acme/kit", "packages/kit/", Some("1.2.0")),
            (&["kit-v1.2.0", "ui-v3.0.0"], "cargo:kit", "kit/", Some("1.2.0")),
            (&["kit-v1.2.0", "ui-v3.0.0"], "cargo:wire", "wire/", None),
            (&["release-1.2", "ui-v3.0.0"], "cargo:wire", "wire/", Some("1.2")),
            (&["rel/acme-kit-3.12.0"], "maven:org.acme:acme-kit", "", Some("3.12.0")),
            (&["KIT-3.8", "KIT-3.12"], "maven:org.acme:acme-kit3", "", Some("3.12")),
            (&[], "npm:kit", "", None),
        ] {
            let tags: Vec<String> = tags.iter().map(|tag| (*tag).to_owned()).collect();
            assert_eq!(version(&tags, key, folder).as_deref(), expected, "{tags:?} {key}");
        }
    }

    #[test]
    fn place_holders_are_no_versions() {
        for (version, expected) in [
            ("1.2.0", true),
            ("0.1.0", true),
            ("0.0.0-development", false),
            ("0.0.0", false),
            ("", false),
            ("${revision}", false),
        ] {
            assert_eq!(is_released(version), expected, "{version}");
        }
    }
}
