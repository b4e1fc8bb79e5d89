// Reading a model of many bodies in a real browser: few marks, the worst pair in one click, caps, fields, names, axes, scale.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openPage, settled, startBrowser, startViewer } from "./support.mjs";

// A block of n × n × n cubes, each cut into six tetrahedra round a diagonal.
function block(path, [x, y, z], size, n) {
    const lines = ["MeshVersionFormatted 2", "Dimension 3", "Vertices", String((n + 1) ** 3)], cells = [], number = (i, j, k) => 1 + i + (n + 1) * (j + (n + 1) * k);
    for (let k = 0; k <= n; k++) for (let j = 0; j <= n; j++) for (let i = 0; i <= n; i++) lines.push(`${x + (size * i) / n} ${y + (size * j) / n} ${z + (size * k) / n} 0`);
    for (let k = 0; k < n; k++) for (let j = 0; j < n; j++) for (let i = 0; i < n; i++) {
        for (const [[a, b, c], even] of [[[0, 1, 2], true], [[0, 2, 1], false], [[1, 0, 2], false], [[1, 2, 0], true], [[2, 0, 1], true], [[2, 1, 0], false]]) {
            const at = [i, j, k], corners = [number(...at)];
            for (const axis of [a, b, c]) {
                at[axis]++;
                corners.push(number(...at));
            }
            cells.push(`${(even ? corners : [corners[1], corners[0], corners[2], corners[3]]).join(" ")} 0`);
        }
    }
    writeFileSync(path, `${[...lines, "Tetrahedra", String(cells.length), ...cells, "End"].join("\n")}\n`);
    return path;
}

let folder, files, viewer, browser, page;
before(async () => {
    folder = mkdtempSync(join(tmpdir(), "dent-reading-"));
    const file = name => join(folder, name);
    files = [block(file("a_long_name_that_ends_with_shallow.mesh"), [0, 0, 0], 1, 12), block(file("a_long_name_that_ends_with_base.mesh"), [0.98, 0.013, 0.017], 1, 12), block(file("a_long_name_that_ends_with_deep.mesh"), [1.03, 0.11, 0.8], 1, 5)];
    [viewer, browser] = await Promise.all([startViewer(...files), startBrowser()]);
    page = await openPage(browser, viewer.url);
    await page.waitForFunction(() => window.dentView.pending === false);
});
after(async () => {
    assert.deepEqual(page.complaints, []);
    await browser.close();
    await viewer.stop();
    assert.equal(viewer.errors, "");
    rmSync(folder, { recursive: true });
});
const see = (expression, argument) => page.evaluate(expression, argument);

test("the title is a name and not a path, and frames and seconds are told apart", async () => {
    assert.equal(await page.textContent("#title"), "a_long_name_that_ends_with_shallow and 2 more");
    assert.ok((await page.getAttribute("#title", "title")).startsWith(folder));
    assert.match(await page.textContent("footer"), /frame/);
});

test("names keep both ends", async () => {
    const ends = await see(() => [...document.querySelectorAll("#bodies .name")].map(name => {
        const end = name.querySelector(".end").getBoundingClientRect(), row = name.getBoundingClientRect();
        return { whole: name.textContent, seen: end.right <= row.right + 1 && end.width > 0 };
    }));
    assert.deepEqual(ends.map(({ whole, seen }) => [whole.endsWith("shallow") || whole.endsWith("base") || whole.endsWith("deep"), seen]), [[true, true], [true, true], [true, true]]);
});

test("forty bodies have colours that differ", async () => {
    const { bodyColor, colorDistance } = await import(new URL("../../apps/viewer/page/source/palette.js", import.meta.url));
    const colors = Array.from({ length: 40 }, (_, i) => bodyColor(i));
    const nearest = Math.min(...colors.flatMap((one, i) => colors.slice(i + 1).map(other => colorDistance(one, other))));
    assert.ok(nearest >= 0.04, `the two that are most alike differ by ${nearest}`); // the eight that were chosen by eye are that near
});

