//! Call edges of TypeScript and JavaScript.

use crate::testing::check_calls;

#[test]
fn signatures_of_interfaces_type_callbacks() {
    check_calls(
        "//- /a.ts
export class C<T> { json(): void {} }
export type M<T = any> = (c: C<T>, next: () => void) => void
export type N<T = any> = (c: C<T>) => void
export type H<T = any> = M<T> | N<T>
export interface I<T> {
  <P extends string = string>(handler: H<P>): Base<T>;
  <P extends string = string>(path: P, handler: H<P>): Base<T>;
  <P extends string = string>(path: P, ...handlers: [H<P> & T, H<P>]): Base<T>
}
export class Base<T> { get!: I<T> }
export class App<T = any> extends Base<T> {}
//- /b.ts
import { App } from './a'
const app = new App()
app.get('/', (c) => c.json())
app.get('/', (c) => c, (c) => c.json())
",
        &["b.ts -calls-> a.ts::App", "b.ts -calls-> a.ts::C.json"],
    );
}

#[test]
fn modules() {
    // Specifiers with and without extensions, index files, re-exports under other names.
    check_calls(
        "//- /src/a.ts
export function f() {}
export default function g() {}
export const h = () => {}
//- /src/index.ts
export * from './a.js'
export { f as renamed } from './a'
export * as all from './a'
//- /b.ts
import g, { h } from './src/a'
import { f, renamed, all } from './src'
import * as ns from './src/index.js'
function m() { f(); renamed(); all.h(); ns.all.f(); g(); h() }
",
        &["b.ts::m -calls-> src/a.ts::f", "b.ts::m -calls-> src/a.ts::g", "b.ts::m -calls-> src/a.ts::h"],
    );
    check_calls(
        "//- /tsconfig.json
{ \"compilerOptions\": { \"baseUrl\": \".\", \"paths\": { \"@/*\": [\"src/*\"] } } }
//- /packages/p/package.json
{ \"name\": \"@s/p\", \"exports\": { \"./sub\": { \"import\": \"./dist/sub.js\" } } }
//- /packages/p/src/sub.ts
export class A { m() {} }
//- /src/b.ts
import { A } from '@s/p/sub'
export function make(): A { return new A() }
//- /c.ts
import { make } from '@/b'
import { unknown } from 'elsewhere'
make().m()
unknown().m()
",
        &[
            "c.ts -calls-> packages/p/src/sub.ts::A.m",
            "c.ts -calls-> src/b.ts::make",
            "src/b.ts::make -calls-> packages/p/src/sub.ts::A",
        ],
    );
}

#[test]
fn a_bundle_with_the_name_of_its_package_is_built_from_the_index() {
    check_calls(
        "//- /packages/ui/package.json
{ \"name\": \"@s/ui\", \"main\": \"index.js\", \"exports\": { \".\": { \"types\": \"./dist/ui.d.ts\", \"node\": \"./index.js\" } } }
//- /packages/ui/index.js
module.exports = require('./dist/ui.cjs.prod.js')
//- /packages/ui/src/index.ts
export function show() {}
//- /a.ts
import { show } from '@s/ui'
show()
",
        &["a.ts -calls-> packages/ui/src/index.ts::show"],
    );
}

#[test]
fn modules_of_javascript() {
    check_calls(
        "//- /a.js
exports.f = function () {}
exports.g = g
function g() {}
//- /b.js
module.exports = function () {}
//- /c.js
function Router() {}
Router.prototype.use = function use() { this.use() }
Router.make = function () {}
module.exports = Router
//- /d.js
const a = require('./a'), b = require('./b'), Router = require('./c')
const { g: local } = require('./a')
a.f(); a.g(); b(); local()
const r = new Router()
r.use()
Router.make()
",
        &[
            "c.js::Router.use -calls-> c.js::Router.use",
            "d.js -calls-> a.js::f",
            "d.js -calls-> a.js::g",
            "d.js -calls-> b.js::exports",
            "d.js -calls-> c.js::Router",
            "d.js -calls-> c.js::Router.make",
            "d.js -calls-> c.js::Router.use",
        ],
    );
}

#[test]
fn classes() {
    check_calls(
        "//- /a.ts
class Base<T> {
  constructor(readonly item: T) {}
  static make() { return new Derived() }
  make() {}
  get(): T { return this.item }
  self() { return this }
}
class Other { run() {} }
class Derived extends Base<Other> {
  private other = new Other()
  constructor() { super(new Other()); super.get().run() }
  go = () => this.self().go2()
  go2() { this.other.run(); Base.make().make() }
}
",
        &[
            "a.ts::Base.make -calls-> a.ts::Derived.constructor",
            "a.ts -calls-> a.ts::Other",
            "a.ts::Derived.constructor -calls-> a.ts::Base.constructor",
            "a.ts::Derived.constructor -calls-> a.ts::Base.get",
            "a.ts::Derived.constructor -calls-> a.ts::Other",
            "a.ts::Derived.constructor -calls-> a.ts::Other.run",
            "a.ts::Derived.go -calls-> a.ts::Base.self",
            "a.ts::Derived.go -calls-> a.ts::Derived.go2",
            "a.ts::Derived.go2 -calls-> a.ts::Base.make",
            "a.ts::Derived.go2 -calls-> a.ts::Base.make",
            "a.ts::Derived.go2 -calls-> a.ts::Other.run",
        ],
    );
}

#[test]
fn types_pass_through_the_standard_library() {
    check_calls(
        "//- /a.ts
class A { m(): A { return this } }
async function load(): Promise<A[]> { return [] }
async function f(map: Map<string, A>, rec: Record<string, A>) {
  for (const a of await load()) a.m()
}
function g(map: Map<string, A>) { map.get('x')?.m() }
function h(list: readonly A[]) { list.filter(Boolean).map((a) => a.m()) }
function i() { load().then((all) => all[0].m()) }
function j([a]: A[], { b: { c } }: { b: { c: A } }) { a.m(); c.m() }
function k(rec: Record<string, A>) { Object.values(rec).forEach((a) => a.m()) }
",
        &[
            "a.ts::f -calls-> a.ts::A.m",
            "a.ts::f -calls-> a.ts::load",
            "a.ts::g -calls-> a.ts::A.m",
            "a.ts::h -calls-> a.ts::A.m",
            "a.ts::i -calls-> a.ts::A.m",
            "a.ts::i -calls-> a.ts::load",
            "a.ts::j -calls-> a.ts::A.m",
            "a.ts::k -calls-> a.ts::A.m",
        ],
    );
}

#[test]
fn conditions_narrow_types() {
    check_calls(
        "//- /a.ts
class A { kind: 'a' = 'a'; m() {} }
class B { kind: 'b' = 'b'; m() {} }
function isA(x: unknown): x is A { return true }
function f(x: unknown) { if (x instanceof A) x.m() }
function g(x: unknown) { if (!isA(x)) return; x.m() }
function h(x: A | B) { return x.kind === 'a' ? x.m() : 0 }
function i(x: A | B) { switch (x.kind) { case 'b': x.m() } }
",
        &[
            "a.ts::f -calls-> a.ts::A.m",
            "a.ts::g -calls-> a.ts::A.m",
            "a.ts::g -calls-> a.ts::isA",
            "a.ts::h -calls-> a.ts::A.m",
            "a.ts::i -calls-> a.ts::B.m",
        ],
    );
}

#[test]
fn scopes_and_values() {
    check_calls(
        "//- /a.ts
function f() {}
function g() { const f = () => {}; { f() } return { h() { f(); h } } }
function h(callback: () => void, f: () => void) { callback(); f() }
const table = { run() {}, inner: { run() {} } }
function i() { table.run(); table.inner.run() }
function j(other?: () => void) { const run = other ?? f; run() }
namespace N { export function k() { l() } function l() {} }
N.k()
",
        &[
            "a.ts -calls-> a.ts::N.k",
            "a.ts::N.k -calls-> a.ts::N.l",
            "a.ts::g -calls-> a.ts::g.f",
            "a.ts::g.h -calls-> a.ts::g.f",
            "a.ts::i -calls-> a.ts::table.inner.run",
            "a.ts::i -calls-> a.ts::table.run",
            "a.ts::j -calls-> a.ts::f (ambiguous)",
        ],
    );
}

#[test]
fn expected_types_of_functions() {
    check_calls(
        "//- /a.ts
interface Ctx { send(): void }
type Handler = (ctx: Ctx) => void
interface Maker<T> { new (): T }
declare function on<T = Ctx>(options: { handler: (ctx: T) => void }): Maker<T>
const one: Handler = (ctx) => ctx.send()
function two(): Handler { return (ctx) => ctx.send() }
on({ handler: (ctx) => ctx.send() })
const Made: Maker<Ctx> = on({ handler(ctx) {} })
new Made().send()
const methods: Ctx & { extra(): void } = { send() { this.extra() }, extra() {} }
",
        &[
            "a.ts -calls-> a.ts::Ctx.send",
            "a.ts -calls-> a.ts::on",
            "a.ts::handler -calls-> a.ts::Ctx.send",
            "a.ts::methods.send -calls-> a.ts::methods.extra",
            "a.ts::one -calls-> a.ts::Ctx.send",
            "a.ts::two -calls-> a.ts::Ctx.send",
        ],
    );
}

#[test]
fn types_of_types() {
    check_calls(
        "//- /a.ts
interface Item { run(): void }
interface Holder<T extends { def: unknown } = { def: Item }> { inner: T; def: T['def'] }
type Alias<T> = Partial<{ [K in keyof T]: T[K] }> & { more: T }
function f(x: Holder) { x.def.run() }
function g(x: Alias<Item>) { x.run(); x.more.run() }
function h(x: ReturnType<typeof make>) { x.run() }
function make(): Item { return null! }
interface Item { later(): void }
function i(x: Item) { (x.later as any)() }
",
        &[
            "a.ts::f -calls-> a.ts::Item.run",
            "a.ts::g -calls-> a.ts::Item.run",
            "a.ts::h -calls-> a.ts::Item.run",
            "a.ts::i -calls-> a.ts::Item.later",
        ],
    );
}

#[test]
fn types_in_comments() {
    check_calls(
        "//- /a.js
class A { /** @returns {A} */ m() { return opaque() } }
module.exports = { A }
//- /b.js
/** @typedef {import('./a').A} Local */
/**
 * @param {Local[]} list of things
 * @param {Function} fn
 */
function f(list, fn) { list[0].m().m(); fn() }
",
        &["b.js::f -calls-> a.js::A.m"],
    );
}

#[test]
fn types_in_comments_before_parentheses() {
    let code = "//- /a.js
/** @callback Check */
export class A { m() {} }
function ok() {}
export const make = (
  /** @returns {A} */
  function (x) { return x ? opaque() : ok }
)
";
    for (caller, expected) in [
        ("function f(x) { /** @type {A} */ (x).m() }", &["a.js::f -calls-> a.js::A.m"][..]),
        ("function f(x) { const y = /** @type {A} */ (x[0]); y.m() }", &["a.js::f -calls-> a.js::A.m"]),
        ("function f(x) { make(x).m() }", &["a.js::f -calls-> a.js::A.m", "a.js::f -calls-> a.js::make"]),
        // The comment has no type, is no documentation, or belongs to something else.
        ("function f(x) { /** A value. */ (x).m() }", &[]),
        ("function f(x) { /* @type {A} */ (x).m() }", &[]),
        ("function f(x) { /** @type {A} */ const y = 1; (x).m() }", &[]),
        ("function f(x) { /** @type {A} */ x; /* none */ (x).m() }", &[]),
    ] {
        check_calls(&format!("{code}{caller}"), expected);
    }
}

#[test]
fn globals_and_declarations() {
    check_calls(
        "//- /a.ts
export {}
declare global { interface Shared { one(): void } }
//- /b.ts
export {}
declare global { interface Shared { two(): void } }
//- /c.ts
import { f } from './d.js'
export function g(x: Shared) { x.one(); x.two(); f() }
//- /d.d.ts
export function f(): void
//- /d.js
export function f() {}
",
        &[
            "c.ts::g -calls-> a.ts::Shared.one",
            "c.ts::g -calls-> b.ts::Shared.two",
            "c.ts::g -calls-> d.d.ts::f",
            "c.ts::g -calls-> d.js::f (dispatch)",
        ],
    );
}

#[test]
fn overloads_share_one_implementation() {
    check_calls(
        "//- /a.ts
function f(a: string): void
function f(a: string, b: number): void
function f(a: string, b?: number) {}
interface I { m(a: string): void; m(a: string, b: number): void }
f('', 1)
function g(i: I) { f(''); i.m('') }
",
        &["a.ts -calls-> a.ts::f", "a.ts::g -calls-> a.ts::I.m", "a.ts::g -calls-> a.ts::f"],
    );
}

#[test]
fn the_result_of_an_overload_is_the_declared_one() {
    let made = "export class A { m() {} }\nexport class B { m() {} }\nexport type R = (a: A) => A\n";
    for (functions, body, expected) in [
        // The closure is behind the declared type.
        ("export function f(a: A): R\nexport function f(a: any) { return function inner(b: any) {} }", "f(a)(a)", "f"),
        (
            "export function f(a: A): R\nexport function f(a: any) { return function inner(b: any) {} }",
            "f(a)(a).m()",
            "f A.m",
        ),
        ("export function f(a: A): B\nexport function f(a: any): any { return a }", "f(a).m()", "f B.m"),
        ("export function f<T>(a: T): T\nexport function f<T>(a: T): any { return a }", "f(a).m()", "f A.m"),
        // Without signatures, the body tells.
        ("export function f(a: A) { return function inner(b: any) {} }", "f(a)(a)", "f f.inner"),
    ] {
        let expected: Vec<String> =
            expected.split(' ').map(|callee| format!("b.ts::g -calls-> a.ts::{callee}")).collect();
        let source = format!(
            "//- /a.ts\n{made}{functions}\n//- /b.ts\nimport {{ A, f }} from './a'\nfunction g(a: A) {{ {body} }}\n"
        );
        check_calls(&source, &expected.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

#[test]
fn a_declaration_in_another_scope_does_not_hide_an_import() {
    for block in
        ["declare global { interface Node { a(): void } }", "declare module 'm' { interface Node { a(): void } }"]
    {
        check_calls(
            &format!(
                "//- /a.ts\nexport class Node {{ m() {{}} }}\n//- /b.ts\nimport {{ Node }} from './a'\n{block}\nexport function f(node: Node) {{ node.m() }}\n"
            ),
            &["b.ts::f -calls-> a.ts::Node.m"],
        );
    }
}

#[test]
fn functions_assigned_to_a_table_have_its_types() {
    check_calls(
        "//- /a.ts
class View { flush() {} }
const handlers: { [event: string]: (view: View, event: Event) => void } = {}
handlers.copy = handlers.cut = (view, event) => { view.flush() }
handlers.paste = view => { view.flush() }
",
        &["a.ts::handlers.cut -calls-> a.ts::View.flush", "a.ts::handlers.paste -calls-> a.ts::View.flush"],
    );
}

#[test]
fn elements_of_an_intersection_are_those_of_a_part() {
    check_calls(
        "//- /a.ts
class Kind { make() {} }
class Schema<N extends string> {
  kinds: { readonly [name in N]: Kind } & { readonly [key: string]: Kind } = {}
}
function f(s: Schema<'a'>, name: string) { s.kinds[name].make(); s.kinds.a.make() }
",
        &["a.ts::f -calls-> a.ts::Kind.make"],
    );
}

#[test]
fn a_failed_instanceof_excludes_a_type() {
    check_calls(
        "//- /a.ts
class A { m() {} }
class B { m() {} }
function f(x: A | B | null) { if (x instanceof A) { x.m() } else if (x) { x.m() } }
",
        &["a.ts::f -calls-> a.ts::A.m", "a.ts::f -calls-> a.ts::B.m"],
    );
}
