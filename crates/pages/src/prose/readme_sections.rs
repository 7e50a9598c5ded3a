//! Selects the paragraph of a README that states the purpose of the project.

use std::collections::BTreeMap;

use super::strip_markup;

/// The headings and paragraphs of a README.
#[derive(Default)]
pub(super) struct ReadmeSections {
    /// The first heading; empty if it is not a title, none before the first heading.
    pub(super) title: Option<String>,
    paragraphs: Vec<Paragraph>,
    section: SectionTopic,
    n_sections: usize,
    /// The level of the current section's heading.
    level: usize,
}

struct Paragraph {
    text: String,
    section: SectionTopic,
    nth_section: usize,
}

/// A paragraph that states the purpose of the project.
pub(super) struct Purpose {
    pub(super) text: String,
    /// True if it neither defines the project, as `Kit is a ...` does, nor introduces it.
    pub(super) is_candidate: bool,
}

/// The topic of a section, by its heading.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum SectionTopic {
    /// The project and its purpose.
    #[default]
    Introduction,
    /// Installation, sponsors and the like.
    Unrelated,
    Other,
}

impl ReadmeSections {
    /// Starts a section. A subsection of an unrelated section is unrelated too.
    pub(super) fn begin_section(&mut self, heading: &str, level: usize) {
        let heading = strip_markup(heading);
        let is_first = self.title.is_none() && self.paragraphs.is_empty();
        let section = section_of(&heading, is_first);
        let is_within = self.section == SectionTopic::Unrelated && level > self.level;
        if self.title.is_none() && !heading.is_empty() {
            let is_title = is_first && section != SectionTopic::Unrelated;
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

    /// Returns the paragraph that states the purpose of the project with this name, or else the first candidate. Unrelated
    /// sections are skipped. The other sections are read only if no introduction has prose: all of them for the name, since
    /// news can precede the purpose, and for a candidate the first.
    pub(super) fn purpose(&self, name: &str) -> Option<Purpose> {
        let of = |section: SectionTopic| self.paragraphs.iter().filter(move |one| one.section == section);
        let introduced = || of(SectionTopic::Introduction);
        let first_other = of(SectionTopic::Other).next().filter(|_| introduced().next().is_none());
        let others =
            of(SectionTopic::Other).filter(|one| first_other.is_some_and(|first| first.nth_section == one.nth_section));
        let opening = self.paragraphs.first().filter(|one| one.nth_section <= 1 && !is_reference_or_note(&one.text));
        let named_others = of(SectionTopic::Other).filter(|_| first_other.is_some());
        let named = introduced().chain(named_others).find(|one| defines_name(&one.text, name));
        let stated = named.or_else(|| introduced().find(|one| can_state_purpose(&one.text)));
        let candidate = || others.into_iter().find(|one| can_state_purpose(&one.text)).or(opening);
        let found = stated.or_else(candidate)?;
        Some(Purpose { text: found.text.clone(), is_candidate: stated.is_none() })
    }
}

/// Returns the topic of a section. The first heading is the title, unless it is an unrelated word.
fn section_of(heading: &str, is_first: bool) -> SectionTopic {
    let lower = heading.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let begins_with = |phrases: &[&str]| {
        phrases
            .iter()
            .any(|phrase| lower.strip_prefix(phrase).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric)))
    };
    let is_unrelated = match words.as_slice() {
        [word] => UNRELATED_WORDS.contains(word),
        words => {
            !is_first && words.iter().any(|word| UNRELATED_WORDS.contains(word)) || begins_with(&UNRELATED_PHRASES)
        }
    };
    if is_unrelated {
        SectionTopic::Unrelated
    } else if is_first || begins_with(&INTRODUCTION_PHRASES) {
        SectionTopic::Introduction
    } else {
        SectionTopic::Other
    }
}