test("few marks are drawn far away, more near, and they are the deepest of their place", async () => {
    const few = await settled(() => see(() => window.dentView.stage.glyphs.drawn)), { sent, deepest } = await see(() => {
        const { stage } = window.dentView, { frame, range } = stage.glyphs;
        const pushes = Array.from({ length: frame.contactsSent }, (_, i) => frame.contacts[13 * i + 6]).filter(push => push <= 1.000001 * range);
        return { sent: frame.contactsSent, deepest: Math.max(...pushes) };
    });
    assert.ok(few > 3 && few < sent / 2, `${few} of ${sent}`);
    assert.ok(await see(expected => [...window.dentView.stage.points.geometry.getAttribute("ahead").array].slice(0, window.dentView.stage.glyphs.drawn).some(x => Math.abs(x - expected) < 1e-6 * expected), deepest));
    await page.focus("#canvas");
    for (let i = 0; i < 10; i++) await page.keyboard.press("+");
    await page.waitForFunction(few => window.dentView.stage.glyphs.drawn > few, few); // however long a picture takes
    await page.keyboard.press("f");
});

test("the first pair of the list is the deepest; a click shows it alone, the next one everything", async () => {
    const depths = await see(() => window.dentView.bodyPairs.map(pair => pair.depth)), first = await page.textContent("#pair-list li:first-child .two");
    assert.equal(depths.length, 2);
    assert.match(first, /base.*deep/);
    await page.click("#pair-list li:first-child button");
    assert.deepEqual(await see(() => window.dentView.stage.bodies.map(body => body.mesh.visible)), [false, true, true]);
    const drawn = await see(() => {
        const { stage } = window.dentView, { frame, filter } = stage.glyphs;
        return { pair: filter.pair, matching: stage.glyphs.matching, expected: Array.from({ length: frame.contactsSent }, (_, i) => [frame.contactIds[13 * i + 9], frame.contactIds[13 * i + 11]].sort().join()).filter(key => key === "1,2").length };
    });
    assert.deepEqual(drawn.pair, [1, 2]);
    assert.equal(drawn.matching, drawn.expected);
    await page.click("#pair-list li:first-child button");
    assert.deepEqual(await see(() => window.dentView.stage.bodies.map(body => body.mesh.visible)), [true, true, true]);
});

test("pairs can be sorted and found by name, and the least depth hides pairs and marks", async () => {
    await page.selectOption("#pair-sort", "name");
    assert.match(await page.textContent("#pair-list li:first-child .two"), /shallow.*base|base.*deep/);
    await page.fill("#pair-filter", "shall");
    assert.equal(await page.locator("#pair-list li").count(), 1);
    await page.fill("#pair-filter", "");
    await page.selectOption("#pair-sort", "depth");
    const all = await see(() => window.dentView.stage.glyphs.matching);
    await page.locator("#least").evaluate(bar => {
        bar.value = 50;
        bar.dispatchEvent(new Event("input"));
    });
    assert.ok((await see(() => window.dentView.stage.glyphs.matching)) < all);
    assert.equal(await page.locator("#pair-list li").count(), 1);
    await page.locator("#least").evaluate(bar => {
        bar.value = 0;
        bar.dispatchEvent(new Event("input"));
    });
});

test("volumes of pairs follow when the page has everything else, and order the list: those of dent check", async () => {
    const { stdout } = spawnSync(process.env.DENT_TOOL, ["check", "--json", ...files], { encoding: "utf8" });
    const expected = stdout.trim().split("\n").map(JSON.parse).filter(line => line.volume > 0).map(line => [line.body_a, line.body_b, line.volume]);
    assert.equal(expected.length, 2);
    await page.waitForFunction(() => window.dentView.bodyPairs.every(pair => pair.volume > 0));
    assert.deepEqual(await see(() => window.dentView.bodyPairs.map(pair => [pair.a, pair.b, pair.volume])), expected);
    await page.selectOption("#pair-sort", "volume");
    const [largest, other] = expected.sort((p, q) => q[2] - p[2]), title = `li:nth-child(1) button`;
    assert.deepEqual(await see(() => window.dentView.pairList.wanted().map(pair => [pair.a, pair.b])), [largest.slice(0, 2), other.slice(0, 2)]);
    assert.match(await page.getAttribute(`#pair-list ${title}`, "title"), /volume in common \S+ vol$/);
    assert.match(await page.textContent("#pair-list li:first-child .figures"), / vol$/);
    await page.selectOption("#pair-sort", "depth");
    const late = await openPage(browser, viewer.url); // has them at once
    await late.waitForFunction(() => window.dentView.bodyPairs.every(pair => pair.volume > 0));
    await late.close();
});

