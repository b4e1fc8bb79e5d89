// Stress as colours in a real browser: the numbers of the simulation, drawn, shared between pages.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openPage, startBrowser, startViewer } from "./support.mjs";

// A bar that hangs from its top: 8 kg below it on 0.04 square metres.
const scene = {
    dent_scene: 1, time_step: "10 ms", substeps: 2, contact: { enabled: false },
    bodies: [{ name: "bar", kind: "solid", generate: { shape: "box", size: [0.2, 0.2, 0.2], cells: [2, 2, 2] } },
        { name: "brick", kind: "prescribed", generate: { shape: "box", size: [0.1, 0.1, 0.1], cells: [1, 1, 1] }, move: [0.4, 0, 0] }],
    supports: [{ name: "top", body: "bar", on: { beyond: [0, 0, 0.099], normal: [0, 0, 1] } }],
    gravity: [0, 0, -9.81],
};

let folder, viewer, browser, page;
before(async () => {
    folder = mkdtempSync(join(tmpdir(), "dent-stress-"));
    writeFileSync(join(folder, "bar.json"), JSON.stringify(scene));
    [viewer, browser] = await Promise.all([startViewer(join(folder, "bar.json")), startBrowser()]);
    page = await openPage(browser, viewer.url);
    await page.waitForFunction(() => window.dentView.ready);
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

test("simulations offer measures of stress, and none is shown at first", async () => {
    assert.equal(await see(() => document.getElementById("stress-field").hidden), false);
    assert.deepEqual(await see(() => [...document.getElementById("stress").options].map(option => option.value)),
        ["none", "von-mises", "tension", "compression", "plastic-strain", "speed", "depth", "distance", "quality", "inverted"]);
    assert.equal(await see(() => window.dentView.stress), null);
    assert.equal(await see(() => document.getElementById("stress-legend").hidden), true);
});

test("tension of a hanging bar is weight over area near its top, and the legend ends there", async () => {
    await page.selectOption("#stress", "tension");
    await page.waitForFunction(() => window.dentView.stress > 1200 && window.dentView.stress < 6000 && window.dentView.time > 1);
    await page.waitForFunction(() => !document.getElementById("stress-legend").hidden);
    assert.equal(await see(() => document.getElementById("stress-name").textContent), "tension");
    assert.match(await see(() => document.getElementById("stress-end").textContent), / Pa$/);
});

test("vertices near the support carry more than those at the end, and bodies without stress keep their colour", async () => {
    const ends = await see(() => {
        const [bar, brick] = window.dentView.stage.bodies.map(body => body.mesh.geometry), places = bar.getAttribute("position").array, stress = bar.getAttribute("stress").array;
        const heights = [...stress.keys()].map(n => places[3 * n + 2]), high = Math.max(...heights), low = Math.min(...heights), mean = list => list.reduce((a, b) => a + b, 0) / list.length;
        const near = height => mean([...stress].filter((_, n) => Math.abs(heights[n] - height) < 0.1 * (high - low)));
        return { top: near(high), bottom: near(low), brick: [...brick.getAttribute("stress").array] };
    });
    assert.ok(ends.top > 2 * ends.bottom && ends.bottom >= 0, JSON.stringify(ends));
    assert.ok(ends.brick.every(value => value === -1));
});

test("the picture changes with the measure, and back", async () => {
    await page.click("#play");
    await page.waitForFunction(() => window.dentView.playing === false);
    const picture = async () => (await page.locator("#canvas").screenshot()).toString("base64");
    const choose = async measure => {
        await page.selectOption("#stress", measure);
        await page.waitForFunction(name => window.dentView.shared.measure === name && (window.dentView.stress !== null) === (name !== "none"), measure);
        await page.waitForTimeout(600);
        return picture();
    };
    const plain = await choose("none"), colours = await choose("von-mises");
    assert.notEqual(plain, colours);
    assert.equal(await choose("none"), plain);
});

test("a page that is opened later shows the measure that was chosen", async () => {
    await page.selectOption("#stress", "compression");
    const second = await openPage(browser, viewer.url);
    await second.waitForFunction(() => window.dentView.stress !== null && document.getElementById("stress").value === "compression");
    assert.deepEqual(second.complaints, []);
    await second.close();
});
