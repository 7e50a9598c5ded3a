//! Parameters that doc comments describe, with the literals that signatures give them.

use super::{assignments::is_literal, raises::is_comment, source_lines::SourceLine};

/// A parameter that a doc comment describes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DocumentedParameter<'l> {
    pub(super) name: &'l str,
    /// The description on the line of its name.
    pub(super) description: &'l str,
    /// The default that the comment gives it, as JSDoc does: `[size=4]`.
    pub(super) default: Option<&'l str>,
}

/// Returns the parameter that a line of a doc comment describes, in the notations of Google, Sphinx, Javadoc, JSDoc, PHPDoc and Doxygen.
pub(super) fn documented_parameter(line: &str) -> Option<DocumentedParameter<'_>> {
    let is_name = |word: &str| {
        !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '_') && !word.starts_with(char::is_numeric)
    };
    let bare = line.trim_start_matches(['/', '*', '#', ' ']);
    let mut default = None;
    let (name, description) = if let Some(rest) = bare.strip_prefix(":param ") {
        let (typed, description) = rest.split_once(':')?;
        (typed.rsplit(' ').next().unwrap_or(typed), description)
    } else if let Some(rest) = bare.strip_prefix("@param ").or(bare.strip_prefix("\\param ")) {
        let rest = match rest.trim_start().strip_prefix('{') {
            Some(typed) => split_at_end(typed, '{', '}')?.1.trim_start(),
            None => rest,
        };
        if let Some(optional) = rest.strip_prefix('[') {
            let (inner, description) = split_at_end(optional, '[', ']')?;
            let (name, value) = inner.split_once('=').map_or((inner, None), |(name, value)| (name, Some(value.trim())));
            default = value.filter(|value| !value.is_empty());
            // A key of an object of options: `options.size`.
            (name.trim().rsplit('.').next().unwrap_or(name), description)
        } else {
            // The type stands before the name, which has a sign.
            match rest.split_once('$') {
                Some((typed, named)) if is_type(typed) => named.split_once(' ')?,
                _ => rest.split_once(' ')?,
            }
        }
    } else {
        let (named, rest) = bare.split_once('(')?;
        let (_, description) = rest.split_once("):")?;
        (named.trim_end(), description)
    };
    let description = description.trim_start_matches(['-', ' ']);
    (is_name(name) && description.contains(' ')).then_some(DocumentedParameter { name, description, default })
}

/// Returns true for a text before a name with a sign that may be its type: one word, or more of them if it has parts. `4.5` is an amount.
fn is_type(typed: &str) -> bool {
    let mut words = typed.split_whitespace();
    let first = words.next().unwrap_or_default();
    !typed.contains('.') && (words.next().is_none() || first.contains(['<', '(', '{']))
}

/// Returns the text inside of a bracket that is open and the text behind it. It may have such brackets of its own, and others in quotes.
fn split_at_end(text: &str, open: char, close: char) -> Option<(&str, &str)> {
    let (mut depth, mut quote) = (1_usize, None);
    for (at, c) in text.char_indices() {
        match quote {
            Some(mark) if mark == c => quote = None,
            Some(_) => {}
            None if matches!(c, '"' | '\'') => quote = Some(c),
            None if c == open => depth += 1,
            None if c == close => depth -= 1,
            None => {}
        }
        if depth == 0 {
            return Some((&text[..at], &text[at + c.len_utf8()..]));
        }
    }
    None
}

/// Returns the description of a parameter with the lines of the comment that go on with it: those up to the next tag.
pub(super) fn whole_description(first: &str, below: &[SourceLine], described: &SourceLine) -> String {
    const MAX_LINES: usize = 4;
    let mut whole = first.trim_end().to_owned();
    let is_joined = |(distance, line): &(u32, &SourceLine)| {
        line.path == described.path && line.repo_idx == described.repo_idx && line.line == described.line + distance
    };
    for (_, line) in (1..).zip(below.iter().take(MAX_LINES)).take_while(is_joined) {
        let rest = match line.text.strip_prefix('*') {
            Some(rest) if !rest.starts_with('/') => rest.trim(),
            // A comment without marks goes on deeper than its first line.
            None if described.text.starts_with(':') && line.indent > described.indent => line.text.trim(),
            _ => break,
        };
        if rest.is_empty() || rest.starts_with(['@', '\\', '{', ':']) {
            break;
        }
        whole = format!("{whole} {rest}");
    }
    whole
}

