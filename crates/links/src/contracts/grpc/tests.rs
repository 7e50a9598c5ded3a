//! Clients, servers and near-misses by generator.

use crate::testing::contracts;

/// Checks that the lines of a fixture's contracts of rpcs have these among them, and none of these parts.
#[track_caller]
fn check(fixture: &str, expected: &[&str], absent: &[&str]) {
    let lines = contracts(fixture);
    for line in expected {
        assert!(lines.iter().any(|found| found == line), "`{line}` is missing from\n{}", lines.join("\n"));
    }
    for part in absent {
        assert!(!lines.iter().any(|found| found.contains(part)), "`{part}` is in\n{}", lines.join("\n"));
    }
}

#[test]
fn definitions_are_offered_under_their_full_names() {
    check(
        "//- /shop.proto\nsyntax = \"proto3\";\npackage shop.v1;\nservice Cart { rpc Get(Query) returns (Line); }\nmessage Query { string id = 1; message Part { int32 n = 1; } }\nenum Color { RED = 0; }",
        &[
            "+ shop.v1.Cart = shop.proto::Cart",
            "+ shop.v1.Cart/Get = shop.proto::Cart.Get",
            "+ shop.v1.Query = shop.proto::Query",
            "+ shop.v1.Query.id = shop.proto::Query.id",
            "+ shop.v1.Query.Part = shop.proto::Query.Part",
            "+ shop.v1.Query.Part.n = shop.proto::Query.Part.n",
            "+ shop.v1.Color = shop.proto::Color",
        ],
        &["+ proto", "Color.RED"],
    );
}

#[test]
fn go_clients_and_servers_of_protoc_gen_go_grpc() {
    check(
        "//- /c.go\npackage c\nimport pb \"m.org/gen/shop/v1\"\ntype App struct { cart pb.CartClient; other *http.Client }\nfunc (a *App) Run(ctx C) { a.cart.Get(ctx, &pb.Query{}); a.other.Do(ctx) }\nfunc Two(ctx C, conn *grpc.ClientConn) { pb.NewCartClient(conn).Add(ctx) }\nfunc connect() (pb.CartClient, error) { return pb.NewCartClient(dial()), nil }\nfunc Three(ctx C) { client, err := connect(); client.Drop(ctx); err.Error() }",
        &[
            "- ~m.org.gen.shop.v1.Cart/Get by c.go::App.Run:4 0.9",
            "- ~m.org.gen.shop.v1.Cart/Add by c.go::Two:5 0.9",
            "- ~m.org.gen.shop.v1.Cart/Drop by c.go::Three:7 0.9",
            "- ~m.org.gen.shop.v1.Query by c.go::App.Run:4 0.9",
        ],
        &["/Do", "/Error"],
    );
    check(
        "//- /s.go\npackage s\nimport pb \"m.org/gen/shop/v1\"\ntype server struct { pb.UnimplementedCartServer }\nfunc (s *server) Get(q *pb.Query) {}\nfunc (s *server) hidden() {}\nfunc main() { pb.RegisterCartServer(g, &server{}) }",
        &[
            "- ~m.org.gen.shop.v1.Cart by s.go::server:3 0.9 serves",
            "- ~m.org.gen.shop.v1.Cart/Get by s.go::server.Get:4 0.9 serves",
            "- ~m.org.gen.shop.v1.Cart by s.go::main:6 0.9 serves",
        ],
        &["/hidden"],
    );
    // A server without an embedded type is known by its registration, in another file of the package too.
    check(
        "//- /main.go\npackage s\nimport pb \"m.org/gen/shop/v1\"\nfunc main() { pb.RegisterCartServer(g, &server{}) }\n//- /server.go\npackage s\ntype server struct {}\nfunc (s *server) Get() {}",
        &["- ~m.org.gen.shop.v1.Cart/Get by server.go::server.Get:3 0.9 serves"],
        &[],
    );
    // Without any import of generated code, a library for rpcs in the file tells it.
    check(
        "//- /s.go\npackage s\nimport (\n\"google.golang.org/grpc\"\nv1 \"m.org/api/cart/v1\"\n)\ntype server struct {}\nfunc (s *server) Get() {}\nfunc New(g *grpc.Server) { v1.RegisterCartServer(g, &server{}) }",
        &["- ~m.org.api.cart.v1.Cart/Get by s.go::server.Get:7 0.9 serves"],
        &[],
    );
    // The object on which the service is registered is a server of the library, or the service is a candidate.
    let registered = |function: &str| {
        format!(
            "//- /s.go\npackage s\nimport (\n\"google.golang.org/grpc\"\n\"m.org/plugin\"\nv1 \"m.org/api/cart/v1\"\n)\ntype server struct {{}}\nfunc (s *server) Get() {{}}\ntype app struct {{ g *grpc.Server }}\n{function}"
        )
    };
    for (function, confidence) in [
        ("func New(g grpc.ServiceRegistrar) { v1.RegisterCartServer(g, &server{}) }", "0.9"),
        ("func New() { g := grpc.NewServer(); v1.RegisterCartServer(g, &server{}) }", "0.9"),
        ("func (a *app) New() { v1.RegisterCartServer(a.g, &server{}) }", "0.9"),
        ("func New(r *plugin.Registry) { v1.RegisterCartServer(r, &server{}) }", "0.4"),
        ("func New() { v1.RegisterCartServer(registry(), &server{}) }", "0.4"),
    ] {
        let expected = format!("- ~m.org.api.cart.v1.Cart/Get by s.go::server.Get:8 {confidence} serves");
        check(&registered(function), &[&expected], &[]);
    }
    // A client that was written by hand.
    check(
        "//- /go.mod\nmodule m.org\n//- /shop/c.go\npackage shop\nimport \"google.golang.org/grpc\"\ntype CartClient struct {}\nfunc NewCartClient() *CartClient { return nil }\nfunc (c *CartClient) Get() {}\n//- /main.go\npackage main\nimport (\n\"m.org/shop\"\n\"google.golang.org/grpc\"\n)\nfunc main() { shop.NewCartClient().Get() }",
        &[],
        &["Cart/Get"],
    );
}

