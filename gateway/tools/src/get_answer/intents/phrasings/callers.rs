//! Phrasings of questions about users of a thing.

/// Questions for any user at all: before those about links, which have two subjects.
pub(super) const OPEN: &[&str] = &[
    "does|do anyone|anything|anybody|something|someone [still|actually|ever] @call|need {}",
    "does|do any code [still|actually|ever] @call|need {}",
    "is|are {} [still|ever|even|actually] used|called|referenced|needed|dead|unused|invoked [by] [anything|anyone|anybody]",
];

pub(super) const PHRASINGS: &[&str] = &[
    "who|what|which [else] [@things] [all|else|directly|actually|currently|still] @call {}",
    "who|what|which [@things] is|are @calling {}",
    "by whom|what is|are {} @called",
    "[from] where [else] is|are {} @called [from|by|in]",
    "[from] where [else] is|are {} @called in|by {}",
    "from what|which @things is|are {} @called",
    "where do|does|did @we|the [actually] [code] call|use|invoke|import|instantiate|construct|reference|create {}",
    "[@show] [me] [all] [of] [the] [known] @callers of|to|for {}",
    "[@show] [me] [all] [the] call sites of|for {}",
    "what|who|which|where are|is [all] [the] @callers of|to|for {}",
    "@show [me] all|every|everything [@things] that|which|where @call {}",
    "@show [me] everything that @call {}",
    "how many @callers does|do|has|have {} have|has",
    "how many @things @call {}",
    "{} callers|usages|usage|users",
];
