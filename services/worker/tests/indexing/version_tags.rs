//! Tags of released versions in a generation.

use links::link_facts::decode_provider;

use crate::project::Project;

#[test]
fn a_new_tag_makes_another_generation() {
    let mut project = Project::repository();
    project.put("go.mod", Some("module example.org/kit\n"));
    project.commit("Ada", "A module");
    let without = project.index(None);
    assert!(without.manifest().version_tags.is_empty());
    project.git(&["tag", "v1.2.0"]);
    let tagged = project.index(Some(without.clone()));
    assert_ne!(tagged.manifest().generation, without.manifest().generation);
    assert_eq!(tagged.manifest().version_tags, ["1.2.0"]);
    let facts = decode_provider(&tagged.link_facts().unwrap().unwrap()).unwrap();
    assert_eq!(facts.version_tags, ["1.2.0"]);
    // The commit after it is past the tag.
    project.put("kit.go", Some("package kit\n"));
    project.commit("Ada", "A file");
    let later = project.index(Some(tagged));
    assert_eq!(later.manifest().version_tags, ["1.2.0"]);
    assert_eq!(project.index_from_scratch().manifest().generation, later.manifest().generation);
}
