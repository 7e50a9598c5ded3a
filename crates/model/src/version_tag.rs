//! Names of tags that mark the release of a version.

/// The name of a tag, as its text before the version and the version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VersionTag<'a> {
    /// The text before the version, such as `kit/`, `@acme/kit@` or `release-`; empty for `v1.2.3`.
    pub prefix: &'a str,
    /// The version without `v`, such as `1.2.3`.
    pub version: &'a str,
    /// The first three numbers of the version; missing ones are 0.
    pub numbers: [u64; 3],
}

impl<'a> VersionTag<'a> {
    /// Parses the name of a tag. A name without a version of at least two numbers at its end is none, and neither is one of a
    /// pre-release.
    pub fn parse(name: &'a str) -> Option<VersionTag<'a>> {
        let start = name.rfind(|c: char| !c.is_ascii_digit() && c != '.').map_or(0, |at| at + char_length(name, at));
        let version = &name[start..];
        let mut numbers = [0; 3];
        let mut n_numbers = 0;
        for part in version.split('.') {
            let number: u64 = part.parse().ok()?;
            if let Some(place) = numbers.get_mut(n_numbers) {
                *place = number;
            }
            n_numbers += 1;
        }
        let prefix = &name[..start];
        let prefix = match prefix.strip_suffix(['v', 'V']) {
            Some(before) if !before.ends_with(char::is_alphanumeric) => before,
            _ => prefix,
        };
        let is_release = (2..=4).contains(&n_numbers) && !prefix.ends_with(char::is_alphanumeric);
        is_release.then_some(VersionTag { prefix, version, numbers })
    }
}

fn char_length(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(0, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_at_the_end_of_a_name() {
        for (name, expected) in [
            ("v1.2.3", Some(("", "1.2.3", [1, 2, 3]))),
            ("1.2", Some(("", "1.2", [1, 2, 0]))),
            ("tools/kit/v0.4.1", Some(("tools/kit/", "0.4.1", [0, 4, 1]))),
            ("@acme/kit@2.0.1", Some(("@acme/kit@", "2.0.1", [2, 0, 1]))),
            ("kit-v1.2.3.4", Some(("kit-", "1.2.3.4", [1, 2, 3]))),
            ("rel/kit-3.12.0", Some(("rel/kit-", "3.12.0", [3, 12, 0]))),
            ("v1.2.3-rc.1", None),
            ("kit-1.0-rc1.2", None),
            ("rev1.2", None),
            ("v1", None),
            ("1..2", None),
            ("nightly-2024", None),
            ("", None),
            ("é1.2", None),
            ("v99999999999999999999.1", None),
        ] {
            let found = VersionTag::parse(name).map(|tag| (tag.prefix, tag.version, tag.numbers));
            assert_eq!(found, expected, "{name}");
        }
    }
}
