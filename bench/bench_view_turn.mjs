// Measures how a large model turns in a Chromium that draws in software: node bench/bench_view_turn.mjs MODULES TOOL...
//
//   MODULES  the folder with node_modules of tests/viewer (BUILD/tests/viewer);  TOOL  built dent programs that are compared, interleaved
//
// The model is `--prescribed sheet-curved --scale 2`: a million triangles. The camera turns by a degree for every picture, and each picture
// is waited for until its pixels can be read, so that none is merely queued. Given are pictures per second by the clock, processor time
// of the browser for each, the size of what is drawn (it is coarser while the model turns), and how long the picture takes that
// follows when the model rests. Sizes of the page: a window, a large screen, and one that is hostile: 8000 × 6000.
//
// DENT_VIEW_SECONDS: of one measurement, default 4. DENT_VIEW_ROUNDS: default 3. DENT_VIEW_SCALE: of the scene, default 2.
// DENT_VIEW_WORDS: of the command, instead of the scene (`--prescribed strands-1m-sparse`: 31,250 strands). DENT_VIEW_SIZES: how many of the sizes.
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import process from "node:process";

const [modules, ...tools] = process.argv.slice(2);
process.env.DENT_VIEWER_MODULES = modules;
createRequire(join(modules, "package.json"))("ws");
const { startProgram, startBrowser, openPage } = await import(new URL("../tests/viewer/support.mjs", import.meta.url));
const SECONDS = Number(process.env.DENT_VIEW_SECONDS ?? 4), ROUNDS = Number(process.env.DENT_VIEW_ROUNDS ?? 3);
const SIZES = [[1200, 750], [3840, 2160], [8000, 6000]];
const median = values => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

// Milliseconds of processor time of all processes of Chromium that this program has started.
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

function turn(page, seconds) {
    return page.evaluate(async seconds => {
        const { stage } = window.dentView, gl = stage.renderer.getContext(), pixel = new Uint8Array(4), camera = stage.camera;
        const ended = () => gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
        const pictured = () => new Promise(resolve => {
            const draw = stage.draw.bind(stage);
            stage.draw = () => {
                delete stage.draw;
                draw();
                ended();
                resolve();
            };
            stage.invalidate();
        });
        const step = async () => {
            const c = Math.cos(Math.PI / 180), s = Math.sin(Math.PI / 180), to = camera.position.clone().sub(stage.controls.target);
            camera.position.set(c * to.x - s * to.y, s * to.x + c * to.y, to.z).add(stage.controls.target);
            camera.lookAt(stage.controls.target);
            await pictured();
        };
        for (let i = 0; i < 3; i++) await step(); // now it is as coarse as it gets
        const start = performance.now();
        let count = 0;
        for (; performance.now() < start + 1000 * seconds || count < 3; count++) await step();
        const ms = performance.now() - start, size = [gl.drawingBufferWidth, gl.drawingBufferHeight];
        stage.draft = false; // at rest
        stage.lastDrawn = undefined;
        stage.resize();
        await new Promise(resolve => setTimeout(resolve, 0));
        const before = performance.now();
        stage.lastDrawn = undefined;
        stage.draw();
        ended();
        return { count, ms, size, rest: performance.now() - before, faces: stage.faceCount };
    }, seconds);
}

const rows = new Map();
for (let round = 0; round < ROUNDS; round++) {
    for (const tool of round % 2 ? [...tools].reverse() : tools) {
        const viewer = await startProgram(tool, "view", "--no-browser", ...(process.env.DENT_VIEW_WORDS?.split(" ") ?? ["--prescribed", "sheet-curved", "--scale", process.env.DENT_VIEW_SCALE ?? "2"]));
        const browser = await startBrowser(), page = await openPage(browser, viewer.url);
        await page.waitForFunction(() => !window.dentView.pending);
        for (const [width, height] of SIZES.slice(0, Number(process.env.DENT_VIEW_SIZES ?? SIZES.length))) {
            await page.setViewportSize({ width, height });
            await new Promise(resolve => setTimeout(resolve, 500));
            const before = spentByBrowser(), { count, ms, size, rest, faces } = await turn(page, SECONDS);
            const key = `${tool} ${width} x ${height}`, row = rows.get(key) ?? { fps: [], cpu: [], rest: [] };
            row.fps.push((1000 * count) / ms);
            row.cpu.push((spentByBrowser() - before) / (count + 5));
            row.rest.push(rest);
            rows.set(key, { ...row, size, faces });
        }
        await browser.close();
        await viewer.stop();
    }
}
for (const [key, { fps, cpu, rest, size, faces }] of [...rows].sort()) {
    console.log(`${key}: ${faces} faces, ${median(fps).toFixed(2)} pictures/s (${fps.map(x => x.toFixed(2)).join(", ")}) of ${size.join(" x ")} while it turns, ${median(cpu).toFixed(0)} ms of processor time each; ${median(rest).toFixed(0)} ms for the one at rest`);
}
