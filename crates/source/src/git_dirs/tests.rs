use std::{
    ffi::OsStr,
    os::unix::{ffi::OsStrExt as _, fs::symlink},
};

use super::*;
use crate::{
    AliasRegistry, Checkout, CheckoutKind, Discoverer, Discovery, HeadSignature, OutsideLinks, SourceError,
    UnreadReason, WalkBounds, head_signature, list, resolve,
    testing::{Sandbox, make_pipe},
};

const FILES: &[(&str, &str)] = &[("a.rs", "fn a() {}")];

/// Changes files of the repository `odd/app`.
type Change = fn(&Sandbox);

fn replace_with_pipe(sandbox: &Sandbox, path: &str) {
    _ = fs::remove_file(sandbox.path(path));
    fs::create_dir_all(sandbox.path(path).parent().unwrap()).unwrap();
    make_pipe(&sandbox.path(path));
}

fn replace_with_link(sandbox: &Sandbox, path: &str, target: impl AsRef<Path>) {
    _ = fs::remove_file(sandbox.path(path));
    symlink(target, sandbox.path(path)).unwrap();
}

/// Replaces `.git` of the repository by a file with this content.
fn write_dot_git(sandbox: &Sandbox, content: &str) {
    _ = fs::remove_dir_all(sandbox.path("odd/app/.git"));
    sandbox.write("odd/app/.git", content);
}

/// Moves the repository out of the work tree, and lets `.git` name it.
fn separate(sandbox: &Sandbox, to: &str) {
    fs::create_dir_all(sandbox.path(to).parent().unwrap()).unwrap();
    fs::rename(sandbox.path("odd/app/.git"), sandbox.path(to)).unwrap();
    sandbox.write("odd/app/.git", &format!("gitdir: {}\n", sandbox.path(to).display()));
}

fn discover_within(sandbox: &Sandbox, outside_links: OutsideLinks) -> Discovery {
    let roots = vec![sandbox.path("odd")];
    Discoverer::new(roots, outside_links).discover(AliasRegistry::default())
}

/// Returns why the repository `app` is refused, if it is.
fn refusal(found: &Discovery) -> Option<&str> {
    match &app(found).unread {
        Some(UnreadReason::Refused(reason)) => Some(reason),
        Some(UnreadReason::Reading) | None => None,
    }
}

fn app(found: &Discovery) -> &Checkout {
    found.checkouts.iter().find(|checkout| checkout.alias == "app").unwrap()
}

/// Returns a repository `odd/app` that was changed, beside a repository `odd/lib` that was not.
fn changed_repository(change: Change) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.repository("odd/app", FILES);
    sandbox.repository("odd/lib", FILES);
    change(&sandbox);
    sandbox
}

