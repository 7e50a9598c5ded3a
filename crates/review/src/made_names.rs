//! Functions that provide names which no declaration has.

use model::Language;

/// Returns the names of the functions of a module or type that are called for a name which it lacks.
pub fn providers_of_missing_names(language: Language) -> &'static [&'static str] {
    match language {
        Language::Python => &["__getattr__", "__getattribute__"],
        Language::Ruby => &["method_missing", "const_missing"],
        Language::Php => &["__call", "__callStatic", "__get"],
        _ => &[],
    }
}
