import type { T1 } from './types';
import { type T2, T3 as T4 } from './types';
import old = require('old');
import Short = Long.Name;
export type { T5 } from './types';

/** Doc of Shape. */
export interface Shape<T> extends Base, ns.Other<T> {
  name: string;
  area(): number;
  readonly [key: string]: unknown;
}
export type Alias<T> = Record<string, Shape<T>> | Other;
export enum Mode { Fast, Slow = 'slow' }
declare const VERSION: string;
declare module 'other' { export function declared(): void; }
namespace Space { export function inner(): void {} }

/** First overload. */
export function over(a: string): void;
export function over(a: number): void;
/** The function. */
export function over(a: any): void { work<Shape<string>>(a as Cast); }

@Component({ selector: 'x' })
export abstract class Box<T> extends Parent<T> implements Shape<T>, Closable {
  private static count: Counter = 0;
  constructor(private readonly client: Client) { super(); }
  abstract open(): void;
  close(a: string): void;
  close(a: any): void { this.client.close(); }
  arrow = (x: number): Result => new Result(x);
  get size(): number { return 1; }
}

export const useThing = (a: Opts): Thing => { function helper() {} return a!.b?.c(); };
export const table = { run(): void {}, stop: async () => {} } satisfies Table;
export default class extends Box<string> {}
