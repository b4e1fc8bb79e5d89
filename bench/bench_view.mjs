// Measures `dent view` on a live scene: node bench/bench_view.mjs TOOL MODULES [SCENE WORDS...]
//
//   TOOL      the built dent;  MODULES  the folder with node_modules of tests/viewer (BUILD/tests/viewer)
//
// Without a scene one is made: a ring of 26,640 vertices that turns as told, and a cloth that falls into it, so that a step is
// short and watching shows in it.
//
// 1. processor time of the simulation (all threads of the tool but the server's) per simulated frame with nobody watching and with
//    a null client that acknowledges at once, interleaved; the ratio of neighbours, its median. Time of the machine does not count,
//    so that the machine may be busy;
//    Also what making the frames took of it, by the tool's own clock (--stats): the same without the noise of a busy machine;
// 2. frames per second that the null client receives, as fast as it goes and at real time, where it is also told how many were simulated:
//    a busy machine has no time for all that real time asks for;
// 3. staleness (time from publishing to the end of drawing) with a client that takes 100 ms for every frame;
// 4. with a real Chromium drawing in software: frames drawn per second, and processor time of the browser for each;
// 5. a scene of a million tetrahedra in a fresh Chromium: how long after it was opened the page shows it, and the most memory of the
//    page, the browser's graphics process and the tool.
//
// DENT_VIEW_SECONDS: of one measurement, default 3. DENT_VIEW_ROUNDS: pairs of them, default 7.
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

const [tool, modules, ...words] = process.argv.slice(2);
process.env.DENT_TOOL = tool;
process.env.DENT_VIEWER_MODULES = modules;
createRequire(join(modules, "package.json"))("ws");
const { startViewer, startBrowser, openPage, plainClient } = await import(new URL("../tests/viewer/support.mjs", import.meta.url));
const SECONDS = Number(process.env.DENT_VIEW_SECONDS ?? 3), ROUNDS = Number(process.env.DENT_VIEW_ROUNDS ?? 7);
const pause = seconds => new Promise(resolve => setTimeout(resolve, 1000 * seconds));
const now = () => process.hrtime.bigint();
const median = values => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

function makeScene(folder) {
    const rings = 111, sides = 240, number = (i, j) => 1 + (i % rings) * sides + (j % sides), lines = [];
    for (let i = 0; i < rings; i++) {
        for (let j = 0; j < sides; j++) {
            const a = (2 * Math.PI * j) / sides, b = (2 * Math.PI * i) / rings, r = 1 + 0.3 * Math.cos(b);
            lines.push(`v ${(r * Math.cos(a)).toFixed(6)} ${(r * Math.sin(a)).toFixed(6)} ${(0.3 * Math.sin(b)).toFixed(6)}`);
        }
    }
    for (let i = 0; i < rings; i++) {
        for (let j = 0; j < sides; j++) lines.push(`f ${number(i, j)} ${number(i, j + 1)} ${number(i + 1, j + 1)}`, `f ${number(i, j)} ${number(i + 1, j + 1)} ${number(i + 1, j)}`);
    }
    writeFileSync(join(folder, "ring.obj"), lines.join("\n") + "\n");
    const cloth = { density: "0.4 kg/m^2", stretch: "2000 N/m", shear: "500 N/m", bending: "0.5 mJ", friction: 0.5 };
    writeFileSync(join(folder, "ring.json"), JSON.stringify({
        dent_scene: 1, name: "ring", units: { length: "m" }, time_step: "16 ms", steps_per_frame: 1, frames: 100, materials: { cloth, wood: { density: "600 kg/m^3", friction: 0.4 } },
        bodies: [{ name: "ring", kind: "prescribed", material: "wood", mesh: "ring.obj", motion: { repeat: true, keys: [{ time: "0 s" }, { time: "10 s", rotate: { axis: [0, 0, 1], angle: "90 deg" } }] } },
            { name: "sheet", kind: "cloth", material: "cloth", move: [0, 0, 0.5], generate: { shape: "sheet", size: [1, 1], cells: [8, 8] } }],
    }));
    return join(folder, "ring.json");
}

