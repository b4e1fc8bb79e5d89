// Measures `dent view` on a live scene: node bench/bench_view.mjs TOOL MODULES [SCENE WORDS...]
//
//   TOOL      the built dent;  MODULES  the folder with node_modules of tests/viewer (BUILD/tests/viewer)
//
// 1. frames per second of the simulation with nobody watching and with a null client that acknowledges at once, interleaved;
// 2. frames per second that the null client receives;
// 3. staleness (time from publishing to the end of drawing) with a client that takes 100 ms for every frame;
// 4. with a real Chromium drawing in software: frames drawn per second.
import { createRequire } from "node:module";
import { join } from "node:path";
import process from "node:process";

const [tool, modules, ...words] = process.argv.slice(2);
process.env.DENT_TOOL = tool;
process.env.DENT_VIEWER_MODULES = modules;
createRequire(join(modules, "package.json"))("ws");
const { startViewer, startBrowser, openPage, plainClient } = await import(new URL("../tests/viewer/support.mjs", import.meta.url));
const scene = words.length > 0 ? words : ["stack"];
const SECONDS = Number(process.env.DENT_VIEW_SECONDS ?? 5), ROUNDS = 3;
const pause = seconds => new Promise(resolve => setTimeout(resolve, 1000 * seconds));
const now = () => process.hrtime.bigint();

// A client that acknowledges after `delay` seconds: { frames, first, last (frame numbers), ages (ms) }.
function client(url, delay) {
    const facts = { frames: 0, first: null, last: null, ages: [], vertices: 0 };
    const socket = plainClient(url);
    socket.on("message", async data => {
        if (data.readUInt32LE(0) === 2) facts.vertices += data.readUInt32LE(12);
        if (data.readUInt32LE(0) !== 3) return;
        const published = data.readBigUInt64LE(64), frame = data.readUInt32LE(72), sequence = data.readUInt32LE(4);
        if (delay > 0) await pause(delay);
        facts.frames++;
        facts.first ??= { frame, at: now() };
        facts.last = { frame, at: now() };
        facts.ages.push(Number(now() - published) / 1e6);
        if (socket.readyState === 1) socket.send(`ack ${sequence}`);
    });
    facts.stop = () => socket.terminate();
    return facts;
}

const median = values => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

// Steps per second of the simulation: with nobody (looked at twice, briefly) and with a null client all the time.
async function pace(url, watched) {
    const sight = async () => {
        const facts = client(url, 0);
        while (facts.frames < 2) await pause(0.005); // the first may be an old one
        facts.stop();
        return facts.last;
    };
    const watcher = watched ? client(url, 0) : null;
    const first = await sight();
    await pause(SECONDS);
    const last = await sight();
    watcher?.stop();
    return { steps: (last.frame - first.frame) / (Number(last.at - first.at) / 1e9), received: watcher ? watcher.frames / SECONDS : 0, vertices: watcher?.vertices };
}

const viewer = await startViewer(...scene);
const speed = plainClient(viewer.url);
await new Promise(resolve => speed.on("open", resolve));
speed.send("speed 100"); // as fast as it goes: what watching costs shows
await pause(1);
const alone = [], watched = [], received = [];
let vertices = 0;
for (let i = 0; i < ROUNDS; i++) {
    alone.push((await pace(viewer.url, false)).steps);
    const seen = await pace(viewer.url, true);
    watched.push(seen.steps);
    received.push(seen.received);
    vertices = seen.vertices;
}
console.log(`${scene.join(" ")}: ${vertices} surface vertices sent per frame`);
console.log(`simulation alone ${median(alone).toFixed(1)} frames/s, with a null client ${median(watched).toFixed(1)} (${(100 * (1 - median(watched) / median(alone))).toFixed(1)} % slower); client receives ${median(received).toFixed(1)} frames/s`);
speed.send("speed 1");
await pause(0.5);
const slow = client(viewer.url, 0.1);
await pause(SECONDS);
slow.stop();
const ages = slow.ages.slice(2).sort((a, b) => a - b);
console.log(`page of 100 ms per frame: staleness median ${median(ages).toFixed(0)} ms, largest ${ages.at(-1).toFixed(0)} ms over ${ages.length} frames`);
const real = client(viewer.url, 0);
await pause(SECONDS);
real.stop();
console.log(`null client at real time: ${(real.frames / SECONDS).toFixed(1)} frames/s`);
const browser = await startBrowser(), page = await openPage(browser, viewer.url);
const before = await page.evaluate(() => window.dentView.framesDrawn);
await pause(SECONDS);
const drawn = (await page.evaluate(() => window.dentView.framesDrawn)) - before;
console.log(`Chromium drawing in software: ${(drawn / SECONDS).toFixed(1)} frames/s`);
await browser.close();
speed.terminate();
await viewer.stop();
