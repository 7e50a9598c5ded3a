//! Set-up and undo of every client in a temporary home folder.

use std::{fs, path::Path};

use super::{
    change,
    client::{CLIENTS, ClientSpec, ConfigFormat},
    entry::{self, ClientTransport, EntryTarget},
    file_edit::FileEdit,
    user_folders::{Platform, UserFolders},
};

const URL: &str = "http://127.0.0.1:7474/mcp";

fn edit(client: &ClientSpec, transport: &ClientTransport) -> FileEdit {
    let entry = entry::entry(client.notation, transport, &["/opt/causeway".to_owned()]);
    FileEdit::ServerEntry { format: client.format, servers_key: client.servers_key, entry }
}

fn http(url: &str) -> ClientTransport {
    ClientTransport::Http { url: url.to_owned(), with_token: false }
}

/// Returns texts of a configuration file as users have them.
fn originals(client: &ClientSpec) -> Vec<String> {
    let key = client.servers_key;
    let texts: &[&str] = match client.format {
        ConfigFormat::Json => &[
            "",
            "{}",
            "{\"KEY\":{}}",
            "{\n    // the editor's own\n    \"theme\": \"dark\",\n    \"KEY\": {\n        \"other\": { \"command\": \"x\" }, /* mine */\n    },\n}\n",
            "{\r\n\t\"KEY\": {\r\n\t\t\"a\": {\"url\": \"u\"}\r\n\t}\r\n}\r\n",
            "\u{feff}{\"a\":[1, 2 ,3],\"ü\":\"\\u00fc\"}",
            "{\"KEY\": {\"causeway\": {\"command\": \"my own\"}}}\n",
        ],
        ConfigFormat::Toml => &[
            "",
            "# mine\nmodel = \"m\" # c\n\n[KEY.other]\ncommand = 'x'\n\n[profiles.p]\na = 1",
            "a = 1\r\n[KEY.x]\r\nurl = 'u'\r\n",
            "KEY = { x = { url = \"u\" } }\n",
            "[KEY.causeway]\ncommand = \"my own\"\n",
        ],
        ConfigFormat::Yaml => &[
            "",
            "GOOSE_MODEL: m # c\nKEY:\n    other:\n        type: stdio\n# tail",
            "KEY: {}\n",
            "a: 1\r\nKEY:\r\n  x: {type: stdio}\r\n",
            "KEY:\n  causeway:\n    cmd: my own\n",
            "KEY:\n  causeway:\n",
            "KEY:\n  causeway:\n    cmd: my own\n    timeout: 0x12c\n",
        ],
    };
    texts.iter().map(|text| text.replace("KEY", key)).collect()
}

fn files_below(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).into_iter().flatten().map(Result::unwrap);
    let mut found: Vec<_> = entries
        .flat_map(|entry| match entry.path() {
            path if path.is_dir() => files_below(&path),
            path => vec![(path.display().to_string(), fs::read(&path).unwrap())],
        })
        .collect();
    found.sort();
    found
}

/// Writes the entry twice, with different addresses, and undoes it. All files must have their bytes again.
fn check_round_trip(client: &ClientSpec, platform: Platform, original: Option<&str>) {
    let home = tempfile::tempdir().unwrap();
    let folders = UserFolders::below(platform, home.path());
    let file = client.file(&folders);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    if let Some(original) = original {
        fs::write(&file, original).unwrap();
    }
    let before = files_below(home.path());
    let context = format!("{:?} {platform:?} {original:?}", client.id);

    for url in [URL, "http://127.0.0.1:1/mcp"] {
        let edit = edit(client, &http(url));
        change::plan(&file, &edit).unwrap().unwrap_or_else(|| panic!("{context}")).execute().unwrap();
        assert!(change::plan(&file, &edit).unwrap().is_none(), "a second run changes nothing: {context}");
        let written = change::read(&file).unwrap().unwrap();
        let target = entry::target(&edit.entry(&written).unwrap().unwrap()).unwrap();
        let is_expected = match &target {
            EntryTarget::Url(written) => written == url,
            EntryTarget::Program { arguments, .. } => arguments.last().is_some_and(|last| last == url),
        };
        assert!(is_expected, "{target:?} {context}");
    }

    let edit = edit(client, &http(URL));
    change::plan_undo(&file, &edit).unwrap().unwrap_or_else(|| panic!("{context}")).execute().unwrap();
    assert_eq!(files_below(home.path()), before, "{context}");
}

#[test]
fn every_client_round_trips_on_every_platform() {
    for client in CLIENTS {
        for platform in [Platform::Linux, Platform::MacOs, Platform::Windows] {
            check_round_trip(client, platform, None);
            for original in originals(client) {
                check_round_trip(client, platform, Some(&original));
            }
        }
    }
}

