//! The list entries of an overview, as JSON and as one line.

use serde::{Serialize, Serializer};
use text::{quote_name, quote_names};

use crate::get_context::item::LinkSides;
use federation::co_change::CommitPair;

/// A list entry. JSON has its fields, a compact answer its line.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub(super) enum OverviewEntry {
    Language(OverviewLanguage),
    Module(ModuleEntry),
    Start(StartEntry),
    Route(RouteEntry),
    Symbol(SymbolEntry),
    Hotspot(HotspotEntry),
    Community(CommunityEntry),
    Package(PackageEntry),
    Infra(InfraEntry),
    Person(PersonEntry),
    Link(LinkEntry),
    Repository(OverviewRepositoryEntry),
    Neighbour(NeighbourEntry),
    CoChange(CoChangeEntry),
    PackageVersions(PackageVersionsEntry),
    Stale(StaleEntry),
    Dangling(DanglingEntry),
}

/// A contract without its other side: a request that no route answers, an rpc that nobody calls, a topic that nobody reads.
#[derive(Debug, Clone, Serialize)]
pub(super) struct DanglingEntry {
    /// The missing side: `no route answers`, `nobody calls`, `nobody implements`, `nobody reads`, `nobody writes`.
    pub(super) problem: &'static str,
    pub(super) kind: &'static str,
    /// The request, topic, or service of the rpcs.
    pub(super) name: String,
    /// The first rpcs of the service.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) rpcs: Vec<String>,
    /// Number of uses or rpcs.
    pub(super) n: usize,
    /// The first place.
    pub(super) at: String,
    /// The places that say to which repository a request goes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) because: Vec<String>,
}

/// A package that one repository makes, and the versions of it that others require.
#[derive(Debug, Clone, Serialize)]
pub(super) struct PackageVersionsEntry {
    pub(super) package: String,
    pub(super) made_by: String,
    /// The version at the indexed commit.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) indexed: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) indexed_commit: String,
    /// Number of requirements that do not admit the indexed version.
    pub(super) n_skewed: usize,
    pub(super) declared: Vec<RequirementEntry>,
    /// Number of further requirements.
    #[serde(skip_serializing_if = "is_none")]
    pub(super) more: usize,
}

/// A requirement of a package.
#[derive(Debug, Clone, Serialize)]
pub(super) struct RequirementEntry {
    pub(super) repo: String,
    pub(super) version: String,
    pub(super) at: String,
    /// `admits`, `behind: major`, `behind: minor`, `behind: patch`, `ahead` or `unknown`.
    pub(super) indexed_version: &'static str,
}

/// A use of a name that its package does not have at the indexed commit.
#[derive(Debug, Clone, Serialize)]
pub(super) struct StaleEntry {
    pub(super) at: String,
    pub(super) package: String,
    pub(super) name: String,
    pub(super) state: &'static str,
}