#[test]
fn go_servers_are_known_by_the_interface_that_they_are_returned_as() {
    for stated in [
        "func New() pb.CartServer { return &server{} }",
        "func New() (pb.CartServer, error) { return &server{}, nil }",
        "func New() pb.CartServer { s := &server{}; return s }",
        "var _ pb.CartServer = (*server)(nil)",
        "var _ pb.CartServer = &server{}",
    ] {
        check(
            &format!(
                "//- /s.go\npackage s\nimport pb \"m.org/gen/shop/v1\"\ntype server struct {{}}\nfunc (s *server) Get(q *pb.Query) {{}}\nfunc (s *server) hidden() {{}}\n{stated}"
            ),
            &["- ~m.org.gen.shop.v1.Cart/Get by s.go::server.Get:4 0.9 serves"],
            &["/hidden"],
        );
    }
    // The server of one stream, one of another library, and a package of the repository.
    for (import, stated) in [
        ("pb \"m.org/gen/shop\"", "func New() pb.Cart_ListServer { return &server{} }"),
        ("\"net/http/web\"", "func New() web.CartServer { return &server{} }"),
        ("pb \"m.org/gen/shop\"", "func New(s pb.CartServer) *server { return &server{} }"),
    ] {
        check(
            &format!(
                "//- /s.go\npackage s\nimport {import}\ntype server struct {{}}\nfunc (s *server) Get() {{}}\n{stated}"
            ),
            &[],
            &["serves"],
        );
    }
}

#[test]
fn go_packages_of_services_of_kitex() {
    check(
        "//- /c.go\npackage c\nimport (\n\"m.org/kitex_gen/cart/cartservice\"\n\"m.org/kitex_gen/cart\"\n)\nvar client cartservice.Client\nfunc Run(ctx C) { client.GetCart(ctx, &cart.Query{}) }\nfunc Two(ctx C) { c, err := cartservice.NewClient(\"cart\", opts); c.Empty(ctx) }",
        &[
            "- ~m.org.kitex_gen.cart.cartservice.cartservice/GetCart by c.go::Run:7 0.9",
            "- ~m.org.kitex_gen.cart.cartservice.cartservice/Empty by c.go::Two:8 0.9",
        ],
        &[],
    );
    check(
        "//- /s.go\npackage main\nimport \"m.org/kitex_gen/cart/cartservice\"\ntype Impl struct {}\nfunc (s *Impl) GetCart(ctx C) {}\nfunc main() { cartservice.NewServer(new(Impl), opts...) }",
        &["- ~m.org.kitex_gen.cart.cartservice.cartservice/GetCart by s.go::Impl.GetCart:4 0.9 serves"],
        &[],
    );
    check(
        "//- /c.go\npackage c\nimport \"m.org/cart/cartservice\"\nfunc Two(ctx C) { c, err := cartservice.NewClient(\"cart\"); c.Empty(ctx) }",
        &[],
        &["/Empty"],
    );
}

#[test]
fn generated_code_in_the_repository_names_the_package_and_is_no_caller() {
    check(
        "//- /go.mod\nmodule m.org\n//- /genproto/shop_grpc.pb.go\n// Code generated by protoc-gen-go-grpc. DO NOT EDIT.\npackage genproto\ntype CartClient interface { Get(ctx C) }\ntype cartClient struct { cc grpc.ClientConnInterface }\nfunc NewCartClient(cc grpc.ClientConnInterface) CartClient { return &cartClient{cc} }\nfunc (c *cartClient) Get(ctx C) { c.cc.Invoke(ctx, \"/shop.v1.Cart/Get\") }\ntype UnimplementedCartServer struct {}\nfunc (UnimplementedCartServer) Get(ctx C) {}\n//- /main.go\npackage main\nimport pb \"m.org/genproto\"\ntype S struct { pb.UnimplementedCartServer }\nfunc (s S) Get(ctx C) {}\nfunc main() { pb.NewCartClient(conn).Get(ctx) }",
        &["- shop.v1.Cart/Get by main.go::main:5 0.9", "- shop.v1.Cart/Get by main.go::S.Get:4 0.9 serves"],
        &["by genproto/shop_grpc.pb.go"],
    );
}

