//! What an overview lists: each entry as JSON, and as a line.

use serde::{Serialize, Serializer};

use crate::{together::CommitPair, tools::get_context::item::Sides};

/// An entry of a list. JSON has its fields, a compact answer its line.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub(super) enum Entry {
    Language(Language),
    Module(Module),
    Start(Start),
    Route(Route),
    Symbol(Symbol),
    Hotspot(Hotspot),
    Community(Community),
    Package(Package),
    Infra(Infra),
    Person(Person),
    Link(Link),
    Repository(Repository),
    Neighbour(Neighbour),
    Together(Together),
}

/// Two repositories that the same people change on the same days, more often than chance has it.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Together {
    pub(super) repos: [String; 2],
    pub(super) kind: &'static str,
    pub(super) people: usize,
    pub(super) days: usize,
    /// How much more often than by chance.
    pub(super) lift: f64,
    /// Commits of one person on one day.
    pub(super) evidence: Vec<CommitPair>,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct Language {
    pub(super) language: String,
    pub(super) files: u32,
    /// Of the lines of code.
    pub(super) percent: u32,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct Module {
    pub(super) path: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) package: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) purpose: String,
    pub(super) files: u32,
    pub(super) symbols: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) owner: Option<Person>,
    /// Other modules, with the number of places.
    #[serde(skip_serializing_if = "Counts::is_empty")]
    pub(super) uses: Counts,
    #[serde(skip_serializing_if = "Counts::is_empty")]
    pub(super) used_by: Counts,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct Start {
    pub(super) kind: &'static str,
    pub(super) name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) target: String,
    pub(super) at: String,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct Route {
    pub(super) route: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) handler: String,
    pub(super) at: String,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct Symbol {
    pub(super) id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) kind: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) signature: String,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) line: u32,
    /// Nodes of its own repository.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) used_by: u32,
    /// Other repositories, with the number of links.
    #[serde(skip_serializing_if = "Counts::is_empty")]
    pub(super) used_by_repos: Counts,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct Hotspot {
    pub(super) path: String,
    /// From 0 to 10, by how much it changes and how complex it is.
    pub(super) score: f64,
    /// Commits of 13 weeks.
    pub(super) recent_commits: u32,
    pub(super) lines: u32,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) fixes: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) owner: Option<Person>,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct Community {
    pub(super) label: String,
    pub(super) files: u32,
    pub(super) cohesion: f64,
    pub(super) members: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct Package {
    pub(super) package: String,
    pub(super) at: String,
    /// More manifests that declare it.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) more_manifests: u32,
    /// Places in code that use it.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) used_in: u32,
    /// The repository that makes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) repo: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct Infra {
    pub(super) path: String,
    pub(super) kind: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) says: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct Person {
    pub(super) name: String,
    pub(super) percent: u32,
}

/// What one repository uses of another in one way.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Link {
    pub(super) user: String,
    pub(super) provider: String,
    pub(super) kind: &'static str,
    pub(super) links: usize,
    /// Those among them by which the user answers what the provider defines, rather than calls it.
    #[serde(skip_serializing_if = "is_none")]
    pub(super) answered: usize,
    /// Of the surest.
    pub(super) confidence: f64,
    /// The surest of them.
    pub(super) evidence: Vec<Sides>,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct Repository {
    pub(super) repo: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) state: Option<&'static str>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) purpose: String,
    /// Percent of the lines of code.
    #[serde(skip_serializing_if = "Counts::is_empty")]
    pub(super) languages: Counts,
    pub(super) files: u64,
    pub(super) symbols: u64,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) indexed_commit: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stale_warning: Option<String>,
}

/// A repository beyond those that were asked for, and which of them it has to do with.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Neighbour {
    pub(super) repo: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) uses: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) used_by: Vec<String>,
}

/// Names with numbers, the largest first; and how many more names there are.
#[derive(Debug, Clone, Default)]
pub(super) struct Counts {
    pub(super) first: Vec<(String, u64)>,
    pub(super) n_more: usize,
}

impl Counts {
    fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    fn line(&self, unit: &str) -> String {
        let mut parts: Vec<String> = self.first.iter().map(|(name, count)| format!("{name} {count}{unit}")).collect();
        parts.extend((self.n_more > 0).then(|| format!("+{}", self.n_more)));
        parts.join(", ")
    }
}

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let more = (self.n_more > 0).then_some(("+more", self.n_more as u64));
        serializer.collect_map(self.first.iter().map(|(name, count)| (name.as_str(), *count)).chain(more))
    }
}

