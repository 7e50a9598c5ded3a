//! Generators of clients and servers of gRPC, Connect and Twirp.

use super::{ContractKind, NearMiss, NotationRow};

/// The definition, which the repository of the server has.
const PROTO: &str = "//- /shop/v1/cart.proto\nsyntax = \"proto3\";\npackage shop.v1;\nmessage Query { string id = 1; }\nmessage Cart { string id = 1; }\nservice CartService { rpc GetCart(Query) returns (Cart); }\n";

/// A server of Go, for the clients without a server of their language.
const GO_SERVER: &str = "//- /s.go\npackage s\nimport pb \"m.org/gen/shop/v1\"\ntype server struct { pb.UnimplementedCartServiceServer }\nfunc (s *server) GetCart(q *pb.Query) {}\nfunc main() { pb.RegisterCartServiceServer(g, &server{}) }";

/// Language or generator, client, server, near miss of the client.
#[rustfmt::skip]
const ROWS: &[(&str, &str, &str, &str)] = &[
    (
        "gRPC of Go",
        "//- /c.go\npackage c\nimport pb \"m.org/gen/shop/v1\"\nfunc F(ctx C, conn *grpc.ClientConn) { pb.NewCartServiceClient(conn).GetCart(ctx, &pb.Query{}) }",
        GO_SERVER,
        "//- /c.go\npackage c\nimport \"m.org/store\"\nfunc F(ctx C) { store.NewCartServiceCache().GetCart(ctx) }",
    ),
    (
        "gRPC of Python",
        "//- /c.py\nimport grpc\nfrom shop.v1 import cart_pb2, cart_pb2_grpc\ndef run(channel):\n    stub = cart_pb2_grpc.CartServiceStub(channel)\n    return stub.GetCart(cart_pb2.Query())\n",
        "//- /s.py\nfrom shop.v1 import cart_pb2_grpc\nclass Carts(cart_pb2_grpc.CartServiceServicer):\n    def GetCart(self, request, context):\n        pass\ndef serve(server):\n    cart_pb2_grpc.add_CartServiceServicer_to_server(Carts(), server)\n",
        "//- /c.py\nfrom store import CartService\ndef run():\n    return CartService().GetCart(1)\n",
    ),
    (
        "gRPC of Java",
        "//- /C.java\npackage app;\nimport shop.v1.CartServiceGrpc;\npublic class C {\n  void run(ManagedChannel ch) { CartServiceGrpc.newBlockingStub(ch).getCart(q); }\n}",
        "//- /S.java\npackage app;\nimport shop.v1.CartServiceGrpc;\npublic class S extends CartServiceGrpc.CartServiceImplBase {\n  @Override public void getCart(Query q, StreamObserver<Cart> o) {}\n}",
        "//- /C.java\npackage app;\npublic class C {\n  private CartService carts;\n  void run() { carts.getCart(q); }\n}",
    ),
    (
        "gRPC of Kotlin",
        "//- /C.kt\npackage app\nimport shop.v1.CartServiceGrpcKt.CartServiceCoroutineStub\nclass C(private val carts: CartServiceCoroutineStub) {\n  suspend fun run() { carts.getCart(q) }\n}",
        "//- /S.kt\npackage app\nimport shop.v1.CartServiceGrpcKt\nclass S : CartServiceGrpcKt.CartServiceCoroutineImplBase() {\n  override suspend fun getCart(q: Query): Cart { return Cart() }\n}",
        "//- /C.kt\npackage app\nclass C(private val carts: CartGateway) {\n  fun run() { carts.getCart(1) }\n}",
    ),
    (
        "gRPC of C#",
        "//- /C.cs\nusing Shop.V1;\npublic class C {\n  private readonly CartService.CartServiceClient _carts;\n  public async Task Run() { await _carts.GetCartAsync(q); }\n}",
        "//- /S.cs\nusing Shop.V1;\npublic class S : CartService.CartServiceBase {\n  public override Task<Cart> GetCart(Query q, ServerCallContext c) { return null; }\n}",
        "//- /C.cs\nusing System.Net;\npublic class C {\n  private readonly CartStore _carts;\n  public async Task Run() { await _carts.GetCartAsync(q); }\n}",
    ),
    (
        "gRPC of JavaScript with static code",
        "//- /c.js\nconst { CartServiceClient } = require('./gen/cart_grpc_pb');\nfunction run() { new CartServiceClient('cart:80', creds).getCart(q, done); }",
        "//- /s.js\nconst services = require('./gen/cart_grpc_pb');\nfunction getCart(call, done) {}\nserver.addService(services.CartServiceService, { getCart });",
        "//- /c.js\nconst { CartServiceCache } = require('./gen/cache');\nfunction run() { new CartServiceCache('cart:80').getCart(q, done); }",
    ),
    (
        "gRPC of JavaScript with protoLoader",
        "//- /c.js\nconst grpc = require('@grpc/grpc-js');\nconst shop = grpc.loadPackageDefinition(loader.loadSync(P)).shop.v1;\nfunction run() { const carts = new shop.CartService('cart:80', creds); carts.getCart({}, done); }",
        "//- /s.js\nconst grpc = require('@grpc/grpc-js');\nconst shop = grpc.loadPackageDefinition(loader.loadSync(P)).shop.v1;\nfunction getCart(call, done) {}\nserver.addService(shop.CartService.service, { getCart });",
        "//- /c.js\nconst shop = require('./models').shop.v1;\nfunction run() { const carts = new shop.CartService('cart:80'); carts.getCart({}, done); }",
    ),
    (
        "ts-proto",
        "//- /c.ts\nimport { CartServiceClientImpl } from './gen/shop/v1/cart';\nconst carts = new CartServiceClientImpl(rpc);\nexport async function run() { await carts.GetCart({}); }",
        "//- /s.ts\nimport { CartServiceService, CartServiceServer } from './gen/shop/v1/cart';\nimport { Server } from '@grpc/grpc-js';\nconst impl: CartServiceServer = { getCart(call, done) {} };\nnew Server().addService(CartServiceService, impl);",
        "//- /c.ts\nimport { CartServiceStore } from './stores/cart';\nconst carts = new CartServiceStore();\nexport async function run() { await carts.GetCart({}); }",
    ),
    (
        "nice-grpc",
        "//- /c.ts\nimport { createChannel, createClient } from 'nice-grpc';\nimport { CartServiceDefinition } from './gen/shop/v1/cart';\nexport async function run() { const carts = createClient(CartServiceDefinition, createChannel('cart:80')); await carts.getCart({}); }",
        "//- /s.ts\nimport { createServer } from 'nice-grpc';\nimport { CartServiceDefinition, CartServiceImplementation } from './gen/shop/v1/cart';\nconst impl: CartServiceImplementation = { async getCart(q) { return {}; } };\ncreateServer().add(CartServiceDefinition, impl);",
        "//- /c.ts\nimport { createClient } from 'redis';\nimport { CartServiceDefinition } from './options';\nexport async function run() { const carts = createClient(CartServiceDefinition); await carts.getCart({}); }",
    ),
    (
        "connect of TypeScript",
        "//- /c.ts\nimport { createClient } from '@connectrpc/connect';\nimport { CartService } from './gen/shop/v1/cart_connect';\nconst carts = createClient(CartService, createConnectTransport({ baseUrl: 'http://cart' }));\nexport async function run() { await carts.getCart({}); }",
        "//- /s.ts\nimport { ConnectRouter } from '@connectrpc/connect';\nimport { CartService } from './gen/shop/v1/cart_connect';\nexport default (router: ConnectRouter) => router.service(CartService, { async getCart(q) { return {}; } });",
        "//- /c.ts\nimport { createClient } from './cache';\nimport { CartService } from './services';\nconst carts = createClient(CartService);\nexport async function run() { await carts.getCart({}); }",
    ),
    (
        "grpc-web",
        "//- /c.js\nconst { CartServicePromiseClient } = require('./gen/cart_grpc_web_pb');\nfunction run() { new CartServicePromiseClient(url).getCart(q); }",
        GO_SERVER,
        "//- /c.js\nconst { CartServicePromises } = require('./promises');\nfunction run() { new CartServicePromises(url).getCart(q); }",
    ),
    (
        "gRPC of C++",
        "//- /c.cc\n#include \"shop.grpc.pb.h\"\nvoid Run() {\n  auto stub = shop::v1::CartService::NewStub(grpc::CreateChannel(\"cart:80\", creds));\n  stub->GetCart(&ctx, q, &r);\n}",
        "//- /s.cc\n#include \"shop.grpc.pb.h\"\nclass S final : public shop::v1::CartService::Service {\n  grpc::Status GetCart(grpc::ServerContext* c, const Query* q, Cart* r) override { return grpc::Status::OK; }\n};",
        "//- /c.cc\nclass CartService;\nvoid Run(CartService* carts) { carts->GetCart(1); }",
    ),
    (
        "tonic",
        "//- /src/main.rs\nuse pb::cart_service_client::CartServiceClient;\nasync fn run() -> Result<(), E> { let mut carts = CartServiceClient::connect(\"http://cart:80\").await?; carts.get_cart(q).await?; Ok(()) }",
        "//- /src/main.rs\nuse pb::cart_service_server::CartService;\nstruct S;\n#[tonic::async_trait]\nimpl CartService for S { async fn get_cart(&self, q: Request<Query>) {} }",
        "//- /src/main.rs\nuse http_client::Carts;\nasync fn run(carts: Carts) { carts.get_cart(1).await; }",
    ),
    (
        "gRPC of Ruby",
        "//- /c.rb\nrequire 'cart_services_pb'\nclass C\n  def run(addr)\n    Shop::V1::CartService::Stub.new(addr, :this_channel_is_insecure).get_cart(1)\n  end\nend",
        "//- /s.rb\nrequire 'cart_services_pb'\nclass S < Shop::V1::CartService::Service\n  def get_cart(req, call)\n    req\n  end\nend",
        "//- /c.rb\nclass C\n  def run\n    CartService::Gateway.new.get_cart(1)\n  end\nend",
    ),
    (
        "gRPC of PHP",
        "//- /c.php\n<?php\nuse Shop\\V1\\CartServiceClient;\nfunction run($q) {\n  $carts = new CartServiceClient('cart:80', ['credentials' => \\Grpc\\ChannelCredentials::createInsecure()]);\n  return $carts->GetCart($q)->wait();\n}",
        "//- /s.php\n<?php\nuse Spiral\\RoadRunner\\GRPC;\nclass S implements \\Shop\\V1\\CartServiceInterface {\n  public function GetCart($ctx, $in) { return $in; }\n}",
        "//- /c.php\n<?php\nuse App\\CartStore;\nclass C {\n  private CartStore $carts;\n  public function run($q) { return $this->carts->GetCart($q); }\n}",
    ),
    (
        "gRPC of Elixir",
        "//- /c.ex\ndefmodule C do\n  def run(ch) do\n    Shop.V1.CartService.Stub.get_cart(ch, 1)\n  end\nend",
        "//- /s.ex\ndefmodule S do\n  use GRPC.Server, service: Shop.V1.CartService.Service\n  def get_cart(req, stream) do\n    req\n  end\nend",
        "//- /c.ex\ndefmodule C do\n  def run(ch) do\n    Shop.Carts.get_cart(ch, 1)\n  end\nend",
    ),
    (
        "gRPC of Dart",
        "//- /c.dart\nimport 'gen/cart.pbgrpc.dart';\nclass C {\n  final CartServiceClient carts;\n  C(this.carts);\n  Future<Cart> run() async { return carts.getCart(q); }\n}",
        "//- /s.dart\nimport 'gen/cart.pbgrpc.dart';\nclass S extends CartServiceBase {\n  Future<Cart> getCart(ServiceCall call, Query q) async { return q; }\n}",
        "//- /c.dart\nimport 'store.dart';\nclass C {\n  final CartStore carts;\n  C(this.carts);\n  Future<Cart> run() async { return carts.getCart(q); }\n}",
    ),
    (
        "gRPC of Swift",
        "//- /c.swift\nimport GRPC\nfinal class C {\n  let carts: Shop_V1_CartServiceAsyncClient\n  func run() async throws -> Cart { return try await carts.getCart(q) }\n}",
        "//- /s.swift\nimport GRPC\nfinal class S: Shop_V1_CartServiceAsyncProvider {\n  func getCart(request: Query, context: C) async throws -> Cart { return request }\n}",
        "//- /c.swift\nimport UIKit\nfinal class C {\n  let carts: CartStore\n  func run() { carts.getCart(1) }\n}",
    ),
    (
        "Twirp",
        "//- /c.go\npackage c\nimport \"m.org/rpc/shop/v1\"\nfunc Run(ctx C) { client := v1.NewCartServiceProtobufClient(\"http://cart\", c); client.GetCart(ctx) }",
        "//- /s.go\npackage s\nimport \"m.org/rpc/shop/v1\"\ntype S struct {}\nfunc (s *S) GetCart() {}\nfunc main() { v1.NewCartServiceServer(&S{}) }",
        "//- /c.go\npackage c\nimport \"m.org/rpc/shop\"\nfunc Run(ctx C) { client := shop.NewCartServiceFileReader(\"cart\"); client.GetCart(ctx) }",
    ),
    (
        "connect of Go",
        "//- /c.go\npackage c\nimport \"m.org/gen/shop/v1/shopv1connect\"\nfunc Run(ctx C) { client := shopv1connect.NewCartServiceClient(http.DefaultClient, \"http://cart\"); client.GetCart(ctx) }",
        "//- /s.go\npackage s\nimport \"m.org/gen/shop/v1/shopv1connect\"\ntype S struct {}\nfunc (s *S) GetCart() {}\nfunc main() { mux.Handle(shopv1connect.NewCartServiceHandler(&S{})) }",
        "//- /c.go\npackage c\nimport \"m.org/gen/shop/v1/store\"\nfunc Run(ctx C) { client := store.NewCartServiceTable(\"http://cart\"); client.GetCart(ctx) }",
    ),
    (
        "Connect over HTTP",
        "//- /c.ts\nexport function run() { return fetch('http://cart/shop.v1.CartService/GetCart', { method: 'POST', body: '{}' }) }",
        GO_SERVER,
        "//- /c.ts\nexport function run() { return fetch('http://cart/shop.v1/GetCart', { method: 'POST', body: '{}' }) }",
    ),
    (
        "Twirp over HTTP",
        "//- /c.go\npackage c\nimport \"net/http\"\nfunc Run() { http.Post(\"http://cart/twirp/shop.v1.CartService/GetCart\", \"application/json\", nil) }",
        "//- /s.go\npackage s\nimport \"m.org/rpc/shop/v1\"\ntype S struct {}\nfunc (s *S) GetCart() {}\nfunc main() { v1.NewCartServiceServer(&S{}) }",
        "//- /c.go\npackage c\nimport \"net/http\"\nfunc Run() { http.Post(\"http://cart/files/shop.v1.CartService\", \"application/json\", nil) }",
    ),
];

pub(super) fn rows() -> Vec<NotationRow> {
    let row = |(name, client, server, near): &(&str, &str, &str, &str)| {
        let provider = format!("{PROTO}{server}");
        NotationRow::new(name, ContractKind::Grpc, "GetCart", client, &provider, NearMiss::User((*near).to_owned()))
    };
    ROWS.iter().map(row).collect()
}
