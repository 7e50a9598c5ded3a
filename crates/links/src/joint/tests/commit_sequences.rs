//! Any sequence of commits: links that are renewed while they can be equal those of a resolution from nothing.

use proptest::prelude::*;

use super::*;

/// The states of a repository, each as the text of its file.
type States = [&'static str; 6];

const LOG: States = [
    "package log\ntype Line struct{}\nfunc New() *Line { return nil }\nfunc (l *Line) Write() {}\n",
    // A body and lines.
    "package log\n\n// Line is one.\ntype Line struct{}\nfunc New() *Line {\n\treturn &Line{}\n}\nfunc (l *Line) Write() {}\n",
    // The result of a function.
    "package log\ntype Line struct{}\nfunc New() int { return 1 }\nfunc (l *Line) Write() {}\n",
    // A definition more before the others, and one less.
    "package log\nfunc first() {}\ntype Line struct{}\nfunc New() *Line { return nil }\nfunc (l *Line) Write() {}\n",
    "package log\ntype Line struct{}\nfunc New() *Line { return nil }\n",
    // A definition that nothing mentions, between the others.
    "package log\ntype Line struct{}\nfunc other(n int) *Line { return nil }\nfunc New() *Line { return nil }\nfunc (l *Line) Write() {}\n",
];

const KIT: States = [
    "package kit\nimport \"example.org/log\"\nfunc Open() *log.Line { return log.New() }\n",
    "package kit\nimport \"example.org/log\"\n\nfunc Open() *log.Line {\n\tprintln()\n\treturn log.New()\n}\n",
    "package kit\nfunc Open() int { return 1 }\n",
    "package kit\nimport \"example.org/log\"\nfunc Open() *log.Line { return log.New() }\nfunc Close() {}\n",
    "package kit\n",
    // An interface that a type of the importer has.
    "package kit\nimport \"example.org/log\"\ntype Runner interface { Run() }\nfunc Open() *log.Line { return log.New() }\n",
];

const APP: States = [
    "package main\nimport \"example.org/kit\"\nfunc run() { kit.Open().Write() }\n",
    "package main\nimport \"example.org/kit\"\nimport \"example.org/log\"\nfunc run() { kit.Open().Write(); log.New().Write() }\n",
    "package main\nimport \"example.org/log\"\nfunc run() { log.New() }\n",
    "package main\nimport \"example.org/kit\"\nfunc run() { kit.Open().Write(); kit.Close() }\n",
    "package main\n",
    "package main\nimport \"example.org/kit\"\ntype job struct{}\nfunc (j job) Run() { kit.Open().Write() }\n",
];

fn facts(module: &str, text: &str) -> Vec<u8> {
    let manifest = ("go.mod".to_owned(), format!("module example.org/{module}\n"));
    encoded(&[manifest, (format!("{module}.go"), text.to_owned())])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn renewed_links_equal_links_from_nothing(commits in prop::collection::vec((0_usize..3, 0_usize..6), 1..12)) {
        let mut states = [0; 3];
        let mut stored: Option<(usize, TracedLinks)> = None;
        for (repository, state) in commits {
            states[repository] = state;
            let [app, kit, log] = states;
            let importer = decode_importer(&facts("app", APP[app])).unwrap();
            let providers = [("kit", KIT[kit]), ("log", LOG[log])].map(|(module, text)| decode_provider(&facts(module, text)).unwrap());
            let views = [ProviderView::new(&providers[0]), ProviderView::new(&providers[1])];
            let generations = [kit, log].map(|state| state.to_string());
            let now: Vec<&str> = generations.iter().map(String::as_str).collect();
            let links = link_importer(&importer, &[&providers[0], &providers[1]], &BTreeSet::new());
            let from_nothing = TracedLinks::new(links, &[&views[0], &views[1]], generations.to_vec());
            let of_importer = stored.take().filter(|(of, _)| *of == app);
            let renewed = of_importer.and_then(|(_, links)| {
                let changed = links.changed(&now)?;
                changed.into_iter().try_fold(links, |links, one| links.renewed(one, &views[one], now[one]))
            });
            if let Some(renewed) = &renewed {
                prop_assert_eq!(without_mentions(renewed.clone()), without_mentions(from_nothing.clone()));
            }
            stored = Some((app, renewed.unwrap_or(from_nothing)));
        }
    }
}
