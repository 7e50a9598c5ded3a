//! Validation of replies: finite numbers, no duplicate rows, no missing or unrequested ones.

use std::collections::HashSet;

use proto::v1;

use crate::fan_out::{Reply, ReplyFault};

/// Maximum plausible number of rows in one repository. Sums of such counts do not overflow.
const MAX_PLAUSIBLE_COUNT: u64 = 1 << 48;

/// Maximum cosine: 1, with room for rounding.
const MAX_COSINE: f32 = 1.001;

macro_rules! reply {
    ($message:ident, $($hits:ident)?) => {
        impl Reply for v1::$message {
            fn outcomes(&self) -> &[v1::Outcome] {
                &self.outcomes
            }

            fn retain(&mut self, keep: impl Fn(&str) -> bool) {
                $(self.$hits.retain(|hit| keep(&hit.repository));)?
                let _ = keep;
            }
        }
    };
}

reply!(StatisticsResponse,);
reply!(SuggestResponse,);
reply!(CompareResponse, nearness);
reply!(SymbolsResponse, hits);
reply!(NeighboursResponse, neighbourhoods);
reply!(DescribeResponse, cards);
reply!(SurfaceResponse, surfaces);
reply!(OverviewResponse, overviews);
reply!(ActivityResponse, activities);
reply!(ActiveCommitsResponse, found);

impl Reply for v1::SearchResponse {
    fn outcomes(&self) -> &[v1::Outcome] {
        &self.outcomes
    }

    fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        self.hits.retain(|hit| keep(&hit.repository));
        self.pages.retain(|page| keep(&page.repository));
        self.messages.retain(|message| keep(&message.repository));
        self.pruned.retain(|repository| keep(repository));
        self.without_vectors.retain(|repository| keep(repository));
    }
}

impl Reply for v1::OutlineResponse {
    fn outcomes(&self) -> &[v1::Outcome] {
        &self.outcomes
    }

    fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        self.files.retain(|outline| keep(&outline.repository));
        self.folders.retain(|listing| keep(&listing.repository));
    }
}

impl Reply for v1::LinkFactsResponse {
    fn outcomes(&self) -> &[v1::Outcome] {
        self.outcome.as_slice()
    }

    fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        if !self.outcome.as_ref().is_some_and(|outcome| keep(&outcome.repository)) {
            self.part.clear();
        }
    }
}

impl Reply for v1::ChangesResponse {
    fn outcomes(&self) -> &[v1::Outcome] {
        self.outcome.as_slice()
    }

    fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        if !self.outcome.as_ref().is_some_and(|outcome| keep(&outcome.repository)) {
            *self = v1::ChangesResponse { outcome: self.outcome.take(), ..Default::default() };
        }
    }
}

impl Reply for v1::SitesResponse {
    fn outcomes(&self) -> &[v1::Outcome] {
        self.outcome.as_slice()
    }

    fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        if !self.outcome.as_ref().is_some_and(|outcome| keep(&outcome.repository)) {
            self.files.clear();
        }
    }
}

impl Reply for v1::LocateResponse {
    fn outcomes(&self) -> &[v1::Outcome] {
        self.outcome.as_slice()
    }

    fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        if !self.outcome.as_ref().is_some_and(|outcome| keep(&outcome.repository)) {
            self.locations.clear();
        }
    }
}

pub(crate) fn statistics_faults(
    n_terms: usize,
    n_identifiers: usize,
) -> impl Fn(&v1::StatisticsResponse) -> Vec<ReplyFault> {
    move |reply| {
        let sound = reply.statistics.as_ref().is_some_and(|statistics| {
            let frequencies = statistics.document_frequencies.iter().chain(&statistics.name_counts);
            statistics.document_frequencies.len() == n_terms
                && statistics.name_counts.len() == n_identifiers
                && frequencies.chain([&statistics.rows]).all(|count| *count < MAX_PLAUSIBLE_COUNT)
        });
        if sound { Vec::new() } else { vec![ReplyFault { repository: None, what: "statistics that cannot be" }] }
    }
}

