//! Modules as written in imports, and the files that they are.

use std::path::Path;

use model::Language;

use crate::get_risk::review::removed_files::{module_key, without_ending};

/// The file that a module as written is, of two with a definition before and after a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NamedModule {
    Old,
    New,
    Either,
    /// Neither, but it may export the name again.
    Other,
}

/// Compares a module as written with both paths: a relative one by its path, others by the ends of the paths. `user` is the file with the
/// import.
pub(super) fn named_module(module: &str, old_path: &str, new_path: &str, user: &str) -> NamedModule {
    if let Some(path) = relative_path(module, user) {
        return match (is_module(&path, old_path), is_module(&path, new_path)) {
            (true, true) => NamedModule::Either,
            (true, false) => NamedModule::Old,
            (false, true) => NamedModule::New,
            (false, false) => NamedModule::Other,
        };
    }
    let written = written_parts(module);
    let n_equal = |path: &str| {
        let (folders, own) = module_parts(path);
        let n_at_end = |parts: &[&str]| {
            written.iter().rev().zip(parts.iter().rev()).take_while(|(one, other)| one == other).count()
        };
        let by_file = n_at_end(&[folders.as_slice(), &[own]].concat());
        let by_folder = if is_index(path) { n_at_end(&folders) } else { 0 };
        by_file
            .max(by_folder)
            .max(usize::from(written.is_empty() && !path.is_empty() && exports_to(path, module, user)))
    };
    match (n_equal(old_path), n_equal(new_path)) {
        (0, 0) => NamedModule::Other,
        (old, new) if old > new => NamedModule::Old,
        (old, new) if old < new => NamedModule::New,
        _ => NamedModule::Either,
    }
}

/// Returns the path of a module that is written relative to the file `user`; `None` for others, and for one above the repository.
fn relative_path(module: &str, user: &str) -> Option<String> {
    let names = module.trim_start_matches('.');
    let n_dots = module.len() - names.len();
    // `./a` and `../a` are paths. Python writes `.a` and `..a`, and one further dot for each folder above.
    let is_path = names.starts_with('/') || names.is_empty() && n_dots <= 2;
    let (n_above, rest): (usize, Vec<&str>) = match n_dots {
        0 => return None,
        1 | 2 if is_path => (n_dots - 1, without_ending(names).split('/').collect()),
        _ if names.contains('/') => return None,
        _ => (n_dots - 1, names.split('.').collect()),
    };
    let folder: Vec<&str> = user.split('/').collect();
    let n_folders = folder.len().checked_sub(1 + n_above)?;
    let mut path: Vec<&str> = folder[..n_folders].to_vec();
    for part in rest {
        match part {
            "" | "." => {}
            ".." => drop(path.pop()?),
            name => path.push(name),
        }
    }
    Some(path.join("/"))
}

/// Returns true if the module at a path is the file `file`. A file that stands for its folder has the name of either.
fn is_module(path: &str, file: &str) -> bool {
    let (folder, last) = path.rsplit_once('/').unwrap_or(("", path));
    let is_it = |key: String| key == path || is_index(file) && last == stem(file) && key == folder;
    module_key(file).is_some_and(|(_, key)| is_it(key))
}

/// Returns true if a module as written in the file `user` may be the file `path`: by its name, or by the folder that the file stands for.
pub(super) fn exports_to(path: &str, module: &str, user: &str) -> bool {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let last = last_written(module);
    last_names(path).contains(&last) && (!last.is_empty() || Path::new(user).starts_with(folder))
}

/// Returns the last names of the modules that a file may export to, as `last_written` returns them.
pub(super) fn last_names(path: &str) -> Vec<&str> {
    let (folders, own) = module_parts(path);
    let of_folder = folders.into_iter().chain([""]).filter(|_| is_index(path));
    of_folder.chain([own]).collect()
}

/// Returns the last name of a module as written; empty if it is the own crate or folder.
pub(super) fn last_written(module: &str) -> &str {
    written_parts(module).last().copied().unwrap_or_default()
}

/// Returns the names of a module as written, without those of the own crate or folder.
fn written_parts(module: &str) -> Vec<&str> {
    parts(module).into_iter().filter(|part| !matches!(*part, "crate" | "self" | "super")).collect()
}

/// Returns the names of a module as written: those of a path, the last one without what the name of a file ends with, or those between dots.
fn parts(module: &str) -> Vec<&str> {
    let parts: Vec<&str> = match module.rsplit_once('/') {
        Some((folder, last)) => folder.split('/').chain([stem(last)]).collect(),
        None => module.split(['.', ':']).collect(),
    };
    parts.into_iter().filter(|part| !matches!(*part, "" | "." | "..")).collect()
}

/// Returns the names of the folders of a file, and that of the file.
fn module_parts(path: &str) -> (Vec<&str>, &str) {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    (folder.split('/').filter(|part| !part.is_empty()).collect(), stem(path))
}

