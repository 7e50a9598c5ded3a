//! Phrasings of questions about links between two things.

/// Paths from one thing to another: before questions for an error that people get.
pub(super) const PATHS: &[&str] = &["how do|does|can|could @we get|go|come from {} to {}"];

pub(super) const PHRASINGS: &[&str] = &[
    "which|what parts|part|areas|modules|packages|components|folders|files|apps|programs of|in {} [directly|actually] @call|depend|depends|rely|relies [on|upon] {}",
    "how does|do|did|can|would {} @talk to|with {}",
    "how does|do|can|could|would|did [a|the] {} reach|reaches|call|calls|invoke|contact|access|query|use {}",
    "how does|do|can|could|would {} end up|lead|get in|to|at {}",
    "how can {} lead to {}",
    "how do|does|can|could {} get|gets|go|goes|come|comes from {} to {}",
    "how does|do {} tell|notify|inform|signal|alert {} about|of|that|when|if|to ~",
    "how does|do {} get to {}",
    "how does|do {} get [its|the] [data|products|orders|items|prices|values] from {}",
    "how is|are {} @linked [up] to|with|into {}",
    "how is|are {} called|reached|used|invoked|contacted|triggered|consumed from|by|in {}",
    "how do|does {} and {} @talk|work|fit [to|with|together] [each] [other]",
    "how are|is {} and {} @linked",
    "how does|do {} depend|rely on {}",
    "what is|are|was [the] [direct|exact] [call] @link between|from|of {} and|to {}",
    "what does|do {} have to do with {}",
    "how does|do|is|are {} and {} relate|related|interact|play [to|with|together] [each] [other]",
    "what connects|links|joins|relates {} and|to|with {}",
    "what goes|flows|happens|passes between {} and {}",
    "is|are there [a|any] [direct|known] @link between|from {} and|to {}",
    "is|are {} [directly] @linked to|with {}",
    "is|are {} used|called|reached|invoked|consumed [directly] by|from|in {}",
    "are {} and {} @linked",
    "do {} and {} @talk [to|with] [each] [other]",
    "does|do|can {} [ever|directly|really|actually] use|call|depend|talk|reach|import|need|know|access|invoke|consume|rely|speak [on|to|about|with] {}",
    "[@show] [me] [the] [shortest] [call] path|chain|link|connection from|between {} to|and {}",
    "which|what protocol does|do {} use to {}",
    "which|what calls|rpcs|requests does|do {} make|call|use|send to|of|from {}",
    "through|over|via what|which protocol|interface|api does|do {} talk|reach|call|use|speak [to] {}",
];
