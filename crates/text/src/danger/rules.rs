//! What else is looked for, by language: a word that makes it worth looking, a pattern, and a judgement of its surroundings.

use std::sync::LazyLock;

use model::Language;
use regex::Regex;

use super::{Danger, built::Stretch, view::View};

/// How one kind of line is found.
struct Rule {
    languages: &'static [Language],
    /// Without it there is nothing to find.
    trigger: &'static str,
    /// Of the code; its last group, or else the whole, is where it is.
    pattern: &'static str,
    danger: Danger,
    judge: fn(&Place<'_>) -> bool,
}

/// Where a pattern matches.
struct Place<'a> {
    view: &'a View<'a>,
    start: usize,
    end: usize,
}

impl Place<'_> {
    fn argument(&self, number: usize) -> Option<Stretch> {
        self.view.arguments(self.end).get(number).copied()
    }

    fn any_argument(&self, is: impl Fn(&str) -> bool) -> bool {
        self.view.arguments(self.end).iter().any(|argument| is(self.view.raw_of(*argument)))
    }

    /// The line up to here.
    fn before(&self) -> &str {
        let start = self.view.code[..self.start].rfind('\n').map_or(0, |at| at + 1);
        &self.view.code[start..self.start]
    }
}

const PYTHON: &[Language] = &[Language::Python];
const RUBY: &[Language] = &[Language::Ruby];
const PHP: &[Language] = &[Language::Php];
const SHELL: &[Language] = &[Language::Bash];
const GO: &[Language] = &[Language::Go];
const RUST: &[Language] = &[Language::Rust];
const C: &[Language] = &[Language::C, Language::Cpp];
const CSHARP: &[Language] = &[Language::CSharp];
const JVM: &[Language] = &[Language::Java, Language::Kotlin, Language::Scala];
const ECMASCRIPT: &[Language] = &[Language::JavaScript, Language::TypeScript, Language::Tsx];
const WITH_CURL: &[Language] = &[Language::C, Language::Cpp, Language::Php];

