//! Manifests of Ruby: a gem specification, and a `Gemfile`. Computed names and versions are unknown.

use super::{ManifestPackages, PackageDeclaration};

/// Calls of a gem specification that require a gem.
const REQUIRING: [&str; 3] = ["add_dependency", "add_runtime_dependency", "add_development_dependency"];

pub(super) fn gemspec(text: &str) -> ManifestPackages {
    let mut packages = ManifestPackages::default();
    let mut version = String::new();
    for (line, number) in lines(text) {
        if let Some((receiver, value)) = line.split_once('=').map(|(left, value)| (left.trim(), value.trim())) {
            match receiver.rsplit_once('.') {
                Some((_, "name")) if packages.own.is_empty() => {
                    packages.own.extend(literals(value).first().map(|name| gem(name, number)));
                    continue;
                }
                Some((_, "version")) if version.is_empty() => {
                    version = literals(value).first().map_or_else(String::new, |version| (*version).to_owned());
                    continue;
                }
                _ => {}
            }
        }
        let called = REQUIRING.iter().find_map(|call| line.split_once(&format!(".{call}")));
        packages.required.extend(called.and_then(|(_, arguments)| required(arguments, number)));
    }
    packages.own = packages.own.into_iter().map(|own| own.with_version(&version)).collect();
    packages
}

pub(super) fn gemfile(text: &str) -> ManifestPackages {
    let requiring = lines(text).filter_map(|(line, number)| {
        let arguments = line.strip_prefix("gem").filter(|rest| rest.starts_with([' ', '(']))?;
        required(arguments, number)
    });
    ManifestPackages { required: requiring.collect(), ..ManifestPackages::default() }
}

/// Returns the lines of code with their numbers.
fn lines(text: &str) -> impl Iterator<Item = (&str, u32)> {
    text.lines().map(str::trim).zip(1..).filter(|(line, _)| !line.starts_with('#'))
}

/// Returns the gem that arguments name first, with the requirements of its version behind it.
fn required(arguments: &str, line: u32) -> Option<PackageDeclaration> {
    let is_literal = arguments.trim_start_matches([' ', '(', '<']).starts_with(['"', '\'']);
    let named = literals(arguments);
    let (name, rest) = named.split_first().filter(|_| is_literal)?;
    let is_version = |word: &&&str| word.starts_with(|c: char| c.is_ascii_digit() || "<>=~!".contains(c));
    let version = rest.iter().take_while(is_version).copied().collect::<Vec<_>>().join(", ");
    Some(gem(name, line).with_version(&version))
}

fn gem(name: &str, line: u32) -> PackageDeclaration {
    PackageDeclaration { key: format!("gem:{name}"), local: String::new(), line, version: String::new() }
}

/// Returns the quoted texts of a line.
fn literals(line: &str) -> Vec<&str> {
    let (mut found, mut rest) = (Vec::new(), line);
    while let Some(at) = rest.find(['"', '\'']) {
        let mark = &rest[at..=at];
        let Some((text, after)) = rest[at + 1..].split_once(mark) else { break };
        if !text.is_empty() && !text.contains("#{") {
            found.push(text);
        }
        rest = after;
    }
    found
}
