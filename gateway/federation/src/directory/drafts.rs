//! Drafts in the place of generations, for calls that read only what drafts have.

use model::GenerationId;
use proto::v1;

use super::{Availability, Directory, RepositoryEntry};

/// The drafts that a call reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DraftReads {
    /// Texts, names and vectors.
    Texts,
    /// The same, and the uses of definitions in the generation below. It must be the served one.
    TextsAndUses,
}

impl RepositoryEntry {
    /// Returns the id of the draft, if the repository is served and has one that can be read.
    fn draft_id(&self, reads: DraftReads) -> Option<GenerationId> {
        let Availability::Serving(_) = self.availability else { return None };
        let draft = self.advertised.draft.as_ref()?;
        let has_nodes = draft.base_generation == self.advertised.generation;
        draft.generation.parse().ok().filter(|_| has_nodes || reads == DraftReads::Texts)
    }

    /// Returns the entry with the draft in the place of the generation, if there is one. Other replicas do not have it.
    fn with_draft(&self, reads: DraftReads) -> RepositoryEntry {
        let Some((id, draft)) = self.draft_id(reads).zip(self.advertised.draft.as_ref()) else { return self.clone() };
        let advertised = v1::Repository {
            generation: draft.generation.clone(),
            newer_paths: draft.newer_paths.clone(),
            changed_files: draft.changed_files,
            changed_paths: draft.changed_paths.clone(),
            ..self.advertised.clone()
        };
        RepositoryEntry {
            availability: Availability::Serving(id),
            has_replica_below: self.holders.iter().any(|holder| *holder != self.worker_idx),
            holders: vec![self.worker_idx],
            advertised,
            ..self.clone()
        }
    }
}

impl Directory {
    /// Returns the directory with each draft in the place of its generation; `None` if there is no draft. Only text, names and vectors
    /// can be asked of a draft.
    pub fn with_drafts(&self, reads: DraftReads) -> Option<Directory> {
        let has_drafts = self.repositories.iter().any(|repository| repository.draft_id(reads).is_some());
        let with_draft = || self.repositories.iter().map(|repository| repository.with_draft(reads)).collect();
        has_drafts.then(|| Directory { repositories: with_draft(), workers: self.workers.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::tests::{repository, view},
        *,
    };
    use crate::repo_idx::RepoIdx;

    #[test]
    fn a_draft_takes_the_place_of_its_generation() {
        let draft = v1::RepositoryDraft {
            generation: GenerationId([7; 16]).to_string(),
            base_generation: GenerationId([4; 16]).to_string(),
            newer_paths: vec!["b".to_owned()],
            changed_files: 2,
            ..Default::default()
        };
        let edited = v1::Repository {
            draft: Some(draft),
            newer_paths: vec!["a".to_owned(), "b".to_owned()],
            ..repository(1, "api", 5)
        };
        let views = [view("w1", vec![edited.clone(), repository(2, "web", 4)])];
        let directory = Directory::build(&views);
        assert!(matches!(directory[RepoIdx(0)].availability, Availability::Serving(GenerationId([5, ..]))));
        let drafts = directory.with_drafts(DraftReads::Texts).expect("a draft");
        let api = &drafts[RepoIdx(0)];
        assert_eq!(api.availability, Availability::Serving(GenerationId([7; 16])));
        assert_eq!(api.advertised.generation, GenerationId([7; 16]).to_string());
        assert_eq!((api.advertised.newer_paths.len(), api.advertised.changed_files), (1, 2));
        // Other replicas of the generation do not have the draft.
        assert_eq!(api.holders, [api.worker_idx]);
        assert_eq!(drafts[RepoIdx(1)].advertised, directory[RepoIdx(1)].advertised);
        // The nodes of the draft are those of the generation before.
        assert!(directory.with_drafts(DraftReads::TextsAndUses).is_none());
        let mut of_served = edited.clone();
        of_served.draft.as_mut().unwrap().base_generation = of_served.generation.clone();
        assert!(Directory::build(&[view("w1", vec![of_served])]).with_drafts(DraftReads::TextsAndUses).is_some());
        // The replica that has the draft answers, whatever its name is.
        let served = repository(1, "api", 5);
        for names in [["w1", "w2"], ["w2", "w1"], ["a", "z"]] {
            let replicas = [view(names[0], vec![served.clone()]), view(names[1], vec![edited.clone()])];
            let directory = Directory::build(&replicas);
            assert_eq!(directory[RepoIdx(0)].holders, [1, 0], "{names:?}");
            let with_draft = directory.with_drafts(DraftReads::Texts).expect("a draft");
            assert!(with_draft[RepoIdx(0)].has_replica_below && !directory[RepoIdx(0)].has_replica_below);
        }
        assert!(!api.has_replica_below);
        // A draft without a generation, or with a malformed id, is none.
        let unserved = v1::Repository { generation: String::new(), ..edited.clone() };
        let malformed = v1::RepositoryDraft { generation: "x".to_owned(), ..Default::default() };
        for none in [unserved, v1::Repository { draft: Some(malformed), ..edited }] {
            assert!(Directory::build(&[view("w1", vec![none])]).with_drafts(DraftReads::Texts).is_none());
        }
    }
}
