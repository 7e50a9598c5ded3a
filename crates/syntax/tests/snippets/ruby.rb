# frozen_string_literal: true
# Copyright x
require 'json'
require_relative "lib/x"
module A
  # Doc of B.
  class B < C::D
    include Comparable
    LIMIT = 3
    attr_reader :name, :age
    def initialize(a); @a = a; helper(a) end
    def self.make; new; end
    class << self
      def build; Foo.new.run; end
    end
    def ==(o) = true
    private
    def go?; yield; obj.call 1; end
    alias_method :x, :y
  end
end
class A::E; end
def top; end
S = Struct.new(:a) do
  def m; end
end
