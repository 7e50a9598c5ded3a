//! What a `setup.py` says in so many words: its name and requirements where they are texts and lists of texts. What it
//! computes is not known.

use super::{Make, OwnAndRequired, python, requirements};

pub(super) fn read(text: &str, declared: &Make<'_>) -> OwnAndRequired {
    // What stands before the call are helpers, which may have a `name` of their own.
    let call = text.rsplit_once("setup(").map_or(text, |(_, arguments)| arguments);
    let name = argument(call, "name").and_then(leading_text);
    let opened = |name: &str, bracket: char| {
        let value = argument(call, name)?;
        value.strip_prefix(bracket).or_else(|| assigned(text, leading_word(value), bracket))
    };
    let mut required = opened("install_requires", '[').map_or_else(Vec::new, |list| texts(list).0);
    required.extend(opened("extras_require", '{').into_iter().flat_map(texts_of_values));
    (name.map(|name| python(name, declared)).into_iter().collect(), requirements(required.into_iter(), declared))
}

/// Returns what follows `name=`, where that is a word of its own.
fn argument<'t>(call: &'t str, name: &str) -> Option<&'t str> {
    call.match_indices(name).find_map(|(at, _)| {
        let is_word = !call[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '"' | '\''));
        let value = call[at + name.len()..].trim_start().strip_prefix('=')?;
        (is_word && !value.starts_with('=')).then(|| value.trim_start())
    })
}

/// Returns what follows the bracket of a list or a dict that is assigned to a variable at the top of the file.
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
    // The result of a call is computed.
    if value[end..].trim_start().starts_with('(') { "" } else { &value[..end] }
}

fn leading_text(value: &str) -> Option<&str> {
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    value[1..].split_once(quote).map(|(text, _)| text)
}

/// Returns the texts that stand in a list by themselves, and what follows them: the end of the list, or something
/// computed.
fn texts(list: &str) -> (Vec<&str>, &str) {
    let mut found = Vec::new();
    let mut rest = next_item(list);
    while let Some(text) = leading_text(rest) {
        let after = after_text(rest, text);
        if after.starts_with([',', ']', '#']) {
            found.push(text);
        }
        rest = next_item(after);
    }
    (found, rest)
}

/// Returns the texts that are values of a dict, or stand in lists that are, up to its end or something computed.
fn texts_of_values(dict: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = next_item(dict);
    while let Some(key) = leading_text(rest) {
        let Some(value) = after_text(rest, key).strip_prefix(':').map(next_item) else { break };
        let after = if let Some(list) = value.strip_prefix('[') {
            let (listed, end) = texts(list);
            found.extend(listed);
            end.strip_prefix(']')
        } else {
            let text = leading_text(value).filter(|text| after_text(value, text).starts_with([',', '}', '#']));
            found.extend(text);
            text.map(|text| after_text(value, text))
        };
        let Some(after) = after else { break };
        rest = next_item(after);
    }
    found
}

/// Returns what follows the quotes around a text that `source` begins with.
fn after_text<'t>(source: &'t str, text: &str) -> &'t str {
    source[text.len() + 2..].trim_start()
}

/// Leaves out white space, commas and comments before an item.
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
    use crate::contracts::packages::Declared;

    #[test]
    fn what_is_said_in_so_many_words_is_known() {
        let make = |ecosystem: &str, name: &str, _: &str| Declared {
            key: format!("{ecosystem}:{name}"),
            local: String::new(),
            line: 1,
        };
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
            let (made, needed) = read(text, &make);
            let keys = |all: Vec<Declared>| {
                all.iter().map(|one| one.key.trim_start_matches("pypi:").to_owned()).collect::<Vec<_>>().join(" ")
            };
            assert_eq!((keys(made).as_str(), keys(needed).as_str()), (own, required), "{text}");
        }
    }
}