test("a click on a name shows that body alone, another click all", async () => {
    await page.locator("#bodies .name").nth(1).click();
    assert.deepEqual(await see(() => window.dentView.stage.bodies.map(body => body.mesh.visible)), [false, true, false]);
    await page.locator("#bodies .name").nth(1).click();
    assert.deepEqual(await see(() => window.dentView.stage.bodies.map(body => body.mesh.visible)), [true, true, true]);
});

// The colour of the picture in the middle of the window.
const middle = () => see(() => {
    const { stage } = window.dentView;
    stage.draw();
    const gl = stage.renderer.getContext(), pixel = new Uint8Array(4);
    gl.readPixels(gl.drawingBufferWidth / 2, gl.drawingBufferHeight / 2, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    return [...pixel].slice(0, 3);
});

test("the cut closes solids: a block cut in half shows its inside, not its back", async () => {
    await see(() => {
        document.getElementById("rich-on").click();
        document.getElementById("contacts-on").click();
    });
    await page.locator("#bodies .name").nth(0).click();
    await see(() => window.dentView.stage.setCut(true, 0, 0.2, false));
    await see(() => window.dentView.stage.placeCamera(window.dentView.stage.camera.position.clone().set(1, 0, 0)));
    const capped = await middle(), wanted = await see(() => {
        const color = window.dentView.stage.cutter.caps[0].cover.material.color.clone().convertLinearToSRGB();
        return [color.r, color.g, color.b].map(x => 255 * x);
    });
    assert.equal(await see(() => window.dentView.stage.cutter.caps.length), 1);
    assert.ok(capped.every((x, k) => Math.abs(x - wanted[k]) < 4), `${capped}, a cap is ${wanted}`);
    await see(() => window.dentView.stage.setCut(false, 0, 0.2, false));
    await page.locator("#bodies .name").nth(0).click();
    await see(() => {
        document.getElementById("rich-on").click();
        document.getElementById("contacts-on").click();
    });
});

test("fields: depth, distance, quality, inverted cells, with a legend", async () => {
    assert.deepEqual(await see(() => [...document.getElementById("stress").options].map(option => option.value)), ["none", "depth", "distance", "quality", "inverted"]);
    const ranges = {};
    for (const field of ["depth", "distance", "quality", "inverted"]) {
        await page.selectOption("#stress", field);
        await page.waitForFunction(name => window.dentView.shared.measure === name && window.dentView.stress !== null, field);
        await page.waitForFunction(() => !document.getElementById("stress-legend").hidden);
        ranges[field] = await settled(() => see(() => window.dentView.stage.stressRange));
    }
    assert.ok(ranges.depth > 0.1 && ranges.depth < 0.5, `depth ${ranges.depth}`);
    assert.ok(ranges.distance > 0.9 && ranges.distance < 1.05, `the far side of a block is about 1 away: ${ranges.distance}`);
    assert.ok(ranges.quality > 0.5 && ranges.quality <= 1, `quality ${ranges.quality}`);
    assert.equal(ranges.inverted, 0);
    await page.selectOption("#stress", "none");
    await page.waitForFunction(() => window.dentView.stress === null);
});

test("the axis that points up is kept for this model", async () => {
    await page.selectOption("#up", "y");
    assert.deepEqual(await see(() => window.dentView.stage.camera.up.toArray()), [0, 1, 0]);
    const again = await openPage(browser, viewer.url);
    assert.equal(await again.inputValue("#up"), "y");
    assert.deepEqual(await again.evaluate(() => window.dentView.stage.camera.up.toArray()), [0, 1, 0]);
    await again.close();
    await page.selectOption("#up", "z");
});

test("the scale bar is as long as it says, at the distance of what is looked at", async () => {
    const { scale, across } = await see(() => {
        const { stage, scale, hello } = window.dentView, right = stage.camera.position.clone().set(1, 0, 0).applyQuaternion(stage.camera.quaternion), from = stage.controls.target.clone().project(stage.camera);
        const to = stage.controls.target.clone().addScaledVector(right, scale.length / hello.unit).project(stage.camera);
        return { scale, across: ((to.x - from.x) / 2) * stage.canvas.clientWidth };
    });
    assert.ok(Math.abs(across - scale.pixels) < 0.5, `${across} pixels for ${scale.pixels}`);
    assert.match(String(scale.length), /^[125]|^0\.0*[125]/);
});