pub(crate) fn suggest_faults(n_words: usize) -> impl Fn(&v1::SuggestResponse) -> Vec<ReplyFault> {
    move |reply| {
        let is_sound = |suggestion: &v1::Suggestion| {
            let is_counted = suggestion.rows < MAX_PLAUSIBLE_COUNT;
            (suggestion.word as usize) < n_words && !suggestion.term.is_empty() && is_counted
        };
        let sound = reply.suggestions.iter().all(is_sound);
        if sound { Vec::new() } else { vec![ReplyFault { repository: None, what: "a suggestion that cannot be" }] }
    }
}

pub(crate) fn search_faults(n_identifiers: usize) -> impl Fn(&v1::SearchResponse) -> Vec<ReplyFault> {
    move |reply| {
        let mut faults = ReplyFaults::default();
        let mut seen = HashSet::with_capacity(reply.hits.len());
        for hit in &reply.hits {
            let Some(file) = faults.file(&hit.repository, hit.file.as_ref()) else { continue };
            if !seen.insert((hit.repository.as_str(), file.path.as_str())) {
                faults.of(&hit.repository, "a file twice");
            }
            let scores = [hit.lexical, hit.best_row, hit.path, hit.cosine, hit.history];
            let row_scores = hit.rows.iter().flat_map(|row| [row.lexical, row.cosine]);
            if scores.into_iter().chain(row_scores).any(|score| !score.is_finite() || score < 0.0) {
                faults.of(&hit.repository, "a score that does not compare");
            }
            if hit.rows.iter().any(|row| row.lines.is_none()) {
                faults.of(&hit.repository, "a row without lines");
            }
            if hit.name.as_ref().is_some_and(|name| !is_sound_match(name, n_identifiers)) {
                faults.of(&hit.repository, "a name match that cannot be");
            }
        }
        for page in reply.pages.iter().filter(|page| !page.score.is_finite() || page.score < 0.0) {
            faults.of(&page.repository, "a score that does not compare");
        }
        for message in reply.messages.iter().filter(|message| !(0.0..=MAX_COSINE).contains(&message.cosine)) {
            faults.of(&message.repository, "a cosine that cannot be");
        }
        faults.found
    }
}

pub(crate) fn compare_faults(reply: &v1::CompareResponse) -> Vec<ReplyFault> {
    let mut faults = ReplyFaults::default();
    for near in reply.nearness.iter().filter(|near| !(0.0..=MAX_COSINE).contains(&near.nearness)) {
        faults.of(&near.repository, "an invalid rerank score");
    }
    faults.found
}

pub(crate) fn symbols_faults(reply: &v1::SymbolsResponse) -> Vec<ReplyFault> {
    let mut faults = ReplyFaults::default();
    let mut seen = HashSet::with_capacity(reply.hits.len());
    for hit in &reply.hits {
        let Some(file) = faults.file(&hit.repository, hit.file.as_ref()) else { continue };
        match &hit.symbol {
            Some(symbol) if symbol.lines.is_some() => {
                let id = (symbol.container.as_str(), symbol.name.as_str(), symbol.ordinal);
                if !seen.insert((hit.repository.as_str(), file.path.as_str(), id)) {
                    faults.of(&hit.repository, "a symbol twice");
                }
            }
            _ => faults.of(&hit.repository, "a hit without a symbol"),
        }
    }
    faults.found
}