/// Returns true for a file that stands for its folder.
fn is_index(path: &str) -> bool {
    match Language::of_path(path) {
        Language::Python => stem(path) == "__init__",
        Language::Rust => matches!(stem(path), "mod" | "lib"),
        Language::JavaScript | Language::TypeScript | Language::Tsx => stem(path) == "index",
        _ => false,
    }
}

fn stem(path: &str) -> &str {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    name.split('.').next().unwrap_or_default()
}

pub(super) fn last_of_module(module: &str) -> &str {
    parts(module).last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_compared_by_the_ends_of_paths() {
        for (module, user, old, new, expected) in [
            (".helpers", "src/app/use.py", "src/app/helpers.py", "src/app/scaffold.py", NamedModule::Old),
            ("app.scaffold", "src/use.py", "src/app/helpers.py", "src/app/scaffold.py", NamedModule::New),
            ("._dispatch.asgi", "x/use.py", "x/_dispatch/asgi.py", "x/_transports/asgi.py", NamedModule::Old),
            ("._transports.asgi", "x/use.py", "x/_dispatch/asgi.py", "x/_transports/asgi.py", NamedModule::New),
            ("x.asgi", "x/use.py", "x/_dispatch/asgi.py", "x/_transports/asgi.py", NamedModule::Either),
            (".asgi", "x/_transports/use.py", "x/_dispatch/asgi.py", "x/_transports/asgi.py", NamedModule::New),
            (".app", "src/a/sansio/use.py", "src/a/sansio/app.py", "src/a/app.py", NamedModule::Old),
            ("..app", "src/a/sansio/use.py", "src/a/sansio/app.py", "src/a/app.py", NamedModule::New),
            ("...app", "src/a/sansio/use.py", "src/a/sansio/app.py", "src/a/app.py", NamedModule::Other),
            ("....app", "src/use.py", "src/app.py", "app.py", NamedModule::Either),
            ("./a/b", "src/use.ts", "src/a/b/index.ts", "src/a/c.ts", NamedModule::Old),
            ("crate::a", "src/use.rs", "src/a.rs", "src/a/mod.rs", NamedModule::Either),
            ("os", "src/use.py", "src/a.py", "src/b.py", NamedModule::Other),
            ("app", "src/use.py", "src/app/a.py", "", NamedModule::Other),
            (".", "src/use.py", "src/__init__.py", "src/b.py", NamedModule::Old),
            (".", "src/use.py", "src/a.py", "src/b.py", NamedModule::Other),
            ("./lib", "src/use.ts", "src/lib.ts", "", NamedModule::Old),
            ("./lib.js", "src/use.ts", "src/lib.ts", "src/index.ts", NamedModule::Old),
            ("./lib.js", "test/use.ts", "src/lib.ts", "src/index.ts", NamedModule::Other),
            ("./index", "src/use.ts", "src/lib.ts", "src/index.ts", NamedModule::New),
            ("./index", "use.ts", "index.ts", "lib.ts", NamedModule::Old),
            ("./index", "use.ts", "lib.ts", "a/index.ts", NamedModule::Other),
            (".__init__", "src/use.py", "src/__init__.py", "src/b.py", NamedModule::Old),
            (".__init__", "use.py", "__init__.py", "b.py", NamedModule::Old),
            (".index", "use.py", "__init__.py", "b.py", NamedModule::Other),
            ("..", "src/b/use.ts", "src/lib.ts", "src/index.ts", NamedModule::New),
            (
                "../a/orders.service",
                "src/b/u.ts",
                "src/a/orders.service.ts",
                "src/b/orders.service.ts",
                NamedModule::Old,
            ),
            ("./js", "src/use.ts", "src/lib.ts", "", NamedModule::Other),
        ] {
            assert_eq!(named_module(module, old, new, user), expected, "{module} {user} {old} {new}");
        }
    }

    #[test]
    fn files_export_to_those_that_name_them_or_their_folder() {
        for (path, module, user, expected) in [
            ("src/app/__init__.py", "app", "tests/a.py", true),
            ("src/app/__init__.py", "..", "src/app/sub/a.py", true),
            ("src/app/__init__.py", "..", "src/other/a.py", false),
            ("src/app/__init__.py", "other", "tests/a.py", false),
            ("packages/shared/src/index.ts", "@acme/shared", "packages/core/src/a.ts", true),
            ("src/compat.py", ".compat", "src/a.py", true),
            ("src/compat.py", ".compatible", "src/a.py", false),
            ("src/lib.rs", "crate", "src/a/b.rs", true),
            ("src/lib.ts", "./", "src/a.ts", false),
            ("src/lib.ts", "./lib.js", "src/a.ts", true),
            ("src/index.ts", "./index", "src/a.ts", true),
            ("src/index.ts", "./", "src/a.ts", true),
            ("src/index.py", ".", "src/a.py", false),
        ] {
            assert_eq!(exports_to(path, module, user), expected, "{path} {module} {user}");
        }
    }
}
