//! The code graph of a fake repository, from lines such as `a -calls-> b`.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use proto::v1;

use super::{FakeRepository, file, symbols};

/// A parsed graph. Its syntax names nodes by symbol, path, or route:
///
/// `a -calls-> b`, `a -calls 0.3-> b`, `route GET /x -> handler`, `offer grpc a.v1.S/Get = node`,
/// `use http GET /x at http://host by node`, `offer image host = node`, `use symbol npm:kit::Sum by node`, `serve grpc a.v1.S/Get by node`, `member npm:kit::Sum
/// = node`, `commits 5 path`, `active 19000 Ada path path`: a commit of that day.
pub(super) struct Graph {
    pub(super) cards: Vec<v1::NodeCard>,
    pub(super) edges: Vec<v1::GraphEdge>,
    pub(super) surface: v1::Surface,
    pub(super) members: HashMap<(String, String), u32>,
    pub(super) commits: HashMap<String, u32>,
    /// Day, author and files of each.
    pub(super) active: Vec<(i64, String, Vec<String>)>,
    /// The subject of every commit, if it does not name its files.
    subject: Option<&'static str>,
}

impl Graph {
    pub(super) fn of(repository: &FakeRepository) -> Graph {
        let mut graph = Graph {
            cards: Vec::new(),
            edges: Vec::new(),
            surface: v1::Surface {
                repository: repository.hex(),
                generation: repository.generation(),
                ..Default::default()
            },
            members: HashMap::new(),
            commits: HashMap::new(),
            active: Vec::new(),
            subject: repository.prose,
        };
        let mut numbers: HashMap<String, u32> = HashMap::new();
        graph.add_nodes(repository, &mut numbers);
        for line in &repository.graph {
            graph.read(line, &numbers);
        }
        graph.edges.sort_by_key(|edge| (edge.from, edge.to, edge.kind));
        graph.count_uses();
        graph
    }

    fn add_nodes(&mut self, repository: &FakeRepository, numbers: &mut HashMap<String, u32>) {
        let symbols: Vec<_> = repository
            .files
            .iter()
            .flat_map(|(path, text)| symbols(text).into_iter().map(move |symbol| (*path, *text, symbol)))
            .collect();
        let n_symbols = symbols.len() as u32;
        let file_node = |path: &str| {
            n_symbols + repository.files.iter().position(|(own, _)| *own == path).expect("symbols are of files") as u32
        };
        let lines: HashMap<&str, Vec<&str>> =
            repository.files.iter().map(|(path, text)| (*path, text.lines().collect())).collect();
        for (path, text, symbol) in symbols {
            let v1::Lines { start, end } = symbol.lines.unwrap_or_default();
            let body = lines[path][start as usize - 1..end as usize].join("\n");
            let hash = blake3::hash(body.as_bytes()).to_hex()[..16].to_owned();
            numbers.entry(symbol.name.clone()).or_insert(self.cards.len() as u32);
            self.add(repository, path, text, &symbol.kind.clone(), file_node(path), |card| {
                card.symbol = Some(symbol);
                card.content_hash = hash;
            });
        }
        for (path, text) in &repository.files {
            numbers.insert((*path).to_owned(), self.cards.len() as u32);
            self.add(repository, path, text, "file", file_node(path), |_| {});
        }
        for line in &repository.graph {
            let Some(route) = line.strip_prefix("route ") else { continue };
            let (route, handler) = route.split_once(" -> ").expect("a route has a handler");
            let (method, route_path) = route.split_once(' ').expect("a route has a method");
            let (path, text) = repository.files[0];
            numbers.insert(route.to_owned(), self.cards.len() as u32);
            let route = v1::Route {
                method: method.to_owned(),
                path: route_path.to_owned(),
                line: 1,
                handler: Some(numbers[handler]),
            };
            self.add(repository, path, text, "route", file_node(path), |card| card.route = Some(route));
        }
    }

    fn add(
        &mut self,
        repository: &FakeRepository,
        path: &str,
        text: &str,
        kind: &str,
        file_node: u32,
        change: impl FnOnce(&mut v1::NodeCard),
    ) {
        let domain = match path {
            _ if path.ends_with(".proto") => v1::Domain::Api,
            _ if path.ends_with(".md") => v1::Domain::Docs,
            _ => v1::Domain::Code,
        };
        let node = v1::GraphNode {
            id: self.cards.len() as u32,
            domain: domain.into(),
            importance: 1.0,
            kind: kind.to_owned(),
            is_test: path.contains("test"),
        };
        let mut card = v1::NodeCard {
            repository: repository.hex(),
            node: Some(node),
            file: Some(self.file(path, text, file_node)),
            file_node,
            community: repository.prose.map(|label| v1::Community {
                label: label.to_owned(),
                members: 2,
                cohesion: 0.5,
                ..Default::default()
            }),
            ..Default::default()
        };
        change(&mut card);
        self.cards.push(card);
    }

