//! No secret of a repository is in a file that a run writes, or in a reply that is read from one.

use index::Snapshot;
use model::Language;
use text::risk::RiskKind;

use crate::project::Project;

/// Path, text, and indexed text. Each secret is replaced by `[masked]`.
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

/// A part of each secret that occurs nowhere else.
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
fn check_no_secret(bytes: &[u8], origin: &str) {
    for secret in SECRET {
        assert!(!bytes.windows(secret.len()).any(|part| part == secret.as_bytes()), "`{secret}` is in {origin}");
    }
}

/// Checks every reply that a generation can give.
fn check_replies(snapshot: &Snapshot, path_of: impl Fn(&str) -> String) {
    for (path, _, indexed) in FILES {
        let path = &path_of(path);
        let source = snapshot.source(path, None).unwrap().unwrap();
        assert_eq!(source.text, indexed.lines().collect::<Vec<_>>().join("\n"), "{path}");
        check_no_secret(
            format!("{:?} {:?}", snapshot.outline(path, 100), snapshot.file_history(path)).as_bytes(),
            path,
        );
    }
    check_no_secret(format!("{:?}", snapshot.overview(100).unwrap()).as_bytes(), "the overview");
    check_no_secret(&snapshot.history_state().unwrap(), "the state of history");
    for page in snapshot.pages() {
        check_no_secret(page.unwrap().text.as_bytes(), "a page");
    }
    for secret in SECRET.iter().filter(|secret| secret.contains("zq")) {
        let terms = ranking::analyser::terms(secret);
        let known = snapshot.statistics(&terms, &[ranking::analyser::fold(secret)]);
        assert!(known.document_frequencies.contains(&0) && known.name_counts == [0], "{terms:?}: {known:?}");
    }
}

#[test]
fn no_secret_is_in_a_generation_or_a_reply() {
    let mut project = Project::repository();
    for (path, text, _) in FILES {
        project.put(path, Some(text));
    }
    project.commit("ada", "rotate glpat-Cc7kQ2mZ9wL4tR8vN1bq\n\nIt was glpat-Dd7kQ2mZ9wL4tR8vN1bq before.");
    let first = project.index(None);
    check_replies(&first, str::to_owned);
    let subject = &first.file_history(".env").unwrap().changes[0].subject;
    assert_eq!(subject, "rotate [masked]");

    // The files move, so that facts come from the cache and history continues from its state.
    for (path, text, _) in FILES {
        project.put(path, None);
        project.put(&format!("moved/{path}"), Some(text));
    }
    project.commit("ada", "move");
    let second = project.index(Some(first));
    check_replies(&second, |path| format!("moved/{path}"));

    let written = project.written();
    assert!(written.iter().any(|(path, _)| path.ends_with("tables.rkyv")));
    for (path, bytes) in written {
        check_no_secret(&bytes, &path.display().to_string());
    }
}

#[test]
fn secrets_in_branches_authors_and_trailers_are_masked() {
    let mut project = Project::repository();
    project.git(&["checkout", "-q", "-b", "fix/glpat-Cc7kQ2mZ9wL4tR8vN1bq"]);
    project.put("a.py", Some("def a():\n    pass\n"));
    project.commit("glpat-Dd7kQ2mZ9wL4tR8vN1bq", "add\n\nReported-by: ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let snapshot = project.index(None);
    assert_eq!(snapshot.manifest().branch.as_deref(), Some("fix/[masked]"));
    assert_eq!(snapshot.file_history("a.py").unwrap().owners[0].author, "[masked]");
    for (path, bytes) in project.written() {
        check_no_secret(&bytes, &path.display().to_string());
    }
}

#[test]
fn spans_are_of_the_masked_text_and_lines_stay() {
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
fn masked_secrets_are_still_reported_as_risks() {
    let mut project = Project::repository();
    for (path, text, _) in FILES {
        project.put(path, Some(text));
    }
    project.commit("ada", "all");
    let snapshot = project.index(None);
    for (path, lines) in [("src/app.py", &[2, 3, 5, 6][..]), ("src/key.py", &[2, 3]), (".env", &[1, 2])] {
        let source = snapshot.source(path, None).unwrap().unwrap().text;
        let found = text::risk::find_signals(Language::of_path(path), &source);
        assert!(found.iter().all(|signal| signal.kind == RiskKind::Secret), "{found:?}");
        assert_eq!(found.iter().map(|signal| signal.line).collect::<Vec<_>>(), lines, "{path}");
    }
}
