//! Accessors for answers.

use serde_json::Value;

/// Returns `repo:path` of each search result, in order.
pub fn places(answer: &Value) -> Vec<String> {
    places_in(answer, "results")
}

/// Returns `repo:path` of each candidate file of a search, in order.
pub fn candidates(answer: &Value) -> Vec<String> {
    places_in(answer, "candidates")
}

fn places_in(answer: &Value, list: &str) -> Vec<String> {
    let place = |hit: &Value| format!("{}:{}", text(&hit["repo"]), text(&hit["path"]));
    answer[list].as_array().expect("a list of places").iter().map(place).collect()
}

/// Returns a string value.
pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("a string, not {value}"))
}

/// Returns the coverage of an answer.
pub fn coverage(answer: &Value) -> &Value {
    &answer["_meta"]["coverage"]
}

/// Returns true if every requested repository contributed to the answer.
pub fn is_complete(answer: &Value) -> bool {
    coverage(answer)["complete"] == true
}

/// Returns `repo state` for each repository with a shortfall.
pub fn shortfalls(answer: &Value) -> Vec<String> {
    let shortfall = |short: &Value| format!("{} {}", text(&short["repo"]), text(&short["state"]));
    coverage(answer)["shortfalls"].as_array().into_iter().flatten().map(shortfall).collect()
}

/// Returns an answer without its timings and trace id, which differ between requests.
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
    fn timings_and_trace_ids_are_removed() {
        let answer = r#"{"a":1,"_meta":{"timing_ms":1.25,"trace_id":"ab","coverage":{}}}"#;
        assert_eq!(steady(answer), r#"{"a":1,"_meta":{"coverage":{}}}"#);
    }
}
