//! Whether what is written for people holds: command lines and configurations of the READMEs, and of `deploy/`.

use clap::Parser as _;
use gateway::{Config, Settings, WorkerSource};

use crate::cli::Cli;

mod deployed;

const README: &str = include_str!("../../../README.md");
const DEPLOY_README: &str = include_str!("../../../deploy/README.md");
const EXAMPLE_CONFIG: &str = include_str!("../../../deploy/gateway.example.toml");
const EXAMPLE_WORKER_CONFIG: &str = include_str!("../../../deploy/worker.example.toml");
const UNITS: [&str; 2] =
    [include_str!("../../../deploy/causeway-worker.service"), include_str!("../../../deploy/causeway-gateway.service")];

/// Returns the lines of all blocks of code in a language, none for those that name none.
fn code<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let mut within = None;
    let mut code = Vec::new();
    for line in text.lines() {
        match (within, line.strip_prefix("```")) {
            (None, Some(begins)) => within = Some(begins),
            (Some(_), Some(_)) => within = None,
            (Some(found), None) if found == language => code.push(line),
            _ => {}
        }
    }
    code
}

/// Returns the words of a line as a shell would: quotes hold them together, and a comment ends them.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for letter in line.chars() {
        match quote {
            Some(mark) if letter == mark => quote = None,
            None if matches!(letter, '\'' | '"') => quote = Some(letter),
            None if letter == ' ' => words.push(String::new()),
            _ => words.last_mut().expect("it begins with one").push(letter),
        }
    }
    words.retain(|word| !word.is_empty());
    words.into_iter().take_while(|word| word != "#").collect()
}

fn check_typed(line: &str) {
    if let Err(error) = Cli::try_parse_from(words(line)) {
        panic!("`{line}` cannot be typed: {error}");
    }
}

#[test]
fn commands_of_the_readmes_can_be_typed() {
    let lines = [code(README, ""), code(DEPLOY_README, "")].concat();
    let is_ours = |line: &&str| line.trim_start_matches("$ ").starts_with("causeway ");
    let ours: Vec<&str> = lines.into_iter().filter(is_ours).collect();
    assert!(ours.len() >= 6, "{ours:#?}");
    ours.iter().for_each(|line| check_typed(line.trim_start_matches("$ ")));
}

#[test]
fn units_start_what_there_is() {
    for unit in UNITS {
        let line = unit.lines().find_map(|line| line.strip_prefix("ExecStart=/usr/local/bin/")).unwrap();
        check_typed(line);
    }
}

#[tokio::test]
async fn configurations_are_valid() {
    for text in [code(README, "toml").join("\n").as_str(), EXAMPLE_CONFIG] {
        let settings = Settings::from_toml(text).unwrap();
        assert!(!settings.workers.is_empty());
        for uri in &settings.workers {
            WorkerSource::parse(uri, None).unwrap();
        }
        Config::try_from(settings).unwrap();
    }
    worker::Settings::from_toml(EXAMPLE_WORKER_CONFIG).unwrap();
    // What is a comment holds as well.
    let is_key =
        |line: &&str| line.starts_with('[') || line.split_once(" = ").is_some_and(|(key, _)| !key.contains(' '));
    let commented = EXAMPLE_WORKER_CONFIG.lines().skip_while(|line| !line.contains("[repositories]"));
    let keys: Vec<&str> = commented.filter_map(|line| line.strip_prefix("# ")).filter(is_key).collect();
    for text in [keys.join("\n"), code(README, "toml worker").join("\n")] {
        let settings = worker::Settings::from_toml(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(settings.repositories.is_used() && settings.placement.replicas == 2);
    }
    let sharing = worker::Settings::from_toml(&code(README, "toml sharing").join("\n")).unwrap();
    assert!(sharing.generations.is_some());
    for line in code(README, "ini") {
        worker::Settings::from_toml(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    }
}

#[test]
fn access_is_configured_as_it_is_written() {
    let callers = Settings::from_toml(&code(README, "toml access").join("\n")).unwrap();
    Config::try_from(callers).unwrap();
    let dialling = Settings::from_toml(&code(README, "toml gateway").join("\n")).unwrap();
    assert!(dialling.worker_tls.is_some());
    let worker = worker::Settings::from_toml(&code(README, "toml trust").join("\n")).unwrap();
    assert!(worker.tls.is_some() && worker.grant_key_file.is_some());
}

#[test]
fn models_that_answer_are_configured_as_it_is_written() {
    let lines = code(README, "toml answers").join("\n");
    let commented = EXAMPLE_CONFIG.lines().skip_while(|line| !line.contains("[answers.provider]"));
    let of_example: Vec<&str> = commented.take_while(|line| line.starts_with('#')).collect();
    let is_setting =
        |line: &&str| line.starts_with('[') || line.split_once(" = ").is_some_and(|(key, _)| !key.contains(' '));
    let of_example: Vec<&str> =
        of_example.iter().filter_map(|line| line.strip_prefix("# ")).filter(is_setting).collect();
    let table = "[answers.provider]";
    let tables: Vec<String> = lines.split(table).skip(1).map(|keys| format!("{table}{keys}")).collect();
    assert_eq!((tables.len(), of_example.len()), (2, 10));
    for text in tables.into_iter().chain([of_example.join("\n")]) {
        let settings = Settings::from_toml(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(settings.answers.provider.is_some(), "{text}");
    }
}
