//! Names of addresses that the code computes: `reviewBaseUrl` of `this.reviewBaseUrl + "/reviews"`, and `orderApi` of
//! `orderApi.get("/orders")`. The name may be that of the service.

use graph::FileIdx;
use model::{
    Language,
    code::{Expression, ExpressionId, Literal},
};

use super::{HttpRequest, RequestReader};
use crate::{
    contracts::{
        deployment::words,
        text_value::BUILDERS_OF_PATHS,
        url::RequestUrl,
        values::{ValueReader, ValueSource},
    },
    services::{AddressPart, AddressTemplate},
};

/// Maximum number of steps from a URL to the name of its base.
const MAX_STEPS: u32 = 8;

/// Maximum number of arguments that are searched for a URL.
const MAX_ARGUMENTS: usize = 3;

/// Functions of a builder of an address that return the builder, or the address, beside those that add to its path.
const BUILDER_FUNCTIONS: [&str; 4] = ["queryParam", "queryParams", "buildAndExpand", "expand"];

/// Words in the names of addresses. Another word must say more.
const ADDRESS_WORDS: [&str; 13] = [
    "url",
    "urls",
    "uri",
    "host",
    "addr",
    "address",
    "endpoint",
    "endpoints",
    "base",
    "server",
    "service",
    "api",
    "domain",
];

/// Words in the names of clients of one service.
const CLIENT_WORDS: [&str; 6] = ["client", "api", "service", "axios", "http", "gateway"];

/// Words that say nothing of a service.
const COMMON_WORDS: [&str; 19] = [
    "req", "res", "options", "opts", "open", "openapi", "app", "request", "rest", "web", "my", "this", "new",
    "external", "remote", "default", "config", "target", "path",
];