#[test]
fn odd_files_of_a_repository_are_reported_and_never_opened() {
    let cases: &[(&str, Change)] = &[
        ("`objects` of the repository", |s| write_dot_git(s, &format!("gitdir: {}\n", "../".repeat(200)))),
        ("`.git` of the repository", |s| write_dot_git(s, "gitdir: ../../../nowhere/at/all")),
        ("`.git` of the repository", |s| write_dot_git(s, "gitdir:\n")),
        ("`.git` of the repository", |s| write_dot_git(s, "gitdir: a\0b\n")),
        ("`.git` of the repository", |s| write_dot_git(s, "")),
        ("`.git` of the repository: it is a pipe", |s| {
            fs::remove_dir_all(s.path("odd/app/.git")).unwrap();
            make_pipe(&s.path("odd/app/.git"));
        }),
        ("`.git` of the repository", |s| {
            fs::remove_dir_all(s.path("odd/app/.git")).unwrap();
            replace_with_link(s, "odd/app/.git", "nowhere");
        }),
        ("`.git` of the repository", |s| write_dot_git(s, &"x".repeat(1 << 16))),
        ("`.git` of the repository", |s| write_dot_git(s, "gitdir: ../app/a.rs\n")),
        ("", |s| write_dot_git(s, "gitdir: /\n")),
        ("", |s| write_dot_git(s, "gitdir: .\n")),
        ("`HEAD` of the repository: it is a pipe", |s| replace_with_pipe(s, "odd/app/.git/HEAD")),
        ("`config` of the repository: it is a pipe", |s| replace_with_pipe(s, "odd/app/.git/config")),
        ("`config` of the repository: it is a device", |s| replace_with_link(s, "odd/app/.git/config", "/dev/zero")),
        ("`packed-refs` of the repository: it is a pipe", |s| replace_with_pipe(s, "odd/app/.git/packed-refs")),
        ("`packed-refs` of the repository: it is a device", |s| {
            replace_with_link(s, "odd/app/.git/packed-refs", "/dev/zero");
        }),
        ("`shallow` of the repository: it is a pipe", |s| replace_with_pipe(s, "odd/app/.git/shallow")),
        ("`commondir` of the repository: it is a pipe", |s| replace_with_pipe(s, "odd/app/.git/commondir")),
        ("`commondir` of the repository: it is a device", |s| {
            replace_with_link(s, "odd/app/.git/commondir", "/dev/zero");
        }),
        ("`objects` of the repository", |s| s.write("odd/app/.git/commondir", &"../".repeat(300))),
        ("`commondir` of the repository", |s| s.write("odd/app/.git/commondir", "../nowhere")),
        ("`objects/info/alternates` of the repository: it is a pipe", |s| {
            replace_with_pipe(s, "odd/app/.git/objects/info/alternates");
        }),
        ("`objects/info/alternates` of the repository: it contains an escaped path", |s| {
            s.write("odd/app/.git/objects/info/alternates", "\"/srv\\057git\"\n");
        }),
        ("`config.worktree` of the repository: it is a device", |s| {
            replace_with_link(s, "odd/app/.git/config.worktree", "/dev/zero");
        }),
        ("`HEAD` of the repository: it is a pipe", |s| {
            separate(s, "odd/.store/app");
            replace_with_pipe(s, "odd/.store/app/HEAD");
        }),
        ("`config` of the repository: it is a pipe", |s| {
            separate(s, "odd/.store/app");
            replace_with_pipe(s, "odd/.store/app/config");
        }),
        ("`objects` of the repository", |s| {
            fs::remove_dir_all(s.path("odd/app/.git/objects")).unwrap();
            replace_with_link(s, "odd/app/.git/objects", "objects");
        }),
        ("`refs/heads/main` of the repository: it is a pipe", |s| replace_with_pipe(s, "odd/app/.git/refs/heads/main")),
        ("`refs/heads/main` of the repository: it is a device", |s| {
            replace_with_link(s, "odd/app/.git/refs/heads/main", "/dev/zero");
        }),
        ("`objects/pack/a.idx` of the repository: it is a pipe", |s| {
            replace_with_pipe(s, "odd/app/.git/objects/pack/a.idx");
        }),
        ("`objects/pack/a.idx` of the repository: it is a device", |s| {
            replace_with_link(s, "odd/app/.git/objects/pack/a.idx", "/dev/zero");
        }),
    ];
    for (idx, (reason, change)) in cases.iter().enumerate() {
        let sandbox = changed_repository(*change);
        let found = discover_within(&sandbox, OutsideLinks::Follow);
        let kinds: Vec<(&str, CheckoutKind)> =
            found.checkouts.iter().map(|checkout| (checkout.alias.as_str(), checkout.kind)).collect();
        assert_eq!(kinds, [("app", CheckoutKind::WorkTree), ("lib", CheckoutKind::WorkTree)], "{idx}: {reason}");
        assert!(refusal(&found).is_some_and(|shown| shown.contains(reason)), "{idx}: {reason}: {found:?}");
        let reported = found.diagnostics.iter().any(|diagnostic| diagnostic.message.contains(reason));
        assert!(reported, "{idx}: {reason}: {:?}", found.diagnostics);
        let error = resolve(app(&found)).unwrap_err();
        assert!(matches!(&error, SourceError::Refused { .. }), "{idx}: {error:?}");
    }
}

