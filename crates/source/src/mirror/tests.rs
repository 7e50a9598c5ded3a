//! Tests against real remotes, created by the `git` program.

use std::{
    cell::Cell,
    fs,
    io::{BufRead as _, BufReader, Write as _},
    net::TcpListener,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::Duration,
};

use super::*;
use crate::{OutsideLinks, resolve, testing::Sandbox};

const FILES: &[(&str, &str)] = &[("a.rs", "fn a() {}")];

/// A work tree, a bare remote to which it pushes, and the mirror of that remote.
struct World {
    sandbox: Sandbox,
    mirror: Mirror,
}

impl World {
    fn new() -> World {
        let sandbox = Sandbox::new();
        sandbox.repository("work", FILES);
        sandbox.run("", "git clone -q --bare work remote.git");
        sandbox.run("work", "git remote add origin ../remote.git");
        let mirror = mirror(&format!("file://{}", sandbox.path("remote.git").display()));
        World { sandbox, mirror }
    }

    fn mirrors(&self) -> PathBuf {
        self.sandbox.path("mirrors")
    }

    fn sync(&self) -> Result<SyncOutcome, MirrorError> {
        self.mirror
            .sync(&self.mirrors(), &[], &LocalRemotes::new(OutsideLinks::Refuse), Deadlines::default(), &|| false)
    }

    fn push(&self, file: &str) -> String {
        self.sandbox.write(&format!("work/{file}"), "fn more() {}");
        self.sandbox.commit("work");
        self.sandbox.run("work", "git push -q --force origin HEAD");
        self.sandbox.run("work", "git rev-parse HEAD")
    }

    /// Returns the commit and the branch of the mirror.
    fn head(&self) -> (String, Option<String>) {
        let head = resolve(&self.mirror.checkout(&self.mirrors())).unwrap();
        (head.commit.to_string(), head.branch)
    }

    fn sync_error(&self) -> String {
        self.sync().unwrap_err().to_string()
    }
}

fn mirror(url: &str) -> Mirror {
    let url = RemoteUrl::parse(url).unwrap();
    Mirror { alias: "team/app".to_owned(), url, branch: None, depth: None, within: None }
}

#[test]
fn a_push_is_fetched() {
    let world = World::new();
    assert!(!world.mirror.is_cloned(&world.mirrors()));
    assert_eq!(world.sync().unwrap(), SyncOutcome::Moved);
    assert!(world.mirror.is_cloned(&world.mirrors()));
    assert_eq!(world.sync().unwrap(), SyncOutcome::Unchanged);
    let pushed = world.push("b.rs");
    assert_eq!(world.sync().unwrap(), SyncOutcome::Moved);
    assert_eq!(world.head(), (pushed, Some("main".to_owned())));
    world.sandbox.run("work", "git commit -q --amend -m other");
    let forced = world.push("c.rs");
    assert_eq!(world.sync().unwrap(), SyncOutcome::Moved);
    assert_eq!(world.head().0, forced);
}

#[test]
fn a_mirror_records_when_its_remote_moved() {
    let world = World::new();
    let seen = |commit: &str| seen_at(&world.mirror.folder(&world.mirrors()), commit.parse().unwrap());
    world.sync().unwrap();
    let first = world.head().0;
    let since = seen(&first).unwrap();
    world.sync().unwrap();
    assert_eq!(seen(&first), Some(since), "polls change nothing");
    let second = world.push("b.rs");
    world.sync().unwrap();
    assert!(seen(&second).unwrap() >= since && seen(&first) == Some(since));
    // A withdrawn commit is older, whatever the commit dates are.
    world.sandbox.run("work", &format!("git push -q --force origin {first}:main"));
    world.sync().unwrap();
    assert!(seen(&first).unwrap() >= seen(&second).unwrap());
    fs::remove_file(world.mirror.folder(&world.mirrors()).join("causeway-heads")).unwrap();
    assert_eq!((world.sync().unwrap(), seen(&first).is_some()), (SyncOutcome::Unchanged, true));
}

#[test]
fn a_renamed_default_branch_is_followed() {
    let world = World::new();
    world.sync().unwrap();
    // The old branch name is a prefix of the new one.
    world.sandbox.run("remote.git", "git branch -m main main/next");
    assert_eq!(world.sync().unwrap(), SyncOutcome::Moved);
    assert_eq!(world.head().1.as_deref(), Some("main/next"));
    let references = world.sandbox.run("mirrors/team%2Fapp.git", "git for-each-ref --format=%(refname)");
    assert_eq!(references, "refs/heads/main/next");
    let commit = world.sandbox.run("remote.git", "git rev-parse HEAD");
    world.sandbox.run("remote.git", &format!("git update-ref --no-deref HEAD {commit}"));
    assert_eq!(world.sync().unwrap(), SyncOutcome::Moved);
    assert_eq!(world.head(), (commit, None));
    assert_eq!(world.sync().unwrap(), SyncOutcome::Unchanged);
}

