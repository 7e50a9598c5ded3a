//! The rules by language: a trigger word, a pattern, and a predicate on the context of a match.

use std::sync::LazyLock;

use model::Language;
use regex::Regex;

use super::{RiskKind, code_view::CodeView, expressions::CodeSpan};

/// A rule that finds one kind of risk.
struct RiskRule {
    languages: &'static [Language],
    /// A word without which the pattern cannot match.
    trigger: &'static str,
    /// Matched against the code without comments. The last group, or else the whole match, is the position.
    pattern: &'static str,
    kind: RiskKind,
    predicate: fn(&RuleMatch<'_>) -> bool,
}

/// One match of a pattern.
struct RuleMatch<'a> {
    view: &'a CodeView<'a>,
    start: usize,
    end: usize,
}

impl RuleMatch<'_> {
    fn argument(&self, number: usize) -> Option<CodeSpan> {
        self.view.arguments(self.end).get(number).copied()
    }

    fn any_argument(&self, is: impl Fn(&str) -> bool) -> bool {
        self.view.arguments(self.end).iter().any(|argument| is(self.view.raw_of(*argument)))
    }

    /// Returns the line up to the match.
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
    kind: RiskKind,
    predicate: fn(&RuleMatch<'_>) -> bool,
) -> RiskRule {
    RiskRule { languages, trigger, pattern, kind, predicate }
}

