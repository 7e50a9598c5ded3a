//! Module doc.
const std = @import("std");
const Foo = @import("foo.zig").Foo;
/// Doc.
pub const Server = struct {
    name: []const u8,
    const MAX = 3;
    pub fn init(a: u32) Server { helper(a); return Server{ .name = "x" }; }
    fn run(self: *Server) void { self.client.send(1); }
};
pub const E = enum { a, b, fn f() void {} };
const U = union(enum) { x: u32, y };
pub fn main() !void { const s = Server.init(1); s.run(); }
const LIMIT: u32 = 3;
var global: u32 = 1;
const Err = error{ A, B };
test "a test" { try main(); }
