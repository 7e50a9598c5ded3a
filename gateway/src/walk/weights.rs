//! How much of its relevance a node passes on along each kind of edge, by what the reader is about to do.

use graph::ContractKind;
use proto::v1::EdgeKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Relation;

/// What the reader is about to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Intent {
    Modify,
    Understand,
    Review,
    Debug,
    Add,
    Plan,
}

/// The weights of one walk.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weights {
    intent: Option<Intent>,
}

/// Kinds of edges that are weighed alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Call,
    Base,
    Reference,
    Import,
    Test,
    Document,
    Define,
    Link,
    Package,
}

impl Weights {
    pub(crate) fn new(intent: Option<Intent>) -> Weights {
        Weights { intent }
    }

    pub(crate) fn intent(&self) -> Option<Intent> {
        self.intent
    }

    /// Returns the weight of an edge that is taken along its direction, or against it.
    pub(crate) fn of(&self, relation: Relation, is_along: bool) -> f64 {
        let class = class(relation);
        base(class, is_along) * self.intent.map_or(1.0, |intent| factor(intent, class, is_along))
    }
}

fn class(relation: Relation) -> Class {
    match relation {
        Relation::Within(EdgeKind::Calls | EdgeKind::Handles) => Class::Call,
        Relation::Within(EdgeKind::Extends | EdgeKind::Implements) => Class::Base,
        Relation::Within(EdgeKind::References | EdgeKind::Unspecified) => Class::Reference,
        Relation::Within(EdgeKind::Imports) => Class::Import,
        Relation::Within(EdgeKind::Tests) => Class::Test,
        Relation::Within(EdgeKind::Documents) => Class::Document,
        Relation::Within(EdgeKind::Defines) => Class::Define,
        Relation::Across(ContractKind::Package, _) | Relation::Across(_, false) => Class::Package,
        Relation::Across(..) => Class::Link,
    }
}

/// Weights without an intent.
fn base(class: Class, is_along: bool) -> f64 {
    match (class, is_along) {
        // What it calls, and who calls it, explain a definition best.
        (Class::Call | Class::Link, _) => 1.0,
        // A base says what is inherited; of many subtypes each says less.
        (Class::Base, true) => 0.9,
        (Class::Base, false) => 0.6,
        // A type that is named says what values are; being named says little of the type.
        (Class::Reference, true) => 0.6,
        (Class::Reference, false) => 0.5,
        // What is in a container belongs to it; from a member all of its siblings are one step further.
        (Class::Define, true) => 0.6,
        (Class::Define, false) => 0.2,
        // A test leads to what it tests; what is tested has its tests among other things.
        (Class::Test, true) => 0.7,
        (Class::Test, false) => 0.4,
        (Class::Document, _) => 0.4,
        // Files import far more than any one of their definitions needs.
        (Class::Import, _) => 0.2,
        (Class::Package, _) => 0.1,
    }
}

/// What an intent makes of it.
fn factor(intent: Intent, class: Class, is_along: bool) -> f64 {
    match (intent, class, is_along) {
        // Who changes something breaks who uses it, and runs the tests.
        (Intent::Modify, Class::Call | Class::Link | Class::Reference | Class::Base, false) => 2.0,
        (Intent::Modify, Class::Test, false) => 2.5,
        // Who reviews asks for users and tests as well, but reads what it calls too.
        (Intent::Review, Class::Call | Class::Link | Class::Reference, false) => 1.5,
        (Intent::Review, Class::Test, false) => 2.0,
        // Who debugs follows the calls down.
        (Intent::Debug, Class::Call | Class::Link, true) => 2.0,
        (Intent::Debug, Class::Test, false) => 1.2,
        // Who reads asks for types, bases and documents.
        (Intent::Understand, Class::Base | Class::Reference, true) => 1.5,
        (Intent::Understand, Class::Document, _) => 2.5,
        // Who adds looks at siblings and at what is built on.
        (Intent::Add, Class::Define, _) => 2.5,
        (Intent::Add, Class::Base, _) => 2.0,
        // Who plans looks at modules.
        (Intent::Plan, Class::Import | Class::Package, _) => 3.0,
        (Intent::Plan, Class::Document, _) => 1.5,
        _ => 1.0,
    }
}
