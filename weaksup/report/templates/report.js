"use strict";
// Everything from the data becomes text nodes: nothing is parsed as HTML, nothing is evaluated.
(() => {
  const PAGE = 10;
  const FIRST = 5; // candidates that are shown at once

  function make(name, className, ...inside) {
    const element = document.createElement(name);
    if (className) element.className = className;
    element.append(...inside.filter((part) => part !== null && part !== ""));
    return element;
  }

  // --- dark and light ------------------------------------------------------------------------------------------------

  function startTheme() {
    const root = document.documentElement;
    const button = document.getElementById("theme");
    const system = matchMedia("(prefers-color-scheme: dark)");
    const remembered = (value) => {
      try { // a page opened from a file may have no storage
        return value === undefined ? localStorage.getItem("theme") : localStorage.setItem("theme", value);
      } catch {
        return null;
      }
    };
    const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
    const show = () => { button.textContent = isDark() ? "Light" : "Dark"; };
    const before = remembered();
    if (before === "dark" || before === "light") root.dataset.theme = before;
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      remembered(root.dataset.theme);
      show();
    });
    system.addEventListener("change", show);
    button.hidden = false;
    show();
  }

  // --- tables --------------------------------------------------------------------------------------------------------

  function startSorting(table) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = make("button", "", ...head.childNodes);
      button.type = "button";
      button.addEventListener("click", () => {
        const numeric = head.classList.contains("number");
        const now = head.getAttribute("aria-sort");
        const next = now === "none" ? (numeric ? "descending" : "ascending") : now === "ascending" ? "descending" : "ascending";
        heads.forEach((other) => other.setAttribute("aria-sort", "none"));
        head.setAttribute("aria-sort", next);
        sortRows(table.tBodies[0], column, next === "ascending" ? 1 : -1);
      });
      head.append(button);
      head.setAttribute("aria-sort", "none");
    });
  }

  function sortRows(body, column, sign) {
    const value = (row) => {
      const cell = row.cells[column];
      return "sort" in cell.dataset ? Number(cell.dataset.sort) : cell.textContent.trim();
    };
    const isNothing = (found) => found === "" || found === "–";
    const rows = [...body.rows].map((row) => [value(row), row]);
    rows.sort(([a], [b]) => {
      if (isNothing(a) || isNothing(b)) return isNothing(a) - isNothing(b); // unknown is last either way
      const both = typeof a === "number" && typeof b === "number";
      return sign * (both ? a - b : String(a).localeCompare(String(b), "en", { numeric: true }));
    });
    body.append(...rows.map(([, row]) => row));
  }

  // --- examples ------------------------------------------------------------------------------------------------------

  const plain = (text) => text.normalize("NFKC").toLowerCase();
  const kindOf = (example) => String(Math.min(example.candidates, 2));
  const verdictOf = (example) =>
    example.label === null ? "none" : example.right === null ? "unknown" : example.right ? "right" : "wrong";
  const WORDS = { none: "no label", unknown: "not judged", right: "right", wrong: "wrong" };

  function matches(example, wanted) {
    return (!wanted.quantities || String(Math.min(example.quantities, 6)) === wanted.quantities)
      && (!wanted.stage || example.stage === wanted.stage)
      && (!wanted.candidates || kindOf(example) === wanted.candidates)
      && (!wanted.verdict || verdictOf(example) === wanted.verdict)
      && wanted.words.every((word) => example.searched.includes(word));
  }

  function marked(example) {
    return make("p", "text", ...example.parts.map(([text, number]) =>
      number === null ? text : make("mark", "", text, make("sub", "", `N${number}`))));
  }

  function pairs(values) {
    const list = make("dl", "key");
    for (const [name, value] of values) {
      if (value !== null) list.append(make("div", "", make("dt", "", name), make("dd", "", value)));
    }
    return list;
  }

  function belief(share) {
    if (share === null) return ["–"];
    const inner = make("i", "");
    inner.style.width = `${100 * share}%`;
    const bar = make("span", "belief", inner);
    bar.setAttribute("aria-hidden", "true");
    return [bar, make("span", "share", share > 0 && share < 0.0005 ? "<0.001" : share.toFixed(3))];
  }

  // The parts of a stage's name, each of which stays on one line: "omit-1" does not break at its hyphen.
  function stageName(stage) {
    return make("td", "stage", ...(stage ?? "").split(" ").flatMap((part) => [make("span", "", part), " "]));
  }

  function candidateRow([equation, expr, stage, posterior, right], isPicked) {
    const word = right === null ? "–" : right ? "right" : "wrong";
    const name = make("th", "equation" + (isPicked ? " picked" : ""), equation, isPicked ? make("small", "", "picked") : "");
    name.scope = "row";
    name.title = expr;
    return make("tr", "", name, stageName(stage), make("td", "number", ...belief(posterior)), make("td", right === null ? "" : word, word));
  }

  function candidateTable(rows, isPicked) {
    const heads = ["candidate", "stage", "posterior", "against gold"].map((text, i) => {
      const head = make("th", i === 2 ? "number" : "", text);
      head.scope = "col";
      return head;
    });
    const body = make("tbody", "", ...rows.map((row) => candidateRow(row, isPicked(row))));
    return make("table", "", make("thead", "", make("tr", "", ...heads)), body);
  }

  function candidates(example) {
    const block = make("div", "");
    if (!example.shown.length) return block;
    const isPicked = (row) => row[1] === example.expr;
    const table = candidateTable(example.shown.slice(0, FIRST), isPicked);
    block.append(table);
    const rest = example.shown.slice(FIRST);
    const note = make("p", "more");
    const tell = () => { // on paper there is no button: the note alone has to be true
      const unseen = Math.max(example.candidates, example.shown.length) - table.tBodies[0].rows.length;
      note.textContent = unseen ? `${unseen.toLocaleString("en")} further candidate${unseen > 1 ? "s are" : " is"} not shown.` : "";
    };
    tell();
    if (rest.length) {
      const button = make("button", "rest", `Show ${rest.length} more`);
      button.type = "button";
      button.addEventListener("click", () => {
        table.tBodies[0].append(...rest.map((row) => candidateRow(row, isPicked(row))));
        button.remove();
        tell();
      });
      block.append(button);
    }
    block.append(note);
    return block;
  }

  function tree(example) {
    const picture = example.tree === null ? null : document.getElementById("trees").content.children[example.tree];
    if (!picture) return null;
    return make("figure", "tree", make("figcaption", "", `tree of ${example.expr}`), picture.cloneNode(true));
  }

  function card(example) {
    const verdict = verdictOf(example);
    const count = example.candidates;
    const head = make("h3", "",
      make("span", `verdict ${verdict}`, WORDS[verdict]),
      make("span", "", example.id),
      make("span", "", `${example.quantities} ${example.quantities === 1 ? "quantity" : "quantities"}`),
      make("span", "", count === 1 ? "1 candidate" : `${count.toLocaleString("en")} candidates`),
      example.stage === null ? null : make("span", "", `stage ${example.stage}`));
    const picture = tree(example);
    const left = make("div", "", pairs([["answer", example.answer], ["gold", example.gold], ["label", example.label]]), candidates(example));
    return make("li", "example", head, marked(example), make("div", picture ? "body" : "body plain", left, picture));
  }

  // --- predictions ---------------------------------------------------------------------------------------------------

  const PREDICTED = { right: "right", answer: "right answer", match: "false match", wrong: "wrong", none: "no prediction" };

  function predictionMatches(shown, wanted) {
    return (!wanted.quantities || String(Math.min(shown.quantities, 6)) === wanted.quantities)
      && (!wanted.verdict || shown.verdict === wanted.verdict)
      && wanted.words.every((word) => shown.searched.includes(word));
  }

  function predictionCard(shown) {
    const head = make("h3", "",
      make("span", `verdict ${shown.verdict}`, PREDICTED[shown.verdict]),
      make("span", "", shown.id),
      make("span", "", `${shown.quantities} ${shown.quantities === 1 ? "quantity" : "quantities"}`),
      shown.probability === null ? null : make("span", "", `probability ${shown.probability.toFixed(3)}`));
    const picture = tree(shown);
    const values = [["predicted", shown.value], ["answer", shown.answer], ["prediction", shown.equation], ["gold", shown.gold]];
    return make("li", "example", head, marked(shown), make("div", picture ? "body" : "body plain", make("div", "", pairs(values)), picture));
  }

  // --- browsing ------------------------------------------------------------------------------------------------------

  function startBrowser(section, items, fits, card) {
    if (!section) return;
    for (const item of items) {
      const texts = [item.id, item.parts.map(([text]) => text).join(""), item.gold, item.label, item.equation];
      item.searched = plain(texts.filter((text) => text !== null && text !== undefined).join("\n"));
    }
    const form = section.querySelector("form");
    const list = section.querySelector("ol.examples");
    const pagers = [...section.querySelectorAll(".pager")];
    const turns = [...section.querySelectorAll("[data-turn]")];
    let found = items;
    let page = 0;

    function show() {
      const pages = Math.max(1, Math.ceil(found.length / PAGE));
      page = Math.min(Math.max(page, 0), pages - 1);
      const here = found.slice(page * PAGE, (page + 1) * PAGE);
      list.replaceChildren(...here.map(card));
      const total = found.length.toLocaleString("en");
      section.querySelector(".shown").textContent = here.length
        ? `${page * PAGE + 1} to ${page * PAGE + here.length} of ${total}` : "Nothing fits these filters.";
      section.querySelector(".pager .page").textContent = `Page ${page + 1} of ${pages}`;
      for (const button of turns) {
        const to = page + Number(button.dataset.turn);
        button.disabled = to < 0 || to >= pages;
      }
    }

    function filter() {
      const wanted = Object.fromEntries(new FormData(form));
      wanted.words = plain(wanted.text).split(/\s+/).filter(Boolean);
      found = items.filter((item) => fits(item, wanted));
      page = 0;
      show();
    }

    form.addEventListener("input", filter);
    form.addEventListener("submit", (event) => event.preventDefault());
    for (const button of turns) {
      button.addEventListener("click", () => {
        page += Number(button.dataset.turn);
        show();
        if (button.closest(".pager") === pagers[1]) {
          list.focus({ preventScroll: true });
          pagers[0].scrollIntoView();
        }
      });
    }
    form.hidden = false;
    pagers.forEach((pager) => { pager.hidden = false; });
    filter(); // a browser keeps what was chosen before a reload
  }

  const dataIn = (id) => JSON.parse(document.getElementById(id).textContent);
  startTheme();
  document.querySelectorAll("table.sortable").forEach(startSorting);
  startBrowser(document.getElementById("examples"), dataIn("data"), matches, card);
  startBrowser(document.getElementById("predictions"), dataIn("predicted"), predictionMatches, predictionCard);
})();
