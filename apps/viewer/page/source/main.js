// The page of `dent view`: connects the tool's messages, the 3-D stage and the controls.
import { Connection } from "./connection.js";
import { Hand } from "./hand.js";
import { Joints } from "./joints.js";
import { BOXES, FRAME, HELLO, NOTE, STATE, TOPOLOGY, decode } from "./messages.js";
import { bodyColor, fieldGradient, fieldTable, pushGradient, pushTable } from "./palette.js";
import { lengthLabel, paintTriad, scaleBar } from "./overlay.js";
import { PairList, fillName } from "./pairs.js";
import { SIZES, Video, animation, asBlob, save, takePicture } from "./pictures.js";
import { Plot, shortNumber } from "./plots.js";
import { valueGradient } from "./points.js";
import { Stage } from "./stage.js";
import { Timeline } from "./timeline.js";

const $ = id => document.getElementById(id);
const wanted = new URLSearchParams(location.hash.slice(1)), wantedField = new URLSearchParams(location.hash.slice(1)).get("colours") ?? new URLSearchParams(location.hash.slice(1)).get("stress"); // #snapshot=1&view=35,20&question=face-cell …

// Text is changed only where it differs: every change costs a layout.
function write(id, text) {
    if ($(id).textContent !== text) $(id).textContent = text;
}
function complain(text) {
    write("connection", text);
    $("connection").className = "lost";
}
// An empty page should say why. Browsers also report as an error that a size changed twice in one picture: that is none.
addEventListener("error", event => event.message.startsWith("ResizeObserver") || complain(event.message));

// What tests and snapshots read; the page itself does not.
const state = (window.dentView = { connected: false, hello: null, frame: -1, sequence: 0, contacts: -1, pairs: null, drawn: 0, framesDrawn: 0, ready: false, opened: performance.now() });

let sizes = [], awaiting = 0, current = null, undrawn = [], drag = null, ownSeek = 0, kept = null;
let shared = null, greeted = false; // what all pages share, as it was told last; whether this connection has told it
let lastFigures = 0;
const controls = [];

// Frames are acknowledged when they, or newer ones in their place, have been drawn: a page that is hidden draws nothing and gets nothing.
function acknowledge() {
    for (const sequence of undrawn) connection.say("ack", sequence);
    undrawn = [];
}

function makeStage() {
    try {
        return new Stage($("canvas"), onDrawn, wanted.has("snapshot"));
    } catch (error) {
        throw new Error(`this browser offers no WebGL 2, so nothing can be drawn (${error.message})`);
    }
}
function onDrawn() {
    state.drawn++;
    showOverlay();
    if (undrawn.length === 0) return;
    acknowledge();
    state.framesDrawn++;
    if (state.onFrameDrawn) setTimeout(state.onFrameDrawn); // not in the middle of drawing
    if (!state.ready) {
        state.ready = true;
        state.readyAfter = performance.now() - state.opened;
    }
    settle();
}
const stage = makeStage();
const plots = {
    contacts: new Plot($("plot-contacts"), ["--series-1"]),
    push: new Plot($("plot-push"), ["--series-2"]),
    time: new Plot($("plot-time"), ["--series-1", "--series-3", "--faint"]),
};
const timeline = new Timeline($("events"));
let probePlots = [];
const allPlots = () => [...Object.values(plots), ...probePlots];
state.stage = stage;

// A plot for each probe that the scene declares; of a vector three lines.
function listProbes(probes) {
    const panel = $("probe-plots");
    panel.replaceChildren(panel.firstElementChild);
    panel.hidden = probes.length === 0;
    probePlots = probes.map(probe => {
        const figure = document.createElement("figure"), caption = document.createElement("figcaption"), canvas = document.createElement("canvas");
        caption.textContent = probe.columns === 3 ? `${probe.name}: ` : probe.name;
        if (probe.columns === 3) {
            ["one", "two", "three"].forEach((series, k) => {
                const key = document.createElement("i");
                key.className = series;
                caption.append(key, "xyz"[k]);
            });
        }
        figure.append(caption, canvas);
        panel.append(figure);
        return new Plot(canvas, ["--series-1", "--series-2", "--series-3"], { signed: true });
    });
}

// ---- messages ---------------------------------------------------------------------------------------------------

