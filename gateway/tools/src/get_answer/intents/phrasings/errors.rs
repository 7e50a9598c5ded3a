//! Phrasings of questions about errors: causes and messages.

pub(super) const PHRASINGS: &[&str] = &[
    "what|who|which [@things] [can|could|may|might|would|will] [actually] @raise|return|returns [a|an|the] @error {}",
    "what|who|which [@things] [can|could|may|might|would|will] [actually] @raise|return|returns {}",
    "what|which [kind|kinds] [of] @error can|could|may|might|does|do|will|would {} raise|throw|return|produce|cause|give",
    "what|which [kind|kinds] [of] @error are|is|get|gets raised|thrown|returned by|from|in {}",
    "what can go wrong in|with|inside {}",
    "what can|does|could|may {} raise|throw",
    "how can|could|does|do|may {} fail|panic",
    "when|where|why|how is|are|was|were [the|a|an] [@error] {} @raised|returned [from]",
    "when|where|why|how do|does|did|would|will|could|can @we|it|they|the [code] raise|throw|return [a|an|the] [@error] {}",
    "when|where|why|how do|does|did|would|will|could|can {} raise|throw [a|an|the] [@error] {}",
    "when|where|why|how do|does|did|would|will|could|can {} return|returns|give|gives|yield|report|reports [a|an|the] [@error] {}",
    "what|which makes|make|lets|let|causes|cause {} [to] raise|throw [a|an|the] [@error] {}",
    "what|which makes|make|lets|let|causes|cause {} [to] raise|throw|fail|panic|crash|error|abort",
    "what|which [@things] can|could|may|might|will|would make|cause {} [to] raise|throw|fail|panic|crash|error|abort",
    "when|why|where|how do|did|would|am|are @we getting|get|see|got|seeing|receive|hit [a|an|the|this] [@error|message] {}",
    "when|why|where does|do|did|would|can {} panic|panics|fail|fails|crash|crashes|complain with|because|saying|about [the] [@error|message] {}",
    "what does [the] error|exception|message {} mean",
    "what is|are [the] cause|reason of|for|behind [the] [@error] {}",
    "where does [the] error|exception|message {} come|originate [from]",
    "what leads|led to [a|an|the] {}",
    "@show [me] [all|every] [the|@things] [@things] that|which raise|raises|throw|throws [a|an|the] {}",
    "reason|reasons|cause|causes of|for [the] error|exception {}",
    "who|what catches|handles [the] [@error] {}",
    "{} raised|thrown by|where|when|from [what|whom|where]",
];

/// Questions for the code that catches an error: after the other intents, which share the verb `handle`.
pub(super) const HANDLERS: &[&str] = &[
    "where|how|when is|are|was|were [the|a|an] [@error] {} [being] @caught [by|in] [the] [code]",
    "where|how|when is|are|was|were [the|a|an] [@error] {} [being] dealt with [by|in] [the] [code]",
    "where|how|when do|does|can|could @we|it|they|the [code] @catch [the|a|an] [@error] {}",
    "what|who|which [@things] [can|could] @catch [the|a|an] [@error] {}",
    "@show [me] [all] [the] handlers of|for [the] [@error] {}",
];
