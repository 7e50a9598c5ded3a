//! What is known of a repository as a whole: gathered when its generation is sealed, read where it is mapped.
//!
//! It is what the page of the repository tells, field by field and with places, for those who go on from there.

use rkyv::{
    Archive, Deserialize, Serialize, api::high::HighDeserializer, deserialize, rancor, rend::u32_le, vec::ArchivedVec,
};

use crate::{IndexError, Snapshot, error::damaged};

/// A repository, as far as it is known as a whole. What is not known is empty.
#[derive(Archive, Serialize, Deserialize, Debug, Clone, Default, PartialEq)]
pub struct Overview {
    /// What it calls itself.
    pub name: String,
    /// What it says of itself, in its README first.
    pub purposes: Vec<Said>,
    /// Of its code, most lines first.
    pub languages: Listed<LanguageShare>,
    /// Lines of all its code.
    pub n_code_lines: u64,
    /// Its packages first, then its folders of code, the most used first.
    pub modules: Listed<Module>,
    /// Packages that it makes.
    pub makes: Listed<Package>,
    /// Packages that its manifests require, the most used first.
    pub requires: Listed<Package>,
    pub starts: Listed<Start>,
    pub routes: Listed<Route>,
    /// Services of protobuf.
    pub services: Listed<Named>,
    /// Definitions of its code, the most used first.
    pub most_used: Listed<Named>,
    /// Files of its code that change often, the hottest first.
    pub hotspots: Listed<Hotspot>,
    /// Groups of files that have more to do with each other than with the rest, the largest first.
    pub communities: Listed<Group>,
    /// Files that say how it is built, tested, deployed and run.
    pub infra: Listed<Infra>,
    pub past: Past,
}

/// The first items of a list, and how many there are in all.
#[derive(Archive, Serialize, Deserialize, Debug, Clone, PartialEq)]
pub struct Listed<T> {
    pub first: Vec<T>,
    pub n_all: u32,
}

/// A text, and the file that says it.
#[derive(Archive, Serialize, Deserialize, Debug, Clone, Default, PartialEq, Eq)]
pub struct Said {
    /// Running text, on one line and without markup.
    pub text: String,
    pub path: String,
}

/// A line of a file.
#[derive(Archive, Serialize, Deserialize, Debug, Clone, Default, PartialEq, Eq)]
pub struct Spot {
    pub path: String,
    pub line: u32,
}

#[derive(Archive, Serialize, Deserialize, Debug, Clone, PartialEq, Eq)]
pub struct LanguageShare {
    pub name: String,
    pub n_files: u32,
    pub n_lines: u64,
}

/// A folder of code, or a package.
#[derive(Archive, Serialize, Deserialize, Debug, Clone, Default, PartialEq)]
pub struct Module {
    /// Empty for the root.
    pub path: String,
    /// The name of the package; empty where it is none.
    pub package: String,
    pub purpose: Said,
    pub n_files: u32,
    pub n_symbols: u32,
    /// Who stands behind the largest part of it, if that is known.
    pub owner: Option<Person>,
    /// Modules that it uses, and in how many places.
    pub uses: Listed<(String, u32)>,
    pub used_by: Listed<(String, u32)>,
}

#[derive(Archive, Serialize, Deserialize, Debug, Clone, PartialEq)]
pub struct Person {
    pub name: String,
    /// From 0 to 1.
    pub share: f32,
}

/// A package that a manifest makes or requires.
#[derive(Archive, Serialize, Deserialize, Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// With its ecosystem: `npm:@acme/kit`.
    pub key: String,
    /// Where it is declared first.
    pub at: Spot,
    /// Manifests that declare it.
    pub n_manifests: u32,
    /// Places in code that use one of its names, as far as they are known.
    pub n_sites: u32,
}

/// Where a run begins, or what a manifest hands out.
#[derive(Archive, Serialize, Deserialize, Debug, Clone, PartialEq, Eq)]
pub struct Start {
    pub kind: StartKind,
    /// The id of the function, or the name that the manifest gives.
    pub name: String,
    /// What the manifest points at; empty for a function.
    pub target: String,
    pub at: Spot,
}

#[derive(Archive, Serialize, Deserialize, Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StartKind {
    /// A command that a manifest installs.
    Command,
    /// What a manifest lets others import.
    Export,
    /// A main function.
    Main,
}

