// The page of `dent view`: connects the tool's messages, the 3-D stage and the controls.
import { Connection } from "./connection.js";
import { BOXES, FRAME, HELLO, NOTE, TOPOLOGY, decode } from "./messages.js";
import { bodyColor, depthGradient } from "./palette.js";
import { Plot, shortNumber } from "./plots.js";
import { Stage } from "./stage.js";

const $ = id => document.getElementById(id);
const wanted = new URLSearchParams(location.hash.slice(1)); // #snapshot=1&view=35,20&question=face-cell …

function complain(text) {
    $("connection").textContent = text;
    $("connection").classList.add("lost");
}
addEventListener("error", event => complain(event.message)); // no WebGL, for one: an empty page should say so

// What tests and snapshots read; the page itself does not.
const state = (window.dentView = { connected: false, hello: null, frame: -1, sequence: 0, contacts: -1, pairs: null, drawn: 0, framesDrawn: 0, ready: false, opened: performance.now() });

let sizes = [], awaiting = 0, current = null, pendingAcknowledge = null, drag = null, ownSeek = 0, kept = null;
const controls = [];

const stage = new Stage($("canvas"), () => {
    state.drawn++;
    if (pendingAcknowledge !== null) {
        connection.say("ack", pendingAcknowledge);
        pendingAcknowledge = null;
        state.framesDrawn++;
        if (!state.ready) {
            state.ready = true;
            state.readyAfter = performance.now() - state.opened;
        }
        settle();
    }
});
const plots = {
    contacts: new Plot($("plot-contacts"), ["#0072b2"]),
    penetration: new Plot($("plot-penetration"), ["#d55e00"]),
    time: new Plot($("plot-time"), ["#0072b2", "#009e73", "#8a8f98"]),
};
state.stage = stage;

// ---- messages ---------------------------------------------------------------------------------------------------

// The same bodies again (a restart, a frame with other elements, a server that came back) keep camera, colours and wishes.
function onHello(message) {
    const names = hello => JSON.stringify(hello?.bodies.map(body => body.name)), again = names(state.hello) === names(message);
    kept = again ? (kept ?? controls.map(row => Object.entries(row).map(([name, element]) => [name, element.type === "checkbox" ? element.checked : element.value]))) : null;
    state.hello = message;
    state.ready = false;
    sizes = [];
    awaiting = message.bodies.length;
    current = null;
    stage.clear(again);
    if (!again) for (const plot of Object.values(plots)) plot.clear();
    $("title").textContent = message.title;
    document.title = `${message.title} – dent view`;
    fillSelect($("question"), ["none", ...message.questions], state.question ?? wanted.get("question") ?? "none");
    fillSelect($("structure"), ["none", ...message.structures], again ? $("structure").value : "none");
    fillSelect($("structure-body"), message.bodies.map((body, i) => [String(i), `${i} ${body.name}`]), again ? $("structure-body").value : "0");
    $("grab-label").hidden = !message.live;
    $("scrub").max = Math.max(message.frames - 1, 0);
    $("scrub").disabled = message.frames < 2 || message.live;
    $("step-back").disabled = message.live;
    for (const id of ["play", "step", "restart", "speed"]) $(id).disabled = message.frames === 1 && !message.live;
    listBodies(message.bodies);
    if (awaiting === 0) applyWishes();
}

function onTopology(message) {
    sizes[message.body] = { vertexCount: message.vertexNumbers.length, faceCount: message.corners.length / 3 };
    stage.addBody(message, state.hello.bodies[message.body]);
    if (--awaiting > 0) return;
    if (kept) keepWishes();
    else applyWishes();
}

function onFrame(frame) {
    current = frame;
    stage.showFrame(frame);
    if (pendingAcknowledge !== null) connection.say("ack", pendingAcknowledge);
    pendingAcknowledge = frame.sequence;
    Object.assign(state, { frame: frame.frame, sequence: frame.sequence, contacts: frame.contactCount, pairs: frame.pairCount, worst: frame.worst, playing: frame.playing, markedFaces: stage.markedFaces, time: frame.time });
    showFigures(frame);
    plots.contacts.add(frame.frame, [frame.contactCount]);
    plots.penetration.add(frame.frame, [Math.max(frame.worst, 0)]);
    plots.time.add(frame.frame, [frame.detect, frame.respond, frame.total]);
}

