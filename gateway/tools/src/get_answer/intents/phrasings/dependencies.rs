//! Phrasings of questions about things that one depends on.

pub(super) const PHRASINGS: &[&str] = &[
    "what|which [@things] does|do|is|are [the] {} extra|feature install|installs|add|adds|pull|pulls|need|needs|require|requires|bring|brings|enable|enables|include|includes [in]",
    "what|which [@things] does|do|is|are [the] extra|feature {} install|installs|add|adds|pull|pulls|need|needs|require|requires|bring|brings|enable|enables|include|includes [in]",
    "what|which [@things] does|do|will|would|can @we [additionally|also|further] get|gain|install|have [additionally] \
     with|from|by|through [the] {} extra|feature",
    "what|which [optional|cargo|manifest] extras does|do {} have|has|offer|offers|define|defines|declare|declares",
    "what|which optional|cargo|manifest features does|do {} have|has|offer|offers|define|defines|declare|declares",
    "what|which version|versions [number] of {} does|do|is|are|has {} use|uses|pinned|pin|require|requires|need|needs|depend|depends|locked|fixed|run|get [on|to|at|with]",
    "what|which version|versions [number] of {} is|are used|required|pinned|needed|installed in|by|for {}",
    "what|which [other|external|third-party|internal] [@things|topics|databases|tables|database] does|do|did {} [directly|actually|also] @need [on|upon|to|from|with] [at|for|during|in] [run|runtime|build|development|production] [time]",
    "on|upon what|which [@things] does|do|is|are {} @depends|dependent|built",
    "what is|are {} dependent|based|built on|upon",
    "what is|are [all] [the] [direct|external|internal|runtime] @dependencies of|for|in {}",
    "what|which [@things] is|are used|called|required|imported|needed|invoked by {}",
    "what|which @dependencies does|do|has {} have|has|need|use|declare",
    "[@show] [me] [all] [the] [direct|external|internal|runtime] @dependencies of|for {}",
    "how many @dependencies does|do|has {} have|has",
    "what {} depends|depend on",
    "{} dependencies|deps|requirements|callees",
];
