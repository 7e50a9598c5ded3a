//! Clients and servers of C#, Rust, C++, Ruby, PHP, Elixir, Dart and Swift.

use super::check;

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
fn elixir_servers() {
    check(
        "//- /s.ex\ndefmodule App do\n  use GRPC.Server, service: Shop.Cart.Service\n  def get_cart(req, stream) do\n    req\n  end\nend",
        &["- ~Shop.Cart/get_cart by s.ex::App.get_cart:3 0.9 serves"],
        &[],
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
