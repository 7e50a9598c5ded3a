//! Reading the overview of a repository.

use rkyv::{Archive, Deserialize, api::high::HighDeserializer, deserialize, rancor, vec::ArchivedVec};

use crate::{
    error::{IndexError, damaged},
    overview::{ArchivedBoundedList, BoundedList, Overview},
    snapshot::Snapshot,
};

impl Snapshot {
    /// Returns the overview of the repository, with at most `limit` items per list.
    pub fn overview(&self, limit: usize) -> Result<Overview, IndexError> {
        let archived = self.archived_overview();
        let read = || -> Result<Overview, rancor::Error> {
            Ok(Overview {
                name: archived.name.as_str().to_owned(),
                purposes: items(&archived.purposes, limit)?,
                languages: bounded(&archived.languages, limit)?,
                n_code_lines: archived.n_code_lines.to_native(),
                modules: bounded(&archived.modules, limit)?,
                makes: bounded(&archived.makes, limit)?,
                requires: bounded(&archived.requires, limit)?,
                starts: bounded(&archived.starts, limit)?,
                routes: bounded(&archived.routes, limit)?,
                services: bounded(&archived.services, limit)?,
                most_used: bounded(&archived.most_used, limit)?,
                hotspots: bounded(&archived.hotspots, limit)?,
                communities: bounded(&archived.communities, limit)?,
                infra: bounded(&archived.infra, limit)?,
                past: deserialize(&archived.past)?,
            })
        };
        read().map_err(|error| damaged(self.dir(), error.to_string()))
    }
}

fn bounded<T>(archived: &ArchivedBoundedList<T>, limit: usize) -> Result<BoundedList<T>, rancor::Error>
where
    T: Archive<Archived: Deserialize<T, HighDeserializer<rancor::Error>>>,
{
    Ok(BoundedList { first: items(&archived.first, limit)?, n_all: archived.n_all.to_native() })
}

fn items<T>(archived: &ArchivedVec<T::Archived>, limit: usize) -> Result<Vec<T>, rancor::Error>
where
    T: Archive<Archived: Deserialize<T, HighDeserializer<rancor::Error>>>,
{
    archived.iter().take(limit).map(deserialize::<T, rancor::Error>).collect()
}