/// Two repositories that the same people change on the same days more often than by chance.
#[derive(Debug, Clone, Serialize)]
pub(super) struct CoChangeEntry {
    pub(super) repos: [String; 2],
    pub(super) kind: &'static str,
    pub(super) people: usize,
    pub(super) days: usize,
    /// The ratio to the frequency expected by chance.
    pub(super) lift: f64,
    /// Commits of one person on one day.
    pub(super) evidence: Vec<CommitPair>,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct OverviewLanguage {
    pub(super) language: String,
    pub(super) files: u32,
    /// Share of the lines of code.
    pub(super) percent: u32,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct ModuleEntry {
    pub(super) path: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) package: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) purpose: String,
    pub(super) files: u32,
    pub(super) symbols: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) owner: Option<PersonEntry>,
    /// Other modules, with the number of references.
    #[serde(skip_serializing_if = "NamedCounts::is_empty")]
    pub(super) uses: NamedCounts,
    #[serde(skip_serializing_if = "NamedCounts::is_empty")]
    pub(super) used_by: NamedCounts,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct StartEntry {
    pub(super) kind: &'static str,
    pub(super) name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) target: String,
    pub(super) at: String,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct RouteEntry {
    pub(super) route: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) handler: String,
    pub(super) at: String,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct SymbolEntry {
    pub(super) id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) kind: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) signature: String,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) line: u32,
    /// Number of users in its own repository.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) used_by: u32,
    /// Other repositories, with the number of links.
    #[serde(skip_serializing_if = "NamedCounts::is_empty")]
    pub(super) used_by_repos: NamedCounts,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct HotspotEntry {
    pub(super) path: String,
    /// From 0 to 10, from churn and complexity.
    pub(super) score: f64,
    /// Commits of 13 weeks.
    pub(super) recent_commits: u32,
    pub(super) lines: u32,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) fixes: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) owner: Option<PersonEntry>,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct CommunityEntry {
    pub(super) label: String,
    pub(super) files: u32,
    pub(super) cohesion: f64,
    pub(super) members: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct PackageEntry {
    pub(super) package: String,
    pub(super) at: String,
    /// Number of further manifests that declare it.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) more_manifests: u32,
    /// Number of uses in code.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) used_in: u32,
    /// The repository that publishes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) repo: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct InfraEntry {
    pub(super) path: String,
    pub(super) kind: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) says: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct PersonEntry {
    pub(super) name: String,
    pub(super) percent: u32,
}

/// The links of one kind from one repository to another.
#[derive(Debug, Clone, Serialize)]
pub(super) struct LinkEntry {
    pub(super) user: String,
    pub(super) provider: String,
    pub(super) kind: &'static str,
    pub(super) links: usize,
    /// Links by which the user implements a definition of the provider instead of calling it.
    #[serde(skip_serializing_if = "is_none")]
    pub(super) answered: usize,
    /// Confidence of the most certain link.
    pub(super) confidence: f64,
    /// The most certain links.
    pub(super) evidence: Vec<LinkSides>,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct OverviewRepositoryEntry {
    pub(super) repo: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) state: Option<&'static str>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) purpose: String,
    /// Percent of the lines of code.
    #[serde(skip_serializing_if = "NamedCounts::is_empty")]
    pub(super) languages: NamedCounts,
    pub(super) files: u64,
    pub(super) symbols: u64,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) indexed_commit: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stale_warning: Option<String>,
}

/// A repository outside the request, and the requested ones that it is linked with.
#[derive(Debug, Clone, Serialize)]
pub(super) struct NeighbourEntry {
    pub(super) repo: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) uses: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) used_by: Vec<String>,
}

/// Names with counts, the largest first, and the number of further names.
#[derive(Debug, Clone, Default)]
pub(super) struct NamedCounts {
    pub(super) first: Vec<(String, u64)>,
    pub(super) n_more: usize,
}

impl NamedCounts {
    fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    fn line(&self, unit: &str) -> String {
        let mut parts: Vec<String> =
            self.first.iter().map(|(name, count)| format!("{} {count}{unit}", quote_name(name))).collect();
        parts.extend((self.n_more > 0).then(|| format!("+{}", self.n_more)));
        parts.join(", ")
    }
}

impl Serialize for NamedCounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let more = (self.n_more > 0).then_some(("+more", self.n_more as u64));
        serializer.collect_map(self.first.iter().map(|(name, count)| (name.as_str(), *count)).chain(more))
    }
}

