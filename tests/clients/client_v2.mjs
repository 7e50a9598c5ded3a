// Tests a running Causeway with version 2 of the TypeScript SDK of MCP, over both transports and both protocol eras.
//
// Usage: client_v2.mjs FOLDER_OF_THE_SDK URL COMMAND [ARGUMENT]...

import { createRequire } from "node:module";
import { checkServer } from "./check.mjs";

const [folder, url, command, ...args] = process.argv.slice(2);
const require = createRequire(`${folder}/package.json`);
const { Client, StreamableHTTPClientTransport } = require("@modelcontextprotocol/client");
const { StdioClientTransport } = require("@modelcontextprotocol/client/stdio");

const transports = {
  http: () => new StreamableHTTPClientTransport(new URL(url)),
  stdio: () => new StdioClientTransport({ command, args }),
};
for (const mode of ["legacy", "auto"]) {
  for (const [name, transport] of Object.entries(transports)) {
    const client = new Client({ name: "causeway-tests", version: "1" }, { versionNegotiation: { mode } });
    await client.connect(transport());
    await checkServer(`${name} ${mode}`, client);
  }
}
