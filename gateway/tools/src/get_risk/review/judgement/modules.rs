//! Modules as written in imports, and the files that they are.

use std::path::Path;

/// The file that a module as written is, of two with a definition before and after a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NamedModule {
    Old,
    New,
    Either,
    /// Neither, but it may export the name again.
    Other,
}

/// Compares a module as written with the ends of both paths. `user` is the file with the import.
pub(super) fn named_module(module: &str, old_path: &str, new_path: &str, user: &str) -> NamedModule {
    let written = written_parts(module);
    let n_equal = |path: &str| {
        let parts = module_parts(path);
        let n_equal = written.iter().rev().zip(parts.iter().rev()).take_while(|(one, other)| one == other).count();
        n_equal.max(usize::from(written.is_empty() && !path.is_empty() && exports_to(path, module, user)))
    };
    match (n_equal(old_path), n_equal(new_path)) {
        (0, 0) => NamedModule::Other,
        (old, new) if old > new => NamedModule::Old,
        (old, new) if old < new => NamedModule::New,
        _ => NamedModule::Either,
    }
}

/// Returns true if a module as written in the file `user` may be the file `path`: by its name, or by the folder that the file stands for.
pub(super) fn exports_to(path: &str, module: &str, user: &str) -> bool {
    let written = written_parts(module);
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    match written.last() {
        Some(last) if is_index(path) => folder.split('/').any(|part| part == *last),
        Some(last) => stem(path) == *last,
        None => is_index(path) && Path::new(user).starts_with(folder),
    }
}

/// Returns the names of a module as written, without those of the own crate or folder.
fn written_parts(module: &str) -> Vec<&str> {
    let parts = module.split(['/', '.', ':']);
    parts.filter(|part| !matches!(*part, "" | "crate" | "self" | "super")).collect()
}

/// Returns the names of the folders and of the module that a file is.
fn module_parts(path: &str) -> Vec<&str> {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let own = Some(stem(path)).filter(|_| !is_index(path));
    folder.split('/').filter(|part| !part.is_empty()).chain(own).collect()
}

/// Returns true for a file that stands for its folder.
fn is_index(path: &str) -> bool {
    matches!(stem(path), "index" | "mod" | "__init__" | "lib")
}

fn stem(path: &str) -> &str {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    name.split('.').next().unwrap_or_default()
}

pub(super) fn last_of_module(module: &str) -> &str {
    module.rsplit(['/', '.', ':']).find(|part| !part.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_compared_by_the_ends_of_paths() {
        for (module, old, new, expected) in [
            (".helpers", "src/app/helpers.py", "src/app/scaffold.py", NamedModule::Old),
            ("app.scaffold", "src/app/helpers.py", "src/app/scaffold.py", NamedModule::New),
            ("._dispatch.asgi", "x/_dispatch/asgi.py", "x/_transports/asgi.py", NamedModule::Old),
            ("._transports.asgi", "x/_dispatch/asgi.py", "x/_transports/asgi.py", NamedModule::New),
            (".asgi", "x/_dispatch/asgi.py", "x/_transports/asgi.py", NamedModule::Either),
            ("./a/b", "src/a/b/index.ts", "src/a/c.ts", NamedModule::Old),
            ("crate::a", "src/a.rs", "src/a/mod.rs", NamedModule::Either),
            ("os", "src/a.py", "src/b.py", NamedModule::Other),
            ("app", "src/app/a.py", "", NamedModule::Other),
            (".", "src/__init__.py", "src/b.py", NamedModule::Old),
            (".", "src/a.py", "src/b.py", NamedModule::Other),
        ] {
            assert_eq!(named_module(module, old, new, "src/use.py"), expected, "{module} {old} {new}");
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
        ] {
            assert_eq!(exports_to(path, module, user), expected, "{path} {module} {user}");
        }
    }
}
