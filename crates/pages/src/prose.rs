//! Extracts prose from doc comments and READMEs.

mod markup;
mod readme_sections;

use markup::strip_markup;
use readme_sections::{ReadmeSections, first_word, name_by_links};

/// The introduction of a README.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Introduction {
    /// Its title: the first heading. Empty if there is none, if prose precedes it, or if it is not a title.
    pub heading: String,
    /// Its paragraph about the purpose of the project, or else its first paragraph of prose; empty if there is none.
    pub paragraph: String,
    /// True if the paragraph neither defines the project, as `Kit is a ...` does, nor introduces it: it may be about anything.
    pub is_candidate: bool,
}

/// Minimum number of words of a paragraph. A shorter one is a slogan, a badge or a menu.
const MIN_WORDS: usize = 5;

/// Maximum number of lines examined. A README states its purpose at the beginning.
const MAX_LINES_READ: usize = 200;

/// Returns the first sentence of a doc comment, on one line and without markup.
pub fn first_sentence(doc: &str) -> String {
    let paragraph = first_paragraph(doc);
    let sentence = text::sentences(&paragraph).next().unwrap_or_default();
    let n_words = sentence.split(' ').count();
    if n_words < MIN_SENTENCE_WORDS { String::new() } else { sentence.to_owned() }
}

/// Minimum number of words of a sentence. A shorter one is a heading, or a mark for tools.
const MIN_SENTENCE_WORDS: usize = 3;

/// Returns the first paragraph of a doc comment that is prose, on one line and without markup.
pub fn first_paragraph(doc: &str) -> String {
    let mut text = String::new();
    for line in doc.lines().map(str::trim) {
        let is_end = line.is_empty() || starts_tag(line) || line.starts_with("```") || is_underline(line);
        if is_end && !text.is_empty() {
            break;
        }
        // Skips headings and their underlines before the prose.
        if is_end || line.starts_with('#') {
            continue;
        }
        let item = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "));
        if item.is_some() && !text.is_empty() {
            break;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(item.unwrap_or(line));
    }
    strip_markup(&text)
}

/// Returns true if a line starts the part of a doc comment that tools read: `@param`, `:param x:`, `Args:`.
fn starts_tag(line: &str) -> bool {
    let is_field = line.starts_with(':') && line[1..].split_once(':').is_some_and(|(name, _)| !name.contains('`'));
    let is_block = line.starts_with(".. ") || line.starts_with("<pre") || line.starts_with("$ ");
    line.starts_with('@') || line.starts_with("\\param") || is_field || is_block || GOOGLE_SECTIONS.contains(&line)
}

const GOOGLE_SECTIONS: [&str; 6] = ["Args:", "Returns:", "Raises:", "Yields:", "Example:", "Examples:"];

/// Returns true if a line underlines a heading.
fn is_underline(line: &str) -> bool {
    line.len() >= 3 && line.bytes().all(|byte| byte == line.as_bytes()[0] && byte.is_ascii_punctuation())
}

/// Returns the introduction of a README in Markdown or reStructuredText.
pub fn introduction(readme: &str) -> Introduction {
    let mut sections = ReadmeSections::default();
    let mut block: Vec<&str> = Vec::new();
    let mut skipped_blocks = SkippedBlocks::default();
    let lines = readme.lines().take(MAX_LINES_READ).chain([""]);
    for (row, line) in lines.enumerate() {
        let line = line.trim_end();
        if skipped_blocks.is_skipped(row, line) {
            continue;
        }
        let trimmed = line.trim_start();
        if is_underline(trimmed) && block.len() == 1 {
            sections.begin_section(block[0], level_of_underline(trimmed));
            block.clear();
        } else if let Some(heading) = atx_heading(trimmed) {
            sections.begin_section(heading, trimmed.len() - trimmed.trim_start_matches(['#', '=']).len());
            block.clear();
        } else if is_html_heading(trimmed) {
            block.clear();
        } else if trimmed.is_empty() {
            let paragraph = without_link_underscores(&strip_markup(&block.join(" ")));
            if is_prose_paragraph(&block, &paragraph) {
                sections.add(paragraph);
            }
            block.clear();
        } else if !is_underline(trimmed) {
            block.push(trimmed);
        }
    }
    let heading = sections.title.clone().unwrap_or_default();
    let name = if heading.is_empty() { name_by_links(readme) } else { first_word(&heading) };
    let (paragraph, is_candidate) =
        sections.purpose(&name).map_or_else(Default::default, |purpose| (purpose.text, purpose.is_candidate));
    Introduction { heading, paragraph, is_candidate }
}

/// Returns true if a whole line is an HTML heading.
fn is_html_heading(line: &str) -> bool {
    let level = line.strip_prefix("<h").and_then(|rest| rest.chars().next()).filter(|level| matches!(level, '1'..='6'));
    level.is_some_and(|level| line.ends_with(&format!("</h{level}>")))
}

fn level_of_underline(line: &str) -> usize {
    if line.starts_with('=') { 1 } else { 2 }
}

/// Tracks blocks that are skipped as a whole.
#[derive(Default)]
struct SkippedBlocks {
    is_in_fence: bool,
    is_in_front_matter: bool,
    is_in_comment: bool,
    is_in_directive: bool,
}

impl SkippedBlocks {
    fn is_skipped(&mut self, row: usize, line: &str) -> bool {
        let trimmed = line.trim_start();
        if (row == 0 || self.is_in_front_matter) && matches!(trimmed, "---" | "+++") {
            self.is_in_front_matter = !self.is_in_front_matter;
            return true;
        }
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            self.is_in_fence = !self.is_in_fence;
            return true;
        }
        if trimmed.starts_with("<!--") || self.is_in_comment {
            self.is_in_comment = !trimmed.contains("-->");
            return true;
        }
        let is_indented = line.len() > trimmed.len();
        if trimmed.starts_with(".. ") || self.is_in_directive && (is_indented || trimmed.is_empty()) {
            self.is_in_directive = true;
            return true;
        }
        self.is_in_directive = false;
        self.is_in_fence || self.is_in_front_matter
    }
}

