//! What a review weighs: how an entity hangs together with the rest, and what makes a change of it risky.

use std::collections::BTreeSet;

use proto::v1;
use serde::Serialize;

use super::{answer::UsedBy, around::Around};
use crate::{render::rounded, walk::sections::Section};

/// From how many users on there are many.
const MANY_USERS: u32 = 20;

/// From which share of its commits on a file is one that is mended often, and of how many commits that can be said.
const FIX_SHARE: f64 = 0.3;
const MIN_COMMITS: u32 = 5;

/// From how much more churn than before on it is rising.
const RISING: f32 = 1.5;

/// In how many other things an entity has its hands, and they in it.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Coupling {
    /// Users, direct ones, in this repository and others.
    incoming: u32,
    /// Callees, direct ones.
    outgoing: u32,
    /// Files that its direct and indirect users, as far as they were met, stand in.
    user_files: usize,
    /// How many nodes form a cycle with it; 0 if none do.
    cycle: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    community: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    members: Option<u32>,
    /// Share of the community's edges that stay within it.
    #[serde(skip_serializing_if = "Option::is_none")]
    cohesion: Option<f64>,
}

impl Coupling {
    pub(super) fn of(around: &Around<'_>, used_by: &UsedBy) -> Coupling {
        let users = around.placed.iter().filter(|placed| placed.section == Section::Callers);
        let file = |card: &v1::NodeCard| (card.repository.clone(), card.file_node);
        let files: BTreeSet<(String, u32)> =
            users.filter_map(|placed| around.cards.get(&placed.ranked.at)).map(file).collect();
        let community = around.root.community.as_ref();
        Coupling {
            incoming: used_by.callers + used_by.references + used_by.subtypes + used_by.links,
            outgoing: used_by.callees,
            user_files: files.len(),
            cycle: around.root.cycle,
            community: community.map(|community| text::sanitise_name(&community.label).into_owned()),
            members: community.map(|community| community.members),
            cohesion: community.map(|community| rounded(community.cohesion)),
        }
    }

    pub(super) fn compact(&self) -> String {
        let Coupling { incoming, outgoing, user_files, cycle, community, members, cohesion } = self;
        let mut text = format!("coupling: {incoming} in, from {user_files} files; {outgoing} out");
        text += &if *cycle > 0 { format!("; in a cycle of {cycle}") } else { "; in no cycle".to_owned() };
        if let (Some(community), Some(members), Some(cohesion)) = (community, members, cohesion) {
            text += &format!("; community {community} of {members}, cohesion {cohesion}");
        }
        text + "\n"
    }
}

/// Returns in words why a change deserves care.
pub(super) fn risks(root: &v1::NodeCard, used_by: &UsedBy, history: Option<&v1::FileHistory>) -> Vec<String> {
    let mut risks = Vec::new();
    let n_users = used_by.callers + used_by.references + used_by.subtypes + used_by.links;
    if n_users >= MANY_USERS {
        risks.push(format!("many users ({n_users})"));
    }
    if used_by.links > 0 {
        risks.push(format!("used in other repositories ({})", used_by.links));
    }
    if used_by.tests == 0 && !root.node.as_ref().is_some_and(|node| node.is_test) {
        risks.push("no test is known to reach it directly".to_owned());
    }
    if root.cycle > 0 {
        risks.push(format!("part of a cycle ({})", root.cycle));
    }
    if let Some(history) = history {
        let v1::FileHistory { commits, fixes, trend, bus_factor, .. } = history;
        if *commits >= MIN_COMMITS && f64::from(*fixes) >= FIX_SHARE * f64::from(*commits) {
            risks.push(format!("mended often ({fixes} of {commits} commits)"));
        }
        if *commits >= MIN_COMMITS && *trend >= RISING {
            risks.push(format!("changes more than before (x{})", rounded(*trend)));
        }
        if *commits >= MIN_COMMITS && *bus_factor == 1 {
            risks.push("one author owns most of it".to_owned());
        }
    }
    risks
}
