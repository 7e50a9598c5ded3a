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
    const BUILDERS: [&str; 3] = ["docker", "podman", "buildah"];
    let builders: Vec<&str> = BUILDERS.into_iter().filter(|builder| text.contains(builder)).collect();
    let has_rules = RULES.iter().any(|rule| text.contains(rule));
    if builders.is_empty() && !has_rules {
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
        if builders.iter().any(|builder| command.contains(builder)) {
            let built = image_command(&command).or_else(|| build_function(&command));
            built.into_iter().for_each(|image| _ = document.add(None, "build", &image, line));
        } else if let Some(image) = has_rules.then(|| rule_image(&command)).flatten() {
            document.add(None, "image", image, line);
        }
    }
    document
}

/// Returns true for a project of .NET that runs as a service. The SDK builds its image without a Dockerfile.
pub(super) fn is_web_project(text: &str) -> bool {
    let start = text.trim_start();
    start.starts_with("<Project Sdk=\"Microsoft.NET.Sdk.Web\"")
        || start.starts_with("<Project Sdk=\"Microsoft.NET.Sdk.Worker\"")
}

/// Reads a project that runs as a service. Its image has the name of its file.
pub(super) fn read_project() -> DraftDocument {
    let mut document = DraftDocument::new(DocumentFormat::Commands);
    document.add(None, "project", "web", 1);
    document
}

/// Rules of Bazel that push an image.
const RULES: [&str; 2] = ["oci_push(", "container_push("];

/// Returns the image and the folder of `docker_build('acme/cart', './cart')` in a Tiltfile.
fn build_function(command: &str) -> Option<String> {
    let (_, arguments) = command.split_once("docker_build(").filter(|(_, rest)| rest.starts_with(['"', '\'']))?;
    let mut texts = arguments.split(['"', '\'']).skip(1).step_by(2);
    let (name, folder) = (texts.next()?, texts.next().unwrap_or("."));
    let is_plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "._-/:".contains(c));
    (is_plain(name) && is_plain(folder) && !name.is_empty()).then(|| format!("{name} {folder}"))
}

/// Returns the image that an attribute of a rule names: `repository = "gcr.io/acme/cart"`.
fn rule_image(line: &str) -> Option<&str> {
    let names = ["repository =", "repository="];
    let rest = names.iter().find_map(|name| line.strip_prefix(name))?;
    let image = rest.trim_start().trim_start_matches(['"', '\'']).split(['"', '\'']).next()?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-/:${}".contains(c);
    // A label of Bazel is another rule.
    let is_image = !image.is_empty() && !image.starts_with([':', '/']);
    (is_image && image.len() <= 200 && image.chars().all(is_plain)).then_some(image)
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