// The same bodies again (a restart, a frame with other elements, a server that came back) keep camera, colours and settings.
function onHello(message) {
    const names = hello => JSON.stringify(hello?.bodies.map(body => body.name)), again = names(state.hello) === names(message);
    kept = again ? (kept ?? controls.map(row => Object.entries(row).map(([name, element]) => [name, element.type === "checkbox" ? element.checked : element.value]))) : null;
    if (!again) shared = wishesForAll();
    if (!again) pairs.chosen = solo = null;
    state.hello = message;
    bodyNames = message.bodies.map(body => body.name);
    stage.unit = message.unit;
    state.ready = false;
    acknowledge(); // of a frame of the bodies before, which is not going to be drawn
    sizes = [];
    awaiting = message.bodies.length;
    current = null;
    lastFigures = 0;
    stage.clear(again);
    const probes = message.probes ?? [], sameProbes = JSON.stringify(state.probes) === JSON.stringify(probes);
    if (!sameProbes) listProbes(probes);
    state.probes = probes;
    if (!again) for (const plot of allPlots()) plot.clear();
    $("title").textContent = message.title;
    $("title").title = message.path ?? "";
    $("verdict").hidden = !message.verdict;
    $("verdict").textContent = message.verdict ?? "";
    $("verdict").classList.toggle("bad", /^PENETRATING/.test(message.verdict ?? ""));
    document.title = `${message.title} – dent view`;
    fillSelect($("question"), ["none", ...message.questions]);
    fillSelect($("stress"), message.measures?.length ? message.measures : ["none"]);
    $("stress-field").hidden = !message.measures?.length;
    fillSelect($("structure"), ["none", ...message.structures]);
    $("question-field").hidden = message.questions.length === 0; // a program's own world may offer none
    $("structure-part").hidden = message.structures.length === 0;
    fillSelect($("structure-body"), message.bodies.map((body, i) => [String(i), `${i} ${body.name}`]));
    showShared();
    $("empty").hidden = message.bodies.some(body => body.faces > 0 || body.segments > 0 || body.kind === "points");
    write("time-caption", message.live ? "ms" : "ms for the contacts");
    write("push-caption", `largest push${message.lengthUnit ? ` in ${message.lengthUnit}` : ""}`);
    $("plots").hidden = message.frames === 1 && !message.live; // one frame makes no curve
    $("scrub").style.visibility = message.live ? "hidden" : ""; // a live scene only goes on
    $("time-keys").hidden = !message.live;
    $("grab-label").hidden = !message.live || Boolean(message.hand); // there a plain drag does it
    $("scrub").max = Math.max(message.frames - 1, 0);
    $("scrub").disabled = message.frames < 2 || message.live;
    $("step-back").disabled = message.live;
    for (const id of ["play", "step", "speed"]) $(id).disabled = message.frames === 1 && !message.live;
    $("joint-part").hidden = !message.joints?.length;
    joints.show(message.joints);
    hand.show(message.hand);
    $("hand-keys").hidden = !message.hand;
    listBodies(message.bodies);
    if (!again) restoreUp();
    if (awaiting === 0) applyWishes();
}

function onTopology(message) {
    sizes[message.body] = { vertexCount: message.vertexNumbers.length, faceCount: message.corners.length / 3, points: state.hello.bodies[message.body].kind === "points" };
    stage.addBody(message, state.hello.bodies[message.body]);
    if (--awaiting > 0) return;
    if (kept) keepWishes();
    else applyWishes();
}

function onFrame(frame) {
    current = frame;
    stage.field = fieldLook();
    stage.showFrame(frame);
    hand.draw(frame);
    undrawn.push(frame.sequence);
    if (wanted.has("view") && !state.looked) {
        state.looked = true;
        stage.look(...wanted.get("view").split(",").map(Number));
    }
    Object.assign(state, { pending: frame.pending, frame: frame.frame, sequence: frame.sequence, contacts: frame.contactCount, pairs: frame.pairCount, push: frame.push, pushError: frame.pushError, uncertainPush: frame.uncertainPush, playing: frame.playing, markedFaces: stage.markedFaces, time: frame.time, stress: frame.stress ? stage.stressRange : null });
    if (!frame.pending) {
        plots.contacts.add(frame.frame, [frame.contactCount]);
        plots.push.add(frame.frame, [Math.max(frame.push, 0)]);
        plots.time.add(frame.frame, frame.live ? [frame.detect, frame.respond, frame.total] : [frame.total]);
        probePlots.forEach((plot, k) => plot.add(frame.frame, frame.probeValues[k]));
        state.probeValues = frame.probeValues;
        state.probeRows = probePlots.map(plot => plot.rows.length);
    }
    tellFigures();
}

// At once where something stopped or was asked for; while it plays a few times a second, since every change of a figure makes
// the browser paint the panels anew, which in software costs as much as the model.
let figuresDue = 0;
function tellFigures() {
    const wait = current.playing ? lastFigures + (stage.software ? 400 : 120) - performance.now() : 0;
    if (wait <= 0) {
        clearTimeout(figuresDue);
        figuresDue = 0;
        lastFigures = performance.now();
        showFigures(current);
        if (!$("plots").hidden) for (const plot of allPlots()) plot.draw();
    } else if (figuresDue === 0) {
        figuresDue = setTimeout(() => {
            figuresDue = 0;
            if (current) tellFigures();
        }, wait);
    }
}

// With the unit where it is known: scenes tell theirs, files of meshes have none.
// How far it may be off is told where that is more than rounding.
function length(x, error = 0) {
    const number = error > 1e-3 * x ? `${shortNumber(x)} ± ${shortNumber(error)}` : shortNumber(x);
    return state.hello.lengthUnit ? `${number} ${state.hello.lengthUnit}` : number;
}

