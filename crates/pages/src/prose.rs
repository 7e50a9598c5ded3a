//! Taking sentences out of comments and READMEs.

mod markup;
mod sections;

use markup::plain;
use sections::{Reading, first_word, name_by_links};

/// What a README begins with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Introduction {
    /// Its first heading; empty where there is none, where prose stands before it, and where it is no title.
    pub heading: String,
    /// Its paragraph that says what the project is, or else the first that says something; empty where there is none.
    pub paragraph: String,
}

/// A paragraph of fewer words is a slogan, a badge or a menu.
const MIN_WORDS: usize = 5;

/// A README says what it is about at its beginning, or not at all.
const MAX_LINES_READ: usize = 200;

/// Returns the first sentence of a doc comment, on one line and without markup.
pub fn first_sentence(doc: &str) -> String {
    let paragraph = first_paragraph(doc);
    let sentence = text::sentences(&paragraph).next().unwrap_or_default();
    let n_words = sentence.split(' ').count();
    if n_words < MIN_SENTENCE_WORDS { String::new() } else { sentence.to_owned() }
}

/// A sentence of fewer words is a heading above several definitions, or a mark for programs.
const MIN_SENTENCE_WORDS: usize = 3;

/// Returns the first paragraph of a doc comment that is prose, on one line and without markup.
pub fn first_paragraph(doc: &str) -> String {
    let mut text = String::new();
    for line in doc.lines().map(str::trim) {
        let is_end = line.is_empty() || starts_tag(line) || line.starts_with("```") || is_underline(line);
        if is_end && !text.is_empty() {
            break;
        }
        // Anything but prose before it: a heading's underline, a heading of Markdown.
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
    plain(&text)
}

/// Says whether a line of a comment begins the part for programs that read docs: `@param`, `:param x:`, `Args:`.
fn starts_tag(line: &str) -> bool {
    let is_field = line.starts_with(':') && line[1..].split_once(':').is_some_and(|(name, _)| !name.contains('`'));
    let is_block = line.starts_with(".. ") || line.starts_with("<pre") || line.starts_with("$ ");
    line.starts_with('@') || line.starts_with("\\param") || is_field || is_block || GOOGLE_SECTIONS.contains(&line)
}

const GOOGLE_SECTIONS: [&str; 6] = ["Args:", "Returns:", "Raises:", "Yields:", "Example:", "Examples:"];

/// Says whether a line consists of what headings are underlined with.
fn is_underline(line: &str) -> bool {
    line.len() >= 3 && line.bytes().all(|byte| byte == line.as_bytes()[0] && byte.is_ascii_punctuation())
}

/// Returns what a README begins with, in Markdown or reStructuredText.
pub fn introduction(readme: &str) -> Introduction {
    let mut reading = Reading::default();
    let mut block: Vec<&str> = Vec::new();
    let mut state = Skipping::default();
    let lines = readme.lines().take(MAX_LINES_READ).chain([""]);
    for (row, line) in lines.enumerate() {
        let line = line.trim_end();
        if state.skips(row, line) {
            continue;
        }
        let trimmed = line.trim_start();
        if is_underline(trimmed) && block.len() == 1 {
            reading.begin_section(block[0], level_of_underline(trimmed));
            block.clear();
        } else if let Some(heading) = atx_heading(trimmed) {
            reading.begin_section(heading, trimmed.len() - trimmed.trim_start_matches('#').len());
            block.clear();
        } else if is_html_heading(trimmed) {
            block.clear();
        } else if trimmed.is_empty() {
            let paragraph = without_link_marks(&plain(&block.join(" ")));
            if says_something(&block, &paragraph) {
                reading.add(paragraph);
            }
            block.clear();
        } else if !is_underline(trimmed) {
            block.push(trimmed);
        }
    }
    let heading = reading.title.clone().unwrap_or_default();
    let name = if heading.is_empty() { name_by_links(readme) } else { first_word(&heading) };
    Introduction { paragraph: reading.purpose(&name).unwrap_or_default(), heading }
}

/// Says whether a line is a heading of HTML as a whole.
fn is_html_heading(line: &str) -> bool {
    let level = line.strip_prefix("<h").and_then(|rest| rest.chars().next()).filter(|level| matches!(level, '1'..='6'));
    level.is_some_and(|level| line.ends_with(&format!("</h{level}>")))
}

fn level_of_underline(line: &str) -> usize {
    if line.starts_with('=') { 1 } else { 2 }
}

/// Blocks that are skipped whole.
#[derive(Default)]
struct Skipping {
    in_fence: bool,
    in_front_matter: bool,
    in_comment: bool,
    in_directive: bool,
}

impl Skipping {
    fn skips(&mut self, row: usize, line: &str) -> bool {
        let trimmed = line.trim_start();
        if (row == 0 || self.in_front_matter) && matches!(trimmed, "---" | "+++") {
            self.in_front_matter = !self.in_front_matter;
            return true;
        }
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            self.in_fence = !self.in_fence;
            return true;
        }
        if trimmed.starts_with("<!--") || self.in_comment {
            self.in_comment = !trimmed.contains("-->");
            return true;
        }
        let is_indented = line.len() > trimmed.len();
        if trimmed.starts_with(".. ") || self.in_directive && (is_indented || trimmed.is_empty()) {
            self.in_directive = true;
            return true;
        }
        self.in_directive = false;
        self.in_fence || self.in_front_matter
    }
}

/// Leaves out the underscores by which reStructuredText marks links: `WSGI_`.
fn without_link_marks(text: &str) -> String {
    let word = |word: &str| {
        let bare = word.trim_end_matches(|c: char| c.is_ascii_punctuation() && c != '_');
        let name = bare.trim_end_matches('_');
        let is_link = !name.is_empty() && name.len() < bare.len() && !name.contains('_');
        if is_link { format!("{name}{}", &word[bare.len()..]) } else { word.to_owned() }
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

fn atx_heading(line: &str) -> Option<&str> {
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    ((1..=6).contains(&level) && title.starts_with([' ', '\t'])).then(|| title.trim().trim_end_matches('#').trim())
}

/// Says whether a block is a paragraph of prose, rather than badges, a menu, a list, a table or a notice.
fn says_something(block: &[&str], paragraph: &str) -> bool {
    let Some(first) = block.first() else { return false };
    let is_list = matches!(first.as_bytes()[0], b'|' | b'>' | b'+' | b':') || is_list_item(first);
    let n_words = paragraph.split(' ').filter(|word| word.chars().any(char::is_alphabetic)).count();
    // A line of links to elsewhere: hardly a word of it stands outside of one.
    let n_links = block.iter().map(|line| n_links(line)).sum::<usize>();
    let is_menu = n_links >= 2 && n_words < n_links * 4;
    let lower = paragraph.to_lowercase();
    let is_license = ["licensed under", "copyright", "license:"].iter().any(|mark| lower.contains(mark));
    !is_list && !is_menu && !is_license && n_words >= MIN_WORDS
}

/// Returns how many links to elsewhere a line has, badges not counted: nobody reads those.
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
    fn sentences_end_where_people_end_them() {
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
    fn readmes_say_what_they_are_about() {
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
                "# Documentation\n\nThis folder holds the following guides:\n\n- one\n",
                "",
                "This folder holds the following guides:",
            ),
            ("", "", ""),
        ] {
            let expected = Introduction { heading: heading.to_owned(), paragraph: paragraph.to_owned() };
            assert_eq!(introduction(readme), expected, "{readme}");
        }
    }
}
