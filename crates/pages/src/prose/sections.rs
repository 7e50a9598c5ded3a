//! Which paragraph of a README says what the project is for.

use std::collections::BTreeMap;

use super::plain;

/// The headings and paragraphs of a README, as far as it is read.
#[derive(Default)]
pub(super) struct Reading {
    /// The first heading; empty if that is no title, nothing as long as there is none.
    pub(super) title: Option<String>,
    paragraphs: Vec<Paragraph>,
    section: Section,
    n_sections: usize,
    /// Of the heading that the section began with.
    level: usize,
}

struct Paragraph {
    text: String,
    section: Section,
    nth_section: usize,
}

/// What a section is about, by its heading.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Section {
    /// What the project is.
    #[default]
    Introduction,
    /// How to get it, who pays for it and the like.
    Apart,
    Other,
}

impl Reading {
    /// Takes note of a heading. Sections within one that stands apart do so as well.
    pub(super) fn begin_section(&mut self, heading: &str, level: usize) {
        let heading = plain(heading);
        let is_first = self.title.is_none() && self.paragraphs.is_empty();
        let section = section_of(&heading, is_first);
        let is_within = self.section == Section::Apart && level > self.level;
        if self.title.is_none() && !heading.is_empty() {
            let is_title = is_first && section != Section::Apart;
            self.title = Some(if is_title { heading } else { String::new() });
        }
        if !is_within {
            (self.section, self.level) = (section, level);
            self.n_sections += 1;
        }
    }

    pub(super) fn add(&mut self, text: String) {
        self.paragraphs.push(Paragraph { text, section: self.section, nth_section: self.n_sections });
    }

    /// Returns the paragraph that says what the project of this name is, or else the first that could. Sections about
    /// something else are not read, but for the first of them where no other has prose.
    pub(super) fn purpose(&self, name: &str) -> Option<String> {
        let of = |section: Section| self.paragraphs.iter().filter(move |one| one.section == section);
        let introduced = || of(Section::Introduction);
        let first_other = of(Section::Other).next().filter(|_| introduced().next().is_none());
        let others =
            of(Section::Other).filter(|one| first_other.is_some_and(|first| first.nth_section == one.nth_section));
        let opening = self.paragraphs.first().filter(|one| one.nth_section <= 1 && !points_elsewhere(&one.text));
        let named = introduced().find(|one| says_what_it_is(&one.text, name));
        let found = named.or_else(|| introduced().chain(others).find(|one| is_purpose(&one.text))).or(opening);
        found.map(|one| one.text.clone())
    }
}

/// Returns what a section is about. The first heading is the title, whatever words it has.
fn section_of(heading: &str, is_first: bool) -> Section {
    let lower = heading.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let begins_with = |phrases: &[&str]| {
        phrases
            .iter()
            .any(|phrase| lower.strip_prefix(phrase).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric)))
    };
    let is_apart = match words.as_slice() {
        [word] => APART.contains(word),
        words => !is_first && words.iter().any(|word| APART.contains(word)) || begins_with(&APART_PHRASES),
    };
    if is_apart {
        Section::Apart
    } else if is_first || begins_with(&INTRODUCING) {
        Section::Introduction
    } else {
        Section::Other
    }
}

/// Words of headings of what says nothing of the project itself.
const APART: [&str; 34] = [
    "acknowledgements",
    "authors",
    "backers",
    "badges",
    "changelog",
    "community",
    "contact",
    "contents",
    "contributing",
    "contribution",
    "contributors",
    "docs",
    "documentation",
    "donate",
    "donation",
    "donations",
    "download",
    "enterprise",
    "install",
    "installation",
    "installing",
    "issues",
    "licence",
    "license",
    "maintainers",
    "questions",
    "requirements",
    "security",
    "sponsor",
    "sponsoring",
    "sponsors",
    "sponsorship",
    "support",
    "thanks",
];

const APART_PHRASES: [&str; 4] = ["getting started", "get started", "quick start", "stay in touch"];

/// What headings begin with below which a project says what it is.
const INTRODUCING: [&str; 10] = [
    "about",
    "background",
    "description",
    "introduction",
    "motivation",
    "overview",
    "purpose",
    "summary",
    "what is",
    "what's",
];