function showFigures(frame) {
    write("contact-count", frame.pending ? "…" : frame.contactCount + (frame.contactsSent < frame.contactCount ? ` (${frame.contactsSent} sent)` : ""));
    showPairs(frame);
    write("push", frame.pending ? "…" : frame.contactCount > 0 ? length(frame.push, frame.pushError) : "–");
    write("pair-count", frame.pending && (shared?.question ?? "none") !== "none" ? "…" : frame.pairCount === null ? "–" : String(frame.pairCount));
    write("time", `${shortNumber(frame.time)} s`);
    $("play").classList.toggle("playing", frame.playing);
    $("play").setAttribute("aria-label", frame.playing ? "Pause" : "Play");
    if (!frame.live && Number($("scrub").max) !== frame.frameCount - 1) { // a recording has grown
        $("scrub").max = Math.max(frame.frameCount - 1, 0);
        $("scrub").disabled = frame.frameCount < 2;
        for (const id of ["play", "step", "speed"]) $(id).disabled = frame.frameCount < 2;
    }
    write("clock", frame.frameCount !== 1 || frame.live ? `${shortNumber(frame.time)} s` : "");
    write("frame", frame.frameCount > 1 ? `${frame.frame} / ${frame.frameCount - 1}` : String(frame.frame));
    if (performance.now() - ownSeek > 300) $("scrub").value = frame.frame;
    showLegend(frame);
    showStressLegend(frame);
    if (!frame.pending) showCloudFigures(frame.clouds);
}

// Whether clouds meet, how sure that is, and what the colours of their discs mean.
function showCloudFigures(clouds) {
    const range = stage.valueRange * state.hello.unit;
    $("cloud-figures").hidden = !clouds?.answer;
    $("cloud-legend").hidden = !(range > 0);
    state.clouds = clouds && { answer: clouds.answer, found: clouds.found, miss: clouds.miss, lines: clouds.lines.length / 6, range };
    if (!clouds) return;
    write("cloud-answer", clouds.answer === "yes" ? `yes, ${clouds.found} points` : clouds.answer ?? "");
    write("cloud-miss", shortNumber(clouds.miss));
    $("cloud-bar").style.background = valueGradient();
    write("cloud-low", `−${length(range)}`);
    write("cloud-high", length(range));
}

// How a field is told: its name, the unit, where its scale ends if not at the largest value, whether small values are the bad ones.
// Stress is in the unit of force per area that goes with kilograms and seconds.
function fieldLook(measure = shared?.measure ?? "none") {
    const metre = state.hello?.lengthUnit ?? "", stress = { m: "Pa", mm: "kPa" }[metre] ?? "";
    return { "plastic-strain": { unit: "" }, speed: { unit: metre && `${metre}/s` }, depth: { unit: metre, name: "depth in other bodies" }, distance: { unit: metre, name: "distance to the nearest body", reversed: true },
        quality: { unit: "", name: "cell quality", end: 1, reversed: true }, inverted: { unit: "", name: "inverted cells", end: 1 } }[measure] ?? { unit: stress };
}
function fieldLegend() {
    const measure = shared?.measure ?? "none", look = fieldLook();
    return { title: look.name ?? measure, table: fieldTable(look.reversed), low: "0", high: lengthLabel(look.end ?? stage.stressRange, look.unit) };
}
function showStressLegend(frame) {
    $("stress-legend").hidden = !frame.stress;
    if (!frame.stress) return;
    const legend = fieldLegend();
    $("stress-bar").style.background = fieldGradient(fieldLook().reversed);
    write("stress-name", legend.title);
    write("stress-end", legend.high);
}

// ---- pairs of bodies -----------------------------------------------------------------------------------------------

let bodyNames = [], solo = null;
const pairs = new PairList({ list: $("pair-list"), note: $("pair-note"), sort: $("pair-sort"), filter: $("pair-filter") }, showPair);
state.pairList = pairs;

// As dent check found them, where it was asked; else the contacts of the frame.
function showPairs(frame) {
    const { checked } = state.hello;
    if (frame.pending && !checked?.length) return;
    const found = checked?.length ? checked.map(pair => ({ ...pair, counted: "elements" })) : frame.bodyPairs.map(pair => ({ ...pair, depth: Math.max(pair.push, 0) * state.hello.unit }));
    pairs.show(found, bodyNames, length);
    state.bodyPairs = found;
}

// The pair alone, a little transparent, so that what is inside shows; null: everything again.
function showPair(pair) {
    solo = null;
    controls.forEach((c, i) => {
        setControl(c.visible, !pair || i === pair.a || i === pair.b);
        setControl(c.opacity, pair ? 0.6 : 1);
        c.name.setAttribute("aria-pressed", "false");
    });
    stage.glyphs.setFilter({ pair: pair ? [pair.a, pair.b] : null });
    if (pair) stage.frame([pair.a, pair.b]);
    else stage.fit();
    state.pair = pair;
}

