//! Lines that raise an error: the statement with its message, and the condition that leads to it.

use super::{super::shortened::shortened, source_lines::SourceLine};

/// Parts of a line that raises an error.
const RAISES: [&str; 12] = [
    "raise ",
    "throw ",
    "panic(",
    "panic!(",
    "Err(",
    "Errorf(",
    "errors.New(",
    "reject(",
    "bail!(",
    "anyhow!(",
    "ensure!(",
    "ok_or(",
];

/// Lines that raise the error in hand again.
const RAISES_AGAIN: [&str; 3] = ["raise", "throw", "throw;"];

/// Maximum number of lines of a statement that are joined.
const MAX_STATEMENT_LINES: u32 = 3;

/// Maximum length of a message that is added to its statement.
const MAX_MESSAGE_CHARS: usize = 120;

/// Returns true for a line that raises an error, and is no comment.
pub(super) fn raises(line: &str) -> bool {
    let is_raising = RAISES.iter().any(|part| line.contains(part)) || RAISES_AGAIN.contains(&line.trim());
    !is_comment(line) && (is_raising || returns_named_error(line))
}

/// Returns true for `return nil, ErrClosed`: Go returns errors that are declared with such names.
fn returns_named_error(line: &str) -> bool {
    let Some(returned) = line.trim().strip_prefix("return ") else { return false };
    let mut words = returned.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(|word| word.strip_prefix("Err").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase())))
}

pub(super) fn is_comment(line: &str) -> bool {
    ["//", "#", "*", "/*"].iter().any(|mark| line.trim_start().starts_with(mark))
}

/// Returns the condition of a line that opens a branch.
pub(super) fn condition(line: &str) -> Option<&str> {
    let bare = line.trim().trim_start_matches('}').trim_start();
    let bare = bare.strip_prefix("else ").unwrap_or(bare);
    let rest = ["if ", "elif ", "unless ", "if("].iter().find_map(|start| bare.strip_prefix(start))?;
    let is_block = rest.ends_with(['{', ':', ')']) || rest.ends_with(" then");
    let shown = rest.trim_end_matches(" then").trim_end_matches(['{', ':']).trim();
    let shown = if bare.starts_with("if(") { shown.trim_end_matches(')') } else { shown };
    (is_block && !shown.is_empty()).then_some(shown)
}

/// Returns the condition of the innermost branch around a line as ` if ...`: that of the nearest line above it with less indentation. `lines`
/// are all lines of the file around it; nothing is returned if one between them is missing.
pub(super) fn condition_around(line: &SourceLine, lines: &[SourceLine]) -> String {
    let Some(at) = position(line, lines) else { return String::new() };
    let mut below = line.line;
    for above in lines[..at].iter().rev() {
        if (above.repo_idx, &above.path, above.line + 1) != (line.repo_idx, &line.path, below) {
            break;
        }
        below = above.line;
        let is_blank = above.text.is_empty() || is_comment(&above.text);
        if is_blank || above.indent >= line.indent {
            continue;
        }
        let of_ruby = || if line.path.ends_with(".rb") { ruby_condition(&above.text) } else { None };
        let Some(shown) = condition(&above.text).or_else(of_ruby) else {
            if let Some(caught) = caught(&above.text) {
                return format!(" when {} is caught", text::quote(caught));
            }
            let opener = opener(above, &lines[..at]).unwrap_or(above);
            return open_condition(opener, &lines[..at])
                .map(|shown| format!(" if {}", text::quote(&shown)))
                .unwrap_or_default();
        };
        let word = if above.text.contains("unless ") { "unless" } else { "if" };
        return format!(" {word} {}", text::quote(shown));
    }
    String::new()
}

/// Returns what a line that begins to handle an error catches: `except KeyError as error:`, `} catch (IOException e) {`.
fn caught(line: &str) -> Option<&str> {
    let bare = line.trim_start_matches('}').trim_start();
    let rest = bare.strip_prefix("except ").or_else(|| bare.strip_prefix("rescue "));
    let named = match rest {
        Some(rest) => {
            let code = rest.split('#').next()?.trim_end().trim_end_matches(':');
            code.split(" as ").next()?.split("=> ").next()?
        }
        None => bare.strip_prefix("catch (").or_else(|| bare.strip_prefix("catch("))?.split(')').next()?,
    };
    let named = named.trim();
    if named == "..." || named.ends_with([',', '|']) {
        return None;
    }
    // Without a type, anything is caught.
    let has_type = named.starts_with(char::is_uppercase) || named.starts_with('(') || named.contains([' ', '\\', '.']);
    (has_type && !named.is_empty()).then_some(named)
}

