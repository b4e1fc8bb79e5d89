// How frames reach clients, without a browser: who answers at once misses none, who is slow gets the newest, and large frames
// cost the server little.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { plainClient, startViewer, WAIT } from "./support.mjs";

const FRAME = 3, pause = ms => new Promise(resolve => setTimeout(resolve, ms));
const frameOf = data => ({ sequence: data.readUInt32LE(4), frame: data.readUInt32LE(72) });

let folder, viewer, fast;
before(async () => {
    folder = mkdtempSync(join(tmpdir(), "dent-stream-"));
    viewer = await startViewer("--threads", "1", "cloth-sphere", "--scale", "0.05"); // small: a step must not take long on a busy machine
    fast = plainClient(viewer.url);
    await new Promise(resolve => fast.on("open", resolve));
    fast.send("speed 100"); // as fast as it goes
});
after(async () => {
    fast.terminate();
    assert.equal((await viewer.stop()).code, 0);
    rmSync(folder, { recursive: true, force: true });
});

// Calls onFrame(frame, acknowledge, sequence) for every frame until it returns something, which is then the answer.
function watch(url, onFrame) {
    return new Promise((resolve, reject) => {
        const socket = plainClient(url), limit = setTimeout(() => end(reject, new Error("not seen in time")), WAIT);
        const end = (how, what) => {
            clearTimeout(limit);
            socket.terminate();
            how(what);
        };
        socket.on("message", data => {
            if (data.readUInt32LE(0) !== FRAME) return;
            const { sequence, frame } = frameOf(data), answer = onFrame(frame, () => socket.readyState === 1 && socket.send(`ack ${sequence}`), sequence);
            if (answer !== undefined) end(resolve, answer);
        });
        socket.on("error", error => end(reject, error));
    });
}

test("who acknowledges at once gets every frame of a simulation that does not wait", async () => {
    const RUN = 20, seen = [];
    const missed = await watch(viewer.url, (frame, acknowledge) => {
        acknowledge();
        seen.push(frame);
        const from = seen.at(-RUN);
        return from !== undefined && frame - from < RUN + 1 ? frame - from - (RUN - 1) : undefined; // a busy machine may need some tries
    });
    assert.ok(missed <= 1);
});

test("who acknowledges at once may have two frames under way, never three", async () => {
    let under = 0, most = 0, frames = 0;
    const held = [];
    await watch(viewer.url, (frame, acknowledge) => {
        held.push(acknowledge);
        most = Math.max(most, ++under);
        const release = () => {
            under--;
            held.shift()();
        };
        if (++frames % 4 !== 0) { // three at once, then one is kept until another one has come
            while (held.length > 0) release();
        } else {
            setTimeout(() => held.length > 0 && release(), 500); // … if it comes: a busy machine may be slow to say that the one before was drawn
        }
        return most >= 2 && frames > 30 ? true : undefined;
    });
    assert.equal(most, 2);
});

test("who takes long for a frame never has two under way, and gets the newest", async () => {
    let under = 0, most = 0, first, last, frames = 0;
    // Frames are made only while someone wants one: without a quick client beside it, none would come too early.
    const quick = plainClient(viewer.url);
    quick.on("message", data => data.readUInt32LE(0) === FRAME && quick.readyState === 1 && quick.send(`ack ${frameOf(data).sequence}`));
    await watch(viewer.url, (frame, acknowledge) => {
        most = Math.max(most, ++under);
        first ??= frame;
        last = frame;
        pause(200).then(() => {
            under--;
            acknowledge();
        });
        return ++frames >= 10 && last - first >= frames ? true : undefined; // until some were skipped
    });
    quick.terminate();
    assert.equal(most, 1);
});

test("who comes when all others have gone gets what stands still as it is, and what moves as it has become", async () => {
    const still = await startViewer("--prescribed", "v-shapes"), comes = url => watch(url, (frame, acknowledge, sequence) => (acknowledge(), { frame, sequence }));
    const [first, second] = [await comes(still.url), await comes(still.url)];
    assert.deepEqual(second, first, "no frame was made for the second");
    await still.stop();
    const live = await startViewer("cloth-sphere", "--scale", "0.1"), early = await comes(live.url);
    await pause(500);
    for (const end = Date.now() + WAIT; (await comes(live.url)).frame <= early.frame + 1;) assert.ok(Date.now() < end, "it goes on");
    await live.stop();
});

// Milliseconds of CPU time that the server's thread has had.
function serverTime(pid) {
    for (const task of readdirSync(`/proc/${pid}/task`)) {
        const of = name => readFileSync(`/proc/${pid}/task/${task}/${name}`, "utf8").trim();
        if (of("comm") === "dent-server") return Number(of("schedstat").split(" ")[0]) / 1e6;
    }
    throw new Error("the server has no thread");
}

test("a frame of half a megabyte costs the server a millisecond or so, not ten", { skip: !existsSync("/proc/self/schedstat") }, async () => {
    const side = 210, lines = [], number = (i, j) => 1 + i * side + j;
    for (let i = 0; i < side; i++) for (let j = 0; j < side; j++) lines.push(`v ${i} ${j} ${(i * j) % 7}`);
    for (let i = 0; i + 1 < side; i++) for (let j = 0; j + 1 < side; j++) lines.push(`f ${number(i, j)} ${number(i + 1, j)} ${number(i + 1, j + 1)}`);
    writeFileSync(join(folder, "field.obj"), lines.join("\n") + "\n");
    const still = await startViewer(join(folder, "field.obj")), socket = plainClient(still.url);
    let arrived = () => {};
    socket.on("message", data => {
        if (data.readUInt32LE(0) !== FRAME) return;
        socket.send(`ack ${data.readUInt32LE(4)}`);
        arrived(data.length);
    });
    const next = () => new Promise(resolve => (arrived = resolve));
    assert.ok((await next()) > 5e5);
    await pause(300);
    const start = serverTime(still.child.pid), FRAMES = 30;
    for (let i = 0; i < FRAMES; i++) {
        const coming = next();
        socket.send("seek 0");
        await coming;
    }
    const each = (serverTime(still.child.pid) - start) / FRAMES;
    socket.terminate();
    await still.stop();
    assert.ok(each < 2, `${each.toFixed(2)} ms for a frame`);
    console.log(`# ${each.toFixed(2)} ms of the server's CPU time for a frame`);
});