const RULES: &[RiskRule] = &[
    // Deserialisation.
    rule(
        PYTHON,
        "pickle",
        r"\b(?:c?[Pp]ickle|cloudpickle|dill)\.(?:loads?|Unpickler)\(",
        RiskKind::Deserialisation,
        any_match,
    ),
    rule(PYTHON, "marshal", r"\bmarshal\.loads?\(", RiskKind::Deserialisation, any_match),
    rule(PYTHON, "jsonpickle", r"\bjsonpickle\.decode\(", RiskKind::Deserialisation, any_match),
    rule(PYTHON, "yaml", r"\byaml\.(?:unsafe_load(?:_all)?|full_load)\(", RiskKind::Deserialisation, any_match),
    rule(PYTHON, "yaml", r"\byaml\.load(?:_all)?\(", RiskKind::Deserialisation, |matched| {
        !matched.any_argument(|argument| argument.contains("Safe") || argument.contains("Base"))
    }),
    rule(RUBY, "Marshal", r"\bMarshal\.(?:load|restore)\b", RiskKind::Deserialisation, any_match),
    rule(RUBY, "unsafe_load", r"\b(?:YAML|Psych)\.unsafe_load", RiskKind::Deserialisation, any_match),
    rule(RUBY, "load", r"\b(?:YAML|Psych)\.load\(", RiskKind::Deserialisation, |matched| {
        let is_safe =
            |argument: &str| ["<<", "permitted_classes:"].iter().any(|start| argument.trim().starts_with(start));
        is_first_not_literal(matched) && !matched.any_argument(is_safe)
    }),
    rule(PHP, "unserialize", r"(?:^|[^\w>:$])(unserialize\()", RiskKind::Deserialisation, |matched| {
        !matched.before().trim_end().ends_with("function")
            && !matched.any_argument(|argument| argument.contains("allowed_classes"))
    }),
    rule(
        JVM,
        "ObjectInputStream",
        r"\b(?:new\s+)?(?:java\.io\.)?ObjectInputStream\(",
        RiskKind::Deserialisation,
        is_constructed,
    ),
    rule(JVM, "XMLDecoder", r"\b(?:new\s+)?XMLDecoder\(", RiskKind::Deserialisation, is_constructed),
    rule(
        JVM,
        "DefaultTyping",
        r"\.(?:enableDefaultTyping|activateDefaultTyping)\(",
        RiskKind::Deserialisation,
        any_match,
    ),
    rule(
        CSHARP,
        "Formatter",
        r"\bnew\s+(?:BinaryFormatter|SoapFormatter|LosFormatter|NetDataContractSerializer)\b",
        RiskKind::Deserialisation,
        any_match,
    ),
    rule(
        CSHARP,
        "TypeNameHandling",
        r"\bTypeNameHandling\s*=\s*TypeNameHandling\.(?:All|Auto|Objects|Arrays)\b",
        RiskKind::Deserialisation,
        any_match,
    ),
    rule(ECMASCRIPT, "node-serialize", r"\.unserialize\(", RiskKind::Deserialisation, any_match),
    // Shell commands.
    rule(PYTHON, "os.", r"\bos\.(?:system|popen)\(", RiskKind::Shell, is_first_not_literal),
    rule(
        PYTHON,
        "shell",
        r"\bsubprocess\.(?:run|call|Popen|check_call|check_output|getoutput)\(",
        RiskKind::Shell,
        |matched| {
            let uses_shell =
                matched.any_argument(|argument| argument.split_whitespace().collect::<String>() == "shell=True");
            uses_shell && is_first_not_literal(matched)
        },
    ),
    rule(
        ECMASCRIPT,
        "exec",
        r"\b(?:child_process|cp|childProcess)\.(?:exec|execSync)\(",
        RiskKind::Shell,
        is_first_built_from_values,
    ),
    rule(ECMASCRIPT, "execSync", r"(?:^|[^\w.$])(execSync\()", RiskKind::Shell, is_first_built_from_values),
    rule(ECMASCRIPT, "child_process", r"(?:^|[^\w.$])(exec\()", RiskKind::Shell, is_first_built_from_values),
    rule(RUBY, "system", r"(?:^|[^\w.:])(system\()", RiskKind::Shell, is_first_built_from_values),
    rule(RUBY, "exec", r"(?:^|[^\w.:])(exec\()", RiskKind::Shell, is_first_built_from_values),
    rule(PHP, "exec", r"(?:^|[^\w>:$])((?:shell_)?exec\()", RiskKind::Shell, is_built_without_escaping),
    rule(PHP, "system", r"(?:^|[^\w>:$])(system\()", RiskKind::Shell, is_built_without_escaping),
    rule(PHP, "passthru", r"(?:^|[^\w>:$])(passthru\()", RiskKind::Shell, is_built_without_escaping),
    rule(PHP, "open", r"(?:^|[^\w>:$])((?:popen|proc_open)\()", RiskKind::Shell, is_built_without_escaping),
    rule(GO, "exec.Command", r"\bexec\.Command(?:Context)?\(", RiskKind::Shell, |matched| {
        let arguments = matched.view.arguments(matched.end);
        let raw: Vec<&str> = arguments.iter().map(|argument| matched.view.raw_of(*argument).trim()).collect();
        let shell = raw.iter().position(|argument| is_shell_name(argument));
        let flag = shell.filter(|shell| raw.get(shell + 1).is_some_and(|flag| is_command_flag(flag)));
        flag.and_then(|shell| arguments.get(shell + 2)).is_some_and(|command| !matched.view.is_literal(*command))
    }),
    rule(RUST, "Command::new", r"\bCommand::new\(", RiskKind::Shell, |matched| {
        const N_BYTES: usize = 300;
        let shell = matched.argument(0).is_some_and(|argument| is_shell_name(matched.view.raw_of(argument).trim()));
        let end = matched.view.floor(matched.end + N_BYTES);
        let rest = &matched.view.code[matched.end..end];
        let mut calls = rest.match_indices(".arg(").map(|(at, call)| matched.end + at + call.len());
        let Some(flag) = calls.next().filter(|_| shell) else { return false };
        let is_flag =
            matched.view.arguments(flag).first().is_some_and(|flag| is_command_flag(matched.view.raw_of(*flag).trim()));
        let command = calls.next().and_then(|at| matched.view.arguments(at).first().copied());
        is_flag && command.is_some_and(|command| !matched.view.is_literal(command))
    }),
    rule(JVM, "getRuntime", r"\bgetRuntime\(\)\.exec\(", RiskKind::Shell, is_first_built_from_values),
    rule(C, "system", r"(?:^|[^\w.>:])((?:std::)?system\()", RiskKind::Shell, is_c_call_with_value),
    rule(C, "popen", r"(?:^|[^\w.>:])(popen\()", RiskKind::Shell, is_c_call_with_value),
    rule(CSHARP, "Process.Start", r"\bProcess\.Start\(", RiskKind::Shell, |matched| {
        let is_shell = matched.argument(0).is_some_and(|argument| matched.view.raw_of(argument).contains("cmd"));
        is_shell && matched.argument(1).is_some_and(|argument| matched.view.is_built_from_values(argument))
    }),
    rule(
        SHELL,
        "eval",
        r"(?:^|[;&|({`])[ \t]*(?:(?:if|then|do|else|while|!)[ \t]+)*(eval)[ \t]",
        RiskKind::Shell,
        shell_evaluates_data,
    ),
    // Queries that do not start with an SQL keyword.
    rule(RUBY, "find_by_sql", r"\.find_by_sql\(", RiskKind::Sql, is_first_built_from_values),
    rule(RUBY, "where", r"(?:^|[^\w:])(where(?:\.not)?\()", RiskKind::Sql, compares_with_value),
    // TLS certificate checks.
    rule(
        SHELL,
        "curl",
        r"\bcurl[ \t](?:(?:\\\n|[^;|&\n])*?[ \t])?(-[fgiIjJklLnNOqRsSvV046#]*k\w*|--insecure)(?:\s|$)",
        RiskKind::Tls,
        any_match,
    ),
    rule(
        SHELL,
        "--no-check-certificate",
        r"\bwget[ \t](?:(?:\\\n|[^;|&\n])*?[ \t])?(--no-check-certificate)\b",
        RiskKind::Tls,
        any_match,
    ),
    rule(PYTHON, "verify", r"[(,]\s*(verify\s*=\s*False)\b", RiskKind::Tls, |matched| {
        let uses_http = ["requests", "httpx", "aiohttp", "urllib3"].iter().any(|name| matched.view.code.contains(name));
        uses_http && !matched.before().trim_start().starts_with("def ")
    }),
    rule(PYTHON, "verify", r"(?m)\b(?:session|client|s)\.(verify\s*=\s*False)\s*$", RiskKind::Tls, any_match),
    rule(PYTHON, "_create_unverified_context", r"\bssl\._create_unverified_context\b", RiskKind::Tls, any_match),
    rule(PYTHON, "check_hostname", r"\.(check_hostname\s*=\s*False)\b", RiskKind::Tls, any_match),
    rule(PYTHON, "CERT_NONE", r"\b(?:verify_mode|cert_reqs)\s*=\s*(?:ssl\.)?(CERT_NONE)\b", RiskKind::Tls, any_match),
    rule(GO, "InsecureSkipVerify", r"\bInsecureSkipVerify\s*[:=]\s*(true)\b", RiskKind::Tls, any_match),
    rule(ECMASCRIPT, "rejectUnauthorized", r"\brejectUnauthorized\s*[:=]\s*(false)\b", RiskKind::Tls, any_match),
    rule(
        ECMASCRIPT,
        "NODE_TLS_REJECT_UNAUTHORIZED",
        r#"\bprocess\.env(?:\.\w+|\[["'][^\]]*["']\])\s*=\s*"#,
        RiskKind::Tls,
        |matched| {
            let is_tls_variable = matched.view.raw[matched.start..matched.end].contains("NODE_TLS_REJECT_UNAUTHORIZED");
            is_tls_variable && matched.view.raw[matched.end..].trim_start_matches(['"', '\'']).starts_with('0')
        },
    ),
    rule(
        RUST,
        "danger_accept_invalid",
        r"\.danger_accept_invalid_(?:certs|hostnames)\((true)\)",
        RiskKind::Tls,
        any_match,
    ),
    rule(RUST, "SslVerifyMode", r"\.set_verify\(\s*(?:\w+::)*SslVerifyMode::(NONE)\b", RiskKind::Tls, any_match),
    rule(
        WITH_CURL,
        "CURLOPT_SSL_VERIFY",
        r"\bCURLOPT_SSL_VERIFY(?:PEER|HOST)\s*(?:,|=>)\s*(?:0L?|false|FALSE)\b",
        RiskKind::Tls,
        any_match,
    ),
    rule(C, "SSL_VERIFY_NONE", r"\bSSL(?:_CTX)?_set_verify\([^;]*\b(SSL_VERIFY_NONE)\b", RiskKind::Tls, any_match),
    rule(RUBY, "VERIFY_NONE", r"\bverify_mode\s*[=:]\s*(?:\w+::)*(VERIFY_NONE)\b", RiskKind::Tls, any_match),
    rule(
        JVM,
        "Verifier",
        r"\b(?:NoopHostnameVerifier\.INSTANCE|ALLOW_ALL_HOSTNAME_VERIFIER)\b",
        RiskKind::Tls,
        any_match,
    ),
    rule(
        JVM,
        "ostnameVerifier",
        r"\b(?:setHostnameVerifier|hostnameVerifier|setDefaultHostnameVerifier)\(\s*\(?\s*\w+\s*,\s*\w+\s*\)?\s*->\s*(true)\b",
        RiskKind::Tls,
        any_match,
    ),
    rule(CSHARP, "DangerousAcceptAny", r"\bDangerousAcceptAnyServerCertificateValidator\b", RiskKind::Tls, any_match),
    rule(
        CSHARP,
        "ValidationCallback",
        r"ValidationCallback\s*\+?=\s*(?:delegate\s*\{\s*return\s+(true)|\([^)]*\)\s*=>\s*true\b)",
        RiskKind::Tls,
        any_match,
    ),
    // Evaluation of data as code.
    rule(PYTHON, "eval", r"(?:^|[^\w.])(eval\()", RiskKind::Eval, evaluates_data),
    rule(PYTHON, "exec", r"(?:^|[^\w.])(exec\()", RiskKind::Eval, evaluates_data),
    rule(ECMASCRIPT, "eval", r"(?:^|[^\w.$])(eval\()", RiskKind::Eval, evaluates_data),
    rule(ECMASCRIPT, "Function", r"\bnew\s+Function\(", RiskKind::Eval, |matched| {
        matched.view.arguments(matched.end).last().is_some_and(|body| !matched.view.is_literal(*body))
    }),
    rule(PHP, "eval", r"(?:^|[^\w>:$])(eval\()", RiskKind::Eval, evaluates_data),
    rule(RUBY, "eval", r"(?:^|[^\w.])(eval\()", RiskKind::Eval, evaluates_data),
    rule(JVM, "ScriptEngine", r"\w\.eval\(", RiskKind::Eval, is_first_not_literal),
];

static PATTERNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let compile = |rule: &RiskRule| Regex::new(&format!("(?m){}", rule.pattern)).expect("the pattern is valid");
    RULES.iter().map(compile).collect()
});

/// Returns the offsets of all matches.
pub(super) fn find(view: &CodeView<'_>) -> Vec<(usize, RiskKind)> {
    let mut found = Vec::new();
    for (rule, pattern) in RULES.iter().zip(PATTERNS.iter()) {
        if !rule.languages.contains(&view.language) || !view.raw.contains(rule.trigger) {
            continue;
        }
        for captures in pattern.captures_iter(&view.code) {
            let matched = captures.iter().flatten().last().expect("a match has a position");
            let whole = captures.get(0).expect("a match is whole");
            if (rule.predicate)(&RuleMatch { view, start: matched.start(), end: whole.end() }) {
                found.push((matched.start(), rule.kind));
            }
        }
    }
    found
}

fn any_match(_: &RuleMatch<'_>) -> bool {
    true
}

fn is_first_not_literal(matched: &RuleMatch<'_>) -> bool {
    matched.argument(0).is_some_and(|argument| !matched.view.is_literal(argument))
}

fn is_first_built_from_values(matched: &RuleMatch<'_>) -> bool {
    matched.argument(0).is_some_and(|argument| matched.view.is_built_from_values(argument))
}