// One body alone; once more: all.
function showAlone(i) {
    solo = solo === i ? null : i;
    pairs.chosen = null;
    stage.glyphs.setFilter({ pair: null });
    controls.forEach((c, k) => {
        setControl(c.visible, solo === null || k === solo);
        c.name.setAttribute("aria-pressed", String(k === solo));
    });
    if (solo === null) stage.fit();
    else stage.frame([solo]);
    pairs.draw();
}

// ---- over the picture ------------------------------------------------------------------------------------------------

// Texts of the program's own marks move with the camera and with what they are about.
function showLabels() {
    const canvas = $("labels"), { markers, canvas: { clientWidth: width, clientHeight: height } } = stage, sharp = Math.min(devicePixelRatio || 1, 3);
    canvas.hidden = !markers.labelled;
    if (canvas.hidden) return;
    if (canvas.width !== Math.round(width * sharp) || canvas.height !== Math.round(height * sharp)) [canvas.width, canvas.height] = [Math.round(width * sharp), Math.round(height * sharp)];
    const pen = canvas.getContext("2d");
    pen.setTransform(sharp, 0, 0, sharp, 0, 0);
    pen.clearRect(0, 0, width, height);
    markers.paint(pen, stage.camera, width, height, stage.dark);
}

let overlaid = "";
function showOverlay() {
    showLabels();
    const { camera, controls: orbit, canvas } = stage, height = canvas.clientHeight || 1, distance = camera.position.distanceTo(orbit.target);
    const perPixel = (state.hello?.unit ?? 1) * 2 * distance * Math.tan((camera.fov * Math.PI) / 360) / height, key = `${camera.quaternion.toArray().map(x => x.toFixed(3))} ${perPixel} ${stage.dark}`;
    if (key === overlaid) return;
    overlaid = key;
    const pen = $("triad").getContext("2d"), sharp = Math.min(devicePixelRatio || 1, 3);
    if ($("triad").width !== 72 * sharp) $("triad").width = $("triad").height = 72 * sharp;
    pen.setTransform(sharp, 0, 0, sharp, 0, 0);
    pen.clearRect(0, 0, 72, 72);
    paintTriad(pen, camera, 36, 36, 33, stage.dark);
    const bar = scaleBar(perPixel, Math.min(130, canvas.clientWidth / 4));
    $("scale").hidden = !(bar.pixels > 0 && bar.pixels < 1e4) || canvas.clientWidth < 420;
    $("scale-bar").style.width = `${bar.pixels.toFixed(1)}px`;
    write("scale-text", lengthLabel(bar.length, state.hello?.lengthUnit));
    state.scale = { length: bar.length, pixels: bar.pixels };
}

// Which axis points up, kept for each model.
function upKey() {
    return `dent-up ${state.hello.path || state.hello.title}`;
}
function restoreUp() {
    let axis = wanted.get("up");
    try {
        axis ??= localStorage.getItem(upKey());
    } catch {
        // no storage
    }
    $("up").value = ["x", "y", "z"].includes(axis) ? axis : "z";
    if (stage.upAxis !== $("up").value) stage.setUp($("up").value);
}
function chooseUp() {
    stage.setUp($("up").value);
    try {
        localStorage.setItem(upKey(), $("up").value);
    } catch {
        // it lasts as long as the page
    }
}

function showLegend(frame) {
    $("legend").hidden = !(frame.push > 0) || !$("contacts-on").checked;
    write("legend-end", length(frame.push));
    const beyond = frame.uncertainPush > frame.push; // else they are on the scale like the others
    $("legend-uncertain").hidden = !beyond;
    write("legend-uncertain", beyond ? `grey: uncertain, up to ${length(frame.uncertainPush)}` : "");
}

function onBoxes(message) {
    stage.showBoxes(message);
    timeline.show(message.events);
    state.boxes = message.count;
    state.events = message.events;
    settle();
    $("structure-level").max = Math.max(message.deepest, 1);
    const many = `${message.total} ${message.total === 1 ? "shape" : "shapes"}`;
    write("structure-facts", message.total > 0 ? `level ${message.level} of ${message.deepest}: ${many}${message.count < message.total ? `, ${message.count} drawn` : ""}` : "");
}

function onNote(message) {
    state.note = message;
    if (message.trouble) showTrouble(message.trouble);
    if (message.trouble && message.body === undefined) return;
    $("pick").hidden = !message.text;
    write("pick", message.text ?? "");
}

function showTrouble(text) {
    write("trouble-text", text ?? "");
    $("trouble").hidden = !text;
}
$("trouble-close").onclick = () => showTrouble(null);

const handlers = { [HELLO]: onHello, [TOPOLOGY]: onTopology, [FRAME]: onFrame, [BOXES]: onBoxes, [NOTE]: onNote, [STATE]: onState };

const connection = new Connection(
    buffer => {
        const message = decode(buffer, sizes, state.probes ?? []);
        handlers[message.kind]?.(message);
    },
    (open, reason) => {
        state.connected = open;
        if (!open) state.ready = false; // what is drawn is of a server that is gone: ready again with the next one's first frame
        undrawn = []; // of the connection before
        greeted = false;
        if (drag) endDrag();
        write("connection", open ? "connected" : `connection lost${reason ? `: ${reason}` : ""}; trying again …`);
        $("connection").className = open ? "" : "lost";
    });

