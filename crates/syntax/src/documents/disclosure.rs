//! The choice of values that leave a document: addresses, names, images and paths. Every other value may be a secret.

use model::DocumentFormat;

use super::{
    connection_strings,
    key_names::{ends_with_address, is_given_name, is_of_broker, is_of_names, is_secret_name},
};

/// Maximum length of a value.
const MAX_VALUE_BYTES: usize = 300;

/// Directives whose arguments are addresses and paths.
const DIRECTIVES: [&str; 8] =
    ["proxy_pass", "grpc_pass", "upstream", "server", "location", "server_name", "listen", "rewrite"];

/// Maximum number of addresses in one value.
const MAX_ADDRESSES: usize = 20;

/// Minimum length of a hexadecimal word that counts as a key or hash.
const MIN_HASH_CHARS: usize = 16;

/// The place of a value.
pub(super) struct ValueContext<'a> {
    pub(super) format: DocumentFormat,
    /// The key; empty for an item of a list.
    pub(super) key: &'a str,
    /// The name beside it: the variable that has this value.
    pub(super) name: Option<&'a str>,
    pub(super) parent: &'a str,
    pub(super) grandparent: &'a str,
}

/// Returns the part of a value that is an address, a name, an image or a path; `None` if it may be a secret.
///
/// User, password, query and fragment of an address are removed.
pub(super) fn disclosed_value(context: &ValueContext<'_>, value: &str) -> Option<String> {
    let value = value.trim();
    // The folder in which a command runs.
    let value = ["$PWD/", "${PWD}/"].iter().find_map(|here| value.strip_prefix(here)).unwrap_or(value);
    if value.is_empty() || value.len() > MAX_VALUE_BYTES || value.contains('\n') {
        return None;
    }
    if context.key == "request" {
        return request(value);
    }
    if context.parent == "filters" && value.starts_with("RewritePath=") {
        return value.chars().all(is_of_pattern).then(|| value.replace('\\', ""));
    }
    if context.parent == "volumes" && context.key.is_empty() {
        return mount(value);
    }
    match (context.key, context.format) {
        ("working_dir", DocumentFormat::Yaml) => return path(value),
        ("path", DocumentFormat::Yaml) if value.starts_with('/') && value.contains('(') => {
            return path(beginning_of_pattern(value)?);
        }
        ("applicationUrl", DocumentFormat::Yaml) => {
            let all: Option<Vec<String>> = value.split(';').take(MAX_ADDRESSES).map(address).collect();
            return all.map(|all| all.join(";"));
        }
        _ => {}
    }
    match context.format {
        DocumentFormat::Commands | DocumentFormat::Messages | DocumentFormat::Tables => return Some(value.to_owned()),
        DocumentFormat::Directives if context.key == "set" => return variable_of_proxy(value),
        DocumentFormat::Directives => return words(value).filter(|_| DIRECTIVES.contains(&context.key)),
        DocumentFormat::Dockerfile if !context.key.contains(' ') => return instruction(context.key, value),
        _ => {}
    }
    if let Some((name, assigned)) = assignment(value).filter(|_| context.key.is_empty() || context.key == "run") {
        let own = ValueContext { key: name.trim_start_matches('-'), name: None, ..*context };
        return Some(format!("{name}={}", disclosed_value(&own, assigned)?));
    }
    if context.key.is_empty() && matches!(context.parent, "command" | "args") && is_flag_of_address(value) {
        return Some(value.to_owned());
    }
    if context.key.is_empty() && context.parent == "environment" && is_variable_name(value) {
        return Some(value.to_owned());
    }
    if context.key == "build" && matches!(context.parent, "run" | "script" | "") && value.split(' ').count() == 2 {
        return words(value);
    }
    if let Some(image) = super::commands::image_command(value) {
        return Some(image);
    }
    let key = if context.key.eq_ignore_ascii_case("value") { context.name.unwrap_or(context.key) } else { context.key };
    let hint = if key.is_empty() { context.parent } else { key };
    if value.contains(',') && !value.contains(';') && context.parent != "predicates" {
        let all: Option<Vec<String>> =
            value.split(',').take(MAX_ADDRESSES).map(|one| address(one.trim().trim_matches(['[', ']', '"']))).collect();
        return all.map(|all| all.join(",")).filter(|_| !is_secret_name(hint));
    }
    if context.parent != "configMapKeyRef" && is_secret_name(hint) && !ends_with_address(hint) {
        return None;
    }
    if let Some(database) = connection_strings::database(value) {
        return Some(database);
    }
    let is_part = is_structural(key, context);
    let is_image = is_part && !value.contains("://");
    let is_of_parent = is_of_names(context.parent) && (key.is_empty() || is_of_broker(context.parent));
    let is_named = is_of_names(hint) || is_of_parent;
    let is_name = is_part || is_named && is_given_name(&without_placeholders(value));
    let image = is_image.then(|| name(value, context)).flatten();
    let known = image.or_else(|| address(value)).or_else(|| is_name.then(|| name(value, context)).flatten());
    known.or_else(|| variable_of_address(key, value)).or_else(|| host_of_key(key, value))
}

