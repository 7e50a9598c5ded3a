//! Questions for benchmarks: comments of the repositories, questions of common words, and issue texts.

use std::{fs, path::Path};

use super::draw::Draw;

/// Number of questions of each drawn kind.
const N_QUESTIONS: usize = 30;

/// Length of a comment in words.
const WORDS: std::ops::RangeInclusive<usize> = 4..=16;

/// Minimum size of an issue text in bytes.
const LONG: usize = 2_500;

/// Words that point to no repository: the worst case for pruning.
const COMMON: &[&str] = &[
    "read the configuration",
    "return an error when the value is empty",
    "write to a file",
    "parse the input",
    "default options",
    "retry a request",
    "check whether the list holds an item",
    "open a connection",
    "convert a number to text",
    "update the state",
];

const PROSE: &[&str] = &[
    "We see this since the last upgrade, and only when the machine is busy.",
    "Going back to the version before makes it go away, so that something must have changed.",
    "I expected that nothing changes for those who never set the option.",
    "It does not happen every time, and more often in the morning.",
    "The documentation says otherwise, as far as I can tell.",
    "A colleague has the same on another machine with another system.",
    "Please tell me what else would help to find this.",
    "2026-03-11 09:26:53 WARN worker: giving up after 3 attempts (4123 ms)",
    "2026-03-11 09:26:54 INFO worker: started again, 12 items left",
    "Traceback (most recent call last): File \"main.py\", line 41, in run",
];

/// Returns the questions of each kind.
pub fn of(repositories: &[impl AsRef<Path>]) -> Vec<(&'static str, Vec<String>)> {
    let mut draw = Draw::new(7);
    let mut comments = Vec::new();
    // Some repositories have no comments.
    for _ in 0..N_QUESTIONS * 20 {
        if comments.len() == N_QUESTIONS || repositories.is_empty() {
            break;
        }
        let repository = repositories[draw.below(repositories.len())].as_ref();
        comments.extend(comment_of(repository, &mut draw));
    }
    let long = comments.iter().map(|title| issue(title, &mut draw)).collect();
    let common = COMMON.iter().map(|&question| question.to_owned()).collect();
    vec![("comment", comments), ("common", common), ("long", long)]
}

fn issue(title: &str, draw: &mut Draw) -> String {
    let mut text = format!("{title}\n\n");
    while text.len() < LONG {
        text.push_str(draw.one(PROSE));
        text.push('\n');
    }
    text
}

/// Returns a comment from a random file of the repository.
fn comment_of(repository: &Path, draw: &mut Draw) -> Option<String> {
    let mut files = Vec::new();
    files_below(repository, &mut files);
    files.sort();
    let file = (!files.is_empty()).then(|| files[draw.below(files.len())].clone())?;
    let text = fs::read_to_string(file).ok()?;
    let comments: Vec<String> = text.lines().filter_map(sentence).collect();
    (!comments.is_empty()).then(|| comments[draw.below(comments.len())].clone())
}

/// Returns the comment of a line if it consists of plain words.
fn sentence(line: &str) -> Option<String> {
    let comment = ["/// ", "// ", "# ", "* "].iter().find_map(|mark| line.trim_start().strip_prefix(mark))?;
    let is_word = |word: &str| word.trim_end_matches(['.', ',', ':']).chars().all(char::is_alphanumeric);
    let words: Vec<&str> = comment.split_whitespace().collect();
    (WORDS.contains(&words.len()) && words.iter().all(|word| is_word(word))).then(|| words.join(" "))
}

fn files_below(folder: &Path, files: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        if path.is_dir() {
            files_below(&path, files);
        } else if path
            .extension()
            .is_some_and(|extension| ["rs", "py", "go", "ts", "c", "js"].iter().any(|one| extension == *one))
        {
            files.push(path);
        }
    }
}
