//! Requests of commands in Dockerfiles, makefiles and the steps of CI: `curl -X POST http://cart/items`.

/// Names of the commands.
const COMMANDS: [&str; 2] = ["curl", "wget"];

/// Maximum number of words of a command.
const MAX_WORDS: usize = 200;

/// Returns the requests of a line of commands, each as `METHOD URL`. The URL still has its query and user.
pub(super) fn of_line(line: &str) -> Vec<String> {
    if !COMMANDS.iter().any(|command| line.contains(command)) {
        return Vec::new();
    }
    let commands = line.split(['|', ';', '`', '(', ')']).flat_map(|part| part.split("&&"));
    commands.filter_map(of_command).collect()
}

fn of_command(command: &str) -> Option<String> {
    let is_quote = |c: char| matches!(c, '"' | '\'' | ',' | '[' | ']');
    let words: Vec<&str> = command.split_whitespace().map(|word| word.trim_matches(is_quote)).take(MAX_WORDS).collect();
    let at = words.iter().position(|word| COMMANDS.contains(&word.rsplit('/').next().unwrap_or(word)))?;
    let mut method = "GET";
    let mut url = None;
    let mut words = words[at + 1..].iter().copied();
    while let Some(word) = words.next() {
        match word {
            "-X" | "--request" | "--method" => method = words.next()?,
            "-d" | "--data" | "--data-raw" | "--data-binary" | "--json" | "-F" | "--form" | "--post-data"
                if method == "GET" =>
            {
                method = "POST";
            }
            "-I" | "--head" => method = "HEAD",
            "-T" | "--upload-file" => method = "PUT",
            "-o" | "-O" | "--output" if words.clone().next().is_some_and(|next| !is_url(next)) => {
                words.next();
            }
            word if word.starts_with("-X") => method = &word[2..],
            word => url = url.or(Some(word).filter(|word| is_url(word))),
        }
    }
    let is_method = !method.is_empty() && method.len() < 8 && method.chars().all(|c| c.is_ascii_alphabetic());
    is_method.then_some(format!("{} {}", method.to_ascii_uppercase(), url?))
}

fn is_url(word: &str) -> bool {
    word.starts_with("http://") || word.starts_with("https://") || word.starts_with('$') && word.contains('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_send_requests() {
        for (line, expected) in [
            ("curl -s http://cart/items", &["GET http://cart/items"][..]),
            ("- run: curl -X POST -d '{\"a\": 1}' \"$CART_URL/items\"", &["POST $CART_URL/items"]),
            ("RUN apt-get install curl && curl -fsSL -o x https://a.example/x | sh", &["GET https://a.example/x"]),
            ("HEALTHCHECK CMD [\"curl\", \"-f\", \"http://localhost/health\"]", &["GET http://localhost/health"]),
            (
                "wget --method PUT http://cart/items/1 ; wget http://cart",
                &["PUT http://cart/items/1", "GET http://cart"],
            ),
            ("apt-get install -y curl ca-certificates", &[]),
            ("echo http://cart/items", &[]),
        ] {
            assert_eq!(of_line(line), expected, "{line}");
        }
    }
}
