// The page in a real browser: what is drawn, shown and picked is what the library says.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { lookAtPixels, openPage, startBrowser, startViewer } from "./support.mjs";

const MODEL = ["--prescribed", "v-shapes", "--scale", "0.2", "--frame", "30"];
let viewer, browser, page;
before(async () => {
    [viewer, browser] = await Promise.all([startViewer(...MODEL), startBrowser()]);
    page = await openPage(browser, viewer.url);
});
after(async () => {
    assert.deepEqual(page.complaints, []);
    await browser.close();
    await viewer.stop();
    assert.equal(viewer.errors, "");
});

const see = expression => page.evaluate(expression);
const wait = (expression, argument) => page.waitForFunction(expression, argument);

test("the first frame is drawn, not only free of errors", async () => {
    const { colors, share } = await lookAtPixels(page);
    assert.ok(share > 0.02, `${share} of the picture is drawn on`);
    assert.ok(colors > 20, `${colors} colours: shaded bodies have many`);
    assert.equal(await page.textContent("#title"), "v-shapes");
    assert.equal(await page.locator("#bodies li").count(), await see(() => window.dentView.hello.bodies.length));
});

test("pairs shown are the library's", async () => {
    for (const question of ["vertex-cell", "face-cell", "face-face"]) {
        const counted = Number(execFileSync(process.env.DENT_TOOL, ["pairs", "--ask", question, "--count", ...MODEL.slice(1)], { encoding: "utf8" }).trim().split(/\s+/).at(-1));
        await page.selectOption("#question", question);
        await wait(expected => window.dentView.pairs === expected, counted);
        assert.equal(await page.textContent("#pair-count"), String(counted));
        assert.equal(counted > 0, (await see(() => window.dentView.markedFaces)) > 0);
    }
    await page.selectOption("#question", "none");
    await wait(() => window.dentView.pairs === null);
});

test("the contact count shown is the library's", async () => {
    const shown = await page.textContent("#contact-count"), known = await see(() => window.dentView.contacts);
    assert.equal(Number.parseInt(shown, 10), known);
    const vertices = Number(execFileSync(process.env.DENT_TOOL, ["pairs", "--ask", "vertex-cell", "--count", ...MODEL.slice(1)], { encoding: "utf8" }).trim().split(/\s+/).at(-1));
    assert.equal(known > 0, vertices > 0);
});

test("a click picks the element under it", async () => {
    const place = await see(() => {
        const { stage } = window.dentView, position = stage.bodies[0].mesh.geometry.getAttribute("position"), corners = stage.bodies[0].corners;
        const box = document.getElementById("canvas").getBoundingClientRect();
        for (let f = 0; f < corners.length / 3; f++) {
            const point = stage.camera.position.clone().set(0, 0, 0);
            for (let k = 0; k < 3; k++) point.add(stage.camera.position.clone().fromBufferAttribute(position, corners[3 * f + k]).divideScalar(3));
            const seen = point.clone().project(stage.camera), event = { clientX: box.left + ((seen.x + 1) / 2) * box.width, clientY: box.top + ((1 - seen.y) / 2) * box.height };
            const hit = stage.pick(event);
            if (hit && hit.body === 0 && hit.face === f) return { x: event.clientX, y: event.clientY, face: f };
        }
        return null;
    });
    assert.ok(place, "some face of body 0 can be seen");
    await page.mouse.click(place.x, place.y);
    await wait(() => window.dentView.note?.text);
    const note = await see(() => window.dentView.note);
    assert.equal(note.body, 0);
    assert.equal(note.face, place.face);
    assert.match(await page.textContent("#pick"), /cell \d+/);
});

test("play moves on, pause stops, step and scrub go where they say", async () => {
    const first = await see(() => window.dentView.frame);
    await page.focus("#canvas");
    await page.keyboard.press(" ");
    await wait(from => window.dentView.frame > from + 2, first);
    await page.keyboard.press(" ");
    await wait(() => window.dentView.playing === false);
    const stopped = await see(() => window.dentView.frame);
    await page.click("#step");
    await wait(from => window.dentView.frame === from + 1, stopped);
    await page.click("#step-back");
    await wait(from => window.dentView.frame === from, stopped);
    await page.locator("#scrub").evaluate(bar => {
        bar.value = 12;
        bar.dispatchEvent(new Event("input"));
    });
    await wait(() => window.dentView.frame === 12);
    assert.match(await page.textContent("#frame"), /^12 /);
});

test("the cut plane takes half of the picture away", async () => {
    const whole = (await lookAtPixels(page)).share;
    await page.keyboard.press("x");
    const half = (await lookAtPixels(page)).share;
    await page.keyboard.press("x");
    assert.ok(half < 0.95 * whole, `${half} of ${whole}`);
    assert.equal((await lookAtPixels(page)).share, whole);
});

