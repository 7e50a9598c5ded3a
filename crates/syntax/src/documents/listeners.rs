//! Ports that code listens on: `app.listen(5003)`, `http.ListenAndServe(":8081", mux)`, `app.run(port=5003)`.

use std::collections::BTreeMap;

use model::DocumentFormat;

use super::{builder::DraftDocument, marks::Marks};

/// Calls that listen, up to their bracket, and options with the port.
pub(super) const MARKS: [&str; 10] =
    [".listen(", ".Listen(", ".rxListen(", "ListenAndServe", ".run(", ".Run(", ".Start(", "Addr:", "serve(", ".bind("];

/// Maximum number of ports of one file.
const MAX_PORTS: usize = 8;

/// Maximum length of a line with a call.
const MAX_LINE_BYTES: usize = 300;

/// Maximum number of lines that are searched for the value of a name.
const MAX_SEARCHED_LINES: usize = 1_000;

/// Maximum number of names of one file whose values are searched.
const MAX_NAMES: usize = 32;

/// Marks that only servers have.
const OF_SERVERS: [&str; 3] = ["ListenAndServe", "Addr:", "serve("];

/// Words of the objects that listen: those of other objects take numbers, too.
const SERVERS: [&str; 36] = [
    "app",
    "application",
    "api",
    "server",
    "srv",
    "service",
    "svc",
    "http",
    "https",
    "http2",
    "web",
    "express",
    "fastify",
    "koa",
    "hono",
    "elysia",
    "nest",
    "restify",
    "polka",
    "hapi",
    "flask",
    "bottle",
    "sanic",
    "uvicorn",
    "hypercorn",
    "waitress",
    "socketio",
    "sio",
    "io",
    "router",
    "engine",
    "gateway",
    "listener",
    "vertx",
    "javalin",
    "undertow",
];

/// The values of names in a text, each searched once.
struct NamedPorts<'t> {
    text: &'t str,
    found: BTreeMap<String, Option<u16>>,
}

/// Reads the ports of a file of code; `None` if it has none.
pub(super) fn read(text: &str, marks: &Marks) -> Option<DraftDocument> {
    if !marks.has_any(&MARKS) {
        return None;
    }
    let mut document = DraftDocument::new(DocumentFormat::Commands);
    let mut names = NamedPorts { text, found: BTreeMap::new() };
    let mut n_found = 0;
    for (line, content) in (1..).zip(text.lines()) {
        let trimmed = content.trim_start();
        if content.len() > MAX_LINE_BYTES || trimmed.starts_with("//") || trimmed.starts_with('#') {
            continue;
        }
        let call = MARKS.iter().find_map(|mark| content.split_once(mark).map(|(before, rest)| (before, *mark, rest)));
        let Some((before, mark, rest)) = call else { continue };
        if let Some(port) = port_of(rest, is_of_server(before, mark), &mut names) {
            document.add(None, "listen", &port.to_string(), line);
            n_found += 1;
        }
        if n_found == MAX_PORTS {
            break;
        }
    }
    (n_found > 0).then_some(document)
}

/// Returns true if the object of a call is a server: by its name, or by the calls that make it.
fn is_of_server(before: &str, mark: &str) -> bool {
    let before = before.trim();
    let is_chain = before.is_empty() || before.chars().all(|c| matches!(c, ')' | '}' | ']'));
    if OF_SERVERS.contains(&mark) || is_chain && mark.to_ascii_lowercase().ends_with("listen(") {
        return true;
    }
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$');
    let object = if before.ends_with([')', '}']) {
        before.rsplit([';', '=']).next().unwrap_or(before)
    } else {
        before.rsplit(|c: char| !is_part(c)).next().unwrap_or(before)
    };
    let is_start = |(at, c): (usize, char)| c.is_uppercase() && object[..at].ends_with(|c: char| c.is_lowercase());
    let mut words = String::new();
    for (at, c) in object.char_indices() {
        let is_separator = !c.is_alphanumeric() || is_start((at, c));
        words.extend(is_separator.then_some(' '));
        words.extend(c.is_alphanumeric().then(|| c.to_ascii_lowercase()));
    }
    words.split(' ').any(|word| SERVERS.contains(&word) || word.ends_with("server") || word.ends_with("app"))
}

