//! Phrasings of questions about settings and their values.

pub(super) const PHRASINGS: &[&str] = &[
    "what|which [environment|env|configuration|config] @setting turns|turn|enables|enable|controls|control|sets|switches|disables|disable|determines|configures|affects [on|off] {}",
    "what|which [environment|env|configuration|config] @setting makes|make|lets|let|causes|cause|tells|tell|allows|allow|forces|force {}",
    "what|which [environment|env|configuration|config] @setting [@setting] does|do|must|can {} @read",
    "what|which [environment|env|configuration|config] @setting [@setting] are|is|get read|used|needed by|in|for {}",
    "what is|are|was [the] default|defaults|initial|standard [value|values|size] of|for|in {}",
    "what is|are|was [the] default|initial|standard {}",
    "what is|are|was {} default|defaults [value|values]",
    "what|which [environment|env|configuration|config] @setting [@setting] does|do {} look|looks|depend|depends|react|reacts|check|checks [at|on|to|for] for|by|at|in|during {}",
    "what|which [environment|env|configuration|config] @setting [@setting] does|do {} look|looks|depend|depends|react|reacts|check|checks [at|on|to|for]",
    "what default|defaults [value] does|do {} have|has|use|take",
    "what value|values does|do|has {} have|has|take|hold",
    "what|which [default] value does|do|will|would {} have|take|get|use if|unless i|we|you|one|nobody|nothing ~",
    "what is|are [the] [max|maximum|min|minimum|upper|lower] value|limit|timeout|size|maximum|minimum|length|number|port|threshold of|for {}",
    "what does|do {} default to",
    "what is|are {} set|configured to",
    "how big|large|long|high|low is|are [the] [default|maximum|max|minimum] {}",
    "default|defaults [value|values] of|for {}",
    "{} default [value]",
    "where is|are|was|does|do [the] [value|default|defaults|variable] [of] {} [get] @set",
    "where do|does|can|should @we @configure {}",
    "how do|does|can|could|should @we @configure [on|off] {}",
    "how to @configure [on|off] {}",
    "how is|are {} @set",
    "who|what sets|configures|overrides|controls {}",
    "what does|do [the] environment|env|config|configuration|setting|option|flag|variable [variable] {} do|control|mean|change",
    "@show [me] [all] [the] [environment|env|config|configuration] @setting of|for|in {}",
    "environment|env|config|configuration variables|keys|vars|settings|options of|for|in|read|used [by] {}",
    "settings|options|configuration of|for {}",
    "is|are {} configurable|adjustable",
    "can {} be configured|disabled|enabled|changed",
    "{} settings|configuration",
];

/// Quantities that a question describes: after the other intents, which ask for numbers, too.
pub(super) const QUANTITIES: &[&str] = &[
    "how long|often|frequently do|does|is|are|will|can|may|should {} that|which|before|until|after|when|while|if ~",
    "how long|often|frequently do|does|is|are|will|can|may|should {}",
    "how many|much {} do|does|is|are|will|can|may {} that|which|before|until|after|when|while|if ~",
    "how many|much {} do|does|is|are|will|can|may {}",
];