const joints = new Joints($("joints"), (...words) => connection.say(...words));
const hand = new Hand(stage, (...words) => connection.say(...words));
state.hand = hand;

// ---- what all pages share: the question, the structure, the speed ----------------------------------------------------

// What the address asks for; null: nothing.
function wishesForAll() {
    if (!wanted.has("question") && !wanted.has("structure") && !wantedField) return null;
    const [structure, body, level] = (wanted.get("structure") ?? "none").split(",");
    return { question: wanted.get("question") ?? "none", structure, body: Number(body ?? 0), level: Number(level ?? 4), measure: wantedField ?? "none", speed: 1 };
}

// The tool's word counts. Only a connection that is new hears ours first: what the address asks for, or what was shown before
// the tool was started again.
function onState(message) {
    const before = shared;
    shared = { question: message.question, structure: message.structure, body: message.body, level: message.level, measure: message.measure, speed: message.speed };
    if (!greeted && before) {
        const said = shared;
        shared = before;
        if (before.question !== said.question) connection.say("ask", before.question);
        if (["structure", "body", "level"].some(key => before[key] !== said[key])) connection.say("structure", before.structure, before.body, before.level);
        if (before.measure !== said.measure) connection.say("stress", before.measure);
        if (before.speed !== said.speed) connection.say("speed", before.speed);
    }
    greeted = true;
    showShared();
    state.shared = shared;
    if (current?.stress && before?.measure !== shared.measure) {
        stage.field = fieldLook();
        stage.showField(current.stress);
        showStressLegend(current);
    }
}

function choose(select, value, label) {
    if (![...select.options].some(option => option.value === value)) select.add(new Option(label ?? value, value));
    select.value = value;
}

function showShared() {
    const { question, structure, body, level, measure, speed } = shared ?? { question: "none", structure: "none", body: 0, level: 4, measure: "none", speed: 1 };
    choose($("question"), question);
    choose($("structure"), structure);
    choose($("stress"), measure);
    if (body < $("structure-body").options.length) $("structure-body").value = String(body);
    if (document.activeElement !== $("structure-level")) {
        $("structure-level").max = Math.max($("structure-level").max, level);
        $("structure-level").value = level;
    }
    choose($("speed"), String(speed), `${speed}×`);
}

// ---- bodies -------------------------------------------------------------------------------------------------------

function fillSelect(select, options) {
    select.replaceChildren(...options.map(option => {
        const [value, label] = Array.isArray(option) ? option : [option, option];
        return new Option(label, value);
    }));
}

function input(type, label, properties, onInput) {
    const element = Object.assign(document.createElement("input"), { type, title: label, ...properties });
    element.setAttribute("aria-label", label);
    element.addEventListener("input", () => onInput(element));
    return element;
}

function bodyRow(info, i) {
    const row = document.createElement("li"), name = document.createElement("button");
    name.className = "name";
    fillName(name, info.name);
    name.setAttribute("aria-pressed", "false");
    name.onclick = () => showAlone(i);
    name.title = `${info.name}: ${info.kind}, ${info.vertices} vertices, ${info.elements} elements, ${info.faces} surface faces`;
    const visible = input("checkbox", `show ${info.name}`, { checked: true }, box => stage.setBody(i, { visible: box.checked }));
    const wire = input("checkbox", `wire frame of ${info.name}`, {}, box => stage.setBody(i, { wireframe: box.checked }));
    const opacity = input("range", `opacity of ${info.name}`, { min: 0.05, max: 1, step: 0.05, value: 1 }, bar => stage.setBody(i, { opacity: Number(bar.value) }));
    const color = input("color", `colour of ${info.name}`, { value: bodyColor(i) }, box => stage.setBody(i, { color: box.value }));
    row.append(visible, color, name, opacity, wire);
    controls[i] = { visible, wire, opacity, color };
    Object.defineProperty(controls[i], "name", { value: name }); // a button, not a setting
    return row;
}

function listBodies(bodies) {
    controls.length = 0;
    $("bodies").replaceChildren(...bodies.map(bodyRow));
}

function setControl(element, value) {
    if (element.type === "checkbox") element.checked = value;
    else element.value = value;
    element.dispatchEvent(new Event("input"));
}

$("show-all").onclick = () => showEverything();
$("show-none").onclick = () => controls.forEach(c => setControl(c.visible, false));

function showEverything() {
    if (pairs.chosen) pairs.choose(null);
    solo = null;
    controls.forEach(c => {
        setControl(c.visible, true);
        c.name.setAttribute("aria-pressed", "false");
    });
}

// ---- what the address asks for: snapshots -------------------------------------------------------------------------

function keepWishes() {
    kept.forEach((row, i) => row.forEach(([name, value]) => setControl(controls[i][name], value)));
    kept = null;
}

