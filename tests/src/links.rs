//! Links between repositories: in answers, and in the example organisation.

use std::{collections::BTreeSet, fs, path::Path};

use serde_json::Value;

use crate::answer::text;

/// Both sides of a link as `alias:path:line`: the use, and the used definition.
pub type Sides = (String, String);

/// Returns both sides of all links in an answer.
pub fn shown(answer: &Value) -> BTreeSet<Sides> {
    let mut found = BTreeSet::new();
    collect(answer, &mut found);
    found
}

fn collect(value: &Value, found: &mut BTreeSet<Sides>) {
    match value {
        Value::Object(fields) => {
            if let (Some(user), Some(offer)) = (fields.get("user"), fields.get("offer")) {
                found.insert((text(user).to_owned(), text(offer).to_owned()));
            }
            fields.values().for_each(|field| collect(field, found));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        _ => {}
    }
}

/// An edge between two repositories of the example organisation.
#[derive(Debug, Clone)]
pub struct TrueEdge {
    pub kind: String,
    pub route: Option<String>,
    pub from: Place,
    pub to: Place,
}

/// A line of the example organisation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub repo: String,
    pub path: String,
    pub line: u64,
    /// The text of the line without indentation.
    pub text: String,
    /// The definition that contains the line, or starts there.
    pub symbol: Option<String>,
}

/// A name, and unrelated definitions of the same name.
#[derive(Debug, Clone)]
pub struct LookAlikes {
    pub name: String,
    pub places: Vec<Place>,
}

impl TrueEdge {
    pub fn sides(&self) -> Sides {
        (self.from.shown(), self.to.shown())
    }
}

impl Place {
    /// Returns the location in the notation of answers.
    pub fn shown(&self) -> String {
        format!("{}:{}:{}", self.repo, self.path, self.line)
    }

    /// Returns the definition as a tool argument; the file if there is none.
    pub fn entity(&self) -> String {
        match &self.symbol {
            Some(symbol) => format!("{}//{}::{symbol}", self.repo, self.path),
            None => format!("{}:{}", self.repo, self.path),
        }
    }

    fn of(value: &Value) -> Place {
        Place {
            repo: text(&value["repo"]).to_owned(),
            path: text(&value["path"]).to_owned(),
            line: value["line"].as_u64().expect("lines are numbers"),
            text: text(&value["text"]).to_owned(),
            symbol: value["symbol"].as_str().map(str::to_owned),
        }
    }
}

/// Returns all edges between repositories of the example organisation.
pub fn true_edges() -> Vec<TrueEdge> {
    let edge = |edge: &Value| TrueEdge {
        kind: text(&edge["kind"]).to_owned(),
        route: edge["route"].as_str().map(str::to_owned),
        from: Place::of(&edge["from"]),
        to: Place::of(&edge["to"]),
    };
    list("edges", edge)
}

/// Returns the ambiguous names of the example organisation.
pub fn look_alikes() -> Vec<LookAlikes> {
    let look_alikes = |alike: &Value| LookAlikes {
        name: text(&alike["name"]).to_owned(),
        places: alike["places"].as_array().expect("a list").iter().map(Place::of).collect(),
    };
    list("look_alikes", look_alikes)
}

fn list<T>(name: &str, read: impl Fn(&Value) -> T) -> Vec<T> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/organisation.dependencies.json");
    let json = fs::read_to_string(path).expect("the fixture is there");
    let dependencies: Value = serde_json::from_str(&json).expect("the fixture is JSON");
    dependencies[name].as_array().expect("a list").iter().map(read).collect()
}
