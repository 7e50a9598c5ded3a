//! Container images, and the repositories that build them.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::{
    ServiceRepository,
    network::{ContractPlace, PlacedOffer},
};
use crate::{contract::ContractKind, join::SurfaceOffer, shared_text::SharedText};

/// Folders of Dockerfiles that are not named after the service.
const GENERIC_FOLDERS: [&str; 14] = [
    "src",
    "docker",
    ".docker",
    "build",
    "deploy",
    "deployment",
    "app",
    "container",
    "ops",
    "infra",
    "server",
    "service",
    "api",
    "backend",
];

/// Last words of the names of repositories that tell the language of the service: `cart-go` builds `cart`.
const LANGUAGES: [&str; 12] =
    ["go", "golang", "java", "kotlin", "python", "py", "node", "nodejs", "rust", "php", "ruby", "dotnet"];

/// Minimum number of images of a deployment with a shared start or end. Two may have one by chance.
const MIN_SHARED: usize = 3;

/// Images of databases, brokers and proxies. A repository of a system builds such an image only if the deployment says so.
const PUBLIC_IMAGES: [&str; 40] = [
    "postgres",
    "postgresql",
    "mysql",
    "mariadb",
    "mongo",
    "mongodb",
    "redis",
    "valkey",
    "memcached",
    "cassandra",
    "elasticsearch",
    "opensearch",
    "kibana",
    "kafka",
    "zookeeper",
    "cp-kafka",
    "cp-zookeeper",
    "rabbitmq",
    "nats",
    "nginx",
    "envoy",
    "traefik",
    "haproxy",
    "busybox",
    "alpine",
    "ubuntu",
    "debian",
    "node",
    "python",
    "golang",
    "prometheus",
    "grafana",
    "jaeger",
    "zipkin",
    "consul",
    "vault",
    "minio",
    "localstack",
    "keycloak",
    "adminer",
];

/// The images that repositories build, by name.
#[derive(Debug, Default)]
pub(super) struct BuiltImages {
    by_name: FxHashMap<String, Vec<ContractPlace>>,
    /// By repository and folder: the Dockerfile there.
    by_folder: FxHashMap<(usize, SharedText), ContractPlace>,
    /// By name: the repositories with code of a service that build no image, each with a place in it.
    unbuilt: FxHashMap<String, Vec<ContractPlace>>,
    /// By deployment: the start that the names of its images share, such as `shop-` of `shop-cart`, `shop-pay` and `shop-mail`.
    shared_starts: FxHashMap<usize, String>,
    /// By deployment: the end that they share, such as `-service`.
    shared_ends: FxHashMap<usize, String>,
    /// By deployment: the registries, owners and folders of at least three images that repositories build.
    own_registries: FxHashMap<usize, Vec<String>>,
}

/// The images of some repositories.
#[derive(Clone, Copy)]
pub(super) struct ImageView<'a> {
    repositories: &'a [ServiceRepository<'a>],
    built: &'a BuiltImages,
}

impl BuiltImages {
    pub(super) fn new(repositories: &[ServiceRepository<'_>]) -> BuiltImages {
        let mut images = BuiltImages::default();
        for (repository, one) in repositories.iter().enumerate() {
            let offers = one.surface.offers.iter().enumerate();
            let built: Vec<_> = offers.filter(|(_, offer)| offer.kind == ContractKind::Image).collect();
            if built.is_empty()
                && let Some((idx, _)) = one.surface.offers.iter().enumerate().find(|(_, offer)| is_of_service(offer))
            {
                let name = one.alias.rsplit('/').next().unwrap_or(one.alias).to_ascii_lowercase();
                images.unbuilt.entry(name).or_default().push(ContractPlace { repository, idx });
            }
            let folders: BTreeSet<&str> = built.iter().map(|(_, offer)| &*offer.member).collect();
            for (idx, offer) in built {
                let place = ContractPlace { repository, idx };
                images.by_folder.entry((repository, offer.member.clone())).or_insert(place);
                for name in names(one.alias, offer, folders.len() == 1) {
                    images.by_name.entry(name).or_default().push(place);
                }
            }
        }
        let shared = |part: fn(&str, usize) -> (&str, &str)| {
            let deployments = repositories.iter().enumerate();
            deployments.filter_map(|(idx, one)| Some((idx, images.shared_part(one, part)?))).collect()
        };
        let shared_starts = shared(|name, at| name.split_at(at + 1));
        let shared_ends = shared(|name, at| (&name[at..], &name[..at]));
        let own_registries = repositories.iter().enumerate().map(|(idx, one)| (idx, images.registries(one))).collect();
        BuiltImages { shared_starts, shared_ends, own_registries, ..images }
    }

    /// Returns the images of the repositories that they were read from.
    pub(super) fn of<'a>(&'a self, repositories: &'a [ServiceRepository<'a>]) -> ImageView<'a> {
        ImageView { repositories, built: self }
    }

    /// Returns what stands before the names of the images of a deployment, if it does so for at least three images that repositories build.
    fn registries(&self, deployment: &ServiceRepository<'_>) -> Vec<String> {
        let workloads = deployment.surface.offers.iter().filter(|offer| offer.kind == ContractKind::Workload);
        let mut n_images: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for image in workloads.map(|offer| &*offer.member) {
            let name = image_name(image);
            let is_built = self.by_name.contains_key(&name) && !PUBLIC_IMAGES.contains(&name.as_str());
            if let Some((registry, _)) = image.rsplit_once('/').filter(|_| is_built) {
                n_images.entry(registry.to_owned()).or_default().insert(name);
            }
        }
        n_images.into_iter().filter(|(_, names)| names.len() >= MIN_SHARED).map(|(registry, _)| registry).collect()
    }

    /// Returns true for an image from the registry, or built in the folder, of at least three images that repositories build.
    fn is_own_image(&self, deployment: usize, image: &str) -> bool {
        let registry = image.rsplit_once('/').map_or("", |(registry, _)| registry);
        let registries = self.own_registries.get(&deployment).map_or(&[][..], Vec::as_slice);
        registries.iter().any(|own| own == registry)
    }

    /// Returns the part without which the names of most images of a deployment are those of built ones. `part` splits a name at a hyphen
    /// into this part and the rest.
    fn shared_part(&self, deployment: &ServiceRepository<'_>, part: fn(&str, usize) -> (&str, &str)) -> Option<String> {
        let workloads = deployment.surface.offers.iter().filter(|offer| offer.kind == ContractKind::Workload);
        let names: BTreeSet<String> = workloads.map(|offer| image_name(&offer.member)).collect();
        let mut n_images: BTreeMap<&str, usize> = BTreeMap::new();
        for name in names.iter().filter(|name| !self.by_name.contains_key(*name)) {
            let parts = name.match_indices('-').map(|(at, _)| part(name, at));
            for (shared, _) in parts.filter(|(_, rest)| self.by_name.contains_key(*rest)) {
                *n_images.entry(shared).or_default() += 1;
            }
        }
        let (shared, n) = n_images.into_iter().max_by_key(|(_, n)| *n)?;
        (n >= MIN_SHARED).then(|| shared.to_owned())
    }
}

