// One session with a server: connect, list, call. Prints what the client saw as one JSON object.
// The only argument is JSON: {client: "sdk" | "client", target: {command, args, env, cwd} | {url},
// calls: {label: [tool, arguments]}}. Read from standard input by a node that runs where the
// packages are installed, because imports are resolved from there.

const { client: name, target, calls } = JSON.parse(process.argv[2]);

// The 1.x SDK knows the handshake only; the 2.x client is held to the modern protocol.
const packages = {
  sdk: async () => ({
    ...(await import("@modelcontextprotocol/sdk/client/index.js")),
    ...(await import("@modelcontextprotocol/sdk/client/stdio.js")),
    ...(await import("@modelcontextprotocol/sdk/client/streamableHttp.js")),
    options: {},
  }),
  client: async () => ({
    ...(await import("@modelcontextprotocol/client")),
    ...(await import("@modelcontextprotocol/client/stdio")),
    options: { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  }),
};

const { Client, StdioClientTransport, StreamableHTTPClientTransport, options } =
  await packages[name]();
const transport = target.url
  ? new StreamableHTTPClientTransport(new URL(target.url))
  : new StdioClientTransport(target);
// The 1.x SDK tells its transport, and nobody else, what was agreed on.
let protocol;
const tell = transport.setProtocolVersion?.bind(transport);
transport.setProtocolVersion = (version) => {
  protocol = version;
  tell?.(version);
};
const client = new Client({ name: "toolfold-tests", version: "1.0.0" }, options);
await client.connect(transport);

const { tools } = await client.listTools();
const answers = {};
for (const [label, [tool, args]] of Object.entries(calls)) {
  answers[label] = await client.callTool({ name: tool, arguments: args });
}
const seen = {
  protocol: client.getNegotiatedProtocolVersion?.() ?? protocol,
  server: client.getServerVersion(),
  instructions: client.getInstructions(),
  tools,
  answers,
};
await client.close();
console.log(JSON.stringify(seen));
