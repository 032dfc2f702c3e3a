// The `ai` package with its MCP client: a model that is no model asks for one call, and is told
// the result. Asked and reported as report.py beside this file says, the question as an argument;
// read from standard input by a node that runs where the packages are installed.

import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as StdioTransport } from "@ai-sdk/mcp/mcp-stdio";
import { generateText, stepCountIs } from "ai";
import { MockLanguageModelV4 } from "ai/test";

const step = (content, reason) => ({
  content: [content],
  finishReason: { unified: reason },
  usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
  warnings: [],
});

async function called(tools, toolName, args) {
  const call = { type: "tool-call", toolCallId: "1", toolName, input: JSON.stringify(args) };
  const steps = [step(call, "tool-calls"), step({ type: "text", text: "Thank you." }, "stop")];
  const model = new MockLanguageModelV4({ doGenerate: steps });
  const { steps: [{ toolResults }] } = await generateText({
    model,
    tools,
    prompt: "Call it.",
    stopWhen: stepCountIs(steps.length),
  });
  const shown = model.doGenerateCalls[1].prompt.at(-1).content[0].output.value;
  const texts = shown.filter((part) => part.type === "text").map((part) => part.text);
  const files = shown.filter((part) => part.type === "file");
  return {
    text: texts.join("\n"),
    is_error: toolResults[0].output.isError ?? false,
    structured: toolResults[0].output.structuredContent ?? null,
    images: files.map((file) => [file.mediaType, file.data.data]),
  };
}

async function session({ target, calls }) {
  const transport = target.url ? { type: "http", url: target.url } : new StdioTransport(target);
  const client = await createMCPClient({ transport });
  try {
    const listed = await client.tools();
    const tools = {};
    for (const [name, tool] of Object.entries(listed)) tools[name] = tool.inputSchema.jsonSchema;
    const answers = {};
    for (const [label, [name, args]] of Object.entries(calls)) {
      answers[label] = await called(listed, name, args);
    }
    return { tools, strict: {}, answers };
  } finally {
    await client.close();
  }
}

const seen = {};
for (const [name, asked] of Object.entries(JSON.parse(process.argv[2]))) {
  seen[name] = await session(asked);
}
console.log(JSON.stringify(seen));
