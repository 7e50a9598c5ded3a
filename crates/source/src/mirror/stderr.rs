//! Sanitises the error output of `git`: one line, without credentials and without local paths.

use std::path::Path;

use super::RemoteUrl;

/// Maximum length in characters. A longer message does not help the user.
const MAX_CHARS: usize = 300;

/// Returns the line of `stderr` that names the reason.
pub(super) fn one_line(stderr: &str, url: &RemoteUrl, folder: &Path) -> String {
    let lines: Vec<&str> = stderr.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let is_reason = |line: &&&str| ["fatal:", "error:", "remote:", "ERROR:"].iter().any(|mark| line.starts_with(mark));
    // The first error is the cause. The others are consequences.
    let reason = lines.iter().find(is_reason).or(lines.last()).copied().unwrap_or("it gave no reason");
    let text = reason.replace(url.as_str(), "the remote");
    let path = url.as_str().strip_prefix("file://").unwrap_or(url.as_str());
    let text = text.replace(path, "the remote").replace(&*folder.to_string_lossy(), "the mirror");
    let text: String = without_credentials(&text).chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    text.chars().take(MAX_CHARS).collect()
}

/// Removes users, passwords and queries from the URLs in a text.
fn without_credentials(text: &str) -> String {
    let mut clean = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        clean.push_str(before);
        let end = after.find(|c: char| c.is_whitespace() || matches!(c, '\'' | '"' | '`')).unwrap_or(after.len());
        let (url, behind) = after.split_at(end);
        let authority_end = url.find('/').unwrap_or(url.len());
        let begin = url[..authority_end].rfind('@').map_or(0, |at| at + 1);
        let query = url.find('?').unwrap_or(url.len()).max(begin);
        clean.push_str(&url[begin..query]);
        rest = behind;
    }
    clean + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_and_local_paths_are_removed() {
        let url = RemoteUrl::parse("file:///srv/git/api.git").unwrap();
        for (stderr, expected) in [
            ("warning: x\nfatal: '/srv/git/api.git' is none\nerror: more", "fatal: 'the remote' is none"),
            ("fatal: unable to access 'https://u:p@h/a?t=1': no", "fatal: unable to access 'https://h/a': no"),
            ("https://a:b@c/ and ssh://d@e", "https://c/ and ssh://e"),
            ("fatal: cannot write /data/mirrors/api.git/x", "fatal: cannot write the mirror/x"),
            ("", "it gave no reason"),
        ] {
            assert_eq!(one_line(stderr, &url, Path::new("/data/mirrors/api.git")), expected);
        }
    }
}
