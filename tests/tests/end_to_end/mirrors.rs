//! Repositories by URL, with real processes: a listing that is edited while a worker runs, and webhooks of pushes.

use std::{fs, path::Path};

use causeway_tests::{
    answer,
    http::{post, search_until},
    process::{Running, causeway},
    repository::Repository,
};

const SECRET: &str = "the-secret-of-this-test";

/// A work tree, and the bare repository to which it is pushed.
struct Remote {
    work: Repository,
    url: String,
}

impl Remote {
    fn new(folder: &Path, name: &str) -> Remote {
        let work = Repository::with_files(
            folder.join("work").join(name),
            [("a.md", format!("# {name}\n\nharbour one\n").as_str())],
        );
        let bare = folder.join("srv").join(format!("{name}.git"));
        work.git(["clone", "--quiet", "--bare", ".", &bare.to_string_lossy()]);
        work.git(["remote", "add", "origin", &bare.to_string_lossy()]);
        Remote { work, url: format!("file://{}", bare.display()) }
    }

    fn push(&self, text: &str) {
        self.work.write("b.md", format!("# More\n\n{text}\n"));
        self.work.commit("more");
        self.work.git(["push", "--quiet", "origin", "HEAD"]);
    }

    fn entry(&self, name: &str) -> String {
        format!("[[repository]]\nname = \"{name}\"\nurl = \"{}\"\n", self.url)
    }
}

#[test]
fn listing_changes_and_pushes_are_followed() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let write = |name: &str, text: &str| {
        fs::write(path("new"), text).and_then(|()| fs::rename(path("new"), path(name))).expect("files can be written");
    };
    let (alpha, beta) = (Remote::new(folder.path(), "alpha"), Remote::new(folder.path(), "beta"));
    write("listing.toml", &alpha.entry("org/alpha"));
    // No poll happens during the test.
    write("worker.toml", &format!("[repositories]\nlisting = '{}'\npoll_seconds = 86400\n", path("listing.toml")));
    write("secret", SECRET);
    write("gateway.toml", &format!("[webhooks]\nsecret_file = '{}'\n", path("secret")));
    let worker = || {
        let (data, config) = (path("data"), path("worker.toml"));
        Running::start(causeway(["--data", &data, "--config", &config, "worker", "--listen", "127.0.0.1:0"]))
    };
    let gateway = |worker: &str, config: &[&str]| {
        let arguments = ["gateway", "--listen", "127.0.0.1:0", "--worker", worker];
        let mut gateway = Running::start(causeway(config.iter().copied().chain(arguments)));
        let address = gateway.wait_for_address();
        (gateway, address)
    };
    let mut running = worker();
    let worker_address = running.wait_for_address();
    let config = path("gateway.toml");
    let (_gateway, address) = gateway(&worker_address, &["--config", &config]);
    let found = |place: &'static str| move |answer: &_| answer::places(answer).iter().any(|found| found == place);
    let has_repositories = |n: u64| move |answer: &serde_json::Value| answer::coverage(answer)["asked"] == n;

    let first = search_until(&address, "harbour", "alpha", found("org/alpha:a.md"));
    assert_eq!(answer::coverage(&first)["asked"], 1);
    write("listing.toml", &(alpha.entry("org/alpha") + &beta.entry("beta")));
    search_until(&address, "harbour", "beta, too", found("beta:a.md"));
    write("listing.toml", "[[repository]]\nname = 'alone'\n");
    running.wait_for("what is wrong", |line| line.contains("missing field `url`").then_some(()));
    search_until(&address, "harbour", "both as before", has_repositories(2));

    alpha.push("a lighthouse keeper");
    let message = serde_json::json!({"project": {"git_http_url": alpha.url}}).to_string();
    let hook =
        |address: &str, token: &str, body: &str| post(address, "/hooks/gitlab", &[("X-Gitlab-Token", token)], body).0;
    assert_eq!(hook(&address, "some-other-secret", &message), 401);
    assert_eq!(hook(&address, SECRET, "{\"project\": {\"git_http_url\": \"file:///no/such\"}}"), 202);
    assert_eq!(hook(&address, SECRET, &message), 202);
    search_until(&address, "lighthouse", "what was pushed", found("org/alpha:b.md"));
    let (_plain, without_hooks) = gateway(&worker_address, &[]);
    assert_eq!(hook(&without_hooks, SECRET, &message), 404);

    write("listing.toml", &alpha.entry("org/alpha"));
    search_until(&address, "harbour", "without beta", has_repositories(1));
    assert!(Path::new(&path("data/mirrors/beta.git")).exists(), "it may come back");

    // A killed worker continues, and removes its incomplete files.
    running.kill();
    fs::create_dir_all(path("data/mirrors/beta.git.incoming")).expect("folders can be made");
    let mut running = worker();
    let (_gateway, address) = gateway(&running.wait_for_address(), &[]);
    search_until(&address, "lighthouse", "there again", found("org/alpha:b.md"));
    assert!(!Path::new(&path("data/mirrors/beta.git.incoming")).exists());
}
