//! Phrasings of questions about the place of a thing.

pub(super) const PHRASINGS: &[&str] = &[
    "where is|are|was [the] @definition|code|file|class|function [of|for] {}",
    "where is|are|was|were {} [actually] @defined",
    "where {} is|are|was @defined",
    "where does|do {} live|reside|sit",
    "where {} lives|live|resides|sits",
    "where can|do|does @we find|see|read [the] [@definition] [of|for] {}",
    "where do|does|can @we define|declare|implement|keep|have {}",
    "in which|what @place is|are|was {} @defined",
    "which|what @place @defines {}",
    "which|what @place is|are {} [@defined] in",
    "[@show|locate] [me] [the] @definition of|for {}",
    "@show [me] [the] @place|place that @defines {}",
    "find|locate {}",
    "who|what defines|declares {}",
    "{} definition|implementation|location",
];
