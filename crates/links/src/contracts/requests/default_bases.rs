//! The base that an application sets for all requests of axios: `axios.defaults.baseURL = "http://cart"`.

use std::rc::Rc;

use graph::{FileIdx, Program};
use model::{Language, code::ExpressionId};

use super::{RequestReader, bases::is_address};
use crate::contracts::{text_value::TextValue, visibility::is_test_or_example};

/// Names of the files that set up an application.
const SET_UP: [&str; 10] = ["main", "index", "app", "_app", "axios", "api", "http", "request", "client", "config"];

/// Maximum number of files that may set up one application. The base of a larger one is unknown.
const MAX_SET_UP: usize = 100;

impl RequestReader<'_, '_, '_> {
    /// Returns the base that the application of a file sets for all requests of axios; `None` for several different ones.
    pub(super) fn default_base(&mut self, file: FileIdx, client: ExpressionId) -> Option<TextValue> {
        if self.values.origin(file, client)?.path != "axios" {
            return None;
        }
        let program = self.values.program();
        let all = self.set_up_files();
        let of_application = all
            .iter()
            .copied()
            .filter(|at| *at != file && is_set_up_of(program, program.path(*at), program.path(file)));
        let files: Vec<FileIdx> = of_application.chain([file]).take(MAX_SET_UP + 1).collect();
        if files.len() > MAX_SET_UP {
            return None;
        }
        let mut found: Vec<TextValue> = Vec::new();
        for at in files {
            for (object, value) in self.values.field_values(at, "baseURL") {
                if self.values.dotted(at, object).is_some_and(|object| object == "axios.defaults") {
                    self.values.cx.consult(at);
                    found.push(self.values.text(at, value));
                }
            }
        }
        found.dedup();
        if found.len() == 1 { found.pop().filter(is_address) } else { None }
    }

    /// Returns the files of the repository that may set up an application.
    fn set_up_files(&mut self) -> Rc<[FileIdx]> {
        let program = self.values.program();
        let may_set_up = |file: &FileIdx| {
            let path = program.path(*file);
            let name = path.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
            matches!(program.language(*file), Language::JavaScript | Language::TypeScript | Language::Tsx)
                && SET_UP.contains(&name.split('.').next().unwrap_or_default())
                && !is_test_or_example(path)
        };
        let files = self.set_up_files.get_or_insert_with(|| program.file_indices().filter(may_set_up).collect());
        Rc::clone(files)
    }
}

/// Returns true if a file may set up the application of another file: both have the same package and the same folder of sources. Without
/// such a folder, the file is beside the other one, or in a folder around it.
fn is_set_up_of(program: &Program<'_>, set_up: &str, file: &str) -> bool {
    let around = folder(set_up);
    package_folder(program, set_up) == package_folder(program, file)
        && match (before_sources(set_up), before_sources(file)) {
            (Some(application), Some(of_file)) => application == of_file,
            (None, Some(of_file)) => around == of_file,
            (None, None) => file.starts_with(around),
            (Some(_), None) => false,
        }
}

/// Returns the path before the folder of sources: `services/cart/` of `services/cart/src/main.js`.
fn before_sources(path: &str) -> Option<&str> {
    let is_folder = |at: usize| at == 0 || path[..at].ends_with('/');
    path.match_indices("src/").map(|(at, _)| at).find(|at| is_folder(*at)).map(|at| &path[..at])
}

/// Returns the folder of a file, with a slash behind it; empty for the root.
fn folder(path: &str) -> &str {
    path.rfind('/').map_or("", |end| &path[..=end])
}

/// Returns the nearest folder around a file that has a `package.json`.
fn package_folder<'f>(program: &Program<'_>, path: &'f str) -> Option<&'f str> {
    let parent = |of: &&'f str| of.strip_suffix('/').map(folder);
    let mut folders = std::iter::successors(Some(folder(path)), parent);
    folders.find(|folder| program.file_at(&format!("{folder}package.json")).is_some())
}
