//! The specification of a mask rule, and the words that name secrets.

/// Decides by its value whether a match is a secret.
pub(super) type ValuePredicate = fn(&str) -> bool;

/// The trigger, the pattern and the predicate of a rule. The trigger is cheap to search for; the pattern captures the value.
pub(super) type RuleSpec = (String, String, ValuePredicate);

/// Words in names of secrets.
pub(super) const SECRET_WORD: &str = "(?i-u:pass(?:word|wd|phrase|code)|pwd|secret|token|credential\
    |(?:api|access|private|auth|signing|encryption|account|master|jwt|session|cookie|crypto|aes|hmac|fernet|tls|ssl|ssh\
    |deploy|vault|root|admin|license|shared)[_.-]?key)";
