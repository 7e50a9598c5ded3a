//! The facts of a card below its header, one line per topic.

use proto::v1;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::item::commit;
use federation::instant::rfc3339;

// The topics that a card may hold. Not a doc comment: that would appear in the list of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Include {
    Docs,
    Source,
    Callers,
    Callees,
    Ownership,
    LastChange,
    Freshness,
    Metrics,
    Community,
    Skeleton,
}

/// One line on a topic, by its name.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Fact {
    pub(super) of: &'static str,
    pub(super) is: String,
}

/// Returns the line of a topic, or nothing for topics without a line.
pub(super) fn fact(include: Include, card: &v1::NodeCard, history: Option<&v1::FileHistory>) -> Option<Fact> {
    let (of, is) = match include {
        Include::Ownership => {
            let owner = |owner: &v1::Owner| format!("{} {:.0}%", text::quote_name(&owner.name), owner.share * 100.0);
            let owners: Vec<String> = history?.owners.iter().map(owner).collect();
            ("ownership", format!("{}; of late {}", owners.join(", "), text::quote_name(&history?.recent_owner)))
        }
        Include::LastChange => {
            let change = history?.last_change.as_ref()?;
            let subject = text::quote(&text::first_sentence(&change.subject));
            let author = text::quote_name(&change.author);
            ("last_change", format!("{} {author}: {subject}", commit(&change.commit)))
        }
        Include::Freshness => ("freshness", rfc3339(history?.last_change.as_ref()?.at)?),
        Include::Metrics => {
            let v1::NodeCard { callers, references, tests, subtypes, callees, cycle, .. } = card;
            let importance = card.node.as_ref().map_or(0.0, |node| node.importance);
            let cycle = if *cycle > 0 { format!(", in a cycle of {cycle}") } else { String::new() };
            let is = format!(
                "{callers} callers, {references} references, {tests} tests, {subtypes} subtypes, {callees} callees, \
                 importance {importance:.2}{cycle}"
            );
            ("metrics", is)
        }
        Include::Community => {
            let community = card.community.as_ref()?;
            let label = text::quote_name(&community.label);
            ("community", format!("{label}: {} members, cohesion {:.2}", community.members, community.cohesion))
        }
        Include::Docs | Include::Source | Include::Callers | Include::Callees | Include::Skeleton => return None,
    };
    Some(Fact { of, is })
}
