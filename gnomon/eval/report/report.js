"use strict";
// Filters, sorts and opens the examples in #data. Texts of models become text nodes, never HTML.
(() => {
  const RIGHT = 0, WRONG = 1, UNREAD = 2, AT_ONCE = 24, AROUND = 80, OFF = "off: ";
  const byId = id => document.getElementById(id);
  const data = JSON.parse(byId("data").textContent);
  const items = data.items.map((item, place) => ({
    ...item, place, question: data.questions[item.question],
    answers: item.answers.map(answer => answer && {
      words: answer[0], value: answer[1], state: answer[2], far: answer[3], badness: answer[4],
      rule: data.rules[answer[5]], error: data.errors[answer[6]],
      certainty: answer[7] ?? "", refused: Boolean(answer[8]), steps: answer[9] ?? "",
    }),
  }));
  const form = document.querySelector("#browse form");
  const dialog = byId("dialog");
  let matches = [], visible = 0, current = -1;

  function make(tag, properties = {}, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  }

  // One class of a fact, as the value of its option.
  const key = (fact, label) => `${fact}: ${label}`;
  const factsOf = item => item.facts.map(([fact, label, exact]) =>
    [data.facts[fact][0], data.facts[fact][1][label], exact]);

  function settings() {
    const value = name => form.elements[name] ? form.elements[name].value : "";
    return {
      words: value("search").toLowerCase().split(/\s+/).filter(Boolean),
      run: Number(value("run") || data.runs.length - 1),
      state: value("state"), fact: value("fact"), sort: value("sort"),
    };
  }

  // A question's words in lower case, made when they are first searched.
  function text(item) {
    item.text ??= [item.id, item.question, item.truth,
      ...item.answers.flatMap(answer => answer ? [answer.words.join(""), answer.value, answer.rule] : []),
    ].join("\n").toLowerCase();
    return item.text;
  }

  function fits(item, {words, run, state, fact}) {
    if (fact && !factsOf(item).some(pair => key(...pair) === fact)) return false;
    const answer = item.answers[run];
    const right = item.answers.filter(Boolean).map(answer => answer.state === RIGHT);
    const alone = isRight => answer && (answer.state === RIGHT) === isRight && right.length > 1
      && right.filter(other => other === isRight).length === 1;
    if (state === "where runs disagree" && new Set(right).size < 2) return false;
    if (state === "this run alone right" && !alone(true)) return false;
    if (state === "this run alone wrong" && !alone(false)) return false;
    if (state === "refused" && !answer?.refused) return false;
    if (state === "answered" && !(answer?.certainty && !answer.refused)) return false;
    if (state.startsWith(OFF) && answer?.error !== state.slice(OFF.length)) return false;
    const wanted = data.states.indexOf(state);
    if (wanted >= 0 && (!answer || answer.state !== wanted)) return false;
    return words.every(word => text(item).includes(word));
  }

  // Wrong answers by how wrong they are, then the unread, then the right ones.
  const order = answer => answer ? [WRONG, UNREAD, RIGHT].indexOf(answer.state) : 3;
  const length = answer => answer ? answer.words.join("").length : -1;
  function sortItems(list, {run, sort}) {
    const of = item => item.answers[run];
    const worst = (a, b) => order(of(a)) - order(of(b))
      || (of(b)?.badness ?? 0) - (of(a)?.badness ?? 0) || a.place - b.place;
    if (sort === "worst") list.sort(worst);
    if (sort === "best") list.sort((a, b) => worst(b, a));
    if (sort === "long") list.sort((a, b) => length(of(b)) - length(of(a)) || a.place - b.place);
    return list;
  }

  function look() {
    const query = settings();
    matches = sortItems(items.filter(item => fits(item, query)), query);
    visible = 0;
    byId("results").replaceChildren();
    byId("count").textContent = `${matches.length.toLocaleString("en")} of ${items.length.toLocaleString("en")}`;
    more();
  }

  function more() {
    const next = matches.slice(visible, visible + AT_ONCE);
    byId("results").append(...next.map((item, i) => card(item, visible + i)));
    visible += next.length;
    byId("more").hidden = visible >= matches.length;
  }

  // The pictures are those of the page as it is without this script; none is there twice.
  function picture(item) {
    const stored = document.querySelector(`.plain .card[data-id="${CSS.escape(item.id)}"] .picture`);
    return stored ? [stored.cloneNode(true)] : [];
  }

  function words([before, answer, after], around = Infinity) {
    const start = before.length > around ? `… ${before.slice(-around)}` : before;
    const room = answer ? around : 2 * around;
    const end = after.length > room ? `${after.slice(0, room)} …` : after;
    const inside = answer.length > 2 * around ? `${answer.slice(0, 2 * around)} …` : answer;
    const parts = [start, ...(answer ? [make("u", {}, inside)] : []), end];
    return before || answer || after ? parts : ["(empty)"];
  }

  const verdict = answer => {
    const as = answer.value ? [" read as ", make("bdi", {}, answer.value)] : [];
    return [...as, ", ", make("b", {}, answer.far)];
  };
  // Interval and confidence of a calibrated run, and the step that went wrong first.
  const certainty = answer => [
    ...(answer.certainty ? [make("p", {className: "certainty"},
      ...(answer.refused ? [make("b", {}, "refused"), " "] : []), answer.certainty)] : []),
    ...(answer.steps ? [make("p", {className: "certainty"}, answer.steps)] : [])];
  const css = answer => data.states[answer.state];

  function card(item, place) {
    const name = make("button", {type: "button", className: "link"}, item.id);
    const element = make("figure", {className: "card"}, ...picture(item), make("figcaption", {},
      make("p", {}, item.question.slice(0, 2 * AROUND)),
      make("p", {}, "truth ", make("bdi", {}, make("b", {}, item.truth))),
      ...item.answers.flatMap((answer, run) => answer ? [make("p", {className: css(answer)},
        `${data.runs[run]} `, make("code", {}, ...words(answer.words, AROUND)), ...verdict(answer)),
        ...certainty(answer)] : []),
      name));
    name.onclick = () => open(place);
    const zoomable = element.querySelector(".picture");
    if (zoomable) zoomable.onclick = () => open(place);
    return element;
  }

  function open(place) {
    if (place < 0 || place >= matches.length) return;
    while (visible <= place) more();
    current = place;
    const item = matches[place];
    byId("dialog-title").textContent = `${item.id} (${(place + 1).toLocaleString("en")} of ${matches.length.toLocaleString("en")})`;
    byId("previous").disabled = place === 0;
    byId("next").disabled = place === matches.length - 1;
    byId("inside").replaceChildren(...picture(item),
      make("p", {}, item.question),
      make("p", {}, "truth ", make("bdi", {}, make("b", {}, item.truth))),
      ...item.answers.flatMap((answer, run) => answer ? [
        make("h3", {className: css(answer)}, data.runs[run], ...verdict(answer)),
        make("pre", {}, ...words(answer.words)),
        ...certainty(answer),
        ...(answer.rule ? [make("p", {className: "note"}, `Rule: ${answer.rule}`)] : []),
      ] : []),
      make("ul", {className: "facts"}, ...factsOf(item).map(([name, label, exact]) =>
        make("li", {}, make("span", {}, `${name} `), exact || label))));
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
  }

  // To the card before or after the one that has the focus; in the dialog to its neighbour.
  function step(by) {
    if (dialog.open) return open(current + by);
    const buttons = () => [...byId("results").querySelectorAll("button")];
    const next = buttons().indexOf(document.activeElement) + by;
    if (next >= visible && visible < matches.length) more();
    buttons()[Math.max(next, 0)]?.focus();
  }

  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches("input, select")) return;
    const by = {j: 1, ArrowRight: 1, k: -1, ArrowLeft: -1}[event.key];
    if (by) step(by);
    else if (event.key === "/" && !dialog.open) form.elements.search.focus();
    else return;
    event.preventDefault();
  });

  const counts = new Map();
  for (const item of items)
    for (const pair of factsOf(item)) counts.set(key(...pair), (counts.get(key(...pair)) ?? 0) + 1);
  for (const [name, labels] of data.facts)
    form.elements.fact.append(make("optgroup", {label: name}, ...labels
      .filter(label => counts.has(key(name, label)))
      .map(label => make("option", {value: key(name, label)},
        `${label} (${counts.get(key(name, label)).toLocaleString("en")})`))));

  form.elements.state.append(make("optgroup", {label: "by error"}, ...data.errors
    .filter(name => !data.states.includes(name))
    .map(name => make("option", {value: OFF + name}, name))));

  // A row of the slices leads to its examples.
  for (const row of document.querySelectorAll("th[data-fact]")) {
    const label = row.textContent;
    const button = make("button", {type: "button", className: "link", title: "its examples"}, label);
    button.onclick = () => {
      form.elements.fact.value = key(row.dataset.fact, label);
      look();
      byId("browse").scrollIntoView();
    };
    row.replaceChildren(button);
  }

  form.addEventListener("input", look);
  form.addEventListener("reset", () => setTimeout(look));
  form.addEventListener("submit", event => {
    event.preventDefault();
    step(1);
  });
  byId("more").onclick = more;
  byId("previous").onclick = () => open(current - 1);
  byId("next").onclick = () => open(current + 1);
  byId("close").onclick = () => dialog.close();
  dialog.addEventListener("close", () => byId("results").querySelectorAll("button")[current]?.focus());
  document.documentElement.classList.add("scripted");
  look();
})();