impl<'a> ImageView<'a> {
    /// Returns the repositories that build the image that a repository means by a name. `image` is the name as it is written.
    ///
    /// Owners have images of the same names: its own image is meant first, and one of another owner only if it is written with this owner.
    pub(super) fn builders_of_image(&self, stated_by: usize, name: &str, image: &str) -> Vec<PlacedOffer<'a>> {
        let is_public = PUBLIC_IMAGES.contains(&name) && !self.built.is_own_image(stated_by, image);
        let places = self.built.by_name.get(name).filter(|_| !is_public).into_iter().flatten();
        let built: Vec<PlacedOffer<'a>> = places.map(|place| place.offer(self.repositories)).collect();
        if let Some(own) = built.iter().find(|placed| placed.repository == stated_by) {
            return vec![*own];
        }
        let own = owner(self.repositories[stated_by].alias);
        let (of_owner, of_others): (Vec<PlacedOffer<'_>>, Vec<PlacedOffer<'_>>) =
            built.iter().copied().partition(|placed| owner(self.repositories[placed.repository].alias) == own);
        if !of_owner.is_empty() {
            return of_owner;
        }
        let is_written = |owner: &str| image.split('/').any(|part| part.eq_ignore_ascii_case(owner));
        let is_meant = |placed: &PlacedOffer<'_>| {
            let other = owner(self.repositories[placed.repository].alias);
            own.is_empty() || other.is_empty() || is_written(other)
        };
        of_others.into_iter().filter(is_meant).collect()
    }

    /// Returns the repositories that build the image of a workload.
    ///
    /// An image with another name, such as `acme/shop-cart` or `${IMAGE}:${TAG}-cart`, is that of the repository `cart` if the workload
    /// has this name as well. So are `shop-cart` and `cart-service` if at least three images of the deployment begin or end in this way.
    pub(super) fn of_workload(&self, deployment: usize, workload: &str, image: &str) -> Vec<PlacedOffer<'a>> {
        if let Some(folder) = image.strip_prefix("build:") {
            let own = self.built.by_folder.get(&(deployment, folder.trim_matches('/').into()));
            if let Some(own) = own {
                return vec![own.offer(self.repositories)];
            }
        }
        let name = image_name(image);
        let named = self.builders_of_image(deployment, &name, image);
        if !named.is_empty() {
            return named;
        }
        let start = self.built.shared_starts.get(&deployment);
        if let Some(rest) = start.and_then(|start| name.strip_prefix(start.as_str())) {
            return self.builders_of_image(deployment, rest, image);
        }
        let end = self.built.shared_ends.get(&deployment);
        if let Some(rest) = end.and_then(|end| name.strip_suffix(end.as_str())) {
            return self.builders_of_image(deployment, rest, image);
        }
        let workload = workload.to_ascii_lowercase();
        let is_part = name != workload && has_word(&without_placeholders(image), &workload);
        if is_part {
            return self.builders_of_image(deployment, &workload, image);
        }
        self.unbuilt(deployment, &name)
    }

    /// Returns the repository that has the name of an image, if it has the code of a service and builds no image itself. A name of one word
    /// may be that of a public image.
    fn unbuilt(&self, deployment: usize, name: &str) -> Vec<PlacedOffer<'a>> {
        let own = owner(self.repositories[deployment].alias);
        let is_near = |placed: &PlacedOffer<'_>| owner(self.repositories[placed.repository].alias) == own;
        let places = self.built.unbuilt.get(name).filter(|_| name.contains(['-', '_'])).into_iter().flatten();
        let found: Vec<PlacedOffer<'a>> = places.map(|place| place.offer(self.repositories)).filter(is_near).collect();
        if found.len() == 1 { found } else { Vec::new() }
    }
}

