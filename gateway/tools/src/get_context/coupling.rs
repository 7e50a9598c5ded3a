//! Coupling of an entity, and the risks of changing it, for reviews.

use std::collections::BTreeSet;

use proto::v1;
use serde::Serialize;

use super::{surroundings::EntitySurroundings, used_by::UsedBy};
use crate::render::rounded;
use federation::walk::sections::WalkSection;

/// Number of users from which on they are many.
const MANY_USERS: u32 = 20;

/// Share of fixes in the commits of a file that counts as often fixed, and the minimum number of commits.
const FIX_SHARE: f64 = 0.3;
const MIN_COMMITS: u32 = 5;

/// Churn growth that counts as rising.
const RISING: f32 = 1.5;

/// The coupling figures of an entity.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Coupling {
    /// Direct users, in this repository and others.
    incoming: u32,
    /// Direct callees.
    outgoing: u32,
    /// Files of its direct and indirect users, as far as the walk reached them.
    user_files: usize,
    /// Number of nodes in its cycle; 0 without one.
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
    pub(super) fn of(surroundings: &EntitySurroundings<'_>, used_by: &UsedBy) -> Coupling {
        let users = surroundings.placed.iter().filter(|placed| placed.section == WalkSection::Callers);
        let file = |card: &v1::NodeCard| (card.repository.clone(), card.file_node);
        let files: BTreeSet<(String, u32)> =
            users.filter_map(|placed| surroundings.cards.get(&placed.ranked.at)).map(file).collect();
        let community = surroundings.root.community.as_ref();
        Coupling {
            incoming: used_by.callers + used_by.references + used_by.subtypes + used_by.links,
            outgoing: used_by.callees,
            user_files: files.len(),
            cycle: surroundings.root.cycle,
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
            let community = text::quote_name(community);
            text += &format!("; community {community} of {members}, cohesion {cohesion}");
        }
        text + "\n"
    }
}

/// Returns the reasons why a change needs care.
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
