// A probe on soft tissue by hand: the tissue is simulated, gives way and comes back; the probe never enters it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPage, startBrowser, startViewer } from "./support.mjs";

let viewer, browser, page, complete = false;
before(async () => {
    [viewer, browser] = await Promise.all([startViewer("tissue", "--scale", "0.2", "--hand", "1"), startBrowser()]);
    page = await openPage(browser, viewer.url);
    await page.evaluate(() => window.dentView.stage.look(30, 15));
});
after(async () => {
    if (complete) assert.deepEqual(page.complaints, []);
    await browser.close();
    assert.equal((await viewer.stop()).code, 0);
});

// The lowest place of the probe, how far down the tissue is pressed in the middle, and the force, of the frame that is drawn.
const look = () => page.evaluate(() => {
    const { stage, hello, probeValues, hand, pairs, contacts } = window.dentView;
    const place = (body, i) => {
        const places = stage.bodies[body].mesh.geometry.getAttribute("position");
        return [places.getX(i), places.getY(i), places.getZ(i)].map((x, k) => x * hello.unit + hello.origin[k]);
    };
    const count = body => stage.bodies[body].mesh.geometry.getAttribute("position").count;
    const probe = Array.from({ length: count(1) }, (_, i) => place(1, i)), tissue = Array.from({ length: count(0) }, (_, i) => place(0, i));
    const middle = [0, 1, 2].map(k => (Math.min(...probe.map(p => p[k])) + Math.max(...probe.map(p => p[k]))) / 2);
    return { low: Math.min(...probe.map(p => p[2])), middle, highest: Math.max(...tissue.map(p => p[2])), tissue: tissue.map(p => p[2]), force: probeValues[0], arrow: hand.arrow.visible, pairs, contacts };
});
const onScreen = point => page.evaluate(point => {
    const { stage, hello } = window.dentView, box = stage.canvas.getBoundingClientRect();
    stage.camera.updateMatrixWorld();
    const place = new (stage.camera.position.constructor)(...point.map((x, k) => (x - hello.origin[k]) / hello.unit)).project(stage.camera);
    return [box.left + ((place.x + 1) / 2) * box.width, box.top + ((1 - place.y) / 2) * box.height];
}, point);
const pressed = (now, before) => Math.max(...now.tissue.map((z, i) => before.tissue[i] - z));

test("pressed into the tissue the probe dents it, feels it, and is never inside", async () => {
    await page.selectOption("#question", "face-face");
    await page.waitForFunction(() => window.dentView.pairs !== null);
    const before = await look(), [x, y] = await onScreen(before.middle), [, under] = await onScreen([0, 0, -0.03]);
    assert.ok(before.low > 0 && before.force.every(f => Math.abs(f) < 1e-6));
    await page.mouse.move(x, y);
    await page.mouse.down();
    const seen = [];
    for (let i = 1; i <= 12; i++) {
        await page.mouse.move(x, y + ((under - y) * i) / 12);
        await page.waitForTimeout(60);
        seen.push((await look()).pairs);
    }
    await page.waitForFunction(() => window.dentView.probeValues[0][2] > 1);
    for (let i = 0; i < 6; i++) {
        await page.waitForTimeout(60);
        seen.push((await look()).pairs);
    }
    const now = await look();
    assert.ok(now.arrow && now.contacts > 0);
    assert.ok(pressed(now, before) > 0.004, `the tissue gave way by ${pressed(now, before)} m`);
    assert.ok(now.low < -0.003, `the probe is at ${now.low} m`);
    assert.ok(seen.every(pairs => pairs === 0 || pairs === null), `faces that cross: ${seen}`);
    if (process.env.DENT_TISSUE_PICTURE) await page.screenshot({ path: process.env.DENT_TISSUE_PICTURE });
    await page.mouse.move(x, y - 40); // out again
    await page.waitForFunction(() => window.dentView.probeValues[0].every(f => Math.abs(f) < 1e-6));
    await page.mouse.up();
    const end = await look();
    assert.ok(end.low > 0 && !end.arrow);
});

test("the tissue comes back, and a restart makes everything as it was", async () => {
    await page.waitForFunction(() => {
        const { stage, hello } = window.dentView, places = stage.bodies[0].mesh.geometry.getAttribute("position");
        let near = 0;
        for (let i = 0; i < places.count; i++) near += Math.abs(places.getZ(i) * hello.unit + hello.origin[2]) < 1e-3;
        return near >= 20; // the upper side is flat again
    });
    for (let i = 0; i < 40; i++) await page.keyboard.press("ArrowDown");
    await page.waitForFunction(() => window.dentView.probeValues[0][2] > 1);
    await page.keyboard.press("Home");
    await page.waitForFunction(() => window.dentView.ready && window.dentView.probeValues[0].every(f => Math.abs(f) < 1e-6));
    assert.ok((await look()).low > 0);
    complete = true;
});