#[test]
fn files_that_turn_odd_after_the_discovery_are_an_error_of_their_repository() {
    let cases: &[(&str, Change)] = &[
        ("`HEAD` of the repository: it is a pipe", |s| replace_with_pipe(s, "odd/app/.git/HEAD")),
        ("`refs/heads/main` of the repository: it is a pipe", |s| replace_with_pipe(s, "odd/app/.git/refs/heads/main")),
        ("`refs/heads/main` of the repository: it is a device", |s| {
            replace_with_link(s, "odd/app/.git/refs/heads/main", "/dev/zero");
        }),
        ("`packed-refs` of the repository: it is a pipe", |s| {
            s.run("odd/app", "git pack-refs --all");
            replace_with_pipe(s, "odd/app/.git/packed-refs");
        }),
        ("`config` of the repository: it is a device", |s| replace_with_link(s, "odd/app/.git/config", "/dev/zero")),
        ("`objects/info/alternates` of the repository: it is a pipe", |s| {
            replace_with_pipe(s, "odd/app/.git/objects/info/alternates");
        }),
        ("`objects/pack/b.pack` of the repository: it is a pipe", |s| {
            replace_with_pipe(s, "odd/app/.git/objects/pack/b.pack");
        }),
        ("`commondir` of the repository: it is a pipe", |s| replace_with_pipe(s, "odd/app/.git/commondir")),
        ("`commondir` of the repository: it is a device", |s| {
            replace_with_link(s, "odd/app/.git/commondir", "/dev/zero");
        }),
        ("`commondir` of the repository: it was changed", |s| s.write("odd/app/.git/commondir", "../../lib/.git")),
        ("`HEAD` of the repository: it has 65536 bytes", |s| s.write("odd/app/.git/HEAD", &"x".repeat(1 << 16))),
        // Parsed, it would take 150 times as much memory.
        ("`config` of the repository: it has 1048576 bytes", |s| {
            s.write("odd/app/.git/config", &"[a]\n".repeat(1 << 18));
        }),
        ("`HEAD` of the repository", |s| s.write("odd/app/.git/HEAD", "ref: ../../../etc/passwd")),
    ];
    for (idx, (reason, change)) in cases.iter().enumerate() {
        let sandbox = changed_repository(|_| {});
        let checkout = app(&discover_within(&sandbox, OutsideLinks::Follow)).clone();
        let head = resolve(&checkout).unwrap();
        change(&sandbox);
        assert!(matches!(head_signature(&checkout), HeadSignature::At(_)), "{idx}: a poll does not wait");
        let error = resolve(&checkout).unwrap_err();
        assert!(matches!(&error, SourceError::Refused { .. }), "{idx}: {error:?}");
        assert!(error.to_string().contains(reason), "{idx}: {error}");
        _ = list(&checkout, &head);
    }
}

#[test]
fn the_configuration_names_no_files_that_are_read_whole() {
    let replaced = "1".repeat(40);
    for config in [
        "[gitoxide \"objects\"]\n\treplaceRefBase = refs/other/\n".to_owned(),
        "[gitoxide \"core\"]\n\tshallowFile = /dev/zero\n".to_owned(),
        "[gitoxide \"core\"]\n\tshallowFile = refs/other/1\n[core]\n\tuseReplaceRefs = true\n".to_owned(),
    ] {
        let sandbox = changed_repository(|_| {});
        let checkout = app(&discover_within(&sandbox, OutsideLinks::Follow)).clone();
        for name in [format!("refs/replace/{replaced}"), format!("refs/other/{replaced}"), "refs/other/1".to_owned()] {
            sandbox.write(&format!("odd/app/.git/{name}"), "");
            let file = fs::OpenOptions::new().write(true).open(sandbox.path(&format!("odd/app/.git/{name}"))).unwrap();
            file.set_len(6 << 30).unwrap();
        }
        let path = sandbox.path("odd/app/.git/config");
        fs::write(&path, fs::read_to_string(&path).unwrap() + &config).unwrap();
        let head = resolve(&checkout).unwrap();
        assert!(list(&checkout, &head).is_ok(), "{config}");
        assert!(crate::commits(&checkout, &head, None, WalkBounds::default()).is_ok(), "{config}");
    }
}

#[test]
fn every_reference_is_checked_before_one_is_looked_up() {
    let cases: &[(&str, Change)] = &[
        ("`refs/heads/a/b` of the repository: it is a pipe", |s| replace_with_pipe(s, "odd/app/.git/refs/heads/a/b")),
        ("`refs/tags/v1` of the repository: it is a device", |s| {
            replace_with_link(s, "odd/app/.git/refs/tags/v1", "/dev/zero");
        }),
        ("`refs/notes/commits` of the repository: it has 65536 bytes", |s| {
            s.write("odd/app/.git/refs/notes/commits", &"x".repeat(1 << 16));
        }),
        ("` of the repository: it has 6442450944 bytes", |s| {
            let folder = s.path("odd/app/.git/refs/heads").join(OsStr::from_bytes(b"\xff"));
            fs::create_dir(&folder).unwrap();
            fs::File::create(folder.join("a")).unwrap().set_len(6 << 30).unwrap();
        }),
        ("`refs/heads/linked` of the repository: it is a folder", |s| {
            replace_with_link(s, "odd/app/.git/refs/heads/linked", s.path("odd/lib"));
        }),
    ];
    for (idx, (reason, change)) in cases.iter().enumerate() {
        let sandbox = changed_repository(*change);
        let checkout = app(&discover_within(&sandbox, OutsideLinks::Follow)).clone();
        assert!(resolve(&checkout).is_ok(), "{idx}: other references do not concern `HEAD`");
        let error = crate::find_reference(&checkout, "main").unwrap_err();
        assert!(error.to_string().contains(reason), "{idx}: {error}");
        let view = Checkout { view: crate::CheckoutView::Reference("refs/heads/main".into()), ..checkout };
        assert!(resolve(&view).unwrap_err().to_string().contains(reason), "{idx}");
    }
}