#[test]
fn go_clients_and_servers_of_connect_and_twirp() {
    check(
        "//- /c.go\npackage c\nimport \"m.org/gen/shop/v1/shopv1connect\"\nfunc Run(ctx C) { client := shopv1connect.NewCartClient(http.DefaultClient, \"http://cart:80\"); client.Get(ctx) }\ntype S struct {}\nfunc (s *S) Get() {}\nfunc main() { mux.Handle(shopv1connect.NewCartHandler(&S{})) }",
        &[
            "- ~m.org.gen.shop.v1.shopv1connect.Cart/Get http://cart:80 by c.go::Run:3 0.9",
            "- ~m.org.gen.shop.v1.shopv1connect.Cart/Get by c.go::S.Get:5 0.9 serves",
        ],
        &[],
    );
    check(
        "//- /c.go\npackage c\nimport \"m.org/rpc/shoppb\"\nfunc Run(ctx C) { client := shoppb.NewCartProtobufClient(\"http://cart:80\", c); client.Get(ctx) }\ntype S struct {}\nfunc (s *S) Get() {}\nfunc main() { shoppb.NewCartServer(&S{}) }\nfunc Raw() { http.Post(\"http://cart:80/twirp/shop.v1.Cart/Get\", \"application/json\", nil) }",
        &[
            "- ~m.org.rpc.shoppb.Cart/Get http://cart:80 by c.go::Run:3 0.9",
            "- ~m.org.rpc.shoppb.Cart/Get by c.go::S.Get:5 0.9 serves",
            "- shop.v1.Cart/Get by c.go::Raw:7 0.9",
        ],
        &[],
    );
    // A constructor of a server without generated code.
    check(
        "//- /c.go\npackage c\nimport \"m.org/web\"\ntype S struct {}\nfunc (s *S) Get() {}\nfunc main() { web.NewCartServer(&S{}) }",
        &[],
        &["Cart/Get"],
    );
}

#[test]
fn python_clients_and_servers_of_grpcio_tools() {
    check(
        "//- /c.py\nimport os\nimport grpc\nfrom shop.v1 import shop_pb2, shop_pb2_grpc\nclass App:\n    def __init__(self):\n        channel = grpc.insecure_channel(os.environ['CART_ADDR'])\n        self.stub = shop_pb2_grpc.CartStub(channel)\n    def run(self):\n        return self.stub.Get(shop_pb2.Query())\ndef main(stub: shop_pb2_grpc.CartStub, other):\n    stub.Add(1)\n    other.Drop(1)\n",
        &[
            "- ~shop.v1.shop_pb2_grpc.Cart/Get {env:CART_ADDR} by c.py::App.run:9 0.9",
            "- ~shop.v1.shop_pb2_grpc.Cart/Add by c.py::main:11 0.9",
            "- ~shop.v1.Query by c.py::App.run:9 0.9",
        ],
        &["/Drop"],
    );
    check(
        "//- /s.py\nimport shop_pb2_grpc\nclass Cart(shop_pb2_grpc.CartServicer):\n    def Get(self, request, context):\n        pass\n    def _hidden(self): pass\ndef serve(server):\n    shop_pb2_grpc.add_CartServicer_to_server(Cart(), server)\n",
        &[
            "- ~shop_pb2_grpc.Cart/Get by s.py::Cart.Get:3 0.9 serves",
            "- ~shop_pb2_grpc.Cart by s.py::serve:7 0.9 serves",
        ],
        &["_hidden"],
    );
    // A variable that is assigned after the function that uses it.
    check(
        "//- /s.py\nimport shop_pb2_grpc\ndef run():\n    return stub.Get(1)\nif __name__ == '__main__':\n    stub = shop_pb2_grpc.CartStub(channel)\n",
        &["- ~shop_pb2_grpc.Cart/Get by s.py::run:3 0.9"],
        &[],
    );
    // A stub of a test.
    check(
        "//- /s.py\nimport grpc\nclass CartStub:\n    def Get(self): pass\ndef run():\n    CartStub().Get()\n",
        &[],
        &["Cart/Get"],
    );
}

#[test]
fn imported_names_may_have_aliases() {
    check(
        "//- /c.py\nfrom shop_pb2_grpc import CartStub as Client\ndef run(channel):\n    Client(channel).Get(1)\n",
        &["- ~shop_pb2_grpc.Cart/Get by c.py::run:3 0.9"],
        &[],
    );
}

#[test]
fn python_clients_and_servers_of_grpclib_and_betterproto() {
    check(
        "//- /c.py\nfrom grpclib.client import Channel\nfrom shop.v1 import CartStub, CartBase, Query\nasync def run():\n    channel = Channel('cart', 80)\n    service = CartStub(channel)\n    await service.get_cart(Query())\nclass Server(CartBase):\n    async def get_cart(self, query): pass\n",
        &[
            "- ~shop.v1.Cart/get_cart by c.py::run:6 0.9",
            "- ~shop.v1.Cart/get_cart by c.py::Server.get_cart:8 0.9 serves",
        ],
        &[],
    );
    check(
        "//- /c.py\nfrom app.db import ModelBase\nclass User(ModelBase):\n    def save(self): pass\n",
        &[],
        &["Model/save"],
    );
}