/// Accepts commands that are built from values and not quoted for the shell.
fn is_built_without_escaping(matched: &RuleMatch<'_>) -> bool {
    let is_quoted = matched.any_argument(|argument| argument.contains("escapeshell"));
    let is_defined = matched.before().trim_end().ends_with("function");
    !is_quoted && !is_defined && is_first_built_from_values(matched)
}

/// Accepts constructor calls; rejects definitions and names of types.
fn is_constructed(matched: &RuleMatch<'_>) -> bool {
    let before = matched.before();
    let is_class = before.contains("class ") || before.contains("extends ") || before.contains("public ");
    !is_class && matched.argument(0).is_some()
}

/// Accepts calls whose command is not a literal; rejects declarations.
fn is_c_call_with_value(matched: &RuleMatch<'_>) -> bool {
    let before = matched.before().trim();
    let is_declared = before.ends_with(|c: char| c.is_alphanumeric() || c == '*') && !before.ends_with("return");
    let is_typed = matched.argument(0).is_some_and(|argument| matched.view.code_of(argument).contains("const "));
    !is_declared && !is_typed && is_first_not_literal(matched)
}

/// Accepts evaluated values; rejects literals and definitions.
fn evaluates_data(matched: &RuleMatch<'_>) -> bool {
    let before = matched.before().trim_end();
    let is_defined = ["def", "function", "fn", "async"].iter().any(|word| before.ends_with(word));
    !is_defined && is_first_not_literal(matched)
}

/// Accepts shell evaluation of text with values in it. The output of a program is trusted, and `set --` takes quoted words.
fn shell_evaluates_data(matched: &RuleMatch<'_>) -> bool {
    static VALUE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?:^|[^\\])\$[\w{@*]").expect("the pattern is valid"));
    let rest = matched.view.raw.get(matched.end..).unwrap_or_default();
    let command = rest.lines().next().unwrap_or_default().trim_start();
    let bare = command.trim_start_matches('"');
    let is_trusted = ["$(", "`", "'", "set --"].iter().any(|start| bare.starts_with(start));
    !is_trusted && VALUE.is_match(bare)
}

/// Accepts conditions that contain a value where a parameter could be: a table or a column cannot be a parameter.
fn compares_with_value(matched: &RuleMatch<'_>) -> bool {
    static COMPARED: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r#"(?i)(?:[=<>]|\blike)\s*['"%(]*#\{"#).expect("the pattern is valid"));
    is_first_built_from_values(matched)
        && matched.argument(0).is_some_and(|argument| COMPARED.is_match(matched.view.raw_of(argument)))
}

fn is_shell_name(argument: &str) -> bool {
    let name = argument.trim_matches(['"', '\'', '`']);
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    argument.starts_with(['"', '\'', '`'])
        && matches!(name, "sh" | "bash" | "zsh" | "dash" | "cmd" | "cmd.exe" | "powershell")
}

fn is_command_flag(argument: &str) -> bool {
    matches!(argument.trim_matches(['"', '\'', '`']), "-c" | "-lc" | "-ec" | "/C" | "/c" | "-Command")
}
