//! The commands that a program registers with its command-line library, read from its lines.

use super::{
    IntentContext,
    cited_text::{CitedText, counted},
    source_lines::{SourceLine, non_empty_lines},
    test_lines,
};
use federation::{answer::Answer, repo_idx::RepoIdx};

/// Calls and fields that register a command by its name, the first text after them.
const REGISTRATIONS: [&str; 5] = [".command(", ".add_parser(", ".subcommand(Command::new(", ".add_command(", "Use:"];

/// A call that also runs a command, of a database or of another program.
const AMBIGUOUS: &str = ".command(";

/// Endings of the names of objects whose `command` registers one.
const PROGRAMS: [&str; 11] =
    ["cli", "program", "prog", "yargs", "app", "click", "typer", "command", "cmd", "commander", "group"];

/// Maximum number of commands in a sentence.
const MAX_LISTED: usize = 20;

/// Parts of the names of files that register commands.
const FILE_WORDS: [&str; 8] = ["cli", "main", "command", "cmd", "args", "app", "program", "root"];

/// Returns true if a question asks for the commands of a program.
pub(super) fn asks_for_commands(question: &str) -> bool {
    let lower = question.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    // After `who`, it is a verb.
    !lower.trim_start().starts_with("who ")
        && words.any(|word| matches!(word, "commands" | "subcommands" | "subcommand"))
}

/// Returns a sentence with the registered commands of files; nothing if no line registers one. The name is that of the program.
pub(super) async fn sentence(
    context: IntentContext<'_, '_>,
    name: &str,
    files: Vec<(RepoIdx, String)>,
) -> Answer<Option<CitedText>> {
    let mut files = files;
    files.sort_by_key(|(_, path)| !may_register(path));
    let lines = non_empty_lines(context, &files).await;
    lines.map(|lines| {
        let mut found = commands(&lines);
        // The root command has the name of the program.
        found.retain(|(command, _)| !is_program_name(name, command));
        let cite =
            |(command, line): &(String, &SourceLine)| CitedText::cited(text::quote(command), line.place(context));
        let lead = format!("{name} registers at least {}: ", counted(found.len(), "command"));
        let items = super::environment_variables::without_repeated_files(found.iter().map(cite).collect());
        (!found.is_empty()).then(|| CitedText::listed(&lead, items, MAX_LISTED, "."))
    })
}

/// Returns true if a command has the name of the program, which may be a path.
fn is_program_name(program: &str, command: &str) -> bool {
    program.trim_matches('`').rsplit('/').next().is_some_and(|last| last.eq_ignore_ascii_case(command))
}

fn may_register(path: &str) -> bool {
    let lower = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    FILE_WORDS.iter().any(|word| lower.contains(word))
}

/// Returns the registered commands with their lines, each once. A name may be on the line after the call.
fn commands(lines: &[SourceLine]) -> Vec<(String, &SourceLine)> {
    let mut found: Vec<(String, &SourceLine)> = Vec::new();
    let is_of_test = test_lines::within_tests(lines);
    for (at, line) in lines.iter().enumerate().filter(|(at, _)| !is_of_test[*at]) {
        let rest = REGISTRATIONS.iter().find_map(|call| {
            let (before, rest) = line.text.split_once(call)?;
            (*call != AMBIGUOUS || is_program(before)).then_some(rest.trim_start())
        });
        let next = lines.get(at + 1).filter(|next| next.path == line.path && next.line == line.line + 1);
        let rest = rest.or_else(|| name_of_struct(lines, at));
        let named = match rest {
            Some("") => next.and_then(|next| Some((quoted_name(&next.text)?, next))),
            Some(rest) => quoted_name(rest).map(|name| (name, line)),
            None => None,
        };
        let named = named.map(|(name, line)| (name.to_owned(), line)).or_else(|| decorated(lines, at));
        let new = named.filter(|(name, _)| found.iter().all(|(known, _)| known != name));
        found.extend(new);
    }
    found
}

/// Returns the text behind `Name:` if the lines above begin a command of Go: `&cli.Command{`, or a call of that name with such a value.
fn name_of_struct(lines: &[SourceLine], at: usize) -> Option<&str> {
    const MAX_LINES: usize = 2;
    let line = &lines[at];
    let rest = line.text.strip_prefix("Name:").filter(|_| line.path.ends_with(".go"))?;
    let above = super::source_lines::lines_above(lines, at).take(MAX_LINES).find(|above| above.indent < line.indent)?;
    // An `ApplicationCommand{` is of a chat.
    let before = above.text.strip_suffix("Command{")?;
    (!before.ends_with(char::is_alphanumeric)).then_some(rest.trim_start())
}

/// Lines between a decorator and its function: further decorators with their arguments.
const MAX_DECORATOR_LINES: usize = 40;

/// Returns the command of a decorator such as `@main.command()`, which has the name of its function if it gives none.
fn decorated(lines: &[SourceLine], at: usize) -> Option<(String, &SourceLine)> {
    let line = &lines[at];
    let (receiver, arguments) = line.text.strip_prefix('@')?.split_once(".command(")?;
    let is_name = !receiver.is_empty() && receiver.chars().all(|c| c.is_alphanumeric() || c == '_');
    let is_program_by_name = is_program(receiver) || receiver == "main";
    if !is_name || !(is_program_by_name || is_group(lines, line, receiver)) {
        return None;
    }
    let given = arguments.trim_start().strip_prefix("name=").unwrap_or(arguments.trim_start());
    if let Some(name) = quoted_name(given) {
        return Some((name.to_owned(), line));
    }
    let below = lines[at + 1..].iter().take(MAX_DECORATOR_LINES).take_while(|below| below.path == line.path);
    let function = below.filter(|below| below.indent <= line.indent).find_map(|below| {
        let rest = below.text.strip_prefix("async ").unwrap_or(&below.text).strip_prefix("def ")?;
        rest.split('(').next()
    })?;
    let arguments = arguments.trim_end_matches(')');
    let has_name = !arguments.is_empty() && !arguments.contains('=');
    // Both libraries of such decorators write underscores as hyphens.
    (!has_name).then(|| (function.trim().replace('_', "-"), line))
}

