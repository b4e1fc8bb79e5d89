// A body dragged through a scene: by mouse, finger and keys. It slides along what it meets and never enters it; the force is drawn.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openPage, settled, startBrowser, startViewer } from "./support.mjs";

const box = (lo, hi) => {
    const corners = Array.from({ length: 8 }, (_, c) => [0, 1, 2].map(k => ((c >> k) & 1 ? hi[k] : lo[k])));
    const faces = [[1, 3, 4], [1, 4, 2], [5, 6, 8], [5, 8, 7], [1, 2, 6], [1, 6, 5], [3, 7, 8], [3, 8, 4], [1, 5, 7], [1, 7, 3], [2, 4, 8], [2, 8, 6]];
    return corners.map(c => `v ${c.join(" ")}\n`).join("") + faces.map(f => `f ${f.join(" ")}\n`).join("");
};

let folder, viewer, browser, page, complete = false;
before(async () => {
    folder = mkdtempSync(join(tmpdir(), "dent-hand-"));
    writeFileSync(join(folder, "table.obj"), box([-2, -2, -0.2], [2, 2, 0]));
    writeFileSync(join(folder, "cube.obj"), box([-0.3, -0.3, 0.5], [0.3, 0.3, 1.1]));
    [viewer, browser] = await Promise.all([startViewer(join(folder, "table.obj"), join(folder, "cube.obj"), "--hand", "1"), startBrowser()]);
    page = await openPage(browser, viewer.url);
    await page.evaluate(() => window.dentView.stage.look(30, 10)); // from the side: down in the picture is down
});
after(async () => {
    if (complete) assert.deepEqual(page.complaints, []);
    await browser.close();
    assert.equal((await viewer.stop()).code, 0);
    rmSync(folder, { recursive: true });
});

// Lowest point and middle of the cube, and the force, of the frame that is drawn.
const look = () => page.evaluate(() => {
    const { stage, hello, probeValues, hand, contacts } = window.dentView, places = stage.bodies[1].mesh.geometry.getAttribute("position"), lo = [9e9, 9e9, 9e9], hi = [-9e9, -9e9, -9e9];
    for (let i = 0; i < places.count; i++) {
        [places.getX(i), places.getY(i), places.getZ(i)].forEach((x, k) => {
            const real = x * hello.unit + hello.origin[k];
            lo[k] = Math.min(lo[k], real);
            hi[k] = Math.max(hi[k], real);
        });
    }
    return { lo, middle: lo.map((x, k) => (x + hi[k]) / 2), force: probeValues[0], length: probeValues[1][0], arrow: hand.arrow.visible, contacts };
});
const onScreen = point => page.evaluate(point => {
    const { stage, hello } = window.dentView, box = stage.canvas.getBoundingClientRect();
    stage.camera.updateMatrixWorld(); // as the next picture will have it
    const place = new (stage.camera.position.constructor)(...point.map((x, k) => (x - hello.origin[k]) / hello.unit)).project(stage.camera);
    return [box.left + ((place.x + 1) / 2) * box.width, box.top + ((1 - place.y) / 2) * box.height];
}, point);

// Where the plots of the force are in the window, and how wide shaft and head of the arrow are, in pixels.
const drawn = () => page.evaluate(() => {
    const { stage, hand } = window.dentView, eye = stage.camera.position.distanceTo(hand.arrow.position);
    const pixel = (2 * Math.tan((stage.camera.fov * Math.PI) / 360) * eye) / stage.canvas.clientHeight, [shaft, head] = hand.arrow.children.map(part => (2 * part.scale.x) / pixel);
    const plots = [...document.querySelectorAll("#probe-plots canvas")].map(canvas => canvas.getBoundingClientRect()).map(({ top, bottom }) => ({ top, bottom }));
    return { plots, window: innerHeight, shaft, head };
});

// Presses the mouse on the cube and leads it by so many pixels, in steps; looks after each.
async function drag(across, down, steps, each = async () => {}) {
    const [x, y] = await onScreen((await look()).middle);
    await page.mouse.move(x, y);
    await page.mouse.down();
    for (let i = 1; i <= steps; i++) {
        await page.mouse.move(x + (across * i) / steps, y + (down * i) / steps);
        await page.waitForTimeout(30);
        await each(await look());
    }
}

test("the model says which body follows, and plots are there for its force", async () => {
    const hello = await page.evaluate(() => window.dentView.hello);
    assert.deepEqual(hello.hand, { body: 1, stiffness: 1000 });
    assert.deepEqual(hello.probes.map(probe => probe.name), ["force on the hand", "its length"]);
    const now = await look();
    assert.deepEqual(now.force, [0, 0, 0]);
    assert.equal(now.arrow, false);
});