const fn rule(
    languages: &'static [Language],
    trigger: &'static str,
    pattern: &'static str,
    danger: Danger,
    judge: fn(&Place<'_>) -> bool,
) -> Rule {
    Rule { languages, trigger, pattern, danger, judge }
}

const RULES: &[Rule] = &[
    // Deserialisation.
    rule(
        PYTHON,
        "pickle",
        r"\b(?:c?[Pp]ickle|cloudpickle|dill)\.(?:loads?|Unpickler)\(",
        Danger::Deserialisation,
        always,
    ),
    rule(PYTHON, "marshal", r"\bmarshal\.loads?\(", Danger::Deserialisation, always),
    rule(PYTHON, "jsonpickle", r"\bjsonpickle\.decode\(", Danger::Deserialisation, always),
    rule(PYTHON, "yaml", r"\byaml\.(?:unsafe_load(?:_all)?|full_load)\(", Danger::Deserialisation, always),
    rule(PYTHON, "yaml", r"\byaml\.load(?:_all)?\(", Danger::Deserialisation, |place| {
        !place.any_argument(|argument| argument.contains("Safe") || argument.contains("Base"))
    }),
    rule(RUBY, "Marshal", r"\bMarshal\.(?:load|restore)\b", Danger::Deserialisation, always),
    rule(RUBY, "unsafe_load", r"\b(?:YAML|Psych)\.unsafe_load", Danger::Deserialisation, always),
    rule(RUBY, "load", r"\b(?:YAML|Psych)\.load\(", Danger::Deserialisation, |place| {
        let is_safe =
            |argument: &str| ["<<", "permitted_classes:"].iter().any(|start| argument.trim().starts_with(start));
        first_is_no_literal(place) && !place.any_argument(is_safe)
    }),
    rule(PHP, "unserialize", r"(?:^|[^\w>:$])(unserialize\()", Danger::Deserialisation, |place| {
        !place.before().trim_end().ends_with("function")
            && !place.any_argument(|argument| argument.contains("allowed_classes"))
    }),
    rule(
        JVM,
        "ObjectInputStream",
        r"\b(?:new\s+)?(?:java\.io\.)?ObjectInputStream\(",
        Danger::Deserialisation,
        is_made,
    ),
    rule(JVM, "XMLDecoder", r"\b(?:new\s+)?XMLDecoder\(", Danger::Deserialisation, is_made),
    rule(JVM, "DefaultTyping", r"\.(?:enableDefaultTyping|activateDefaultTyping)\(", Danger::Deserialisation, always),
    rule(
        CSHARP,
        "Formatter",
        r"\bnew\s+(?:BinaryFormatter|SoapFormatter|LosFormatter|NetDataContractSerializer)\b",
        Danger::Deserialisation,
        always,
    ),
    rule(
        CSHARP,
        "TypeNameHandling",
        r"\bTypeNameHandling\s*=\s*TypeNameHandling\.(?:All|Auto|Objects|Arrays)\b",
        Danger::Deserialisation,
        always,
    ),
    rule(ECMASCRIPT, "node-serialize", r"\.unserialize\(", Danger::Deserialisation, always),
    // Commands for a shell.
    rule(PYTHON, "os.", r"\bos\.(?:system|popen)\(", Danger::Shell, first_is_no_literal),
    rule(
        PYTHON,
        "shell",
        r"\bsubprocess\.(?:run|call|Popen|check_call|check_output|getoutput)\(",
        Danger::Shell,
        |place| {
            let uses_shell =
                place.any_argument(|argument| argument.split_whitespace().collect::<String>() == "shell=True");
            uses_shell && first_is_no_literal(place)
        },
    ),
    rule(
        ECMASCRIPT,
        "exec",
        r"\b(?:child_process|cp|childProcess)\.(?:exec|execSync)\(",
        Danger::Shell,
        first_is_built,
    ),
    rule(ECMASCRIPT, "execSync", r"(?:^|[^\w.$])(execSync\()", Danger::Shell, first_is_built),
    rule(ECMASCRIPT, "child_process", r"(?:^|[^\w.$])(exec\()", Danger::Shell, first_is_built),
    rule(RUBY, "system", r"(?:^|[^\w.:])(system\()", Danger::Shell, first_is_built),
    rule(RUBY, "exec", r"(?:^|[^\w.:])(exec\()", Danger::Shell, first_is_built),
    rule(PHP, "exec", r"(?:^|[^\w>:$])((?:shell_)?exec\()", Danger::Shell, is_built_unescaped),
    rule(PHP, "system", r"(?:^|[^\w>:$])(system\()", Danger::Shell, is_built_unescaped),
    rule(PHP, "passthru", r"(?:^|[^\w>:$])(passthru\()", Danger::Shell, is_built_unescaped),
    rule(PHP, "open", r"(?:^|[^\w>:$])((?:popen|proc_open)\()", Danger::Shell, is_built_unescaped),
    rule(GO, "exec.Command", r"\bexec\.Command(?:Context)?\(", Danger::Shell, |place| {
        let arguments = place.view.arguments(place.end);
        let raw: Vec<&str> = arguments.iter().map(|argument| place.view.raw_of(*argument).trim()).collect();
        let shell = raw.iter().position(|argument| is_name_of_shell(argument));
        let flag = shell.filter(|shell| raw.get(shell + 1).is_some_and(|flag| is_flag_of_command(flag)));
        flag.and_then(|shell| arguments.get(shell + 2)).is_some_and(|command| !place.view.is_literal(*command))
    }),
    rule(RUST, "Command::new", r"\bCommand::new\(", Danger::Shell, |place| {
        const N_BYTES: usize = 300;
        let shell = place.argument(0).is_some_and(|argument| is_name_of_shell(place.view.raw_of(argument).trim()));
        let end = place.view.floor(place.end + N_BYTES);
        let rest = &place.view.code[place.end..end];
        let mut calls = rest.match_indices(".arg(").map(|(at, call)| place.end + at + call.len());
        let Some(flag) = calls.next().filter(|_| shell) else { return false };
        let is_flag =
            place.view.arguments(flag).first().is_some_and(|flag| is_flag_of_command(place.view.raw_of(*flag).trim()));
        let command = calls.next().and_then(|at| place.view.arguments(at).first().copied());
        is_flag && command.is_some_and(|command| !place.view.is_literal(command))
    }),
    rule(JVM, "getRuntime", r"\bgetRuntime\(\)\.exec\(", Danger::Shell, first_is_built),
    rule(C, "system", r"(?:^|[^\w.>:])((?:std::)?system\()", Danger::Shell, is_call_of_c),
    rule(C, "popen", r"(?:^|[^\w.>:])(popen\()", Danger::Shell, is_call_of_c),
    rule(CSHARP, "Process.Start", r"\bProcess\.Start\(", Danger::Shell, |place| {
        let is_shell = place.argument(0).is_some_and(|argument| place.view.raw_of(argument).contains("cmd"));
        is_shell && place.argument(1).is_some_and(|argument| place.view.is_built(argument))
    }),
    rule(
        SHELL,
        "eval",
        r"(?:^|[;&|({`])[ \t]*(?:(?:if|then|do|else|while|!)[ \t]+)*(eval)[ \t]",
        Danger::Shell,
        is_evaluated_by_shell,
    ),
    // Queries that do not begin as such.
    rule(RUBY, "find_by_sql", r"\.find_by_sql\(", Danger::Sql, first_is_built),
    rule(RUBY, "where", r"(?:^|[^\w:])(where(?:\.not)?\()", Danger::Sql, compares_with_value),
    // Checks of certificates.
    rule(
        SHELL,
        "curl",
        r"\bcurl[ \t](?:(?:\\\n|[^;|&\n])*?[ \t])?(-[fgiIjJklLnNOqRsSvV046#]*k\w*|--insecure)(?:\s|$)",
        Danger::Tls,
        always,
    ),
    rule(
        SHELL,
        "--no-check-certificate",
        r"\bwget[ \t](?:(?:\\\n|[^;|&\n])*?[ \t])?(--no-check-certificate)\b",
        Danger::Tls,
        always,
    ),
    rule(PYTHON, "verify", r"[(,]\s*(verify\s*=\s*False)\b", Danger::Tls, |place| {
        let speaks_http = ["requests", "httpx", "aiohttp", "urllib3"].iter().any(|name| place.view.code.contains(name));
        speaks_http && !place.before().trim_start().starts_with("def ")
    }),
    rule(PYTHON, "verify", r"(?m)\b(?:session|client|s)\.(verify\s*=\s*False)\s*$", Danger::Tls, always),
    rule(PYTHON, "_create_unverified_context", r"\bssl\._create_unverified_context\b", Danger::Tls, always),
    rule(PYTHON, "check_hostname", r"\.(check_hostname\s*=\s*False)\b", Danger::Tls, always),
    rule(PYTHON, "CERT_NONE", r"\b(?:verify_mode|cert_reqs)\s*=\s*(?:ssl\.)?(CERT_NONE)\b", Danger::Tls, always),
    rule(GO, "InsecureSkipVerify", r"\bInsecureSkipVerify\s*[:=]\s*(true)\b", Danger::Tls, always),
    rule(ECMASCRIPT, "rejectUnauthorized", r"\brejectUnauthorized\s*[:=]\s*(false)\b", Danger::Tls, always),
    rule(
        ECMASCRIPT,
        "NODE_TLS_REJECT_UNAUTHORIZED",
        r#"\bprocess\.env(?:\.\w+|\[["'][^\]]*["']\])\s*=\s*"#,
        Danger::Tls,
        |place| {
            let is_it = place.view.raw[place.start..place.end].contains("NODE_TLS_REJECT_UNAUTHORIZED");
            is_it && place.view.raw[place.end..].trim_start_matches(['"', '\'']).starts_with('0')
        },
    ),
    rule(RUST, "danger_accept_invalid", r"\.danger_accept_invalid_(?:certs|hostnames)\((true)\)", Danger::Tls, always),
    rule(RUST, "SslVerifyMode", r"\.set_verify\(\s*(?:\w+::)*SslVerifyMode::(NONE)\b", Danger::Tls, always),
    rule(
        WITH_CURL,
        "CURLOPT_SSL_VERIFY",
        r"\bCURLOPT_SSL_VERIFY(?:PEER|HOST)\s*(?:,|=>)\s*(?:0L?|false|FALSE)\b",
        Danger::Tls,
        always,
    ),
    rule(C, "SSL_VERIFY_NONE", r"\bSSL(?:_CTX)?_set_verify\([^;]*\b(SSL_VERIFY_NONE)\b", Danger::Tls, always),
    rule(RUBY, "VERIFY_NONE", r"\bverify_mode\s*[=:]\s*(?:\w+::)*(VERIFY_NONE)\b", Danger::Tls, always),
    rule(JVM, "Verifier", r"\b(?:NoopHostnameVerifier\.INSTANCE|ALLOW_ALL_HOSTNAME_VERIFIER)\b", Danger::Tls, always),
    rule(
        JVM,
        "ostnameVerifier",
        r"\b(?:setHostnameVerifier|hostnameVerifier|setDefaultHostnameVerifier)\(\s*\(?\s*\w+\s*,\s*\w+\s*\)?\s*->\s*(true)\b",
        Danger::Tls,
        always,
    ),
    rule(CSHARP, "DangerousAcceptAny", r"\bDangerousAcceptAnyServerCertificateValidator\b", Danger::Tls, always),
    rule(
        CSHARP,
        "ValidationCallback",
        r"ValidationCallback\s*\+?=\s*(?:delegate\s*\{\s*return\s+(true)|\([^)]*\)\s*=>\s*true\b)",
        Danger::Tls,
        always,
    ),
    // Code made from data.
    rule(PYTHON, "eval", r"(?:^|[^\w.])(eval\()", Danger::Eval, is_evaluated),
    rule(PYTHON, "exec", r"(?:^|[^\w.])(exec\()", Danger::Eval, is_evaluated),
    rule(ECMASCRIPT, "eval", r"(?:^|[^\w.$])(eval\()", Danger::Eval, is_evaluated),
    rule(ECMASCRIPT, "Function", r"\bnew\s+Function\(", Danger::Eval, |place| {
        place.view.arguments(place.end).last().is_some_and(|body| !place.view.is_literal(*body))
    }),
    rule(PHP, "eval", r"(?:^|[^\w>:$])(eval\()", Danger::Eval, is_evaluated),
    rule(RUBY, "eval", r"(?:^|[^\w.])(eval\()", Danger::Eval, is_evaluated),
    rule(JVM, "ScriptEngine", r"\w\.eval\(", Danger::Eval, first_is_no_literal),
];

static PATTERNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let compile = |rule: &Rule| Regex::new(&format!("(?m){}", rule.pattern)).expect("the pattern is valid");
    RULES.iter().map(compile).collect()
});

