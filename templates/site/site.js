// The theme is chosen before anything is drawn; all else waits for the page. Without this script
// every page can be read, and the system's theme is used.
"use strict";
(() => {
  const root = document.documentElement;
  const base = document.currentScript.src.replace(/assets\/site\.js.*$/, "");
  const remembered = (key, value) => {
    try {
      if (value === undefined) return localStorage.getItem(key);
      localStorage.setItem(key, value);
    } catch {
      // Nothing is remembered where nothing may be.
    }
    return null;
  };
  root.classList.add("js");
  const theme = remembered("toolfold-theme");
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;

  const element = (tag, properties, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };
  const load = (path) =>
    new Promise((resolve, reject) => {
      document.head.append(element("script", { src: base + path, onload: resolve, onerror: reject }));
    });
  window.toolfold = { base, element, load, remembered };

  const switchTheme = () => {
    const isDark = getComputedStyle(root).colorScheme === "dark" ||
      (!root.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
    root.dataset.theme = isDark ? "light" : "dark";
    remembered("toolfold-theme", root.dataset.theme);
  };

  const addCopyButtons = () => {
    for (const block of document.querySelectorAll(".code")) {
      const button = element("button", { type: "button", className: "copy", textContent: "Copy" });
      button.addEventListener("click", async () => {
        const text = block.querySelector("code").textContent.trimEnd();
        await navigator.clipboard.writeText(text.replace(/^\$ /gm, ""));
        button.textContent = "Copied";
        setTimeout(() => (button.textContent = "Copy"), 1500);
      });
      block.append(button);
    }
  };

  // Whoever reads in one language reads in it on the next page too.
  const addTabs = () => {
    const inputs = [...document.querySelectorAll(".tabs > input")];
    const nameOf = (input) => input.nextElementSibling.textContent;
    const choose = (name) => {
      for (const input of inputs) if (nameOf(input) === name) input.checked = true;
    };
    choose(remembered("toolfold-tab"));
    for (const input of inputs) {
      input.addEventListener("change", () => {
        remembered("toolfold-tab", nameOf(input));
        choose(nameOf(input));
      });
    }
  };

  const addFilter = () => {
    const lists = [...document.querySelectorAll("article.category .tools")];
    const items = lists.flatMap((list) => [...list.children]);
    if (items.length < 8) return;
    const rows = items.map((row) => ({
      row,
      text: row.textContent.toLowerCase(),
      effect: row.querySelector(".badge")?.textContent ?? "",
      tags: (row.querySelector("em")?.textContent ?? "").split(", ").filter(Boolean),
    }));
    const chooser = (label, values) => {
      const select = element("select", { ariaLabel: label }, element("option", { value: "", textContent: label }));
      for (const value of [...new Set(values)].filter(Boolean).sort()) {
        select.append(element("option", { value, textContent: value }));
      }
      return select;
    };
    const text = element("input", { type: "search", placeholder: "Filter these tools", ariaLabel: "Filter these tools" });
    const effect = chooser("Any effect", rows.map((one) => one.effect));
    const tag = chooser("Any tag", rows.flatMap((one) => one.tags));
    const count = element("output", {});
    const update = () => {
      const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const one of rows) {
        const fits = words.every((word) => one.text.includes(word)) &&
          (!effect.value || one.effect === effect.value) && (!tag.value || one.tags.includes(tag.value));
        one.row.hidden = !fits;
        shown += fits;
      }
      for (const list of lists) {
        const part = list.closest("section") ?? list;
        part.hidden = [...list.children].every((row) => row.hidden);
      }
      count.textContent = `${shown} of ${rows.length}`;
    };
    const controls = [text, effect, tag].filter((control) => control === text || control.options.length > 2);
    for (const control of controls) control.addEventListener("input", update);
    (lists[0].closest("section") ?? lists[0]).before(element("div", { className: "filter" }, ...controls, count));
    update();
  };

  let searching;
  const openSearch = async () => {
    searching ??= load("assets/search.js");
    await searching;
    window.toolfold.openSearch();
  };

  const start = () => {
    for (const button of document.querySelectorAll("[data-theme-switch]")) button.addEventListener("click", switchTheme);
    for (const button of document.querySelectorAll("[data-find]")) button.addEventListener("click", openSearch);
    document.addEventListener("keydown", (event) => {
      const isTyping = /^(input|textarea|select)$/i.test(event.target.tagName);
      const isKey = (event.key === "k" && (event.ctrlKey || event.metaKey)) || (event.key === "/" && !isTyping);
      if (!isKey) return;
      event.preventDefault();
      openSearch();
    });
    addCopyButtons();
    addTabs();
    addFilter();
    const current = document.querySelector(".side [aria-current]");
    const side = document.querySelector(".side");
    const showCurrent = () => {
      if (current && current.offsetTop > side.clientHeight * 0.7) side.scrollTop = current.offsetTop - side.clientHeight / 2;
    };
    showCurrent();
    side.addEventListener("toggle", showCurrent); // on a phone it has no place until it is opened
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
