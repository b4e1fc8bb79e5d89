// Strands: tubes that are seen, as wide as their radii, in the places that frames bring; wisps as a structure.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { lookAtPixels, openPage, startBrowser, startViewer } from "./support.mjs";

const STRANDS = 300, NODES = 16;
let folder, viewer, browser, page;

// A patch of curly strands as OBJ lines.
function patch() {
    const lines = [];
    for (let s = 0; s < STRANDS; s++) {
        for (let n = 0; n < NODES; n++) lines.push(`v ${(s % 20) / 20 + 0.02 * Math.sin(0.8 * n + s)} ${Math.floor(s / 20) / 15 + 0.02 * Math.cos(0.8 * n + s)} ${-0.05 * n}`);
    }
    for (let s = 0; s < STRANDS; s++) lines.push(`l ${Array.from({ length: NODES }, (_, n) => s * NODES + n + 1).join(" ")}`);
    return `${lines.join("\n")}\n`;
}

before(async () => {
    folder = mkdtempSync(join(tmpdir(), "dent-strands-"));
    writeFileSync(join(folder, "patch.obj"), patch());
    [viewer, browser] = await Promise.all([startViewer(join(folder, "patch.obj")), startBrowser()]);
    page = await openPage(browser, viewer.url);
});
after(async () => {
    assert.deepEqual(page.complaints, []);
    await browser.close();
    assert.equal((await viewer.stop()).code, 0);
    rmSync(folder, { recursive: true, force: true });
});

test("segments are drawn as lit tubes, all in one call", async () => {
    const { colors, share } = await lookAtPixels(page);
    assert.ok(share > 0.1, `${share} of the picture is not background`);
    assert.ok(colors > 50, `${colors} colours: tubes are shaded across`);
    const facts = await page.evaluate(() => {
        const { stage } = window.dentView;
        stage.draw();
        return { calls: stage.renderer.info.render.calls, instances: stage.bodies[0].mesh.geometry.instanceCount };
    });
    assert.equal(facts.instances, STRANDS * NODES - 1);
    assert.ok(facts.calls <= 6, `${facts.calls} calls`);
});

test("radii are those of the file, and tips are not joined to the next root", async () => {
    const radii = await page.evaluate(() => Array.from(window.dentView.stage.bodies[0].mesh.geometry.getAttribute("rootRadius").data.array));
    assert.equal(radii.length, STRANDS * NODES);
    radii.forEach((radius, v) => assert.equal(radius < 0, v % NODES === NODES - 1, `vertex ${v}`));
});

test("a wireframe makes strands one pixel wide", async () => {
    const wide = (await lookAtPixels(page)).share;
    await page.evaluate(() => window.dentView.stage.setBody(0, { wireframe: true }));
    const thin = (await lookAtPixels(page)).share;
    await page.evaluate(() => window.dentView.stage.setBody(0, { wireframe: false }));
    assert.ok(thin < wide, `${thin} against ${wide}`);
});

test("wisps are a structure with levels", async () => {
    const balls = async level => {
        await page.selectOption("#structure", "none");
        await page.waitForFunction(() => window.dentView.stage.boxes.geometry.getAttribute("position")?.count === 0);
        await page.locator("#structure-level").evaluate((bar, value) => {
            bar.max = 20;
            bar.value = value;
        }, level);
        await page.selectOption("#structure", "wisps");
        await page.waitForFunction(() => window.dentView.stage.boxes.geometry.getAttribute("position")?.count > 0);
        return page.evaluate(() => window.dentView.stage.boxes.geometry.getAttribute("position").count);
    };
    const coarse = await balls(0), fine = await balls(2);
    assert.equal(fine, 4 * coarse);
});
