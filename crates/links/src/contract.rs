//! Contracts of one repository, as its generation stores them.

use graph::Node;

/// The kind of boundary that a contract crosses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContractKind {
    /// A package as a whole.
    Package,
    /// A name of a package.
    PackageSymbol,
    /// A service, rpc or message of protobuf.
    Grpc,
    /// An HTTP route and its callers.
    Http,
    /// A topic, queue or subject of a message broker, or the name of a background job.
    Topic,
    /// A table of a database.
    Table,
    /// A setting of a deployment: a variable of a workload, and its value.
    Config,
    /// A variable that the environment sets, as code reads it.
    Variable,
    /// A name in the network, and the workload behind it.
    Host,
    /// A workload of a deployment, and the image that it runs.
    Workload,
    /// A container image, and the repository that builds it.
    Image,
}

impl ContractKind {
    /// Returns the kind with this number, in the order of declaration, which is also the number on disk.
    pub fn from_index(index: u8) -> Option<ContractKind> {
        use ContractKind::*;
        const KINDS: [ContractKind; 11] =
            [Package, PackageSymbol, Grpc, Http, Topic, Table, Config, Variable, Host, Workload, Image];
        KINDS.get(index as usize).copied()
    }

    /// Returns true for contracts between services, which [`services::join`](crate::services::join) links.
    pub fn is_of_services(self) -> bool {
        !matches!(self, ContractKind::Package | ContractKind::PackageSymbol)
    }

    /// Returns true for the key of a constant that names a topic for other repositories.
    pub fn is_constant(self, key: &str) -> bool {
        self == ContractKind::Topic && crate::contracts::constant_name(key).is_some()
    }
}

/// The contracts of one file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FileContracts {
    /// Everything that other repositories may use.
    pub offers: Vec<ContractOffer>,
    /// Everything that the file uses of other repositories.
    pub uses: Vec<ContractUse>,
    /// The HTTP routes that the file registers.
    pub routes: Vec<HttpRoute>,
}

/// A thing that other repositories may use.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ContractOffer {
    /// The kind of boundary.
    pub kind: ContractKind,
    /// The key that both sides write; of a package symbol the key of the package.
    pub key: String,
    /// By kind; otherwise empty.
    ///
    /// - Package symbol: its name within the package, `module.path::Name`.
    /// - Host: the workload; empty if the application of the repository registers itself under this name.
    /// - Workload: the image as written (`registry/acme/cart:1.2`), or `build:` with the folder in the repository.
    /// - Table: `model` if a model declares it; empty if a migration or a schema defines it.
    /// - Topic: of a queue or subscription, the topic that its messages come from, as a key; of a constant, its text.
    /// - HTTP: of a route of a proxy the address of the service behind it, a space, and the path that replaces the prefix.
    /// - Image: the folder of its Dockerfile. The key is the name of the image without registry and tag; empty if it is not written.
    pub member: String,
    /// The definition or file that is offered.
    pub node: Node,
    /// The line of the definition, from 1.
    pub line: u32,
}

impl ContractOffer {
    /// Returns true for a constant that names a topic for other repositories. It is no contract of its own.
    pub fn is_constant(&self) -> bool {
        self.kind.is_constant(&self.key)
    }
}

/// A use of a thing that the repository does not define.
#[derive(Debug, Clone, PartialEq)]
pub struct ContractUse {
    /// The kind of boundary.
    pub kind: ContractKind,
    /// The key that both sides write; of a package symbol the key of the package; of a setting `WORKLOAD/VARIABLE`.
    pub key: String,
    /// By kind; otherwise empty.
    ///
    /// - Package symbol: its name within the package.
    /// - HTTP, rpc: the address that the call goes to, as an [address template](crate::services::AddressTemplate).
    /// - Setting: the value, if it is an address.
    /// - Variable: the default in the code, if it is an address.
    pub member: String,
    /// The innermost definition that contains the use; otherwise the file.
    pub node: Node,
    /// The line of the first use, from 1.
    pub line: u32,
    /// The confidence that the use means this key, in (0, 1].
    pub confidence: f32,
    /// The number of uses.
    pub n_sites: u32,
    /// True if the definition implements the rpc or service instead of calling it, or consumes the messages of a topic.
    pub serves: bool,
}

/// An HTTP route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpRoute {
    /// In capitals, such as `GET`; `*` for a route of every method.
    pub method: String,
    /// The path as the framework writes it, with its prefix.
    pub path: String,
    /// The line of the registration, from 1.
    pub line: u32,
    /// The function that handles the route, where it is known.
    pub handler: Option<Node>,
}
