// Which axis points up: chosen once for a file, it is found again by another server, whose page has another address. Without a place to
// keep it, or with one that holds rubbish, nothing fails.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { WAIT, openPage, plainClient, startBrowser, startProgramIn, startViewer } from "./support.mjs";

let folder, shirt, box;
before(() => {
    folder = mkdtempSync(join(tmpdir(), "dent-up-"));
    [shirt, box] = [join(folder, "a shirt.obj"), join(folder, "box.stl")];
    writeFileSync(shirt, "v 0 0 0\nv 1 0 0\nv 0 2 0\nf 1 2 3\n");
    writeFileSync(box, "solid box\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid box\n");
});
after(() => rmSync(folder, { recursive: true, force: true }));

// What a new server tells of a file, in an environment; `say`: what its page says first.
async function told(file, where, say) {
    const viewer = await startProgramIn({ XDG_STATE_HOME: undefined, HOME: undefined, ...where }, process.env.DENT_TOOL, "view", "--no-browser", file);
    const socket = plainClient(viewer.url), seen = [];
    const state = wanted => new Promise((resolve, reject) => {
        const limit = setTimeout(() => reject(new Error(`no such state: ${JSON.stringify(seen)}`)), WAIT);
        socket.on("message", data => {
            if (data.readUInt32LE(0) !== 6) return;
            const message = JSON.parse(data.subarray(8).toString());
            seen.push(message.up);
            if (wanted && message.up !== wanted) return;
            clearTimeout(limit);
            resolve(message.up);
        });
    });
    const first = await state();
    if (say) {
        const changed = state(say);
        socket.send(`up ${say}`);
        await changed;
    }
    socket.terminate();
    await viewer.stop();
    assert.equal(viewer.errors, "");
    return first;
}

test("a guess by the format: OBJ stands along y, others along z", async () => {
    const where = { XDG_STATE_HOME: join(folder, "guess") };
    assert.equal(await told(shirt, where), "y");
    assert.equal(await told(box, where), "z");
    assert.equal(existsSync(where.XDG_STATE_HOME), false); // nobody chose anything
});

test("a choice is found again by the next server, for this file only", async () => {
    const where = { XDG_STATE_HOME: join(folder, "new", "state") };
    mkdirSync(join(folder, "new"));
    assert.equal(await told(shirt, where, "x"), "y");
    assert.equal(await told(shirt, where, "z"), "x");
    assert.equal(await told(box, where, "y"), "z");
    assert.equal(await told(shirt, where), "z");
    assert.equal(await told(box, where), "y");
    assert.deepEqual(readFileSync(join(where.XDG_STATE_HOME, "dent", "view-up"), "utf8").split("\n"), [`z ${shirt}`, `y ${box}`, ""]);
    assert.deepEqual(readdirSync(join(where.XDG_STATE_HOME, "dent")), ["view-up"]);
});

test("without XDG_STATE_HOME it is kept below the home, without a home not at all", async () => {
    const where = { HOME: join(folder, "home") };
    mkdirSync(where.HOME);
    await told(box, where, "x");
    assert.equal(await told(box, where), "x");
    assert.ok(existsSync(join(where.HOME, ".local", "state", "dent", "view-up")));
    assert.equal(await told(box, { XDG_STATE_HOME: "relative", HOME: join(folder, "home") }), "x"); // is to be ignored
    assert.equal(await told(box, {}, "y"), "z");
    assert.equal(await told(box, {}), "z");
    assert.equal(await told(box, { HOME: join(folder, "a shirt.obj") }, "y"), "z"); // no folder
    assert.equal(await told(box, { HOME: join(folder, "absent") }, "y"), "z");
    assert.equal(existsSync(join(folder, "absent")), false);
    assert.equal(await told(box, { XDG_STATE_HOME: `/${"x".repeat(5000)}` }, "y"), "z");
});

test("rubbish in the file, or what is no file, is as if nothing had been kept", async () => {
    const where = { XDG_STATE_HOME: join(folder, "rubbish") }, file = join(where.XDG_STATE_HOME, "dent", "view-up");
    mkdirSync(join(where.XDG_STATE_HOME, "dent"), { recursive: true });
    for (const text of ["", "\n\n\n", `w ${box}\nx${box}\nx  ${box}\nxx ${box}\nx ${box}`.slice(0, -1), `x ${box}/\n`, "\0\0\0", `y ${"z".repeat(1 << 20)}\nx ${box}\n`]) {
        writeFileSync(file, text);
        assert.equal(await told(box, where), "z", JSON.stringify(text.slice(0, 200)));
    }
    writeFileSync(file, `rubbish\n${Array.from({ length: 700 }, (_, i) => `x /file/${i}\n`).join("")}y half a line`);
    await told(box, where, "y");
    const lines = readFileSync(file, "utf8").split("\n");
    assert.deepEqual([lines.length, lines[0], lines.at(-3), lines.at(-2), lines.at(-1)], [501, "x /file/201", "x /file/699", `y ${box}`, ""]);
    rmSync(file);
    mkdirSync(file);
    assert.equal(await told(box, where, "y"), "z");
});

test("other words than x, y and z close the connection", async () => {
    const viewer = await startViewer(box);
    for (const words of ["up", "up w", "up xy", "up X", "up x y", "up "]) {
        const socket = plainClient(viewer.url);
        await new Promise(resolve => socket.on("open", resolve));
        const closed = new Promise(resolve => socket.on("close", resolve));
        socket.send(words);
        assert.equal(await closed, 1008, words);
    }
    await viewer.stop();
});

test("in a browser: chosen in one page, it is so in the page of another server", async () => {
    const browser = await startBrowser(), shown = page => page.evaluate(() => [document.getElementById("up").value, window.dentView.stage.camera.up.toArray().join()]);
    const first = await startViewer(shirt), page = await openPage(browser, first.url);
    assert.deepEqual(await shown(page), ["y", "0,1,0"]);
    await page.selectOption("#up", "x");
    await page.waitForFunction(() => window.dentView.shared.up === "x");
    const beside = await openPage(browser, first.url);
    await beside.waitForFunction(() => window.dentView.stage.upAxis === "x");
    await page.selectOption("#up", "z"); // pages share it
    await beside.waitForFunction(() => window.dentView.stage.upAxis === "z" && document.getElementById("up").value === "z");
    await first.stop();
    const second = await startViewer(shirt), again = await openPage(browser, second.url);
    assert.deepEqual(await shown(again), ["z", "0,0,1"]);
    const asked = await openPage(browser, `${second.url}#up=y`); // the address counts for its own page
    assert.deepEqual(await shown(asked), ["y", "0,1,0"]);
    assert.deepEqual(await shown(again), ["z", "0,0,1"]);
    assert.deepEqual([again.complaints, asked.complaints], [[], []]);
    await browser.close();
    await second.stop();
});
