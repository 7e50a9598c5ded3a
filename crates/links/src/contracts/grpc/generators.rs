//! Names of generated code, by language and generator.
//!
//! A pattern is the end of a path of names, in which `*` stands for the service. It begins the path where it does not begin a name:
//! `*Grpc.newBlockingStub` matches `shop.CartGrpc.newBlockingStub`.

use model::Language;

/// The part of generated code that a name is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A client: its type, or the function that makes one.
    Client,
    /// The type that a server extends, embeds or implements.
    ServerBase,
    /// The interface of a server in a language where types do not name what they implement.
    ServerInterface,
    /// The function that registers a server; its argument of this index is the server.
    Registration(usize),
}

/// A name of generated code.
struct GeneratedName {
    pattern: &'static str,
    role: Role,
    /// True if no other library has such names.
    is_specific: bool,
}

/// The names that the generators of some languages make. The first pattern that matches counts.
struct Generators {
    languages: &'static [Language],
    names: &'static [GeneratedName],
}

const fn specific(pattern: &'static str, role: Role) -> GeneratedName {
    GeneratedName { pattern, role, is_specific: true }
}

const fn common(pattern: &'static str, role: Role) -> GeneratedName {
    GeneratedName { pattern, role, is_specific: false }
}

use Role::{Client, Registration, ServerBase, ServerInterface};

const GENERATORS: [Generators; 12] = [
    // protoc-gen-go-grpc, connect-go, twirp.
    Generators {
        languages: &[Language::Go],
        names: &[
            common("New*ProtobufClient", Client),
            common("New*JSONClient", Client),
            common("New*Client", Client),
            common("*Client", Client),
            specific("Unimplemented*Server", ServerBase),
            specific("Unsafe*Server", ServerBase),
            specific("Unimplemented*Handler", ServerBase),
            common("Register*Server", Registration(1)),
            common("New*Handler", Registration(0)),
            common("New*Server", Registration(0)),
            common("*Server", ServerInterface),
            common("*Handler", ServerInterface),
        ],
    },
    // grpcio-tools, betterproto, grpclib.
    Generators {
        languages: &[Language::Python],
        names: &[
            common("*AsyncStub", Client),
            common("*Stub", Client),
            specific("*Servicer", ServerBase),
            common("*Base", ServerBase),
            specific("add_*Servicer_to_server", Registration(0)),
        ],
    },
    // protoc-gen-grpc-java, grpc-kotlin, Mutiny, reactive-grpc, ScalaPB.
    Generators {
        languages: &[Language::Java, Language::Kotlin, Language::Scala],
        names: &[
            specific("*Grpc.newBlockingV2Stub", Client),
            specific("*Grpc.newBlockingStub", Client),
            specific("*Grpc.newFutureStub", Client),
            specific("*Grpc.newStub", Client),
            specific("Mutiny*Grpc.newMutinyStub", Client),
            specific("Reactor*Grpc.newReactorStub", Client),
            specific("*Grpc.blockingStub", Client),
            specific("*Grpc.stub", Client),
            specific("*BlockingV2Stub", Client),
            specific("*BlockingStub", Client),
            specific("*FutureStub", Client),
            specific("*CoroutineStub", Client),
            specific("Mutiny*Stub", Client),
            specific("Reactor*Stub", Client),
            common("*Stub", Client),
            specific("*CoroutineImplBase", ServerBase),
            specific("Mutiny*ImplBase", ServerBase),
            specific("Reactor*ImplBase", ServerBase),
            specific("*ImplBase", ServerBase),
            specific("*Grpc.AsyncService", ServerBase),
            specific("*Grpc.*", ServerBase),
        ],
    },
    // Grpc.Tools.
    Generators {
        languages: &[Language::CSharp],
        names: &[specific("*.*Client", Client), common("*Client", Client), specific("*.*Base", ServerBase)],
    },
    // grpc-tools, proto-loader, ts-proto, nice-grpc, Nest, connect-es, grpc-web.
    Generators {
        languages: &[Language::JavaScript, Language::TypeScript, Language::Tsx],
        names: &[
            common("*ClientImpl", Client),
            common("*PromiseClient", Client),
            common("I*Client", Client),
            common("*Client", Client),
            common("*Implementation", ServerBase),
            common("I*Server", ServerBase),
            common("*Server", ServerBase),
            common("*Controller", ServerBase),
        ],
    },
    // tonic. Servers implement a trait in a module of the service.
    Generators {
        languages: &[Language::Rust],
        names: &[common("*Client", Client), common("*Server.new", Registration(0))],
    },
    // grpc_cpp_plugin.
    Generators {
        languages: &[Language::Cpp, Language::C],
        names: &[
            specific("*.NewStub", Client),
            specific("*.StubInterface", Client),
            specific("*.Stub", Client),
            common("*.Service", ServerBase),
            specific("*.AsyncService", ServerBase),
            specific("*.CallbackService", ServerBase),
            specific("*.ExperimentalCallbackService", ServerBase),
        ],
    },
    // grpc-tools for Ruby, twirp-ruby.
    Generators {
        languages: &[Language::Ruby],
        names: &[specific("*.Stub", Client), common("*Client", Client), specific("*.Service", ServerBase)],
    },
    // grpc_php_plugin, RoadRunner.
    Generators {
        languages: &[Language::Php],
        names: &[common("*Client", Client), common("*Interface", ServerBase), common("*Interface", Client)],
    },
    // grpc-elixir.
    Generators {
        languages: &[Language::Elixir],
        names: &[specific("*.Stub", Client), specific("*.Service", ServerBase)],
    },
    // protoc_plugin of Dart.
    Generators { languages: &[Language::Dart], names: &[common("*Client", Client), common("*Base", ServerBase)] },
    // grpc-swift 1 and 2.
    Generators {
        languages: &[Language::Swift],
        names: &[
            common("*AsyncClientProtocol", Client),
            common("*ClientProtocol", Client),
            common("*AsyncClient", Client),
            common("*NIOClient", Client),
            common("*.Client", Client),
            common("*Client", Client),
            specific("*AsyncProvider", ServerBase),
            common("*Provider", ServerBase),
            specific("*.SimpleServiceProtocol", ServerBase),
            specific("*.StreamingServiceProtocol", ServerBase),
            specific("*.ServiceProtocol", ServerBase),
        ],
    },
];

