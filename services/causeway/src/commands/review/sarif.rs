//! A review as a SARIF 2.1.0 log.
//!
//! Code scanning shows results in the files of its own repository only. The result of a use in another repository is therefore at the changed
//! definition, and names the use.

use serde_json::{Value, json};

use super::report::{ReportedUse, ReviewReport, without_alias};

/// Returns the log.
pub(super) fn log(report: &ReviewReport) -> Value {
    let rule = |id: &str, text: &str| json!({ "id": id, "shortDescription": { "text": text } });
    let rules = [
        rule("broken-use", "A changed definition breaks a use"),
        rule("possibly-broken-use", "A changed definition may break a use"),
    ];
    let results = report.findings.iter().filter_map(|found| result(report, found));
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "causeway", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "invocations": [{
                "executionSuccessful": true,
                "toolExecutionNotifications": report.caveats().iter().map(|caveat| json!({ "level": "note", "message": { "text": caveat } })).collect::<Vec<_>>(),
            }],
            "results": results.collect::<Vec<_>>(),
        }],
    })
}

/// Returns the result of a use; `None` for one that is fine.
fn result(report: &ReviewReport, found: &ReportedUse) -> Option<Value> {
    let (rule, level) = match found.verdict.as_str() {
        "broken" => ("broken-use", "error"),
        "maybe" => ("possibly-broken-use", "warning"),
        _ => return None,
    };
    let repo = &report.review.repo;
    let name = without_alias(repo, &found.definition);
    let consequences = found.consequences(repo).map(|text| format!("; {text}")).unwrap_or_default();
    let (text, path, line) = match own_place(repo, &found.at) {
        Some((path, line)) => (format!("{name}: {}{consequences}", found.reason), path, line),
        None => {
            let definition = report.definitions.iter().find(|one| one.id == found.definition);
            let path = name.split("::").next().unwrap_or_default();
            (
                format!("{name}: {}: {}{consequences}", found.at, found.reason),
                path,
                definition.map_or(1, |one| one.line),
            )
        }
    };
    let related = found.behind.iter().filter_map(|at| own_place(repo, at)).map(|(path, line)| location(path, line));
    let mut result = json!({
        "ruleId": rule,
        "level": level,
        "message": { "text": text },
        "locations": [location(path, line)],
    });
    let related: Vec<Value> = related.collect();
    if !related.is_empty() {
        result["relatedLocations"] = Value::Array(related);
    }
    Some(result)
}

/// Returns path and line of a place in the changed repository.
fn own_place<'a>(repo: &str, at: &'a str) -> Option<(&'a str, u64)> {
    let (path, line) = at.strip_prefix(repo)?.strip_prefix(':')?.rsplit_once(':')?;
    Some((path, line.parse().unwrap_or(1)))
}

fn location(path: &str, line: u64) -> Value {
    json!({ "physicalLocation": { "artifactLocation": { "uri": uri(path) }, "region": { "startLine": line.max(1) } } })
}

/// Returns a path as a relative URI.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_files_of_the_repository() {
        let log = log(&super::super::report::example());
        let results = log["runs"][0]["results"].as_array().unwrap();
        let place = |result: &Value| {
            let location = &result["locations"][0]["physicalLocation"];
            format!("{} {} {}", result["level"], location["artifactLocation"]["uri"], location["region"]["startLine"])
        };
        assert_eq!(place(&results[0]), "\"error\" \"src/code.ts\" 12");
        assert_eq!(
            results[0]["message"]["text"],
            "src/code.ts::parse: web:src/app.ts:7: no argument for the required parameter `strict`"
        );
        assert_eq!(place(&results[1]), "\"error\" \"src/old.ts\" 1");
        assert_eq!(results[1]["message"]["text"], "src/code.ts::drop: it is removed; and 2 uses in this file: 4, 9");
        assert_eq!(results[1]["relatedLocations"][1]["physicalLocation"]["region"]["startLine"], 9);
        assert_eq!(results[0]["relatedLocations"], Value::Null);
        assert_eq!(place(&results[2]), "\"warning\" \"src/cli.ts\" 3");
        assert_eq!(uri("a b/ü.py"), "a%20b/%C3%BC.py");
    }
}