/// Returns where something is found.
pub(super) fn found_in(view: &View<'_>) -> Vec<(usize, Danger)> {
    let mut found = Vec::new();
    for (rule, pattern) in RULES.iter().zip(PATTERNS.iter()) {
        if !rule.languages.contains(&view.language) || !view.raw.contains(rule.trigger) {
            continue;
        }
        for captures in pattern.captures_iter(&view.code) {
            let place = captures.iter().flatten().last().expect("a match has a place");
            let whole = captures.get(0).expect("a match is whole");
            if (rule.judge)(&Place { view, start: place.start(), end: whole.end() }) {
                found.push((place.start(), rule.danger));
            }
        }
    }
    found
}

fn always(_: &Place<'_>) -> bool {
    true
}

fn first_is_no_literal(place: &Place<'_>) -> bool {
    place.argument(0).is_some_and(|argument| !place.view.is_literal(argument))
}

fn first_is_built(place: &Place<'_>) -> bool {
    place.argument(0).is_some_and(|argument| place.view.is_built(argument))
}

/// Takes what is neither written there nor passed through the function that quotes for shells.
fn is_built_unescaped(place: &Place<'_>) -> bool {
    let is_quoted = place.any_argument(|argument| argument.contains("escapeshell"));
    let is_defined = place.before().trim_end().ends_with("function");
    !is_quoted && !is_defined && first_is_built(place)
}

