//! Clients and servers of Go.

use super::check;

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
