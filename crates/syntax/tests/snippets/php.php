<?php
/** File doc. */
namespace App\Http;
use Foo\Bar;
use Foo\Baz as Q, Foo\R;
use Foo\{A, B as C};
use function Foo\fn1;
require_once 'x.php';
const LIMIT = 3;
define('OTHER', 1);
/** Doc. */
#[Attr(1)]
final class Server extends Base implements IRun, IStop {
  use SomeTrait;
  const MAX = 3;
  private ?Client $client = null;
  public static int $count = 0;
  public function __construct(private int $x) { parent::__construct(); $this->run(helper(1)); }
  public static function make(): self { return new static(); }
  public function run(Request $r): Response { Foo::bar(); $o = new Bar(); $o->a()->b(); $f = function() {}; $g = fn($x) => $x; return \strlen('x'); }
}
interface IRun { public function run(); }
trait T { function t() {} }
enum Suit: string { case Hearts = 'H'; case Spades = 'S'; public function label(): string { return 'x'; } }
function top($a) { function inner() {} }
