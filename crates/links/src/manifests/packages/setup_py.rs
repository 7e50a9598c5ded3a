//! `setup.py`: name and requirements, where they are string literals or lists of them. Computed values are unknown.

use super::{ManifestPackages, python};

pub(super) fn read(text: &str) -> ManifestPackages {
    // Helper functions before the call may have a parameter `name`, too.
    let call = text.rsplit_once("setup(").map_or(text, |(_, arguments)| arguments);
    let name = argument(call, "name").and_then(leading_literal);
    let version = argument(call, "version").and_then(leading_literal).unwrap_or_default();
    let list_of = |name: &str, bracket: char| {
        let value = argument(call, name)?;
        value.strip_prefix(bracket).or_else(|| assigned(text, leading_word(value), bracket))
    };
    let mut required = list_of("install_requires", '[').map_or_else(Vec::new, |list| literals(list).0);
    required.extend(list_of("extras_require", '{').into_iter().flat_map(literal_values));
    ManifestPackages {
        own: name.map(|name| python::package(text, name).with_version(version)).into_iter().collect(),
        required: python::requirements(text, required),
        ..ManifestPackages::default()
    }
}

/// Returns the text after `name=`, where the name is a whole word.
fn argument<'t>(call: &'t str, name: &str) -> Option<&'t str> {
    call.match_indices(name).find_map(|(at, _)| {
        let is_word = !call[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '"' | '\''));
        let value = call[at + name.len()..].trim_start().strip_prefix('=')?;
        (is_word && !value.starts_with('=')).then(|| value.trim_start())
    })
}

/// Returns the text after the opening bracket of a list or dict that is assigned to a variable at the top level.
fn assigned<'t>(text: &'t str, variable: &str, bracket: char) -> Option<&'t str> {
    if variable.is_empty() {
        return None;
    }
    let starts = text.match_indices(variable).map(|(at, _)| at);
    let starts = starts.filter(|at| *at == 0 || text[..*at].ends_with('\n'));
    let mut values = starts.filter_map(|at| {
        let value = text[at + variable.len()..].trim_start().strip_prefix('=')?;
        value.trim_start().strip_prefix(bracket)
    });
    values.next()
}

fn leading_word(value: &str) -> &str {
    let end = value.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(value.len());
    // A call computes its result.
    if value[end..].trim_start().starts_with('(') { "" } else { &value[..end] }
}

fn leading_literal(value: &str) -> Option<&str> {
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    value[1..].split_once(quote).map(|(text, _)| text)
}

/// Returns the string literals that are items of a list, and the rest of the source: from the end of the list, or from
/// the first computed item.
fn literals(list: &str) -> (Vec<&str>, &str) {
    let mut found = Vec::new();
    let mut rest = next_item(list);
    while let Some(text) = leading_literal(rest) {
        let after = after_literal(rest, text);
        if after.starts_with([',', ']', '#']) {
            found.push(text);
        }
        rest = next_item(after);
    }
    (found, rest)
}

/// Returns the string literals that are values of a dict, or items of such values, up to the end of the dict or the first
/// computed value.
fn literal_values(dict: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = next_item(dict);
    while let Some(key) = leading_literal(rest) {
        let Some(value) = after_literal(rest, key).strip_prefix(':').map(next_item) else { break };
        let after = if let Some(list) = value.strip_prefix('[') {
            let (listed, end) = literals(list);
            found.extend(listed);
            end.strip_prefix(']')
        } else {
            let text = leading_literal(value).filter(|text| after_literal(value, text).starts_with([',', '}', '#']));
            found.extend(text);
            text.map(|text| after_literal(value, text))
        };
        let Some(after) = after else { break };
        rest = next_item(after);
    }
    found
}

/// Returns the source after a string literal that it begins with.
fn after_literal<'t>(source: &'t str, text: &str) -> &'t str {
    source[text.len() + 2..].trim_start()
}

/// Skips white space, commas and comments before an item.
fn next_item(source: &str) -> &str {
    let mut rest = source;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        let Some(comment) = rest.strip_prefix('#') else { return rest };
        rest = comment.split_once('\n').map_or("", |(_, lines)| lines);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifests::PackageDeclaration;

    #[test]
    fn string_literals_are_read_and_computed_values_are_not() {
        for (text, own, required) in [
            ("setup(name='a', install_requires=['b>=1', \"c ; x<'3'\",])", "a", "b c"),
            ("def f(name='x'): ...\nsetuptools.setup(\n  name = \"A_b\",\n  other_name=1)", "a-b", ""),
            (
                "needs = [\n  'b==1',  # why\n  # 'c',\n  'd[e]',\n]\nsetup(name=NAME, install_requires=needs)",
                "",
                "b d",
            ),
            ("setup(install_requires=['a'] + more, extras_require={'x': ['y']})", "", "a y"),
            ("setup(extras_require={'x': ['a>=1', 'b'],  # why\n  'y': 'c==2', 'z': []})", "", "a b c"),
            ("more = {\n  # 'x': ['y'],\n  'x': [\n    'a',\n  ],\n}\nsetup(extras_require=more)", "", "a"),
            ("setup(extras_require={'x': needs, 'y': ['a']})", "", ""),
            ("setup(extras_require={'x': ['a'] + needs, 'y': ['b']})", "", "a"),
            ("setup(extras_require={x: f(x) for x in y})", "", ""),
            ("setup(extras_require=extras_require())", "", ""),
            ("setup(extras_require={'x': ['unclosed", "", ""),
            ("setup(extras_require={'x'", "", ""),
            ("setup(install_requires=[x for x in 'abc'])", "", ""),
            ("setup(install_requires=needs())\nneeds = ['a']", "", ""),
            ("setup(install_requires=['a' if y else 'b', 'c'])", "", ""),
            ("setup(install_requires=['unclosed", "", ""),
            ("setup(install_requires=", "", ""),
            ("", "", ""),
        ] {
            let packages = read(text);
            let names = |all: Vec<PackageDeclaration>| {
                all.iter()
                    .map(|package| package.key.trim_start_matches("pypi:").to_owned())
                    .collect::<Vec<_>>()
                    .join(" ")
            };
            assert_eq!((names(packages.own).as_str(), names(packages.required).as_str()), (own, required), "{text}");
        }
    }
}
