//! Phrasings of questions about things that depend on one.

pub(super) const PHRASINGS: &[&str] = &[
    "[@show] who|what|which [else|all] [workspace|internal|local|external|own|downstream] [@things] [all|else|directly|currently] @depends on|upon {}",
    "who|what|which [@things] is|are [directly] dependent on {}",
    "[@show] [me] [all] [the] [reverse] dependents|dependants of|on {}",
    "what|who|which are|is [all] [the] [reverse] dependents|dependants of|on {}",
    "[@show] [me] [all] [the] reverse dependencies of|for {}",
];
