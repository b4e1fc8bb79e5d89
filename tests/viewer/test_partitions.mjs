// Partitions of space as structures: cells hold what they are said to hold; kinetic boxes bring a timeline of their events.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPage, startBrowser, startViewer } from "./support.mjs";

let viewer, browser, page, slabs;
before(async () => {
    [viewer, browser] = await Promise.all([startViewer("--prescribed", "teschner-c", "--scale", "0.2"), startBrowser()]);
    page = slabs = await openPage(browser, viewer.url);
});
after(async () => {
    assert.deepEqual(page.complaints, []);
    await browser.close();
    assert.equal((await viewer.stop()).code, 0);
});

// Boxes of a level as [lo, hi] of the page's coordinates: each is drawn as 12 edges.
async function boxes(name, level, page = slabs) {
    await page.selectOption("#structure", "none");
    await page.waitForFunction(() => window.dentView.boxes === 0);
    await page.locator("#structure-level").evaluate((bar, value) => {
        bar.max = 20;
        bar.value = value;
    }, level);
    await page.selectOption("#structure", name);
    await page.waitForFunction(() => window.dentView.boxes > 0);
    const places = await page.evaluate(() => [...window.dentView.stage.boxes.geometry.getAttribute("position").array]);
    assert.equal(places.length % 72, 0, `${name}: boxes`);
    return Array.from({ length: places.length / 72 }, (_, i) => [0, 1, 2].map(axis => {
        const along = Array.from({ length: 24 }, (_, k) => places[72 * i + 3 * k + axis]);
        return [Math.min(...along), Math.max(...along)];
    }));
}
const vertices = () => page.evaluate(() => [...window.dentView.stage.bodies[0].mesh.geometry.getAttribute("position").array]);
const holds = (box, x, y, z) => [x, y, z].every((place, axis) => place >= box[axis][0] - 1e-4 && place <= box[axis][1] + 1e-4);

test("the boxes of every partition hold the body", async () => {
    const places = await vertices();
    for (const name of ["loose-octree", "kd-tree", "packet-tree", "kinetic-tree"]) {
        for (const level of [0, 2, 20]) {
            const found = await boxes(name, level);
            let outside = 0;
            for (let i = 0; i < places.length; i += 3) outside += !found.some(box => holds(box, ...places.slice(i, i + 3)));
            // A loose cell is said to hold the middles of its faces, not all their corners.
            if (name !== "loose-octree" || level === 0) assert.equal(outside, 0, `${name}, level ${level}: ${outside} of ${places.length / 3} vertices are outside of ${found.length} boxes`);
            if (level === 20) assert.ok(found.length > 8, `${name}: ${found.length} boxes`);
        }
    }
    for (const name of ["dense-grid", "hash-grid", "hierarchical-grid"]) assert.ok((await boxes(name, 20)).length > 8, name);
});

test("cells of the BSP tree: those inside, at the surface, outside", async () => {
    const vessel = await startViewer("--prescribed", "teschner-d", "--scale", "0.1"), other = await openPage(browser, vessel.url), counts = []; // thick enough for cells inside
    for (const level of [0, 1, 2]) counts.push((await boxes("bsp", level, other)).length);
    assert.ok(counts[0] < counts[1] && counts[1] < counts[2], counts.join());
    assert.deepEqual(other.complaints, []);
    await other.close();
    await vessel.stop();
});

test("kinetic boxes have a timeline of events, which comes and goes with them", async () => {
    await boxes("kinetic-tree", 3);
    assert.ok(await page.isVisible("#events"));
    assert.match(await page.textContent("#events output"), /no motion yet/);
    let events = 0;
    for (let step = 0; step < 3; step++) {
        const before = await page.evaluate(() => window.dentView.frame);
        await page.click("#step");
        await page.waitForFunction(frame => window.dentView.frame > frame && window.dentView.events?.to > frame, before);
        events += await page.evaluate(() => window.dentView.events.bins.reduce((sum, bin) => sum + bin, 0));
    }
    assert.ok(events > 0, "something happens in three steps");
    const { from, to, bins } = await page.evaluate(() => window.dentView.events);
    assert.ok(to > from && bins.length === 64, `${from} to ${to}`);
    assert.match(await page.textContent("#events output"), new RegExp(`frame ${from} to ${to}: ${bins.reduce((sum, bin) => sum + bin, 0)} event`));
    const painted = await page.evaluate(() => {
        const canvas = document.querySelector("#events canvas"), data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        return data.filter((value, i) => i % 4 === 3 && value > 0).length;
    });
    assert.ok(painted > 20, `${painted} pixels`);
    await page.selectOption("#structure", "none");
    await page.waitForFunction(() => document.getElementById("events").hidden);
});
