//! Tests of configuration blocks in pages, of the example files, and of JSON in pages.

use federation::discovery::WorkerSource;
use gateway::{GatewayConfig, GatewaySettings};
use worker::WorkerSettings;

use super::{markdown::code_blocks, pages::all_pages};

const EXAMPLE_GATEWAY: &str = include_str!("../../../../deploy/gateway.example.toml");
const EXAMPLE_WORKER: &str = include_str!("../../../../deploy/worker.example.toml");

/// Keys of a listing of repositories, and of one entry.
const LISTING_KEYS: [&str; 2] = ["repository", "placement"];
const ENTRY_KEYS: [&str; 4] = ["name", "url", "branch", "depth"];

fn gateway_settings(text: &str) -> GatewaySettings {
    GatewaySettings::from_toml(text).unwrap_or_else(|error| panic!("{text}\n{error}"))
}

fn worker_settings(text: &str) -> WorkerSettings {
    WorkerSettings::from_toml(text).unwrap_or_else(|error| panic!("{text}\n{error}"))
}

fn check_listing(text: &str) {
    let listing: toml::Table = toml::from_str(text).unwrap_or_else(|error| panic!("{text}\n{error}"));
    assert!(listing.keys().all(|key| LISTING_KEYS.contains(&key.as_str())), "{text}");
    for entry in listing["repository"].as_array().expect("repositories are tables") {
        let entry = entry.as_table().expect("a repository is a table");
        assert!(entry.contains_key("name") && entry.contains_key("url"), "{text}");
        assert!(entry.keys().all(|key| ENTRY_KEYS.contains(&key.as_str())), "{text}");
    }
}

/// Returns the text of every block of a kind, over all pages.
fn blocks(info: &str) -> Vec<String> {
    let pages = all_pages();
    let blocks = pages.iter().flat_map(|page| code_blocks(&page.text));
    blocks.filter(|block| block.info == info).map(|block| block.lines.join("\n")).collect()
}

#[test]
fn every_toml_block_names_its_reader() {
    for page in all_pages() {
        for block in code_blocks(&page.text).iter().filter(|block| block.info.starts_with("toml")) {
            let is_known = ["toml gateway", "toml worker", "toml listing"].contains(&block.info);
            assert!(is_known, "{}: `{}`", page.path.display(), block.info);
        }
    }
}

#[tokio::test]
async fn gateway_blocks_are_valid() {
    let texts = blocks("toml gateway");
    let mut settings: Vec<GatewaySettings> = texts.iter().map(|text| gateway_settings(text)).collect();
    settings.push(gateway_settings(EXAMPLE_GATEWAY));
    assert_eq!(settings.iter().filter(|settings| settings.answers.provider.is_some()).count(), 2);
    assert_eq!(settings.iter().filter(|settings| settings.worker_tls.is_some()).count(), 1);
    for uri in settings.iter().flat_map(|settings| &settings.workers) {
        WorkerSource::parse(uri, None).unwrap();
    }
    // The validated form of the others needs the files and variables that they name.
    let is_self_contained = |text: &&str| text.contains("[access") || text.contains("[[access");
    let texts = texts.iter().map(String::as_str).chain([EXAMPLE_GATEWAY]);
    let validated: Vec<GatewayConfig> =
        texts.filter(is_self_contained).map(|text| GatewayConfig::try_from(gateway_settings(text)).unwrap()).collect();
    assert_eq!(validated.len(), 4);
}

#[test]
fn worker_blocks_are_valid() {
    let mut settings: Vec<WorkerSettings> = blocks("toml worker").iter().map(|text| worker_settings(text)).collect();
    settings.push(worker_settings(EXAMPLE_WORKER));
    let count = |is_counted: fn(&WorkerSettings) -> bool| settings.iter().filter(|one| is_counted(one)).count();
    assert_eq!(count(|settings| settings.repositories.is_used() && settings.placement.replicas == 2), 1);
    assert_eq!(count(|settings| settings.generations.is_some()), 2);
    assert_eq!(count(|settings| settings.tls.is_some() && settings.grant_key_file.is_some()), 1);
}

#[test]
fn listing_blocks_are_valid() {
    let texts = blocks("toml listing");
    assert_eq!(texts.len(), 1);
    texts.iter().for_each(|text| check_listing(text));
}

#[test]
fn commented_out_keys_of_the_examples_are_valid() {
    let provider = commented_keys(EXAMPLE_GATEWAY, "[answers.provider]");
    assert_eq!(provider.lines().count(), 10);
    assert!(gateway_settings(&provider).answers.provider.is_some());

    let repositories = commented_keys(EXAMPLE_WORKER, "[repositories]");
    let settings = worker_settings(&repositories);
    assert!(settings.repositories.is_used() && settings.placement.replicas == 2);
}

/// Returns the keys in comments, from the line with `start` to the first line that is no comment or to the end.
fn commented_keys(text: &str, start: &str) -> String {
    let is_key =
        |line: &&str| line.starts_with('[') || line.split_once(" = ").is_some_and(|(key, _)| !key.contains(' '));
    let lines = text.lines().skip_while(|line| !line.contains(start));
    let comments = lines.take_while(|line| line.is_empty() || line.starts_with('#'));
    // A gap within the section of a provider ends it; the sections of a worker belong together.
    let section = comments.take_while(|line| !line.is_empty() || start == "[repositories]");
    section.filter_map(|line| line.strip_prefix("# ")).filter(is_key).collect::<Vec<_>>().join("\n")
}

#[test]
fn json_blocks_are_valid() {
    let texts = blocks("json");
    assert!(texts.len() >= 15, "{}", texts.len());
    for text in texts {
        serde_json::from_str::<serde_json::Value>(&text).unwrap_or_else(|error| panic!("{text}\n{error}"));
    }
}
