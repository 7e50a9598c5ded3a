//! What joins the two sides of a question when they lie in two repositories: links with their evidence.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::evidence::Hit;
use crate::{
    call::Call,
    overlay::{Leap, kind_name},
    plan::Plan,
    render,
};

/// Links that are told.
const MAX_LINKS: usize = 3;

/// A link between two repositories.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Tie {
    /// What kind of contract joins them: package, package_symbol, grpc, http.
    pub(super) kind: String,
    /// The contract, as the side writes it that offers it.
    pub(super) key: String,
    pub(super) user: Site,
    pub(super) provider: Site,
    pub(super) confidence: f64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Site {
    pub(super) repo: String,
    pub(super) path: String,
    pub(super) line: u32,
}

/// Returns the links between the repositories of the two sides, the surest first; those whose ends lie in files that were
/// found come before others.
pub(super) async fn ties(call: &Call<'_>, plan: &Plan, sides: &[BTreeSet<usize>; 2], hits: &[Hit]) -> Vec<Tie> {
    let is_between = |a: usize, b: usize| a != b && (sides[0].contains(&a) && sides[1].contains(&b));
    if !sides[0].iter().any(|first| sides[1].iter().any(|second| first != second)) {
        return Vec::new();
    }
    let overlay = call.overlay().await;
    let is_found =
        |position: usize, path: &str| hits.iter().any(|hit| hit.position == position && hit.file.path == path);
    let mut leaps: Vec<(usize, Leap<'_>)> = overlay
        .all(&call.visible)
        .filter(|leap| is_between(leap.user, leap.provider) || is_between(leap.provider, leap.user))
        .map(|leap| {
            let n_found = usize::from(is_found(leap.user, &leap.link.user.path))
                + usize::from(is_found(leap.provider, &leap.link.offer.path));
            (n_found, leap)
        })
        .collect();
    leaps.sort_by(|(a_found, a), (b_found, b)| {
        let by_place = |leap: &Leap<'_>| (leap.user, leap.provider, leap.link.user.clone(), leap.link.offer.clone());
        b_found.cmp(a_found).then(b.confidence.total_cmp(&a.confidence)).then_with(|| by_place(a).cmp(&by_place(b)))
    });
    leaps.into_iter().take(MAX_LINKS).map(|(_, leap)| tie(plan, &leap)).collect()
}

fn tie(plan: &Plan, leap: &Leap<'_>) -> Tie {
    let site = |position: usize, site: &graph::overlay::Site| Site {
        repo: plan.alias(position).to_owned(),
        path: text::sanitise_name(&site.path).into_owned(),
        line: site.line,
    };
    let link = leap.link;
    let key = if link.member.is_empty() { link.key.clone() } else { format!("{} {}", link.key, link.member) };
    Tie {
        kind: kind_name(link.kind).to_owned(),
        key: text::sanitise_name(&key).into_owned(),
        user: site(leap.user, &link.user),
        provider: site(leap.provider, &link.offer),
        confidence: render::rounded(leap.confidence),
    }
}

impl Tie {
    /// Returns it as a sentence, without its places.
    pub(super) fn sentence(&self) -> String {
        let Tie { kind, key, user, provider, .. } = self;
        let how = kind.replace('_', " ");
        format!("`{}` uses `{key}` of `{}` ({how}).", user.repo, provider.repo)
    }
}