#[test]
fn a_configured_branch_is_followed() {
    let mut world = World::new();
    world.sandbox.run("work", "git checkout -q -b topic");
    let pushed = world.push("b.rs");
    let of_head = world.mirror.repo();
    world.mirror.branch = Some("topic".to_owned());
    assert_ne!(world.mirror.repo(), of_head);
    world.sync().unwrap();
    assert_eq!(world.head(), (pushed.clone(), Some("topic".to_owned())));
    world.sandbox.run("remote.git", "git branch -q -D topic");
    assert!(world.sync_error().contains("no branch `topic`"), "{}", world.sync_error());
    assert_eq!(world.head().0, pushed, "what was there stays");
}

#[test]
fn a_failed_sync_keeps_the_mirror() {
    let world = World::new();
    world.sync().unwrap();
    let before = world.head();
    world.sandbox.run("remote.git", "git symbolic-ref HEAD refs/heads/gone");
    assert!(matches!(world.sync(), Err(MirrorError::NoHead)));
    fs::rename(world.sandbox.path("remote.git"), world.sandbox.path("moved.git")).unwrap();
    let message = world.sync_error();
    assert!(message.contains("its folder cannot be opened: entity not found"), "{message}");
    assert!(!message.contains(&*world.sandbox.path("").to_string_lossy()) && !message.contains('\n'), "{message}");
    fs::create_dir(world.sandbox.path("remote.git")).unwrap();
    world.sandbox.write("remote.git/HEAD", "rubbish");
    world.sync().unwrap_err();
    assert_eq!(world.head(), before);
}

#[test]
fn a_damaged_remote_is_not_mirrored() {
    let world = World::new();
    fs::write(world.sandbox.path("remote.git/packed-refs"), "rubbish\n").unwrap();
    fs::remove_dir_all(world.sandbox.path("remote.git/refs")).unwrap();
    world.sync().unwrap_err();
    assert!(!world.mirrors().exists());
}

#[test]
fn a_remote_without_commits_is_an_empty_mirror() {
    let sandbox = Sandbox::new();
    sandbox.run("", "git init -q --bare remote.git");
    let mirror = mirror(&format!("file://{}", sandbox.path("remote.git").display()));
    let world = World { sandbox, mirror };
    assert_eq!(world.sync().unwrap(), SyncOutcome::Moved);
    assert_eq!(world.sync().unwrap(), SyncOutcome::Unchanged);
    assert!(local_head(&world.mirror.folder(&world.mirrors())).is_none());
    world.sandbox.repository("work", FILES);
    world.sandbox.run("work", "git remote add origin ../remote.git");
    world.sandbox.run("remote.git", "git symbolic-ref HEAD refs/heads/main");
    let pushed = world.push("b.rs");
    assert_eq!(world.sync().unwrap(), SyncOutcome::Moved);
    assert_eq!(world.head().0, pushed);
}

#[test]
fn history_has_the_configured_depth() {
    let mut world = World::new();
    (0..5).for_each(|n| drop(world.push(&format!("{n}.rs"))));
    world.mirror.depth = NonZeroU32::new(2);
    let count = |world: &World| world.sandbox.run("mirrors/team%2Fapp.git", "git rev-list --count HEAD");
    world.sync().unwrap();
    assert_eq!(count(&world), "2");
    world.push("more.rs");
    world.sync().unwrap();
    assert_eq!(count(&world), "2");
    world.mirror.depth = None;
    assert_eq!(world.sync().unwrap(), SyncOutcome::Moved);
    assert_eq!(count(&world), "7");
    assert_eq!(world.sync().unwrap(), SyncOutcome::Unchanged);
}

#[test]
fn a_changed_url_is_cloned_again() {
    let mut world = World::new();
    world.sync().unwrap();
    world.sandbox.repository("other", &[("z.rs", "fn z() {}")]);
    world.mirror.url = RemoteUrl::parse(&world.sandbox.path("other").to_string_lossy()).unwrap();
    assert_eq!(world.sync().unwrap(), SyncOutcome::Moved);
    assert_eq!(world.head().0, world.sandbox.run("other", "git rev-parse HEAD"));
}