impl RequestReader<'_, '_, '_> {
    /// Returns the address of a request that a call sends, in which the name of a computed base stands for it.
    pub(super) fn named_address(
        &mut self,
        file: FileIdx,
        call: ExpressionId,
        request: &HttpRequest,
    ) -> Option<AddressTemplate> {
        let url = RequestUrl::of(&request.url).filter(|url| url.n_constant() > 0)?;
        let alternatives = &url.address.alternatives;
        if !alternatives.iter().all(|parts| is_computed(parts)) {
            return None;
        }
        let shape = self.values.call(file, call)?;
        if alternatives.is_empty() {
            // The address is that of the client.
            let object = self.values.dotted(file, shape.object?)?;
            let name = object.rsplit('.').next().filter(|name| is_name(name, &CLIENT_WORDS))?;
            return Some(AddressTemplate { alternatives: vec![vec![AddressPart::Variable(name.to_owned())]] });
        }
        let arguments: Vec<ExpressionId> = shape.positional().take(MAX_ARGUMENTS).collect();
        let of_argument = |reader: &mut Self, argument| reader.base_name(file, argument, 0);
        let name = arguments.into_iter().find_map(|argument| of_argument(self, argument))?;
        let named = alternatives.iter().map(|parts| {
            let mut parts = parts.clone();
            if let Some(part) = parts.iter_mut().find(|part| **part == AddressPart::Computed) {
                *part = AddressPart::Variable(name.clone());
            }
            parts
        });
        Some(AddressTemplate { alternatives: named.collect() })
    }

    /// Returns the name of the value that a URL begins with.
    fn base_name(&mut self, file: FileIdx, url: ExpressionId, depth: u32) -> Option<String> {
        if depth > MAX_STEPS || !self.values.may_step() {
            return None;
        }
        let code = self.values.code(file);
        match code.expression(url) {
            Expression::Literal(Literal::Text(Some(text))) => {
                let begins = code.name(*text).split("://").last().is_some_and(|rest| rest.starts_with("{}"));
                let hole = *code.holes(url).first().filter(|_| begins)?;
                self.base_name(file, hole, depth + 1)
            }
            Expression::Operation { left, .. } => self.base_name(file, *left, depth + 1),
            Expression::Either(choices) => self.base_name(file, *choices.first()?, depth + 1),
            Expression::Make { arguments, .. } => {
                // `new URL(path, base)`.
                let base = arguments.get(1).or(arguments.first())?;
                self.base_name(file, *base, depth + 1)
            }
            Expression::Call { .. } => {
                let call = self.values.call(file, url)?;
                if let Some(name) =
                    call.object.and_then(|object| self.getter_name(file, call.name, call.arguments, object))
                {
                    return Some(name);
                }
                // The address is the first part of a builder.
                let is_builder = BUILDER_FUNCTIONS.contains(&call.name) || BUILDERS_OF_PATHS.contains(&call.name);
                if let Some(builder) = call.object.filter(|_| is_builder) {
                    return self.base_name(file, builder, depth + 1);
                }
                let first = call.at(0);
                let of_format = first.and_then(|first| self.values.literal(file, first));
                let next = match of_format.map(|format| format.split("://").last().unwrap_or(format)) {
                    Some(format) if format.starts_with(['%', '{']) => call.at(1),
                    Some(_) => call.object,
                    None => first.or(call.object),
                };
                self.base_name(file, next?, depth + 1)
            }
            Expression::Awaited { of }
            | Expression::Tried { of }
            | Expression::Dereferenced { of }
            | Expression::Cast { of, .. } => self.base_name(file, *of, depth + 1),
            Expression::Element { of, index: Some(index) } => {
                let holder = self.values.dotted(file, *of)?;
                let key = key_name(self.values, file, *index)?;
                let holder = holder.rsplit('.').next().unwrap_or_default();
                let name = format!("{key}.{holder}");
                is_name(&name, &ADDRESS_WORDS).then_some(name)
            }
            Expression::Member { of, name } => {
                let name = code.name(*name);
                if is_name(name, &ADDRESS_WORDS) {
                    return Some(name.to_owned());
                }
                // `services.review.url`, `cfg.Services[Review].URL`.
                let holder = match code.expression(*of) {
                    Expression::Element { index: Some(index), .. } => key_name(self.values, file, *index)?,
                    _ => self.values.dotted(file, *of)?.rsplit('.').next()?.to_owned(),
                };
                let whole = format!("{holder}.{name}");
                is_name(&whole, &ADDRESS_WORDS).then_some(whole)
            }
            Expression::Name { name, .. } => {
                let name = code.name(*name);
                if is_name(name, &ADDRESS_WORDS) {
                    return Some(name.to_owned());
                }
                let sources = self.values.sources(file, url);
                sources.into_iter().find_map(|source| match source {
                    ValueSource::Expression(home, value) => self.base_name(home, value, depth + 1),
                    _ => None,
                })
            }
            _ => None,
        }
    }
}

impl RequestReader<'_, '_, '_> {
    /// Returns the name of the address that a getter gives: `cart.url` of `serviceUrls.cart()` and of `serviceUrls.getCart()`, `CartUrl` of
    /// `settings.getCartUrl()`. The functions of texts have other names.
    fn getter_name(
        &self,
        file: FileIdx,
        called: &str,
        arguments: &[ExpressionId],
        object: ExpressionId,
    ) -> Option<String> {
        let rest = called.strip_prefix("get").or_else(|| called.strip_prefix("Get"));
        let name = rest.filter(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')).unwrap_or(called);
        let is_getter = name.len() < called.len();
        let language = self.values.program().language(file);
        // A record of Java has its fields as functions.
        let is_accessor = matches!(language, Language::Java | Language::Scala) && !is_text_function(called);
        if !arguments.is_empty() || !is_getter && !is_accessor {
            return None;
        }
        if is_getter && is_name(name, &ADDRESS_WORDS) {
            return Some(name.to_owned());
        }
        let holder = self.values.dotted(file, object)?;
        let holder = holder.rsplit('.').next()?;
        let words_of_holder = words(holder);
        // A supplier or an optional of one address has the name itself: `cartUrl.get()`.
        let has_several = words_of_holder.iter().any(|word| matches!(word.as_str(), "urls" | "endpoints"));
        if !has_several || is_name(holder, &ADDRESS_WORDS) || is_of_container(name) {
            return None;
        }
        let of_address: Vec<&str> =
            words_of_holder.iter().map(String::as_str).filter(|word| ADDRESS_WORDS.contains(word)).collect();
        let whole = format!("{name}.{}", of_address.join("."));
        is_name(&whole, &ADDRESS_WORDS).then_some(whole)
    }
}