/// The service of a name of generated code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GeneratedMatch {
    /// The service, without its package.
    pub(super) service: String,
    /// The number of names before those of the pattern.
    pub(super) n_before: usize,
    /// The role of the name.
    pub(super) role: Role,
    /// True if no other library has such names.
    pub(super) is_specific: bool,
}

/// Returns the service behind a path of names, if it is of generated code and has one of some roles.
pub(super) fn find(language: Language, path: &[&str], is_role: impl Fn(Role) -> bool) -> Option<GeneratedMatch> {
    let generators = GENERATORS.iter().find(|one| one.languages.contains(&language))?;
    generators.names.iter().filter(|name| is_role(name.role)).find_map(|name| {
        let service = service(name.pattern, path)?;
        let n_names = name.pattern.split('.').count();
        Some(GeneratedMatch {
            service: language_service(language, service).to_owned(),
            n_before: path.len() - n_names,
            role: name.role,
            is_specific: name.is_specific,
        })
    })
}

/// Returns the service at the `*` of a pattern. It compares from the last name on, which most patterns do not match.
fn service<'n>(pattern: &str, path: &[&'n str]) -> Option<&'n str> {
    let mut service = None;
    let mut names = path.iter().rev();
    for pattern in pattern.rsplit('.') {
        let name = names.next()?;
        let Some((before, after)) = pattern.split_once('*') else {
            if pattern != *name {
                return None;
            }
            continue;
        };
        let found = name.strip_suffix(after)?.strip_prefix(before)?;
        if service.is_some_and(|service| service != found) || !starts_upper(found) {
            return None;
        }
        service = Some(found);
    }
    service
}