#[test]
fn java_clients_and_servers() {
    check(
        "//- /C.java\npackage app;\nimport shop.v1.CartGrpc;\npublic class C {\n  private final CartGrpc.CartBlockingStub cart;\n  C(ManagedChannel ch) { this.cart = CartGrpc.newBlockingStub(ch); }\n  void run() { cart.getCart(q); cart.withDeadlineAfter(1, S).addItem(q); }\n  void two() { CartGrpc.newFutureStub(ManagedChannelBuilder.forTarget(\"cart:80\").usePlaintext().build()).drop(q); }\n}",
        &[
            "- ~shop.v1.Cart/getCart by C.java::C.run:6 0.9",
            "- ~shop.v1.Cart/addItem by C.java::C.run:6 0.9",
            "- ~shop.v1.Cart/drop cart:80 by C.java::C.two:7 0.9",
        ],
        &["withDeadlineAfter"],
    );
    check(
        "//- /S.java\npackage app;\nimport shop.v1.CartGrpc;\npublic class S extends CartGrpc.CartImplBase {\n  @Override public void getCart(Query q, StreamObserver<Cart> o) {}\n  private void hidden() {}\n}",
        &["- ~shop.v1.Cart/getCart by S.java::S.getCart:4 0.9 serves"],
        &["/hidden"],
    );
    check(
        "//- /C.java\npackage app;\nclass CartStub { void get() {} }\nclass C { void run(CartStub stub) { stub.get(); } }",
        &[],
        &["Cart/get"],
    );
}

#[test]
fn clients_that_quarkus_injects() {
    let client = |import: &str| {
        format!(
            "//- /C.java\npackage app;\nimport io.quarkus.grpc.GrpcClient;\nimport {import};\npublic class C {{\n  private final Cart cart;\n  public C(@GrpcClient(\"cart\") Cart cart) {{ this.cart = cart; }}\n  void run() {{ this.cart.getItem(Query.newBuilder().build()); }}\n}}"
        )
    };
    check(&client("shop.grpc.Cart"), &["- ~shop.grpc.Cart/getItem by C.java::C.run:7 0.9"], &["Query/build"]);
    check(&client("shop.domain.Cart"), &[], &["Cart/getItem"]);
    check(&client("io.grpc.Cart"), &[], &["Cart/getItem"]);
}

#[test]
fn kotlin_clients_and_servers() {
    check(
        "//- /S.kt\npackage app\nimport shop.v1.CartGrpcKt\nimport shop.v1.PayGrpcKt.PayCoroutineStub\nclass S(private val pay: PayCoroutineStub) : CartGrpcKt.CartCoroutineImplBase() {\n  override suspend fun getCart(q: Query): Cart { return pay.charge(q) }\n}",
        &["- ~shop.v1.Pay/charge by S.kt::S.getCart:5 0.9", "- ~shop.v1.Cart/getCart by S.kt::S.getCart:5 0.9 serves"],
        &[],
    );
    check(
        "//- /S.kt\npackage app\nclass S(private val pay: PayGateway) {\n  fun run() { pay.charge(1) }\n}",
        &[],
        &["Pay/charge"],
    );
}

#[test]
fn csharp_clients_and_servers() {
    check(
        "//- /S.cs\nusing Shop.V1;\npublic class S : Cart.CartBase {\n  private readonly Pay.PayClient _pay;\n  public S(Pay.PayClient pay) { _pay = pay; }\n  public override async Task<Empty> GetCart(Query q, ServerCallContext c) {\n    await _pay.ChargeAsync(q);\n    _other.ChargeAsync(q);\n    return null;\n  }\n}",
        &[
            "- ~Shop.V1.Pay/ChargeAsync by S.cs::S.GetCart:6 0.9",
            "- ~Shop.V1.Cart/GetCart by S.cs::S.GetCart:5 0.9 serves",
        ],
        &[],
    );
    check(
        "//- /S.cs\nusing System.Net;\npublic class S : ControllerBase {\n  private readonly HttpClient _http;\n  public void Run() { _http.GetAsync(1); }\n}",
        &[],
        &["/GetAsync by S.cs", "Controller/Run"],
    );
    // An alias of the type, and clients that are made in the method.
    check(
        "//- /S.cs\nusing GrpcClient = Shop.Grpc.Cart.CartClient;\npublic class S {\n  private readonly GrpcClient basket;\n  public void Run() { basket.GetAsync(1); }\n  public void Two() { var client = new Pay.PayClient(channel); client.ChargeAsync(1); list.Add(1); }\n}",
        &["- ~Shop.Grpc.Cart/GetAsync by S.cs::S.Run:4 0.9", "- Pay/ChargeAsync by S.cs::S.Two:5 0.9"],
        &["/Add"],
    );
}