/// Returns true if the file of a line makes a group of commands with a name: a function that is decorated as one, or a variable.
fn is_group(lines: &[SourceLine], of: &SourceLine, name: &str) -> bool {
    let own: Vec<&SourceLine> =
        lines.iter().filter(|line| (line.repo_idx, &line.path) == (of.repo_idx, &of.path)).collect();
    let is_variable = |line: &&SourceLine| {
        let made = line.text.strip_prefix(name).and_then(|rest| rest.trim_start().strip_prefix('='));
        made.is_some_and(|made| made.contains("Typer(") || made.contains("Group("))
    };
    let is_function = |at: &usize| {
        let defined = own[*at].text.strip_prefix("def ").and_then(|rest| rest.strip_prefix(name));
        let above = own[..*at].iter().rev().take(MAX_DECORATOR_LINES);
        let mut decorators =
            above.take_while(|line| !line.text.starts_with("def ") && !line.text.starts_with("class "));
        defined.is_some_and(|rest| rest.starts_with('('))
            && decorators.any(|line| line.text.starts_with('@') && line.text.contains("group("))
    };
    own.iter().any(is_variable) || (0..own.len()).any(|at| is_function(&at))
}

/// Returns true if the text before a call ends with an object that is a program by its name, or if the call continues a line.
fn is_program(before: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let start = before.trim_end_matches(is_part).len();
    let receiver = before[start..].to_lowercase();
    before.trim().is_empty() || PROGRAMS.iter().any(|name| receiver.ends_with(name))
}

/// Returns the name of a command at the beginning of a text: the first word of a quotation whose others are placeholders.
fn quoted_name(text: &str) -> Option<&str> {
    let mark = text.chars().next().filter(|mark| matches!(mark, '"' | '\'' | '`'))?;
    let quoted = text[1..].split(mark).next()?;
    let mut words = quoted.split(' ');
    let name = words.next()?;
    let has_placeholders = words.all(|word| word.starts_with(['<', '[']));
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ':');
    (!name.is_empty() && has_placeholders && name.chars().all(is_name)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::{super::source_lines::lines_of_text, *};

    #[test]
    fn registered_commands_are_read() {
        let source = [
            "cli.command(\"init\", \"Starts\")",
            ".command(",
            "\"pre <enter|exit>\",",
            "sub.add_parser('ship', help='x')",
            "Use:   \"serve [flags]\",",
            "run.command(name)",
            "cli.command(\"init\")",
            "const use: &str = \"other\";",
            "tool.command(\"rm -rf x\")",
            "exec.command(\"ls\")",
            "db.command(\"ping\")",
            "rootCmd.command(\"halt\")",
            "\u{201c}\u{e9}.command(\"wide\")",
        ];
        let lines = lines_of_text(&source.join("\n"));
        let found: Vec<(String, u32)> = commands(&lines).into_iter().map(|(name, line)| (name, line.line)).collect();
        let expected = [("init", 1), ("pre", 3), ("ship", 4), ("serve", 5), ("halt", 12)];
        assert_eq!(found, expected.map(|(name, line)| (name.to_owned(), line)));
        for (program, is_root) in [("`acme/rg`", true), ("`rg`", true), ("`acme`", false), ("`rg/acme`", false)] {
            assert_eq!(is_program_name(program, "rg"), is_root, "{program}");
        }
        let decorated_source = [
            "@main.command()",
            "@options",
            "def set_sail(a):",
            "@main.command(name=\"moor\")",
            "def other():",
            "@deck.task()",
            "def x():",
            "@bot.command()",
            "def chat():",
            "@main.group()",
            "def berth():",
            "@berth.command()",
            "def free():",
            "pier = typer.Typer()",
            "@pier.command()",
            "def rope():",
            "def test_berth():",
            "  cli.command(\"faked\")",
        ];
        let of_go = |source: &str| {
            let of_path = |line: SourceLine| SourceLine { path: "main.go".to_owned(), ..line };
            let lines: Vec<SourceLine> = lines_of_text(source).into_iter().map(of_path).collect();
            commands(&lines).into_iter().map(|(name, _)| name).collect::<Vec<String>>()
        };
        assert_eq!(
            of_go("Register(Command{\n  Name: \"moor\",\n})\n&cli.Command{\n  Name: \"tow\",\n}"),
            ["moor", "tow"]
        );
        assert!(of_go("&chat.ApplicationCommand{\n  Name: \"moor\",\n}").is_empty());
        assert!(of_go("Register(Ship{\n  Name: \"moor\",\n})\nName: \"tow\"").is_empty());
        let lines = lines_of_text(&decorated_source.join("\n"));
        let found: Vec<(String, u32)> = commands(&lines).into_iter().map(|(name, line)| (name, line.line)).collect();
        let expected = [("set-sail", 1), ("moor", 4), ("free", 12), ("rope", 15)];
        assert_eq!(found, expected.map(|(name, line)| (name.to_owned(), line)));
        assert!(asks_for_commands("which commands does it have?") && !asks_for_commands("who commands it"));
    }
}
