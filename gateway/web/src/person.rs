//! People with their shares.

use maud::{Markup, html};
use serde_json::Value;

use crate::answer::{number, text};

/// Returns the owners as a list of names with a bar of their share.
pub(crate) fn owners(people: &[Value]) -> Markup {
    html! {
        ul.owners {
            @for person in people {
                @let percent = number(person, "percent").min(100);
                li {
                    span.name { (text(person, "name")) }
                    meter min="0" max="100" value=(percent) title=(share(percent)) { (share(percent)) }
                    span.num { (share(percent)) }
                }
            }
        }
    }
}

/// Returns a share as text: a listed share is never nothing.
pub(crate) fn share(percent: u64) -> String {
    if percent == 0 { "<1 %".to_owned() } else { format!("{percent} %") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_share_is_not_nothing() {
        let people = [serde_json::json!({"name": "Ada", "percent": 100}), serde_json::json!({"name": "Eve"})];
        let shown = owners(&people).into_string();
        assert!(shown.contains("<span class=\"num\">100 %</span>"), "{shown}");
        assert!(shown.contains("<span class=\"num\">&lt;1 %</span>"), "{shown}");
    }
}