#[test]
fn javascript_clients_and_servers_of_proto_loader() {
    check(
        "//- /c.js\nconst grpc = require('@grpc/grpc-js');\nconst shop = grpc.loadPackageDefinition(loader.loadSync(P)).shop.v1;\nclass App {\n  constructor() { this.cart = new shop.Cart(process.env.CART_ADDR, grpc.credentials.createInsecure()); }\n  run() { this.cart.getCart({}, done); }\n}\nfunction two() { const client = new shop.Pay(addr, creds); client.Charge({}, done); }\nconst list = new Items(); list.getAll();",
        &["- ~shop.v1.Cart/getCart {env:CART_ADDR} by c.js::App.run:5 0.9", "- ~shop.v1.Pay/Charge by c.js::two:7 0.9"],
        &["getAll"],
    );
    check(
        "//- /s.js\nconst grpc = require('@grpc/grpc-js');\nconst shop = grpc.loadPackageDefinition(loader.loadSync(P)).shop.v1;\nfunction getCart(call, done) {}\nclass Server {\n  static charge(call, done) {}\n  start() {\n    this.server.addService(shop.Cart.service, { getCart, add(call, done) {} });\n    this.server.addService(pkg.Pay.service, { charge: Server.charge.bind(this) });\n    this.registry.addService('name', { other: getCart });\n  }\n}",
        &[
            "- ~shop.v1.Cart/getCart by s.js::getCart:3 0.9 serves",
            "- ~shop.v1.Cart/add by s.js::Server.start.add:7 0.9 serves",
            "- ~pkg.Pay/charge by s.js::Server.charge:5 0.9 serves",
            "- ~shop.v1.Cart by s.js::Server.start:7 0.9 serves",
        ],
        &["/other"],
    );
}

#[test]
fn javascript_clients_and_servers_of_static_code_and_grpc_web() {
    check(
        "//- /c.js\nconst { CartClient } = require('./gen/shop_grpc_pb');\nconst { PayPromiseClient } = require('./gen/pay_grpc_web_pb');\nconst services = require('./gen/shop_grpc_pb');\nconst client = new CartClient('cart:80', creds);\nfunction run() { client.getCart(q, done); new PayPromiseClient(url).charge(q); }\nfunction getCart(call, done) {}\nserver.addService(services.CartService, { getCart });",
        &[
            "- ~gen.shop_grpc_pb.Cart/getCart cart:80 by c.js::run:5 0.9",
            "- ~gen.pay_grpc_web_pb.Pay/charge by c.js::run:5 0.9",
            "- ~gen.shop_grpc_pb.Cart/getCart by c.js::getCart:6 0.9 serves",
        ],
        &[],
    );
    // A client of another library.
    check(
        "//- /c.js\nconst { CartClient } = require('@acme/sdk');\nnew CartClient().getCart();",
        &[],
        &["Cart/getCart by c.js:2 0.9"],
    );
}

#[test]
fn typescript_clients_and_servers() {
    // ts-proto with nice-grpc.
    check(
        "//- /c.ts\nimport { createChannel, createClient, createServer } from 'nice-grpc';\nimport { CartDefinition, CartClient, CartServiceImplementation, DeepPartial } from './gen/shop';\nconst client: CartClient = createClient(CartDefinition, createChannel('cart:80'));\nasync function run() { await client.getCart({}); }\nasync function two() { const c = createClient(CartDefinition, createChannel('cart:80')); await c.add({}); }\nconst impl: CartServiceImplementation = { async getCart(q) { return {}; } };\nserver.add(CartDefinition, impl);",
        &[
            "- ~gen.shop.Cart/getCart by c.ts::run:4 0.9",
            "- ~gen.shop.Cart/add cart:80 by c.ts::two:5 0.9",
            "- ~gen.shop.Cart/getCart by c.ts::impl.getCart:6 0.9 serves",
        ],
        &[],
    );
    // connect-es.
    check(
        "//- /c.ts\nimport { createClient } from '@connectrpc/connect';\nimport { Cart } from './gen/shop/v1/shop_connect';\nconst client = createClient(Cart, createConnectTransport({ baseUrl: 'http://cart:80' }));\nexport async function run() { await client.getCart({}); }\nexport default (router: ConnectRouter) => router.service(Cart, { async getCart(q) { return {}; } });",
        &[
            "- ~gen.shop.v1.shop_connect.Cart/getCart http://cart:80 by c.ts::run:4 0.9",
            "- ~gen.shop.v1.shop_connect.Cart/getCart by c.ts::default.getCart:5 0.9 serves",
        ],
        &[],
    );
    // Nest.
    check(
        "//- /c.ts\nimport { GrpcMethod, ClientGrpc } from '@nestjs/microservices';\nimport { CartClient } from './proto/shop';\n@Controller()\nexport class CartController {\n  private cart: CartClient;\n  constructor(private client: ClientGrpc) {}\n  onModuleInit() { this.cart = this.client.getService<CartClient>('Cart'); }\n  run() { return this.cart.getCart({}); }\n  @GrpcMethod('Pay', 'Charge')\n  charge(q) {}\n  @GrpcMethod('Pay')\n  refund(q) {}\n}",
        &[
            "- ~proto.shop.Cart/getCart by c.ts::CartController.run:8 0.9",
            "- Pay/Charge by c.ts::CartController.charge:10 0.9 serves",
            "- Pay/refund by c.ts::CartController.refund:12 0.9 serves",
        ],
        &[],
    );
    // Nest with an interface that is written by hand. A service of the same shape that no client gives is none.
    check(
        "//- /api.ts\nexport interface ICart { getCart(q: Query): Observable<Cart>; }\n//- /c.ts\nimport { ClientGrpcProxy } from '@nestjs/microservices';\nimport { ICart } from './api';\nexport class CartResolver {\n  constructor(private readonly client: ClientGrpcProxy, private readonly other: ICart) {}\n  private cart: ICart;\n  onModuleInit(): void { this.cart = this.client.getService<ICart>('CartService'); }\n  async run() { return this.cart.getCart({}).toPromise(); }\n  async add() { return this.cart.create({}).toPromise(); }\n  async not() { return this.other.getCart({}); }\n}",
        &[
            "- CartService/getCart by c.ts::CartResolver.run:7 0.9",
            "- CartService/create by c.ts::CartResolver.add:8 0.9",
        ],
        &["CartResolver.not"],
    );
    // A client of Redis.
    check(
        "//- /c.ts\nimport { createClient } from 'redis';\nconst client = createClient(Options, {});\nexport function run() { client.get('a'); }",
        &[],
        &["Options/get"],
    );
}

