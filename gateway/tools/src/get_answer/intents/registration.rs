//! Registrations of flags and options in code: the name, the default and the description, in one line.

/// A registration of a flag.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FlagRegistration<'a> {
    /// The literal or constant that it has if nobody sets it.
    pub(super) default: Option<&'a str>,
    /// The expression in the place of the default, if that is no literal or constant.
    pub(super) value: Option<&'a str>,
    /// Its description.
    pub(super) help: Option<&'a str>,
}

/// Returns true for a word that may be the name of a flag: two or more parts.
pub(super) fn is_key(word: &str) -> bool {
    #[rustfmt::skip]
    const ENDINGS: [&str; 14] = [
        ".toml", ".json", ".yaml", ".yml", ".ini", ".cfg", ".xml", ".md", ".txt", ".html", ".js", ".ts", ".py", ".lock",
    ];
    let bare = word.trim_start_matches('-');
    // The name of a file is quoted where it is opened.
    let is_file = ENDINGS.iter().any(|ending| bare.to_lowercase().ends_with(ending));
    !is_file && bare.len() > 3 && bare.contains(['-', '.', '_']) && bare.chars().any(char::is_alphabetic)
}

/// Returns the registration of a flag in a line; `None` if the line does not have its name as a quoted argument. The name may follow
/// a prefix that is added to it.
pub(super) fn registration_of<'a>(line: &'a str, key: &str) -> Option<FlagRegistration<'a>> {
    let key = key.trim_start_matches('-');
    let is_mark = |c: &char| matches!(c, '"' | '\'' | '`');
    // The name may also be that of the variable before the quoted one.
    let places = line.match_indices(key).map(|(at, _)| (&line[..at], &line[at + key.len()..]));
    let mut quoted = places.filter(|(_, rest)| rest.chars().next().is_some_and(|c| is_mark(&c)));
    let (before, rest) = quoted.next()?;
    let mark = rest.chars().next().filter(is_mark)?;
    let opening = before.trim_end_matches(['-', '.']);
    let is_call = before.contains('(');
    if !is_call || !opening.ends_with(mark) {
        return None;
    }
    let mut arguments = arguments(rest[1..].trim_start_matches([',', ' ']));
    // A letter is the short name of the flag.
    let is_short =
        |one: &str| one.trim_matches(['"', '\'', '`', '-']).chars().count() == 1 && one.starts_with(['"', '\'', '`']);
    if arguments.len() > 1 && arguments.first().is_some_and(|first| is_short(first)) {
        arguments.remove(0);
    }
    let named = |name: &str| {
        let of_name = arguments.iter().find_map(|one| one.strip_prefix(name));
        of_name.map(|value| value.trim_start_matches([':', '=', ' ']))
    };
    let is_literal = |one: &&str| {
        let is_text = one.starts_with(['"', '\'', '`']);
        let is_word = matches!(*one, "true" | "false" | "True" | "False" | "None" | "nil" | "null");
        is_text || is_word || one.starts_with(|c: char| c.is_ascii_digit() || c == '-')
    };
    let positional = arguments.first().copied().filter(|one| is_literal(one) && arguments.len() > 1);
    let default = named("default").or(positional).filter(|default| !default.is_empty());
    let is_prose = |one: &&&str| one.starts_with(['"', '\'', '`']) && one.contains(' ');
    let is_computed = |one: &&str| is_reference(one) || one.ends_with(')');
    let other = arguments.first().copied().filter(|one| default.is_none() && arguments.len() > 1 && is_computed(one));
    let prose = named("help").or(named("description")).or(arguments.iter().rev().find(is_prose).copied());
    let help = prose.map(|prose| prose.trim_matches(['"', '\'', '`', ' ']));
    Some(FlagRegistration { default, value: other, help })
}

/// Returns true for a name with parts, such as `opts.IdleTimeout`.
fn is_reference(value: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':');
    !value.is_empty() && value.chars().all(is_name) && value.contains(['.', ':'])
}

/// Returns the registration of any flag in a line, with its name.
pub(super) fn any_registration(line: &str) -> Option<(&str, FlagRegistration<'_>)> {
    let quoted = line.split(['"', '\'', '`']).nth(1)?;
    let is_plain = quoted.len() > 2 && quoted.chars().all(|c| c.is_ascii_lowercase()) && registers_flag(line);
    let key = Some(quoted).filter(|key| (is_plain || is_key(key)) && !key.contains(' '))?;
    Some((key, registration_of(line, key)?))
}

/// Beginnings of chains of calls about an argument.
const CHAIN_STARTS: [&str; 4] = ["Arg::new(", "Arg::with_name(", "Option::new(", "Option.builder("];

/// Returns the byte at which a chain of calls about an argument begins: `Arg::new("port")`.
fn start_of_chain(text: &str) -> Option<usize> {
    CHAIN_STARTS.iter().filter_map(|start| text.find(start)).min()
}

