//! The fit of an argument whose parameter has another type now, as far as the names of types tell.

use model::Language;

use crate::nested_text::{bracketed, find_outside, split_outside};

/// Tells if arguments of one type fit a parameter of another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TypeFit {
    /// All do.
    Always,
    /// It depends on the argument, or on types that are declared elsewhere.
    Unknown,
    /// None does.
    Never,
}

/// A family of types. A value of one family is never of another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TypeFamily {
    Text,
    Bytes,
    Number,
    Truth,
    Array,
    Function,
    /// A list, dictionary, tuple or set of Python.
    Collection(&'static str),
    /// An object literal of TypeScript, or one of its standard classes.
    Structure,
    Exception,
    Path,
    Absent,
    /// A class of Java that is not in the list of its general types.
    Class,
    /// `Class` of Java, which is final.
    Reflection,
}

/// Types that take a value of any type.
const TOP_TYPES: [&str; 8] = ["object", "Any", "typing.Any", "t.Any", "any", "unknown", "Object", "interface{}"];

/// Types of Java that values of several families have.
const GENERAL_JAVA_TYPES: [&str; 8] =
    ["CharSequence", "Comparable", "Number", "Serializable", "Constable", "ConstantDesc", "Cloneable", "Iterable"];

/// Types of Java that `Class` implements, besides the general ones.
const REFLECTION_TYPES: [&str; 3] = ["Type", "AnnotatedElement", "GenericDeclaration"];

/// Returns the fit of the arguments that a parameter of type `from` took, for one of type `to`. Both are as written, without white space.
pub(crate) fn type_fit(language: Language, from: &str, to: &str) -> TypeFit {
    let (old, new) = (alternatives(language, from), alternatives(language, to));
    if from == to || old.iter().all(|one| new.contains(one)) || new.iter().any(|one| TOP_TYPES.contains(&one.as_str()))
    {
        return TypeFit::Always;
    }
    let is_shared = |one: &String| new.iter().any(|other| shares_reflection(one, other));
    if language == Language::Java && old.iter().any(is_shared) {
        return TypeFit::Unknown;
    }
    let families =
        |types: &[String]| types.iter().map(|one| family(language, one)).collect::<Option<Vec<TypeFamily>>>();
    match (families(&old), families(&new)) {
        (Some(old), Some(new)) if old.iter().all(|one| new.iter().all(|other| is_apart(language, *one, *other))) => {
            TypeFit::Never
        }
        _ => TypeFit::Unknown,
    }
}

fn is_apart(language: Language, from: TypeFamily, to: TypeFamily) -> bool {
    match (from, to) {
        // A truth value of Python is a number.
        (TypeFamily::Truth, TypeFamily::Number) | (TypeFamily::Number, TypeFamily::Truth) => {
            language != Language::Python
        }
        // A function of Java is a value of an interface.
        (TypeFamily::Function, TypeFamily::Class) | (TypeFamily::Class, TypeFamily::Function) => false,
        _ => from != to,
    }
}

/// Returns true for two types of Java of which one is `Class` and the other is a type that it implements.
fn shares_reflection(one: &str, other: &str) -> bool {
    let name = |text: &str| text.split('<').next().unwrap_or_default().to_owned();
    let is_pair = |one: &str, other: &str| name(one) == "Class" && REFLECTION_TYPES.contains(&name(other).as_str());
    is_pair(one, other) || is_pair(other, one)
}

/// Returns the alternatives of a union, with `None` for one that may be absent.
fn alternatives(language: Language, text: &str) -> Vec<String> {
    let text = text.trim_matches(['"', '\'']);
    match language {
        Language::Python => {
            let argument_of = |generic: &str| {
                let at = text.find(&format!("{generic}["))?;
                let is_name = text[..at].chars().all(|character| character.is_alphanumeric() || character == '.');
                let inside = text[at + generic.len() + 1..].strip_suffix(']').filter(|_| is_name)?;
                find_outside(inside, |character| character == ']').is_none().then_some(inside)
            };
            if let Some(inside) = argument_of("Optional") {
                return [alternatives(language, inside), vec!["None".to_owned()]].concat();
            }
            let inside = argument_of("Union").map(|inside| split_outside(inside, ','));
            let parts = inside.unwrap_or_else(|| split_outside(text, '|'));
            if let [one] = parts.as_slice() {
                return vec![(*one).to_owned()];
            }
            parts.into_iter().flat_map(|part| alternatives(language, part)).collect()
        }
        Language::TypeScript | Language::Tsx => typescript_alternatives(text),
        Language::Kotlin | Language::Swift => match text.strip_suffix('?') {
            Some(present) => vec![present.to_owned(), "None".to_owned()],
            None => vec![text.to_owned()],
        },
        _ => vec![text.to_owned()],
    }
}