#[test]
fn rust_clients_and_servers_of_tonic() {
    check(
        "//- /src/main.rs\nuse pb::cart_client::CartClient;\nuse pb::pay_server::{Pay, PayServer};\nstruct App { cart: CartClient<Channel> }\nimpl App { async fn run(&mut self) { self.cart.get_cart(q).await; } }\nasync fn two() -> Result<(), E> { let mut client = CartClient::connect(\"http://cart:80\").await?; client.add(q).await?; Ok(()) }\n#[tonic::async_trait]\nimpl Pay for App { async fn charge(&self, r: Request<Q>) {} }\nimpl pb::user_server::User for App { async fn find(&self) {} }",
        &[
            "- ~pb.cart_client.Cart/get_cart by src/main.rs::App.run:4 0.9",
            "- ~pb.cart_client.Cart/add http://cart:80 by src/main.rs::two:5 0.9",
            "- ~pb.pay_server.Pay/charge by src/main.rs::App.charge:7 0.9 serves",
            "- ~pb.user_server.User/find by src/main.rs::App.find:8 0.9 serves",
        ],
        &[],
    );
    check(
        "//- /src/main.rs\nuse http_client::CartClient;\nuse shop::Pay;\nasync fn two(client: CartClient) { client.add(q).await; }\nimpl Pay for App { fn charge(&self) {} }",
        &[],
        &["Cart/add by src/main.rs::two:3 0.9", "Pay/charge"],
    );
}

#[test]
fn cpp_clients_and_servers() {
    check(
        "//- /s.cc\n#include \"shop.grpc.pb.h\"\nclass App final : public shop::Cart::Service {\n  grpc::Status GetCart(grpc::ServerContext* c, const Q* q, R* r) override {\n    auto stub = shop::Pay::NewStub(grpc::CreateChannel(\"pay:80\", creds));\n    stub->Charge(&ctx, *q, r);\n    return user_->Find(&ctx, *q, r);\n  }\n  std::unique_ptr<shop::User::Stub> user_;\n};",
        &[
            "- ~shop.Pay/Charge pay:80 by s.cc::App.GetCart:5 0.9",
            "- ~shop.User/Find by s.cc::App.GetCart:6 0.9",
            "- ~shop.Cart/GetCart by s.cc::App.GetCart:3 0.9 serves",
        ],
        &[],
    );
    check(
        "//- /s.cc\nclass Service {};\nclass App : public core::Service {\n  void Run() { helper_->Find(1); }\n  std::unique_ptr<Helper> helper_;\n};",
        &[],
        &["/Find", "/Run"],
    );
}

#[test]
fn ruby_clients_and_servers() {
    check(
        "//- /s.rb\nrequire 'shop_services_pb'\nclass Server < Shop::Cart::Service\n  def initialize\n    @stub = Shop::Pay::Stub.new(addr, :this_channel_is_insecure)\n  end\n  def get_cart(req, call)\n    @stub.charge(req)\n  end\nend",
        &[
            "- ~Shop.Pay/charge by s.rb::Server.get_cart:7 0.9",
            "- ~Shop.Cart/get_cart by s.rb::Server.get_cart:6 0.9 serves",
        ],
        &[],
    );
    check(
        "//- /s.rb\nclass Server < ApplicationService\n  def get_cart\n    Pay::Gateway.new.charge(1)\n  end\nend",
        &[],
        &["/charge", "/get_cart"],
    );
}

#[test]
fn php_clients_and_servers() {
    check(
        "//- /s.php\n<?php\nuse Spiral\\RoadRunner\\GRPC;\nuse Shop\\PayClient;\nclass Server implements \\Shop\\CartInterface {\n  private PayClient $pay;\n  public function GetCart($ctx, $in) { return $this->pay->Charge($in); }\n}",
        &[
            "- ~Shop.Pay/Charge by s.php::Server.GetCart:6 0.9",
            "- ~Shop.Cart/GetCart by s.php::Server.GetCart:6 0.9 serves",
        ],
        &[],
    );
    check(
        "//- /s.php\n<?php\nuse App\\LoggerInterface;\nclass Server implements LoggerInterface {\n  public function log($in) { return $this->http->get($in); }\n}",
        &[],
        &["Logger/log", "/get by"],
    );
}

