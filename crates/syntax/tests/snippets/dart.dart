import 'dart:io';
import 'package:a/b.dart' as b show C;
export 'src/x.dart';
part 'y.dart';
/// Doc.
@anno
class Server extends Base with Mix implements Run {
  static const max = 3;
  final String name;
  int age = 1;
  Server(this.name) : super(1) { init(); }
  Server.named(int a) : this('x');
  factory Server.make() => Server('x');
  Future<int> run(Request r) async { helper(r); client.send(r).go(); void local() {} return Foo(1); }
  int get x => 1;
  set x(int v) {}
  operator +(o) => this;
}
abstract class Run { void run(); }
mixin Mix on Base { void m() {} }
extension Ext on String { int e() => 1; }
enum Suit { hearts, spades; void label() {} }
typedef F = void Function(int);
void top(int x) {}
const limit = 3;
var global = 1;
