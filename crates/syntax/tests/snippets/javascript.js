/**
 * File doc.
 */

'use strict';

var app = exports = module.exports = {};
const { a, b: c } = require('./x');
const d = require('y').z;
const e = require('e');
require('side');
import def, { q as r } from 'm';
import * as ns from 'n';
import 'effect';
export * from './all';
export * as grouped from './grouped';
export { one, two as three } from './some';

/** Uses it. */
app.use = function use(fn) { fn.call(this, helper(1)); };
req.get =
req.header = function header(name) { return inner(name); };
exports.f = function () {};
A.prototype.m = function () { return new ns.Foo(); };
export const arrow = async (x) => x.y.z();
export default function () { }
const obj = { m() {}, n: () => 1, deep: { k: function () {} } };
/** A class. */
@dec({ x: 1 })
export class B extends A {
  constructor() { super(); }
  #priv = 1;
  handler = () => { this.go(); };
  static get x() { return 1; }
}
function outer() { function inner() {} const local = 1; const lf = () => {}; }
function* gen() {}
const X = 1, Y = 2;
let view = <Foo a={bar()}><ns.Bar/><div/></Foo>;
const Klass = class Named { m() {} };