#[test]
fn files_of_a_killed_git_are_removed() {
    let world = World::new();
    world.sync().unwrap();
    let folder = world.mirror.folder(&world.mirrors());
    let left = ["HEAD.lock", "packed-refs.lock", "refs/heads/main.lock", "objects/pack/tmp_pack_x", "gc.pid"];
    left.iter().for_each(|file| fs::write(folder.join(file), "").unwrap());
    fs::create_dir_all(incomplete_clone_of(&folder)).unwrap();
    let pushed = world.push("b.rs");
    assert_eq!(world.sync().unwrap(), SyncOutcome::Moved);
    assert_eq!(world.head().0, pushed);
    assert!(left.iter().all(|file| !folder.join(file).exists()));
    remove_incomplete_clones(&world.mirrors());
    assert!(!incomplete_clone_of(&folder).exists());
    assert_eq!(mirrors_in(&world.mirrors()), std::slice::from_ref(&folder));
    mark_used(&folder);
    assert!(!remove_unused(&folder, Duration::from_secs(3600)) && folder.exists());
    assert!(remove_unused(&folder, Duration::ZERO) && !folder.exists());
}

fn incomplete_clone_of(folder: &Path) -> PathBuf {
    lifecycle::incomplete_clone(folder)
}

/// Serves a folder over HTTP to clients with the token. If `is_silent`, it accepts connections and never responds.
fn serve(folder: PathBuf, authorization: &'static str, is_silent: bool) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        let mut silent_streams = Vec::new();
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            if is_silent {
                silent_streams.push(stream);
                continue;
            }
            let lines = BufReader::new(&stream).lines().map_while(Result::ok).take_while(|line| !line.is_empty());
            let lines: Vec<String> = lines.collect();
            let path = lines.first().and_then(|line| line.split(' ').nth(1)).unwrap_or("/").to_owned();
            let path = folder.join(path.split('?').next().unwrap_or_default().trim_start_matches('/'));
            let is_known =
                lines.iter().any(|line| line.eq_ignore_ascii_case(&format!("authorization: {authorization}")));
            let (status, body) = match fs::read(&path) {
                _ if !is_known => ("401 Unauthorized", Vec::new()),
                Ok(bytes) => ("200 OK", bytes),
                Err(_) => ("404 Not Found", Vec::new()),
            };
            let head = format!(
                "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\nWWW-Authenticate: Basic realm=\"x\"\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
        }
    });
    host
}

#[test]
fn a_token_is_read_from_its_file_and_never_disclosed() {
    let world = World::new();
    world.sandbox.run("remote.git", "git update-server-info");
    // printf %s robot:s3cret-token | base64
    let host = serve(world.sandbox.path(""), "Basic cm9ib3Q6czNjcmV0LXRva2Vu", false);
    let token_file = world.sandbox.path("token");
    let credentials = [Credential { host: host.clone(), username: "robot".to_owned(), token_file: token_file.clone() }];
    let mirror = mirror(&format!("http://{host}/remote.git"));
    let sync = |credentials: &[Credential]| {
        mirror.sync(&world.mirrors(), credentials, &LocalRemotes::default(), Deadlines::default(), &|| false)
    };
    for (token, expected) in
        [(None, "cannot be read"), (Some(""), "first line is empty"), (Some("wr0ng-token"), "refused")]
    {
        if let Some(token) = token {
            fs::write(&token_file, token).unwrap();
        }
        let message = sync(&credentials).unwrap_err().to_string();
        assert!(message.contains(expected) && !message.contains("wr0ng"), "{message}");
    }
    fs::write(&token_file, "s3cret-token\n").unwrap();
    let message = sync(&[]).unwrap_err().to_string();
    assert!(message.starts_with("git refused"), "nobody is asked: {message}");
    assert_eq!(sync(&credentials).unwrap(), SyncOutcome::Moved);
    let head = resolve(&mirror.checkout(&world.mirrors())).unwrap();
    assert_eq!(head.commit.to_string(), world.sandbox.run("work", "git rev-parse HEAD"));
    let config = fs::read_to_string(mirror.folder(&world.mirrors()).join("config")).unwrap();
    assert!(!config.contains("s3cret"), "{config}");
}

