//! Commands that build images or send requests, in scripts, makefiles and the steps of CI.

use model::DocumentFormat;

use super::{builder::DraftDocument, requests};

/// Reads the commands of a step of CI. A backslash continues a command on the next line.
pub(super) fn read(text: &str) -> DraftDocument {
    let mut document = read_script(text);
    add_requests(&mut document, text, |_| true);
    document
}

/// Reads a text of no known notation: the commands of a makefile are behind tabs.
pub(super) fn read_text(text: &str) -> DraftDocument {
    let mut document = read_script(text);
    add_requests(&mut document, text, |line| line.starts_with('\t'));
    document
}

/// Reads the builds of images in a script, whose requests are in its code.
pub(super) fn read_script(text: &str) -> DraftDocument {
    let mut document = DraftDocument::new(DocumentFormat::Commands);
    if !text.contains("docker") && !text.contains("podman") && !text.contains("buildah") {
        return document;
    }
    let mut lines = (1..).zip(text.lines());
    while let Some((line, first)) = lines.next() {
        let mut command = first.trim().to_owned();
        while command.ends_with('\\') && command.len() < 2_000 {
            command.pop();
            let Some((_, next)) = lines.next() else { break };
            command.push_str(next.trim());
        }
        if let Some(image) = image_command(&command) {
            document.add(None, "build", &image, line);
        }
    }
    document
}

fn add_requests(document: &mut DraftDocument, text: &str, is_command: impl Fn(&str) -> bool) {
    for (line, command) in (1..).zip(text.lines()).filter(|(_, line)| is_command(line)) {
        for request in requests::of_line(command) {
            document.add(None, "request", &request, line);
        }
    }
}

/// Returns the image and the folder of a command that builds an image, as `NAME FOLDER`; `NAME` alone if the folder is not written.
pub(super) fn image_command(command: &str) -> Option<String> {
    let words: Vec<&str> = command.split_whitespace().map(|word| word.trim_matches(['"', '\'', ','])).collect();
    let at = words.iter().position(|word| matches!(word.rsplit('/').next(), Some("docker" | "podman" | "buildah")))?;
    let arguments = &words[at + 1..];
    let is_build = arguments.iter().take(3).any(|word| matches!(*word, "build" | "bud"));
    if !is_build {
        return None;
    }
    let tag = arguments.iter().position(|word| matches!(*word, "-t" | "--tag"));
    let tagged = tag.and_then(|at| arguments.get(at + 1)).copied();
    let name = tagged.or_else(|| arguments.iter().find_map(|word| word.strip_prefix("--tag=")))?;
    let file = arguments.iter().position(|word| matches!(*word, "-f" | "--file")).and_then(|at| arguments.get(at + 1));
    let folder = match file {
        Some(file) => file.rsplit_once('/').map_or(".", |(folder, _)| folder),
        None => arguments.last().copied().filter(|last| *last != name && !last.starts_with('-')).unwrap_or("."),
    };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-/:${}()".contains(c);
    let is_name = name.len() <= 200 && name.chars().all(is_plain) && name.chars().any(|c| c.is_ascii_alphabetic());
    is_name.then(|| format!("{name} {}", if folder.chars().all(is_plain) { folder } else { "." }))
}
