//! Finds the default in an annotation before the declaration of a name, as in `[DefaultValue("x")] public string ApiKey`, and the
//! initial value of a declaration whose annotation has the name, as in `@Env("API_KEY") key = "x"`.

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

/// Returns the initial value of the declaration behind an annotation with a name as its argument.
pub(super) fn find_behind_annotation(text: &str, name: &TellingName) -> Option<AssignedValue> {
    let before = Reader::new(text, name.range.start).text_before(MAX_BYTES);
    let line = &before[before.rfind('\n').map_or(0, |feed| feed + 1)..];
    let (annotation, argument) = line.rsplit_once('(')?;
    let opening = annotation.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || "_.:".contains(c));
    let is_annotation = annotation.len() > opening.len()
        && (opening.ends_with('@') || matches!(opening.trim_start(), "[" | "#["))
        && argument.ends_with(['"', '\'', '{', '-'])
        && argument.chars().all(|c| c.is_ascii_alphanumeric() || "_ =:\"'${-".contains(c));
    let mut reader = Reader::new(text, name.range.end);
    reader.eat("}");
    let is_literal = reader.skip_while(1, |byte| matches!(byte, b'"' | b'\'')) > 0 && reader.eat(")");
    reader.eat("]");
    reader.skip_space(32);
    let n_bytes =
        reader.skip_while(MAX_BYTES, |byte| byte.is_ascii_alphanumeric() || b" _$@:?!<>[].&'".contains(&byte));
    // The accessors of a property of C#.
    if reader.eat("{") {
        reader.skip_while(MAX_BYTES, |byte| byte.is_ascii_alphabetic() || matches!(byte, b' ' | b';'));
        reader.eat("}");
        reader.skip_blanks(4);
    }
    let is_assigned = is_annotation && is_literal && n_bytes > 0 && reader.eat("=");
    reader.skip_space(32);
    let range = is_assigned.then(|| read_literal(&mut reader)).flatten()?;
    Some(AssignedValue { range, form: ValueForm::Item })
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
            ("@Env(\"API_KEY\") x = \"q8ZtLr2VxN4mWc7K\"", true),
            ("@Env('API_KEY') accessor x: string = 'q8ZtLr2VxN4mWc7K';", true),
            ("@Value(\"${api.secret}\") private String x = \"q8ZtLr2VxN4mWc7K\";", true),
            ("@JsonProperty(value = \"api_key\")\n  private String x = \"q8ZtLr2VxN4mWc7K\";", true),
            ("[JsonPropertyName(\"api_key\")]\npublic string X { get; set; } = \"q8ZtLr2VxN4mWc7K\";", true),
            ("#[env(\"API_KEY\")]\nconst X: &'static str = \"q8ZtLr2VxN4mWc7K\";", true),
            ("@AppStorage(\"token\") private var x: String? = \"q8ZtLr2VxN4mWc7K\"", true),
            ("@Option(\"--api-key\") String x = \"q8ZtLr2VxN4mWc7K\";", true),
            ("@Env(\"API_KEY\") x = \"identifier\"", false),
            ("@Env(\"REGION\") x = \"q8ZtLr2VxN4mWc7K\"", false),
            ("@Env(\"API_KEY\") String x; String build = \"q8ZtLr2VxN4mWc7K\";", false),
            ("@Query(\"token\") get(x: string) { const build = \"q8ZtLr2VxN4mWc7K\" }", false),
            ("@Table(\"token\")\nclass Row {\n  val build = \"q8ZtLr2VxN4mWc7K\"\n}", false),
            ("register(\"token\") x = \"q8ZtLr2VxN4mWc7K\"", false),
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