/// Lines around the description of a parameter that may give it a default.
const LINES_OF_PARAMETER: u32 = 60;

/// Returns the literal that the nearest line gives a parameter as its default.
pub(super) fn default_near<'l>(lines: &'l [SourceLine], at: usize, name: &str) -> Option<&'l str> {
    let described = &lines[at];
    // No line stands twice, so the lines in reach are among as many neighbours.
    let reach = LINES_OF_PARAMETER as usize;
    let (first, end) = (at.saturating_sub(reach), lines.len().min(at + reach + 1));
    let is_near = |line: &SourceLine| {
        line.path == described.path
            && line.repo_idx == described.repo_idx
            && line.line.abs_diff(described.line) <= LINES_OF_PARAMETER
    };
    // A comment stands at its function, or at the type whose first function takes the parameter.
    let n_functions_to = |other: usize| {
        let (low, high) = (at.min(other), at.max(other));
        lines[low + 1..high.max(low + 1)].iter().filter(|line| is_function(&line.text)).count()
    };
    let given = (first..end).filter(|other| is_near(&lines[*other]));
    let given = given.filter_map(|other| Some((other, literal_of(&lines[other].text, name)?)));
    let given = given.filter(|(other, _)| n_functions_to(*other) < 2);
    given.min_by_key(|(other, _)| lines[*other].line.abs_diff(described.line)).map(|(_, value)| value)
}

/// Returns true for a line that begins the definition of a function. A line of prose has no parenthesis behind such a word.
pub(super) fn is_function(line: &str) -> bool {
    const WORDS: [&str; 4] = ["def ", "fn ", "func ", "function "];
    let is_start = |before: &str| before.is_empty() || before.ends_with(' ');
    let defines =
        |word: &&str| line.split_once(*word).is_some_and(|(before, rest)| is_start(before) && rest.contains('('));
    !is_comment(line) && WORDS.iter().any(defines)
}

/// Returns the default in the call that declares a field, such as `field(converter=seconds, default=30)`, or else the value itself.
fn of_declaration(value: &str) -> &str {
    let is_callee = |name: &str| {
        name.starts_with(char::is_alphabetic) && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
    };
    let called = value.split_once('(').filter(|(name, _)| is_callee(name));
    let Some((arguments, _)) = called.and_then(|(_, rest)| split_at_end(rest, '(', ')')) else { return value };
    let is_argument = |before: &str| before.is_empty() || before.ends_with([' ', ',']);
    let is_nested = |before: &str| before.matches('(').count() != before.matches(')').count();
    let mut defaults = arguments.match_indices("default=");
    let default = defaults.find(|(at, _)| is_argument(&arguments[..*at]) && !is_nested(&arguments[..*at]));
    default.map_or(value, |(at, mark)| arguments[at + mark.len()..].trim_start())
}

/// Returns the literal that a line gives a name, which may have a type: `max_size: int = 20`. A statement gives no default.
fn literal_of<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    if ["let ", "var ", "self."].iter().any(|start| line.starts_with(start)) {
        return None;
    }
    let is_boundary = |c: Option<char>| c.is_none_or(|c| !(c.is_alphanumeric() || matches!(c, '_' | '.')));
    line.match_indices(name).find_map(|(start, _)| {
        let rest = &line[start + name.len()..];
        let is_word = is_boundary(line[..start].chars().next_back()) && is_boundary(rest.chars().next());
        let (of_type, value) = rest.split_once('=').filter(|_| is_word)?;
        let has_type =
            of_type.trim().is_empty() || (of_type.trim_start().starts_with(':') && !of_type.contains([',', ')']));
        // With a type, it may be a field.
        let is_statement = start == 0 && of_type.trim().is_empty() && !line.ends_with([',', ')']);
        let value = of_declaration(value.trim_start());
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
        let closing = quote.and_then(|quote| Some(value[1..].find(quote)? + 2));
        let end = closing.or_else(|| value.find([',', ';', ')', '}', ' '])).unwrap_or(value.len());
        (has_type && !is_statement && is_literal(value)).then(|| &value[..end])
    })
}

#[cfg(test)]
mod tests {
    use super::{
        super::{described_settings::described_settings, quantity_words::kind_terms, source_lines::lines_of_text},
        *,
    };