impl Entry {
    /// Returns the entry as one line, which may go on below itself.
    pub(super) fn line(&self) -> String {
        match self {
            Entry::Language(Language { language, files, percent }) => {
                format!("{language}: {percent} %, {}", counted(*files as usize, "file"))
            }
            Entry::Module(module) => module.line(),
            Entry::Start(Start { kind, name, target, at }) if target.is_empty() => format!("{at} {kind} {name}"),
            Entry::Start(Start { kind, name, target, at }) => format!("{at} {kind} {name} -> {target}"),
            Entry::Route(Route { route, handler, at }) if handler.is_empty() => format!("{at} {route}"),
            Entry::Route(Route { route, handler, at }) => format!("{at} {route} -> {handler}"),
            Entry::Symbol(symbol) => symbol.line(),
            Entry::Hotspot(hotspot) => hotspot.line(),
            Entry::Community(Community { label, files, cohesion, members }) => {
                format!("{label}: {files} files, cohesion {cohesion}: {}", members.join(", "))
            }
            Entry::Package(package) => package.line(),
            Entry::Infra(Infra { path, kind, says }) if says.is_empty() => format!("{path} ({kind})"),
            Entry::Infra(Infra { path, kind, says }) => format!("{path} ({kind}): {}", says.join(", ")),
            Entry::Person(person) => person.line(),
            Entry::Link(link) => link.line(),
            Entry::Repository(repository) => repository.line(),
            Entry::Neighbour(Neighbour { repo, uses, used_by }) => {
                let parts = [("uses", uses), ("used by", used_by)];
                let parts = parts.iter().filter(|(_, repos)| !repos.is_empty());
                let parts: Vec<String> = parts.map(|(what, repos)| format!("{what} {}", repos.join(", "))).collect();
                format!("{repo}: {}", parts.join("; "))
            }
            Entry::Together(Together { repos, people, days, lift, evidence, .. }) => {
                let mut line = format!("{} and {}: {people} people on {days} days, x{lift}", repos[0], repos[1]);
                let pairs =
                    evidence.iter().map(|pair| format!("; {}: {} and {}", pair.author, pair.first, pair.second));
                line.extend(pairs);
                line
            }
        }
    }
}

impl Module {
    fn line(&self) -> String {
        let mut line = self.path.clone();
        if !self.package.is_empty() && self.package != self.path {
            line += &format!(" ({})", self.package);
        }
        line += &format!(": {}, {}", counted(self.files as usize, "file"), counted(self.symbols as usize, "symbol"));
        if let Some(owner) = &self.owner {
            line += &format!(", {}", owner.line());
        }
        if !self.purpose.is_empty() {
            line += &format!(". {}", self.purpose);
        }
        for (what, ties) in [("uses", &self.uses), ("used by", &self.used_by)] {
            if !ties.is_empty() {
                line += &format!("\n  {what} {}", ties.line(""));
            }
        }
        line
    }
}

impl Symbol {
    fn line(&self) -> String {
        let Symbol { id, kind, signature, line, used_by, used_by_repos } = self;
        let place = if *line > 0 { format!("{id} :{line}") } else { id.clone() };
        let shown = if signature.is_empty() { kind.clone() } else { signature.clone() };
        let mut parts = Vec::new();
        if *used_by > 0 {
            parts.push(format!("used by {used_by}"));
        }
        if !used_by_repos.is_empty() {
            parts.push(format!("in other repositories: {}", used_by_repos.line("")));
        }
        let uses = if parts.is_empty() { String::new() } else { format!(" [{}]", parts.join("; ")) };
        format!("{place} {shown}{uses}")
    }
}

impl Hotspot {
    fn line(&self) -> String {
        let Hotspot { path, score, recent_commits, lines, fixes, owner } = self;
        let mut line =
            format!("{path}: {score}, {} in 13 weeks, {lines} lines", counted(*recent_commits as usize, "commit"));
        if *fixes > 0 {
            line += &format!(", fixes in all: {fixes}");
        }
        if let Some(owner) = owner {
            line += &format!(", {}", owner.line());
        }
        line
    }
}

impl Package {
    fn line(&self) -> String {
        let Package { package, at, more_manifests, used_in, repo } = self;
        let mut line = format!("{package} ({at}");
        if *more_manifests > 0 {
            line += &format!(", +{more_manifests}");
        }
        line.push(')');
        if *used_in > 0 {
            line += &format!(", used in {}", counted(*used_in as usize, "place"));
        }
        if let Some(repo) = repo {
            line += &format!(", made by {repo}");
        }
        line
    }
}

impl Person {
    fn line(&self) -> String {
        format!("{} {} %", self.name, self.percent)
    }
}

impl Link {
    fn line(&self) -> String {
        let Link { user, provider, kind, links, answered, confidence, evidence } = self;
        let answered = if *answered > 0 { format!(", {answered} of them answered by {user}") } else { String::new() };
        let mut line = format!("{user} -> {provider}: {kind}, {}{answered} ({confidence})", counted(*links, "link"));
        for Sides { key, user, offer } in evidence {
            line += &format!("\n  {key}: {user} -> {offer}");
        }
        line
    }
}

impl Repository {
    fn line(&self) -> String {
        let Repository { repo, state, purpose, languages, files, symbols, indexed_commit, stale_warning } = self;
        let mut line = repo.clone();
        if !indexed_commit.is_empty() {
            line += &format!("@{indexed_commit}");
        }
        line += &format!(": {}, {}", counted(*files as usize, "file"), counted(*symbols as usize, "symbol"));
        if !languages.is_empty() {
            line += &format!(", {}", languages.line(" %"));
        }
        line.extend(state.iter().map(|state| format!(", {state}")));
        line.extend(stale_warning.iter().map(|warning| format!(", {warning}")));
        if !purpose.is_empty() {
            line += &format!(". {purpose}");
        }
        line
    }
}

/// Returns a number of things as people write it.
pub(super) fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

fn is_none(count: &usize) -> bool {
    *count == 0
}