/// Returns the bare host of a setting with an address, if the name of the setting has it: `CART_BASE_URL: cart`. Such a host is no secret.
fn host_of_key(key: &str, value: &str) -> Option<String> {
    const MIN_CHARS: usize = 3;
    let plain = |text: &str| text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let is_of_host = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '\u{1}');
    let bare = without_placeholders(value);
    let host = plain(&bare);
    let is_written = !value.contains('$') && bare.chars().all(is_of_host) && host.len() >= MIN_CHARS;
    (is_written && ends_with_address(key) && plain(key).contains(&host)).then(|| value.to_owned())
}

/// Returns the variable that a setting of an application takes its address from: `{env:CART_URL}` of `cart.url: ${CART_URL}`. A container
/// passes on variables of its own name.
fn variable_of_address(key: &str, value: &str) -> Option<String> {
    let name = value.strip_prefix("${")?.strip_suffix('}')?;
    let is_setting = ends_with_address(key) && !is_variable_name(key) && key.contains(|c: char| c.is_ascii_lowercase());
    (is_setting && is_variable_name(name) && !is_secret_name(name)).then(|| format!("{{env:{name}}}"))
}

/// Returns a variable of a proxy that holds an address, and its value: `$backend cart:80`.
fn variable_of_proxy(value: &str) -> Option<String> {
    const LAST_WORDS: [&str; 4] = ["upstream", "backend", "target", "proxy"];
    let (name, assigned) = value.split_once(' ')?;
    let last = name.strip_prefix('$')?.rsplit('_').next()?;
    let is_of_address = ends_with_address(name) || LAST_WORDS.contains(&last);
    let assigned = assigned.trim().trim_matches(['"', '\'']);
    let written = address(assigned).or_else(|| path(assigned))?;
    is_of_address.then(|| format!("{name} {written}"))
}

/// Returns a folder that a container mounts: `./cart:/app:ro`.
fn mount(value: &str) -> Option<String> {
    let (source, target) = value.split_once(':')?;
    let (target, mode) = target.split_once(':').unwrap_or((target, ""));
    let is_mode = mode.chars().all(|c| c.is_ascii_lowercase() || c == ',') && mode.len() <= 20;
    let is_relative = source.starts_with("./") || source.starts_with("../");
    (is_mode && is_relative).then(|| Some(format!("{}:{}", path(source)?, path(target)?)))?
}

/// Returns a path of which no segment looks like a key.
fn path(value: &str) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let is_path = value.split('/').all(|segment| segment.chars().all(is_plain) && is_plain_segment(segment));
    is_path.then(|| value.to_owned())
}

/// Returns the beginning of a pattern for the path of an Ingress, if any rest may follow: `/carts` of `/carts(/|$)(.*)`.
fn beginning_of_pattern(value: &str) -> Option<&str> {
    const RESTS: [&str; 6] = ["(.*)", "(.+)", "(/|$)", "($|/)", "(/.*)", "(/(.*))"];
    let (start, rest) = value.split_at(value.find('(')?);
    let start = start.strip_suffix("/?").unwrap_or(start);
    let start = if start.is_empty() { "/" } else { start };
    RESTS.iter().any(|any| rest.starts_with(any)).then_some(start)
}

