//! Lines that catch an error, in the notations of languages.

use super::{raises::is_comment, source_lines::SourceLine};

/// Words that begin a clause for errors.
const CLAUSES: [&str; 3] = ["except", "rescue", "catch"];

/// Tests of the type of an error in hand, before its name.
const TYPE_TESTS: [&str; 9] =
    ["instanceof", "isinstance(", "errors.Is(", "errors.As(", "is_a?(", "kind_of?(", "===", "matches!(", "suppress("];

/// Words behind which a name is that of a new error, or of one that is passed on.
const RAISING: [&str; 7] = ["raise", "throw", "throws", "return", "new", "reject", "panic"];

/// Maximum number of lines above a name that its clause may be on.
pub(super) const LINES_ABOVE: u32 = 6;

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns true for a line that catches an error of a type, or tests whether one in hand is of it.
pub(super) fn catches(line: &str, path: &str, name: &str) -> bool {
    let bare = line.trim_start().trim_start_matches('}').trim_start();
    let is_handler = |at: usize| {
        let (before, after) = (&line[..at], &line[at + name.len()..]);
        let is_whole = !before.ends_with(is_part) && !after.starts_with(is_part);
        let of_test = |test: &&str| before.rfind(*test).is_some_and(|at| is_list(&before[at + test.len()..]));
        let is_tested = TYPE_TESTS.iter().any(of_test) || after.trim_start().starts_with("===");
        // A value of an error is compared with the one in hand.
        let is_compared = ["== ", "!= "].iter().any(|mark| before.ends_with(mark));
        let has_arms = path.ends_with(".rs") || path.ends_with(".scala");
        is_whole
            && (behind_clause(before).is_some_and(is_list)
                || is_tested
                || is_compared
                || (has_arms && is_pattern(before, after))
                || (path.ends_with(".go") && is_case(before, after)))
    };
    let is_raise = ["raise ", "throw ", "return Err("].iter().any(|start| bare.starts_with(start));
    !is_comment(line) && !is_raise && line.match_indices(name).any(|(at, _)| is_handler(at))
}

/// Returns the text behind the last word of a clause; `None` if there is no clause, or its types are complete.
fn behind_clause(before: &str) -> Option<&str> {
    let behind = |word: &&str| {
        let at = before.rfind(*word)?;
        let (start, behind) = (before[..at].trim_end(), &before[at + word.len()..]);
        let is_clause = (start.is_empty() || start.ends_with(['}', ';'])) && behind.starts_with([' ', '(', '{', '*']);
        // The types of Python end with a colon.
        let is_open = *word != "except" || !behind.contains(':');
        (is_clause && is_open).then_some((at, behind))
    };
    CLAUSES.iter().filter_map(behind).max_by_key(|(at, _)| *at).map(|(_, behind)| behind)
}

/// Returns true if a text between a clause or a test and a name has nothing but values and types beside it: no code of its body.
fn is_list(between: &str) -> bool {
    let between = between.trim_start().strip_prefix("{ case ").unwrap_or(between);
    let mut words = between.split(|c: char| !is_part(c));
    let mut depth = 0;
    let is_open = between.chars().all(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth >= 0
    });
    is_open && !between.contains(['{', '}', ';', '"', '\'', '=', '?']) && !words.any(|word| RAISING.contains(&word))
}

/// Returns true for a name in the pattern of an arm or of `if let`, which closes what it opens.
fn is_pattern(before: &str, after: &str) -> bool {
    let (before, end) = match before.rsplit_once("if let ") {
        Some((_, pattern)) => (pattern, " = "),
        None => (before, "=>"),
    };
    let Some((pattern, _)) = after.split_once(end) else { return false };
    let n_of = |mark: char| before.matches(mark).count() + pattern.matches(mark).count();
    let is_bare = before.chars().all(|c| is_part(c) || matches!(c, ':' | '.' | '(' | '&' | ' ' | '|'));
    is_bare && n_of('(') == n_of(')')
}

/// Returns true for a name among the values of a case of Go.
fn is_case(before: &str, after: &str) -> bool {
    let values = before.trim_start().strip_prefix("case ");
    let is_value = |c: char| is_part(c) || matches!(c, '.' | ',' | ' ');
    values.is_some_and(|values| values.chars().all(is_value)) && after.starts_with([':', ','])
}