#[test]
fn elixir_dart_and_swift_clients_and_servers() {
    check(
        "//- /s.ex\ndefmodule App do\n  def run(ch) do\n    Shop.Cart.Stub.get_cart(ch, 1)\n    Shop.Cart.get_other(ch)\n  end\nend",
        &["- ~Shop.Cart/get_cart by s.ex::App.run:3 0.9"],
        &["get_other"],
    );
    check(
        "//- /s.dart\nimport 'gen/shop.pbgrpc.dart';\nclass S extends CartServiceBase {\n  final PayClient pay;\n  S(this.pay);\n  Future<Cart> getCart(ServiceCall call, Q q) async { return pay.charge(q); }\n}",
        &[
            "- ~gen.shop.pbgrpc.dart.Pay/charge by s.dart::S.getCart:5 0.9",
            "- ~gen.shop.pbgrpc.dart.CartService/getCart by s.dart::S.getCart:5 0.9 serves",
            "- ~gen.shop.pbgrpc.dart.Cart/getCart by s.dart::S.getCart:5 0.9 serves",
        ],
        &[],
    );
    check(
        "//- /s.dart\nimport 'widgets.dart';\nclass S extends StateBase {\n  void build() {}\n}",
        &[],
        &["State/build"],
    );
    check(
        "//- /s.swift\nimport GRPC\nfinal class S: Shop_CartAsyncProvider {\n  let pay: Shop_PayAsyncClient\n  func getCart(request: Q, context: C) async throws -> Cart { return try await pay.charge(request) }\n}",
        &["- ~Shop.Pay/charge by s.swift::S.getCart:4 0.9", "- ~Shop.Cart/getCart by s.swift::S.getCart:4 0.9 serves"],
        &[],
    );
    check("//- /s.swift\nimport UIKit\nclass S: DataProvider {\n  func load() {}\n}", &[], &["Data/load"]);
}

#[test]
fn calls_by_full_name_are_of_the_rpc() {
    check(
        "//- /c.py\nimport grpc\ndef run(channel):\n    channel.unary_unary('/shop.v1.Cart/Get')\n    channel.get('/api/v1.0/users')\n",
        &["- shop.v1.Cart/Get by c.py::run:3 0.9"],
        &["- api.v1.0"],
    );
}

#[test]
fn elixir_servers() {
    check(
        "//- /s.ex\ndefmodule App do\n  use GRPC.Server, service: Shop.Cart.Service\n  def get_cart(req, stream) do\n    req\n  end\nend",
        &["- ~Shop.Cart/get_cart by s.ex::App.get_cart:3 0.9 serves"],
        &[],
    );
}

#[test]
fn rules_and_gateways_give_rpcs_routes() {
    check(
        "//- /shop.proto\nsyntax = \"proto3\";\npackage shop;\nservice Cart {\n  rpc Get(Query) returns (Line) {\n    option (google.api.http) = { get: \"/v1/items/{id}\" };\n  }\n  rpc Add(Query) returns (Line) {}\n}",
        &["+ GET /v1/items/{} = shop.proto::Cart.Get"],
        &["+ POST"],
    );
    let generated = "//- /go.mod\nmodule m.org\n//- /gen/a.pb.go\npackage gen\n//- /gen/shop.pb.gw.go\n// Code generated by protoc-gen-grpc-gateway. DO NOT EDIT.\npackage gen\nfunc RegisterCartHandlerClient(ctx C, mux *runtime.ServeMux, client CartClient) error {\n  mux.Handle(\"GET\", pattern_Cart_Get_0, func(w http.ResponseWriter, req *http.Request, p map[string]string) {\n    rctx, err := runtime.AnnotateContext(ctx, mux, req, \"/shop.Cart/Get\", runtime.WithHTTPPathPattern(\"/v1/items/{id}\"))\n  })\n}\n";
    let gateway = "//- /main.go\npackage main\nimport \"m.org/gen\"\nfunc run(mux M) { gen.RegisterCartHandlerFromEndpoint(ctx, mux, \"cart:80\", opts) }";
    check(
        &format!("{generated}{gateway}"),
        &[
            "/ GET /v1/items/{id} -> main.go::run",
            "- shop.Cart/Get cart:80 by main.go::run:3 0.9",
            "+ GET /v1/items/{} = main.go::run",
        ],
        &[],
    );
    // Many repositories have a copy of the generated code.
    check(generated, &[], &["/ GET", "- shop.Cart/Get"]);
    // The same calls in code that no generator made.
    check(
        "//- /a.go\npackage a\nfunc f() { log.AnnotateContext(ctx, \"/shop.Cart/Get\", x.WithHTTPPathPattern(\"/v1/items\")) }",
        &[],
        &["/v1/items ->"],
    );
}

