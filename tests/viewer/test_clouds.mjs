// Clouds: discs that are seen, coloured by the other cloud's function, and the curve in which two clouds meet.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { lookAtPixels, openPage, startBrowser, startViewer } from "./support.mjs";

const POINTS = 3000, WORDS = 2;
let folder, viewer, browser, page;

// Even points of a unit sphere around (x, 0, 0), with normals in the second file.
function sphere(x, normals) {
    const lines = [];
    for (let i = 0; i < POINTS; i++) {
        const z = 1 - (2 * i + 1) / POINTS, across = Math.sqrt(1 - z * z), turn = 2.399963229728653 * i;
        const normal = [across * Math.cos(turn), across * Math.sin(turn), z], place = [normal[0] + x, normal[1], normal[2]];
        lines.push([...place, ...(normals ? normal : [])].join(" "));
    }
    return `${lines.join("\n")}\n`;
}

before(async () => {
    folder = mkdtempSync(join(tmpdir(), "dent-clouds-"));
    writeFileSync(join(folder, "left.xyz"), sphere(0, false));
    writeFileSync(join(folder, "right.xyz"), sphere(1, true));
    [viewer, browser] = await Promise.all([startViewer(join(folder, "left.xyz"), join(folder, "right.xyz")), startBrowser()]);
    page = await openPage(browser, viewer.url);
    await page.waitForFunction(() => window.dentView.clouds);
});
after(async () => {
    assert.deepEqual(page.complaints, []);
    await browser.close();
    const { code } = await viewer.stop();
    assert.equal(code, 0);
    assert.equal(viewer.errors, "");
    rmSync(folder, { recursive: true, force: true });
});

test("every point is a disc, all points of a cloud in one call", async () => {
    const { colors, share } = await lookAtPixels(page);
    assert.ok(share > 0.1, `${share} of the picture is not background`);
    assert.ok(colors > 50, `${colors} colours: discs are coloured and lit`);
    const facts = await page.evaluate(() => {
        const { stage } = window.dentView;
        stage.draw();
        return { calls: stage.renderer.info.render.calls, instances: stage.bodies.map(body => body.mesh.geometry.instanceCount), empty: document.getElementById("empty").hidden };
    });
    assert.deepEqual(facts.instances, Array(WORDS).fill(POINTS));
    assert.ok(facts.calls <= 8, `${facts.calls} calls`);
    assert.equal(facts.empty, true);
});

test("discs stand across the normals of their surface", async () => {
    const worst = await page.evaluate(() => {
        const { stage } = window.dentView, body = stage.bodies[0].mesh, facing = body.geometry.getAttribute("facing").array;
        const places = body.userData.places.array, middle = [0, 1, 2].map(axis => (axis === 0 ? -0.5 : 0) / window.dentView.hello.unit);
        let least = 1;
        for (let i = 0; i < places.length; i += 3) {
            const out = [0, 1, 2].map(axis => places[i + axis] - middle[axis]), size = Math.hypot(...out);
            least = Math.min(least, Math.abs(out[0] * facing[i] + out[1] * facing[i + 1] + out[2] * facing[i + 2]) / size);
        }
        return least;
    });
    assert.ok(worst > 0.95, `cosine ${worst}`);
});

test("values are the signed distance to the other sphere where they are defined", async () => {
    const facts = await page.evaluate(() => {
        const { stage, hello } = window.dentView, body = stage.bodies[0].mesh, values = body.geometry.getAttribute("facts").array, places = body.userData.places.array;
        let worst = 0, below = 0, above = 0, undefinedOnes = 0;
        for (let i = 0; i < places.length / 3; i++) {
            const value = values[2 * i + 1] * hello.unit, place = [0, 1, 2].map(axis => places[3 * i + axis] * hello.unit + hello.origin[axis]);
            if (value > 1e37) {
                undefinedOnes++;
                continue;
            }
            worst = Math.max(worst, Math.abs(value - (Math.hypot(place[0] - 1, place[1], place[2]) - 1)));
            if (value < 0) below++;
            else above++;
        }
        return { worst, below, above, undefinedOnes };
    });
    assert.ok(facts.worst < 0.02, JSON.stringify(facts));
    assert.ok(facts.below > 50 && facts.above > 50 && facts.undefinedOnes > 0, JSON.stringify(facts));
});

test("the curve is the circle in which the spheres meet, and figures say so", async () => {
    const facts = await page.evaluate(() => {
        const { stage, hello } = window.dentView, ends = stage.curve.userData.places.array, angles = [];
        let worst = 0;
        for (let i = 0; i < ends.length; i += 3) {
            const [x, y, z] = [0, 1, 2].map(axis => ends[i + axis] * hello.unit + hello.origin[axis]);
            worst = Math.max(worst, Math.abs(x - 0.5), Math.abs(Math.hypot(y, z) - Math.sqrt(0.75)));
            angles.push(Math.atan2(y, z));
        }
        angles.sort((a, b) => a - b);
        const gap = Math.max(...angles.map((angle, i) => (i > 0 ? angle - angles[i - 1] : angle + 2 * Math.PI - angles[angles.length - 1])));
        return { worst, gap, clouds: window.dentView.clouds, told: document.getElementById("cloud-answer").textContent, legend: document.getElementById("cloud-legend").hidden };
    });
    assert.ok(facts.worst < 0.01, `${facts.worst} off the circle`);
    assert.ok(facts.gap < 0.6, `a gap of ${facts.gap}`);
    assert.equal(facts.clouds.answer, "yes");
    assert.match(facts.told, /^yes, [0-9]+ points$/);
    assert.equal(facts.legend, false);
});

test("a picture that is saved has the legend of the distances", async () => {
    const seen = await page.evaluate(() => {
        const width = 900, height = 600, read = overlay => window.dentView.takePicture(width, height, overlay).getContext("2d").getImageData(0, height / 2, width / 2, height / 2).data;
        const one = read(true), two = read(false), drawn = new Set();
        for (let i = 0; i < one.length; i += 4) if (one[i] !== two[i] || one[i + 1] !== two[i + 1] || one[i + 2] !== two[i + 2]) drawn.add(`${one[i]},${one[i + 1]},${one[i + 2]}`);
        const bar = getComputedStyle(document.getElementById("cloud-bar")).backgroundImage.match(/\d+, \d+, \d+/g).map(color => color.replaceAll(" ", ""));
        const near = color => [...drawn].some(other => other.split(",").every((x, k) => Math.abs(x - color.split(",")[k]) <= 16)); // the ends of the bar are blended
        return { drawn: drawn.size, ends: [bar[0], bar[bar.length >> 1], bar.at(-1)], found: [bar[0], bar[bar.length >> 1], bar.at(-1)].map(near) };
    });
    assert.deepEqual(seen.ends, ["0,90,181", "245,245,240", "220,100,0"]); // inside, on and outside the other surface
    assert.deepEqual(seen.found, [true, true, true], JSON.stringify(seen));
});

test("a wireframe makes discs small, and a cut plane cuts them", async () => {
    const wide = (await lookAtPixels(page)).share;
    await page.evaluate(() => [0, 1].forEach(i => window.dentView.stage.setBody(i, { wireframe: true })));
    const thin = (await lookAtPixels(page)).share;
    await page.evaluate(() => [0, 1].forEach(i => window.dentView.stage.setBody(i, { wireframe: false })));
    assert.ok(thin < wide, `${thin} against ${wide}`);
    await page.check("#cut-on");
    const cut = (await lookAtPixels(page)).share;
    await page.uncheck("#cut-on");
    assert.ok(cut < 0.9 * wide, `${cut} against ${wide}`);
});
