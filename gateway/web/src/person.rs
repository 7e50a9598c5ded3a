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
                    meter min="0" max="100" value=(percent) title={ (percent) " %" } { (percent) " %" }
                    span.num { (percent) " %" }
                }
            }
        }
    }
}