/// Returns true for a line that begins a chain of calls about an argument.
pub(super) fn begins_chain(line: &str) -> bool {
    start_of_chain(line).is_some()
}

/// Returns the name, the default and the description that the first chain of calls in a text gives an argument, if it has a default and a
/// description.
pub(super) fn of_chain(text: &str) -> Option<(&str, Option<&str>, &str)> {
    // The next argument of a command has values of its own.
    let chain = arguments(&text[start_of_chain(text)?..]).first().copied()?;
    let argument = |call: &str| {
        let (_, rest) = chain.split_once(call)?;
        arguments(rest).first().copied().filter(|argument| !argument.is_empty())
    };
    let is_text = |text: &&str| text.len() > 2 && text.starts_with('"');
    let unquoted = |call: &str| argument(call).filter(is_text).map(|text| text.trim_matches('"'));
    let name = unquoted(".long(").or_else(|| unquoted("Arg::new("))?;
    let default = argument(".default_value(").or_else(|| argument(".default_value_t("))?;
    let help = unquoted(".help(").or_else(|| unquoted(".about("))?;
    Some((name, Some(default), help))
}

/// Returns true if a line calls a function that registers a flag by its type: `IntVarP(`, `flag.Duration(`, `add_argument(`.
fn registers_flag(line: &str) -> bool {
    const CALLS: [&str; 10] =
        ["Int", "Bool", "String", "Duration", "Float", "Uint", "Count", "add_argument", "add_option", "Option"];
    let Some((call, _)) = line.split_once('(') else { return false };
    let name = call.rsplit(['.', ' ', '=']).next().unwrap_or(call);
    let is_of_flags =
        call.contains("flag") || call.contains("Flag") || name.contains("Var") || name.starts_with("add_");
    is_of_flags
        && CALLS.iter().any(|start| name.starts_with(start) || name.trim_start_matches("NewFlag").starts_with(start))
}

/// Splits the arguments of a call at its commas, up to its closing parenthesis.
fn arguments(text: &str) -> Vec<&str> {
    let (mut found, mut start, mut depth, mut open): (Vec<&str>, usize, usize, Option<char>) = (Vec::new(), 0, 0, None);
    for (at, c) in text.char_indices() {
        match (open, c) {
            (Some(mark), _) if c == mark => open = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => open = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') if depth == 0 => {
                found.push(text[start..at].trim());
                return found;
            }
            (None, ')' | ']' | '}') => depth -= 1,
            (None, ',') if depth == 0 => {
                found.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(text[start..].trim());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_read_with_their_defaults() {
        for (line, key, expected) in [
            (
                "fs.IntVar(&cfg.port, \"server.port\", 8001, \"Port, for probes.\")",
                "server.port",
                Some((Some("8001"), Some("Port, for probes."))),
            ),
            (
                "f.DurationVar(&cfg.Min, prefix+\".retry-min\", 100*time.Millisecond, \"Minimum delay.\")",
                "-retry-min",
                Some((Some("100*time.Millisecond"), Some("Minimum delay."))),
            ),
            (
                "parser.add_argument(\"--log-level\", default=\"info\", help=\"Level of logs\")",
                "--log-level",
                Some((Some("\"info\""), Some("Level of logs"))),
            ),
            (
                "fs.Var(&cfg.end, \"cert.end\", \"Expiration time.\")",
                "cert.end",
                Some((None, Some("Expiration time."))),
            ),
            ("// see server.port for the port", "server.port", None),
            ("set(\"server.ports\", 1)", "server.port", None),
        ] {
            let expected = expected.map(|(default, help)| FlagRegistration { default, value: None, help });
            assert_eq!(registration_of(line, key), expected, "{line}");
        }
        let line = "fs.Duration(\"idle-timeout\", opts.IdleTimeout, \"Time of idle ones.\")";
        let (default, value, help) = (None, Some("opts.IdleTimeout"), Some("Time of idle ones."));
        assert_eq!(any_registration(line), Some(("idle-timeout", FlagRegistration { default, value, help })));
        assert_eq!(any_registration("log(\"some text\", a.b)"), None);
        assert!(
            !is_key("dock.toml")
                && !is_key("Dock.JSON")
                && is_key("dock.tomlish")
                && is_key("server.log")
                && is_key("http.conf")
        );
        assert!(is_key("-server.port") && !is_key("port") && !is_key("v1."));
    }

    #[test]
    fn flags_have_short_names_and_computed_defaults() {
        let line = "pflag.IntVarP(&leases, \"leases\", \"l\", fallback(config, 4), \"Maximum number of leases.\")";
        let (name, found) = any_registration(line).expect("a flag");
        let shown = (name, found.default, found.value, found.help);
        assert_eq!(shown, ("leases", None, Some("fallback(config, 4)"), Some("Maximum number of leases.")));
        assert!(any_registration("log.Info(\"leases\", 4, \"are held by nobody\")").is_none());
    }
}
