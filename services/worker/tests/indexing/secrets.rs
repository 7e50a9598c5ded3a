//! What is secret in a repository is in none of the files that are made of it, and in nothing that is read from them.

use index::Snapshot;
use model::Language;
use text::danger::Danger;

use crate::project::Project;

/// Path, text, and how it is indexed; each secret, other than in names, is what stands where `[masked]` does.
const FILES: &[(&str, &str, &str)] = &[
    (
        "src/app.py",
        "\"\"\"Rotates zqdocumented\nwith ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8.\"\"\"\nPASSWORD = \"Tr0ub4dorzqpw\"\n\n\
         def rotate(token=\"glpat-Xy7kQ2mZ9wL4tR8vN1bq\", n=3):\n    \"\"\"Not xapp-1B2c3D4e5F6g7H8i9J.\"\"\"\n    return token\n",
        "\"\"\"Rotates zqdocumented\nwith [masked].\"\"\"\nPASSWORD = \"[masked]\"\n\n\
         def rotate(token=\"[masked]\", n=3):\n    \"\"\"Not [masked].\"\"\"\n    return token\n",
    ),
    (
        "src/key.py",
        "KEY = \"\"\"-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAzqfirst7KpJ5sT9hBvR4sK7wB1nY5cJ8dF3gA6zP0eU2iOqMx\n\
         zqlastVxN4mWc7KpJ5s=\n-----END RSA PRIVATE KEY-----\"\"\"\n\ndef after():\n    return KEY\n",
        "KEY = \"\"\"-----BEGIN RSA PRIVATE KEY-----\n[masked]\n[masked]\n-----END RSA PRIVATE KEY-----\"\"\"\n\n\
         def after():\n    return KEY\n",
    ),
    (".env", "FROB_TOKEN=q8ZtLr2VxN4mWc7KpJ5s\nDB_PASSWORD=hunter2zq\n", "FROB_TOKEN=[masked]\nDB_PASSWORD=[masked]\n"),
    ("README.md", "# Frob\n\nUse glpat-Zz7kQ2mZ9wL4tR8vN1bq now.\n", "# Frob\n\nUse [masked] now.\n"),
    (
        "package.json",
        "{\n  \"name\": \"frob\",\n  \"description\": \"frob ghp_b1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8\"\n}\n",
        "{\n  \"name\": \"frob\",\n  \"description\": \"frob [masked]\"\n}\n",
    ),
    ("crlf.py", "A = 1\r\nB = 2\r\n", "A = 1\r\nB = 2\r\n"),
];

/// A part of each secret that stands nowhere else.
const SECRET: &[&str] = &[
    "a1B2c3D4e5",
    "Tr0ub4dorzqpw",
    "Xy7kQ2mZ9w",
    "1B2c3D4e5F6g7H8i9J",
    "zqfirst7Kp",
    "zqlastVxN4",
    "q8ZtLr2VxN",
    "hunter2zq",
    "Zz7kQ2mZ9w",
    "b1B2c3D4e5",
    "Cc7kQ2mZ9w",
    "Dd7kQ2mZ9w",
];

#[track_caller]
fn check_none(said: &[u8], wherefrom: &str) {
    for secret in SECRET {
        assert!(!said.windows(secret.len()).any(|part| part == secret.as_bytes()), "`{secret}` is in {wherefrom}");
    }
}

/// Looks at all that a generation can be asked for.
fn check_asked(snapshot: &Snapshot, path_of: impl Fn(&str) -> String) {
    for (path, _, indexed) in FILES {
        let path = &path_of(path);
        let source = snapshot.source(path, None).unwrap().unwrap();
        assert_eq!(source.text, indexed.lines().collect::<Vec<_>>().join("\n"), "{path}");
        check_none(format!("{:?} {:?}", snapshot.outline(path, 100), snapshot.file_history(path)).as_bytes(), path);
    }
    check_none(format!("{:?}", snapshot.overview(100).unwrap()).as_bytes(), "the overview");
    check_none(&snapshot.history_state().unwrap(), "the state of the past");
    for page in snapshot.pages() {
        check_none(page.unwrap().text.as_bytes(), "a page");
    }
    for secret in SECRET.iter().filter(|secret| secret.contains("zq")) {
        let terms = ranking::analyser::terms(secret);
        let known = snapshot.statistics(&terms, &[ranking::analyser::fold(secret)]);
        assert!(known.document_frequencies.contains(&0) && known.name_counts == [0], "{terms:?}: {known:?}");
    }
}

#[test]
fn no_secret_of_a_repository_is_in_what_is_made_of_it() {
    let mut project = Project::repository();
    for (path, text, _) in FILES {
        project.put(path, Some(text));
    }
    project.commit("ada", "rotate glpat-Cc7kQ2mZ9wL4tR8vN1bq\n\nIt was glpat-Dd7kQ2mZ9wL4tR8vN1bq before.");
    let first = project.index(None);
    check_asked(&first, str::to_owned);
    let subject = &first.file_history(".env").unwrap().changes[0].subject;
    assert_eq!(subject, "rotate [masked]");

    // Moved, so that facts come from the cache, and the past goes on from its state.
    for (path, text, _) in FILES {
        project.put(path, None);
        project.put(&format!("moved/{path}"), Some(text));
    }
    project.commit("ada", "move");
    let second = project.index(Some(first));
    check_asked(&second, |path| format!("moved/{path}"));

    let written = project.written();
    assert!(written.iter().any(|(path, _)| path.ends_with("tables.rkyv")));
    for (path, bytes) in written {
        check_none(&bytes, &path.display().to_string());
    }
}

#[test]
fn spans_are_those_of_what_is_indexed_and_lines_stay() {
    let project = Project::folder();
    for (path, text, _) in FILES {
        project.put(path, Some(text));
    }
    let snapshot = project.index(None);
    for (path, text, indexed) in FILES {
        assert_eq!(text.lines().count(), indexed.lines().count(), "{path}");
    }
    let outline = &snapshot.outline("src/app.py", 100).unwrap()[0];
    let rotate = outline.symbols.iter().find(|symbol| symbol.name == "rotate").unwrap();
    assert_eq!((rotate.lines.start, rotate.lines.end), (5, 7));
    assert!(rotate.signature.contains("[masked]"), "{}", rotate.signature);
}

#[test]
fn what_was_masked_is_still_found_by_those_who_look_for_secrets() {
    let mut project = Project::repository();
    for (path, text, _) in FILES {
        project.put(path, Some(text));
    }
    project.commit("ada", "all");
    let snapshot = project.index(None);
    for (path, lines) in [("src/app.py", &[2, 3, 5, 6][..]), ("src/key.py", &[2, 3]), (".env", &[1, 2])] {
        let source = snapshot.source(path, None).unwrap().unwrap().text;
        let found = text::danger::signals(Language::of_path(path), &source);
        assert!(found.iter().all(|signal| signal.danger == Danger::Secret), "{found:?}");
        assert_eq!(found.iter().map(|signal| signal.line).collect::<Vec<_>>(), lines, "{path}");
    }
}