#[test]
fn a_link_out_of_the_roots_is_followed_only_if_that_is_allowed() {
    let outside: &[(&str, Change)] = &[
        (".git", |s| separate(s, "secret/app")),
        ("commondir", |s| {
            s.run("odd/app", "git worktree add -q ../../secret/next");
            // The main repository is outside, the work tree inside.
            fs::rename(s.path("odd/app"), s.path("secret/app")).unwrap();
            s.run("secret/app", "git worktree add -q ../../odd/app -b topic");
        }),
        ("objects", |s| {
            fs::create_dir_all(s.path("secret")).unwrap();
            fs::rename(s.path("odd/app/.git/objects"), s.path("secret/objects")).unwrap();
            replace_with_link(s, "odd/app/.git/objects", s.path("secret/objects"));
        }),
        ("refs", |s| {
            fs::create_dir_all(s.path("secret")).unwrap();
            fs::rename(s.path("odd/app/.git/refs"), s.path("secret/refs")).unwrap();
            replace_with_link(s, "odd/app/.git/refs", s.path("secret/refs"));
        }),
        ("objects/pack", |s| {
            s.run("odd/app", "git gc -q");
            fs::create_dir_all(s.path("secret")).unwrap();
            fs::rename(s.path("odd/app/.git/objects/pack"), s.path("secret/pack")).unwrap();
            replace_with_link(s, "odd/app/.git/objects/pack", s.path("secret/pack"));
        }),
        ("objects/info/alternates", |s| {
            s.repository("secret/app", FILES);
            let objects = s.path("secret/app/.git/objects");
            s.write("odd/app/.git/objects/info/alternates", &format!("# borrowed\n{}\n", objects.display()));
        }),
        ("objects/info/alternates", |s| {
            s.repository("secret/app", FILES);
            s.write("odd/app/.git/objects/info/alternates", "../../../../secret/app/.git/objects\n");
        }),
    ];
    for (idx, (name, change)) in outside.iter().enumerate() {
        let sandbox = changed_repository(*change);
        let refused = discover_within(&sandbox, OutsideLinks::Refuse);
        assert!(refusal(&refused).is_some(), "{idx}: {name}: {refused:?}");
        let allowed = discover_within(&sandbox, OutsideLinks::Follow);
        assert_eq!(app(&allowed).unread, None, "{idx}: {name}: {:?}", allowed.diagnostics);
        let is_shown = |found: &Discovery, text: &str| {
            found.diagnostics.iter().any(|diagnostic| diagnostic.message.contains(text))
        };
        assert!(is_shown(&refused, "leads out of the configured folders"), "{idx}: {name}: {:?}", refused.diagnostics);
        assert!(is_shown(&allowed, &format!("`{name}`")), "{idx}: {name}: {:?}", allowed.diagnostics);
        let app = app(&allowed);
        assert_eq!(list(app, &resolve(app).unwrap()).unwrap().files.len(), 1, "{idx}: {name}");
    }
}

/// Moves each folder of loose objects, or each loose object, out of the roots, and leaves links.
fn link_objects(sandbox: &Sandbox, is_each: bool) {
    let (objects, secret) = (sandbox.path("odd/app/.git/objects"), sandbox.path("secret"));
    for folder in fs::read_dir(&objects).unwrap().map(|entry| entry.unwrap()) {
        let name = folder.file_name().to_string_lossy().into_owned();
        if name.len() != 2 {
            continue;
        }
        fs::create_dir_all(secret.join(&name)).unwrap();
        for object in fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap()) {
            let moved = secret.join(&name).join(object.file_name());
            fs::rename(object.path(), &moved).unwrap();
            if is_each {
                std::os::unix::fs::symlink(moved, object.path()).unwrap();
            }
        }
        if !is_each {
            fs::remove_dir(folder.path()).unwrap();
            std::os::unix::fs::symlink(secret.join(&name), folder.path()).unwrap();
        }
    }
}