/// Returns the method and the URL of a request, without user, query and segments that may be keys.
fn request(value: &str) -> Option<String> {
    let (method, url) = value.split_once(' ')?;
    let url = url.split(['?', '#']).next()?;
    let (scheme, rest) = url.split_once("://").map_or(("", url), |(scheme, rest)| (scheme, rest));
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = host.rsplit('@').next()?;
    let is_of_host = |c: char| c.is_ascii_alphanumeric() || "._-:${}".contains(c);
    let path: Vec<&str> = path.split('/').take_while(|segment| is_plain_segment(segment)).collect();
    let separator = if scheme.is_empty() { "" } else { "://" };
    // The request of a page has no host.
    let is_of_page = scheme.is_empty() && url.starts_with('/');
    let is_written = is_of_page || !host.is_empty() && host.len() <= 200 && host.chars().all(is_of_host);
    is_written.then(|| format!("{method} {scheme}{separator}{host}/{}", path.join("/")))
}

/// Returns true for the characters of a filter that rewrites paths by a regular expression.
fn is_of_pattern(c: char) -> bool {
    c.is_ascii_alphanumeric() || "=/-_.,*+?<>(){}[]|^$\\ ".contains(c)
}

/// Returns an address without user, password, query and fragment: `http://cart:80/x`, `cart:80`, `cart.shop.svc`.
fn address(value: &str) -> Option<String> {
    let value = with_defaults(value, false)?;
    let (scheme, rest) = match value.split_once("://") {
        Some((scheme, rest)) => (Some(scheme).filter(|scheme| is_scheme(scheme))?, rest),
        None => ("", value.as_str()),
    };
    let rest = rest.trim_start_matches('/');
    let end = rest.find(['?', '#', ';']).unwrap_or(rest.len());
    let (authority, path) = rest[..end].split_once('/').unwrap_or((&rest[..end], ""));
    let host = authority.rsplit('@').next().unwrap_or(authority);
    // A password may have a slash, so that its end is not known.
    if scheme.is_empty() && authority.contains('@') || path.contains('@') {
        return None;
    }
    let bare = without_placeholders(host);
    let (name, port) = bare.split_once(':').unwrap_or((&bare, ""));
    let is_port = port.is_empty() || port.len() <= 5 && port.chars().all(|c| c.is_ascii_digit()) || port == "\u{1}";
    let is_host = !name.is_empty()
        && name.len() <= 200
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.' | '_' | '\u{1}'))
        && !is_hash(name);
    let is_dotted = name.contains('.') && name.split('.').all(|label| !label.is_empty()) && ends_with_letters(name);
    let is_clear = !scheme.is_empty() || bare.contains(':') && name.chars().any(char::is_alphabetic) || is_dotted;
    let is_templated = host.contains('{') && (bare.contains(':') || !scheme.is_empty());
    if !is_host || !is_port || !(is_clear || is_templated) {
        return None;
    }
    // Segments after one that looks like a key are dropped.
    let path: Vec<&str> = path.split('/').take_while(|segment| is_plain_segment(segment)).collect();
    let path = if path.is_empty() { String::new() } else { format!("/{}", path.join("/")) };
    let separator = if scheme.is_empty() { "" } else { "://" };
    Some(
        format!("{scheme}{separator}{host}{}", path.trim_end_matches('/')).trim_end_matches('/').to_owned()
            + trailing_slash(&rest[..end]),
    )
}

/// A trailing slash is kept: proxies strip prefixes by it.
fn trailing_slash(rest: &str) -> &'static str {
    if rest.ends_with('/') { "/" } else { "" }
}

/// Returns a value that is a name, an image or a path.
fn name(value: &str, context: &ValueContext<'_>) -> Option<String> {
    let value = with_defaults(value, is_of_names(context.key) || is_of_broker(context.parent))?;
    let bare = without_placeholders(&value);
    let is_password = bare.contains("://") || bare.contains('@') && !bare.contains("@sha256:") && context.key != "uses";
    // `/$1` is the target of a rewrite.
    let has_variable = bare.split('$').skip(1).any(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()));
    if is_password || has_variable {
        return None;
    }
    let is_plain = |c: char| {
        c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '/' | ':' | '\u{1}' | '*' | '~' | '^' | '$' | '@')
    };
    let may_have_spaces =
        matches!(context.parent, "predicates" | "filters") || context.key == "match" || context.key.contains("rule");
    let is_template = context.key.ends_with("PathTemplate");
    let is_text = bare.chars().all(|c| {
        is_plain(c)
            || is_template && matches!(c, '{' | '}')
            || may_have_spaces
                && matches!(c, ' ' | '=' | '(' | ')' | '`' | ',' | '{' | '}' | '|' | '&' | '<' | '>' | '?')
    });
    // Names have few digits; keys and passwords mix them with capitals.
    let has_capitals = bare.chars().any(|c| c.is_ascii_uppercase());
    let n_digits = bare.chars().filter(char::is_ascii_digit).count();
    let is_mixed = has_capitals && n_digits > 2 && !is_structural(context.key, context);
    let is_image = context.key.eq_ignore_ascii_case("image") || bare.contains("@sha256:");
    (is_text && !is_mixed && (is_image || !bare.split(['/', '.', '-', '_']).any(is_hash))).then_some(value)
}

