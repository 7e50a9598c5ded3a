//! Clients and servers of JavaScript and TypeScript.

use super::check;

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
fn a_client_that_generated_code_declares_as_a_type_and_a_value() {
    check(
        "//- /protos/shop.ts\n// Code generated by protoc-gen-ts_proto. DO NOT EDIT.\n// source: shop.proto\n\n/* eslint-disable */\nimport { Client, makeGenericClientConstructor } from '@grpc/grpc-js';\nexport const protobufPackage = 'shop';\nexport const CartService = {\n  getCart: { path: '/shop.Cart/GetCart' as const },\n} as const;\nexport interface CartClient extends Client {\n  getCart(request: string, callback: (error: Error) => void): void;\n}\nexport const CartClient = makeGenericClientConstructor(CartService, 'shop.Cart') as unknown as {\n  new (address: string): CartClient;\n  serviceName: string;\n};\n//- /gateways/Cart.gateway.ts\nimport { ChannelCredentials } from '@grpc/grpc-js';\nimport { CartClient } from '../protos/shop';\nconst { CART_ADDR = '' } = process.env;\nconst client = new CartClient(CART_ADDR, ChannelCredentials.createInsecure());\nconst CartGateway = () => ({\n  getCart(userId: string) {\n    return new Promise<string>((resolve, reject) =>\n      client.getCart({ userId }, (error, response) => (error ? reject(error) : resolve(response)))\n    );\n  },\n});\nexport default CartGateway();\n",
        &["- shop.Cart/getCart {env:CART_ADDR} by gateways/Cart.gateway.ts::CartGateway.getCart:8 0.9"],
        &[],
    );
}

#[test]
fn a_container_injects_clients_of_ts_proto() {
    check(
        "//- /b.ts\nimport { CartServiceClient, CartServiceDefinition } from '@shop/cart-api/lib/cart/v1/cart.pb';\nexport class Other {\n  @inject(CartServiceDefinition.name)\n  private readonly carts: CartServiceClient;\n  async add(id: string) { await this.carts.addItem({ id }); }\n}\n",
        &["- ~shop.cart.api.lib.cart.v1.cart.pb.CartService/addItem by b.ts::Other.add:5 0.9"],
        &[],
    );
}