/// Words in headings of sections that are unrelated to the purpose.
const UNRELATED_WORDS: [&str; 36] = [
    "acknowledgements",
    "announcements",
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
    "news",
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

const UNRELATED_PHRASES: [&str; 6] =
    ["getting started", "get started", "quick start", "stay in touch", "what's new", "what is new"];

/// Beginnings of headings of sections that describe the project.
const INTRODUCTION_PHRASES: [&str; 10] = [
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

/// Returns true if a paragraph starts with the name and defines it.
fn defines_name(paragraph: &str, name: &str) -> bool {
    let sentence = text::sentences(paragraph).next().unwrap_or_default();
    !name.is_empty()
        && first_word(sentence) == name
        && [" is a ", " is an ", " is the ", " is both a "].iter().any(|words| sentence.contains(words))
}

/// Returns true if a paragraph may state the purpose. A sentence that introduces a list seldom does.
fn can_state_purpose(paragraph: &str) -> bool {
    let begins_list = paragraph.ends_with(':') && text::sentences(paragraph).nth(1).is_none();
    !begins_list && !is_reference_or_note(paragraph)
}

/// Returns true if a paragraph refers readers to another page, announces news or is a note.
fn is_reference_or_note(paragraph: &str) -> bool {
    let lower = paragraph.to_lowercase().replace('’', "'");
    let begins_with =
        |opening: &&str| lower.strip_prefix(*opening).is_some_and(|rest| rest.starts_with([' ', ':', ',', '!']));
    OPENINGS.iter().any(begins_with)
}

/// Beginnings of paragraphs about the README, its readers or others.
const OPENINGS: [&str; 24] = [
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
    "we are excited",
    "we are happy",
    "we are pleased",
    "we are proud",
    "we're excited",
    "we're happy",
    "we're pleased",
    "we're proud",
];

/// Returns the first word that is not an article, in lower case and without punctuation.
pub(super) fn first_word(text: &str) -> String {
    let mut words = text.split_whitespace().map(without_punctuation).filter(|word| !word.is_empty());
    words.find(|word| !matches!(word.as_str(), "a" | "an" | "the")).unwrap_or_default()
}

fn without_punctuation(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns the name of the repository that a README links to most, as badges do, in the form of [`first_word`].
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
    fn topics_are_derived_from_headings() {
        for (heading, is_first, expected) in [
            ("Kit", true, SectionTopic::Introduction),
            ("Support Desk", true, SectionTopic::Introduction),
            ("Donations", true, SectionTopic::Unrelated),
            ("Installation and usage", false, SectionTopic::Unrelated),
            ("Table of Contents", false, SectionTopic::Unrelated),
            ("Getting Started", false, SectionTopic::Unrelated),
            ("For enterprise", false, SectionTopic::Unrelated),
            ("Supported platforms", false, SectionTopic::Other),
            ("What's a Task Queue?", false, SectionTopic::Introduction),
            ("Aboutness", false, SectionTopic::Other),
            ("What do I need?", false, SectionTopic::Other),
            ("What's new in 2.0", false, SectionTopic::Unrelated),
            ("What's newer", false, SectionTopic::Introduction),
            ("News", false, SectionTopic::Unrelated),
            ("Newsletters", false, SectionTopic::Other),
        ] {
            assert_eq!(section_of(heading, is_first), expected, "{heading}");
        }
    }

    #[test]
    fn purposes_are_recognised_by_their_beginning() {
        for (paragraph, name, says, may_state) in [
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
            ("We’re excited to announce Kit 2.", "kit", false, false),
            ("We are a group of makers.", "kit", false, true),
            ("Read and write sheets in place.", "kit", false, true),
            ("Other things did not matter as much:", "kit", false, false),
            ("A box for those who travel. It is:", "kit", false, true),
        ] {
            assert_eq!((defines_name(paragraph, name), can_state_purpose(paragraph)), (says, may_state), "{paragraph}");
        }
    }

    #[test]
    fn the_name_is_derived_from_links() {
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