    /// Returns the file of a node. All nodes of a file share one copy, since its text may be long.
    fn file(&self, path: &str, text: &str, node: u32) -> v1::File {
        let known = self.cards.last().and_then(|card| card.file.as_ref()).filter(|file| file.path == path);
        known.cloned().unwrap_or_else(|| v1::File { node, ..file(path, text) })
    }

    fn read(&mut self, line: &str, numbers: &HashMap<String, u32>) {
        let number = |name: &str| *numbers.get(name).unwrap_or_else(|| panic!("no node {name} for {line}"));
        if let Some(route) = line.strip_prefix("route ") {
            let (route, handler) = route.split_once(" -> ").expect("a route has a handler");
            self.edge(number(route), number(handler), v1::EdgeKind::Handles, 1.0);
            self.add_offer(v1::ContractKind::Http, route, number(route));
        } else if let Some(offer) = line.strip_prefix("offer ") {
            let (kind, rest) = offer.split_once(' ').expect("an offer has a kind");
            let (key, node) = rest.split_once(" = ").expect("an offer has a node");
            self.add_offer(contract(kind), key, number(node));
        } else if let Some(used) = line.strip_prefix("use ") {
            self.add_use(used, number, false);
        } else if let Some(served) = line.strip_prefix("serve ") {
            self.add_use(served, number, true);
        } else if let Some(member) = line.strip_prefix("member ") {
            let (name, node) = member.split_once(" = ").expect("a member has a node");
            let (package, name) = name.split_once("::").expect("a member has a package");
            self.members.insert((package.to_owned(), name.to_owned()), number(node));
        } else if let Some(commits) = line.strip_prefix("commits ") {
            let (n_commits, path) = commits.split_once(' ').expect("commits have a file");
            self.commits.insert(path.to_owned(), n_commits.parse().expect("a number"));
        } else if let Some(active) = line.strip_prefix("active ") {
            let mut words = active.split(' ').map(str::to_owned);
            let day = words.next().and_then(|day| day.parse().ok()).expect("a day");
            self.active.push((day, words.next().expect("an author"), words.collect()));
        } else {
            let (from, rest) = line.split_once(" -").expect("an edge has a kind");
            let (kind, to) = rest.split_once("-> ").expect("an edge has an end");
            let (kind, confidence) = kind.split_once(' ').unwrap_or((kind, "1"));
            let confidence = confidence.parse().expect("a number");
            self.edge(number(from), number(to), edge_kind(kind), confidence);
        }
    }

    fn edge(&mut self, from: u32, to: u32, kind: v1::EdgeKind, confidence: f32) {
        let line = self.line(from);
        let resolution = "scope".to_owned();
        self.edges.push(v1::GraphEdge {
            from,
            to,
            kind: kind.into(),
            resolution,
            confidence,
            line,
            sites: 1,
            ..Default::default()
        });
    }

    fn add_offer(&mut self, kind: v1::ContractKind, key: &str, node: u32) {
        let (path, line) = (self.path(node), self.line(node));
        self.surface.offers.push(v1::Offer {
            kind: kind.into(),
            key: key.to_owned(),
            node,
            path,
            line,
            member: String::new(),
        });
    }

    fn add_use(&mut self, text: &str, number: impl Fn(&str) -> u32, serves: bool) {
        let (kind, rest) = text.split_once(' ').expect("a use has a kind");
        let (key, node) = rest.split_once(" by ").expect("a use has a node");
        let (key, member) = match kind {
            "symbol" => key.split_once("::").expect("a name"),
            "http" => key.split_once(" at ").unwrap_or((key, "")),
            _ => (key, ""),
        };
        let node = number(node);
        self.surface.uses.push(v1::Use {
            kind: contract(kind).into(),
            key: key.to_owned(),
            member: member.to_owned(),
            node,
            path: self.path(node),
            line: self.line(node),
            confidence: 1.0,
            sites: 1,
            serves,
        });
    }

    /// Returns the authors with their active days.
    pub(super) fn active_authors(&self) -> Vec<v1::ActiveAuthor> {
        let mut days: BTreeMap<&str, BTreeSet<i32>> = BTreeMap::new();
        for (day, author, _) in &self.active {
            days.entry(author).or_default().insert(*day as i32);
        }
        let author = |(name, days): (&str, BTreeSet<i32>)| v1::ActiveAuthor {
            name: name.to_owned(),
            days: days.into_iter().collect(),
        };
        days.into_iter().map(author).collect()
    }

