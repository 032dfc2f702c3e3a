// What a client offers beside tools, used once each. Prints what it saw as one JSON object.
// The only argument is JSON: {client: "sdk" | "client", target: {command, args, env, cwd} | {url}}.
// Read from standard input by a node that runs where the packages are installed.

const { client: name, target } = JSON.parse(process.argv[2]);
const isModern = name === "client";

const packages = {
  sdk: async () => ({
    ...(await import("@modelcontextprotocol/sdk/client/index.js")),
    ...(await import("@modelcontextprotocol/sdk/client/stdio.js")),
    ...(await import("@modelcontextprotocol/sdk/client/streamableHttp.js")),
    types: await import("@modelcontextprotocol/sdk/types.js"),
    options: {},
  }),
  client: async () => ({
    ...(await import("@modelcontextprotocol/client")),
    ...(await import("@modelcontextprotocol/client/stdio")),
    options: { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  }),
};
const { Client, StdioClientTransport, StreamableHTTPClientTransport, types, options } =
  await packages[name]();

const client = new Client(
  { name: "toolfold-tests", version: "1.0.0" },
  { ...options, capabilities: { elicitation: {} } },
);
const asked = [];
const logged = [];
const answer = ({ params }) => {
  asked.push(params.message);
  return { action: "accept", content: { username: "ada", email: "ada@example.com" } };
};
const log = ({ params }) => {
  logged.push(params.data);
};
client.setRequestHandler(isModern ? "elicitation/create" : types.ElicitRequestSchema, answer);
client.setNotificationHandler(
  isModern ? "notifications/message" : types.LoggingMessageNotificationSchema,
  log,
);
const errors = [];
client.onerror = (error) => errors.push(String(error));
await client.connect(
  target.url
    ? new StreamableHTTPClientTransport(new URL(target.url))
    : new StdioClientTransport(target),
);

const call = async (tool, args = {}, meta = {}, settings = {}) => {
  const request = { name: tool, arguments: args, _meta: meta };
  const result = isModern
    ? await client.callTool(request, settings)
    : await client.callTool(request, undefined, settings);
  return result.content[0].text;
};
const progress = [];
const onprogress = (report) => progress.push(report.progress);
await call("test_tool_with_progress", {}, {}, { onprogress });
const question = await call("test_elicitation", { message: "Who is it?" });
if (!isModern) await client.setLoggingLevel("info");
const level = isModern ? { "io.modelcontextprotocol/logLevel": "info" } : {};
await call("test_tool_with_logging", {}, level);

const read = async (uri) => (await client.readResource({ uri })).contents[0];
const prompt = await client.getPrompt({ name: "test_simple_prompt" });
const completed = await client.complete({
  ref: { type: "ref/resource", uri: "toolfold://tools/{tool}" },
  argument: { name: "tool", value: "test_simple" },
});
const seen = {
  progress,
  asked,
  question,
  logged,
  resources: (await client.listResources()).resources.map((resource) => resource.uri),
  page: (await read("toolfold://tools/test_simple_text")).text,
  data: JSON.parse((await read("test://template/7/data")).text),
  image: (await read("test://static-binary")).blob,
  prompt: prompt.messages[0].content.text,
  completed: completed.completion.values,
  errors: [...errors],
};
await client.close();
console.log(JSON.stringify(seen));
