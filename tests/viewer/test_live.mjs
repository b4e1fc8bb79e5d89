// A live simulation in a real browser: it runs by itself, can be held, dragged and started again; a slow page is not left behind.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPage, plainClient, settled, startBrowser, startViewer, WAIT } from "./support.mjs";

let viewer, browser, page;
before(async () => {
    [viewer, browser] = await Promise.all([startViewer("cloth-sphere", "--scale", "0.2"), startBrowser()]);
    page = await openPage(browser, viewer.url);
});
after(async () => {
    assert.deepEqual(page.complaints, []);
    await browser.close();
    const { code } = await viewer.stop();
    assert.equal(code, 0);
    assert.equal(viewer.errors, "");
});

const see = expression => page.evaluate(expression);
const wait = (expression, argument) => page.waitForFunction(expression, argument);

test("it runs by itself, its time goes on, and contacts appear", async () => {
    assert.equal(await see(() => window.dentView.hello.live), true);
    const first = await see(() => window.dentView.time);
    await wait(time => window.dentView.time > time + 0.1, first);
    await wait(() => window.dentView.contacts > 0);
    await page.waitForFunction(() => Number.parseInt(document.getElementById("contact-count").textContent, 10) === window.dentView.contacts);
});

test("pause holds it and a step is one frame", async () => {
    await page.click("#play");
    await wait(() => window.dentView.playing === false);
    const held = await settled(() => see(() => window.dentView.frame));
    await page.click("#step");
    await wait(frame => window.dentView.frame === frame + 1, held);
});

test("a vertex follows the mouse while it is dragged", async () => {
    const start = await see(() => {
        const { stage } = window.dentView, box = document.getElementById("canvas").getBoundingClientRect();
        for (let body = 0; body < stage.bodies.length; body++) {
            if (window.dentView.hello.bodies[body].kind !== "cloth") continue;
            for (let i = 1; i < 40; i++) {
                for (let j = 1; j < 40; j++) {
                    const event = { clientX: box.left + (i / 40) * box.width, clientY: box.top + (j / 40) * box.height }, hit = stage.pick(event);
                    if (hit?.body === body) return { ...event, body, vertex: hit.vertex };
                }
            }
        }
        return null;
    });
    assert.ok(start, "some cloth can be seen");
    const place = () => see(`(() => { const body = window.dentView.stage.bodies[${start.body}], i = body.numbers.indexOf(${start.vertex}), p = body.mesh.geometry.getAttribute("position"); return [p.getX(i), p.getY(i), p.getZ(i)]; })()`);
    const before = await place();
    await page.keyboard.down("Shift");
    await page.mouse.move(start.clientX, start.clientY);
    await page.mouse.down();
    await page.mouse.move(start.clientX + 20, start.clientY - 120, { steps: 8 });
    const from = await see(() => window.dentView.frame);
    for (let i = 0; i < 4; i++) await page.evaluate(() => document.getElementById("step").click());
    await wait(frame => window.dentView.frame >= frame + 4, from);
    const after = await place(), moved = Math.hypot(...after.map((x, k) => x - before[k]));
    await page.mouse.up();
    await page.keyboard.up("Shift");
    const size = await see(() => window.dentView.stage.bounds.getSize(window.dentView.stage.camera.position.clone()).length());
    assert.ok(moved > 0.02 * size, `moved ${moved} of ${size}`);
});

test("the sphere tree is drawn anew at every step, also of a scene that began again", async () => {
    const drawnAfter = async button => {
        await see(() => (window.dentView.boxes = -1));
        await page.click(button);
        await wait(() => window.dentView.boxes > 0);
        return see(() => window.dentView.boxes);
    };
    await see(() => (window.dentView.boxes = -1));
    await page.selectOption("#structure", "sphere-tree");
    await wait(() => window.dentView.boxes > 0);
    const count = await see(() => window.dentView.boxes);
    for (const button of ["#step", "#step", "#restart", "#step"]) assert.equal(await drawnAfter(button), count);
    await page.selectOption("#structure", "none");
    await wait(() => window.dentView.boxes === 0);
});

test("restart begins at frame 0 again", async () => {
    await page.click("#restart");
    await wait(() => window.dentView.frame <= 2);
    await page.click("#play");
    await wait(() => window.dentView.frame > 3);
});

test("a client that takes 100 ms for a frame gets fresh ones, and the simulation does not wait for it", async () => {
    // A second client that acknowledges at once tells what is new. Both live in this program, so a busy machine delays both alike: what the slow one
    // gets may lag by what was under way, not by what a queue would have kept for it.
    const [fast, slow] = [plainClient(viewer.url), plainClient(viewer.url)], lags = [], frames = [];
    const gather = (socket, taken) => socket.on("message", data => {
        if (data.readUInt32LE(0) === 3) taken(data.readUInt32LE(72), () => socket.readyState === 1 && socket.send(`ack ${data.readUInt32LE(4)}`));
    });
    let newest = 0, taken = 0;
    gather(fast, (frame, acknowledge) => {
        newest = frame;
        taken++;
        acknowledge();
    });
    gather(slow, (frame, acknowledge) => {
        frames.push(frame);
        lags.push(newest - frame);
        setTimeout(acknowledge, 100);
    });
    for (const end = Date.now() + WAIT; frames.length < 20 && Date.now() < end;) await new Promise(resolve => setTimeout(resolve, 50));
    fast.terminate();
    slow.terminate();
    assert.ok(frames.length >= 20, `${frames.length} frames`);
    assert.ok(taken >= frames.length, `${taken} frames for the fast client, ${frames.length} for the slow one`);
    const middle = [...lags].sort((a, b) => a - b)[Math.floor(lags.length / 2)];
    assert.ok(middle <= 3, `${middle} frames behind the fast client`);
    assert.ok(frames.every((frame, i) => i === 0 || frame >= frames[i - 1] || frame < 3), "never back in time");
});