pub(crate) fn outline_faults(reply: &v1::OutlineResponse) -> Vec<ReplyFault> {
    let mut faults = ReplyFaults::default();
    let mut seen = HashSet::with_capacity(reply.files.len());
    for outline in &reply.files {
        let Some(file) = faults.file(&outline.repository, outline.file.as_ref()) else { continue };
        if !seen.insert((outline.repository.as_str(), file.path.as_str())) {
            faults.of(&outline.repository, "a file twice");
        }
        if outline.symbols.iter().any(|symbol| symbol.lines.is_none()) {
            faults.of(&outline.repository, "a symbol without lines");
        }
    }
    let mut listed = HashSet::with_capacity(reply.folders.len());
    for listing in &reply.folders {
        if !listed.insert(listing.repository.as_str()) {
            faults.of(&listing.repository, "a folder twice");
        }
        let mut names = HashSet::with_capacity(listing.entries.len());
        let is_sound = |entry: &v1::FolderEntry| {
            !entry.name.is_empty() && !entry.name.contains('/') && entry.files < MAX_PLAUSIBLE_COUNT
        };
        if !listing.entries.iter().all(|entry| is_sound(entry) && names.insert(entry.name.as_str())) {
            faults.of(&listing.repository, "an entry of a folder that cannot be");
        }
    }
    faults.found
}

pub(crate) fn neighbours_faults(reply: &v1::NeighboursResponse) -> Vec<ReplyFault> {
    let mut faults = ReplyFaults::default();
    let mut seen = HashSet::with_capacity(reply.neighbourhoods.len());
    for neighbourhood in &reply.neighbourhoods {
        let repository = neighbourhood.repository.as_str();
        if !seen.insert(repository) {
            faults.of(repository, "a neighbourhood twice");
        }
        if neighbourhood.edges.iter().any(|edge| !is_share(edge.confidence)) {
            faults.of(repository, "an edge with a confidence that cannot be");
        }
        if neighbourhood.nodes.iter().any(|node| !is_sound_node(node)) {
            faults.of(repository, "a node with an importance that cannot be");
        }
    }
    faults.found
}

pub(crate) fn describe_faults(reply: &v1::DescribeResponse) -> Vec<ReplyFault> {
    let mut faults = ReplyFaults::default();
    let mut seen = HashSet::with_capacity(reply.cards.len());
    for card in &reply.cards {
        let Some(_) = faults.file(&card.repository, card.file.as_ref()) else { continue };
        match &card.node {
            Some(node) if !is_sound_node(node) => {
                faults.of(&card.repository, "a node with an importance that cannot be")
            }
            Some(node) if seen.insert((card.repository.as_str(), node.id)) => {}
            Some(_) => faults.of(&card.repository, "a node twice"),
            None => faults.of(&card.repository, "a card without its node"),
        }
        if card.symbol.as_ref().is_some_and(|symbol| symbol.lines.is_none()) {
            faults.of(&card.repository, "a symbol without lines");
        }
        if !(0.0..=card.unresolved_accesses as f32).contains(&card.expected_accesses) {
            faults.of(&card.repository, "a number of accesses that cannot be");
        }
    }
    faults.found
}

pub(crate) fn surface_faults(reply: &v1::SurfaceResponse) -> Vec<ReplyFault> {
    let mut faults = ReplyFaults::default();
    let mut seen = HashSet::with_capacity(reply.surfaces.len());
    for surface in &reply.surfaces {
        if !seen.insert(surface.repository.as_str()) {
            faults.of(&surface.repository, "a surface twice");
        }
        if surface.uses.iter().any(|used| !is_share(used.confidence)) {
            faults.of(&surface.repository, "a use with a confidence that cannot be");
        }
    }
    faults.found
}

pub(crate) fn activity_faults(reply: &v1::ActivityResponse) -> Vec<ReplyFault> {
    let mut faults = ReplyFaults::default();
    let mut seen = HashSet::with_capacity(reply.activities.len());
    for activity in &reply.activities {
        if !seen.insert(activity.repository.as_str()) {
            faults.of(&activity.repository, "an activity twice");
        }
        if activity.authors.iter().any(|author| !author.days.is_sorted_by(|a, b| a < b)) {
            faults.of(&activity.repository, "days out of order");
        }
    }
    faults.found
}

