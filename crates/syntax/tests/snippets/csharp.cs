using System;
using Foo = Bar.Baz;
using static System.Math;
namespace App.Core {
/// <summary>Doc.</summary>
[Serializable]
public class Server<T> : Base, IRun where T : IThing {
  public const int Max = 3;
  private readonly Client _client = new Client(1);
  public event EventHandler Changed;
  public string Name { get; set; } = "x";
  public Server(int a) : base(a) { Init(); }
  public async Task<int> Run(Request r) { int Local() { return 1; } await _client.Send<int>(r); return Helper.Do(r) ?? this.X(); }
  public static Server operator +(Server a, Server b) => a;
  public int this[int i] => i;
  delegate void D(int x);
  ~Server() {}
}
public struct P { public int X; }
public interface IRun { void Run(); string N { get; } }
public enum E { A, B = 2 }
public record R(int A);
public record struct RS(int A);
}
