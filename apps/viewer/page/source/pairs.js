// The list of body pairs: what meets, how often, how deep; the deepest first. A click shows the pair alone and near, the next one
// everything again.
import { shortNumber } from "./plots.js";

const SHOWN = 100;

// Names shortened in the middle: both ends tell bodies apart.
export function nameParts(name, tail = 11) {
    return name.length > tail + 3 ? [name.slice(0, -tail), name.slice(-tail)] : [name, ""];
}
export function fillName(element, name) {
    const [head, tail] = nameParts(name).map((text, k) => Object.assign(document.createElement("span"), { className: k === 0 ? "start" : "end", textContent: text }));
    element.replaceChildren(head, ...(tail.textContent ? [tail] : []));
}

export class PairList {
    // onChoose(pair or null)
    constructor({ list, note, sort, filter }, onChoose) {
        Object.assign(this, { list, note, sort, filter, onChoose, pairs: [], names: [], chosen: null, least: 0, text: "" });
        sort.addEventListener("input", () => this.draw());
        filter.addEventListener("input", () => {
            this.text = filter.value.trim().toLowerCase();
            this.draw();
        });
    }

    // pairs: { a, b, count, depth, certain, volume, at: place in units or null }, depth as the model has it. volumes: "known", "awaited",
    // "none": what they are of no pair.
    show(pairs, names, label, unit = "", volumes = "none") {
        Object.assign(this, { label, unit });
        this.offerVolumes(volumes);
        const key = JSON.stringify(pairs.map(pair => [pair.a, pair.b, pair.count, pair.depth, pair.volume]));
        if (key === this.key && names === this.names) return;
        Object.assign(this, { key, pairs, names });
        this.draw();
    }

    offerVolumes(volumes) {
        const option = this.sort.querySelector("[value=volume]"), text = volumes === "awaited" ? "volume …" : "volume";
        option.disabled = volumes === "none";
        if (option.textContent !== text) option.textContent = text;
        if (option.disabled && this.sort.value === "volume") this.sort.value = "depth";
    }

    setLeast(depth) {
        this.least = depth;
        this.draw();
    }

    name(pair) {
        return `${this.names[pair.a]} ${this.names[pair.b]}`.toLowerCase();
    }

    wanted() {
        const by = this.sort.value, order = { depth: (p, q) => q.depth - p.depth || q.count - p.count, count: (p, q) => q.count - p.count, volume: (p, q) => (q.volume ?? -1) - (p.volume ?? -1), name: (p, q) => (this.name(p) < this.name(q) ? -1 : 1) }[by];
        return this.pairs.filter(pair => pair.depth >= this.least && (!this.text || this.name(pair).includes(this.text))).sort(order);
    }

    volume(pair) {
        return `${shortNumber(pair.volume)} ${this.unit ? `${this.unit}³` : "vol"}`;
    }

    draw() {
        const wanted = this.wanted();
        this.list.replaceChildren(...wanted.slice(0, SHOWN).map(pair => this.row(pair)));
        this.note.textContent = wanted.length === 0 ? (this.pairs.length > 0 ? "none of this name or depth" : "none") : wanted.length > SHOWN ? `${wanted.length - SHOWN} more` : "";
    }

    row(pair) {
        const item = document.createElement("li"), button = document.createElement("button"), names = document.createElement("span"), figures = document.createElement("span");
        const chosen = this.chosen && this.chosen.a === pair.a && this.chosen.b === pair.b;
        names.className = "two";
        for (const body of pair.a === pair.b ? [pair.a] : [pair.a, pair.b]) {
            const name = document.createElement("span");
            name.className = "name";
            fillName(name, this.names[body] ?? String(body));
            names.append(name);
        }
        figures.className = "figures";
        const depth = pair.depth > 0 ? this.label(pair.depth) : "touch", second = this.sort.value === "volume" ? (pair.volume > 0 ? this.volume(pair) : "–") : `${shortNumber(pair.count)}×`;
        for (const text of [depth, second]) figures.append(Object.assign(document.createElement("span"), { textContent: text }));
        button.append(names, figures);
        button.title = `${this.names[pair.a]} and ${pair.a === pair.b ? "itself" : this.names[pair.b]}: ${depth}, ${pair.count} ${pair.counted ?? "contacts"}${pair.volume > 0 ? `, volume in common ${this.volume(pair)}` : ""}`;
        button.setAttribute("aria-pressed", String(Boolean(chosen)));
        button.onclick = () => this.choose(chosen ? null : pair);
        item.append(button);
        return item;
    }

    choose(pair) {
        this.chosen = pair;
        this.draw();
        this.onChoose(pair);
    }
}
