// The token stays with its user: in files of mode 0600, on no command line, where every user of the machine could read it.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { outcome, plainClient, startViewer, WAIT } from "./support.mjs";

let folder, model;
before(() => {
    folder = mkdtempSync(join(tmpdir(), "dent-token-"));
    model = join(folder, "a.obj");
    writeFileSync(model, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
});
after(() => rmSync(folder, { recursive: true, force: true }));

function run(words, environment = {}) {
    const child = spawn(process.env.DENT_TOOL, words, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...environment } });
    const state = { child, output: "", errors: "" };
    child.stdout.on("data", part => (state.output += part));
    child.stderr.on("data", part => (state.errors += part));
    state.ended = new Promise(resolve => child.on("close", code => resolve(code)));
    return state;
}

async function until(condition, what) {
    for (const end = Date.now() + WAIT; !condition();) {
        assert.ok(Date.now() < end, what);
        await new Promise(resolve => setTimeout(resolve, 5));
    }
}

// The processes, this one apart, on whose command line the token stands.
function tellers(token) {
    return readdirSync("/proc").filter(name => /^\d+$/.test(name) && name !== String(process.pid)).map(id => {
        try {
            return readFileSync(`/proc/${id}/cmdline`, "latin1").replaceAll("\0", " ");
        } catch {
            return "";
        }
    }).filter(line => line.includes(token));
}

const mode = path => statSync(path).mode & 0o777;
const skip = !existsSync("/proc/self/cmdline");

// A browser that writes down what it is started with, and lives on for a while.
function makeBrowser(name) {
    const programs = join(folder, name), seen = join(programs, "seen");
    mkdirSync(programs);
    writeFileSync(join(programs, "xdg-open"), `#!/bin/sh\necho "$@" > '${seen}.part'\nmv '${seen}.part' '${seen}'\nsleep 2\n`);
    chmodSync(join(programs, "xdg-open"), 0o755);
    return { environment: { DISPLAY: ":99", PATH: `${programs}:${process.env.PATH}` }, seen };
}

test("the user's browser is led to the address by a file that others cannot read, which is gone when a page has come", { skip }, async () => {
    const runtime = join(folder, "runtime"), browser = makeBrowser("first");
    mkdirSync(runtime, { mode: 0o700 });
    const viewer = run(["view", model, "--show", "wire=1&theme=dark"], { ...browser.environment, XDG_RUNTIME_DIR: runtime });
    await until(() => existsSync(browser.seen) && viewer.output.includes("\n"), "the browser is started");
    const url = viewer.output.trim(), token = new URL(url).pathname.slice(1, 33), file = readFileSync(browser.seen, "utf8").trim();
    assert.match(token, /^[0-9a-f]{32}$/);
    assert.deepEqual(tellers(token), []);
    assert.equal(dirname(dirname(file)), runtime);
    assert.deepEqual([mode(file), mode(dirname(file))], [0o600, 0o700]);
    const page = readFileSync(file, "utf8");
    assert.ok(page.includes(`location.replace("${url}")`), page);
    assert.ok(page.includes(`href="${url.replaceAll("&", "&amp;")}"`), page);
    assert.equal(await outcome(plainClient(url)), "open");
    await until(() => readdirSync(runtime).length === 0, "the file is gone");
    viewer.child.kill("SIGINT");
    assert.deepEqual([await viewer.ended, viewer.errors], [0, ""]);
});

test("the file is gone at the end although no page came", { skip }, async () => {
    const runtime = join(folder, "runtime2"), browser = makeBrowser("second");
    mkdirSync(runtime, { mode: 0o700 });
    const viewer = run(["view", model], { ...browser.environment, XDG_RUNTIME_DIR: runtime });
    await until(() => existsSync(browser.seen), "the browser is started");
    assert.equal(readdirSync(runtime).length, 1);
    viewer.child.kill("SIGINT");
    assert.deepEqual([await viewer.ended, viewer.errors], [0, ""]);
    assert.deepEqual(readdirSync(runtime), []);
});

test("no process of a snapshot has the token on its command line", { skip }, async () => {
    const own = join(folder, "own"), picture = join(folder, "picture.png"), seen = new Set();
    let browsers = 0;
    const snapshot = run(["view", "--token", own, "--snapshot", picture, model], { TMPDIR: folder });
    await until(() => existsSync(own) && readFileSync(own).length > 32, "the token is made");
    const token = readFileSync(own, "latin1").trim();
    const watch = setInterval(() => {
        tellers(token).forEach(line => seen.add(line));
        browsers = Math.max(browsers, tellers(`--user-data-dir=${folder}`).length);
    }, 10);
    assert.deepEqual([await snapshot.ended, snapshot.errors], [0, ""]);
    clearInterval(watch);
    assert.ok(browsers > 0, "the browser was seen");
    assert.deepEqual([...seen], []);
    assert.equal(readFileSync(picture).subarray(1, 4).toString(), "PNG");
    assert.ok(statSync(picture).size > 3000, "more than an empty page");
    assert.deepEqual(readdirSync(folder).filter(name => name.startsWith("dent-view-")), []);
});

test("--token names a file, made once and used again, that only its user can read", async () => {
    const own = join(folder, "kept");
    const first = await startViewer("--token", own, model), port = new URL(first.url).port;
    assert.equal(mode(own), 0o600);
    assert.equal(readFileSync(own, "utf8"), `${new URL(first.url).pathname.slice(1, 33)}\n`);
    await first.stop();
    const second = await startViewer("--token", own, "--port", port, model);
    assert.equal(second.url, first.url);
    await second.stop();
    for (const text of ["", "0".repeat(31), "0".repeat(33), "G".repeat(32), `${"0".repeat(32)}\n\n`]) {
        writeFileSync(own, text);
        const wrong = run(["view", "--no-browser", "--token", own, model]);
        assert.deepEqual([await wrong.ended, wrong.output], [2, ""], text);
        assert.match(wrong.errors, /^dent: view: .*kept: expected 32 hexadecimal digits[^\n]*\n$/);
    }
    writeFileSync(own, "0".repeat(32));
    chmodSync(own, 0o640);
    const shared = run(["view", "--no-browser", "--token", own, model]);
    assert.deepEqual([await shared.ended, shared.output], [2, ""]);
    assert.match(shared.errors, /^dent: view: .*kept: other users[^\n]*\n$/);
    for (const [name, message] of [["0".repeat(32), /command line/], [folder, /expected a file/], [join(folder, "none/there"), /No such file/]]) {
        const refused = run(["view", "--no-browser", "--token", name, model]);
        assert.deepEqual([await refused.ended, refused.output], [2, ""], name);
        assert.match(refused.errors, message);
    }
});