/// Returns the alternatives of a union of TypeScript. The result of a function type may be a union.
fn typescript_alternatives(text: &str) -> Vec<String> {
    let parts = split_outside(text, '|');
    let first_function = parts.iter().position(|part| is_arrow(part)).unwrap_or(parts.len());
    let (values, function) = parts.split_at(first_function);
    let values = values.iter().map(|value| (*value).to_owned());
    values.chain((!function.is_empty()).then(|| function.join("|"))).collect()
}

/// Returns true for a type of TypeScript with an arrow outside of brackets.
fn is_arrow(text: &str) -> bool {
    find_outside(text, |character| character == '=').is_some_and(|at| text[at..].starts_with("=>"))
}

/// Returns true for a function type of TypeScript: a list of parameters with an arrow behind it.
fn is_function(text: &str) -> bool {
    let constructed = ["abstract new", "new"].iter().find_map(|start| text.strip_prefix(start)).unwrap_or(text);
    let bare = constructed.trim_start();
    let parameters = if bare.starts_with('<') { bracketed(bare).map(|(_, rest)| rest) } else { Some(bare) };
    let parameters = parameters.filter(|rest| rest.starts_with('(')).and_then(bracketed);
    parameters.is_some_and(|(_, rest)| rest.starts_with("=>"))
}

/// Returns true for a tuple type of TypeScript. `[A,B][number]` is the type of its members.
fn is_tuple(text: &str) -> bool {
    text.starts_with('[') && bracketed(text).is_some_and(|(_, rest)| rest.is_empty())
}

/// Returns the family of a type; `None` if its name does not tell.
fn family(language: Language, text: &str) -> Option<TypeFamily> {
    use Language::{Go, Java, Kotlin, Python, Rust, Swift, Tsx, TypeScript};
    if !matches!(language, Python | Java | Kotlin | Go | Rust | Swift | TypeScript | Tsx) {
        return None;
    }
    let text = text.trim_start_matches("&'static").trim_start_matches('&');
    match text {
        "str" | "String" | "string" => Some(TypeFamily::Text),
        "bytes" if language == Python => Some(TypeFamily::Bytes),
        "int" | "float" | "double" | "long" | "short" | "byte" | "char" | "number" | "usize" | "isize" | "Integer"
        | "Long" | "Short" | "Byte" | "Character" | "Double" | "Float" | "Int" | "f32" | "f64" | "float32"
        | "float64" => Some(TypeFamily::Number),
        "None" | "null" | "undefined" if language != Java => Some(TypeFamily::Absent),
        "bool" | "boolean" | "Boolean" | "Bool" => Some(TypeFamily::Truth),
        "Path" | "pathlib.Path" if language == Python => Some(TypeFamily::Path),
        "function" => Some(TypeFamily::Function),
        _ if language == Python && python_collection(text).is_some() => python_collection(text),
        _ if language == Go && text.starts_with("func(") => Some(TypeFamily::Function),
        _ if matches!(language, TypeScript | Tsx) => typescript_family(text),
        _ if is_sized_integer(text) && matches!(language, Go | Rust | Swift) => Some(TypeFamily::Number),
        _ if language == Python && is_exception(text) => Some(TypeFamily::Exception),
        _ if language == Java => java_family(text),
        _ => None,
    }
}

/// Returns the family of a callable or of a built-in collection of Python.
fn python_collection(text: &str) -> Option<TypeFamily> {
    let name = text.split('[').next().unwrap_or_default();
    let name =
        ["typing.", "t.", "collections.abc."].iter().find_map(|module| name.strip_prefix(module)).unwrap_or(name);
    match name {
        "Callable" => Some(TypeFamily::Function),
        "list" | "List" => Some(TypeFamily::Collection("list")),
        "dict" | "Dict" => Some(TypeFamily::Collection("dict")),
        "tuple" | "Tuple" => Some(TypeFamily::Collection("tuple")),
        "set" | "Set" => Some(TypeFamily::Collection("set")),
        _ => None,
    }
}

/// Returns the family of a function, an array or a standard class of TypeScript.
fn typescript_family(text: &str) -> Option<TypeFamily> {
    let name = text.split('<').next().unwrap_or_default();
    let is_conditional = text.contains('?') || text.contains("extends ") || text.contains("infer ");
    match name {
        _ if is_function(text) || text == "Function" => Some(TypeFamily::Function),
        _ if is_conditional || is_arrow(text) => None,
        "Array" | "ReadonlyArray" | "array literal" => Some(TypeFamily::Array),
        _ if text.ends_with("[]") || is_tuple(text) => Some(TypeFamily::Array),
        "Promise" | "Map" | "Set" | "WeakMap" | "WeakSet" | "Date" | "RegExp" | "object literal" => {
            Some(TypeFamily::Structure)
        }
        _ => None,
    }
}

fn is_sized_integer(text: &str) -> bool {
    let bits = text.trim_start_matches("uint").trim_start_matches("int").trim_start_matches(['u', 'i']);
    matches!(bits, "8" | "16" | "32" | "64" | "128")
}

