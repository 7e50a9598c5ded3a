//! Edge weights of a walk by edge kind and by the intent of the reader.

use links::ContractKind;
use proto::v1::EdgeKind;

use super::Relation;

/// The task of the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Intent {
    /// A change of code: favours users and tests.
    Modify,
    /// Reading: favours base types, referenced types and documents.
    Understand,
    /// A review: favours users and tests, less than a change does.
    Review,
    /// A search for a defect: favours callees.
    Debug,
    /// New code: favours siblings and base types.
    Add,
    /// A plan over modules: favours imports, packages and documents.
    Plan,
}

impl Intent {
    /// Returns the name that users read.
    pub fn name(self) -> &'static str {
        match self {
            Intent::Modify => "modify",
            Intent::Understand => "understand",
            Intent::Review => "review",
            Intent::Debug => "debug",
            Intent::Add => "add",
            Intent::Plan => "plan",
        }
    }
}

/// The weights of one walk.
#[derive(Debug, Clone, Copy)]
pub struct Weights {
    intent: Option<Intent>,
}

/// Classes of edge kinds with equal weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EdgeClass {
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
    /// Creates the weights for an intent; `None` gives the base weights.
    pub fn new(intent: Option<Intent>) -> Weights {
        Weights { intent }
    }

    pub(crate) fn intent(&self) -> Option<Intent> {
        self.intent
    }

    /// Returns the weight of an edge that is taken along its direction, or against it.
    pub fn of(&self, relation: Relation, is_along: bool) -> f64 {
        let class = class(relation);
        base(class, is_along) * self.intent.map_or(1.0, |intent| factor(intent, class, is_along))
    }
}

fn class(relation: Relation) -> EdgeClass {
    match relation {
        Relation::Within(EdgeKind::Calls | EdgeKind::Handles | EdgeKind::Dispatch)
        | Relation::Use(EdgeKind::Calls | EdgeKind::Handles | EdgeKind::Dispatch) => EdgeClass::Call,
        Relation::Within(EdgeKind::Extends | EdgeKind::Implements)
        | Relation::Use(EdgeKind::Extends | EdgeKind::Implements) => EdgeClass::Base,
        Relation::Within(EdgeKind::References | EdgeKind::Unspecified)
        | Relation::Use(EdgeKind::References | EdgeKind::Unspecified) => EdgeClass::Reference,
        Relation::Within(EdgeKind::Imports) | Relation::Use(EdgeKind::Imports) => EdgeClass::Import,
        Relation::Within(EdgeKind::Tests) | Relation::Use(EdgeKind::Tests) => EdgeClass::Test,
        Relation::Within(EdgeKind::Documents) | Relation::Use(EdgeKind::Documents) => EdgeClass::Document,
        Relation::Within(EdgeKind::Defines) | Relation::Use(EdgeKind::Defines) => EdgeClass::Define,
        Relation::Across(ContractKind::Package, _) | Relation::Across(_, false) => EdgeClass::Package,
        Relation::Across(..) => EdgeClass::Link,
    }
}

/// Weights without an intent.
fn base(class: EdgeClass, is_along: bool) -> f64 {
    match (class, is_along) {
        // Its callees and its callers explain a definition best.
        (EdgeClass::Call | EdgeClass::Link, _) => 1.0,
        // A base explains what is inherited; one of many subtypes explains less.
        (EdgeClass::Base, true) => 0.9,
        (EdgeClass::Base, false) => 0.6,
        // A referenced type explains its values; a reference explains little about the type.
        (EdgeClass::Reference, true) => 0.6,
        (EdgeClass::Reference, false) => 0.5,
        // From a member, its container leads to all siblings.
        (EdgeClass::Define, true) => 0.6,
        (EdgeClass::Define, false) => 0.2,
        // A test leads to its subject; the subject has many other users.
        (EdgeClass::Test, true) => 0.7,
        (EdgeClass::Test, false) => 0.4,
        (EdgeClass::Document, _) => 0.4,
        // Files import far more than any one of their definitions needs.
        (EdgeClass::Import, _) => 0.2,
        (EdgeClass::Package, _) => 0.1,
    }
}

/// Returns the factor of an intent.
fn factor(intent: Intent, class: EdgeClass, is_along: bool) -> f64 {
    match (intent, class, is_along) {
        // A change breaks the users, and its author runs the tests.
        (Intent::Modify, EdgeClass::Call | EdgeClass::Link | EdgeClass::Reference | EdgeClass::Base, false) => 2.0,
        (Intent::Modify, EdgeClass::Test, false) => 2.5,
        // A reviewer needs users and tests, and reads the callees, too.
        (Intent::Review, EdgeClass::Call | EdgeClass::Link | EdgeClass::Reference, false) => 1.5,
        (Intent::Review, EdgeClass::Test, false) => 2.0,
        // A debugger follows the calls down.
        (Intent::Debug, EdgeClass::Call | EdgeClass::Link, true) => 2.0,
        (Intent::Debug, EdgeClass::Test, false) => 1.2,
        // A reader needs types, bases and documents.
        (Intent::Understand, EdgeClass::Base | EdgeClass::Reference, true) => 1.5,
        (Intent::Understand, EdgeClass::Document, _) => 2.5,
        // An author of new code needs siblings and bases.
        (Intent::Add, EdgeClass::Define, _) => 2.5,
        (Intent::Add, EdgeClass::Base, _) => 2.0,
        // A planner needs modules.
        (Intent::Plan, EdgeClass::Import | EdgeClass::Package, _) => 3.0,
        (Intent::Plan, EdgeClass::Document, _) => 1.5,
        _ => 1.0,
    }
}