impl OverviewEntry {
    /// Returns the entry as one line, possibly with continuation lines.
    pub(super) fn line(&self) -> String {
        match self {
            OverviewEntry::Language(OverviewLanguage { language, files, percent }) => {
                format!("{}: {percent} %, {}", quote_name(language), counted(*files as usize, "file"))
            }
            OverviewEntry::Module(module) => module.line(),
            OverviewEntry::Start(StartEntry { kind, name, target, at }) if target.is_empty() => {
                format!("{} {kind} {}", quote_name(at), quote_name(name))
            }
            OverviewEntry::Start(StartEntry { kind, name, target, at }) => {
                format!("{} {kind} {} -> {}", quote_name(at), quote_name(name), quote_name(target))
            }
            OverviewEntry::Route(RouteEntry { route, handler, at }) if handler.is_empty() => {
                format!("{} {}", quote_name(at), quote_name(route))
            }
            OverviewEntry::Route(RouteEntry { route, handler, at }) => {
                format!("{} {} -> {}", quote_name(at), quote_name(route), quote_name(handler))
            }
            OverviewEntry::Symbol(symbol) => symbol.line(),
            OverviewEntry::Hotspot(hotspot) => hotspot.line(),
            OverviewEntry::Community(CommunityEntry { label, files, cohesion, members }) => {
                format!("{}: {files} files, cohesion {cohesion}: {}", quote_name(label), quote_names(members))
            }
            OverviewEntry::Package(package) => package.line(),
            OverviewEntry::Infra(InfraEntry { path, kind, says }) if says.is_empty() => {
                format!("{} ({kind})", quote_name(path))
            }
            OverviewEntry::Infra(InfraEntry { path, kind, says }) => {
                format!("{} ({kind}): {}", quote_name(path), quote_names(says))
            }
            OverviewEntry::Person(person) => person.line(),
            OverviewEntry::Link(link) => link.line(),
            OverviewEntry::Repository(repository) => repository.line(),
            OverviewEntry::PackageVersions(versions) => versions.line(),
            OverviewEntry::Dangling(dangling) => dangling.line(),
            OverviewEntry::Stale(StaleEntry { at, package, name, .. }) => {
                format!("{} {} has no {}", quote_name(at), quote_name(package), quote_name(name))
            }
            OverviewEntry::Neighbour(NeighbourEntry { repo, uses, used_by }) => {
                let parts = [("uses", uses), ("used by", used_by)];
                let parts = parts.iter().filter(|(_, repos)| !repos.is_empty());
                let parts: Vec<String> = parts.map(|(what, repos)| format!("{what} {}", quote_names(*repos))).collect();
                format!("{}: {}", quote_name(repo), parts.join("; "))
            }
            OverviewEntry::CoChange(CoChangeEntry { repos, people, days, lift, evidence, .. }) => {
                let [one, other] = [&repos[0], &repos[1]].map(|repo| quote_name(repo));
                let mut line = format!("{one} and {other}: {people} people on {days} days, x{lift}");
                let pairs = evidence
                    .iter()
                    .map(|pair| format!("; {}: {} and {}", quote_name(&pair.author), pair.first, pair.second));
                line.extend(pairs);
                line
            }
        }
    }
}

impl ModuleEntry {
    fn line(&self) -> String {
        let mut line = quote_name(&self.path).into_owned();
        if !self.package.is_empty() && self.package != self.path {
            line += &format!(" ({})", quote_name(&self.package));
        }
        line += &format!(": {}, {}", counted(self.files as usize, "file"), counted(self.symbols as usize, "symbol"));
        if let Some(owner) = &self.owner {
            line += &format!(", {}", owner.line());
        }
        if !self.purpose.is_empty() {
            line += &format!(". {}", text::quote(&self.purpose));
        }
        for (what, counts) in [("uses", &self.uses), ("used by", &self.used_by)] {
            if !counts.is_empty() {
                line += &format!("\n  {what} {}", counts.line(""));
            }
        }
        line
    }
}

impl SymbolEntry {
    fn line(&self) -> String {
        let SymbolEntry { id, kind, signature, line, used_by, used_by_repos } = self;
        let id = quote_name(id);
        let location = if *line > 0 { format!("{id} :{line}") } else { id.into_owned() };
        let shown = if signature.is_empty() { kind.clone() } else { text::quote(signature) };
        let mut parts = Vec::new();
        if *used_by > 0 {
            parts.push(format!("used by {used_by}"));
        }
        if !used_by_repos.is_empty() {
            parts.push(format!("in other repositories: {}", used_by_repos.line("")));
        }
        let uses = if parts.is_empty() { String::new() } else { format!(" [{}]", parts.join("; ")) };
        format!("{location} {shown}{uses}")
    }
}

