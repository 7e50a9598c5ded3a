//! Runs after files of the served generation were removed or changed.

use std::{fs, path::Path};

use crate::project::Project;

/// Removes or changes files of a generation.
type Loss = fn(&Path);

const LOSSES: [(&str, Loss); 6] = [
    ("its text index", |generation| fs::remove_dir_all(generation.join("text")).unwrap()),
    ("the generation", |generation| fs::remove_dir_all(generation).unwrap()),
    ("the repository", |generation| fs::remove_dir_all(generation.parent().unwrap()).unwrap()),
    ("the content of the state of the history", |generation| flip_first_byte(&generation.join("history.zst"))),
    ("the content of the text index", |generation| {
        for file in fs::read_dir(generation.join("text")).unwrap().map(|entry| entry.unwrap().path()) {
            if file.extension().is_some_and(|extension| extension == "idx") {
                flip_first_byte(&file);
            }
        }
    }),
    ("the description of the text index", |generation| fs::write(generation.join("text/meta.json"), "{").unwrap()),
];

fn flip_first_byte(file: &Path) {
    let mut bytes = fs::read(file).unwrap();
    bytes[0] ^= 1;
    fs::write(file, bytes).unwrap();
}

#[test]
fn a_run_does_not_depend_on_lost_files() {
    for (what, lose) in LOSSES {
        let mut project = Project::repository();
        for file_idx in 0..12 {
            project.put(&format!("f{file_idx}.py"), Some(&format!("def buoy_{file_idx}():\n    return {file_idx}\n")));
        }
        project.commit("Ada", "first");
        let served = project.index(None);
        lose(&project.generation_dir(false));
        project.put("f1.py", Some("def lighthouse():\n    return 1\n"));
        project.commit("Ada", "second");
        let extended = project.index(Some(served));
        let full = project.index_from_scratch();
        assert_eq!(extended.manifest().commit, full.manifest().commit, "{what}");
        // The text of an extended generation still has the terms of replaced files.
        for name in ["graph.rkyv", "history.rkyv"] {
            assert!(project.generation_file(false, name) == project.generation_file(true, name), "{what}: {name}");
        }
    }
}
