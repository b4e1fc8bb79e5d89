// The data kit in a real browser, as a new user meets it: thirty meshes of a jaw, a shirt, a robot. DENT_VIEW_PICTURES names a folder
// for pictures of the pages, to be looked at.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { lookAtPixels, openPage, settled, startBrowser, startViewer } from "./support.mjs";

const kit = process.env.DENT_DATA && join(process.env.DENT_DATA, "meshes");
const options = { skip: !kit && "no DENT_DATA" };

let browser;
before(async () => (browser = await startBrowser()));
after(() => browser.close());

async function keep(page, name) {
    if (process.env.DENT_VIEW_PICTURES) await page.screenshot({ path: join(process.env.DENT_VIEW_PICTURES, `${name}.png`) });
}
// Drawn as it is at rest.
async function rest(page) {
    await settled(() => page.evaluate(() => window.dentView.drawn), 400);
}
async function end(viewer, page) {
    assert.deepEqual(page.complaints, []);
    await page.close();
    await viewer.stop();
    assert.equal(viewer.errors.split("\n").filter(line => line && !/^dent: (notice|note|hint):/.test(line)).join("\n"), "");
}

// How much of the middle of the picture differs from the background.
const middle = page => page.evaluate(() => {
    const { stage } = window.dentView;
    stage.draw();
    const gl = stage.renderer.getContext(), width = gl.drawingBufferWidth, height = gl.drawingBufferHeight, pixels = new Uint8Array(4 * width * height);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    const at = (x, y) => pixels.slice(4 * (y * width + x), 4 * (y * width + x) + 3), back = at(0, 0).join();
    let drawn = 0, seen = 0;
    for (let y = Math.floor(height / 4); y < (3 * height) / 4; y++) {
        for (let x = Math.floor(width / 4); x < (3 * width) / 4; x++) {
            seen++;
            drawn += at(x, y).join() !== back;
        }
    }
    return drawn / seen;
});

// How many pixels the cap of each body covers: by painting one cap after the other in a colour that nothing else has.
const capsSeen = page => page.evaluate(() => {
    const { stage } = window.dentView, gl = stage.renderer.getContext(), width = gl.drawingBufferWidth, height = gl.drawingBufferHeight, pixels = new Uint8Array(4 * width * height), seen = {};
    const { effects } = stage;
    stage.effects = false;
    stage.cutter.caps.forEach(({ cover }, i) => {
        const color = cover.material.color.clone();
        cover.material.color.setRGB(1, 0, 1);
        stage.draw();
        gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
        let count = 0;
        for (let at = 0; at < pixels.length; at += 4) count += pixels[at] > 250 && pixels[at + 1] < 5 && pixels[at + 2] > 250;
        seen[stage.bodies.findIndex(body => body.mesh.geometry === stage.cutter.caps[i].meshes[0].geometry)] = count;
        cover.material.color.copy(color);
    });
    stage.effects = effects;
    stage.draw();
    // Which solids the plane goes through: only they can have a cap.
    const { normal, constant } = stage.cutter.plane, crossed = stage.bodies.flatMap((body, i) => {
        const { array } = body.mesh.geometry.getAttribute("position"), { corners } = body;
        const beyond = vertex => normal.x * array[3 * vertex] + normal.y * array[3 * vertex + 1] + normal.z * array[3 * vertex + 2] + constant > 0;
        return body.closed && corners.some((vertex, k) => k % 3 > 0 && beyond(vertex) !== beyond(corners[k - (k % 3)])) ? [i] : [];
    });
    return { seen, crossed };
});

