//! Looking into answers.

use serde_json::Value;

/// Returns `repo:path` of each result of a search, in order.
pub fn places(answer: &Value) -> Vec<String> {
    places_in(answer, "results")
}

/// Returns `repo:path` of each file that a search lists as worth opening, in order.
pub fn candidates(answer: &Value) -> Vec<String> {
    places_in(answer, "candidates")
}

fn places_in(answer: &Value, list: &str) -> Vec<String> {
    let place = |hit: &Value| format!("{}:{}", text(&hit["repo"]), text(&hit["path"]));
    answer[list].as_array().expect("a list of places").iter().map(place).collect()
}

/// Returns a string of an answer.
pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("a string, not {value}"))
}

/// Returns the coverage of an answer.
pub fn coverage(answer: &Value) -> &Value {
    &answer["_meta"]["coverage"]
}

/// Says whether every repository that was asked stands behind the answer.
pub fn is_complete(answer: &Value) -> bool {
    coverage(answer)["complete"] == true
}

/// Returns `repo state` for each repository that did not answer fully.
pub fn shortfalls(answer: &Value) -> Vec<String> {
    let shortfall = |short: &Value| format!("{} {}", text(&short["repo"]), text(&short["state"]));
    coverage(answer)["shortfalls"].as_array().into_iter().flatten().map(shortfall).collect()
}

/// Returns the bytes of an answer without what differs by nature from one request to the next: how long it took, and
/// its trace id.
pub fn steady(text: &str) -> String {
    let without = |text: &str, key: &str| {
        let Some((before, rest)) = text.split_once(&format!("\"{key}\":")) else { return text.to_owned() };
        let (_, after) = rest.split_once(',').expect("something follows it");
        format!("{before}{after}")
    };
    without(&without(&without(text, "timing_ms"), "trace_id"), "tookMs")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_by_nature_is_left_out() {
        let answer = r#"{"a":1,"_meta":{"timing_ms":1.25,"trace_id":"ab","coverage":{}}}"#;
        assert_eq!(steady(answer), r#"{"a":1,"_meta":{"coverage":{}}}"#);
    }
}