#[test]
fn objects_out_of_the_roots_are_followed_only_if_that_is_allowed() {
    for change in [|s: &Sandbox| link_objects(s, false), |s: &Sandbox| link_objects(s, true)] {
        let sandbox = changed_repository(change);
        let refused = discover_within(&sandbox, OutsideLinks::Refuse);
        let is_refusal =
            |text: &str| text.contains("`objects/") && text.contains("leads out of the configured folders");
        assert!(refused.diagnostics.iter().any(|diagnostic| is_refusal(&diagnostic.message)), "{refused:?}");
        assert!(refusal(&refused).is_some());
        let allowed = discover_within(&sandbox, OutsideLinks::Follow);
        assert_eq!(list(app(&allowed), &resolve(app(&allowed)).unwrap()).unwrap().files.len(), 1);
    }
}

#[test]
fn missing_alternates_count() {
    let sandbox = changed_repository(|s| s.write("odd/app/.git/objects/info/alternates", &"../missing\n".repeat(65)));
    let found = discover_within(&sandbox, OutsideLinks::Follow);
    let is_named = found.diagnostics.iter().any(|diagnostic| diagnostic.message.contains("more than 64 repositories"));
    assert!(is_named, "{:?}", found.diagnostics);
}

#[test]
fn an_object_of_a_false_size_takes_no_memory() {
    let sandbox = changed_repository(|_| {});
    // A commit that declares 6 GiB, compressed without compression.
    let content = b"commit 6442450944\0tree ";
    let length = content.len() as u16;
    let adler = content.iter().fold((1u32, 0u32), |(a, b), byte| {
        let a = (a + u32::from(*byte)) % 65_521;
        (a, (b + a) % 65_521)
    });
    let mut packed = vec![0x78, 0x01, 0x01];
    packed.extend(length.to_le_bytes());
    packed.extend((!length).to_le_bytes());
    packed.extend(content);
    packed.extend((adler.1 << 16 | adler.0).to_be_bytes());
    let id = "b0".repeat(20);
    fs::create_dir_all(sandbox.path("odd/app/.git/objects/b0")).unwrap();
    fs::write(sandbox.path(&format!("odd/app/.git/objects/b0/{}", &id[2..])), packed).unwrap();
    let found = discover_within(&sandbox, OutsideLinks::Follow);
    let app = app(&found);
    let head = sandbox.run("odd/app", "git symbolic-ref HEAD");
    sandbox.write(&format!("odd/app/.git/{}", head.trim()), &id);
    let error = resolve(app).unwrap_err();
    let reasons: Vec<String> = std::iter::successors(Some(&error as &dyn std::error::Error), |error| error.source())
        .map(|error| error.to_string())
        .collect();
    assert!(reasons.join("; ").contains("limit"), "{reasons:?}");
}

#[test]
fn a_link_that_leads_out_later_is_refused() {
    let sandbox = changed_repository(|_| {});
    let found = discover_within(&sandbox, OutsideLinks::Refuse);
    let app = app(&found);
    sandbox.repository("secret/app", FILES);
    let objects = sandbox.path("secret/app/.git/objects");
    sandbox.write("odd/app/.git/objects/info/alternates", &format!("{}\n", objects.display()));
    assert!(matches!(resolve(app), Err(SourceError::Refused { .. })));
}

#[test]
fn links_within_the_roots_need_no_permission() {
    let sandbox = Sandbox::new();
    sandbox.repository("odd/app", FILES);
    sandbox.run("odd/app", "git worktree add -q ../next");
    sandbox.run("odd", "git clone -q --shared app shared");
    sandbox.repository("odd/lib", FILES);
    let found = discover_within(&sandbox, OutsideLinks::Refuse);
    assert_eq!(found.diagnostics, []);
    assert!(found.checkouts.iter().all(|checkout| checkout.unread.is_none()), "{found:?}");
    for checkout in &found.checkouts {
        assert_eq!(list(checkout, &resolve(checkout).unwrap()).unwrap().files.len(), 1, "{}", checkout.alias);
    }
}
