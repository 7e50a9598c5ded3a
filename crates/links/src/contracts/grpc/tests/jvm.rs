//! Clients and servers of Java and Kotlin.

use super::check;

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