/// Removes the underscores that mark links in reStructuredText: `WSGI_`.
fn without_link_underscores(text: &str) -> String {
    let word = |word: &str| {
        let bare = word.trim_end_matches(|c: char| c.is_ascii_punctuation() && c != '_');
        let name = bare.trim_end_matches('_');
        let is_link = !name.is_empty() && name.len() < bare.len() && !name.contains('_');
        if is_link { format!("{name}{}", &word[bare.len()..]) } else { word.to_owned() }
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// Returns the text of a heading in Markdown, or in AsciiDoc without its images.
fn atx_heading(line: &str) -> Option<&str> {
    let mark = line.chars().next().filter(|mark| matches!(mark, '#' | '='))?;
    let title = line.trim_start_matches(mark);
    let level = line.len() - title.len();
    let is_heading = (1..=6).contains(&level) && title.starts_with([' ', '\t']);
    let visible = if mark == '=' { title.split(" image:").next().unwrap_or_default() } else { title };
    is_heading.then(|| visible.trim().trim_end_matches(mark).trim())
}

/// Returns true if a block is a paragraph of prose, not badges, a menu, a list, a table or a licence notice.
fn is_prose_paragraph(block: &[&str], paragraph: &str) -> bool {
    let Some(first) = block.first() else { return false };
    let is_list = matches!(first.as_bytes()[0], b'|' | b'>' | b'+' | b':') || is_list_item(first);
    let n_words = paragraph.split(' ').filter(|word| word.chars().any(char::is_alphabetic)).count();
    // A menu consists of links with few words between them.
    let n_links = block.iter().map(|line| n_links(line)).sum::<usize>();
    let is_menu = n_links >= 2 && n_words < n_links * 4;
    let lower = paragraph.to_lowercase();
    let is_license = ["licensed under", "copyright", "license:"].iter().any(|mark| lower.contains(mark));
    !is_list && !is_menu && !is_license && n_words >= MIN_WORDS
}

/// Returns the number of links of a line, without badges.
fn n_links(line: &str) -> usize {
    let count = |mark: &str| line.matches(mark).count();
    (count("](") + count("href=")).saturating_sub(count("![") + count("[!["))
}

fn is_list_item(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    ["- ", "* ", ". ", ") "].iter().any(|mark| rest.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_sentences_are_extracted() {
        for (doc, expected) in [
            ("Runs the application. It never returns.", "Runs the application."),
            ("Takes names, e.g. `a`, in order. More.", "Takes names, e.g. a, in order."),
            ("Version 1.2 of it\nwith more. Then", "Version 1.2 of it with more."),
            ("No full stop\n\nSecond", "No full stop"),
            ("The Fowler–Noll–Vo hash, vs. others. Fast.", "The Fowler–Noll–Vo hash, vs. others."),
            (":param x: what it is", ""),
            ("Returns the sum.\n@param x what", "Returns the sum."),
            ("One plain title\n=====\n\nWhat it is.", "One plain title"),
            ("- One item of several\n- another", "One item of several"),
            ("Memory management", ""),
            (
                "<p>Uses {@link Gson#fromJson(String)} and :class:`~flask.Flask`.",
                "Uses Gson.fromJson(String) and flask.Flask.",
            ),
            ("", ""),
        ] {
            assert_eq!(first_sentence(doc), expected, "{doc}");
        }
    }

    #[test]
    fn candidates_are_told_from_introductions() {
        for (readme, expected) in [
            ("# Kit\n\nKit is a box of five tools.\n", false),
            ("# Kit\n\nFast tools for those in a hurry.\n", false),
            ("# Kit\n\n## Kit 2\n\nKit is a box of five tools.\n", false),
            ("# Kit\n\n## Usage\n\nFeel free to make a request for it.\n", true),
            ("# Kit\n\nMany makers use these tools today:\n\n- A\n", true),
            ("", false),
        ] {
            assert_eq!(introduction(readme).is_candidate, expected, "{readme}");
        }
    }

    #[test]
    fn introductions_of_readmes_are_extracted() {
        for (readme, heading, paragraph) in [
            (
                "<div align=\"center\"><img src=\"x.png\"></div>\n\n# Flask\n\nFlask is a lightweight [WSGI] web [framework](x).\n",
                "Flask",
                "Flask is a lightweight WSGI web framework.",
            ),
            (
                "ripgrep (rg)\n------------\nripgrep is a *line-oriented* search tool that searches.\nFast.\n\nMore.",
                "ripgrep (rg)",
                "ripgrep is a line-oriented search tool that searches. Fast.",
            ),
            (
                "# Gin\n\n[![Build](https://a/b.svg)](https://a/b) [![x](y)](z)\n\nGin is a web framework written in Go.\n",
                "Gin",
                "Gin is a web framework written in Go.",
            ),
            (
                ".. image:: x.png\n   :alt: a b c d e f g\n\nBlack\n=====\n\nAny color_ you like, `in five`_ words of snake_case_.\n",
                "Black",
                "Any color you like, in five words of snake_case_.",
            ),
            (
                "# a\n\n- one two three four five six\n\n| a | b c d e f g |\n\n```\ncode code code code code\n```\n",
                "a",
                "",
            ),
            ("[Docs](x) • [Guide](y) • [Help me](z)\n\n> Note that this is old and gone now\n", "", ""),
            (
                "---\ntitle: this is front matter of six words\n---\n# T\n\nThis says what it is for.\n",
                "T",
                "This says what it is for.",
            ),
            (
                "# log\n\nVery fast, header-only C++ logging. [![a](b)](c)&nbsp; [![d](e)](f) [![g](h)](i)\n",
                "log",
                "Very fast, header-only C++ logging.",
            ),
            ("[![a](b)](c) [![d](e)](f) and [this](is) a [menu](of) some [links](x)\n", "", ""),
            (
                "<div>\n\n<h1>kit</h1>\n<p>\nKit is a box of five tools.\n</p>\n</div>\n",
                "",
                "Kit is a box of five tools.",
            ),
            (
                "OkHttp\n======\n\nSee the [website][okhttp] for documentation and APIs.\n\nHTTP is the way modern \
                 applications network.\n\nOkHttp is an HTTP client that’s efficient by default:\n\n * fast\n",
                "OkHttp",
                "OkHttp is an HTTP client that’s efficient by default:",
            ),
            (
                ":Version: 5.2\n:Web: https://x.org\n\nDonations\n=========\n\nThis project relies on your generous \
                 donations.\n\nWhat's a Task Queue?\n====================\n\nTask queues distribute work across \
                 threads.\n\nWhat do I need?\n===============\n\nCelery is a project with minimal funding.\n\n\
                 https://github.com/celery/celery\n",
                "",
                "Task queues distribute work across threads.",
            ),
            (
                "This README is just a fast *quick start* document.\n\nWhat is Redis?\n---\n\nRedis is often referred \
                 to as a server.\n",
                "",
                "Redis is often referred to as a server.",
            ),
            (
                "# etcd\n\n**Note**: The main branch may break.\n\netcd is a *distributed* store, being:\n\n* fast\n",
                "etcd",
                "etcd is a distributed store, being:",
            ),
            (
                "<h1>\n<b>Prometheus</b>\n</h1>\n\n<p>Visit <a href=\"x\">x.io</a> for the full documentation.</p>\n\n\
                 Prometheus, a project of many, is a monitoring system.\n",
                "",
                "Prometheus, a project of many, is a monitoring system.",
            ),
            (
                "- [Design goals](#design-goals)\n\n## Design goals\n\nThere are myriads of libraries out there.\n\n## \
                 Integration\n\nThe file is all that you have to copy.\n",
                "Design goals",
                "",
            ),
            (
                "# Kit\n\nFast tools for those in a hurry.\n\n## Overview\n\nThe `kit` is a box of five tools.\n",
                "Kit",
                "The kit is a box of five tools.",
            ),
            (
                "# Kit\n\n## Sponsors\n\n### Gold\n\nKit is the work of our sponsors.\n\n## Usage\n\nRun it in any \
                 folder you like.\n",
                "Kit",
                "Run it in any folder you like.",
            ),
            (
                "# Kit Tools\n\n## Kit 2.1 is here!\n\nThis release brings many new tools.\n\n---\n\nKit is a box of tools.\n",
                "Kit Tools",
                "Kit is a box of tools.",
            ),
            (
                "# Kit\n\nTools for all who are here.\n\n## Needs\n\nKit is a project with few needs.\n",
                "Kit",
                "Tools for all who are here.",
            ),
            (
                "= Kit image:https://a/b.svg[\"Build\", link=\"https://a\"]\n\n:docs: https://kit.example\n\nKit helps you to make boxes.\n\n== Installing\n\nRun the installer of the kit first.\n",
                "Kit",
                "Kit helps you to make boxes.",
            ),
            (
                "# Kit\n\n<table><tbody valign=top>\n<tr><th>Browsers</th></tr>\n</tbody></table>\n\nTools for vectors `Vec<T>` of all sizes.\n",
                "Kit",
                "Tools for vectors Vec<T> of all sizes.",
            ),
            (
                "# Documentation\n\nThis folder holds the following guides:\n\n- one\n",
                "",
                "This folder holds the following guides:",
            ),
            ("", "", ""),
        ] {
            let found = introduction(readme);
            assert_eq!((found.heading.as_str(), found.paragraph.as_str()), (heading, paragraph), "{readme}");
        }
    }
}
