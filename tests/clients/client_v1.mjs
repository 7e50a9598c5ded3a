// Tests a running Causeway with version 1 of the TypeScript SDK of MCP, over both transports.
//
// Usage: client_v1.mjs FOLDER_OF_THE_SDK URL COMMAND [ARGUMENT]...

import { createRequire } from "node:module";
import { checkServer } from "./check.mjs";

const [folder, url, command, ...args] = process.argv.slice(2);
const require = createRequire(`${folder}/package.json`);
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
const { StreamableHTTPClientTransport } = require("@modelcontextprotocol/sdk/client/streamableHttp.js");

const transports = {
  http: new StreamableHTTPClientTransport(new URL(url)),
  stdio: new StdioClientTransport({ command, args }),
};
for (const [name, transport] of Object.entries(transports)) {
  const client = new Client({ name: "causeway-tests", version: "1" });
  await client.connect(transport);
  await checkServer(name, client);
}
