//! The imports of a file, as its own lines name them.

use model::{Language, LineSpan};

use super::{
    IntentContext,
    cited_text::{CitedText, citation},
    source_lines::{SourceLine, read},
    subject::SubjectNode,
};
use federation::{answer::Answer, fetch::SourceRequest};

/// Lines of a file that may have its imports.
const MAX_LINES: u32 = 400;

/// Maximum number of imports in a sentence.
const MAX_LISTED: usize = 20;

/// Returns a sentence with the modules that a file imports; nothing if no line imports one.
pub(super) async fn sentence(context: IntentContext<'_, '_>, node: &SubjectNode) -> Answer<Option<CitedText>> {
    let (repo_idx, path) = (node.at.repo_idx, node.path().to_owned());
    let request = SourceRequest { repo_idx, path: path.clone(), lines: LineSpan { start: 1, end: MAX_LINES } };
    let lines = read(context, vec![request], |_| true).await;
    lines.map(|lines| {
        let found = imports(Language::of_path(&path), &lines);
        let (first, last) = (found.first()?.0, found.last()?.0);
        let mut names: Vec<String> = Vec::new();
        for (_, name) in found {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let items = names.iter().map(|name| CitedText::plain(text::quote(name))).collect();
        let lead = format!("{} imports ", text::quote(&node.name()));
        let listed = CitedText::listed(&lead, items, MAX_LISTED, "");
        Some(CitedText::cited(listed.text, citation(context.plan, repo_idx, &path, (first, last))).then("."))
    })
}

/// Returns the imported modules with their lines.
pub(super) fn imports(language: Language, lines: &[SourceLine]) -> Vec<(u32, String)> {
    let mut is_block = false;
    let mut found: Vec<(u32, String)> = Vec::new();
    for line in lines {
        let text = line.text.as_str();
        let name = match language {
            Language::Go => {
                let is_import = is_block || text.starts_with("import ");
                is_block = (is_block || text == "import (") && text != ")";
                quoted(text).filter(|_| is_import && !text.starts_with("//"))
            }
            Language::Python => python(text),
            Language::Rust => text.strip_prefix("pub ").unwrap_or(text).strip_prefix("use ").map(until_names),
            Language::Java | Language::Kotlin | Language::Scala => {
                let rest = text.strip_prefix("import ");
                rest.map(|rest| rest.trim_start_matches("static ").trim_end_matches(';').to_owned())
            }
            Language::C | Language::Cpp => text.strip_prefix("#include").map(|rest| rest.trim().to_owned()),
            _ => script(text),
        };
        found.extend(name.filter(|name| !name.is_empty()).map(|name| (line.line, name)));
    }
    found
}

/// Returns the first quoted text of a line.
fn quoted(text: &str) -> Option<String> {
    let mark = text.find(['"', '\'', '`'])?;
    let rest = &text[mark + 1..];
    rest.find(&text[mark..=mark]).map(|end| rest[..end].to_owned())
}

fn python(text: &str) -> Option<String> {
    if let Some(rest) = text.strip_prefix("from ") {
        return rest.split_once(" import").map(|(module, _)| module.trim().to_owned());
    }
    text.strip_prefix("import ").map(|rest| rest.split([' ', ',', ';']).next().unwrap_or(rest).to_owned())
}

/// Returns a path of Rust without the names that are taken from it.
fn until_names(rest: &str) -> String {
    let end = rest.find(['{', ';', '*']).unwrap_or(rest.len());
    rest[..end].trim_end_matches(':').split(" as ").next().unwrap_or_default().trim().to_owned()
}

/// Returns the module of an import of JavaScript, TypeScript, Ruby or PHP.
fn script(text: &str) -> Option<String> {
    let is_import = ["import ", "export ", "} from ", "require ", "require_relative ", "use "]
        .iter()
        .any(|start| text.starts_with(start));
    if let Some((_, rest)) = text.split_once("require(") {
        return quoted(rest);
    }
    let has_module = text.contains(" from ")
        || text.starts_with("} from ")
        || text.starts_with("import ")
        || text.starts_with("require");
    if is_import && has_module { quoted(text.rsplit_once("from ").map_or(text, |(_, rest)| rest)) } else { None }
}

#[cfg(test)]
mod tests {
    use federation::repo_idx::RepoIdx;

    use super::*;

    #[test]
    fn imports_are_read_in_the_notation_of_each_language() {
        for (language, text, expected) in [
            (
                Language::Go,
                "import (\n\"fmt\"\n// \"old\"\nlog \"example.org/log\"\n)\nvar a = \"b\"",
                vec!["fmt", "example.org/log"],
            ),
            (Language::Python, "from a.b import c\nimport os\nimportant = 1", vec!["a.b", "os"]),
            (Language::Rust, "use std::{fmt, io};\nuse a::B;\nlet used = 1;", vec!["std", "a::B"]),
            (
                Language::TypeScript,
                "import a from 'a';\nimport {\nb,\n} from '@/b';\nimport './c.css';\nexport const x = 'y';",
                vec!["a", "@/b", "./c.css"],
            ),
            (Language::JavaScript, "const a = require('a');", vec!["a"]),
            (Language::Java, "import static a.B.c;\nimport a.D;", vec!["a.B.c", "a.D"]),
        ] {
            let line = |(line, text): (u32, &str)| SourceLine {
                repo_idx: RepoIdx(0),
                path: String::new(),
                line,
                indent: 0,
                text: text.to_owned(),
            };
            let lines: Vec<SourceLine> = (1..).zip(text.lines()).map(line).collect();
            let names: Vec<String> = imports(language, &lines).into_iter().map(|(_, name)| name).collect();
            assert_eq!(names, expected, "{text}");
        }
    }
}