#[test]
fn later_changes_of_the_user_survive_undo() {
    for client in CLIENTS {
        let home = tempfile::tempdir().unwrap();
        let folders = UserFolders::below(Platform::Linux, home.path());
        let file = client.file(&folders);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        let stdio = ClientTransport::Stdio { arguments: vec!["mcp".to_owned(), "/my code".to_owned()] };
        let edit = edit(client, &stdio);
        let original = originals(client)[1].clone();
        fs::write(&file, &original).unwrap();
        change::plan(&file, &edit).unwrap().unwrap().execute().unwrap();
        let comment = if client.format == ConfigFormat::Json { "\n// later\n" } else { "\n# later\n" };
        let changed = change::read(&file).unwrap().unwrap() + comment;
        fs::write(&file, changed).unwrap();
        change::plan_undo(&file, &edit).unwrap().unwrap().execute().unwrap();
        let after = change::read(&file).unwrap().unwrap();
        assert!(after.contains("later") && edit.entry(&after).unwrap().is_none(), "{:?}: {after}", client.id);
        let left = files_below(home.path());
        assert_eq!(left.len(), 1, "a backup has the tokens of other servers: {left:?}");
        assert!(change::plan_undo(&file, &edit).unwrap().is_none());
    }
}

#[test]
fn backup_of_a_removed_entry_is_removed_by_undo() {
    let home = tempfile::tempdir().unwrap();
    let client = &CLIENTS[0];
    let file = client.file(&UserFolders::below(Platform::Linux, home.path()));
    fs::write(&file, "{\"theme\": \"dark\"}").unwrap();
    let edit = edit(client, &http(URL));
    change::plan(&file, &edit).unwrap().unwrap().execute().unwrap();
    fs::write(&file, "{}").unwrap();
    let undo = change::plan_undo(&file, &edit).unwrap().unwrap();
    assert!(undo.diff().starts_with("- the backup "), "{}", undo.diff());
    undo.execute().unwrap();
    assert_eq!(files_below(home.path()), [(file.display().to_string(), b"{}".to_vec())]);
}

/// Returns a configuration file with an entry of the user's own.
fn own_entry(client: &ClientSpec) -> String {
    let text = match client.format {
        ConfigFormat::Json => "{\"KEY\": {\"causeway\": {\"command\": \"my own\", \"env\": {\"TOKEN\": \"t\"}}}}\n",
        ConfigFormat::Toml => "[KEY.causeway]\ncommand = \"my own\"\nsince = 1979-05-27\nenv = { TOKEN = \"t\" }\n",
        ConfigFormat::Yaml => "KEY:\n  causeway:\n    cmd: my own\n    timeout: 0x12c\n    env:\n      TOKEN: t\n",
    };
    text.replace("KEY", client.servers_key)
}

fn append_comment(client: &ClientSpec, file: &Path) {
    let comment = if client.format == ConfigFormat::Json { "\n// later\n" } else { "\n# later\n" };
    fs::write(file, change::read(file).unwrap().unwrap() + comment).unwrap();
}

#[test]
fn entry_of_the_user_is_restored_after_changes_of_other_programs() {
    for client in CLIENTS {
        for is_set_up_again in [false, true] {
            let home = tempfile::tempdir().unwrap();
            let file = client.file(&UserFolders::below(Platform::Linux, home.path()));
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            let original = own_entry(client);
            fs::write(&file, &original).unwrap();
            let first = edit(client, &http(URL));
            change::plan(&file, &first).unwrap().unwrap().execute().unwrap();
            append_comment(client, &file);
            if is_set_up_again {
                let second = edit(client, &http("http://127.0.0.1:1/mcp"));
                change::plan(&file, &second).unwrap().unwrap().execute().unwrap();
            }
            change::plan_undo(&file, &first).unwrap().unwrap().execute().unwrap();
            let after = change::read(&file).unwrap().unwrap();
            assert_eq!(first.entry(&after).unwrap(), first.entry(&original).unwrap(), "{:?}: {after}", client.id);
            assert!(after.contains("later"), "{:?}: {after}", client.id);
            assert_eq!(after.contains("since = 1979-05-27\n"), client.format == ConfigFormat::Toml, "{after}");
            assert_eq!(files_below(home.path()).len(), 1, "{:?}", client.id);
            assert!(change::plan_undo(&file, &first).unwrap().is_none(), "the entry is the user's own: {after}");
        }
    }
}

#[test]
fn backup_that_is_not_restored_stays() {
    let client = &CLIENTS[0];
    let edit = edit(client, &http(URL));
    // The file without the entry, and no file.
    for changed in [Some("{}"), None] {
        let home = tempfile::tempdir().unwrap();
        let file = client.file(&UserFolders::below(Platform::Linux, home.path()));
        fs::write(&file, own_entry(client)).unwrap();
        change::plan(&file, &edit).unwrap().unwrap().execute().unwrap();
        match changed {
            Some(changed) => fs::write(&file, changed).unwrap(),
            None => fs::remove_file(&file).unwrap(),
        }
        let has_original = || files_below(home.path()).iter().any(|(_, bytes)| *bytes == own_entry(client).as_bytes());
        let error = change::plan_undo(&file, &edit).unwrap_err().to_string();
        assert!(error.contains("the original is in"), "{error}");
        change::plan(&file, &edit).unwrap().unwrap().execute().unwrap();
        assert!(has_original(), "{changed:?}");
        change::plan_undo(&file, &edit).unwrap().unwrap().execute().unwrap();
        assert!(has_original(), "{changed:?}");
    }
}