/// Returns true for a function that converts an address: `baseUrl.toString()`, `uri.resolve()`.
fn is_text_function(name: &str) -> bool {
    const FUNCTIONS: [&str; 8] = ["trim", "strip", "normalize", "build", "encode", "intern", "resolve", "orElseThrow"];
    let is_conversion = ["to", "as", "is", "has"].iter().any(|start| {
        name.strip_prefix(start)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_uppercase()))
    });
    is_conversion || FUNCTIONS.contains(&name)
}

/// Returns true for a name that containers have for a part of them: `first`, `Value`, `nextElement`.
fn is_of_container(name: &str) -> bool {
    const WORDS: [&str; 25] = [
        "all", "any", "array", "block", "count", "current", "element", "elements", "entry", "first", "get", "iterator",
        "join", "key", "keys", "last", "length", "list", "map", "next", "size", "stream", "text", "value", "values",
    ];
    words(name).iter().all(|word| WORDS.contains(&word.as_str()))
}

/// Returns the key of an element, as a text or as the name of a constant.
fn key_name(values: &ValueReader<'_, '_>, file: FileIdx, index: ExpressionId) -> Option<String> {
    let text = values.literal(file, index).map(str::to_owned);
    text.or_else(|| values.dotted(file, index)?.rsplit('.').next().map(str::to_owned))
}

/// Returns true for an address of which the host is computed.
fn is_computed(parts: &[AddressPart]) -> bool {
    match parts {
        [AddressPart::Computed, ..] => true,
        [AddressPart::Text(scheme), AddressPart::Computed, ..] => scheme.ends_with("://"),
        _ => false,
    }
}

/// Returns true for a name with one of some words, and with another that may tell a service.
fn is_name(name: &str, required: &[&str]) -> bool {
    let words = words(name);
    let says_nothing = |(at, word): (usize, &String)| {
        let next = words.get(at + 1).map(String::as_str);
        let word = word.as_str();
        word.len() < 3 && !(next == Some("service") && is_short_name(word))
            || ADDRESS_WORDS.contains(&word)
            || CLIENT_WORDS.contains(&word)
            || COMMON_WORDS.contains(&word)
    };
    words.iter().any(|word| required.contains(&word.as_str()))
        && words.iter().enumerate().any(|word| !says_nothing(word))
}

/// Returns true for a word of two letters that tells a service if `service` follows it: `ai_service_url`. A version is no name, and
/// neither is a word that says what the service is for.
fn is_short_name(word: &str) -> bool {
    const OTHERS: [&str; 8] = ["db", "id", "to", "is", "in", "of", "my", "no"];
    word.len() == 2 && word.chars().all(|c| c.is_ascii_alphabetic()) && !OTHERS.contains(&word)
}

#[cfg(test)]
mod tests {
    use crate::testing::contracts;