fn is_exception(text: &str) -> bool {
    let is_name = text.chars().all(|character| character.is_alphanumeric() || matches!(character, '_' | '.'));
    is_name && (text.ends_with("Exception") || text.ends_with("Error"))
}

/// Java has no names for other types and no conversions but those of its primitives, so that a class is never text or a number.
fn java_family(text: &str) -> Option<TypeFamily> {
    if text.contains(['@', '.', '&', '?']) && !text.contains('<') {
        return None;
    }
    if text.ends_with("[]") {
        return Some(TypeFamily::Array);
    }
    let name = text.split('<').next().unwrap_or_default();
    let is_variable = !name.chars().any(char::is_lowercase);
    let is_general = is_variable || TOP_TYPES.contains(&name) || GENERAL_JAVA_TYPES.contains(&name);
    let family = if name == "Class" { TypeFamily::Reflection } else { TypeFamily::Class };
    (!is_general).then_some(family)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_fit_as_their_names_tell() {
        use Language::{Go, Java, Python, Rust, TypeScript};
        use TypeFit::{Always, Never, Unknown};
        for (language, from, to, expected) in [
            (Java, "int", "String", Never),
            (Java, "int", "long", Unknown),
            (Java, "Type", "String", Never),
            (Java, "String", "CharSequence", Unknown),
            (Java, "Class<?extends Date>", "DateType<T>", Never),
            (Java, "Class<?>", "Type", Unknown),
            (Java, "Type", "Class<?>", Unknown),
            (Java, "Class<?>", "Class<T>", Unknown),
            (Java, "Class<?>", "T", Unknown),
            (Java, "String", "T", Unknown),
            (Java, "Map<K,V>", "List<V>", Unknown),
            (Java, "String", "Object", Always),
            (Java, "byte[]", "String", Never),
            (Java, "@NotNullString", "int", Unknown),
            (Python, "str", "BaseException", Never),
            (Python, "str", "Union[str,Path]", Always),
            (Python, "Optional[str]", "str|None", Always),
            (Python, "str|None", "str", Unknown),
            (Python, "t.Optional[str]", "int|None", Unknown),
            (Python, "bytes", "str|None", Never),
            (Python, "str|None", "bytes|None", Unknown),
            (Python, "bool", "int", Unknown),
            (Python, "str", "Mode", Unknown),
            (Python, "\"str\"", "int", Never),
            (TypeScript, "string", "string|number", Always),
            (TypeScript, "string|number", "boolean", Never),
            (TypeScript, "function", "string", Never),
            (TypeScript, "function", "string|(()=>string)", Unknown),
            (TypeScript, "(a:A)=>string|number", "string", Never),
            (TypeScript, "string", "(a:A)=>number|string", Never),
            (TypeScript, "string|(()=>void)", "string", Unknown),
            (TypeScript, "function", "Handler", Unknown),
            (TypeScript, "function", "unknown", Always),
            (TypeScript, "Promise", "()=>any", Never),
            (TypeScript, "Promise", "T|Promise<T>", Unknown),
            (TypeScript, "Promise", "Thenable", Unknown),
            (TypeScript, "T|Promise<T>", "()=>any", Unknown),
            (TypeScript, "string", "T extends()=>infer R?R:T", Unknown),
            (TypeScript, "string", "T[]extends()=>infer R?R:T", Unknown),
            (TypeScript, "string", "<T extends A>(a:T)=>T", Never),
            (TypeScript, "string", "new(a:A)=>B", Never),
            (TypeScript, "string", "[A,B][number]", Unknown),
            (TypeScript, "string", "[A,B[]]", Never),
            (TypeScript, "array literal", "string", Never),
            (TypeScript, "array literal", "readonly string[]", Unknown),
            (TypeScript, "array literal", "[string,number]", Unknown),
            (TypeScript, "array literal", "T extends string?T:T[]", Unknown),
            (TypeScript, "object literal", "string[]", Never),
            (TypeScript, "object literal", "Options", Unknown),
            (TypeScript, "object literal", "object", Always),
            (Python, "function", "str", Never),
            (Python, "function", "t.Callable[[],str]|None", Unknown),
            (Python, "function", "Handler", Unknown),
            (Python, "list", "str", Never),
            (Python, "list", "tuple[str,...]", Never),
            (Python, "list", "t.List[str]", Unknown),
            (Python, "list", "Sequence[str]", Unknown),
            (Python, "tuple", "Size", Unknown),
            (Python, "None", "str", Never),
            (Python, "None", "str|None", Always),
            (Python, "int", "Callable[[],int]", Never),
            (Java, "function", "String", Never),
            (Java, "function", "Handler", Unknown),
            (Go, "function", "string", Never),
            (Go, "function", "func(int)error", Unknown),
            (Go, "function", "Handler", Unknown),
            (Go, "int", "any", Always),
            (Go, "uint64", "string", Never),
            (Rust, "&str", "u8", Never),
            (Rust, "u32", "Id", Unknown),
        ] {
            assert_eq!(type_fit(language, from, to), expected, "{from} {to}");
        }
    }
}
