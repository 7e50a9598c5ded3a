//! Extracts the targets of a manifest: installed commands, exports for importers, and scripts for developers.

use serde_json::Value;

/// A named target of a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManifestTarget {
    /// The kind of target.
    pub kind: ManifestTargetKind,
    /// The name as written in the manifest.
    pub name: String,
    /// The path or function that the name refers to, as written in the manifest.
    pub reference: String,
    /// The line of the manifest, counted from 1.
    pub line: u32,
}

/// The kinds of targets of a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ManifestTargetKind {
    /// A command that the package installs.
    Command,
    /// A module that others can import.
    Export,
    /// A script for developers of the package.
    Script,
}

/// Maximum number of targets of one manifest. Manifests with more are generated.
const MAX_TARGETS: usize = 60;

/// Maximum length in bytes of a name and of a target. Longer ones are scripts.
const MAX_TEXT_BYTES: usize = 200;

/// Returns the targets of a manifest; none if it cannot be parsed.
pub fn manifest_targets(path: &str, text: &str) -> Vec<ManifestTarget> {
    let found = match path.rsplit('/').next().unwrap_or(path) {
        "package.json" => npm(text),
        "pyproject.toml" => python(text),
        "setup.py" | "setup.cfg" => console_scripts(text),
        "Cargo.toml" => cargo(text),
        _ => Vec::new(),
    };
    let fits =
        |(_, name, target): &(ManifestTargetKind, String, String)| name.len().max(target.len()) <= MAX_TEXT_BYTES;
    let found = found.into_iter().filter(fits).take(MAX_TARGETS);
    found
        .map(|(kind, name, target)| ManifestTarget { kind, line: line_of(text, &name), name, reference: target })
        .collect()
}

type NamedTargets = Vec<(ManifestTargetKind, String, String)>;

fn npm(text: &str) -> NamedTargets {
    let Ok(manifest) = serde_json::from_str::<Value>(text) else { return Vec::new() };
    let package = manifest["name"].as_str().unwrap_or_default();
    let own_name = package.rsplit('/').next().unwrap_or(package);
    let mut found = Vec::new();
    match &manifest["bin"] {
        Value::String(target) => found.push((ManifestTargetKind::Command, own_name.to_owned(), target.clone())),
        Value::Object(commands) => found.extend(commands.iter().filter_map(|(name, target)| {
            Some((ManifestTargetKind::Command, name.clone(), target.as_str()?.to_owned()))
        })),
        _ => {}
    }
    match (&manifest["exports"], manifest["main"].as_str()) {
        (Value::Object(exports), _) if exports.keys().any(|name| name.starts_with('.')) => {
            found.extend(exports.iter().filter(|(name, _)| !name.contains('*')).filter_map(|(name, target)| {
                Some((ManifestTargetKind::Export, name.clone(), first_path(target)?.to_owned()))
            }));
        }
        (exports, main) => {
            let target = first_path(exports).or(main).or(manifest["module"].as_str());
            let field = if exports.is_null() { if main.is_some() { "main" } else { "module" } } else { "exports" };
            found.extend(target.map(|target| (ManifestTargetKind::Export, field.to_owned(), target.to_owned())));
        }
    }
    let scripts = manifest["scripts"].as_object().into_iter().flatten();
    found.extend(scripts.map(|(name, _)| (ManifestTargetKind::Script, name.clone(), String::new())));
    found
}

/// Returns the path of an export, under any condition.
fn first_path(export: &Value) -> Option<&str> {
    match export {
        Value::String(path) => Some(path),
        Value::Object(conditions) => {
            let order = ["import", "default", "require", "types"];
            order.iter().find_map(|condition| first_path(conditions.get(*condition)?))
        }
        _ => None,
    }
}

fn python(text: &str) -> NamedTargets {
    let Ok(manifest) = text.parse::<toml::Table>() else { return Vec::new() };
    let tables = [
        manifest.get("project").and_then(|project| project.get("scripts")),
        manifest.get("project").and_then(|project| project.get("gui-scripts")),
        manifest.get("tool").and_then(|tool| tool.get("poetry")?.get("scripts")),
    ];
    let commands = tables.into_iter().flatten().filter_map(toml::Value::as_table).flatten();
    commands
        .filter_map(|(name, target)| {
            Some((ManifestTargetKind::Command, name.clone(), without_extras(target.as_str()?)))
        })
        .collect()
}

/// Removes the extras of a target: `kit.server:run [http]`.
fn without_extras(target: &str) -> String {
    target.split_whitespace().next().unwrap_or_default().to_owned()
}