/// Returns the service of a name, without what a language adds to it.
fn language_service(language: Language, service: &str) -> &str {
    match language {
        // The type of implementations of `CartService` is `CartServiceServiceImplementation`.
        Language::TypeScript | Language::Tsx | Language::JavaScript if service.ends_with("ServiceService") => {
            &service[..service.len() - "Service".len()]
        }
        _ => service,
    }
}

/// Functions of a type of client that return a client.
pub(super) const CONSTRUCTORS: [&str; 12] = [
    "new",
    "connect",
    "connect_lazy",
    "with_interceptor",
    "with_origin",
    "build",
    "create",
    "newBuilder",
    "newStub",
    "default",
    "init",
    "from_channel",
];

/// Methods of clients that return the client with another option; they are no rpcs.
pub(super) fn is_option(method: &str) -> bool {
    const OPTIONS: [&str; 14] = [
        "clone",
        "to_owned",
        "as_ref",
        "as_mut",
        "get",
        "lock",
        "unwrap",
        "expect",
        "send_compressed",
        "accept_compressed",
        "max_decoding_message_size",
        "max_encoding_message_size",
        "CreateScope",
        "build",
    ];
    OPTIONS.contains(&method)
        || method.strip_prefix("with").is_some_and(|rest| starts_upper(rest) || rest.starts_with('_'))
}

/// Methods that a client has besides its rpcs.
pub(super) fn is_client_method(method: &str) -> bool {
    const METHODS: [&str; 10] = [
        "close",
        "Close",
        "waitForReady",
        "getChannel",
        "GetChannel",
        "makeUnaryRequest",
        "getCallOptions",
        "Dispose",
        "shutdown",
        "WithHost",
    ];
    METHODS.contains(&method) || is_option(method) || CONSTRUCTORS.contains(&method)
}

fn starts_upper(name: &str) -> bool {
    name.starts_with(|c: char| c.is_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_are_found_in_names_of_generated_code() {
        for (language, path, expected) in [
            (Language::Go, "pb.NewCartServiceClient", Some("CartService")),
            (Language::Go, "shopconnect.NewCartServiceClient", Some("CartService")),
            (Language::Go, "pb.NewCartProtobufClient", Some("Cart")),
            (Language::Go, "pb.UnimplementedCartServer", Some("Cart")),
            (Language::Go, "pb.RegisterCartServer", Some("Cart")),
            (Language::Go, "http.Client", None),
            (Language::Python, "shop_pb2_grpc.CartStub", Some("Cart")),
            (Language::Python, "add_CartServicer_to_server", Some("Cart")),
            (Language::Java, "CartGrpc.newBlockingStub", Some("Cart")),
            (Language::Java, "CartGrpc.CartImplBase", Some("Cart")),
            (Language::Java, "CartBlockingStub", Some("Cart")),
            (Language::Kotlin, "CartGrpcKt.CartCoroutineStub", Some("Cart")),
            (Language::CSharp, "Cart.CartClient", Some("Cart")),
            (Language::CSharp, "Cart.CartBase", Some("Cart")),
            (Language::CSharp, "Cart.OrderBase", None),
            (Language::TypeScript, "CartServiceServiceImplementation", Some("CartService")),
            (Language::TypeScript, "CartClientImpl", Some("Cart")),
            (Language::Rust, "cart_client.CartClient", Some("Cart")),
            (Language::Cpp, "shop.Cart.NewStub", Some("Cart")),
            (Language::Cpp, "shop.Cart.Service", Some("Cart")),
            (Language::Ruby, "Shop.Cart.Stub", Some("Cart")),
            (Language::Elixir, "Shop.Cart.Service", Some("Cart")),
            (Language::Swift, "Shop_CartAsyncClient", Some("Shop_Cart")),
            (Language::Bash, "CartClient", None),
        ] {
            let path: Vec<&str> = path.split('.').collect();
            let found = find(language, &path, |_| true).map(|found| found.service);
            assert_eq!(found.as_deref(), expected, "{language:?} {path:?}");
        }
    }
}