/// Returns true for an offer that the code of a service makes: a route, or the name under which it registers itself. A library may listen
/// on a port, too.
fn is_of_service(offer: &SurfaceOffer) -> bool {
    match offer.kind {
        ContractKind::Http => true,
        ContractKind::Host => offer.member.is_empty() && !offer.key.starts_with(':'),
        _ => false,
    }
}

/// Returns the owner in the alias of a repository: `acme` of `acme/cart`; empty if there is none.
pub(super) fn owner(alias: &str) -> &str {
    alias.rsplit_once('/').map_or("", |(owner, _)| owner.rsplit('/').next().unwrap_or(owner))
}

/// Returns the names under which a repository's image is known: as written, else that of its folder, and that of the repository if
/// the image is its only one or its folder has a generic name.
pub(super) fn names(alias: &str, offer: &SurfaceOffer, is_only: bool) -> Vec<String> {
    if !offer.key.is_empty() {
        return vec![image_name(&offer.key)];
    }
    let folder = offer.member.trim_matches('/').rsplit('/').next().unwrap_or_default();
    let is_generic = folder.is_empty() || GENERIC_FOLDERS.contains(&folder);
    let alias = alias.rsplit('/').next().unwrap_or(alias);
    // One of several images of a repository may have its name and that of the folder: `ads-java`.
    let both = format!("{alias}-{folder}");
    let is_whole = is_only || is_generic;
    let language = LANGUAGES.iter().find_map(|end| alias.strip_suffix(end)?.strip_suffix('-')).unwrap_or_default();
    let named = [
        (alias, is_whole),
        (language, is_whole && !language.is_empty()),
        (folder, !is_generic),
        (both.as_str(), !is_only && !is_generic),
    ];
    named.into_iter().filter(|(_, is_named)| *is_named).map(|(name, _)| name.to_ascii_lowercase()).collect()
}

/// Returns the name of an image without registry and tag: `cart` of `gcr.io/acme/cart:1.2@sha256:…`; of a folder to build
/// (`build:./src/cart`) its last part with a meaning.
pub(super) fn image_name(image: &str) -> String {
    if let Some(folder) = image.strip_prefix("build:") {
        let mut parts = folder.trim_matches('/').rsplit('/');
        let named = parts.find(|part| !part.is_empty() && !GENERIC_FOLDERS.contains(part));
        return named.unwrap_or_default().to_ascii_lowercase();
    }
    let image = without_placeholders(image);
    let image = image.split('@').next().unwrap_or(&image).trim_end_matches('/');
    let last = image.rsplit('/').next().unwrap_or(image);
    last.split(':').next().unwrap_or(last).to_ascii_lowercase()
}

/// Returns a text with `{}` for each variable and each unknown part.
fn without_placeholders(image: &str) -> String {
    let mut parts = image.split('{');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + "{}" + part.split_once('}').map_or("", |(_, rest)| rest))
}

/// Returns true if a word is in a text between other characters than letters and digits.
fn has_word(text: &str, word: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let is_end = |c: Option<char>| c.is_none_or(|c| !c.is_ascii_alphanumeric());
    !word.is_empty()
        && text
            .match_indices(word)
            .any(|(at, _)| is_end(text[..at].chars().next_back()) && is_end(text[at + word.len()..].chars().next()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_of_a_service_is_no_part_of_its_image() {
        for (alias, member, is_only, expected) in [
            ("acme/cart-go", "", true, &["cart-go", "cart"][..]),
            ("cart", "", true, &["cart"]),
            ("go", "", true, &["go"]),
            ("cart-cargo", "", true, &["cart-cargo"]),
            ("shop-go", "services/pay", false, &["pay", "shop-go-pay"]),
            ("ads", "java", false, &["java", "ads-java"]),
        ] {
            let site = crate::join::ContractSite { node: 0, path: "Dockerfile".into(), line: 1 };
            let offer = SurfaceOffer { kind: ContractKind::Image, key: "".into(), member: member.into(), site };
            assert_eq!(names(alias, &offer, is_only), expected, "{alias}");
        }
    }

    #[test]
    fn images_have_names_without_registry_and_tag() {
        for (image, expected) in [
            ("gcr.io/acme/cart:1.2@sha256:00", "cart"),
            ("localhost:5000/Cart", "cart"),
            ("{env:REGISTRY}/cart:{}", "cart"),
            ("build:services/cart/src", "cart"),
            ("build:", ""),
        ] {
            assert_eq!(image_name(image), expected, "{image}");
        }
    }
}
