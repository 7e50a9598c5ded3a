//! Generators of Go that make a package for each service: its name tells the service (`cartservice.NewClient`).

use graph::{FileIdx, Program};
use model::Language;

use super::{
    generators::{GeneratedMatch, Role},
    service_name,
};

/// Folders of generated code with a package for each service: those of Kitex.
const FOLDERS: [&str; 1] = ["kitex_gen"];

/// Names in the package of a service, with their roles.
const NAMES: [(&str, Role); 7] = [
    ("NewClient", Role::Client),
    ("MustNewClient", Role::Client),
    ("NewStreamClient", Role::Client),
    ("Client", Role::Client),
    ("NewServer", Role::Registration(0)),
    ("NewServerWithHandler", Role::Registration(0)),
    ("RegisterService", Role::Registration(1)),
];

/// Returns the service of a name in its package, if the name has one of some roles.
pub(super) fn find(
    program: &Program<'_>,
    file: FileIdx,
    path: &[&str],
    is_role: impl Fn(Role) -> bool,
) -> Option<GeneratedMatch> {
    let [package, name] = path else { return None };
    let (_, role) = NAMES.iter().find(|(of, role)| of == name && is_role(*role))?;
    if program.language(file) != Language::Go {
        return None;
    }
    let (_, import) = service_name::import_of(program, file, package)?;
    let mut parts = import.module.rsplit('/');
    let service = parts.next()?.to_owned();
    let is_generated = parts.any(|part| FOLDERS.contains(&part));
    is_generated.then_some(GeneratedMatch { service, n_before: 1, role: *role, is_specific: true })
}