test("hiding all bodies leaves the background, theme and help work by keyboard", async () => {
    await page.click("#show-none");
    await see(() => (window.dentView.stage.points.visible = window.dentView.stage.normals.visible = false));
    assert.equal((await lookAtPixels(page)).colors, 1);
    await page.click("#show-all");
    await page.focus("#canvas");
    const theme = await see(() => document.documentElement.dataset.theme);
    await page.keyboard.press("t");
    assert.notEqual(await see(() => document.documentElement.dataset.theme), theme);
    await page.keyboard.press("?");
    assert.ok(await page.isVisible("#help"));
    await page.keyboard.press("Escape");
    assert.ok(!(await page.isVisible("#help")));
});

test("structures are drawn level by level", async () => {
    const names = await see(() => window.dentView.hello.structures);
    assert.deepEqual(names, ["surface-tree", "clusters", "buckets", "hash-cells", "sphere-tree", "dop14-tree", "dop18-tree", "dense-grid", "hash-grid", "hierarchical-grid", "loose-octree", "kd-tree", "packet-tree", "bsp", "kinetic-tree"]);
    for (const name of names) {
        await page.locator("#structure-level").evaluate(bar => (bar.value = 0));
        await see(() => (window.dentView.boxes = -1));
        await page.selectOption("#structure", name);
        await wait(least => window.dentView.boxes >= least, name === "bsp" ? 0 : 1); // so small a body may have no cell that lies inside
        const roots = await see(() => window.dentView.boxes);
        await see(() => (window.dentView.boxes = -1));
        await page.locator("#structure-level").evaluate(bar => {
            bar.value = bar.max;
            bar.dispatchEvent(new Event("input"));
        });
        await wait(() => window.dentView.boxes > 0);
        assert.ok((await see(() => window.dentView.boxes)) >= roots, name);
    }
    await page.selectOption("#structure", "none");
    await wait(() => window.dentView.boxes === 0);
});

test("k-DOPs are drawn as the polytopes they are: the root's corners lie on the slabs round all vertices", async () => {
    const slanted = { "dop14-tree": [[1, 1, 1], [1, 1, -1], [1, -1, 1], [1, -1, -1]], "dop18-tree": [[1, 1, 0], [1, -1, 0], [1, 0, 1], [1, 0, -1], [0, 1, 1], [0, 1, -1]] };
    for (const [name, more] of Object.entries(slanted)) {
        await see(() => (window.dentView.boxes = -1));
        await page.locator("#structure-level").evaluate(bar => (bar.value = 0));
        await page.selectOption("#structure", name); // the one command that asks for shapes: they are those that come
        await wait(() => window.dentView.boxes === 1);
        const { corners, vertices } = await see(() => {
            const { stage, shared } = window.dentView;
            return { corners: [...stage.boxes.geometry.getAttribute("position").array], vertices: [...stage.bodies[shared.body].mesh.geometry.getAttribute("position").array] };
        });
        const along = (direction, numbers) => Array.from({ length: numbers.length / 3 }, (_, i) => direction.reduce((sum, part, k) => sum + part * numbers[3 * i + k], 0));
        const slabs = [[1, 0, 0], [0, 1, 0], [0, 0, 1], ...more].map(direction => ({ places: along(direction, corners), ends: [Math.min(...along(direction, vertices)), Math.max(...along(direction, vertices))] }));
        assert.ok(corners.length >= 6 * 12, `${corners.length / 6} edges`);
        const met = new Set();
        for (let i = 0; i < corners.length / 3; i++) {
            const on = slabs.flatMap(({ places, ends }, s) => ends.map((end, side) => [Math.abs(places[i] - end) < 1e-4, 2 * s + side])).filter(([close]) => close).map(([, plane]) => plane);
            assert.ok(on.length >= 3, `${name}: corner ${i} lies on ${on.length} planes`);
            assert.ok(slabs.every(({ places, ends }) => places[i] > ends[0] - 1e-4 && places[i] < ends[1] + 1e-4), `${name}: corner ${i} lies within all slabs`);
            on.forEach(plane => met.add(plane));
        }
        assert.equal(met.size, 2 * slabs.length, "every slab is touched");
    }
    await page.selectOption("#structure", "none");
    await wait(() => window.dentView.boxes === 0);
});

test("every control has a name for those who cannot see it", async () => {
    const nameless = await see(() => [...document.querySelectorAll("button, input, select")].filter(e =>
        !(e.getAttribute("aria-label") || e.title || e.textContent.trim() || e.closest("label"))).map(e => e.outerHTML));
    assert.deepEqual(nameless, []);
});

test("after a restart of the server at the same address the page goes on", async () => {
    const folder = mkdtempSync(join(tmpdir(), "dent-page-")), token = join(folder, "token");
    const first = await startViewer(...MODEL, "--token", token), port = new URL(first.url).port;
    const other = await openPage(browser, first.url);
    await first.stop();
    await other.waitForFunction(() => !window.dentView.connected);
    assert.match(await other.textContent("#connection"), /lost/);
    const second = await startViewer(...MODEL, "--port", port, "--token", token);
    await other.waitForFunction(() => window.dentView.connected && window.dentView.ready);
    const { share } = await lookAtPixels(other);
    assert.ok(share > 0.02, `${share} of the picture is drawn on`);
    await other.close();
    await second.stop();
    rmSync(folder, { recursive: true });
});