pub(crate) fn active_commits_faults(reply: &v1::ActiveCommitsResponse) -> Vec<ReplyFault> {
    let mut faults = ReplyFaults::default();
    let mut seen = HashSet::with_capacity(reply.found.len());
    for found in &reply.found {
        if !seen.insert(found.repository.as_str()) {
            faults.of(&found.repository, "commits twice");
        }
        let is_sound = |commit: &v1::ActiveCommit| {
            commit.change.is_some() && commit.files.iter().all(|file| (*file as usize) < found.paths.len())
        };
        if !found.commits.iter().all(is_sound) {
            faults.of(&found.repository, "a commit that cannot be");
        }
    }
    faults.found
}

pub(crate) fn locate_faults(n_members: usize) -> impl Fn(&v1::LocateResponse) -> Vec<ReplyFault> {
    move |reply| {
        let has_failed = reply.outcome.as_ref().is_some_and(|outcome| outcome.shortfall().is_some());
        let sound = has_failed || reply.locations.len() == n_members;
        if sound { Vec::new() } else { vec![ReplyFault { repository: None, what: "not one location for each name" }] }
    }
}

pub(crate) fn sites_faults(n_files: usize) -> impl Fn(&v1::SitesResponse) -> Vec<ReplyFault> {
    move |reply| {
        let has_failed = reply.outcome.as_ref().is_some_and(|outcome| outcome.shortfall().is_some());
        let sound = has_failed || reply.files.len() == n_files;
        if sound { Vec::new() } else { vec![ReplyFault { repository: None, what: "not one result for each file" }] }
    }
}

pub(crate) fn link_facts_faults(offset: u64) -> impl Fn(&v1::LinkFactsResponse) -> Vec<ReplyFault> {
    move |reply| {
        let has_failed = reply.outcome.as_ref().is_some_and(|outcome| outcome.shortfall().is_some());
        let end = offset.saturating_add(reply.part.len() as u64);
        let sound = has_failed || (end <= reply.total && (end == reply.total || !reply.part.is_empty()));
        if sound {
            Vec::new()
        } else {
            vec![ReplyFault { repository: None, what: "a part of link facts that cannot be" }]
        }
    }
}

pub(crate) fn overview_faults(reply: &v1::OverviewResponse) -> Vec<ReplyFault> {
    let mut faults = ReplyFaults::default();
    let mut seen = HashSet::with_capacity(reply.overviews.len());
    for overview in &reply.overviews {
        let repository = overview.repository.as_str();
        if !seen.insert(repository) {
            faults.of(repository, "an overview twice");
        }
        let owners = overview.past.iter().flat_map(|past| &past.owners);
        let owners = owners.chain(overview.modules.iter().filter_map(|module| module.owner.as_ref()));
        let owners = owners.chain(overview.hotspots.iter().filter_map(|hotspot| hotspot.owner.as_ref()));
        let shares = owners.map(|owner| owner.share).chain(overview.communities.iter().map(|group| group.cohesion));
        if shares.into_iter().any(|share| !(0.0..=1.0 + SHARE_ERROR).contains(&share)) {
            faults.of(repository, "a share that cannot be");
        }
        if overview.hotspots.iter().any(|hotspot| !(0.0..=MAX_HOTSPOT).contains(&hotspot.score)) {
            faults.of(repository, "a hotspot that cannot be");
        }
        if overview.starts.iter().any(|start| start.kind() == v1::StartKind::Unspecified) {
            faults.of(repository, "a start of no kind");
        }
    }
    faults.found
}

/// Maximum hotspot score of a file.
const MAX_HOTSPOT: f32 = 10.0;

/// Tolerance for rounding in sums of shares.
const SHARE_ERROR: f32 = 1e-3;

fn is_share(confidence: f32) -> bool {
    confidence > 0.0 && confidence <= 1.0
}

fn is_sound_node(node: &v1::GraphNode) -> bool {
    node.importance.is_finite() && node.importance >= 0.0
}

