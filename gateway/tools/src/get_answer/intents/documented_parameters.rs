//! Parameters that doc comments describe, with the literals that signatures give them.

use super::{assignments::is_literal, raises::is_comment, source_lines::SourceLine};

/// Returns the parameter that a line of a doc comment describes, in the notations of Google, Sphinx, Javadoc and Doxygen.
pub(super) fn documented_parameter(line: &str) -> Option<(&str, &str)> {
    let is_name = |word: &str| {
        !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '_') && !word.starts_with(char::is_numeric)
    };
    let bare = line.trim_start_matches(['/', '*', '#', ' ']);
    let (name, description) = if let Some(rest) = bare.strip_prefix(":param ") {
        let (typed, description) = rest.split_once(':')?;
        (typed.rsplit(' ').next().unwrap_or(typed), description)
    } else if let Some(rest) = bare.strip_prefix("@param ").or(bare.strip_prefix("\\param ")) {
        let rest = match rest.strip_prefix('{') {
            Some(typed) => typed.split_once('}').map(|(_, rest)| rest.trim_start())?,
            None => rest,
        };
        rest.split_once(' ')?
    } else {
        let (named, rest) = bare.split_once('(')?;
        let (_, description) = rest.split_once("):")?;
        (named.trim_end(), description)
    };
    let description = description.trim_start_matches(['-', ' ']);
    (is_name(name) && description.contains(' ')).then_some((name, description))
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
        let value = value.trim_start();
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
