//! Who calls whom in TypeScript and JavaScript.

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
