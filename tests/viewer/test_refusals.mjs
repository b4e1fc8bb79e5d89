// What the server must refuse, and that it lives on. No browser needed.
import assert from "node:assert/strict";
import http from "node:http";
import net from "node:net";
import { after, before, test } from "node:test";
import { outcome, plainClient, startViewer, WAIT } from "./support.mjs";

let viewer, port;
before(async () => {
    viewer = await startViewer("--prescribed", "v-shapes", "--scale", "0.1");
    port = Number(new URL(viewer.url).port);
});
after(async () => {
    const { code } = await viewer.stop();
    assert.equal(code, 0, "Ctrl-C is a good end");
    assert.equal(viewer.errors, "");
});

function get(path, headers = {}) {
    return new Promise((resolve, reject) => {
        const request = http.request({ host: "127.0.0.1", port, path, headers, method: headers.method ?? "GET", agent: false }, response => {
            let body = "";
            response.on("data", part => (body += part));
            response.on("end", () => resolve({ status: response.statusCode, body, headers: response.headers }));
        });
        request.on("error", reject);
        request.end();
    });
}

async function stillServes() {
    const { status, body } = await get(new URL(viewer.url).pathname);
    assert.equal(status, 200);
    assert.match(body, /dent view/);
    // Connections that were just given up may still fill the house: it is asked again until one is let in.
    for (const end = Date.now() + WAIT; Date.now() < end;) {
        const socket = plainClient(viewer.url), result = await outcome(socket);
        socket.terminate();
        if (result === "open") return;
        await new Promise(resolve => setTimeout(resolve, 100));
    }
    assert.fail("nobody is let in any more");
}

test("the page comes with headers that keep others out", async () => {
    const { status, headers } = await get(new URL(viewer.url).pathname);
    assert.equal(status, 200);
    assert.match(headers["content-security-policy"], /default-src 'none'/);
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["cache-control"], "no-store");
});

test("a wrong token is refused", async () => {
    assert.equal((await get("/")).status, 403);
    assert.equal((await get(`/${"0".repeat(32)}/`)).status, 403);
    assert.equal((await get(`/${"0".repeat(32)}/main.js`)).status, 403);
    assert.notEqual(await outcome(plainClient(`http://127.0.0.1:${port}/${"0".repeat(32)}/`)), "open");
    await stillServes();
});

test("a wrong Origin, a foreign Host and another protocol are refused", async () => {
    for (const origin of ["http://example.org", "null", `http://127.0.0.1:${port + 1}`, `http://localhost.example:${port}`]) {
        assert.notEqual(await outcome(plainClient(viewer.url, { origin })), "open", origin);
    }
    assert.equal((await get(new URL(viewer.url).pathname, { Host: "example.org" })).status, 403);
    assert.notEqual(await outcome(plainClient(viewer.url, { protocol: "other" })), "open");
    assert.notEqual(await outcome(plainClient(viewer.url, { host: "example.org" })), "open");
    await stillServes();
});

test("no path leads out of the bundle", async () => {
    const token = new URL(viewer.url).pathname;
    for (const path of ["../../etc/passwd", "..%2f..%2fetc/passwd", "%2e%2e/%2e%2e/etc/passwd", "/etc/passwd", "....//etc/passwd", "main.js%00", "index.html/../../etc/passwd"]) {
        const { status, body } = await get(token + path).catch(() => ({ status: 0, body: "" }));
        assert.notEqual(status, 200, path);
        assert.doesNotMatch(body, /root:/, path);
    }
    await stillServes();
});

test("only GET is answered", async () => {
    for (const method of ["POST", "PUT", "DELETE"]) {
        const { status } = await get(new URL(viewer.url).pathname, { method }).catch(() => ({ status: 0 }));
        assert.notEqual(status, 200, method);
    }
    await stillServes();
});

test("HTTP/2 is not offered", async () => {
    const answer = await new Promise(resolve => {
        const headers = { Connection: "Upgrade, HTTP2-Settings", Upgrade: "h2c", "HTTP2-Settings": "AAMAAABkAARAAAAAAAIAAAAA" };
        const request = http.request({ host: "127.0.0.1", port, path: new URL(viewer.url).pathname, headers, agent: false });
        request.on("upgrade", (response, socket) => resolve(socket.destroy() && "upgraded"));
        request.on("response", response => resolve(response.statusCode));
        request.on("error", () => resolve("hung up"));
        request.end();
    });
    assert.notEqual(answer, "upgraded");
    await stillServes();
});

function closing(socket) {
    return new Promise(resolve => socket.on("close", code => resolve(code)));
}

test("malformed and oversized commands close the connection that sent them, and only that", async () => {
    const neighbour = plainClient(viewer.url);
    assert.equal(await outcome(neighbour), "open");
    const bad = ["", "x".repeat(257), "x".repeat(1 << 20), "play ", " play", "seek -1", "seek 4294967296", "grab 0 0 nan 0 0", "grab 0 0 1e999 0 0", "step 1001", "ask a/b",
        "speed 0", "\0", "play\n", Buffer.from([1, 2, 3]), Buffer.from("play"), `seek ${"0".repeat(300)}1`];
    for (const message of bad) {
        const socket = plainClient(viewer.url);
        assert.equal(await outcome(socket), "open");
        const closed = closing(socket);
        socket.send(message);
        const code = await closed;
        assert.ok([1008, 1009, 1006].includes(code), `${JSON.stringify(String(message).slice(0, 20))} closed with ${code}`);
    }
    assert.equal(neighbour.readyState, 1);
    neighbour.terminate();
    await stillServes();
});

test("bytes that are no protocol do no harm", async () => {
    for (const bytes of ["\x16\x03\x01\x02\x00", "GET / HTTP/1.1\r\n".repeat(2000), `GET /${"a".repeat(70000)} HTTP/1.1\r\n\r\n`, "\0".repeat(5000)]) {
        await new Promise(resolve => {
            const socket = net.connect(port, "127.0.0.1", () => socket.write(bytes));
            socket.on("error", () => {});
            socket.on("close", resolve);
            setTimeout(() => socket.destroy(), 300);
        });
    }
    // A frame that announces more than there will ever be.
    const socket = plainClient(viewer.url);
    assert.equal(await outcome(socket), "open");
    socket._socket.write(Buffer.from([0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4]));
    socket.on("error", () => {});
    await new Promise(resolve => setTimeout(resolve, 200));
    socket.terminate();
    await stillServes();
});

test("of two hundred connections some are served, the rest refused, and the server lives", async () => {
    const sockets = Array.from({ length: 200 }, () => plainClient(viewer.url));
    const results = await Promise.all(sockets.map(socket => Promise.race([outcome(socket), new Promise(resolve => setTimeout(resolve, WAIT / 2, "silent").unref())])));
    const open = results.filter(result => result === "open").length;
    assert.ok(open >= 1 && open <= 16, `${open} open`);
    for (const socket of sockets) {
        socket.on("error", () => {});
        socket.terminate();
    }
    for (const end = Date.now() + WAIT; Date.now() < end;) { // until the server has noticed that they are gone
        const socket = plainClient(viewer.url), result = await outcome(socket);
        socket.terminate();
        if (result === "open") break;
        await new Promise(resolve => setTimeout(resolve, 100));
    }
    await stillServes();
});