#[test]
fn fields_of_messages_are_used_by_constructors_and_accessors() {
    for (fixture, expected) in [
        (
            "//- /c.go\npackage c\nimport pb \"m.org/gen/shop/v1\"\nfunc make() *pb.Query { return &pb.Query{UserId: \"1\"} }\nfunc read(q *pb.Query, o *Other) { q.GetUserId(); o.GetName() }",
            &[
                "- ~m.org.gen.shop.v1.Query.UserId by c.go::make:3 0.9",
                "- ~m.org.gen.shop.v1.Query.UserId by c.go::read:4 0.9",
            ][..],
        ),
        (
            "//- /c.py\nimport shop_pb2\ndef make():\n    return shop_pb2.Query(user_id=1)\n",
            &["- ~shop_pb2.Query.user_id by c.py::make:3 0.9"],
        ),
        (
            "//- /C.java\npackage app;\nimport gen.shop.v1.Query;\nclass C {\n  Query make() { return Query.newBuilder().setUserId(1).build(); }\n  void read(Query q, Other o) { q.getUserId(); o.getName(); }\n}",
            &[
                "- ~gen.shop.v1.Query.UserId by C.java::C.make:4 0.9",
                "- ~gen.shop.v1.Query.UserId by C.java::C.read:5 0.9",
            ],
        ),
        (
            "//- /c.ts\nimport { create } from '@bufbuild/protobuf';\nimport { QuerySchema, Query } from './gen/shop_pb';\nexport function make() { return create(QuerySchema, { userId: '1' }); }\nexport function old() { const q = new Query(); q.setUserId(1); }",
            &["- ~gen.shop_pb.Query.userId by c.ts::make:3 0.9", "- ~gen.shop_pb.Query.UserId by c.ts::old:4 0.9"],
        ),
    ] {
        check(fixture, expected, &["Name by"]);
    }
    // Types of other libraries have accessors too.
    check(
        "//- /c.go\npackage c\nimport \"net/http\"\nfunc read(q *http.Request) { q.GetBody(); _ = &http.Request{Method: \"GET\"} }",
        &[],
        &["Request."],
    );
}

#[test]
fn servers_in_tests_serve_nobody() {
    let mock = "//- /tests/mock/server.py\nimport shop_pb2_grpc\nclass Cart(shop_pb2_grpc.CartServicer):\n    def Get(self, request, context): pass\n";
    check(mock, &[], &["Cart/Get"]);
}

#[test]
fn a_client_that_generated_code_declares_as_a_type_and_a_value() {
    check(
        "//- /protos/shop.ts\n// Code generated by protoc-gen-ts_proto. DO NOT EDIT.\n// source: shop.proto\n\n/* eslint-disable */\nimport { Client, makeGenericClientConstructor } from '@grpc/grpc-js';\nexport const protobufPackage = 'shop';\nexport const CartService = {\n  getCart: { path: '/shop.Cart/GetCart' as const },\n} as const;\nexport interface CartClient extends Client {\n  getCart(request: string, callback: (error: Error) => void): void;\n}\nexport const CartClient = makeGenericClientConstructor(CartService, 'shop.Cart') as unknown as {\n  new (address: string): CartClient;\n  serviceName: string;\n};\n//- /gateways/Cart.gateway.ts\nimport { ChannelCredentials } from '@grpc/grpc-js';\nimport { CartClient } from '../protos/shop';\nconst { CART_ADDR = '' } = process.env;\nconst client = new CartClient(CART_ADDR, ChannelCredentials.createInsecure());\nconst CartGateway = () => ({\n  getCart(userId: string) {\n    return new Promise<string>((resolve, reject) =>\n      client.getCart({ userId }, (error, response) => (error ? reject(error) : resolve(response)))\n    );\n  },\n});\nexport default CartGateway();\n",
        &["- shop.Cart/getCart {env:CART_ADDR} by gateways/Cart.gateway.ts::CartGateway.getCart:8 0.9"],
        &[],
    );
}

#[test]
fn a_client_of_the_system_names_the_service_and_the_rpc() {
    check(
        "//- /c.ts\nimport { GrpcClients } from '@shop/grpc'\nexport class Carts {\n  constructor(private readonly grpc: GrpcClients, private readonly bus: Bus) {}\n  one() { return this.grpc.callCartService('GetCart', {}) }\n  two() { return this.grpc.call('CartService', 'AddItem', {}) }\n  three() { return this.grpc.callCartService('see the docs', {}) }\n  four() { return this.bus.callCartService('DropCart', {}) }\n  five() { return this.grpc.close('CartService', 'Done') }\n  six() { return this.jsonRpc.call('UserService', 'GetUser') }\n  seven() { return this.harpCall.call('UserService', 'GetPage') }\n  eight() { return this.rpcClient.call('CartService', 'RemoveItem') }\n}",
        &[
            "- CartService/GetCart by c.ts::Carts.one:4 0.7",
            "- CartService/AddItem by c.ts::Carts.two:5 0.7",
            "- CartService/RemoveItem by c.ts::Carts.eight:11 0.7",
        ],
        &["docs", "DropCart", "Done", "GetUser", "GetPage"],
    );
}

#[test]
fn php_injects_interfaces_of_generated_code() {
    check(
        "//- /A.php\n<?php\nuse GRPC\\Services\\Users\\v1\\UsersServiceInterface;\nuse App\\CartInterface;\nclass A {\n  public function run(UsersServiceInterface $users, CartInterface $cart) {\n    $users->Create(new X());\n    $cart->Add(1);\n  }\n}\n//- /CartInterface.php\n<?php\ninterface CartInterface { public function Add($a); }",
        &["- ~GRPC.Services.Users.v1.UsersService/Create by A.php::A.run:6 0.9"],
        &["Cart/Add"],
    );
    check(
        "//- /A.php\n<?php\nuse Spiral\\RoadRunner\\GRPC;\nuse Psr\\Log\\LoggerInterface;\nclass A {\n  public function run(LoggerInterface $log) {\n    $log->Write(1);\n  }\n}",
        &[],
        &["Logger/Write"],
    );
}
