// Only in the preview: pages reload when they were made again, and tools can be called.
"use strict";
(() => {
  const { base, element } = window.toolfold;

  const follow = async (seen) => {
    try {
      const version = Number(await (await fetch(`${base}-/news?${seen}`)).text());
      if (seen >= 0 && version !== seen) return location.reload();
      document.documentElement.dataset.news = version;
      follow(version);
    } catch {
      setTimeout(() => follow(seen), 1000);
    }
  };
  follow(-1);

  const article = document.querySelector("article.tool");
  if (!article) return;

  // The alternatives of a schema that are not null, and the type of what is left.
  const typeOf = (schema) => {
    const options = schema.anyOf ?? schema.oneOf;
    const own = options?.find((option) => option.type && option.type !== "null") ?? schema;
    const kind = Array.isArray(own.type) ? own.type.find((one) => one !== "null") : own.type;
    return { kind, values: own.enum };
  };

  const fieldFor = (name, schema, value) => {
    const { kind, values } = typeOf(schema);
    const given = value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
    if (values) {
      const options = values.map((one) => element("option", { value: JSON.stringify(one), textContent: String(one) }));
      const select = element("select", {}, element("option", { value: "", textContent: "" }), ...options);
      if (value !== undefined) select.value = JSON.stringify(value);
      return { input: select, read: () => (select.value ? JSON.parse(select.value) : undefined) };
    }
    if (kind === "boolean") {
      const select = element("select", {}, ...["", "true", "false"].map((one) => element("option", { value: one, textContent: one })));
      select.value = given;
      return { input: select, read: () => (select.value ? select.value === "true" : undefined) };
    }
    if (kind === "integer" || kind === "number") {
      const input = element("input", { type: "number", step: "any", value: given });
      return { input, read: () => (input.value === "" ? undefined : Number(input.value)) };
    }
    if (kind === "string") {
      const input = element("textarea", { rows: 1, value: given });
      return { input, read: () => (input.value === "" ? undefined : input.value) };
    }
    const input = element("textarea", { rows: 2, value: value === undefined ? "" : JSON.stringify(value, null, 2), placeholder: "JSON" });
    return { input, read: () => (input.value.trim() === "" ? undefined : JSON.parse(input.value)) };
  };

  const show = async () => {
    const answer = await fetch(`${base}-/tool/${encodeURIComponent(article.dataset.tool)}`);
    if (!answer.ok) return;
    const tool = await answer.json();
    const required = tool.schema.required ?? [];
    const form = element("form", { className: "try" });
    const fields = Object.entries(tool.schema.properties ?? {}).map(([name, schema]) => {
      const field = fieldFor(name, schema, tool.example[name]);
      field.input.id = `try-${name}`;
      field.input.required = required.includes(name);
      const note = required.includes(name) ? " required" : "";
      form.append(element("label", { htmlFor: field.input.id }, name, element("small", { textContent: note })), field.input);
      return [name, field];
    });
    const confirmation = element("input", { type: "checkbox", id: "try-confirm", required: true });
    if (tool.effect !== "read") {
      const words = ` Run it: this tool is ${tool.effect}, and may change something`;
      form.append(element("div", { className: "warning" }, element("label", { htmlFor: "try-confirm" }, confirmation, words)));
    }
    const button = element("button", { type: "submit", textContent: "Run" });
    const said = element("p", { className: "meta", role: "status" });
    const output = element("code", {});
    const shown = element("div", { className: "code", hidden: true }, element("pre", { tabIndex: 0 }, output));
    form.append(button, said, shown);
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      button.disabled = true;
      said.textContent = "Running…";
      try {
        const values = Object.fromEntries(fields.map(([name, field]) => [name, field.read()]).filter(([, value]) => value !== undefined));
        const body = JSON.stringify({ tool: tool.name, arguments: values, confirmed: confirmation.checked });
        const response = await fetch(`${base}-/call`, { method: "POST", headers: { "Content-Type": "application/json" }, body });
        const result = await response.json();
        if (result.error) throw new Error(result.error);
        let text = result.text;
        try {
          text = JSON.stringify(JSON.parse(text), null, 2);
        } catch {
          // It is no JSON, and shown as it is.
        }
        output.textContent = text;
        shown.hidden = false;
        said.textContent = `${result.isError ? "Refused" : "Answered"} in ${result.ms} ms: ${result.tokens.toLocaleString()} tokens`;
      } catch (error) {
        said.textContent = String(error.message ?? error);
      }
      button.disabled = false;
    });
    const section = element("section", { className: "s-try" }, element("h2", { id: "try-it", textContent: "Try it" }), form);
    (article.querySelector(".s-call") ?? article).append(section);
  };
  show();
})();