/// Returns a value in which each placeholder with a default is this default, if it is an address or a name, and any other one
/// `{env:NAME}`. `is_named` is true if the key of the value tells that it is a name. An action of a template stays as it is.
fn with_defaults(value: &str, is_named: bool) -> Option<String> {
    let mut text = String::new();
    let mut rest = value;
    while let Some(start) = rest.find("${") {
        let end = start + rest[start..].find('}')?;
        text.push_str(&rest[..start]);
        let inner = &rest[start + 2..end];
        let (name, default) = match inner.find(':') {
            Some(at) => (&inner[..at], inner[at + 1..].trim_start_matches(['-', '?', '='])),
            None => (inner, ""),
        };
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
        if name.is_empty() || !name.chars().all(is_name) {
            return None;
        }
        let is_disclosed = !is_secret_name(name)
            && (address(default).is_some()
                || !default.is_empty()
                    && !is_hash(default)
                    && default
                        .chars()
                        .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.' | '_' | '/'))
                    && ((is_named || is_of_names(name)) && is_given_name(default)
                        || default.chars().all(|c| c.is_ascii_digit())));
        if is_disclosed {
            text.push_str(default)
        } else {
            text.push_str(&format!("{{env:{name}}}"))
        }
        rest = &rest[end + 1..];
    }
    text.push_str(rest);
    Some(text)
}

/// Returns a value with one character for each placeholder.
fn without_placeholders(value: &str) -> String {
    let mut text = String::new();
    let mut depth = 0u32;
    for c in value.chars() {
        match c {
            '{' => {
                if depth == 0 {
                    text.push('\u{1}');
                }
                depth += 1;
            }
            '}' => depth = depth.saturating_sub(1),
            c if depth == 0 => text.push(c),
            _ => {}
        }
    }
    text
}

/// Returns the arguments of a directive that are addresses, names or paths.
fn words(value: &str) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-/:$~^*{}()[]<>\\+?|=,@&!".contains(c);
    let words: Vec<String> = value
        .split_whitespace()
        .filter_map(|word| {
            let bare = || (!word.contains("://") && !word.contains('@')).then(|| word.to_owned());
            address(word).or_else(|| of_variable(word)).or_else(bare)
        })
        .filter(|word| word.chars().all(is_plain))
        .collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// Returns an address whose host is a variable of a proxy: `http://$backend:80/v1`.
fn of_variable(word: &str) -> Option<String> {
    let plain = word.replacen("://$", "://", 1);
    let is_address = plain.len() < word.len() && address(&plain).is_some_and(|address| address == plain);
    is_address.then(|| word.to_owned())
}

/// Returns the arguments of an instruction of a Dockerfile that names images.
fn instruction(key: &str, value: &str) -> Option<String> {
    match key {
        "FROM" => Some(value.to_owned()).filter(|value| !value.contains('@') || value.contains("@sha256:")),
        "EXPOSE" => Some(value.to_owned()),
        _ => None,
    }
}

/// Splits `--name=value` and `NAME=value`.
pub(super) fn assignment(value: &str) -> Option<(&str, &str)> {
    let (name, assigned) = value.split_once('=')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let has_name = !name.is_empty() && name.chars().all(is_name) && name.chars().any(|c| c.is_ascii_alphabetic());
    has_name.then_some((name, assigned.trim_matches(['"', '\''])))
}

