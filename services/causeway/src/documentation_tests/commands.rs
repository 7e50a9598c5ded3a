//! Tests of command lines in pages and systemd units.

use std::collections::BTreeSet;

use clap::Parser as _;

use super::{
    markdown::{CodeBlock, code_blocks, code_spans},
    pages::{DocumentationPage, all_pages, page, root},
};
use crate::cli::Cli;

const UNITS: [&str; 2] = [
    include_str!("../../../../deploy/causeway-worker.service"),
    include_str!("../../../../deploy/causeway-gateway.service"),
];

/// Words of a shell that end a command.
const ENDS: [&str; 6] = ["#", "|", "&", "&&", ">", ";"];

/// Panics unless the program accepts the command line.
pub(super) fn check_command_line(line: &str) {
    let words = words(line);
    if let Err(error) = Cli::try_parse_from(&words) {
        panic!("`{line}` is not a valid command line: {error}");
    }
    if let [_, "call", tool, rest @ ..] = words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        let tool_page = root().join(format!("docs/tools/{tool}.md"));
        assert!(tool_page.is_file(), "`{line}`: there is no page of this tool");
        if let Some(arguments) = rest.first().filter(|word| word.starts_with('{')) {
            serde_json::from_str::<serde_json::Value>(arguments).unwrap_or_else(|error| panic!("`{line}`: {error}"));
        }
    }
}

/// Splits a line into words as a shell does, with quotes and comments. Variables before the command are left out.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for letter in line.chars() {
        match quote {
            Some(mark) if letter == mark => quote = None,
            None if matches!(letter, '\'' | '"') => quote = Some(letter),
            None if letter == ' ' => words.push(String::new()),
            _ => words.last_mut().expect("there is at least one word").push(letter),
        }
    }
    words.retain(|word| !word.is_empty());
    let command = words.into_iter().skip_while(|word| word.contains('=') && !word.starts_with('-'));
    command.take_while(|word| !ENDS.contains(&word.as_str())).collect()
}

/// Returns the commands in the shell blocks of a page: the lines of `sh`, and those with a prompt of `console`.
fn shell_lines(text: &str) -> Vec<&str> {
    code_blocks(text).into_iter().flat_map(commands_of_block).collect()
}

fn commands_of_block(block: CodeBlock<'_>) -> Vec<&str> {
    assert!(!block.info.is_empty(), "a code block has no language: {:?}", block.lines);
    let lines = block.lines.into_iter().map(str::trim);
    match block.info {
        "console" => lines.filter_map(|line| line.strip_prefix("$ ")).collect(),
        "sh" => lines.collect(),
        _ => Vec::new(),
    }
}

#[test]
fn command_lines_of_pages_are_valid() {
    let mut n_commands = 0;
    for page in all_pages() {
        for line in shell_lines(&page.text) {
            if words(line).first().is_some_and(|word| word == "causeway") {
                check_command_line(line);
                n_commands += 1;
            }
        }
    }
    assert!(n_commands >= 30, "{n_commands}");
}

#[test]
fn make_targets_of_pages_exist() {
    for page in all_pages() {
        let lines = [shell_lines(&page.text), code_spans(&page.text)].concat();
        lines.into_iter().flat_map(make_targets).for_each(|target| check_make_target(target, &page));
    }
}

#[test]
fn continuous_integration_runs_the_same_make_targets() {
    let targets_of = |path: &str, prefix: &str| -> BTreeSet<String> {
        let page = page(path);
        let lines = page.text.lines().filter_map(|line| line.trim().strip_prefix(prefix));
        let targets: Vec<&str> = lines.flat_map(make_targets).collect();
        targets.iter().for_each(|target| check_make_target(target, &page));
        targets.into_iter().map(str::to_owned).collect()
    };
    let local = targets_of(".ci/run", "");
    let hosted = targets_of(".github/workflows/ci.yaml", "- run: ");
    assert!(local.len() >= 5 && local.is_subset(&hosted), "{local:?} {hosted:?}");
}

/// Returns the targets of a `make` command; none for other commands.
fn make_targets(line: &str) -> Vec<&str> {
    let mut words = line.split_whitespace().skip_while(|word| word.contains('='));
    match words.next() {
        Some("make") => words.take_while(|word| !word.contains(['=', '#', '"', '<'])).collect(),
        _ => Vec::new(),
    }
}

fn check_make_target(target: &str, page: &DocumentationPage) {
    let makefile = include_str!("../../../../Makefile");
    let mut targets = makefile.lines().filter_map(|line| Some(line.split_once(':')?.0));
    assert!(targets.any(|known| known == target), "{}: make {target}", page.path.display());
}

#[test]
fn systemd_units_have_valid_command_lines() {
    for unit in UNITS {
        let line = unit.lines().find_map(|line| line.strip_prefix("ExecStart=/usr/local/bin/")).unwrap();
        check_command_line(line);
    }
}