    fn lines(source: &[&str]) -> Vec<SourceLine> {
        lines_of_text(&source.join("\n"))
    }

    #[test]
    fn documented_parameters_have_the_defaults_of_their_signatures() {
        let source = lines(&[
            "  max_leases(int): The maximum number of leases.",
            "  owner(str): The owner of all leases.",
            ":param int wait: seconds to wait",
            "@param {number} size the number of places",
            "def __init__(self, *, max_leases: int = 20, owner: str, wait=1.5, size = compute()):",
        ]);
        let found = described_settings(&source);
        let shown: Vec<(&str, Option<&str>)> =
            found.iter().map(|one| (one.name.as_str(), one.default.as_deref())).collect();
        assert_eq!(shown, [("max_leases", Some("20")), ("wait", Some("1.5"))]);
        assert_eq!(documented_parameter("call(a): b"), None);
        for (line, expected) in [
            ("* @param {Number} [options.berthSize=4] The largest", Some(("berthSize", "The largest", Some("4")))),
            ("* @param {(Boolean|{a: Number})} [berth] Berths of a", Some(("berth", "Berths of a", None))),
            ("* @param int|null  $maxShips  Ships that are kept", Some(("maxShips", "Ships that are kept", None))),
            ("* @param berths the number of them", Some(("berths", "the number of them", None))),
            (
                "* @param {string[]} [ends=['.js', ']']] Endings to load",
                Some(("ends", "Endings to load", Some("['.js', ']']"))),
            ),
            ("* @param {Number[]} [ranges=[]] The ranges", Some(("ranges", "The ranges", Some("[]")))),
            ("* @param {Number[]} [ranges=[] The ranges", None),
            ("* @param price The price in $USD per berth", Some(("price", "The price in $USD per berth", None))),
            ("* @param array<int, Ship> $ships The kept ones", Some(("ships", "The kept ones", None))),
            ("* @param price 4.5 $per berth", Some(("price", "4.5 $per berth", None))),
            ("* @param {Number} [berths", None),
        ] {
            let found = documented_parameter(line).map(|one| (one.name, one.description, one.default));
            assert_eq!(found, expected, "{line}");
        }
        let comment = lines(&["* @param {Number} [a=4] Time in", "*     seconds until", "* @param b other", "*/"]);
        assert_eq!(whole_description("Time in", &comment[1..], &comment[0]), "Time in seconds until");
        assert_eq!(whole_description("Time in", &comment[2..], &comment[0]), "Time in");
        let comment = lines(&[":param a: time in", "  seconds until", ":param b: other", "def open(a, b):"]);
        assert_eq!(whole_description("time in", &comment[1..], &comment[0]), "time in seconds until");
        assert_eq!(whole_description("other", &comment[3..], &comment[2]), "other");
        let [counts, times] = kind_terms("how many leases");
        assert!(counts.contains(&"limit") && times.contains(&"ttl") && kind_terms("which lease")[0].is_empty());
    }

    #[test]
    fn defaults_are_of_the_signature_of_the_parameter() {
        for (line, expected) in [
            ("size = 4,", Some("4")),
            ("size: int = 4", Some("4")),
            ("def open(owner, size=\"a, b\", wait=1):", Some("\"a, b\"")),
            ("size = 4", None),
            ("size: int = field(converter=whole, default=4)", Some("4")),
            ("size: int = made(by_default=4)", None),
            ("def open(size=None, owner=Query(default=4)):", None),
            ("def open(owner=None, size=Query(default=4)):", Some("4")),
            ("def open(size=Query(), owner=Query(default=4)):", None),
            ("size: int = field(check(default=4))", None),
            ("let size = 4;", None),
            ("self.pool = Pool(size=4)", None),
        ] {
            assert_eq!(literal_of(line, "size"), expected, "{line}");
        }
        let described = "size (int): The number of places.";
        let near = |source: &[&str]| default_near(&lines(source), 0, "size").map(str::to_owned);
        assert_eq!(near(&[described, "def one(self):", "def two(self, size=3):"]).as_deref(), Some("3"));
        assert_eq!(near(&[described, "def one(self):", "def two(self):", "def three(self, size=3):"]), None);
        assert!(is_function("pub fn open() {") && !is_function("the function to call") && !is_function("# def a()"));
    }
}
