// Search over `search-index.js`, which is loaded when search is first opened, as a script so that
// it works from a disk as well. Exact names come first, then words in names, summaries,
// descriptions and parameters; rare words count more.
"use strict";
(() => {
  const { base, element, load } = window.toolfold;
  const WEIGHTS = [6, 1.5, 5, 1, 0.7];
  const MOST = 12;
  // Words that say nothing of what is looked for, unless nothing else is asked.
  const SMALL = new Set("a an and are at by can do for from how i in is it me my of on or the to with".split(" "));
  let entries;
  let byWord;

  // Classes of characters beyond ASCII would take most of the time that making the index takes.
  const wordsOf = (text) => text.toLowerCase().match(/[a-z0-9\u0080-\uffff]+/g) ?? [];
  const wordsOfName = (name) => wordsOf(`${name} ${name.replace(/([a-z0-9])([A-Z])/g, "$1 $2")}`);

  const askedOf = (query) => {
    const words = [...new Set(wordsOf(query))];
    const telling = words.filter((word) => !SMALL.has(word));
    return telling.length ? telling : words;
  };
  const squeezed = (text) => text.toLowerCase().replace(/[\s_.-]+/g, "");

  // An entry: name, page, kind (a category or section), effect, summary, description, parameters.
  const prepare = (rows) => {
    entries = rows;
    byWord = new Map();
    rows.forEach((row, at) => {
      const fields = [row[0], row[2], row[4], row[5], row[6]];
      fields.forEach((text, field) => {
        if (!text) return;
        const words = field === 0 ? wordsOfName(text) : wordsOf(text);
        const share = WEIGHTS[field] / Math.sqrt(1 + words.length / 20);
        for (const word of words) {
          let found = byWord.get(word);
          if (!found) byWord.set(word, (found = { at: -1, fields: 0, entries: [], shares: [] }));
          const bit = 1 << field;
          if (found.at !== at) {
            found.at = at;
            found.fields = bit;
            found.entries.push(at);
            found.shares.push(share);
          } else if (!(found.fields & bit)) {
            found.fields |= bit;
            found.shares[found.shares.length - 1] += share;
          }
        }
      });
    });
  };
  window.toolfoldIndex = prepare;

  // Whether one letter more, less or other, or two exchanged, is all that tells the words apart.
  const isMisspelt = (word, asked) => {
    if (asked.length < 4 || Math.abs(word.length - asked.length) > 1) return false;
    let start = 0;
    while (start < asked.length && word[start] === asked[start]) start++;
    const [rest, other] = [word.slice(start), asked.slice(start)];
    const exchanged = other[0] === rest[1] && other[1] === rest[0] && rest.slice(2) === other.slice(2);
    return exchanged || rest.slice(1) === other || rest === other.slice(1) || rest.slice(1) === other.slice(1);
  };

  const isNear = (word, asked) => {
    if (word.startsWith(asked)) return asked.length / word.length;
    const stem = asked.replace(/(ing|ed|es|s)$/, "");
    return stem.length > 3 && word.startsWith(stem) && word.length - stem.length < 4 ? 0.6 : 0;
  };

  const find = (query) => {
    const asked = askedOf(query);
    const exact = query.trim().toLowerCase();
    const whole = squeezed(query);
    const scores = new Map();
    const matched = new Map();
    for (const one of asked) {
      const ofWord = new Map();
      const add = (found, near) => {
        const rarity = Math.log(1 + entries.length / found.entries.length);
        found.entries.forEach((at, number) => {
          ofWord.set(at, Math.max(ofWord.get(at) ?? 0, near * rarity * found.shares[number]));
        });
      };
      for (const [word, found] of byWord) {
        const near = word === one ? 1 : isNear(word, one) * 0.7;
        if (near) add(found, near);
      }
      // Nothing begins like it: it may be misspelt.
      if (!ofWord.size) for (const [word, found] of byWord) if (isMisspelt(word, one)) add(found, 0.5);
      for (const [at, score] of ofWord) {
        scores.set(at, (scores.get(at) ?? 0) + score);
        matched.set(at, (matched.get(at) ?? 0) + 1);
      }
    }
    const ranked = [...scores].map(([at, score]) => {
      const name = entries[at][0].toLowerCase();
      const bonus = name === exact ? 1e6 : name.startsWith(exact) ? 1e3 - name.length : 0;
      return [at, score * (matched.get(at) / asked.length) ** 2 + bonus];
    });
    entries.forEach((row, at) => {
      if (whole && !scores.has(at) && squeezed(row[0]).includes(whole)) ranked.push([at, 0.5]);
    });
    return ranked.sort((one, other) => other[1] - one[1] || one[0] - other[0]).slice(0, MOST).map(([at]) => entries[at]);
  };
  window.toolfold.find = find;

  // Where a word of the text begins so; -1 where none does.
  const startOf = (text, word) => {
    let at = text.indexOf(word);
    while (at > 0 && /[a-z0-9]/.test(text[at - 1])) at = text.indexOf(word, at + 1);
    return at;
  };

  const marked = (text, asked) => {
    const parts = [];
    let rest = text;
    while (rest) {
      const low = rest.toLowerCase();
      const places = asked.map((word) => [startOf(low, word), word.length]).filter(([at]) => at >= 0);
      if (!places.length) break;
      const [at, length] = places.sort((one, other) => one[0] - other[0] || other[1] - one[1])[0];
      parts.push(rest.slice(0, at), element("mark", { textContent: rest.slice(at, at + length) }));
      rest = rest.slice(at + length);
    }
    return [...parts, rest];
  };

  const list = element("ol", { id: "search-results", role: "listbox", ariaLabel: "Results" });
  const status = element("p", { role: "status" });
  const input = element("input", { type: "search", placeholder: "Search", autocomplete: "off", spellcheck: false, ariaLabel: "Search" });
  const dialog = element("dialog", { className: "search", ariaLabel: "Search" }, input, list, status);
  for (const [name, value] of [["role", "combobox"], ["aria-controls", "search-results"], ["aria-expanded", "true"], ["aria-autocomplete", "list"]]) {
    input.setAttribute(name, value);
  }
  let chosen = 0;

  const choose = (at) => {
    const rows = [...list.children];
    chosen = Math.max(0, Math.min(at, rows.length - 1));
    rows.forEach((row, number) => row.setAttribute("aria-selected", String(number === chosen)));
    if (rows[chosen]) {
      input.setAttribute("aria-activedescendant", rows[chosen].id);
      rows[chosen].scrollIntoView({ block: "nearest" });
    } else input.removeAttribute("aria-activedescendant");
  };

  const show = () => {
    const query = input.value;
    const asked = askedOf(query);
    const rows = entries && asked.length ? find(query) : [];
    list.replaceChildren(
      ...rows.map(([name, page, kind, effect, summary], number) => {
        const link = element("a", { href: base + page, tabIndex: -1 }, element("b", {}, ...marked(name, asked)), element("i", { textContent: kind }));
        if (effect) link.append(" ", element("span", { className: `badge ${effect}`, textContent: effect }));
        link.append(element("small", {}, ...marked(summary, asked)));
        const row = element("li", { id: `search-${number}`, role: "option" }, link);
        row.addEventListener("mousemove", () => choose(number));
        return row;
      }),
    );
    status.hidden = rows.length > 0;
    status.textContent = !entries ? "Loading…" : asked.length ? `Nothing has “${query}”. Try fewer or other words.` : "Type a name, or what you want to do.";
    choose(0);
  };

  input.addEventListener("input", show);
  input.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      choose(chosen + step);
    } else if (event.key === "Enter") list.children[chosen]?.querySelector("a").click();
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog || event.target.closest("a")) dialog.close();
  });
  document.body.append(dialog);
  show();
  load("assets/search-index.js").then(show);
  window.toolfold.openSearch = () => {
    if (!dialog.open) dialog.showModal();
    input.select();
    performance.mark("toolfold-search-open");
  };
})();