test("dragged into the table the cube stops on it, slides along it, and an arrow shows the force", async () => {
    const lows = [];
    const height = await page.evaluate(() => window.dentView.stage.canvas.clientHeight);
    await drag(0, 0.3 * height, 10, now => lows.push(now.lo[2]));
    await page.waitForFunction(() => window.dentView.probeValues[0][2] > 10);
    const pressed = await look();
    assert.ok(pressed.arrow && pressed.contacts > 0);
    assert.ok(pressed.length > 10);
    assert.ok(Math.hypot(pressed.force[0], pressed.force[1]) < 1e-3 * pressed.force[2], `force ${pressed.force}`);
    const [x, y] = await onScreen(pressed.middle);
    for (let i = 1; i <= 10; i++) {
        await page.mouse.move(x + 12 * i, y + 0.15 * height);
        await page.waitForTimeout(30);
        lows.push((await look()).lo[2]);
    }
    const slid = await look(), seen = await drawn();
    assert.ok(seen.plots.length === 2 && seen.plots.every(plot => plot.top >= 0 && plot.bottom <= seen.window), `plots that nobody sees: ${JSON.stringify(seen)}`);
    assert.ok(seen.shaft > 3 && seen.head > 2 * seen.shaft, `the arrow is ${seen.shaft} and ${seen.head} pixels wide`);
    assert.ok(Math.hypot(slid.middle[0] - pressed.middle[0], slid.middle[1] - pressed.middle[1]) > 0.1, "it slides");
    assert.ok(Math.min(...lows) > -1e-6, `the lowest place was ${Math.min(...lows)}`);
    if (process.env.DENT_HAND_PICTURE) await page.screenshot({ path: process.env.DENT_HAND_PICTURE });
    await page.mouse.up();
    await page.waitForFunction(() => window.dentView.probeValues[0].every(x => Math.abs(x) < 1e-6)); // let go: no force
    assert.equal((await look()).arrow, false);
    assert.ok(await page.evaluate(() => window.dentView.probeRows.every(rows => rows > 5)), "plotted over time");
});

test("a drag far below the table, at once, ends on it", async () => {
    const [x, y] = await onScreen((await look()).middle);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x, y + 400);
    await settled(async () => JSON.stringify((await look()).lo.map(v => v.toFixed(4))));
    const now = await look();
    assert.ok(now.lo[2] > -1e-6 && now.lo[2] < 0.01, `lowest at ${now.lo[2]}`);
    await page.mouse.up();
});

test("keys move and turn it", async () => {
    await page.mouse.move(5, 5);
    const before = await look();
    for (let i = 0; i < 8; i++) await page.keyboard.press("ArrowUp");
    await page.waitForFunction(z => {
        const places = window.dentView.stage.bodies[1].mesh.geometry.getAttribute("position");
        return Math.min(...Array.from({ length: places.count }, (_, i) => places.getZ(i))) * window.dentView.hello.unit + window.dentView.hello.origin[2] > z + 0.1;
    }, before.lo[2]);
    const raised = await look();
    assert.ok(Math.abs(raised.middle[0] - before.middle[0]) < 0.2);
    for (let i = 0; i < 6; i++) await page.keyboard.press(".");
    await page.waitForFunction(([x, y]) => {
        const { stage, hello } = window.dentView, places = stage.bodies[1].mesh.geometry.getAttribute("position");
        const low = Math.min(...Array.from({ length: places.count }, (_, i) => places.getX(i))) * hello.unit + hello.origin[0];
        return Math.abs(low - x) > 0.02;
    }, raised.lo);
    for (let i = 0; i < 60; i++) await page.keyboard.press("ArrowDown"); // far into the table
    await settled(async () => JSON.stringify((await look()).lo.map(v => v.toFixed(4))));
    const pressed = await look();
    assert.ok(pressed.lo[2] > -1e-6 && pressed.length > 10);
});

test("a finger drags it, too", async () => {
    await page.keyboard.press("Home"); // from the beginning
    await page.waitForFunction(() => window.dentView.ready && window.dentView.probeValues[0].every(x => Math.abs(x) < 1e-6));
    await settled(async () => JSON.stringify((await look()).lo.map(v => v.toFixed(4))));
    const session = await page.context().newCDPSession(page), [x, y] = await onScreen((await look()).middle);
    const touch = (type, points) => session.send("Input.dispatchTouchEvent", { type, touchPoints: points });
    await touch("touchStart", [{ x, y }]);
    for (let i = 1; i <= 12; i++) {
        await touch("touchMove", [{ x, y: y + 20 * i }]);
        await page.waitForTimeout(30);
    }
    await page.waitForFunction(() => window.dentView.probeValues[0][2] > 10);
    assert.ok((await look()).lo[2] > -1e-6);
    await touch("touchEnd", []);
    await page.waitForFunction(() => window.dentView.probeValues[0].every(x => Math.abs(x) < 1e-6));
});

test("a body that cannot follow is refused by name", () => {
    for (const [words, said] of [[["--hand", "2"], /--hand 2: the model has 2 bodies, 0 to 1/], [["--hand", "x"], /--hand/]]) {
        assert.throws(() => execFileSync(process.env.DENT_TOOL, ["view", "--no-browser", join(folder, "table.obj"), join(folder, "cube.obj"), ...words], { stdio: "pipe" }), error => {
            assert.equal(error.status, 2);
            assert.match(String(error.stderr), said);
            return true;
        });
    }
    complete = true;
});
