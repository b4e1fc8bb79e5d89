// The path of a robot in the viewer, with the shape that its links sweep.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openPage, startBrowser, startViewer } from "./support.mjs";

let folder, viewer, browser, page, complete = false;
before(async () => {
    folder = mkdtempSync(join(tmpdir(), "dent-swept-"));
    execFileSync(process.env.DENT_TOOL, ["plan", "arm", "--scale", "0.1", "-o", join(folder, "path.pvd")], { stdio: "pipe" });
    [viewer, browser] = await Promise.all([startViewer(join(folder, "path.pvd")), startBrowser()]);
    page = await openPage(browser, viewer.url);
});
after(async () => {
    if (complete) assert.deepEqual(page.complaints, []);
    await browser.close();
    assert.equal((await viewer.stop()).code, 0);
    rmSync(folder, { recursive: true });
});

const names = () => page.evaluate(() => window.dentView.stage.bodies.map(body => body.name));
const copies = () => page.evaluate(() => window.dentView.stage.bodies.map((_, i) => window.dentView.stage.swept.tracks[i]?.copies.length ?? 0));
const frame = () => page.evaluate(() => window.dentView.frame);
async function step() {
    const now = await frame();
    await page.click("#step");
    await page.waitForFunction(before => window.dentView.frame !== before && window.dentView.ready, now);
}

test("nothing is left behind until it is asked for", async () => {
    await step();
    assert.ok((await copies()).every(count => count === 0));
});

test("links that move leave a copy for every frame, what stands still leaves none", async () => {
    await page.keyboard.press("m");
    assert.ok(await page.isChecked("#swept-on"));
    for (let i = 0; i < 5; i++) await step();
    const counts = await copies(), called = await names(), post = called.findIndex(name => /post/.test(name));
    assert.ok(post >= 0, `${called}`);
    assert.equal(counts[post], 0);
    assert.equal(Math.max(...counts), 6); // where it began, and five more
    const spread = await page.evaluate(() => {
        const { stage } = window.dentView, track = stage.swept.tracks.find(track => track?.copies.length === 6);
        return track.copies.map(copy => Array.from(copy.geometry.getAttribute("position").array).join()).filter((text, i, all) => all.indexOf(text) === i).length;
    });
    assert.equal(spread, 6, "each at a place of its own");
    if (process.env.DENT_SWEPT_PICTURE) {
        for (let i = 0; i < 80; i++) await step().catch(() => {});
        await page.screenshot({ path: process.env.DENT_SWEPT_PICTURE });
    }
});

test("the same frame again leaves nothing new, and a hidden body hides its copies", async () => {
    const before = await copies(), moving = before.findIndex(count => count > 0);
    await page.click("#play"); // and at once
    await page.click("#play");
    await page.evaluate(i => window.dentView.stage.setBody(i, { visible: false }), moving);
    assert.ok(await page.evaluate(i => window.dentView.stage.swept.tracks[i].copies.every(copy => !copy.visible), moving));
    await page.evaluate(i => window.dentView.stage.setBody(i, { visible: true }), moving);
    assert.ok(await page.evaluate(i => window.dentView.stage.swept.tracks[i].copies.every(copy => copy.visible), moving));
});

test("however many frames there are, at most 64 copies of a body are kept", async () => {
    const most = await page.evaluate(() => {
        const { stage } = window.dentView, index = stage.swept.tracks.findIndex(track => track?.copies.length > 0);
        const position = stage.bodies[index].mesh.geometry.getAttribute("position");
        let most = 0;
        for (let i = 0; i < 300; i++) {
            position.array[0] += 1e-3;
            stage.swept.show(stage.bodies);
            most = Math.max(most, stage.swept.tracks[index].copies.length);
        }
        return most;
    });
    assert.ok(most >= 60 && most <= 64, `${most}`);
});

test("switched off, the copies go; the address can ask for them", async () => {
    const objects = () => page.evaluate(() => window.dentView.stage.scene.children.length), with_ = await objects();
    await page.keyboard.press("m");
    assert.ok((await copies()).every(count => count === 0));
    assert.ok(await objects() < with_);
    const asked = await openPage(browser, `${viewer.url}#swept=1`);
    assert.ok(await asked.isChecked("#swept-on"));
    await asked.close();
    complete = true;
});