/// Tells calls from definitions, and what is made from what is named in a type.
fn is_made(place: &Place<'_>) -> bool {
    let before = place.before();
    let is_class = before.contains("class ") || before.contains("extends ") || before.contains("public ");
    !is_class && place.argument(0).is_some()
}

/// Takes calls whose command is no text as it is written, and leaves declarations.
fn is_call_of_c(place: &Place<'_>) -> bool {
    let before = place.before().trim();
    let is_declared = before.ends_with(|c: char| c.is_alphanumeric() || c == '*') && !before.ends_with("return");
    let is_typed = place.argument(0).is_some_and(|argument| place.view.code_of(argument).contains("const "));
    !is_declared && !is_typed && first_is_no_literal(place)
}

/// Takes what is run as code and not written there. What looks a name up in a fixed table is no code of others.
fn is_evaluated(place: &Place<'_>) -> bool {
    let before = place.before().trim_end();
    let is_defined = ["def", "function", "fn", "async"].iter().any(|word| before.ends_with(word));
    !is_defined && first_is_no_literal(place)
}

/// Takes what a shell evaluates with values in it. What a program prints to be evaluated is its own, and `set --` takes
/// words that are quoted.
fn is_evaluated_by_shell(place: &Place<'_>) -> bool {
    static VALUE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?:^|[^\\])\$[\w{@*]").expect("the pattern is valid"));
    let rest = place.view.raw.get(place.end..).unwrap_or_default();
    let command = rest.lines().next().unwrap_or_default().trim_start();
    let bare = command.trim_start_matches('"');
    let is_no_text = ["$(", "`", "'", "set --"].iter().any(|start| bare.starts_with(start));
    !is_no_text && VALUE.is_match(bare)
}

/// Takes conditions that a value is put into where a parameter could be: a table or a column cannot be one.
fn compares_with_value(place: &Place<'_>) -> bool {
    static COMPARED: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r#"(?i)(?:[=<>]|\blike)\s*['"%(]*#\{"#).expect("the pattern is valid"));
    first_is_built(place) && place.argument(0).is_some_and(|argument| COMPARED.is_match(place.view.raw_of(argument)))
}

fn is_name_of_shell(argument: &str) -> bool {
    let name = argument.trim_matches(['"', '\'', '`']);
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    argument.starts_with(['"', '\'', '`'])
        && matches!(name, "sh" | "bash" | "zsh" | "dash" | "cmd" | "cmd.exe" | "powershell")
}

fn is_flag_of_command(argument: &str) -> bool {
    matches!(argument.trim_matches(['"', '\'', '`']), "-c" | "-lc" | "-ec" | "/C" | "/c" | "-Command")
}
