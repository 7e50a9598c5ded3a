// The checks of both TypeScript clients: they list and call every tool.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const CALLS = JSON.parse(readFileSync(new URL("calls.json", import.meta.url), "utf8"));

/** Lists and calls every tool of the server that `client` is connected to, then closes the connection. */
export async function checkServer(name, client) {
  const { tools } = await client.listTools();
  const names = tools.map((tool) => tool.name);
  assert.deepEqual(names, [...names].sort());
  assert.deepEqual(names, [...new Set(CALLS.map((call) => call.tool))].sort(), "every tool is called");
  assert(tools.every((tool) => tool.annotations.readOnlyHint), "every tool is read-only");
  await checkCalls(client);
  await assert.rejects(client.callTool({ name: "no_such_tool", arguments: {} }), /search_codebase/);
  await Promise.all([1, 2, 3, 4].map(() => checkCalls(client)));
  await client.close();
  console.log(`${name}: ${names.length} tools, ${CALLS.length} calls`);
}

/** Makes every call of the list, and compares its result with the expected one. */
async function checkCalls(client) {
  for (const call of CALLS) {
    const result = await client.callTool({ name: call.tool, arguments: call.arguments });
    const text = result.content.map((block) => block.text).join("");
    assert.equal(Boolean(result.isError), Boolean(call.is_error), `${JSON.stringify(call)}: ${text}`);
    assert(text.includes(call.holds), `${JSON.stringify(call)}: ${text}`);
    if (result.structuredContent !== undefined) {
      assert.deepEqual(JSON.parse(text), result.structuredContent, "text and structured content are equal");
    }
  }
}
