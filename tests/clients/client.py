"""Tests a running Causeway with the Python SDK of MCP: lists and calls every tool, over both transports.

Usage: client.py URL COMMAND [ARGUMENT]...
"""

import asyncio
import json
import pathlib
import sys

from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters

CALLS = json.loads((pathlib.Path(__file__).parent / "calls.json").read_text())


def check(holds: bool, what: object) -> None:
    if not holds:
        raise SystemExit(f"FAILED: {what}")


async def check_calls(client: Client) -> None:
    """Makes every call of the list, and compares its result with the expected one."""
    for call in CALLS:
        result = await client.call_tool(call["tool"], call["arguments"])
        text = "".join(block.text for block in result.content)
        check(bool(result.is_error) == call.get("is_error", False), (call, text))
        check(call["holds"] in text, (call, text))
        if result.structured_content is not None:
            check(json.loads(text) == result.structured_content, ("text and structured content are equal", call))


async def check_unknown(client: Client) -> None:
    """Calls a tool that does not exist, which is an error of the protocol."""
    try:
        result = await client.call_tool("no_such_tool", {})
    except MCPError as error:
        check("search_codebase" in str(error), error)
    else:
        check(False, result)


async def check_server(name: str, server: str | StdioServerParameters, mode: str) -> None:
    async with Client(server, mode=mode) as client:
        tools = (await client.list_tools()).tools
        names = [tool.name for tool in tools]
        check(names == sorted(names), names)
        check(set(names) == {call["tool"] for call in CALLS}, ("every tool is called", names))
        check(all(tool.annotations.read_only_hint for tool in tools), "every tool is read-only")
        await check_calls(client)
        await check_unknown(client)
        await asyncio.gather(*(check_calls(client) for _ in range(4)))
        print(f"{name} {mode}: {client.protocol_version}, {len(names)} tools, {len(CALLS)} calls")


async def main(url: str, command: str, arguments: list[str]) -> None:
    for mode in ["auto", "legacy", "2026-07-28"]:
        await check_server("http", url, mode)
        await check_server("stdio", StdioServerParameters(command=command, args=arguments), mode)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
