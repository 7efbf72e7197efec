-- SPDX-License-Identifier: MIT
-- Work for the Lua interpreter, whose result is always the same: lua work.lua RESULT-FILE [incremental|generational [SIZE]]
--
-- Trees that die soon and trees that stay, texts, tables that grow, and source that is compiled at run time.
local result = assert(io.open(arg[1], "w"))
collectgarbage(arg[2] or "incremental")
local size = tonumber(arg[3] or 12)

local function tree(depth)
    if depth == 0 then return {} end
    return {tree(depth - 1), tree(depth - 1)}
end

local function count(t)
    return t[1] and 1 + count(t[1]) + count(t[2]) or 1
end

local stays = tree(size)
for i = 1, 2 * size do
    result:write("tree ", count(tree(size - 2)), "\n")
end
result:write("stays ", count(stays), "\n")

local words = {}
for i = 1, 100 * size do
    words[i] = string.format("%x-%d", i * 7919 % 1009, i)
end
table.sort(words)
result:write(table.concat(words, " "), "\n")

local sum = 0
for i = 1, 5 * size do
    local chunk = assert(load(string.format("local a, b = %d, {}\nfor i = 1, 20 do b[i] = a * i end\nreturn #b + b[20]\n", i)))
    sum = sum + chunk()
end
result:write("chunks ", sum, "\n")

for _ = 1, 3 do collectgarbage() end
result:close()