/// An HTTP route that it answers.
#[derive(Archive, Serialize, Deserialize, Debug, Clone, PartialEq, Eq)]
pub struct Route {
    pub method: String,
    pub path: String,
    pub at: Spot,
    /// The id of the function that answers; empty where it is not known.
    pub handler: String,
}

/// A definition.
#[derive(Archive, Serialize, Deserialize, Debug, Clone, PartialEq, Eq)]
pub struct Named {
    pub id: String,
    pub kind: String,
    pub signature: String,
    pub at: Spot,
    /// How many nodes of the code graph use it.
    pub used_by: u32,
}

/// A file that changes often.
#[derive(Archive, Serialize, Deserialize, Debug, Clone, PartialEq)]
pub struct Hotspot {
    pub path: String,
    pub n_lines: u32,
    /// By churn and complexity, from 0 to 10.
    pub score: f32,
    /// Commits of the last 13 weeks before the newest.
    pub n_recent: u32,
    /// Commits that mend something, of all times.
    pub n_fixes: u32,
    pub owner: Option<Person>,
}

#[derive(Archive, Serialize, Deserialize, Debug, Clone, PartialEq)]
pub struct Group {
    pub label: String,
    pub n_files: u32,
    /// The share of its edges that stays within.
    pub cohesion: f32,
    /// Its most important files of code.
    pub members: Vec<String>,
}

#[derive(Archive, Serialize, Deserialize, Debug, Clone, PartialEq, Eq)]
pub struct Infra {
    pub path: String,
    pub kind: String,
    /// What it can be asked for: targets, jobs, services.
    pub says: Vec<String>,
}

/// The past of the whole.
#[derive(Archive, Serialize, Deserialize, Debug, Clone, Default, PartialEq)]
pub struct Past {
    /// Commits of the last 13 weeks before the newest; there may be more, where `is_at_least`.
    pub n_recent: u32,
    pub is_at_least: bool,
    /// Who stands behind it, as far as that is more than a hundredth; the largest share first.
    pub owners: Listed<Person>,
    /// The smallest number of people who together stand behind more than half of it; 0 where that is not known.
    pub bus_factor: u32,
}

impl<T> Default for Listed<T> {
    fn default() -> Listed<T> {
        Listed { first: Vec::new(), n_all: 0 }
    }
}

impl<T> Listed<T> {
    /// Keeps the first `most` of all items.
    pub(crate) fn of(mut items: Vec<T>, most: usize) -> Listed<T> {
        let n_all = items.len() as u32;
        items.truncate(most);
        Listed { first: items, n_all }
    }
}

impl Snapshot {
    /// Returns what is known of the repository as a whole, with no more than `limit` items of each list.
    pub fn overview(&self, limit: usize) -> Result<Overview, IndexError> {
        let all = self.archived_overview();
        let read = || -> Result<Overview, rancor::Error> {
            Ok(Overview {
                name: all.name.as_str().to_owned(),
                purposes: items(&all.purposes, limit)?,
                languages: listed(&all.languages, limit)?,
                n_code_lines: all.n_code_lines.to_native(),
                modules: listed(&all.modules, limit)?,
                makes: listed(&all.makes, limit)?,
                requires: listed(&all.requires, limit)?,
                starts: listed(&all.starts, limit)?,
                routes: listed(&all.routes, limit)?,
                services: listed(&all.services, limit)?,
                most_used: listed(&all.most_used, limit)?,
                hotspots: listed(&all.hotspots, limit)?,
                communities: listed(&all.communities, limit)?,
                infra: listed(&all.infra, limit)?,
                past: deserialize(&all.past)?,
            })
        };
        read().map_err(|error| damaged(self.dir(), error.to_string()))
    }
}

fn listed<T>(archived: &ArchivedListed<T>, limit: usize) -> Result<Listed<T>, rancor::Error>
where
    T: Archive<Archived: Deserialize<T, HighDeserializer<rancor::Error>>>,
{
    Ok(Listed { first: items(&archived.first, limit)?, n_all: count(archived.n_all) })
}

fn items<T>(archived: &ArchivedVec<T::Archived>, limit: usize) -> Result<Vec<T>, rancor::Error>
where
    T: Archive<Archived: Deserialize<T, HighDeserializer<rancor::Error>>>,
{
    archived.iter().take(limit).map(deserialize::<T, rancor::Error>).collect()
}

fn count(n_all: u32_le) -> u32 {
    n_all.to_native()
}
