// The probes of a scene file in a real browser: a plot for each, with the numbers of the simulation.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openPage, startBrowser, startViewer } from "./support.mjs";

const block = { shape: "box", size: [0.2, 0.2, 0.2], cells: [2, 2, 2] };
const scene = probes => ({
    dent_scene: 1, time_step: "10 ms", substeps: 2, contact: { enabled: false },
    bodies: [{ name: "soft", kind: "solid", generate: block }],
    supports: [{ name: "base", body: "soft", on: { beyond: [0, 0, -0.099], normal: [0, 0, -1] } }],
    probes,
});
const all = [
    { name: "top <b>", kind: "position", body: "soft", on: { beyond: [0, 0, 0.099], normal: [0, 0, 1] } },
    { name: "base force", kind: "reaction", support: "base" },
    { name: "energy", kind: "energy", energy: "elastic" },
];

let folder, file, viewer, browser, page;
before(async () => {
    folder = mkdtempSync(join(tmpdir(), "dent-probes-"));
    file = join(folder, "probes.json");
    writeFileSync(file, JSON.stringify(scene(all)));
    [viewer, browser] = await Promise.all([startViewer(file), startBrowser()]);
    page = await openPage(browser, viewer.url);
});
after(async () => {
    assert.deepEqual(page.complaints, []);
    await browser.close();
    const { code } = await viewer.stop();
    assert.equal(code, 0);
    assert.equal(viewer.errors, "");
    rmSync(folder, { recursive: true });
});

const see = expression => page.evaluate(expression);

test("each probe has a plot with its name, and rows come with the frames", async () => {
    await page.waitForFunction(() => window.dentView.probeRows?.every(rows => rows > 20));
    assert.equal(await see(() => document.getElementById("probe-plots").hidden), false);
    const captions = await see(() => [...document.querySelectorAll("#probe-plots figcaption")].map(caption => caption.textContent));
    assert.deepEqual(captions, ["top <b>: xyz", "base force: xyz", "energy"]);
});

test("the numbers are those of the simulation: at rest the base carries 8 kg", async () => {
    await page.waitForFunction(() => Math.abs(window.dentView.probeValues[1][2] - 8 * 9.81) < 0.05);
    const values = await see(() => window.dentView.probeValues);
    assert.ok(values[0][2] < 0.1 && values[0][2] > 0.09, `top at ${values[0][2]}`);
    assert.ok(values[2][0] > 0 && values[2].length === 1);
});

test("something is drawn in every plot", async () => {
    await page.click("#play");
    await page.waitForFunction(() => window.dentView.playing === false);
    const drawn = await see(() => [...document.querySelectorAll("#probe-plots canvas")].map(canvas => {
        const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        return pixels.filter((value, k) => k % 4 === 3 && value > 0).length;
    }));
    assert.equal(drawn.length, 3);
    for (const count of drawn) assert.ok(count > 100, `${drawn} pixels`);
});

test("a restart with other probes shows those, one without any shows none", async () => {
    writeFileSync(file, JSON.stringify(scene(all.slice(2))));
    await page.click("#restart");
    await page.waitForFunction(() => document.querySelectorAll("#probe-plots figure").length === 1);
    await page.click("#step");
    await page.waitForFunction(() => window.dentView.probeValues?.length === 1);
    writeFileSync(file, JSON.stringify(scene([])));
    await page.click("#restart");
    await page.waitForFunction(() => document.getElementById("probe-plots").hidden);
});