// "3:e8a0a0" or "0-27:f3ead6/0.5": bodies, a colour, perhaps an opacity.
function paint(part) {
    const [, first, last, color, opacity] = /^(\d+)(?:-(\d+))?:([0-9a-f]{6})(?:\/([\d.]+))?$/.exec(part) ?? [];
    for (let i = Number(first); i <= Number(last ?? first) && controls[i]; i++) {
        setControl(controls[i].color, `#${color}`);
        if (opacity) setControl(controls[i].opacity, opacity);
    }
}

function applyWishes() {
    document.body.classList.toggle("snapshot", wanted.has("snapshot"));
    stage.resize();
    if (wanted.has("opacity")) controls.forEach(c => setControl(c.opacity, wanted.get("opacity")));
    if (wanted.has("hide")) wanted.get("hide").split(",").forEach(i => controls[Number(i)] && setControl(controls[Number(i)].visible, false));
    if (wanted.has("paint")) wanted.get("paint").split(",").forEach(paint);
    if (wanted.has("edges")) setControl($("edges-on"), true);
    if (wanted.has("swept")) setControl($("swept-on"), true);
    if (wanted.has("plain")) setControl($("rich-on"), false);
    if (wanted.has("through")) setControl($("through-on"), true);
    if (wanted.has("wire")) controls.forEach(c => setControl(c.wire, true));
    if (wanted.has("no-normals")) setControl($("normals-on"), false);
    if (wanted.has("no-contacts")) setControl($("contacts-on"), false), setControl($("normals-on"), false);
    if (wanted.has("cut")) {
        const [axis, part, flip] = wanted.get("cut").split(",");
        document.querySelectorAll("input[name=cut-axis]").forEach(box => (box.checked = box.value === axis));
        $("cut-place").value = 1000 * Number(part);
        $("cut-flip").checked = flip === "1";
        $("cut-on").checked = true;
        cut();
    }
}

// A snapshot counts as loaded when this picture arrives, and the tool sends it when we say `settled`.
if (wanted.has("snapshot")) {
    const picture = new Image();
    picture.src = "settled.svg";
    picture.alt = "";
    picture.hidden = true;
    document.body.append(picture);
}
let settled = false;
function settle() {
    const question = (shared?.question ?? "none") !== "none", structure = wanted.has("structure");
    if (!wanted.has("snapshot") || settled || !current || current.pending || (question && current.pairCount === null) || (structure && state.boxes === undefined) || ((shared?.measure ?? "none") !== "none" && !current.stress)) return;
    settled = true;
    if (!wanted.has("view")) stage.fit();
    if (wanted.has("record")) record(Number(wanted.get("record")));
    else requestAnimationFrame(() => requestAnimationFrame(() => connection.say("settled")));
}

// ---- dent view --record: every frame becomes a picture of a video, which goes back through the socket ------------------

const frameDrawn = last => new Promise(resolve => {
    const look = () => (current && current.sequence !== last && !current.pending ? resolve() : setTimeout(look, 2));
    look();
});
// The next frame of what moves; of what stands still the camera goes round. False: there is none.
async function nextPicture(count) {
    const still = state.hello.frames === 1 && !state.hello.live;
    if (still) stage.turn(360 / count, 0);
    else if (!state.hello.live && current.frame + 1 >= current.frameCount) return false;
    else {
        const { sequence } = current;
        connection.say("step", 1);
        await frameDrawn(sequence);
    }
    return true;
}
async function record(count) {
    try {
        if (!Video.supported()) throw new Error("this browser cannot encode videos (VideoEncoder is missing)");
        const width = stage.canvas.clientWidth & ~1, height = stage.canvas.clientHeight & ~1, file = await new Video(width, height).start();
        const milliseconds = state.hello.frames === 1 && !state.hello.live ? 1000 / 30 : Math.min(Math.max(1000 * state.hello.frameSeconds, 1000 / 60), 100);
        stage.filmed = true;
        for (let i = 0, more = true; i < count && more; i++) {
            file.add(state.takePicture(width, height), i * milliseconds);
            while (file.waiting > 4) await new Promise(resolve => setTimeout(resolve, 2));
            more = i + 1 < count && await nextPicture(count);
        }
        await connection.send(new Uint8Array(await (await file.end()).arrayBuffer()));
    } catch (error) {
        await connection.send(new TextEncoder().encode(error.message), true);
    }
    connection.say("settled");
}

state.look = (azimuth, elevation) => stage.look(azimuth, elevation);

// ---- controls -----------------------------------------------------------------------------------------------------

function cut() {
    stage.setCut($("cut-on").checked, Number(document.querySelector("input[name=cut-axis]:checked").value), $("cut-place").value / 1000, $("cut-flip").checked);
    state.cutting = $("cut-on").checked;
}
for (const element of [$("cut-on"), $("cut-place"), $("cut-flip"), ...document.querySelectorAll("input[name=cut-axis]")]) element.addEventListener("input", cut);

