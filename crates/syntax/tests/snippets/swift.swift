import Foundation
import struct A.B
/// Doc.
@objc public class Server: Base, Run {
  static let max = 3
  var name: String = "x"
  var computed: Int { return helper() }
  init(a: Int) { super.init(); self.go() }
  deinit {}
  func run(_ r: Request) -> Response { let c = Client(1); c.send(r); func local() {}; return Foo.bar() }
  subscript(i: Int) -> Int { return i }
}
struct P { let x: Int; mutating func m() {} }
protocol Run {
  associatedtype T
  var n: Int { get }
  func run()
}
enum Suit: String { case hearts, spades; case ace = "A"; func label() {} }
extension Server: Stop { func stop() {} }
typealias L = [Int]
func top<T>(x: T) {}
let global = 1
actor Act { func a() {} }
