//! Ports that code listens on: `app.listen(5003)`, `http.ListenAndServe(":8081", mux)`, `app.run(port=5003)`.

use model::DocumentFormat;

use super::{builder::DraftDocument, marks::Marks};

/// Calls that listen, up to their bracket, and options with the port.
pub(super) const MARKS: [&str; 9] =
    [".listen(", ".Listen(", "ListenAndServe", ".run(", ".Run(", ".Start(", "Addr:", "serve(", ".bind("];

/// Maximum number of ports of one file.
const MAX_PORTS: usize = 8;

/// Maximum length of a line with a call.
const MAX_LINE_BYTES: usize = 300;

/// Maximum number of lines that are searched for the value of a name.
const MAX_SEARCHED_LINES: usize = 1_000;

/// Reads the ports of a file of code; `None` if it has none.
pub(super) fn read(text: &str, marks: &Marks) -> Option<DraftDocument> {
    if !marks.has_any(&MARKS) {
        return None;
    }
    let mut document = DraftDocument::new(DocumentFormat::Commands);
    let mut n_found = 0;
    for (line, content) in (1..).zip(text.lines()) {
        let trimmed = content.trim_start();
        if content.len() > MAX_LINE_BYTES || trimmed.starts_with("//") || trimmed.starts_with('#') {
            continue;
        }
        let Some(rest) = MARKS.iter().find_map(|mark| content.split_once(mark)).map(|(_, rest)| rest) else { continue };
        if let Some(port) = port_of(rest, text).filter(|_| n_found < MAX_PORTS) {
            document.add(None, "listen", &port.to_string(), line);
            n_found += 1;
        }
    }
    (n_found > 0).then_some(document)
}

/// Returns the port among the arguments of a call.
fn port_of(arguments: &str, text: &str) -> Option<u16> {
    if let Some((_, value)) = arguments.split_once("port=").or_else(|| arguments.split_once("port: ")) {
        return value_of(value, text);
    }
    // `":8081"`, `"0.0.0.0:8081"`.
    let texts = arguments.split(['"', '\'', '`']).skip(1).step_by(2);
    if let Some(port) = texts.filter_map(|address| leading_number(address.rsplit_once(':')?.1)).next() {
        return Some(port);
    }
    let is_text = arguments.trim_start().starts_with(['"', '\'', '`']);
    let first = arguments.trim_start_matches('(').split([',', ')']).next()?;
    if is_text { None } else { value_of(first, text) }
}

/// Returns the port of a value: a number, a default, or a name to which the text assigns one.
fn value_of(value: &str, text: &str) -> Option<u16> {
    let value = value.trim();
    if let Some(port) = leading_number(value).or_else(|| default_of(value)) {
        return Some(port);
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let name = &value[..value.find(|c: char| !is_part(c)).unwrap_or(value.len())];
    let name = name.rsplit('.').next().filter(|name| name.to_ascii_lowercase().contains("port"))?;
    let assigned = text.lines().take(MAX_SEARCHED_LINES).filter_map(|line| {
        let (before, after) = line.split_once(name)?;
        let after = after.trim_start();
        let is_assigned = after.starts_with([':', '=']) && !after.starts_with("==") && !before.ends_with(is_part);
        let value = after.trim_start_matches([':', '=', ' ']);
        leading_number(value).or_else(|| default_of(value)).filter(|_| is_assigned)
    });
    assigned.into_iter().next()
}

/// Returns the number behind an operator for a default: `5003` of `process.env.PORT || 5003`, of `os.getenv("PORT", 5003)`.
fn default_of(value: &str) -> Option<u16> {
    let operators = ["||", "??", " or "];
    if let Some((_, default)) = operators.iter().find_map(|operator| value.split_once(operator)) {
        return leading_number(default.trim_start().trim_start_matches(['"', '\'']));
    }
    let is_environment = value.to_ascii_lowercase().contains("env");
    let (_, default) = value.rsplit_once(',').filter(|_| is_environment)?;
    leading_number(default.trim_start().trim_start_matches(['"', '\'']))
}

/// Returns the port at the start of a text, if no other digits, letters or dots follow.
fn leading_number(text: &str) -> Option<u16> {
    let digits = &text[..text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len())];
    let is_end = !text[digits.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '.' || c == '_');
    digits.parse().ok().filter(|port| is_end && *port >= 80)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_tells_the_ports_that_it_listens_on() {
        for (text, expected) in [
            ("app.run(port=5003, debug=True)", "5003:1"),
            ("uvicorn.run(app, host=\"0.0.0.0\", port=8001)", "8001:1"),
            ("app.listen(3001, () => {})", "3001:1"),
            ("app.listen(process.env.PORT || 3002)", "3002:1"),
            ("const PORT = process.env.PORT ?? 3003;\napp.listen(PORT)", "3003:2"),
            ("const port = Number(process.env.PORT || 3004);\nawait app.listen(port, '0.0.0.0')", "3004:2"),
            ("PORT = int(os.getenv(\"PORT\", \"3005\"))\napp.run(port=PORT)", "3005:2"),
            ("http.ListenAndServe(\":8081\", mux)", "8081:1"),
            ("r.Run(\":8082\")", "8082:1"),
            ("s := &http.Server{Addr: \"0.0.0.0:8083\"}", "8083:1"),
            ("emitter.listen(\"a\")", ""),
            ("// app.listen(3001)", ""),
            ("app.listen(3.5)", ""),
            ("task.run(12)", ""),
            ("app.listen(retries)\nretries = 500", ""),
        ] {
            let found = read(text, &Marks::of(text)).and_then(DraftDocument::disclosed);
            let entries = found.into_iter().flat_map(|document| document.entries);
            let found: Vec<String> = entries.map(|entry| format!("{}:{}", entry.value, entry.line)).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }
}