impl HotspotEntry {
    fn line(&self) -> String {
        let HotspotEntry { path, score, recent_commits, lines, fixes, owner } = self;
        let mut line = format!(
            "{}: {score}, {} in 13 weeks, {lines} lines",
            quote_name(path),
            counted(*recent_commits as usize, "commit")
        );
        if *fixes > 0 {
            line += &format!(", fixes in all: {fixes}");
        }
        if let Some(owner) = owner {
            line += &format!(", {}", owner.line());
        }
        line
    }
}

impl PackageEntry {
    fn line(&self) -> String {
        let PackageEntry { package, at, more_manifests, used_in, repo } = self;
        let mut line = format!("{} ({}", quote_name(package), quote_name(at));
        if *more_manifests > 0 {
            line += &format!(", +{more_manifests}");
        }
        line.push(')');
        if *used_in > 0 {
            line += &format!(", used in {}", counted(*used_in as usize, "place"));
        }
        if let Some(repo) = repo {
            line += &format!(", made by {}", quote_name(repo));
        }
        line
    }
}

impl PersonEntry {
    fn line(&self) -> String {
        format!("{} {} %", quote_name(&self.name), self.percent)
    }
}

impl LinkEntry {
    fn line(&self) -> String {
        let LinkEntry { user, provider, kind, links, answered, confidence, evidence } = self;
        let (user, provider) = (quote_name(user), quote_name(provider));
        let answered = if *answered > 0 { format!(", {answered} of them answered by {user}") } else { String::new() };
        let mut line = format!("{user} -> {provider}: {kind}, {}{answered} ({confidence})", counted(*links, "link"));
        for LinkSides { key, user, offer, .. } in evidence {
            line += &format!("\n  {}: {} -> {}", quote_name(key), quote_name(user), quote_name(offer));
        }
        line
    }
}

impl DanglingEntry {
    fn line(&self) -> String {
        let DanglingEntry { problem, kind, name, rpcs, n, at, .. } = self;
        let rpcs = if rpcs.is_empty() { String::new() } else { format!(": {}", quote_names(rpcs)) };
        let count = if *n > 1 { format!(" ({n})") } else { String::new() };
        format!("{problem}: {kind} {}{count} at {}{rpcs}", quote_name(name), quote_name(at))
    }
}

impl PackageVersionsEntry {
    fn line(&self) -> String {
        let PackageVersionsEntry { package, made_by, indexed, indexed_commit, declared, more, .. } = self;
        let indexed = if indexed.is_empty() { String::new() } else { format!(" {}", quote_name(indexed)) };
        let mut line = format!("{}{indexed}, made by {} @{indexed_commit}", quote_name(package), quote_name(made_by));
        for RequirementEntry { repo, version, at, indexed_version } in declared {
            let (repo, version, at) = (quote_name(repo), quote_name(version), quote_name(at));
            line += &format!("\n  {repo} declares {version} at {at}: {indexed_version}");
        }
        if *more > 0 {
            line += &format!("\n  {more} more");
        }
        line
    }
}

impl OverviewRepositoryEntry {
    fn line(&self) -> String {
        let OverviewRepositoryEntry { repo, state, purpose, languages, files, symbols, indexed_commit, stale_warning } =
            self;
        let at = if indexed_commit.is_empty() { String::new() } else { format!("@{indexed_commit}") };
        let mut line = quote_name(&format!("{repo}{at}")).into_owned();
        line += &format!(": {}, {}", counted(*files as usize, "file"), counted(*symbols as usize, "symbol"));
        if !languages.is_empty() {
            line += &format!(", {}", languages.line(" %"));
        }
        line.extend(state.iter().map(|state| format!(", {state}")));
        line.extend(stale_warning.iter().map(|warning| format!(", {warning}")));
        if !purpose.is_empty() {
            line += &format!(". {}", text::quote(purpose));
        }
        line
    }
}

/// Returns a count with its noun in singular or plural.
pub(super) fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

fn is_none(count: &usize) -> bool {
    *count == 0
}
