defmodule App.Server do
  @moduledoc """
  Module doc.
  """
  use GenServer
  import Foo.Bar, only: [a: 1]
  alias Foo.{Baz, Qux}
  alias Foo.Long, as: L
  require Logger
  @limit 3
  @doc "Runs."
  @spec run(integer) :: integer
  def run(a) when a > 1 do
    helper(a)
    Foo.bar(a) |> baz()
    %Struct{a: 1}
  end
  defp priv(a), do: a
  defmacro mac(x) do
    x
  end
  defstruct [:a, b: 1]
  @type t :: integer
  @callback cb(integer) :: any
  defmodule Inner do
    def f, do: :ok
  end
end
defprotocol P do
  def size(x)
end
defimpl P, for: List do
  def size(x), do: length(x)
end
