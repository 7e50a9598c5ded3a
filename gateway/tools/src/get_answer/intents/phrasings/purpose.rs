//! Phrasings of questions about the purpose of a thing.

pub(super) const PHRASINGS: &[&str] = &[
    "what is|are [the] purpose|goal|aim|point|role|job|responsibility|idea|intent of|behind {}",
    "what is|are|was {} [meant|intended|used|good|there] about|for",
    "what {} [meant|intended|used|good] about|for",
    "what does|do|did|can|will {} do|mean|achieve|provide|represent|offer",
    "what {} does|do",
    "what {} is|are [for|about]",
    "what kind|sort|type of project|library|service|thing|repository|repo|tool|package is {}",
    "why would|should|do|does|might @we use|need|have|want {}",
    "why does|do {} exist",
    "why is|are {} there|needed",
    "give|show [me] [a|an|the] [short|brief|quick] [high-level] summary|overview|description|introduction|explanation of|to|about {}",
    "explain|describe|summarise|summarize [to] [me] [the] purpose|role of {}",
    "explain|describe|tell|show [to] [me] what|why|how {} is|are|does|works|work [there|good|used|needed|meant|intended] [for]",
    "explain|describe|summarise|summarize|introduce [to] [me] [what] {} [is|does]",
    "how does|do {} work|function|operate [internally]",
    "tell me about {}",
    "about {}",
    "overview|purpose|summary|description of {}",
    "{} purpose|overview|summary",
    "what is|are {}",
];
