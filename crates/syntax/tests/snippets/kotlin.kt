package com.x
import a.b.C
import a.b.D as E
import a.c.*
/** Doc. */
@Anno
class Server<T>(private val client: Client, n: Int) : Base(n), Run {
  val name: String = "x"
  var age = 1
  constructor(a: Int) : this(Client(), a) { init() }
  fun run(r: Request): Response { helper(r); client.send(r).also { it.go() }; fun local() {}; return Response(1) }
  companion object { const val MAX = 3; fun make() = Server<Int>(Client(), 1) }
  inner class In
}
interface Run {
    fun run(r: Request): Response
}
object Single {
    fun go() {}
}
enum class Suit {
    HEARTS,
    SPADES;

    fun label() = "x"
}
data class P(val x: Int)
annotation class Anno
typealias L = List<Int>
fun String.ext(): Int = length
const val TOP = 1
val top by lazy { 1 }
class Q {
    companion object {
        val X = 1
    }
    private fun f(): List<String> = emptyList()
}