#[derive(Default)]
struct ReplyFaults {
    found: Vec<ReplyFault>,
}

impl ReplyFaults {
    fn of(&mut self, repository: &str, what: &'static str) {
        let fault = ReplyFault { repository: Some(repository.to_owned()), what };
        if self.found.last() != Some(&fault) {
            self.found.push(fault);
        }
    }

    fn file<'a>(&mut self, repository: &str, file: Option<&'a v1::File>) -> Option<&'a v1::File> {
        let sound = file.filter(|file| !file.path.is_empty());
        if sound.is_none() {
            self.of(repository, "a hit without a file");
        }
        sound
    }
}

fn is_sound_match(name: &v1::NameMatch, n_identifiers: usize) -> bool {
    (name.identifier as usize) < n_identifiers
        && name.tier() != v1::NameTier::Unspecified
        && name.symbol.as_ref().is_some_and(|symbol| symbol.lines.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(path: &str, lexical: f32) -> v1::FileHit {
        v1::FileHit {
            repository: "r".to_owned(),
            file: Some(v1::File { path: path.to_owned(), ..Default::default() }),
            lexical,
            ..Default::default()
        }
    }

    fn check(hits: Vec<v1::FileHit>, expected: &[&str]) {
        let reply = v1::SearchResponse { hits, ..Default::default() };
        let found: Vec<&str> = search_faults(0)(&reply).iter().map(|fault| fault.what).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn sound_hits_have_no_faults() {
        check(vec![hit("a", 1.0), hit("b", 0.0)], &[]);
    }

    #[test]
    fn unsound_hits_are_named() {
        check(vec![hit("a", f32::NAN)], &["a score that does not compare"]);
        check(vec![hit("a", f32::INFINITY)], &["a score that does not compare"]);
        check(vec![hit("a", 1.0), hit("a", 1.0)], &["a file twice"]);
        check(vec![hit("", 1.0)], &["a hit without a file"]);
        let row = v1::Row::default();
        check(vec![v1::FileHit { rows: vec![row], ..hit("a", 1.0) }], &["a row without lines"]);
        let name = v1::NameMatch { identifier: 3, ..Default::default() };
        check(vec![v1::FileHit { name: Some(name), ..hit("a", 1.0) }], &["a name match that cannot be"]);
    }

    #[test]
    fn expected_accesses_are_a_part_of_the_unresolved_ones() {
        for (unresolved_accesses, expected_accesses, is_sound) in [
            (0, 0.0, true),
            (3, 0.5, true),
            (3, 3.0, true),
            (3, 3.5, false),
            (0, 0.1, false),
            (3, -0.5, false),
            (3, f32::NAN, false),
            (3, f32::INFINITY, false),
        ] {
            let card = v1::NodeCard {
                repository: "r".to_owned(),
                node: Some(v1::GraphNode::default()),
                file: hit("a", 0.0).file,
                unresolved_accesses,
                expected_accesses,
                ..Default::default()
            };
            let reply = v1::DescribeResponse { cards: vec![card], ..Default::default() };
            let found: Vec<&str> = describe_faults(&reply).iter().map(|fault| fault.what).collect();
            let expected: &[&str] = if is_sound { &[] } else { &["a number of accesses that cannot be"] };
            assert_eq!(found, expected, "{expected_accesses} of {unresolved_accesses}");
        }
    }

    #[test]
    fn statistics_must_have_the_shape_of_the_question() {
        let statistics = v1::CorpusStatistics { rows: 1, document_frequencies: vec![1, 2], name_counts: vec![1] };
        let reply = v1::StatisticsResponse { statistics: Some(statistics), ..Default::default() };
        assert!(statistics_faults(2, 1)(&reply).is_empty());
        assert_eq!(statistics_faults(3, 1)(&reply).len(), 1);
        assert_eq!(statistics_faults(2, 1)(&v1::StatisticsResponse::default()).len(), 1);
    }
}