// A client that acknowledges after `delay` seconds: { frames, last (frame number and when), ages (ms) }.
function client(url, delay) {
    const facts = { frames: 0, last: null, ages: [], vertices: 0 };
    const socket = plainClient(url);
    socket.on("message", async data => {
        if (data.readUInt32LE(0) === 2) facts.vertices += data.readUInt32LE(12);
        if (data.readUInt32LE(0) !== 3) return;
        const published = data.readBigUInt64LE(64), frame = data.readUInt32LE(72), sequence = data.readUInt32LE(4);
        if (delay > 0) await pause(delay);
        facts.frames++;
        facts.last = frame;
        facts.ages.push(Number(now() - published) / 1e6);
        if (socket.readyState === 1) socket.send(`ack ${sequence}`);
    });
    facts.stop = () => socket.terminate();
    return facts;
}

// Milliseconds of processor time that the tool's threads have had, without the server's.
function spent(pid) {
    let sum = 0;
    for (const task of readdirSync(`/proc/${pid}/task`)) {
        const of = name => readFileSync(`/proc/${pid}/task/${task}/${name}`, "utf8").trim();
        if (of("comm") !== "dent-server") sum += Number(of("schedstat").split(" ")[0]) / 1e6;
    }
    return sum;
}

// Where the simulation is, and what it has had until then. Seen by a client that comes for two frames: the first may be old.
async function sight(viewer) {
    const facts = client(viewer.url, 0);
    while (facts.frames < 2) await pause(0.005);
    facts.stop();
    return { frame: facts.last, ms: spent(viewer.child.pid) };
}

// Processor time per frame over a while, watched or not.
async function cost(viewer, watched) {
    const watcher = watched ? client(viewer.url, 0) : null, first = await sight(viewer), seen = watcher?.frames, start = now();
    await pause(SECONDS);
    const received = watcher ? (watcher.frames - seen) / (Number(now() - start) / 1e9) : 0, last = await sight(viewer);
    watcher?.stop();
    return { ms: (last.ms - first.ms) / (last.frame - first.frame), frames: last.frame - first.frame, received, vertices: watcher?.vertices };
}

// Milliseconds of processor time that this program's children, browsers among them, have had.
function spentByBrowser() {
    const info = new Map();
    for (const id of readdirSync("/proc").filter(name => /^\d+$/.test(name))) {
        try {
            const fields = readFileSync(`/proc/${id}/stat`, "utf8").split(") ")[1].split(" ");
            info.set(Number(id), { parent: Number(fields[1]), ms: 10 * (Number(fields[11]) + Number(fields[12])), browser: readFileSync(`/proc/${id}/cmdline`, "utf8").includes("dent-browser-") });
        } catch {
            // it ended meanwhile
        }
    }
    const mine = id => id === process.pid || (info.has(id) && mine(info.get(id).parent));
    const browsing = id => info.get(id).browser || (info.has(info.get(id).parent) && info.get(id).parent !== process.pid && browsing(info.get(id).parent));
    return [...info].filter(([id]) => id !== process.pid && mine(id) && browsing(id)).reduce((sum, [, { ms }]) => sum + ms, 0);
}

const folder = mkdtempSync(join(tmpdir(), "dent-bench-"));
const scene = words.length > 0 ? words : ["--threads", "1", makeScene(folder)]; // one thread: others would spin while it waits for a processor
const viewer = await startViewer(...scene), speed = plainClient(viewer.url);
await new Promise(resolve => speed.on("open", resolve));
speed.send("speed 100"); // as fast as it goes: what watching costs shows
await pause(1);
const alone = [], watched = [], ratios = [], received = [];
let vertices = 0;
for (let i = 0; i < ROUNDS; i++) {
    const [first, second] = i % 2 === 0 ? [false, true] : [true, false];
    const pair = { [first]: await cost(viewer, first), [second]: await cost(viewer, second) };
    alone.push(pair.false.ms);
    watched.push(pair.true.ms);
    ratios.push(pair.true.ms / pair.false.ms);
    received.push(pair.true.received);
    vertices = pair.true.vertices;
}
speed.terminate();
await viewer.stop();

// The direct cost: one run with a null client from beginning to end.
const counted = await startViewer("--stats", ...scene), fast = plainClient(counted.url);
await new Promise(resolve => fast.on("open", resolve));
fast.send("speed 100");
const watcher = client(counted.url, 0);
await pause(2 * SECONDS);
await counted.stop();
watcher.stop();
const [, made, making] = /(\d+) frames made in ([\d.]+) ms/.exec(counted.errors).map(Number);

