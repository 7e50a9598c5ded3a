//! Any sequence of commits: links that are renewed while they can be equal those of a resolution from nothing.

mod states;

use std::cell::Cell;

use proptest::{prelude::*, test_runner::TestRunner};

use super::*;
use states::{CPP, GO, JAVA, RUST, Repositories, RepositoryStates, TYPESCRIPT};

impl RepositoryStates {
    /// Returns the encoded facts of the repository, given the number of the text of each file.
    fn facts(&self, texts: &[usize]) -> Vec<u8> {
        let chosen = self.files.iter().zip(texts).map(|((path, states), text)| (*path, states[*text]));
        let all = std::iter::once(self.manifest).chain(chosen).filter(|(_, text)| !text.is_empty());
        let mut files: Vec<(String, String)> = all.map(|(path, text)| (path.to_owned(), text.to_owned())).collect();
        files.sort();
        encoded(&files)
    }
}

/// Checks renewed links after any commits, of which some must leave the links as they are.
fn check_commits(repositories: &Repositories) {
    let config = ProptestConfig { source_file: Some(file!()), ..ProptestConfig::with_cases(24) };
    let commits = prop::collection::vec((0_usize..3, 0_usize..4, 0_usize..12), 4..14);
    let n_renewed = Cell::new(0_usize);
    let result = TestRunner::new(config).run(&commits, |commits| {
        let mut states = repositories.each_ref().map(|repository| vec![0_usize; repository.files.len()]);
        let mut stored: Option<(Vec<usize>, TracedLinks)> = None;
        for (repository, file, text) in commits {
            let files = repositories[repository].files;
            let file = file % files.len();
            states[repository][file] = text % files[file].1.len();
            let importer = decode_importer(&repositories[0].facts(&states[0])).unwrap();
            let providers = [1_usize, 2].map(|one| decode_provider(&repositories[one].facts(&states[one])).unwrap());
            let views = [ProviderView::new(&providers[0]), ProviderView::new(&providers[1])];
            let generations = [format!("{:?}", states[1]), format!("{:?}", states[2])];
            let now: Vec<&str> = generations.iter().map(String::as_str).collect();
            let links = link_importer(&importer, &[&providers[0], &providers[1]], &BTreeSet::new());
            let from_nothing = TracedLinks::new(links, &[&views[0], &views[1]], generations.to_vec());
            let of_importer = stored.take().filter(|(of, _)| *of == states[0]);
            let renewed = of_importer.and_then(|(_, links)| {
                let changed = links.changed(&now)?;
                let has_changes = !changed.is_empty();
                let mut changed = changed.into_iter();
                let renewed = changed.try_fold(links, |links, one| links.renewed(one, &views[one], now[one]))?;
                n_renewed.set(n_renewed.get() + usize::from(has_changes));
                Some(renewed)
            });
            if let Some(renewed) = &renewed {
                prop_assert_eq!(without_mentions(renewed.clone()), without_mentions(from_nothing.clone()));
            }
            stored = Some((states[0].clone(), renewed.unwrap_or(from_nothing)));
        }
        Ok(())
    });
    assert!(result.is_ok(), "{result:?}");
    assert!(n_renewed.get() > 0, "no links were renewed");
}

#[test]
fn renewed_links_of_go_equal_links_from_nothing() {
    check_commits(&GO);
}

#[test]
fn renewed_links_of_rust_equal_links_from_nothing() {
    check_commits(&RUST);
}

#[test]
fn renewed_links_of_typescript_equal_links_from_nothing() {
    check_commits(&TYPESCRIPT);
}

#[test]
fn renewed_links_of_cpp_equal_links_from_nothing() {
    check_commits(&CPP);
}

#[test]
fn renewed_links_of_java_equal_links_from_nothing() {
    check_commits(&JAVA);
}