function showFigures(frame) {
    $("contact-count").textContent = frame.contactCount + (frame.contactsSent < frame.contactCount ? ` (${frame.contactsSent} drawn)` : "");
    $("deepest").textContent = frame.contactCount > 0 ? shortNumber(frame.worst) : "–";
    $("pair-count").textContent = frame.pairCount === null ? "–" : frame.pairCount;
    $("time").textContent = `${shortNumber(frame.time)} s`;
    $("play").textContent = frame.playing ? "❚❚" : "▶";
    $("play").setAttribute("aria-label", frame.playing ? "Pause" : "Play");
    $("frame").textContent = frame.frameCount > 1 ? `${frame.frame} / ${frame.frameCount - 1}` : String(frame.frame);
    if (performance.now() - ownSeek > 300) $("scrub").value = frame.frame;
    showLegend(frame);
}

function showLegend(frame) {
    $("legend").hidden = frame.contactCount === 0 || !$("contacts-on").checked;
    $("legend").innerHTML = `depth of contacts<div class="bar" style="background:${depthGradient(stage.dark)}"></div><div class="ends"><span>0</span><span>${shortNumber(Math.max(frame.worst, 0))}</span></div>`;
}

function onBoxes(message) {
    stage.showBoxes(message);
    state.boxes = message.count;
    settle();
    $("structure-level").max = Math.max(message.deepest, 1);
    $("structure-facts").textContent = message.total > 0 ? `${message.level}: ${message.total}${message.count < message.total ? ` (${message.count} drawn)` : ""}` : "";
}

function onNote(message) {
    state.note = message;
    $("pick").hidden = !message.text;
    $("pick").textContent = message.text ?? "";
}

const handlers = { [HELLO]: onHello, [TOPOLOGY]: onTopology, [FRAME]: onFrame, [BOXES]: onBoxes, [NOTE]: onNote };

const connection = new Connection(
    buffer => {
        const message = decode(buffer, sizes);
        handlers[message.kind]?.(message);
    },
    (open, reason) => {
        state.connected = open;
        if (!open) state.ready = false; // what is drawn is of a server that is gone: ready again with the next one's first frame
        pendingAcknowledge = null; // of a frame of the connection before
        $("connection").textContent = open ? "connected" : `connection lost${reason ? `: ${reason}` : ""}; trying again …`;
        $("connection").classList.toggle("lost", !open);
    });

// ---- bodies -------------------------------------------------------------------------------------------------------

function fillSelect(select, options, chosen) {
    select.replaceChildren(...options.map(option => {
        const [value, label] = Array.isArray(option) ? option : [option, option];
        return new Option(label, value, false, value === chosen);
    }));
}

function input(type, label, properties, onInput) {
    const element = Object.assign(document.createElement("input"), { type, title: label, ...properties });
    element.setAttribute("aria-label", label);
    element.addEventListener("input", () => onInput(element));
    return element;
}