    #[test]
    fn a_computed_address_has_the_name_of_its_value() {
        for (code, expected) in [
            (
                "class A { f() { return fetch(this.reviewBaseUrl + '/reviews/1') } }",
                "- GET {}/reviews/1 {env:reviewBaseUrl}",
            ),
            (
                "function f(userServiceUrl) { return fetch(`${userServiceUrl}/users`) }",
                "- GET {}/users {env:userServiceUrl}",
            ),
            ("function f(urls) { return fetch(urls['review'] + '/reviews') }", "- GET {}/reviews {env:urls.review}"),
            ("function f(cfg) { return fetch(cfg.review.url + '/reviews') }", "- GET {}/reviews {env:review.url}"),
            (
                "function f(ai_service_url) { return fetch(ai_service_url + '/tags') }",
                "- GET {}/tags {env:ai_service_url}",
            ),
            ("function f(cfg) { return fetch(cfg.getReviewUrl() + '/reviews') }", "- GET {}/reviews {env:ReviewUrl}"),
            ("function f(urls) { return fetch(urls.getReview() + '/reviews') }", "- GET {}/reviews {env:Review.urls}"),
            // Near misses: names that say nothing of a service, or nothing of an address.
            ("class A { f() { return fetch(this.baseUrl + '/reviews/1') } }", "- GET {}/reviews/1 {}"),
            ("function f(prefix) { return fetch(prefix + '/reviews') }", "- GET {}/reviews {}"),
            ("function f(db_url) { return fetch(db_url + '/reviews') }", "- GET {}/reviews {}"),
            ("function f(urls) { return fetch(urls.trim() + '/reviews') }", "- GET {}/reviews {}"),
            ("function f(urls) { return fetch(urls.getReview(1) + '/reviews') }", "- GET {}/reviews {}"),
            ("function f(urls) { return fetch(urls.getFirst() + '/reviews') }", "- GET {}/reviews {}"),
            ("function f(cartUrl) { return fetch(cartUrl.getValue() + '/reviews') }", "- GET {}/reviews {env:cartUrl}"),
            ("function f(service_v2_url) { return fetch(service_v2_url + '/reviews') }", "- GET {}/reviews {}"),
            ("function f(serviceIdUrl) { return fetch(serviceIdUrl + '/reviews') }", "- GET {}/reviews {}"),
            ("function f(db_service_url) { return fetch(db_service_url + '/reviews') }", "- GET {}/reviews {}"),
        ] {
            let lines = contracts(&format!("//- /a.js\n{code}\n"));
            let found = lines
                .iter()
                .find(|line| line.starts_with("- GET"))
                .map_or("", |line| line.split(" by ").next().unwrap_or(line));
            assert_eq!(found, expected, "{code}\n{lines:#?}");
        }
    }

    #[test]
    fn a_getter_of_another_package_names_the_address() {
        let chain = |base: &str| {
            format!(
                "URI url = UriComponentsBuilder.fromUriString({base}).path(\"/items/{{id}}\").buildAndExpand(id).toUri();"
            )
        };
        for (base, expected) in [
            ("serviceUrls.cart()", "- GET {}/items/{} {env:cart.service.urls}"),
            ("serviceUrls.getCart()", "- GET {}/items/{} {env:Cart.service.urls}"),
            ("settings.getCartUrl()", "- GET {}/items/{} {env:CartUrl}"),
            // Near misses: functions that convert an address, and holders that say nothing of one.
            ("serviceUrl.toString()", "- GET {}/items/{} {}"),
            ("paths.cart()", "- GET {}/items/{} {}"),
            // A container gives the address that its name tells.
            ("cartServiceUrl.get()", "- GET {}/items/{} {env:cartServiceUrl}"),
            ("cartServiceUrl.block()", "- GET {}/items/{} {env:cartServiceUrl}"),
            ("serviceUrl.get()", "- GET {}/items/{} {}"),
            ("serviceUrls.first()", "- GET {}/items/{} {}"),
            ("serviceUrls.getFirst()", "- GET {}/items/{} {}"),
            // The path of a builder is no address.
            ("cartUrl).path(ordersEndpoint", "- GET {}/{}/items/{} {env:cartUrl}"),
        ] {
            let code = format!(
                "import com.acme.ServiceUrls;\nclass A {{ private final RestClient restClient; private final ServiceUrls serviceUrls;\n Item f(long id) {{ {} return restClient.get().uri(url).retrieve(); }} }}",
                chain(base)
            );
            let lines = contracts(&format!("//- /A.java\n{code}\n"));
            let found = lines.iter().find(|line| line.starts_with("- GET"));
            let found = found.map_or("", |line| line.split(" by ").next().unwrap_or(line));
            assert_eq!(found, expected, "{base}\n{lines:#?}");
        }
    }
}
