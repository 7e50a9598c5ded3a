/* Copyright someone. */
package com.x;

import java.util.List;
import static java.lang.Math.max;
import java.io.*;

/**
 * Doc of Server.
 */
@Service("x")
public class Server<T extends Bound> extends Base<T> implements Run, Closeable {
  public static final int MAX = 3;
  private final Client client = new Client(1), other;
  /** Makes one. */
  @Inject
  public Server(Client client) { super(client); this.client = client; }
  @Override
  public Response run(Request r) throws Failure {
    helper(r);
    client.send(r).then(x -> x.go(), Server::make, Other::new);
    Run anonymous = new Run() { public Response run(Request q) { return inner(q); } };
    return a.b.Static.call((Cast) r);
  }
  static Server make() { return null; }
  interface Nested { void m(); int K = 1; }
  enum Mode { FAST, SLOW { void label() {} }; void label() {} }
  record Point(int x, int y) { Point { check(x); } }
  @interface Marker { String value() default "x"; }
}
