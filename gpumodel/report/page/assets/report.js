"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const state = { frame: 0, layer: "picture", by: null, draw: null };
  const number = (value, digits = 0) =>
    value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const figure = (value) => (value >= 1 || value === 0 ? number(value, 2) : String(Number(value.toPrecision(3))));
  const bytes = (value) => (value >= 1e6 ? `${number(value / 1e6, 1)} MB` : `${number(value / 1024, 0)} KB`);

  /* An element; text is always put in as text. */
  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  /* Theme */
  function isDark() {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }
  $("theme").addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  });

  /* Deep links: #frame=3&layer=cycles&draw=7&by=program, or the name of a section. */
  function readLink() {
    const link = new URLSearchParams(location.hash.slice(1));
    const wanted = data.frames.findIndex((frame) => String(frame.frame) === link.get("frame"));
    if (wanted >= 0) state.frame = wanted;
    if (link.get("layer") in data.layers) state.layer = link.get("layer");
    if (link.get("by") in data.costs) state.by = link.get("by");
    if (link.has("draw")) state.draw = Number(link.get("draw"));
    return wanted >= 0;
  }
  function writeLink() {
    const link = new URLSearchParams({ frame: data.frames[state.frame].frame });
    if (state.layer !== "picture") link.set("layer", state.layer);
    if (state.by) link.set("by", state.by);
    if (state.draw !== null) link.set("draw", state.draw);
    history.replaceState(null, "", `#${link}`);
  }

  /* Tile maps */
  const unpacked = new Map();
  async function layerValues(frame, name) {
    const key = `${frame.frame} ${name}`;
    if (!unpacked.has(key)) {
      const { data: text, step } = frame.layers[name];
      const raw = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
      const stream = new Blob([raw]).stream().pipeThrough(new DecompressionStream("deflate"));
      const words = new DataView(await new Response(stream).arrayBuffer());
      const values = new Float64Array(words.byteLength / 2);
      for (let k = 0; k < values.length; k++) values[k] = words.getUint16(2 * k, true) * step;
      unpacked.set(key, values);
    }
    return unpacked.get(key);
  }
  const ramp = data.ramp.map((text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16)));
  function color(part) {
    const at = Math.min(Math.max(part, 0), 1) * (ramp.length - 1);
    const low = Math.min(Math.floor(at), ramp.length - 2);
    return ramp[low].map((value, k) => value + (ramp[low + 1][k] - value) * (at - low));
  }
  async function drawMap() {
    const frame = data.frames[state.frame];
    const canvas = $("map");
    const isShown = state.layer in frame.layers && state.draw === null;
    canvas.hidden = !isShown;
    $("legend").hidden = !isShown;
    $("shot").classList.toggle("mapped", isShown);
    if (!isShown) return;
    const values = await layerValues(frame, state.layer);
    const [across, down] = frame.grid;
    const { title, unit, divisor, top } = data.layers[state.layer];
    canvas.width = across;
    canvas.height = down;
    canvas.style.width = `${(100 * across * frame.tile[0]) / frame.width}%`;
    canvas.style.height = `${(100 * down * frame.tile[1]) / frame.height}%`;
    canvas.setAttribute("aria-label", `${title} by tile of frame ${frame.frame}`);
    const context = canvas.getContext("2d");
    const image = context.createImageData(across, down);
    const opacity = 2.55 * Number($("opacity").value);
    values.forEach((value, k) => {
      if (value > 0) image.data.set([...color(value / top), opacity], 4 * k);
    });
    context.putImageData(image, 0, 0);
    $("legend-top").textContent = `${number(top / divisor, divisor > 1 ? 1 : 0)} ${unit}`;
  }
  async function tellTile(event) {
    const frame = data.frames[state.frame];
    const box = $("shot").getBoundingClientRect();
    const x = Math.floor((((event.clientX - box.left) / box.width) * frame.width) / frame.tile[0]);
    const y = Math.floor((((event.clientY - box.top) / box.height) * frame.height) / frame.tile[1]);
    const [across, down] = frame.grid;
    if (x < 0 || y < 0 || x >= across || y >= down) return;
    const said = [];
    for (const name of Object.keys(frame.layers)) {
      const value = (await layerValues(frame, name))[y * across + x];
      if (name === "equal") said.push(value ? "unchanged" : "changed");
      else if (name === "fragments") said.push(`${number(value / 100, 2)} fragments a pixel`);
      else said.push(`${number(value)} ${name}`);
    }
    $("tile").textContent = `Tile ${x}, ${y}: ${said.join(", ")}`;
  }

  /* One frame */
  const DRAW_COLUMNS = [
    ["ms", "ms", 3], ["mj", "mJ", 4], ["dram", "DRAM KB", 1], ["fragments", "shaded", 0],
    ["instructions", "issued", 0], ["texels", "texels", 0], ["vertices", "vertices", 0],
  ];
  function showDraws(frame) {
    const head = make("tr", {}, make("th", { scope: "col", "aria-sort": "none" }, make("button", { type: "button" }, "draw")));
    for (const [key, title] of DRAW_COLUMNS) {
      const sort = key === "ms" ? "descending" : "none";
      head.append(make("th", { scope: "col", class: "n", "aria-sort": sort }, make("button", { type: "button" }, title)));
    }
    const table = $("draws");
    table.tHead.replaceChildren(head);
    table.tBodies[0].replaceChildren(...frame.draw_rows.map((draw) => {
      const about = [`call ${draw.call}`, draw.mode, `program ${draw.program}`, draw.framebuffer, ...draw.textures];
      if (draw.blend) about.push("blended");
      if (!draw.depth) about.push("no depth test");
      const name = draw.mask ? make("button", { type: "button", class: "pick" }, draw.object) : draw.object;
      const cell = make("th", { scope: "row", title: about.join(", "), "data-v": draw.draw });
      cell.append(`${draw.draw} `, name, make("br"), make("small", {}, about.slice(1).join(", ")));
      const row = make("tr", { "data-draw": draw.draw, "aria-selected": String(draw.draw === state.draw) }, cell);
      if (draw.mask) row.className = "has-mask";
      for (const [key, , digits] of DRAW_COLUMNS) {
        const value = key === "dram" ? draw[key] / 1024 : draw[key];
        row.append(make("td", { class: "n", "data-v": value }, number(value, value ? digits : 0)));
      }
      return row;
    }));
    const others = frame.other_draws ? ` ${number(frame.other_draws)} cheaper ones are left out.` : "";
    $("draw-hint").textContent = `Choose a draw to see what it shades.${others}`;
    makeSortable(table);
  }
  function showMask() {
    const frame = data.frames[state.frame];
    const draw = frame.draw_rows.find((row) => row.draw === state.draw && row.mask);
    if (!draw) state.draw = null;
    $("mask").hidden = !draw;
    $("shot").classList.toggle("masked", Boolean(draw));
    $("picture").src = draw?.so_far ?? frame.picture ?? "data:,";
    if (draw) {
      const { style } = $("mask");
      style.backgroundImage = `url(${$("picture").src})`;
      style.webkitMaskImage = style.maskImage = `url(${draw.mask})`;
      $("mask").setAttribute("aria-label", `Pixels that draw ${draw.draw}, ${draw.object}, shades`);
      $("tile").textContent = draw.so_far
        ? `What draw ${draw.draw} leaves; in colour what it shades.`
        : `In colour what draw ${draw.draw} shades, as the frame ends.`;
    }
    for (const row of $("draws").tBodies[0].rows) {
      row.setAttribute("aria-selected", String(Number(row.dataset.draw) === state.draw));
    }
  }
  function showPasses(frame) {
    $("passes-lead").textContent =
      `Frame ${frame.frame}: what is drawn into which target, and what is loaded into it and stored from it.`;
    $("pass-list").replaceChildren(...frame.passes.map((pass, k) => {
      const shared = Object.entries(pass.shared_ms).map(([kind, ms]) => `${kind} ${number(ms, 3)} ms`);
      const item = make("li", {}, make("b", {}, `${k + 1}. ${pass.target}`), make("br"),
        `${pass.width} × ${pass.height}${pass.samples > 1 ? `, ${pass.samples} samples` : ""}, ${number(pass.draws)} draws`,
        make("br"), `${number(pass.ms, 3)} ms${shared.length ? ` and ${shared.join(", ")}` : ""}`);
      const list = make("dl");
      for (const part of pass.attachments) {
        const value = make("dd", {}, part.load === "load" ? make("mark", {}, `load ${bytes(part.bytes)}`) : part.load, " → ");
        const stored = part.store === "store" ? `store ${part.bytes ? bytes(part.bytes) : ""}` : part.store;
        value.append(part.store === "store" && part.name !== "colour 0" ? make("mark", {}, stored) : stored);
        list.append(make("dt", { title: part.format }, part.name), value);
      }
      if (pass.reads.length) list.append(make("dt", {}, "reads"), make("dd", {}, `pass ${pass.reads.map((n) => n + 1).join(", ")}`));
      if (pass.transfer_bytes) list.append(make("dt", {}, "copies"), make("dd", {}, bytes(pass.transfer_bytes)));
      item.append(list);
      return item;
    }));
    if (frame.other_passes) $("pass-list").append(make("li", {}, `and ${frame.other_passes} more passes`));
  }
  function showFrame() {
    const frame = data.frames[state.frame];
    $("frame-view").hidden = false;
    $("frame-name").textContent = `Frame ${frame.frame}`;
    $("frame-figures").textContent = `${figure(frame.ms)} ms, ${figure(frame.mj)} mJ, ${bytes(frame.dram)} of memory ` +
      `traffic, ${number(frame.fragments)} fragments shaded, ${number(frame.draws)} draws`;
    $("frame-verdict").textContent = frame.verdict;
    const picture = $("picture");
    picture.hidden = !frame.picture;
    $("shot").style.aspectRatio = `${frame.width} / ${frame.height}`;
    picture.style.imageRendering = frame.shown[0] < 300 ? "pixelated" : "auto";
    picture.alt = `Frame ${frame.frame}`;
    for (const button of document.querySelectorAll("[data-frame]")) {
      button.setAttribute("aria-pressed", String(Number(button.dataset.frame) === state.frame));
    }
    for (const button of $("layers").children) {
      const name = button.dataset.layer;
      button.hidden = name !== "picture" && !(name in frame.layers);
      button.setAttribute("aria-pressed", String(name === state.layer));
    }
    $("tile").textContent = Object.keys(frame.layers).length ? "Point at a tile for its numbers." : "";
    showDraws(frame);
    showMask();
    showPasses(frame);
    drawMap();
  }
  function chooseFrame(place) {
    state.frame = Math.min(Math.max(place, 0), data.frames.length - 1);
    state.draw = null;
    writeLink();
    showFrame();
  }

  /* Tables */
  function makeSortable(table) {
    const heads = [...table.tHead.querySelectorAll("th")];
    heads.forEach((head, column) => {
      head.querySelector("button")?.addEventListener("click", () => {
        const first = column ? "descending" : "ascending";
        const turned = first === "descending" ? "ascending" : "descending";
        const order = head.getAttribute("aria-sort") === first ? turned : first;
        for (const other of heads) if (other.hasAttribute("aria-sort")) other.setAttribute("aria-sort", "none");
        head.setAttribute("aria-sort", order);
        const sign = order === "ascending" ? 1 : -1;
        const value = (row) => row.cells[column].dataset.v ?? row.cells[column].textContent;
        const compare = (a, b) => {
          const [x, y] = [value(a), value(b)];
          return Number.isFinite(Number(x)) && Number.isFinite(Number(y)) ? x - y : x.localeCompare(y);
        };
        table.tBodies[0].append(...[...table.tBodies[0].rows].sort((a, b) => sign * compare(a, b)));
      });
    });
  }
  function showCosts() {
    const by = state.by ?? Object.keys(data.costs)[0];
    for (const part of document.querySelectorAll(".by")) part.hidden = part.dataset.by !== by;
    for (const button of $("by").children) button.setAttribute("aria-pressed", String(button.dataset.by === by));
  }

  /* Events */
  for (const table of document.querySelectorAll("table.sortable:not(#draws)")) makeSortable(table);
  $("by").addEventListener("click", (event) => {
    if (!event.target.dataset.by) return;
    state.by = event.target.dataset.by;
    if (data.frames.length) writeLink();
    showCosts();
  });
  showCosts();
  for (const link of document.querySelectorAll('a[href^="#shader-"]')) {
    link.addEventListener("click", () => { const part = $(link.hash.slice(1)); if (part) part.open = true; });
  }
  if ("IntersectionObserver" in window) {
    const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
    const seen = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        for (const link of links.values()) link.removeAttribute("aria-current");
        links.get(entry.target.id)?.setAttribute("aria-current", "true");
      }
    }, { rootMargin: "-20% 0px -70% 0px" });
    for (const section of document.querySelectorAll("main section")) seen.observe(section);
  }
  if (!data.frames.length) return;
  const layers = [["picture", "Picture"], ...Object.entries(data.layers).map(([name, { title }]) => [name, title])];
  for (const [name, title] of layers) {
    $("layers").append(make("button", { type: "button", "data-layer": name, "aria-pressed": "false" }, title));
  }
  $("layers").addEventListener("click", (event) => {
    if (!event.target.dataset.layer) return;
    state.layer = event.target.dataset.layer;
    state.draw = null;
    writeLink();
    showFrame();
  });
  $("opacity").addEventListener("input", drawMap);
  $("shot").addEventListener("pointermove", tellTile);
  $("draws").tBodies[0].addEventListener("click", (event) => {
    const row = event.target.closest("tr.has-mask");
    if (!row) return;
    state.draw = Number(row.dataset.draw) === state.draw ? null : Number(row.dataset.draw);
    writeLink();
    showMask();
    drawMap();
  });
  for (const button of document.querySelectorAll("[data-frame]")) {
    button.addEventListener("click", () => chooseFrame(Number(button.dataset.frame)));
  }
  document.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey || event.target.matches("input")) return;
    if (event.target.closest(".scroll")) return;
    chooseFrame(state.frame + step);
    document.querySelector(`.bars [data-frame="${state.frame}"]`)?.focus({ preventScroll: true });
    event.preventDefault();
  });
  const isLinked = readLink();
  if (!isLinked) state.frame = data.frames.reduce((worst, frame, k) => (frame.ms > data.frames[worst].ms ? k : worst), 0);
  showCosts();
  showFrame();
  if (isLinked) $("frame").scrollIntoView({ behavior: "instant" });
})();
