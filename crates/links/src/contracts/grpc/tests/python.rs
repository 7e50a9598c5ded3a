//! Clients and servers of Python.

use super::check;

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