    /// Returns the commits that match an item.
    pub(super) fn active_commits(&self, item: &v1::ActiveCommitsItem) -> (Vec<v1::ActiveCommit>, Vec<String>) {
        let paths: BTreeSet<&String> = self.active.iter().flat_map(|(_, _, files)| files).collect();
        let paths: Vec<String> = paths.into_iter().cloned().collect();
        let is_wanted = |(day, author, files): &&(i64, String, Vec<String>)| {
            let is_then = item.days.iter().any(|days| (i64::from(days.first)..=i64::from(days.last)).contains(day));
            (item.authors.is_empty() || item.authors.contains(author))
                && (item.paths.is_empty() || files.iter().any(|file| item.paths.contains(file)))
                && (item.days.is_empty() || is_then)
        };
        let commit = |(day, author, files): &(i64, String, Vec<String>)| v1::ActiveCommit {
            change: Some(v1::Change {
                commit: format!("{day:08x}").repeat(5),
                at: day * 86_400,
                author: author.clone(),
                subject: self.subject.map_or_else(|| format!("Change {}", files.join(" and ")), str::to_owned),
            }),
            files: files.iter().filter_map(|file| paths.binary_search(file).ok()).map(|at| at as u32).collect(),
        };
        let mut found: Vec<v1::ActiveCommit> = self.active.iter().filter(is_wanted).map(commit).collect();
        found.sort_by_key(|commit| std::cmp::Reverse(commit.change.as_ref().map(|change| change.at)));
        found.truncate(item.limit as usize);
        (found, paths)
    }

    pub(super) fn path(&self, node: u32) -> String {
        self.cards[node as usize].file.as_ref().map(|file| file.path.clone()).unwrap_or_default()
    }

    pub(super) fn line(&self, node: u32) -> u32 {
        self.cards[node as usize].symbol.as_ref().map_or(1, |symbol| symbol.name_line)
    }

    fn count_uses(&mut self) {
        for edge in &self.edges {
            let kind = edge.kind();
            if kind == v1::EdgeKind::Calls {
                self.cards[edge.from as usize].callees += 1;
                self.cards[edge.to as usize].callers += 1;
            }
            let to = &mut self.cards[edge.to as usize];
            to.tests += u32::from(kind == v1::EdgeKind::Tests);
            to.references += u32::from(kind == v1::EdgeKind::References);
            if let Some(node) = to.node.as_mut() {
                node.importance += 1.0;
            }
        }
        for card in &mut self.cards {
            let used_by = card.callers + card.tests + card.references;
            if let Some(symbol) = card.symbol.as_mut() {
                symbol.node = card.node.as_ref().map_or(0, |node| node.id);
                symbol.used_by = used_by;
                symbol.importance = card.node.as_ref().map_or(0.0, |node| node.importance);
            }
        }
    }

    /// Returns the symbol of a file with its node and its figures.
    pub(super) fn symbol(&self, path: &str, name: &str, ordinal: u32) -> Option<v1::Symbol> {
        let own = self.cards.iter().filter(|card| card.file.as_ref().is_some_and(|file| file.path == path));
        let mut symbols = own.filter_map(|card| card.symbol.as_ref());
        symbols.find(|symbol| symbol.name == name && symbol.ordinal == ordinal).cloned()
    }

    /// Returns the edges at some nodes as a worker does: a page, or the first `limit` per node, direction and kind.
    pub(super) fn neighbourhood(&self, set: &v1::NodeSet, request: &v1::NeighboursRequest) -> v1::Neighbourhood {
        let (mut edges, mut omitted) = (Vec::new(), 0);
        let mut counts: HashMap<(u32, bool, i32), u32> = HashMap::new();
        for edge in &self.edges {
            let is_wanted = (request.kinds.is_empty() || request.kinds.contains(&edge.kind))
                && edge.confidence >= request.min_confidence;
            let mut is_shown = false;
            for (node, is_out) in [(edge.from, true), (edge.to, false)] {
                let goes = match request.direction() {
                    v1::Direction::Out => is_out,
                    v1::Direction::In => !is_out,
                    _ => true,
                };
                if !is_wanted || !goes || !set.nodes.contains(&node) {
                    continue;
                }
                let count = counts.entry((node, is_out, edge.kind)).or_default();
                *count += 1;
                if *count <= request.limit || request.page_size > 0 { is_shown = true } else { omitted += 1 }
            }
            if is_shown {
                edges.push(edge.clone());
            }
        }
        if request.page_size > 0 {
            edges.drain(..edges.len().min(request.offset as usize));
            omitted = edges.len().saturating_sub(request.page_size as usize) as u64;
            edges.truncate(request.page_size as usize);
        }
        let mut nodes: Vec<u32> = edges.iter().flat_map(|edge| [edge.from, edge.to]).chain(set.nodes.clone()).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let nodes = nodes.iter().filter_map(|node| self.cards[*node as usize].node.clone()).collect();
        v1::Neighbourhood { repository: self.surface.repository.clone(), edges, nodes, omitted }
    }
}

fn contract(kind: &str) -> v1::ContractKind {
    match kind {
        "package" => v1::ContractKind::Package,
        "symbol" => v1::ContractKind::PackageSymbol,
        "grpc" => v1::ContractKind::Grpc,
        "http" => v1::ContractKind::Http,
        "image" => v1::ContractKind::Image,
        other => panic!("no contract {other}"),
    }
}

fn edge_kind(kind: &str) -> v1::EdgeKind {
    v1::EdgeKind::from_str_name(&format!("EDGE_KIND_{}", kind.to_uppercase())).expect("a kind of edge")
}