/// Returns the commands of a `setup.py` or a `setup.cfg`. Only literal text `name = module:function` is recognised, in quotes
/// or one a line; computed names are skipped.
fn console_scripts(text: &str) -> NamedTargets {
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c));
    let is_target =
        |target: &str| target.split_once(':').is_some_and(|(module, call)| is_name(module) && is_name(call));
    let mut found = Vec::new();
    for (at, key) in ["console_scripts", "gui_scripts"].iter().flat_map(|key| text.match_indices(key)) {
        let before = text[..at].rfind("\n[").map(|line| line + 1).or_else(|| text.starts_with('[').then_some(0));
        let section = before.map_or("", |line| text[line + 1..at].split(']').next().unwrap_or_default());
        if !(section.is_empty() || section == "options.entry_points") {
            continue;
        }
        // `console_scripts =` in a configuration file, `'console_scripts': [` and `'console_scripts': '` in a program, and
        // `[console_scripts]` in a string literal of a program.
        let rest = text[at + key.len()..].trim_start_matches(['"', '\'', ']']).trim_start_matches([' ', ':', '=']);
        let end = match rest.chars().next() {
            Some('[') => rest.find(']'),
            Some(quote @ ('"' | '\'')) => rest[1..].find(quote).map(|end| end + 1),
            _ => {
                [rest.find("\n\n"), rest.find("\n["), rest.find("\"\"\""), rest.find("'''")].into_iter().flatten().min()
            }
        };
        for item in rest[..end.unwrap_or(rest.len())].split(['"', '\'', '\n', ',']) {
            let Some((name, target)) = item.split_once('=') else { continue };
            let (name, target) = (name.trim(), without_extras(target));
            if is_name(name) && is_target(&target) {
                found.push((ManifestTargetKind::Command, name.to_owned(), target));
            }
        }
    }
    found
}

fn cargo(text: &str) -> NamedTargets {
    let Ok(manifest) = text.parse::<toml::Table>() else { return Vec::new() };
    let targets = manifest.get("bin").and_then(toml::Value::as_array).into_iter().flatten();
    let text = |target: &toml::Value, field: &str| target.get(field)?.as_str().map(str::to_owned);
    targets
        .filter_map(|target| {
            Some((ManifestTargetKind::Command, text(target, "name")?, text(target, "path").unwrap_or_default()))
        })
        .collect()
}

/// Returns the first line that contains the name as a key or a value; line 1 if there is none.
fn line_of(text: &str, name: &str) -> u32 {
    let is_key = |line: &str| {
        let line = line.trim_start();
        let rest = line.strip_prefix(name).or_else(|| line.strip_prefix('"')?.strip_prefix(name)?.strip_prefix('"'));
        rest.is_some_and(|rest| rest.trim_start().starts_with([':', '=']))
    };
    let is_assigned = |line: &str| {
        line.split(['"', '\'']).any(|part| part.trim_start().strip_prefix(name).is_some_and(is_assignment))
    };
    let quoted = format!("\"{name}\"");
    let at = text.lines().position(is_key).or_else(|| text.lines().position(is_assigned));
    at.or_else(|| text.lines().position(|line| line.contains(&quoted))).map_or(1, |index| index as u32 + 1)
}

fn is_assignment(rest: &str) -> bool {
    rest.trim_start().starts_with('=')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, expected: &[&str]) {
        let shown = |target: &ManifestTarget| {
            format!("{:?} {} {}:{}", target.kind, target.name, target.reference, target.line).replace("  ", " ")
        };
        assert_eq!(manifest_targets(path, text).iter().map(shown).collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn targets_of_manifests_are_extracted() {
        check(
            "a/package.json",
            "{\"name\": \"@acme/kit\",\n\"bin\": \"cli.js\",\n\"main\": \"dist/a.js\",\n\"scripts\": {\n\"build\": \"tsc\"}}",
            &["Command kit cli.js:1", "Export main dist/a.js:3", "Script build :5"],
        );
        check(
            "package.json",
            "{\"exports\": {\n\".\": {\"types\": \"a.d.ts\", \"import\": \"a.js\"},\n\"./b\": \"b.js\", \"./*\": \"./*\"}}",
            &["Export . a.js:2", "Export ./b b.js:3"],
        );
        check("pyproject.toml", "[project.scripts]\nrun = \"kit.main:run\"", &["Command run kit.main:run:2"]);
        check("pyproject.toml", "[project.scripts]\nrun = \"kit.main:run [http]\"", &["Command run kit.main:run:2"]);
        let cfg = "[options.entry_points]\nconsole_scripts =\n    run = kit.main:run\n    kit-http = kit.http:run [http]\n\n                   [tool:pytest]\nargs = a:b\n";
        check("setup.cfg", cfg, &["Command run kit.main:run:3", "Command kit-http kit.http:run:4"]);
        let call = "setup(\n  entry_points={\n    'console_scripts': [\n      'run=kit.main:run', 'stop = kit.main:stop',\n    ],\n                        'other': ['x=y:z'],\n  })\n";
        check("setup.py", call, &["Command run kit.main:run:4", "Command stop kit.main:stop:4"]);
        check("setup.py", "setup(entry_points={\"console_scripts\": \"run=kit:main\"})", &["Command run kit:main:1"]);
        let groups = "setup(entry_points={'gui_scripts': 'run=kit:main', 'kit.plugins': ['x=kit.plugin:x']})";
        check("setup.py", groups, &["Command run kit:main:1"]);
        let written =
            "setup(entry_points=\"\"\"\n[console_scripts]\nrun = kit:main\n\n[kit.plugins]\nx = kit:x\n\"\"\")\n";
        check("setup.py", written, &["Command run kit:main:3"]);
        let own = "setup(\n  name=\"run\",\n  entry_points={\"console_scripts\": \"run=kit:main\"})";
        check("setup.py", own, &["Command run kit:main:3"]);
        check("setup.cfg", "[bdist_wheel]\nconsole_scripts =\n  no = kit:dead\n", &[]);
        check("setup.py", "setup(entry_points={'console_scripts': scripts(), 'a': f'{x}=y:z'})", &[]);
        check("Cargo.toml", "[[bin]]\nname = \"rg\"\npath = \"core/main.rs\"", &["Command rg core/main.rs:2"]);
        check("package.json", "{", &[]);
        check("go.mod", "module a", &[]);
    }
}
