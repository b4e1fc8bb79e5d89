// Sliders of a robot's joints: named, within their limits, and what they do is what the tool computes.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openPage, startBrowser, startViewer } from "./support.mjs";

const link = name => `<link name="${name}"><collision><origin xyz="0 0 0.5"/><geometry><box size="0.2 0.2 1"/></geometry></collision></link>`;
const joint = (child, parent) => `<joint name="${child}_joint" type="revolute"><parent link="${parent}"/><child link="${child}"/><origin xyz="0 0 1"/><axis xyz="0 1 0"/><limit lower="-3.2" upper="3.1" effort="1" velocity="1"/></joint>`;
const arm = `<robot name="arm">${["base", "upper", "lower", "hand"].map(link).join("")}${joint("upper", "base")}${joint("lower", "upper")}${joint("hand", "lower")}</robot>`;

let folder, viewer, browser, page;
before(async () => {
    folder = mkdtempSync(join(tmpdir(), "dent-robot-"));
    writeFileSync(join(folder, "arm.urdf"), arm);
    [viewer, browser] = await Promise.all([startViewer(join(folder, "arm.urdf"), "--joints", "hand_joint=0.5"), startBrowser()]);
    page = await openPage(browser, viewer.url);
});
after(async () => {
    assert.deepEqual(page.complaints, []);
    await browser.close();
    assert.equal((await viewer.stop()).code, 0);
    rmSync(folder, { recursive: true });
});

const read = () => page.$$eval("#joints li", rows => rows.map(row => ({ name: row.querySelector("span").textContent, value: Number(row.querySelector("input").value), min: Number(row.querySelector("input").min), max: Number(row.querySelector("input").max), shown: row.querySelector("output").textContent })));

async function slide(index, value) {
    await page.$eval(`#joint-${index}`, (slider, value) => { slider.value = value; slider.dispatchEvent(new Event("input")); }, String(value));
}

test("there is a slider for each joint, with its limits, at the value of --joints", async () => {
    const rows = await read();
    assert.deepEqual(rows.map(row => row.name), ["upper_joint", "lower_joint", "hand_joint"]);
    assert.deepEqual(rows.map(row => [row.min, row.max]), Array(3).fill([-3.2, 3.1]));
    assert.deepEqual(rows.map(row => row.shown), ["0.0°", "0.0°", "28.6°"]);
    assert.match(await page.textContent("#verdict"), /^free of penetration/);
});

test("moving a slider moves the links, and the verdict follows", async () => {
    const sequence = await page.evaluate(() => window.dentView.sequence);
    await slide(1, 3.1);
    await page.waitForFunction(() => /^PENETRATING/.test(document.getElementById("verdict").textContent));
    await page.waitForFunction(before => window.dentView.ready && window.dentView.sequence > before, sequence);
    assert.equal(await page.evaluate(() => window.dentView.hello.joints[1].value), 3.1);
    assert.deepEqual((await read()).map(row => row.shown), ["0.0°", "177.6°", "28.6°"]);
    await slide(1, 0);
    await page.waitForFunction(() => /^free/.test(document.getElementById("verdict").textContent));
});

test("volumes of pairs are those of the present pose", async () => {
    for (const value of [3.1, 2.9]) {
        await slide(1, value);
        const { stdout } = spawnSync(process.env.DENT_TOOL, ["check", "--json", "--joints", `hand_joint=0.5,lower_joint=${value}`, join(folder, "arm.urdf")], { encoding: "utf8" });
        const expected = stdout.trim().split("\n").map(JSON.parse).filter(line => line.volume > 0).map(line => line.volume);
        assert.ok(expected.length > 0, stdout);
        await page.waitForFunction(expected => JSON.stringify(window.dentView.bodyPairs?.map(pair => pair.volume).filter(volume => volume > 0)) === JSON.stringify(expected), expected);
    }
    await slide(1, 0);
    await page.waitForFunction(() => /^free/.test(document.getElementById("verdict").textContent));
});

test("a value beyond the limits stops at them, and a joint that is not there is told", async () => {
    await page.evaluate(() => document.getElementById("joint-0").removeAttribute("max"));
    await page.$eval("#joint-0", slider => { slider.max = 100; slider.value = 50; slider.dispatchEvent(new Event("input")); });
    await page.waitForFunction(() => window.dentView.hello.joints[0].value === 3.1);
    await slide(0, 0);
    await page.waitForFunction(() => window.dentView.hello.joints[0].value === 0);
});

test("a second page shows the joints where the first has put them", async () => {
    await slide(2, -1);
    await page.waitForFunction(() => window.dentView.hello.joints[2].value === -1);
    const second = await openPage(browser, viewer.url);
    assert.equal(await second.evaluate(() => window.dentView.hello.joints[2].value), -1);
    assert.deepEqual(second.complaints, []);
    await second.close();
});