/// Returns the line that opens the parenthesis that a line such as `) {` closes: the nearest one above that is not deeper.
fn opener<'l>(closing: &SourceLine, lines: &'l [SourceLine]) -> Option<&'l SourceLine> {
    let at = position(closing, lines).filter(|_| closing.text.starts_with(')'))?;
    let is_of_file = |line: &&SourceLine| (line.repo_idx, &line.path) == (closing.repo_idx, &closing.path);
    lines[..at].iter().rev().take_while(is_of_file).find(|line| line.indent <= closing.indent && !line.text.is_empty())
}

/// Returns the condition of a line of Ruby that opens a branch, which ends with the line.
fn ruby_condition(line: &str) -> Option<&str> {
    let rest = ["if ", "elsif ", "unless "].iter().find_map(|start| line.trim().strip_prefix(*start))?;
    let is_open = rest.ends_with([',', '|', '&', '(', '\\']);
    (!is_open && !rest.is_empty()).then_some(rest)
}

/// Maximum length of a condition of several lines.
const MAX_CONDITION_CHARS: usize = 200;

/// Returns the condition that begins on a line and ends on a later one, at its closing parenthesis. `lines` end before the statement.
fn open_condition(start: &SourceLine, lines: &[SourceLine]) -> Option<String> {
    let at = position(start, lines)?;
    let first = start.text.trim_start_matches('}').trim_start();
    let first = first.strip_prefix("else ").unwrap_or(first);
    let begun = ["if (", "if(", "elif ("].iter().find_map(|word| first.strip_prefix(*word))?;
    let mut depth = 1 + depth_of(begun);
    let mut joined = begun.trim().to_owned();
    for line in &lines[at + 1..] {
        if depth <= 0 {
            break;
        }
        depth += depth_of(&line.text);
        joined = format!("{joined} {}", line.text.trim());
    }
    let shown = joined.trim_end_matches(['{', ':', ' ']).strip_suffix(')')?.trim().to_owned();
    (depth == 0 && !shown.is_empty()).then(|| shortened(&shown, MAX_CONDITION_CHARS))
}

/// Returns the number of parentheses that a text opens and does not close.
fn depth_of(text: &str) -> isize {
    text.chars()
        .map(|c| match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        })
        .sum()
}

fn position(line: &SourceLine, lines: &[SourceLine]) -> Option<usize> {
    lines.iter().position(|other| (other.repo_idx, &other.path, other.line) == (line.repo_idx, &line.path, line.line))
}

/// Returns a raising line as answers show it; one that ends with an open parenthesis has the message of the next line.
pub(super) fn statement(line: &SourceLine, lines: &[SourceLine]) -> String {
    let shown = line.display_text();
    let is_open = line.text.ends_with('(');
    let next = position(line, lines).filter(|_| is_open).map(|at| &lines[at + 1..]).unwrap_or_default();
    let is_message = |next: &&SourceLine| {
        let is_near = next.line <= line.line + MAX_STATEMENT_LINES;
        is_near && next.text.trim_start_matches(['f', '$']).starts_with(['"', '\'', '`'])
    };
    let Some(message) = next.iter().find(is_message) else { return shown };
    let message = message.text.trim_end_matches([',', '+', ' ', ';']);
    format!("{shown}({})", shortened(message, MAX_MESSAGE_CHARS))
}

#[cfg(test)]
mod tests {
    use super::{super::source_lines::lines_of_text as lines, *};

    #[test]
    fn a_condition_of_ruby_ends_with_its_line() {
        for (source, path, expected) in [
            ("if berth.free?\n  raise Full", "a.rb", " if `berth.free?`"),
            ("unless berth.free?\n  raise Full", "a.rb", " unless `berth.free?`"),
            ("if berth.free? ||\n  raise Full", "a.rb", ""),
            ("begin\n  raise Full", "a.rb", ""),
            ("if berth.free?\n  raise Full", "a.txt", ""),
        ] {
            let of_path = |line: SourceLine| SourceLine { path: path.to_owned(), ..line };
            let all: Vec<SourceLine> = lines(source).into_iter().map(of_path).collect();
            assert_eq!(condition_around(&all[1], &all), expected, "{source} {path}");
        }
    }