/// Returns the port among the arguments of a call. A number and a name tell one only if the object is a server.
fn port_of(arguments: &str, is_of_server: bool, names: &mut NamedPorts<'_>) -> Option<u16> {
    if is_of_server && let Some((_, value)) = arguments.split_once("port=").or_else(|| arguments.split_once("port: ")) {
        return value_of(value, names);
    }
    // `":8081"`, `"0.0.0.0:8081"`.
    let mut texts = arguments.split(['"', '\'', '`']).skip(1).step_by(2);
    if let Some(port) = texts.find_map(port_of_address) {
        return Some(port);
    }
    let is_text = arguments.trim_start().starts_with(['"', '\'', '`']);
    let first = arguments.trim_start_matches('(').split([',', ')']).next()?;
    if is_text || !is_of_server { None } else { value_of(first, names) }
}

/// Returns the port of an address that is the whole of a text; `docker run -p 5003:5003` is none.
fn port_of_address(text: &str) -> Option<u16> {
    let address = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://")).unwrap_or(text);
    let (host, port) = address.rsplit_once(':')?;
    let is_host = host.chars().all(|c| c.is_ascii_alphanumeric() || ".-_*+:[]".contains(c));
    leading_number(port).filter(|_| is_host)
}

/// Returns the port of a value: a number, a default, or a name to which the text assigns one.
fn value_of(value: &str, names: &mut NamedPorts<'_>) -> Option<u16> {
    let value = value.trim();
    if let Some(port) = leading_number(value).or_else(|| default_of(value)) {
        return Some(port);
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let name = &value[..value.find(|c: char| !is_part(c)).unwrap_or(value.len())];
    let name = name.rsplit('.').next().filter(|name| name.to_ascii_lowercase().contains("port"))?;
    if let Some(known) = names.found.get(name) {
        return *known;
    }
    if names.found.len() == MAX_NAMES {
        return None;
    }
    let mut lines = names.text.lines().take(MAX_SEARCHED_LINES);
    let assigned = lines.find_map(|line| {
        let (before, after) = line.split_once(name)?;
        let after = after.trim_start();
        let is_assigned = after.starts_with([':', '=']) && !after.starts_with("==") && !before.ends_with(is_part);
        let value = after.trim_start_matches([':', '=', ' ']);
        leading_number(value).or_else(|| default_of(value)).filter(|_| is_assigned)
    });
    names.found.insert(name.to_owned(), assigned);
    assigned
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
            (
                "static final int HTTP_PORT = 4000;\nreturn vertx.createHttpServer()\n  .requestHandler(router)\n  .rxListen(HTTP_PORT)",
                "4000:4",
            ),
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
            ("http.createServer(app).listen(3006)", "3006:1"),
            ("new Elysia()\n  .get('/', f)\n  .listen(3007)", "3007:3"),
            ("const apiServer = make()\napiServer.listen(3008)", "3008:2"),
            ("sim.run(10000)", ""),
            ("mapper.run(port=10000)", ""),
            ("subprocess.run(\"docker -p 5003:5003\")", ""),
            ("subprocess.run([\"x\", \"--port=5003\"])", ""),
            ("socket.bind(\"tcp://*:5555\")", ""),
        ] {
            let found = read(text, &Marks::of(text)).and_then(DraftDocument::disclosed);
            let entries = found.into_iter().flat_map(|document| document.entries);
            let found: Vec<String> = entries.map(|entry| format!("{}:{}", entry.value, entry.line)).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }

    #[test]
    fn a_file_has_few_ports_and_few_names_of_them() {
        let ports = |text: &str| {
            let found = read(text, &Marks::of(text)).and_then(DraftDocument::disclosed);
            found.map_or(0, |document| document.entries.len())
        };
        let many: String = (0..20).map(|at| format!("app.listen({})\n", 3100 + at)).collect();
        assert_eq!(ports(&many), MAX_PORTS);
        let names: String = (0..MAX_NAMES).map(|at| format!("app.listen(port{at})\n")).collect();
        assert_eq!(ports(&format!("{names}last_port = 3009\napp.listen(last_port)")), 0);
        let one = "app.listen(port)\n".repeat(MAX_NAMES);
        assert_eq!(ports(&format!("{one}last_port = 3009\napp.listen(last_port)")), 1);
    }
}
