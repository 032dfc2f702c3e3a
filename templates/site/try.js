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

  // Schemas of others hold anything anywhere.
  const listOf = (value) => (Array.isArray(value) ? value : []);
  const objectOf = (value) => (value && typeof value === "object" ? value : {});
  const kindsOf = (schema) => (typeof schema.type === "string" ? [schema.type] : listOf(schema.type));

  // What a field asks for: the only alternative that is not null, found through references.
  const resolved = (schema, document, steps = 8) => {
    let own = objectOf(schema);
    if (typeof own.$ref === "string" && own.$ref.startsWith("#/")) {
      const parts = own.$ref.slice(2).split("/").map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
      own = objectOf(parts.reduce((found, part) => found?.[part], document));
    } else {
      const options = listOf(own.anyOf ?? own.oneOf).map(objectOf).filter((option) => option.type !== "null");
      if (options.length === 1) [own] = options;
    }
    return own === schema || !steps ? own : resolved(own, document, steps - 1);
  };

  const asText = (value) => (value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value, null, 2));
  const parsed = (text) => {
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  };

  const chooser = (values, value) => {
    const options = values.map((one) => element("option", { value: JSON.stringify(one), textContent: String(one) }));
    const select = element("select", {}, element("option", { value: "", textContent: "" }), ...options);
    if (value !== undefined) select.value = JSON.stringify(value);
    return { input: select, read: () => (select.value ? JSON.parse(select.value) : undefined) };
  };

  const typed = (properties, value, read) => {
    const input = element(properties.rows ? "textarea" : "input", { ...properties, value: asText(value) });
    return { input, read: () => (input.value === "" ? undefined : read(input.value)) };
  };

  const fieldFor = (name, schema, value) => {
    const kinds = kindsOf(schema).filter((kind) => kind !== "null");
    const values = "const" in schema ? [schema.const] : listOf(schema.enum);
    if (values.length) return chooser(values, value);
    if (kinds.length === 1) {
      if (kinds[0] === "boolean") return chooser([true, false], value);
      if (kinds[0] === "integer" || kinds[0] === "number") return typed({ type: "number", step: "any" }, value, Number);
      if (kinds[0] === "string" && schema.format === "date") return typed({ type: "date" }, value, String);
      if (kinds[0] === "string") return typed({ rows: 1 }, value, String);
    }
    // A list, an object, or one of several kinds; words that are no JSON are a string where one may be given.
    const takesText = kinds.length !== 1;
    return typed({ rows: 2, placeholder: takesText ? "Text or JSON" : "JSON" }, value, (text) => {
      const found = parsed(text);
      if (found === undefined && !takesText) throw new Error(`${name}: this is not JSON`);
      return found === undefined ? text : found;
    });
  };

  const show = async () => {
    const answer = await fetch(`${base}-/tool/${encodeURIComponent(article.dataset.tool)}`);
    if (!answer.ok) return;
    const tool = await answer.json();
    const required = listOf(tool.schema.required);
    const form = element("form", { className: "try" });
    const fields = Object.entries(objectOf(tool.schema.properties)).map(([name, schema]) => {
      const own = resolved(schema, tool.schema);
      const field = fieldFor(name, own, Object.hasOwn(tool.example, name) ? tool.example[name] : undefined);
      field.input.id = `try-${name}`;
      field.input.required = required.includes(name);
      const kind = kindsOf(own).join(" or ");
      const note = ` ${[own.format ?? kind, required.includes(name) ? "required" : ""].filter(Boolean).join(", ")}`;
      form.append(element("label", { htmlFor: field.input.id }, name, element("small", { textContent: note })), field.input);
      return [name, field];
    });
    const confirmation = element("input", { type: "checkbox", id: "try-confirm", required: true });
    if (tool.needsConfirmation) {
      const why = tool.effect === "read" ? "asks before it is run" : `is ${tool.effect}, and may change something`;
      const words = ` Run it: this tool ${why}`;
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
      said.classList.remove("failed");
      said.textContent = "Running…";
      try {
        const values = Object.fromEntries(fields.map(([name, field]) => [name, field.read()]).filter(([, value]) => value !== undefined));
        const body = JSON.stringify({ tool: tool.name, arguments: values, confirmed: confirmation.checked });
        const response = await fetch(`${base}-/call`, { method: "POST", headers: { "Content-Type": "application/json" }, body });
        const result = await response.json();
        if (result.error) throw new Error(result.error);
        const value = parsed(result.text);
        output.textContent = value === undefined ? result.text : asText(value);
        shown.hidden = false;
        said.classList.toggle("failed", result.isError);
        said.textContent = `${result.isError ? "Failed" : "Answered"} in ${result.ms} ms: ${result.tokens.toLocaleString()} tokens`;
      } catch (error) {
        shown.hidden = true;
        said.classList.add("failed");
        said.textContent = String(error.message ?? error);
      }
      confirmation.checked = false; // every call is confirmed for itself
      button.disabled = false;
    });
    const section = element("section", { className: "s-try" }, element("h2", { id: "try-it", textContent: "Try it" }), form);
    (article.querySelector(".s-call") ?? article).append(section);
  };
  show();
})();
