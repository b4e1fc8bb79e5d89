// dent view --record: videos that players take, of series, of what stands still and of simulations; and what is said where there is none.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { startBrowser } from "./support.mjs";

let folder, browser;
before(async () => {
    folder = mkdtempSync(join(tmpdir(), "dent-record-"));
    writeFileSync(join(folder, "box.off"), "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n");
    browser = await startBrowser();
});
after(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
});

function dent(words, environment = {}) {
    const child = spawn(process.env.DENT_TOOL, ["view", ...words], { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, TMPDIR: folder, ...environment } }), run = { output: "", errors: "" };
    child.stdout.on("data", part => (run.output += part));
    child.stderr.on("data", part => (run.errors += part));
    return new Promise(resolve => child.on("close", code => resolve({ ...run, code })));
}

// What a video element makes of a file, and whether its pictures differ.
async function play(path) {
    const page = await browser.newPage();
    const seen = await page.evaluate(async text => {
        const video = document.createElement("video"), bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
        video.muted = true;
        video.src = URL.createObjectURL(new Blob([bytes], { type: "video/webm" }));
        await new Promise((resolve, reject) => ((video.onloadeddata = resolve), (video.onerror = () => reject(new Error(video.error.message)))));
        const canvas = Object.assign(document.createElement("canvas"), { width: 320, height: 240 }), pen = canvas.getContext("2d", { willReadFrequently: true });
        const look = () => (pen.drawImage(video, 0, 0, 320, 240), pen.getImageData(0, 0, 320, 240).data), first = look();
        const differing = () => look().filter((x, i) => Math.abs(x - first[i]) > 24).length;
        const ready = new Promise(resolve => (video.onseeked = resolve));
        video.currentTime = 0.9 * video.duration;
        await ready;
        for (let tries = 0; tries < 200 && differing() === 0; tries++) await new Promise(resolve => setTimeout(resolve, 50)); // a loaded browser shows the place that it has sought a little later
        return { width: video.videoWidth, height: video.videoHeight, seconds: video.duration, differing: differing() };
    }, readFileSync(path).toString("base64"));
    await page.close();
    return seen;
}

test("a scene from a frame on: as many pictures as asked for, and they move", async () => {
    const path = join(folder, "scene.webm");
    const { code, output, errors } = await dent(["--prescribed", "v-shapes", "--scale", "0.2", "--frame", "36", "--frames", "6", "--record", path]);
    assert.deepEqual([code, errors, output], [0, "", `wrote ${path}\n`]);
    const { width, height, seconds, differing } = await play(path);
    assert.ok(width >= 600 && height >= 400 && width % 2 === 0 && height % 2 === 0, `${width} × ${height}`);
    assert.ok(Math.abs(seconds - 6 / 30) < 0.06, `${seconds} s`);
    assert.ok(differing > 50, `${differing} values differ`);
    assert.deepEqual(readdirSync(folder).sort(), ["box.off", "scene.webm"]); // no browser's profile is left
});

test("what stands still turns, a simulation runs", async () => {
    for (const [words, frames] of [[[join(folder, "box.off")], 4], [["cloth-sphere", "--scale", "0.2"], 3]]) {
        const path = join(folder, "more.webm"), { code, errors } = await dent([...words, "--frames", String(frames), "--record", path]);
        assert.deepEqual([code, errors], [0, ""]);
        const { seconds, differing } = await play(path);
        assert.ok(seconds > 0.01 * frames && differing > 20, `${seconds} s, ${differing} values differ`);
    }
});

test("without a browser, with another ending and beside a snapshot it says what is missing", async () => {
    const path = join(folder, "none.webm"), box = join(folder, "box.off");
    for (const [words, environment, reason] of [
        [["--record", path, box], { DENT_CHROMIUM: "/no/browser" }, /--record need Chromium, and none was found/],
        [["--record", join(folder, "none.mp4"), box], {}, /\.webm/],
        [["--record", join(folder, "missing", "none.webm"), box], {}, /No such file/],
        [["--record", path, "--snapshot", join(folder, "none.png"), box], {}, /give one of them/],
    ]) {
        const { code, output, errors } = await dent(words, environment);
        assert.deepEqual([code, output], [2, ""]);
        assert.match(errors, reason);
    }
    assert.equal(existsSync(path), false);
});
