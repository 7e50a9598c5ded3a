//! Finds the default in the tag of a Go field, such as `env:"API_KEY" envDefault:"x"`.

use super::assigned_values::{AssignedValue, ValueForm};
use super::reader::Reader;
use super::telling_names::TellingName;

/// Maximum number of bytes of a line before a name, and behind it.
const MAX_LINE_BYTES: usize = 300;

/// Keys of defaults.
const KEYS: [&str; 5] = ["default:\"", "envdefault:\"", "env-default:\"", "env_default:\"", "defaultvalue:\""];

/// Returns the default in the tag that contains a name or follows it on its line.
pub(super) fn find_in_tag(text: &str, name: &TellingName) -> Option<AssignedValue> {
    let before = Reader::new(text, name.range.start).text_before(MAX_LINE_BYTES);
    let before = &before[before.rfind('\n').map_or(0, |feed| feed + 1)..];
    let after = Reader::new(text, name.range.end).window(MAX_LINE_BYTES).split('\n').next()?;
    let line_start = name.range.start - before.len();
    let line = &text[line_start..name.range.end + after.len()];
    let (opening, closing) = (line.find('`')?, line.rfind('`')?);
    let tag = line.get(opening + 1..closing)?;
    if line_start + closing < name.range.end {
        return None;
    }
    let lower = tag.to_ascii_lowercase();
    let start = KEYS.iter().find_map(|key| {
        let at = lower.find(key)?;
        (at == 0 || lower[..at].ends_with(' ')).then_some(at + key.len())
    })?;
    let n_bytes = tag[start..].find('"')?;
    let start = line_start + opening + 1 + start;
    Some(AssignedValue { range: start..start + n_bytes, form: ValueForm::Argument })
}

#[cfg(test)]
mod tests {
    use crate::mask_secrets;

    #[test]
    fn defaults_of_tags_are_masked() {
        for (line, is_masked) in [
            ("Key string `env:\"API_KEY\" envDefault:\"q8ZtLr2VxN4mWc7K\"`", true),
            ("Key string `env:\"API_KEY,required\" envDefault:\"q8ZtLr2VxN4mWc7K\"`", true),
            ("Key string `default:\"q8ZtLr2VxN4mWc7K\" envconfig:\"API_KEY\"`", true),
            ("APIKey string `json:\"k\" default:\"q8ZtLr2VxN4mWc7K\"`", true),
            ("APIKey string `json:\"k\" env-default:\"q8ZtLr2VxN4mWc7K\" env:\"A\"`", true),
            ("APIKey string `json:\"k\" default:\"disabled\"`", false),
            ("Region string `env:\"REGION\" envDefault:\"q8ZtLr2VxN4mWc7K\"`", false),
            ("APIKey string `json:\"k\" description:\"q8ZtLr2VxN4mWc7K\"`", false),
            ("Region string `default:\"q8ZtLr2VxN4mWc7K\"` // the secret", false),
        ] {
            assert_eq!(mask_secrets(line).contains("[masked]"), is_masked, "{line}");
        }
    }
}