function bodyRow(info, i) {
    const row = document.createElement("li"), name = document.createElement("span");
    name.className = "name";
    name.textContent = info.name;
    name.title = `${info.name}: ${info.kind}, ${info.vertices} vertices, ${info.elements} elements, ${info.faces} surface faces`;
    const visible = input("checkbox", `show ${info.name}`, { checked: true }, box => stage.setBody(i, { visible: box.checked }));
    const wire = input("checkbox", `wire frame of ${info.name}`, {}, box => stage.setBody(i, { wireframe: box.checked }));
    const opacity = input("range", `opacity of ${info.name}`, { min: 0.05, max: 1, step: 0.05, value: 1 }, bar => stage.setBody(i, { opacity: Number(bar.value) }));
    const color = input("color", `colour of ${info.name}`, { value: bodyColor(i) }, box => stage.setBody(i, { color: box.value }));
    row.append(visible, color, name, opacity, wire);
    controls[i] = { visible, wire, opacity, color };
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

$("show-all").onclick = () => controls.forEach(c => setControl(c.visible, true));
$("show-none").onclick = () => controls.forEach(c => setControl(c.visible, false));

// ---- what the address asks for: snapshots -------------------------------------------------------------------------

function keepWishes() {
    kept.forEach((row, i) => row.forEach(([name, value]) => setControl(controls[i][name], value)));
    kept = null;
    if ($("question").value !== "none") connection.say("ask", $("question").value);
    if ($("structure").value !== "none") sayStructure();
}

function applyWishes() {
    document.body.classList.toggle("snapshot", wanted.has("snapshot"));
    stage.resize();
    if (wanted.has("opacity")) controls.forEach(c => setControl(c.opacity, wanted.get("opacity")));
    if (wanted.has("hide")) wanted.get("hide").split(",").forEach(i => controls[i] && setControl(controls[i].visible, false));
    if (wanted.has("wire")) controls.forEach(c => setControl(c.wire, true));
    if (wanted.has("no-normals")) setControl($("normals-on"), false);
    if (wanted.has("no-contacts")) setControl($("contacts-on"), false), setControl($("normals-on"), false);
    if ($("question").value !== "none") connection.say("ask", $("question").value);
    if (wanted.has("structure")) {
        const [name, body, level] = wanted.get("structure").split(",");
        $("structure").value = name;
        $("structure-body").value = body ?? "0";
        $("structure-level").value = level ?? "4";
        connection.say("structure", name, body ?? 0, level ?? 4);
    }
    if (wanted.has("cut")) {
        const [axis, part, flip] = wanted.get("cut").split(",");
        document.querySelector(`input[name=cut-axis][value="${axis}"]`).checked = true;
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
    const question = $("question").value !== "none", structure = wanted.has("structure");
    if (!wanted.has("snapshot") || settled || !current || (question && current.pairCount === null) || (structure && state.boxes === undefined)) return;
    settled = true;
    if (wanted.has("view")) stage.look(...wanted.get("view").split(",").map(Number));
    else stage.fit();
    requestAnimationFrame(() => requestAnimationFrame(() => connection.say("settled")));
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
    if (current) showLegend(current);
    stage.invalidate();
};
$("normals-on").oninput = () => {
    stage.normals.visible = $("normals-on").checked;
    stage.invalidate();
};
$("question").oninput = () => {
    state.question = $("question").value;
    connection.say("ask", $("question").value);
};
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
    if (current) stage.showFrame(current), showLegend(current);
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
    q: () => next($("question")), b: () => next($("structure")), t: () => $("theme").click(), "?": () => $("help-open").click(), h: () => $("help-open").click(),
};
addEventListener("keydown", event => {
    const typing = event.target.matches("select, input[type=range], input[type=color]") && event.key.startsWith("Arrow");
    if (event.ctrlKey || event.metaKey || event.altKey || typing || $("help").open) return;
    if (event.key === " " && event.target.matches("button, input")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (key >= "1" && key <= "9" && controls[key - 1]) setControl(controls[key - 1].visible, !controls[key - 1].visible.checked);
    else if (keys[key]) keys[key]();
    else return;
    event.preventDefault();
});

// ---- mouse: pick and drag -----------------------------------------------------------------------------------------

let pressed = null;
$("canvas").addEventListener("pointerdown", event => {
    pressed = { x: event.clientX, y: event.clientY };
    if (state.hello?.live && event.button === 0 && (event.shiftKey || $("grab-on").checked)) {
        drag = stage.pick(event);
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
function letGo() {
    drag = null;
    stage.controls.enabled = true;
    connection.say("release");
}
$("canvas").addEventListener("pointercancel", () => {
    if (drag) letGo();
    pressed = null;
});
$("canvas").addEventListener("pointerup", event => {
    if (drag) {
        letGo();
    } else if (pressed && Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) < 4 && event.button === 0) {
        const pick = stage.pick(event);
        stage.markPick(pick);
        state.picked = pick && { body: pick.body, face: pick.face, vertex: pick.vertex };
        if (pick) connection.say("pick", pick.body, pick.face);
        else onNote({});
    }
    pressed = null;
});