$("contacts-on").oninput = () => {
    stage.points.visible = $("contacts-on").checked;
    stage.normals.visible = $("contacts-on").checked && $("normals-on").checked;
    if (current) showLegend(current);
    stage.invalidate();
};
$("normals-on").oninput = () => {
    stage.normals.visible = $("contacts-on").checked && $("normals-on").checked;
    stage.invalidate();
};
$("through-on").oninput = () => {
    stage.glyphs.setThrough($("through-on").checked);
    stage.invalidate();
};
$("least").oninput = () => {
    const part = $("least").value / 100, depth = part * Math.max(current?.push ?? 0, 0);
    write("least-text", shortNumber(depth));
    stage.glyphs.setFilter({ depth: part });
    pairs.setLeast(depth);
    stage.invalidate();
};
$("edges-on").oninput = () => stage.setEdges($("edges-on").checked);
$("swept-on").oninput = () => stage.setSwept($("swept-on").checked);
$("rich-on").oninput = () => {
    stage.effects = $("rich-on").checked;
    stage.invalidate();
};
$("up").oninput = chooseUp;
$("pair-all").onclick = () => showEverything();
$("stress").oninput = () => connection.say("stress", $("stress").value);
$("question").oninput = () => connection.say("ask", $("question").value);
function sayStructure() {
    connection.say("structure", $("structure").value, $("structure-body").value || 0, $("structure-level").value);
}
for (const id of ["structure", "structure-body", "structure-level"]) $(id).oninput = sayStructure;
$("play").onclick = () => connection.say(current?.playing ? "pause" : "play");
$("step").onclick = () => connection.say("step", 1);
$("step-back").onclick = () => connection.say("step", -1);
$("restart").onclick = () => connection.say("restart");
$("speed").oninput = () => connection.say("speed", $("speed").value);
$("scrub").oninput = () => {
    ownSeek = performance.now();
    connection.say("seek", $("scrub").value);
};
$("fit").onclick = () => stage.fit();
$("help-open").onclick = () => $("help").showModal();

function setTheme(dark) {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    stage.setTheme(dark);
    $("legend-bar").style.background = pushGradient(dark);
    for (const plot of allPlots()) plot.draw();
    if (current) stage.showFrame(current);
    try {
        localStorage.setItem("dent-theme", dark ? "dark" : "light");
    } catch {
        // private windows have no storage: the choice lasts as long as the page
    }
}
function firstTheme() {
    try {
        return wanted.get("theme") ?? localStorage.getItem("dent-theme");
    } catch {
        return wanted.get("theme");
    }
}
setTheme((firstTheme() ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark");
$("theme").onclick = () => setTheme(document.documentElement.dataset.theme !== "dark");

function next(select) {
    select.selectedIndex = (select.selectedIndex + 1) % select.options.length;
    select.dispatchEvent(new Event("input"));
}
function toggle(id) {
    setControl($(id), !$(id).checked);
}
const keys = {
    " ": () => $("play").click(), ArrowRight: () => $("step").click(), ArrowLeft: () => $("step-back").click(), Home: () => $("restart").click(),
    f: () => stage.fit(), w: () => { const on = !controls.every(c => c.wire.checked); controls.forEach(c => setControl(c.wire, on)); },
    c: () => toggle("contacts-on"), n: () => toggle("normals-on"), x: () => toggle("cut-on"), g: () => toggle("grab-on"),
    "[": () => setControl($("cut-place"), Number($("cut-place").value) - 20), "]": () => setControl($("cut-place"), Number($("cut-place").value) + 20),
    s: () => $("picture").click(), r: () => $("video").click(),
    e: () => toggle("edges-on"), m: () => toggle("swept-on"), o: () => toggle("rich-on"), v: () => toggle("through-on"), u: () => next($("up")), a: () => showEverything(), d: () => pairs.wanted()[0] && pairs.choose(pairs.wanted()[0]),
    q: () => next($("question")), b: () => next($("structure")), t: () => $("theme").click(), "?": () => $("help-open").click(), h: () => $("help-open").click(),
    "+": () => stage.zoom(0.8), "=": () => stage.zoom(0.8), "-": () => stage.zoom(1.25),
    i: () => stage.pan(0, 1), k: () => stage.pan(0, -1), j: () => stage.pan(-1, 0), l: () => stage.pan(1, 0),
    p: () => pickAt(middleOfStage()), Escape: () => (showTrouble(null), stage.markPick(null), onNote({})),
};
const shiftKeys = { ArrowLeft: () => stage.turn(-10, 0), ArrowRight: () => stage.turn(10, 0), ArrowUp: () => stage.turn(0, 10), ArrowDown: () => stage.turn(0, -10) };
// Keys that the control in focus has its own use for.
function usedBy(target, key) {
    if (target.matches("input[type=search]")) return key !== "Escape";
    if (target.matches("select")) return key !== "Escape";
    if (target.matches("input[type=range], input[type=radio]")) return key.startsWith("Arrow") || key === "Home";
    return key === " " && target.matches("button, input");
}
addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || $("help").open || $("picture-form").open || usedBy(event.target, event.key)) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (!event.shiftKey && hand.key(key)) hand.used = key;
    else if (event.shiftKey && shiftKeys[key]) shiftKeys[key]();
    else if (key >= "1" && key <= "9" && controls[key - 1]) setControl(controls[key - 1].visible, !controls[key - 1].visible.checked);
    else if (keys[key]) keys[key]();
    else return;
    event.preventDefault();
});