#[test]
fn other_settings_of_an_entry_survive_a_second_run() {
    for client in CLIENTS {
        let home = tempfile::tempdir().unwrap();
        let file = client.file(&UserFolders::below(Platform::Linux, home.path()));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        let key = client.servers_key;
        let original = match client.format {
            ConfigFormat::Json => {
                format!(
                    "{{\"{key}\": {{\"causeway\": {{\"url\": \"old\", \"disabled\": true, \"alwaysAllow\": [\"list_repos\"]}}}}}}"
                )
            }
            ConfigFormat::Toml => {
                format!("[{key}.causeway]\nurl = \"old\"\ndisabled = true\nalwaysAllow = [\"list_repos\"]\n")
            }
            ConfigFormat::Yaml => {
                format!("{key}:\n  causeway:\n    uri: old\n    disabled: true\n    alwaysAllow: [list_repos]\n")
            }
        };
        fs::write(&file, original).unwrap();
        let edit = edit(client, &http(URL));
        change::plan(&file, &edit).unwrap().unwrap().execute().unwrap();
        let entry = edit.entry(&change::read(&file).unwrap().unwrap()).unwrap().unwrap();
        assert_eq!(entry["disabled"], true, "{:?}: {entry}", client.id);
        assert_eq!(entry["alwaysAllow"], serde_json::json!(["list_repos"]), "{:?}: {entry}", client.id);
        assert!(!entry.to_string().contains("old"), "{:?}: {entry}", client.id);
        assert!(change::plan(&file, &edit).unwrap().is_none(), "a further run changes nothing: {entry}");
    }
}

#[test]
fn link_to_a_missing_file_is_kept() {
    use std::os::unix::fs::symlink;
    let home = tempfile::tempdir().unwrap();
    let client = &CLIENTS[0];
    let file = client.file(&UserFolders::below(Platform::Linux, home.path()));
    fs::create_dir(home.path().join("dotfiles")).unwrap();
    symlink("dotfiles/second.json", &file).unwrap();
    symlink("claude.json", home.path().join("dotfiles/second.json")).unwrap();
    let edit = edit(client, &http(URL));
    change::plan(&file, &edit).unwrap().unwrap().execute().unwrap();
    assert!(fs::symlink_metadata(&file).unwrap().is_symlink());
    assert!(fs::read_to_string(home.path().join("dotfiles/claude.json")).unwrap().contains(URL));
    change::plan_undo(&file, &edit).unwrap().unwrap().execute().unwrap();
    assert!(fs::symlink_metadata(&file).unwrap().is_symlink() && !file.exists());
}

#[test]
fn links_and_permissions_are_kept() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let home = tempfile::tempdir().unwrap();
    let client = &CLIENTS[0];
    let file = client.file(&UserFolders::below(Platform::Linux, home.path()));
    let managed = home.path().join("dotfiles.json");
    fs::write(&managed, "{}\n").unwrap();
    fs::set_permissions(&managed, fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&managed, &file).unwrap();
    change::plan(&file, &edit(client, &http(URL))).unwrap().unwrap().execute().unwrap();
    assert!(fs::symlink_metadata(&file).unwrap().is_symlink());
    assert_eq!(fs::metadata(&managed).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(fs::read_to_string(&managed).unwrap().contains(URL));
}

#[test]
fn concurrent_change_is_not_overwritten() {
    let home = tempfile::tempdir().unwrap();
    let client = &CLIENTS[0];
    let file = client.file(&UserFolders::below(Platform::Linux, home.path()));
    fs::write(&file, "{}").unwrap();
    let change = change::plan(&file, &edit(client, &http(URL))).unwrap().unwrap();
    fs::write(&file, "{\"a\": 1}").unwrap();
    assert!(change.execute().unwrap_err().to_string().contains("another program"));
    assert_eq!(fs::read_to_string(&file).unwrap(), "{\"a\": 1}");
}

#[test]
fn other_service_file_is_not_replaced() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("causeway.service");
    fs::write(&file, "[Unit]\n").unwrap();
    let content = format!("# {}\n", super::file_edit::WHOLE_FILE_MARK);
    let edit = FileEdit::WholeFile(content);
    assert!(change::plan(&file, &edit).is_err());
    assert!(change::plan_undo(&file, &edit).unwrap().is_none());
    fs::remove_file(&file).unwrap();
    change::plan(&file, &edit).unwrap().unwrap().execute().unwrap();
    change::plan_undo(&file, &edit).unwrap().unwrap().execute().unwrap();
    assert!(!file.exists());
}
