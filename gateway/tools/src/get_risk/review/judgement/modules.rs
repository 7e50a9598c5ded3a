//! Modules as written in imports, and the files that they are.

use std::path::Path;

use model::Language;

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
            ("./lib", "src/lib.ts", "", NamedModule::Old),
            ("./lib.js", "src/lib.ts", "src/index.ts", NamedModule::Old),
            ("./index", "src/lib.ts", "src/index.ts", NamedModule::New),
            ("../a/orders.service", "src/a/orders.service.ts", "src/b/orders.service.ts", NamedModule::Old),
            ("./js", "src/lib.ts", "", NamedModule::Other),
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