#[test]
fn a_silent_remote_hits_the_deadline() {
    let world = World::new();
    let host = serve(world.sandbox.path(""), "", true);
    let mirror = mirror(&format!("http://{host}/remote.git"));
    let deadlines = Deadlines { list_refs: Duration::from_secs(1), ..Deadlines::default() };
    let message =
        mirror.sync(&world.mirrors(), &[], &LocalRemotes::default(), deadlines, &|| false).unwrap_err().to_string();
    assert!(message.contains("within 1 seconds"), "{message}");
    let n_polls = Cell::new(0);
    let stopped = || n_polls.replace(n_polls.get() + 1) > 10;
    let message =
        mirror.sync(&world.mirrors(), &[], &LocalRemotes::default(), Deadlines::default(), &stopped).unwrap_err();
    assert!(matches!(message, MirrorError::Stopped), "{message}");
    assert_eq!(fs::read_dir(world.mirrors()).unwrap().count(), 0, "nothing is left");
}

/// Syncs `srv/app.git` after some commands in an empty folder `srv`, beside which `secret.git` is.
fn sync_local(commands: &str, within_srv: bool, outside_links: OutsideLinks) -> Result<SyncOutcome, MirrorError> {
    let sandbox = Sandbox::new();
    sandbox.repository("work", FILES);
    sandbox.run("", "git clone -q --bare work secret.git");
    sandbox.run("", "mkdir srv");
    let done = Command::new("sh").args(["-c", commands]).current_dir(sandbox.path("srv")).status();
    assert!(done.unwrap().success(), "{commands}");
    let srv = sandbox.path("srv");
    let mirror =
        Mirror { within: within_srv.then(|| srv.clone()), ..mirror(&format!("file://{}/app.git", srv.display())) };
    mirror.sync(&sandbox.path("mirrors"), &[], &LocalRemotes::new(outside_links), Deadlines::default(), &|| false)
}

#[test]
fn local_remotes_that_lead_out_are_refused() {
    const CLONE: &str = "git clone -q --bare ../work app.git";
    for (commands, name) in [
        ("git clone -q --bare --shared ../secret.git app.git".to_owned(), "alternates"),
        ("ln -s ../secret.git app.git".to_owned(), "leads out"),
        ("mkdir app.git; echo 'gitdir: ../../secret.git' > app.git/.git".to_owned(), "`.git`"),
        (format!("{CLONE}; echo ../../secret.git > app.git/commondir"), "`commondir`"),
        (format!("{CLONE}; rm -r app.git/objects; ln -s ../../secret.git/objects app.git/objects"), "`objects`"),
        (format!("{CLONE}; rm -r app.git/refs; ln -s ../../secret.git/refs app.git/refs"), "`refs`"),
    ] {
        for within_srv in [true, false] {
            let error = sync_local(&commands, within_srv, OutsideLinks::Refuse).expect_err(&commands);
            assert!(
                matches!(&error, MirrorError::Unchecked { reason } if reason.contains(name)),
                "{commands}: {error}"
            );
            assert!(error.to_string().contains("follow_outside_links"), "{error}");
        }
        assert_eq!(sync_local(&commands, true, OutsideLinks::Follow).unwrap(), SyncOutcome::Moved, "{commands}");
    }
}

#[test]
fn local_remotes_may_share_objects_within_a_pattern() {
    let commands = "git clone -q --bare ../work base.git; git clone -q --bare --shared base.git app.git";
    assert_eq!(sync_local(commands, true, OutsideLinks::Refuse).unwrap(), SyncOutcome::Moved);
    assert!(sync_local(commands, false, OutsideLinks::Refuse).is_err());
}

#[test]
fn pipes_and_devices_of_local_remotes_are_not_opened() {
    for name in ["HEAD", "config", "packed-refs", "shallow", "refs/heads/main", "objects/info/alternates"] {
        for odd in ["mkfifo", "ln -s /dev/zero"] {
            let commands = format!("git clone -q --bare ../work app.git; rm -f app.git/{name}; {odd} app.git/{name}");
            let error = sync_local(&commands, true, OutsideLinks::Refuse).unwrap_err();
            assert!(
                matches!(&error, MirrorError::Unchecked { reason } if reason.contains(name)),
                "{commands}: {error}"
            );
        }
    }
}

#[test]
fn no_other_folder_than_the_checked_one_is_served() {
    // Git alone prefers `app.git/.git` to `app.git`.
    let commands =
        "git clone -q --bare ../work app.git; mkdir app.git/.git; ln -s ../../../secret.git/HEAD app.git/.git/HEAD";
    assert!(sync_local(commands, true, OutsideLinks::Refuse).is_err());
    assert!(sync_local("git clone -q ../work app", true, OutsideLinks::Refuse).is_err());
    let with_suffix = "git clone -q --bare ../work app.git.git";
    assert_eq!(sync_local(with_suffix, true, OutsideLinks::Refuse).unwrap(), SyncOutcome::Moved);
}
