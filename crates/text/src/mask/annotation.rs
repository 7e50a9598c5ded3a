//! Finds the default in an annotation before the declaration of a name, as in `[DefaultValue("x")] public string ApiKey`.

use std::ops::Range;

use super::assigned_values::{AssignedValue, ValueForm};
use super::literal::read_literal;
use super::reader::Reader;
use super::telling_names::TellingName;

/// Maximum number of bytes of an annotation and of a declaration before the name.
const MAX_BYTES: usize = 200;

/// Words before the value.
const KEYWORDS: [&str; 2] = ["default", "@value"];

/// Beginnings of the line of an annotation.
const BEGINNINGS: [&str; 3] = ["@", "[", "#["];

/// Returns the default in the annotation before the declaration of a name.
pub(super) fn find_in_annotation(text: &str, name: &TellingName) -> Option<AssignedValue> {
    let before = Reader::new(text, name.range.start).text_before(MAX_BYTES);
    let lower = before.to_ascii_lowercase();
    let ends = KEYWORDS.iter().filter_map(|keyword| Some(lower.rfind(keyword)? + keyword.len()));
    let keyword_end = ends.max()?;
    let line_before = &before[before[..keyword_end].rfind('\n').map_or(0, |feed| feed + 1)..keyword_end];
    let is_annotation = BEGINNINGS.iter().any(|beginning| line_before.trim_start().starts_with(beginning))
        || line_before.to_ascii_lowercase().ends_with("(@value");
    let mut reader = Reader::new(text, name.range.start - before.len() + keyword_end);
    // The rest of the word, such as `Value` and `_value`.
    reader.skip_while(12, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
    reader.skip_blanks(4);
    let is_assigned = is_annotation && ["(", "=", ":"].iter().any(|mark| reader.eat(mark));
    reader.skip_blanks(4);
    let range = is_assigned.then(|| read_literal(&mut reader)).flatten()?;
    let declaration = text.get(reader.at..name.range.start)?.trim_start_matches([' ', '}']);
    let is_declaration = declaration.starts_with([')', ']', ','])
        && declaration.contains([')', ']'])
        && !declaration.rsplit([')', ']']).next()?.contains(['.', ',', ';', '{', '}', '(', '=', '"']);
    let range = default_of_property(text, range);
    is_declaration.then_some(AssignedValue { range, form: ValueForm::Item })
}

/// Returns the default of a property that a value reads, as in `${name:x}`.
fn default_of_property(text: &str, range: Range<usize>) -> Range<usize> {
    let property = text[range.clone()].strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    let default = property.and_then(|property| property.split_once(':'));
    default.map_or(range.clone(), |(_, default)| range.end - 1 - default.len()..range.end - 1)
}

#[cfg(test)]
mod tests {
    use crate::mask_secrets;

    #[test]
    fn defaults_of_annotations_are_masked() {
        for (source, is_masked) in [
            ("[DefaultValue(\"q8ZtLr2VxN4mWc7K\")]\npublic string ApiKey { get; set; }", true),
            ("@DefaultValue(\"q8ZtLr2VxN4mWc7K\") String apiKey", true),
            ("#[arg(long, default_value = \"q8ZtLr2VxN4mWc7K\")]\n    pub api_key: String,", true),
            ("@WithDefault(\"q8ZtLr2VxN4mWc7K\") String apiKey();", true),
            ("@Value(\"q8ZtLr2VxN4mWc7K\") private String apiKey;", true),
            ("@Value(\"${acme.k:q8ZtLr2VxN4mWc7K}\")\nprivate String apiKey;", true),
            ("Client(@Value(\"q8ZtLr2VxN4mWc7K\") String apiKey) {}", true),
            ("@Prop({ default: 'q8ZtLr2VxN4mWc7K' }) apiKey: string;", true),
            ("@Value(\"${acme.k}\") private String apiKey;", false),
            ("@Value(\"q8ZtLr2VxN4mWc7K\") private String build;\nString apiKey;", false),
            ("[DefaultValue(\"identifier\")]\npublic string ApiKey { get; set; }", false),
            ("[DefaultValue(\"q8ZtLr2VxN4mWc7K\")]\npublic string Build { get; set; }\npublic string ApiKey;", false),
            ("#[arg(default_value = \"q8ZtLr2VxN4mWc7K\")]\n    pub build: String,\n    pub api_key: String,", false),
        ] {
            assert_eq!(mask_secrets(source).contains("[masked]"), is_masked, "{source}");
        }
    }
}
