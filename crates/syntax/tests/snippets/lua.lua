local json = require("json")
local M = {}
--- Doc.
function M.run(a) helper(a); a:send(1); a.b.c(2) end
function M:method() end
local function loc() end
function top() local function inner() end end
M.f = function() end
local g = function() end
LIMIT = 3
return M