/// Returns true if the value of a key is a part of the structure of a deployment: a kind, a name, a label, a path.
fn is_structural(key: &str, context: &ValueContext<'_>) -> bool {
    const KEYS: &[&str] = &[
        "kind",
        "apiVersion",
        "name",
        "image",
        "namespace",
        "host",
        "hostname",
        "app",
        "service",
        "serviceName",
        "path",
        "pathType",
        "prefix",
        "component",
        "repository",
        "registry",
        "tag",
        "tags",
        "context",
        "dockerfile",
        "file",
        "target",
        "build",
        "container_name",
        "cluster",
        "regex",
        "rewrite",
        "prefix_rewrite",
        "replacePrefixMatch",
        "number",
        "port",
        "port_value",
        "targetPort",
        "address",
        "topic",
        "destination",
        "group",
        "queue",
        "exchange",
        "subject",
        "tableName",
        "protocol",
        "Type",
        "Protocol",
        "TopicName",
        "QueueName",
        "Endpoint",
        "Ref",
        "Fn::GetAtt",
        "Name",
        "Image",
        "image_uri",
        "extends",
        "sqs",
        "sns",
        "topic_arn",
        "EventSourceArn",
        "jib",
        "ImageUri",
        "fullnameOverride",
        "nameOverride",
        "newName",
        "newTag",
        "externalName",
        "ClusterId",
        "Path",
        "uses",
        "Host",
        "PathPattern",
        "PathRemovePrefix",
        "UpstreamPathTemplate",
        "DownstreamPathTemplate",
        "serviceId",
        "service-id",
        "strip_path",
        "_format_version",
    ];
    const PARENTS: &[&str] = &[
        "labels",
        "matchLabels",
        "selector",
        "depends_on",
        "dependsOn",
        "env_file",
        "aliases",
        "links",
        "resources",
        "bases",
        "patches",
        "hosts",
        "tags",
        "images",
        "predicates",
        "filters",
        "topics",
        "queues",
        "patchesStrategicMerge",
        "annotations",
        "domains",
        "configMapKeyRef",
        "ports",
        "rewriteTarget",
        "rewrite",
        "extends",
        "scopes",
        "Fn::GetAtt",
        "middlewares",
        "prefixes",
        "path",
        "paths",
    ];
    KEYS.contains(&key)
        || PARENTS.contains(&context.parent)
        || key.is_empty() && PARENTS.contains(&context.grandparent)
        || matches!(key, "rule" | "match")
        || key.ends_with(".rule")
}

/// Returns true for an option whose value is the next argument, and an address by its name: `--cart-url`, `-usersAPI`.
fn is_flag_of_address(text: &str) -> bool {
    let name = text.trim_start_matches('-');
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let ends = ends_with_address(name) || name.to_ascii_lowercase().ends_with("api");
    text.starts_with('-') && name.len() > 3 && name.chars().all(is_name) && ends && !is_hash(name)
}

/// Returns true for a name in capitals: a variable that a service passes on without its value.
fn is_variable_name(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    text.contains('_')
        && text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.chars().all(is_part)
        && !is_hash(text)
}

fn is_scheme(scheme: &str) -> bool {
    !scheme.is_empty()
        && scheme.len() <= 30
        && scheme.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '+' | '-' | ':' | '.'))
}

/// Returns true for a word of hexadecimal digits, or a long one with many digits.
fn is_hash(word: &str) -> bool {
    let n_digits = word.chars().filter(char::is_ascii_digit).count();
    let n = word.chars().count();
    n >= MIN_HASH_CHARS && (word.chars().all(|c| c.is_ascii_hexdigit()) || n_digits * 3 > n)
}

fn is_plain_segment(segment: &str) -> bool {
    let bare = without_placeholders(segment);
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-~*$%,\u{1}".contains(c);
    bare.len() <= 60 && bare.chars().all(|c| is_plain(c) || c.is_ascii_uppercase()) && {
        let has_capitals = bare.chars().any(|c| c.is_ascii_uppercase());
        let n_digits = bare.chars().filter(char::is_ascii_digit).count();
        !(has_capitals && n_digits > 1) && (!is_hash(&bare) || bare.chars().all(|c| c.is_ascii_digit()))
    }
}

fn ends_with_letters(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or_default();
    last.len() >= 2 && last.chars().all(|c| c.is_ascii_lowercase() || c == '\u{1}') || name.ends_with('\u{1}')
}
