//! What a `setup.py` says in so many words: its name and requirements where they are texts and lists of texts. What it
//! computes is not known.

use super::{Make, OwnAndRequired, python, requirements};

pub(super) fn read(text: &str, declared: &Make<'_>) -> OwnAndRequired {
    // What stands before the call are helpers, which may have a `name` of their own.
    let call = text.rsplit_once("setup(").map_or(text, |(_, arguments)| arguments);
    let name = argument(call, "name").and_then(leading_text);
    let list = argument(call, "install_requires").and_then(|value| match value.strip_prefix('[') {
        Some(list) => Some(list),
        None => assigned_list(text, leading_word(value)),
    });
    let required = list.map_or_else(Vec::new, texts);
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

/// Returns the list that is assigned to a variable at the top of the file.
fn assigned_list<'t>(text: &'t str, variable: &str) -> Option<&'t str> {
    if variable.is_empty() {
        return None;
    }
    let starts = text.match_indices(variable).map(|(at, _)| at);
    let starts = starts.filter(|at| *at == 0 || text[..*at].ends_with('\n'));
    let mut lists = starts.filter_map(|at| {
        let value = text[at + variable.len()..].trim_start().strip_prefix('=')?;
        value.trim_start().strip_prefix('[')
    });
    lists.next()
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

/// Returns the texts that stand in a list by themselves, up to its end.
fn texts(list: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = list.trim_start();
    loop {
        if let Some(text) = leading_text(rest) {
            let after = rest[text.len() + 2..].trim_start();
            if after.starts_with([',', ']', '#']) {
                found.push(text);
            }
            rest = after;
        } else if rest.starts_with('#') {
            rest = rest.split_once('\n').map_or("", |(_, lines)| lines).trim_start();
        } else if let Some(after) = rest.strip_prefix(',') {
            rest = after.trim_start();
        } else {
            // The end of the list, or something that is computed.
            return found;
        }
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
            ("setup(install_requires=['a'] + more, extras_require={'x': ['y']})", "", "a"),
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