    #[test]
    fn an_error_may_be_raised_for_another_one() {
        for (source, expected) in [
            ("except KeyError as error:\n  raise Full", " when `KeyError` is caught"),
            ("} catch (IOException e) {\n  throw new Full();", " when `IOException e` is caught"),
            ("} catch (error) {\n  throw new Full();", ""),
            ("except:\n  raise Full", ""),
            ("rescue => e\n  raise Full", ""),
            ("rescue Full => e # or later\n  raise Full", " when `Full` is caught"),
            ("except KeyError:  # pragma: no cover\n  raise Full", " when `KeyError` is caught"),
            ("} catch (...) {\n  throw Full();", ""),
            ("catchAll(berth);\n  throw new Full();", ""),
            (
                "if (\n  (berth == null && !free) ||\n  (free && full)\n) {\n  throw new Full();",
                " if `(berth == null && !free) || (free && full)`",
            ),
            ("open(\n  berth\n) {\n  throw new Full();", ""),
            ("x()\nif (berth) {\n  y();\n}\n  throw new Full();", ""),
        ] {
            let all = lines(source);
            let raising = all.last().expect("a line");
            assert_eq!(condition_around(raising, &all), expected, "{source}");
        }
    }

    #[test]
    fn a_condition_may_have_several_lines() {
        for (source, expected) in [
            ("if (berth != null\n    && !free\n    )\n  throw new Full();", " if `berth != null && !free`"),
            ("if (berth != null &&\n    isFree(berth)) {\n  throw new Full();", " if `berth != null && isFree(berth)`"),
            ("while (berth != null\n    && !free)\n  throw new Full();", ""),
            ("if (berth != null\n    && free) {\n  a();\n  throw new Full();", " if `berth != null && free`"),
        ] {
            let all = lines(source);
            let raising = all.last().expect("a line");
            assert_eq!(condition_around(raising, &all), expected, "{source}");
        }
    }

    #[test]
    fn the_condition_of_a_line_that_opens_a_branch_is_read() {
        for (line, expected) in [
            ("if len(history) > limit:", Some("len(history) > limit")),
            ("} else if err != nil {", Some("err != nil")),
            ("elif not found:", Some("not found")),
            ("if (!isPlainObject(action)) {", Some("(!isPlainObject(action))")),
            ("raise Error()", None),
            ("notify(if_ready)", None),
        ] {
            assert_eq!(condition(line), expected, "{line}");
        }
    }

    #[test]
    fn the_condition_of_a_raised_error_is_the_branch_around_it() {
        for (source, at, expected) in [
            ("if a:\n  raise E()", 1, " if `a`"),
            ("if a {\n  if b {\n    log()\n  }\n\n  return Err(x)\n}", 5, " if `a`"),
            ("if a {\n  log()\n}\nraise E()", 3, ""),
            ("if a {\n  for b {\n    throw c\n  }\n}", 2, ""),
            ("unless a\n  raise E", 1, ""),
        ] {
            let lines = lines(source);
            assert_eq!(condition_around(&lines[at], &lines), expected, "{source}");
        }
        let mut with_gap = lines("if a:\n  x()\n  raise E()");
        with_gap.remove(1);
        assert_eq!(condition_around(&with_gap[1], &with_gap), "");
    }

    #[test]
    fn a_statement_of_several_lines_is_shown_with_its_message() {
        for (source, expected) in [
            ("throw new Error(\n  `file is empty.` +\n  more,\n);", "throw new Error(`file is empty.`)"),
            ("throw new Error(\n  code,\n  \"a message\",\n);", "throw new Error(\"a message\")"),
            ("throw new Error(code);\n\"text\"", "throw new Error(code)"),
        ] {
            let lines = lines(source);
            assert_eq!(statement(&lines[0], &lines), expected, "{source}");
        }
        assert!(raises("throw new X();") && raises("panic(\"a\")") && !raises("except X:") && !raises("// panic(a)"));
    }
}