// ---- pictures and videos ------------------------------------------------------------------------------------------------

// What a picture carries: a legend for whatever it shows values of.
function pictureFacts(overlay = true) {
    const legends = [], push = current && current.push > 0 && $("contacts-on").checked;
    if (push) legends.push({ title: "push of contacts", table: pushTable(stage.dark), low: "0", high: length(current.push), note: current.uncertainPush > current.push ? `grey: uncertain, up to ${length(current.uncertainPush)}` : "" });
    if (current?.stress) legends.push(fieldLegend());
    return { overlay, legends, unit: state.hello?.unit ?? 1, lengthUnit: state.hello?.lengthUnit };
}
state.takePicture = (width, height, overlay) => takePicture(stage, width, height, pictureFacts(overlay));
state.asBlob = asBlob;
state.animation = animation;
state.Video = Video;

function fileName(ending) {
    return `${(state.hello?.title ?? "dent").replace(/[^\w.-]+/g, "_")}_${state.frame}.${ending}`;
}
$("picture").onclick = () => {
    $("picture-width").value = Math.round(stage.canvas.clientWidth * 2);
    $("picture-height").value = Math.round(stage.canvas.clientHeight * 2);
    $("picture-form").returnValue = "";
    $("picture-form").showModal();
};
$("picture-form").onclose = async () => {
    if ($("picture-form").returnValue !== "save") return;
    const [width, height] = ["picture-width", "picture-height"].map(id => Math.min(Math.max(Math.round(Number($(id).value)) || SIZES.least, SIZES.least), SIZES.most));
    try {
        save(await asBlob(state.takePicture(width, height, $("picture-overlay").checked), "image/png"), fileName("png"));
        state.pictureSaved = [width, height];
    } catch (error) {
        showTrouble(`the picture could not be made: ${error.message}`);
    }
};

// Every frame that is drawn becomes a picture of the video, shown as long as it was here.
let video = null;
async function startVideo() {
    const width = stage.canvas.clientWidth & ~1, height = stage.canvas.clientHeight & ~1;
    video = { width, height, start: performance.now(), file: await new Video(width, height).start() };
    $("video").setAttribute("aria-pressed", "true");
    filmFrame();
}
function filmFrame() {
    if (video?.file) video.file.add(state.takePicture(video.width, video.height), performance.now() - video.start);
}
async function endVideo() {
    const { file } = video;
    filmFrame();
    video = null;
    $("video").setAttribute("aria-pressed", "false");
    const blob = await file.end();
    state.videoSaved = blob.size;
    save(blob, fileName("webm"));
}
$("video").onclick = () => {
    if (!Video.supported()) showTrouble("this browser cannot encode videos (VideoEncoder is missing)");
    else (video ? endVideo() : startVideo()).catch(error => showTrouble(`no video: ${error.message}`));
};
state.onFrameDrawn = filmFrame;

// ---- mouse: pick and drag -----------------------------------------------------------------------------------------

let pressed = null;
$("canvas").addEventListener("pointerdown", event => {
    pressed = { x: event.clientX, y: event.clientY };
    const held = state.hello?.hand && event.button === 0 && !event.shiftKey ? stage.pick(event) : null;
    if (hand.follows(held) || (state.hello?.live && event.button === 0 && (event.shiftKey || $("grab-on").checked))) {
        drag = held ?? stage.pick(event);
        if (drag) {
            stage.controls.enabled = false;
            $("canvas").setPointerCapture(event.pointerId);
        }
    }
}, { capture: true });
$("canvas").addEventListener("pointermove", event => {
    if (!drag) return;
    const target = stage.dragTo(event, drag.point);
    if (target) connection.say("grab", drag.body, drag.vertex, ...target.toArray().map(x => x.toPrecision(9)));
});
function endDrag() {
    drag = null;
    stage.controls.enabled = true;
}
function letGo() {
    endDrag();
    connection.say("release");
}
for (const name of ["pointercancel", "lostpointercapture"]) {
    $("canvas").addEventListener(name, () => {
        if (drag) letGo();
        if (name === "pointercancel") pressed = null;
    });
}
$("canvas").addEventListener("pointerup", event => {
    if (drag) letGo();
    else if (pressed && Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) < 4 && event.button === 0) pickAt(event);
    pressed = null;
});

function middleOfStage() {
    const box = $("canvas").getBoundingClientRect();
    return { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 };
}
function pickAt(place) {
    const pick = stage.pick(place);
    stage.markPick(pick);
    state.picked = pick && { body: pick.body, face: pick.face, vertex: pick.vertex };
    if (pick) connection.say("pick", pick.body, pick.face);
    else onNote({});
}