/// Returns a line behind the lines above it, up to the clause whose list of types is still open; `None` if there is none.
pub(super) fn with_clause_above(line: &SourceLine, lines: &[SourceLine]) -> Option<String> {
    if is_comment(&line.text) {
        return None;
    }
    let mut before = String::new();
    for distance in 1..=LINES_ABOVE {
        let wanted = line.line.checked_sub(distance)?;
        let is_above =
            |other: &&SourceLine| (other.repo_idx, &other.path, other.line) == (line.repo_idx, &line.path, wanted);
        let above = lines.iter().find(is_above)?;
        before = format!("{} {before}", above.text);
        if behind_clause(&above.text).is_some() {
            let is_open = before.matches('(').count() > before.matches(')').count();
            return is_open.then(|| format!("{before}{}", line.text));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{super::source_lines::lines_of_text, *};

    #[test]
    fn handlers_are_known_in_the_notations_of_languages() {
        for (path, line, expected) in [
            ("a.py", "except DockClosed:", true),
            ("a.py", "except (OSError, DockClosed) as error:", true),
            ("a.py", "except OSError: fail(DockClosed)", false),
            ("a.py", "except DockClosedEarly:", false),
            ("a.py", "# except DockClosed:", false),
            ("a.py", "with suppress(OSError, DockClosed):", true),
            ("a.py", "with suppress(OSError): use(DockClosed)", false),
            ("a.py", "if isinstance(error, DockClosed):", true),
            ("a.py", "if isinstance(error, OSError): raise DockClosed()", false),
            ("a.py", "raise DockClosed()", false),
            ("a.rb", "rescue Dock::DockClosed => e", true),
            ("a.rb", "rescue Dock::Busy => e; raise DockClosed", false),
            ("a.rb", "raise e unless DockClosed === e", false),
            ("a.rb", "log(e) if DockClosed === e", true),
            ("a.rb", "DockClosed => 410,", false),
            ("a.java", "} catch (DockClosed | IOException e) {", true),
            ("a.java", "} catch (IOException e) { throw new DockClosed(e); }", false),
            ("a.java", "try { dock(); } catch (DockClosed e) {", true),
            ("a.cpp", "catch (const DockClosed& e) {", true),
            ("a.scala", "catch { case e: DockClosed => retry() }", true),
            ("a.js", "if (error instanceof DockClosed) {", true),
            ("a.js", "return error instanceof DockClosed;", true),
            ("a.js", "if (s === \"x\") throw new DockClosed();", false),
            ("a.js", "if (s === x) fail(DockClosed);", false),
            ("a.js", "} catch (e) { throw new DockClosed(e); }", false),
            ("a.js", "throw new DockClosed();", false),
            ("a.js", "log(\"please catch DockClosed\");", false),
            ("a.js", "import { DockClosed } from './dock';", false),
            ("a.js", "register(DockClosed, () => retry());", false),
            ("a.js", "DockClosed => 410,", false),
            ("a.go", "if errors.Is(err, DockClosed) {", true),
            ("a.go", "return errors.Is(err, DockClosed)", true),
            ("a.go", "if err == DockClosed {", true),
            ("a.go", "case DockClosed:", true),
            ("a.go", "case DockBusy, DockClosed:", true),
            ("a.go", "case DockBusy: return DockClosed", false),
            ("a.js", "case DockClosed:", false),
            ("a.rs", "Err(Error::DockClosed(at)) => retry(at),", true),
            ("a.rs", "Error::DockClosed { at } => retry(at),", true),
            ("a.rs", "if let Err(Error::DockClosed) = dock() {", true),
            ("a.rs", "if let Some(at) = dock(DockClosed) {", false),
            ("a.rs", "Err(Error::DockClosed)", false),
            ("a.rs", "None => Err(Error::DockClosed),", false),
            ("a.rs", "return Err(Error::DockClosed)", false),
            ("a.rs", "let error = DockClosed::new();", false),
            ("a.rs", "if matches!(error, Error::DockClosed(_)) {", true),
        ] {
            assert_eq!(catches(line, path, "DockClosed"), expected, "{path}: {line}");
        }
    }

    #[test]
    fn a_clause_may_have_its_types_on_several_lines() {
        for (source, at, expected) in [
            ("except (\n    OSError,\n    DockClosed,\n):", 2, Some("except ( OSError, DockClosed,")),
            ("} catch (IOException |\n    DockClosed e) {", 1, Some("} catch (IOException | DockClosed e) {")),
            ("except (OSError,):\n    use(DockClosed)", 1, None),
            ("except (\n    OSError,\n    # DockClosed,\n):", 2, None),
            ("use(\n    DockClosed,\n)", 1, None),
        ] {
            let lines = lines_of_text(source);
            let joined = with_clause_above(&lines[at], &lines);
            assert_eq!(joined.as_deref(), expected, "{source}");
            assert!(joined.is_none_or(|joined| catches(&joined, "a.py", "DockClosed")), "{source}");
        }
    }
}
