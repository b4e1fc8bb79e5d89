// Connections without the token: however many there are, a page with it comes in, and what they are told gives nothing away.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import http from "node:http";
import net from "node:net";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { openPage, outcome, plainClient, startBrowser, startViewer } from "./support.mjs";

// A server that keeps a place per stranger lets nobody in for 30 s and longer: until its time limit, and then they are there again. A
// page needs milliseconds; the limit is for a whole page and far above what a busy machine makes of them.
const LOCKED_OUT_MS = 15000;
const ATTACKERS = 400;

let viewer, port, token;
before(async () => {
    viewer = await startViewer("--prescribed", "v-shapes", "--scale", "0.1");
    port = Number(new URL(viewer.url).port);
    token = new URL(viewer.url).pathname.slice(1, 33);
});
after(async () => {
    assert.equal((await viewer.stop()).code, 0);
    assert.equal(viewer.errors, "");
});

async function startAttack(t) {
    const child = spawn(process.execPath, [fileURLToPath(new URL("attack.mjs", import.meta.url)), String(port), String(ATTACKERS)], { stdio: ["pipe", "pipe", "inherit"] });
    t.after(() => child.kill("SIGKILL"));
    let output = "", said = () => {};
    child.stdout.on("data", part => {
        output += part;
        said();
    });
    const line = pattern => new Promise(resolve => {
        said = () => pattern.test(output) && resolve(pattern.exec(output));
        said();
    });
    await Promise.race([line(/all connected/), later(LOCKED_OUT_MS)]);
    return async () => {
        child.stdin.write("end\n");
        return Number((await line(/(\d+) connections/))[1]);
    };
}

const later = (ms, value) => new Promise(resolve => setTimeout(resolve, ms, value).unref());

function get(path, options = {}) {
    return new Promise(resolve => {
        const request = http.request({ host: "127.0.0.1", port, path, agent: false, ...options }, response => {
            let size = 0;
            response.on("data", part => (size += part.length));
            response.on("end", () => resolve({ status: response.statusCode, size }));
        });
        request.on("error", error => resolve({ status: error.message, size: 0 }));
        request.end();
    });
}

// What a page does: its files, the socket, the first frame.
async function openLikeAPage() {
    for (const file of ["", "main.js", "style.css"]) {
        const { status, size } = await get(`/${token}/${file}`);
        assert.deepEqual([file, status, size > 0], [file, 200, true]);
    }
    const socket = plainClient(viewer.url);
    socket.on("error", () => {});
    const frame = new Promise(resolve => socket.on("message", data => data.readUInt32LE(0) === 3 && resolve("frame")));
    assert.equal(await Promise.race([frame, outcome(socket).then(result => (result === "open" ? frame : result))]), "frame");
    socket.terminate();
    return "came in";
}

// Gives the milliseconds it took.
async function comeIn() {
    const start = performance.now();
    assert.equal(await Promise.race([openLikeAPage(), later(LOCKED_OUT_MS, "locked out")]), "came in");
    return performance.now() - start;
}

test("pages with the token come in while 400 strangers connect again and again", async t => {
    const end = await startAttack(t), times = [];
    for (let i = 0; i < 10; i++) {
        times.push(await comeIn());
        await later(300);
    }
    const made = await end();
    times.sort((a, b) => a - b);
    t.diagnostic(`${made} connections of ${ATTACKERS} strangers; files, socket and first frame of a page in ${times[5].toFixed(0)} ms (median of 10), ${times[9].toFixed(0)} ms at most`);
    assert.ok(made >= ATTACKERS, `${made} connections`);
});

test("a browser opens the page while 400 strangers connect again and again", async t => {
    const browser = await startBrowser();
    t.after(() => browser.close());
    const open = async () => {
        const start = performance.now(), page = await Promise.race([openPage(browser, viewer.url), later(LOCKED_OUT_MS, null)]);
        assert.ok(page, "locked out");
        assert.deepEqual(page.complaints, []);
        await page.close();
        return `${(performance.now() - start).toFixed(0)} ms`;
    };
    const alone = [await open(), await open()], end = await startAttack(t), attacked = [await open(), await open()], made = await end();
    t.diagnostic(`opened, drawn and closed in ${alone.join(", ")} alone; in ${attacked.join(", ")} beside ${made} connections of strangers`);
});

test("every digit of the token counts, for files and for sockets, on a fresh connection and on one that had the token", async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    for (let i = 0; i < token.length; i++) {
        const other = token.slice(0, i) + (token[i] === "0" ? "1" : "0") + token.slice(i + 1);
        assert.equal((await get(`/${other}/`)).status, 403, `digit ${i}`);
        assert.equal(await outcome(plainClient(`http://127.0.0.1:${port}/${other}/`)), "refused 403", `digit ${i}`);
        assert.equal((await get(`/${token}/`, { agent })).status, 200);
        assert.equal((await get(`/${other}/`, { agent })).status, 403, `digit ${i}, behind the right one`);
    }
    agent.destroy();
    for (const path of [`/${token}`, `/${token}x/`, `/${token.slice(0, 31)}/`, `/${token.slice(0, 31)}//`, `//${token}/`, `/${token.toUpperCase()}/`].filter(path => path !== `/${token}/`)) {
        assert.notEqual((await get(path)).status, 200, path);
    }
    assert.equal((await get(`/${token}/`)).status, 200);
});

// What a connection gets for bytes sent one after another: { text, ms }.
function send(...parts) {
    return new Promise(resolve => {
        const start = performance.now(), socket = net.connect({ port, host: "127.0.0.1", noDelay: true });
        let text = "";
        socket.on("data", part => (text += part));
        socket.on("error", () => {});
        socket.on("close", () => resolve({ text, ms: performance.now() - start }));
        const next = () => parts.length > 0 && socket.writable && socket.write(parts.shift(), () => setTimeout(next, 5));
        socket.on("connect", next);
    });
}

test("a request that comes byte by byte is served if it has the token, and its digits are judged together", async () => {
    const rest = `HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`;
    assert.match((await send(..."GET /", ...token, ..."/ ", rest)).text, /^HTTP\/1.1 200/);
    // An answer after the first wrong digit would tell which one it is.
    const silence = await Promise.race([send("GET /", token[0] === "0" ? "1" : "0"), later(500, "nothing yet")]);
    assert.equal(silence, "nothing yet");
    assert.match((await send("GET /", "f".repeat(32), "/ ", rest)).text, /^HTTP\/1.1 403/);
});

test("connections that ask for nothing are closed", async () => {
    const beginnings = [[], ["GET"], [`GET /${token.slice(0, 20)}`], [..."GET /".repeat(4)]];
    const closed = await Promise.all(beginnings.map(parts => Promise.race([send(...parts), later(LOCKED_OUT_MS, null)])));
    assert.deepEqual(closed.map(end => end?.text), beginnings.map(() => ""));
});