const percent = x => `${(100 * (x - 1)).toFixed(1)} %`;
console.log(`${words.length > 0 ? words.join(" ") : "ring and cloth"}: ${vertices} surface vertices sent per frame`);
console.log(`processor time of the simulation per frame: alone ${median(alone).toFixed(2)} ms, with a null client ${median(watched).toFixed(2)} ms; ${percent(median(ratios))} more (median of ${ROUNDS} interleaved pairs, ${ratios.map(percent).join(", ")})`);
console.log(`making ${made} frames: ${(making / made).toFixed(3)} ms each, ${((100 * making) / made / median(alone)).toFixed(1)} % of what a frame takes to simulate`);
console.log(`client receives ${median(received).toFixed(1)} frames/s of the simulation as fast as it goes`);

// From frame to frame, not from the moment the connection was asked for: what is told is a rate, not how long opening takes.
async function rate(url) {
    const watcher = client(url, 0);
    while (watcher.frames < 2) await pause(0.002);
    const { frames, last } = watcher, start = now();
    await pause(SECONDS);
    const seconds = Number(now() - start) / 1e9;
    watcher.stop();
    return { received: (watcher.frames - frames) / seconds, simulated: (watcher.last - last) / seconds };
}
const again = await startViewer(...scene), rates = [];
for (let i = 0; i < 5; i++) rates.push(await rate(again.url));
const told = key => `${median(rates.map(row => row[key])).toFixed(1)} (${rates.map(row => row[key].toFixed(1)).join(", ")})`;
console.log(`null client at real time: receives ${told("received")} frames/s of ${told("simulated")} simulated`);
const slow = client(again.url, 0.1);
await pause(SECONDS);
slow.stop();
const ages = slow.ages.slice(2).sort((a, b) => a - b);
console.log(`page of 100 ms per frame: staleness median ${median(ages).toFixed(0)} ms, largest ${ages.at(-1).toFixed(0)} ms over ${ages.length} frames`);
const browser = await startBrowser(), page = await openPage(browser, again.url);
await pause(1);
const [before, start, time] = [await page.evaluate(() => window.dentView.framesDrawn), spentByBrowser(), now()];
await pause(2 * SECONDS);
const drawn = (await page.evaluate(() => window.dentView.framesDrawn)) - before, seconds = Number(now() - time) / 1e9;
console.log(`Chromium drawing in software: ${(drawn / seconds).toFixed(1)} frames/s, ${((spentByBrowser() - start) / drawn).toFixed(0)} ms of processor time each`);
await browser.close();
await again.stop();

// Most memory in MB of the processes whose command line has all of the words.
function mostMemory(...words) {
    const most = id => {
        try {
            const line = readFileSync(`/proc/${id}/cmdline`, "utf8");
            return words.every(word => line.includes(word)) ? Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, "utf8"))?.[1] ?? 0) / 1024 : 0;
        } catch {
            return 0; // it ended meanwhile
        }
    };
    return Math.max(...readdirSync("/proc").filter(name => /^\d+$/.test(name)).map(most));
}
if (words.length === 0) {
    const times = [], memory = [];
    for (let i = 0; i < 3; i++) {
        const large = await startViewer("--prescribed", "folded-1m"), fresh = await startBrowser(), opened = await openPage(fresh, large.url);
        times.push(await opened.evaluate(() => (window.dentView.opened + window.dentView.readyAfter) / 1000));
        await opened.waitForFunction(() => !window.dentView.pending);
        memory.push([mostMemory("--type=renderer", "chrom"), mostMemory("--type=gpu-process", "chrom"), mostMemory("folded-1m")]);
        await fresh.close();
        await large.stop();
    }
    console.log(`a million tetrahedra: on the page ${median(times).toFixed(2)} s after it was opened (${times.map(t => t.toFixed(2)).join(", ")}); at most page ${memory[0][0].toFixed(0)} MB, graphics process ${memory[0][1].toFixed(0)} MB, tool ${memory[0][2].toFixed(0)} MB`);
}
rmSync(folder, { recursive: true, force: true });
