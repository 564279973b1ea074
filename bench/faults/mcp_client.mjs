// An MCP client of the official TypeScript SDK. It stays connected until its standard input ends.
//
//     node mcp_client.mjs URL QUESTION
//
// It prints one line of JSON when it is connected, and one at the end: the answers before and after the wait.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [url, question] = process.argv.slice(2);
const transport = new StreamableHTTPClientTransport(new URL(url));
const client = new Client({ name: "bench", version: "1" });
const errors = [];
client.onerror = (error) => errors.push(String(error));

async function ask() {
  const result = await client.callTool({ name: "ask", arguments: { question } });
  return result.isError ? "" : JSON.parse(result.content[0].text).answer;
}

await client.connect(transport); // it then tries the stream of GET by itself
const tools = (await client.listTools()).tools.length;
const before = await ask();
console.log(JSON.stringify({ tools, before }));
for await (const _ of process.stdin); // until it ends
console.log(JSON.stringify({ after: await ask(), errors }));
await client.close();