// All thirty in the long tier, else what there is of the last tooth, or the two parts of it that are deepest in each other.
test("of thirty meshes of a jaw the model is seen, and two clicks show the pair that is deepest", options, async t => {
    const folder = join(kit, "jaw-openmandible"), all = readdirSync(folder).filter(name => name.endsWith(".ele.xz"));
    const files = (process.env.DENT_LONG_TESTS ? all : all.filter(name => (process.env.DENT_QUICK_TESTS ? /L7_P/ : /L7/).test(name))).map(name => join(folder, name));
    assert.equal(all.length, 30);
    const viewer = await startViewer(...files), page = await openPage(browser, viewer.url);
    await page.waitForFunction(() => window.dentView.pending === false && window.dentView.bodyPairs.length > 0);
    await rest(page);
    await keep(page, "jaw_light");
    const facts = await page.evaluate(() => ({ verdict: document.getElementById("verdict").textContent, bodies: document.querySelectorAll("#bodies li").length, pairs: window.dentView.bodyPairs.map(pair => ({ bodies: [pair.a, pair.b], depth: pair.depth })), drawn: window.dentView.stage.glyphs.drawn, sent: window.dentView.stage.glyphs.frame.contactsSent }));
    t.diagnostic(JSON.stringify({ verdict: facts.verdict, pairs: facts.pairs.length, drawn: facts.drawn, sent: facts.sent }));
    assert.equal(facts.bodies, files.length);
    assert.match(facts.verdict, /^PENETRATING/);
    if (process.env.DENT_LONG_TESTS) assert.ok(facts.drawn < facts.sent / 4, `${facts.drawn} marks of ${facts.sent} contacts`);
    assert.ok((await lookAtPixels(page)).share > 0.1);

    await page.click("#pair-list li:first-child button"); // the first of the two
    await rest(page);
    await keep(page, "jaw_worst_pair");
    const shown = await page.evaluate(() => window.dentView.stage.bodies.flatMap((body, i) => (body.mesh.visible ? [i] : [])));
    const deepest = facts.pairs.reduce((best, pair) => (pair.depth > best.depth ? pair : best));
    t.diagnostic(`deepest ${JSON.stringify(deepest)}, shown ${shown}`);
    assert.deepEqual(shown, deepest.bodies.sort((a, b) => a - b));
    assert.ok((await middle(page)) > 0.3, "the pair fills the middle of the picture");
    await page.click("#pair-list li:first-child button");
    assert.equal(await page.evaluate(() => window.dentView.stage.bodies.filter(body => body.mesh.visible).length), files.length);

    await page.click("#cut-on");
    await rest(page);
    await keep(page, "jaw_cut");
    const { seen, crossed } = await capsSeen(page);
    t.diagnostic(`caps: pixels by body ${JSON.stringify(seen)}, the plane goes through ${crossed}`);
    assert.ok(crossed.length > 0);
    for (const [body, count] of Object.entries(seen)) assert.equal(count > 0, crossed.includes(Number(body)), `cap of body ${body}: ${count} pixels`);
    assert.ok(Math.max(...Object.values(seen)) > 200, JSON.stringify(seen));
    await page.click("#cut-on");
    await page.click("#theme");
    await rest(page);
    await keep(page, "jaw_dark");
    await page.setViewportSize({ width: 390, height: 844 });
    await rest(page);
    await keep(page, "jaw_phone");
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), true);
    assert.ok((await lookAtPixels(page)).share > 0.05);
    await page.setViewportSize({ width: 1200, height: 750 });
    await end(viewer, page);
});

test("a shirt of a series stands upright, also when its page is opened again", options, async () => {
    const viewer = await startViewer(join(kit, "cloth-diffcloth", "iter0.tar.xz")), page = await openPage(browser, viewer.url);
    assert.equal(await page.inputValue("#up"), "y"); // a guess: it is made of OBJ files
    await rest(page);
    await keep(page, "shirt");
    // y grows upwards in the picture
    const upward = one => one.evaluate(() => {
        const { camera, bounds } = window.dentView.stage, low = bounds.min.clone(), high = bounds.min.clone();
        high.y = bounds.max.y;
        camera.updateMatrixWorld();
        const [a, b] = [low.project(camera), high.project(camera)];
        return [b.x - a.x, b.y - a.y];
    });
    for (const one of [page, await openPage(browser, viewer.url)]) {
        const [across, up] = await upward(one);
        assert.ok(up > 0.3 && Math.abs(across) < 0.2 * up, `${across}, ${up}`);
        if (one !== page) await one.close();
    }
    await page.click("#play");
    await page.waitForFunction(() => window.dentView.frame > 3);
    await page.click("#play");
    await end(viewer, page);
});

test("the sliders of a real robot move its links, within their limits, and the verdict is that of dent check", options, async () => {
    const viewer = await startViewer(join(kit, "robot-ur5e", "ur5e.urdf")), page = await openPage(browser, viewer.url);
    const names = await page.$$eval("#joints li span", spans => spans.map(span => span.textContent)), elbow = names.indexOf("elbow_joint");
    const cut = await page.$$eval("#joints span", spans => spans.filter(span => span.scrollWidth > span.clientWidth).map(span => span.textContent));
    assert.deepEqual(cut, [], "names of joints are seen in full");
    assert.deepEqual(names, ["shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_1_joint", "wrist_2_joint", "wrist_3_joint"]);
    await page.waitForFunction(() => /^free/.test(document.getElementById("verdict").textContent));
    await rest(page);
    await keep(page, "robot");
    const slide = value => page.$eval(`#joint-${elbow}`, (slider, value) => { slider.value = value; slider.dispatchEvent(new Event("input")); }, String(value));
    await slide(3);
    await page.waitForFunction(() => /^PENETRATING/.test(document.getElementById("verdict").textContent));
    await page.waitForFunction(() => /upper_arm_link.*wrist_2_link/.test(document.getElementById("pair-list").textContent));
    await rest(page);
    await keep(page, "robot_folded");
    await slide(100); // the slider itself stops at the limit of the file
    await page.waitForFunction(elbow => Math.abs(window.dentView.hello.joints[elbow].value - Number(document.getElementById(`joint-${elbow}`).max)) < 1e-9, elbow); // the slider rounds
    await slide(0);
    await page.waitForFunction(() => /^free/.test(document.getElementById("verdict").textContent));
    await end(viewer, page);
});
