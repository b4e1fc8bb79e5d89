// Starts the tool and a real browser for the tests of the viewer. DENT_TOOL names the tool, DENT_CHROMIUM the browser.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";

const require = createRequire(join(process.env.DENT_VIEWER_MODULES, "package.json"));
const { chromium } = require("playwright-core");
export const WebSocket = require("ws");

// How long anything is waited for, in milliseconds: a limit for what never comes, not an expectation. A busy machine with one
// core, or one that stands still for minutes because something else is measured, must not reach it.
export const WAIT = 600000;

// A failed test must not leave a server behind: node waits for its children, and a failure would read as a timeout.
// So the children are not waited for, except in stop(), and end with this program.
const running = new Set();
process.on("exit", () => running.forEach(child => child.kill("SIGKILL")));

// Nor a browser, for which node would wait for ever. (The benchmark, which is no test, closes its own.)
const browsers = new Set();
if (process.env.NODE_TEST_CONTEXT) after(() => Promise.all([...browsers].map(browser => browser.close())));

function waitedFor(child, waited) {
    for (const handle of [child, child.stdout, child.stderr]) waited ? handle.ref() : handle.unref();
}

// What programs keep for the next time, for as long as the tests run.
let kept = null;
export function stateFolder() {
    if (!kept) {
        kept = mkdtempSync(join(tmpdir(), "dent-state-"));
        process.on("exit", () => rmSync(kept, { recursive: true, force: true }));
    }
    return kept;
}

// A running program that prints the address of a view on its first line: { url, stop(), output, errors }.
export function startProgram(program, ...words) {
    return startProgramIn({ XDG_STATE_HOME: stateFolder() }, program, ...words);
}
// The same with other variables of the environment; undefined: without it.
export async function startProgramIn(changes, program, ...words) {
    const { SSH_CONNECTION, DISPLAY, WAYLAND_DISPLAY, ...env } = { ...process.env, ...changes }; // as on a machine without either
    for (const name of Object.keys(env)) if (env[name] === undefined) delete env[name];
    const child = spawn(program, words, { stdio: ["ignore", "pipe", "pipe"], env });
    const viewer = { child, output: "", errors: "" };
    running.add(child);
    child.on("exit", () => running.delete(child));
    child.stderr.on("data", part => (viewer.errors += part));
    viewer.ended = new Promise(resolve => child.on("close", (code, signal) => resolve({ code, signal })));
    await new Promise((resolve, reject) => {
        child.stdout.on("data", part => {
            viewer.output += part;
            if (viewer.output.includes("\n")) resolve();
        });
        child.on("exit", () => reject(new Error(`${program} ended: ${viewer.errors}`)));
    });
    waitedFor(child, false);
    viewer.url = viewer.output.split("\n")[0].trim();
    viewer.end = async () => {
        waitedFor(child, true);
        return viewer.ended;
    };
    viewer.stop = async () => {
        child.kill("SIGINT");
        return viewer.end();
    };
    return viewer;
}

// A running `dent view`.
export function startViewer(...words) {
    return startProgram(process.env.DENT_TOOL, "view", "--no-browser", ...words);
}

export async function startBrowser() {
    const profile = mkdtempSync(join(tmpdir(), "dent-browser-"));
    const browser = await chromium.launchPersistentContext(profile, {
        executablePath: process.env.DENT_CHROMIUM ?? "/usr/bin/chromium",
        headless: true,
        timeout: WAIT,
        viewport: { width: 1200, height: 750 },
        args: ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--disable-gpu-watchdog", "--disable-dev-shm-usage", // a machine that is busy, or has little shared memory, is no fault of the page
            "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
    });
    browser.setDefaultTimeout(WAIT);
    const close = browser.close.bind(browser);
    browsers.add(browser);
    browser.close = async () => {
        browsers.delete(browser);
        await close();
        rmSync(profile, { recursive: true, force: true });
    };
    return browser;
}

// A page on the viewer with its first frame drawn; what it complained about is in page.complaints.
export async function openPage(browser, url) {
    const page = await browser.newPage();
    page.complaints = [];
    page.on("pageerror", error => page.complaints.push(String(error)));
    page.on("console", message => message.type() === "error" && page.complaints.push(message.text()));
    await page.goto(url);
    await page.waitForFunction(() => window.dentView?.ready);
    return page;
}

// Waits until read() gives the same value several times running.
export async function settled(read, pause = 150) {
    const end = Date.now() + WAIT;
    for (let last = await read(), same = 0; same < 4;) {
        await new Promise(resolve => setTimeout(resolve, pause));
        const now = await read();
        same = now === last ? same + 1 : 0;
        last = now;
        if (Date.now() > end) throw new Error(`still changing: ${now}`);
    }
    return read();
}

// Differing colours in the drawn picture, and how much of it is not background: { colors, share }. It is drawn as one that rests, with its
// shadows: whether a picture is one of several that follow one another depends on how loaded the machine is.
export function lookAtPixels(page) {
    return page.evaluate(() => {
        const { stage } = window.dentView;
        stage.lastDrawn = undefined;
        stage.draw();
        const gl = stage.renderer.getContext(), width = gl.drawingBufferWidth, height = gl.drawingBufferHeight, bytes = new Uint8Array(4 * width * height);
        gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
        const colors = new Set(), back = bytes.slice(0, 3).join();
        let other = 0;
        for (let i = 0; i < bytes.length; i += 4) {
            const color = `${bytes[i]},${bytes[i + 1]},${bytes[i + 2]}`;
            colors.add(color);
            if (color !== back) other++;
        }
        return { colors: colors.size, share: other / (width * height) };
    });
}

// A client without a page: says hello, collects messages.
export function plainClient(url, { origin, protocol = "dent-view-1", path = "socket", host } = {}) {
    const address = new URL(path, url);
    const headers = host ? { Host: host } : {};
    return new WebSocket(address.href.replace("http:", "ws:"), protocol, { origin: origin ?? new URL(url).origin, headers, perMessageDeflate: false });
}

export function outcome(socket) {
    return new Promise(resolve => {
        socket.on("open", () => resolve("open"));
        socket.on("unexpected-response", (request, response) => resolve(`refused ${response.statusCode}`));
        socket.on("error", error => resolve(`error ${error.message}`));
    });
}
