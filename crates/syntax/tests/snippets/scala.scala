package a.b
import c.d.E
import c.d.{F, G => H}
import c._
/** Doc. */
@anno class Server(val x: Int) extends Base(x) with Run with Stop {
  val name = "x"
  var age: Int = 1
  type L = List[Int]
  def run(r: Request): Response = { helper(r); client.send(r).go(); def local() = 1; new Response(1) }
  def this() = this(1)
}
trait Run { def run(r: Request): Response }
object Server { def make() = Server.apply(1); val MAX = 3 }
case class P(x: Int)
enum Suit { case Hearts, Spades }
package object util { def u() = 1 }
given ord: Ordering[Int] = ???
def top(x: Int) = x