/// Says whether a paragraph begins with a name and goes on to say what that is.
fn says_what_it_is(paragraph: &str, name: &str) -> bool {
    let sentence = text::sentences(paragraph).next().unwrap_or_default();
    !name.is_empty()
        && first_word(sentence) == name
        && [" is a ", " is an ", " is the ", " is both a "].iter().any(|words| sentence.contains(words))
}

/// Says whether a paragraph may tell what a project is for. A sentence that a list follows seldom does.
fn is_purpose(paragraph: &str) -> bool {
    let begins_list = paragraph.ends_with(':') && text::sentences(paragraph).nth(1).is_none();
    !begins_list && !points_elsewhere(paragraph)
}

/// Says whether a paragraph tells where to read on or what to mind.
fn points_elsewhere(paragraph: &str) -> bool {
    let lower = paragraph.to_lowercase();
    let begins_with =
        |opening: &&str| lower.strip_prefix(*opening).is_some_and(|rest| rest.starts_with([' ', ':', ',', '!']));
    OPENINGS.iter().any(begins_with)
}

/// How paragraphs begin that are about the README, its readers or others.
const OPENINGS: [&str; 16] = [
    "check out",
    "for more",
    "for questions",
    "important",
    "learn more",
    "note",
    "please",
    "read more",
    "read our",
    "read the",
    "see",
    "thank you",
    "there are",
    "this readme",
    "visit",
    "warning",
];

/// Returns the first word that is no article, in small letters and without punctuation.
pub(super) fn first_word(text: &str) -> String {
    let mut words = text.split_whitespace().map(without_punctuation).filter(|word| !word.is_empty());
    words.find(|word| !matches!(word.as_str(), "a" | "an" | "the")).unwrap_or_default()
}

fn without_punctuation(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns the name of the repository that a README links to most, as badges do, in the form of `first_word`.
pub(super) fn name_by_links(readme: &str) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for address in readme.split("://").skip(1) {
        let mut parts = address.split('/');
        let is_host = parts.next().is_some_and(|host| matches!(host, "github.com" | "gitlab.com"));
        let Some(part) = parts.nth(1).filter(|_| is_host) else { continue };
        let end = part.find(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_' | '.')).unwrap_or(part.len());
        let name = without_punctuation(part[..end].trim_end_matches(".git"));
        *counts.entry(name).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map_or_else(String::new, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_tell_what_sections_are_about() {
        for (heading, is_first, expected) in [
            ("Kit", true, Section::Introduction),
            ("Support Desk", true, Section::Introduction),
            ("Donations", true, Section::Apart),
            ("Installation and usage", false, Section::Apart),
            ("Table of Contents", false, Section::Apart),
            ("Getting Started", false, Section::Apart),
            ("For enterprise", false, Section::Apart),
            ("Supported platforms", false, Section::Other),
            ("What's a Task Queue?", false, Section::Introduction),
            ("Aboutness", false, Section::Other),
            ("What do I need?", false, Section::Other),
        ] {
            assert_eq!(section_of(heading, is_first), expected, "{heading}");
        }
    }

    #[test]
    fn purposes_are_told_by_how_they_begin() {
        for (paragraph, name, says, may_say) in [
            ("Kit is a box of tools.", "kit", true, true),
            ("The Kit framework is the box. More.", "kit", true, true),
            ("{kit} is both a box and a bag.", "kit", true, true),
            ("Kit is written in Go. It is a box.", "kit", false, true),
            ("Please is a build system.", "please", true, false),
            ("It is a box of tools.", "", false, true),
            ("See the website for more.", "kit", false, false),
            ("Seeing is believing, they say.", "kit", false, true),
            ("Note: this is old.", "kit", false, false),
            ("Notes of those who were there.", "kit", false, true),
            ("Read and write sheets in place.", "kit", false, true),
            ("Other things did not matter as much:", "kit", false, false),
            ("A box for those who travel. It is:", "kit", false, true),
        ] {
            assert_eq!((says_what_it_is(paragraph, name), is_purpose(paragraph)), (says, may_say), "{paragraph}");
        }
    }

    #[test]
    fn links_tell_the_name_of_the_project() {
        for (readme, expected) in [
            (
                "[a](https://github.com/cli/cli) https://github.com/a/Kit-Box.git https://github.com/a/kit-box)",
                "kitbox",
            ),
            ("https://example.org/a/b https://github.com/", ""),
            ("", ""),
        ] {
            assert_eq!(name_by_links(readme), expected, "{readme}");
        }
    }
}
