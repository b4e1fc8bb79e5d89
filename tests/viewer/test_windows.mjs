// Several pages on one source, hidden pages, windows of any size, a graphics context that is lost: in a real browser.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { WAIT, lookAtPixels, openPage, settled, startBrowser, startViewer } from "./support.mjs";

let browser;
before(async () => (browser = await startBrowser()));
after(() => browser.close());

const wait = (page, expression, argument) => page.waitForFunction(expression, argument, { timeout: WAIT });

async function finish(viewer, ...pages) {
    for (const page of pages) {
        assert.deepEqual(page.complaints, []);
        await page.close();
    }
    assert.equal((await viewer.stop()).code, 0);
    assert.equal(viewer.errors, "");
}

test("what one page asks the other one shows", async () => {
    const viewer = await startViewer("--prescribed", "v-shapes", "--scale", "0.2", "--frame", "30");
    const [one, two] = [await openPage(browser, viewer.url), await openPage(browser, viewer.url)];
    await one.selectOption("#question", "face-face");
    await wait(two, () => document.getElementById("question").value === "face-face" && window.dentView.pairs !== null);
    await two.selectOption("#structure", "clusters");
    await two.locator("#structure-level").evaluate(bar => {
        bar.value = 1;
        bar.dispatchEvent(new Event("input"));
    });
    await two.selectOption("#structure-body", "1");
    await two.selectOption("#speed", "0.25");
    const agreed = () => ["structure", "structure-body", "structure-level", "speed"].map(id => document.getElementById(id).value).join() === "clusters,1,1,0.25";
    await wait(one, agreed);
    await wait(two, agreed);
    const three = await openPage(browser, viewer.url); // comes later and finds it so
    await wait(three, agreed);
    await wait(three, () => document.getElementById("question").value === "face-face" && window.dentView.boxes > 0);
    await one.selectOption("#question", "none");
    for (const page of [two, three]) await wait(page, () => document.getElementById("question").value === "none" && window.dentView.pairs === null);
    await finish(viewer, one, two, three);
});

test("a page that was hidden shows the present when it is seen again", async () => {
    const viewer = await startViewer("cloth-sphere", "--scale", "0.1"), page = await openPage(browser, viewer.url), watcher = await openPage(browser, viewer.url);
    await page.evaluate(() => {
        window.held = [];
        window.genuine = window.requestAnimationFrame;
        window.requestAnimationFrame = action => window.held.push(action); // as in a tab behind another one
    });
    const shown = who => who.evaluate(() => window.dentView.frame), goOn = frame => wait(watcher, from => window.dentView.frame > from + 4, frame);
    await goOn(await shown(page));
    const last = await settled(() => shown(page)); // a frame or two may have been on their way
    await goOn(last);
    assert.equal(await shown(page), last, "nothing is sent to a page that draws nothing");
    const now = await shown(watcher);
    await page.evaluate(() => {
        window.requestAnimationFrame = window.genuine;
        window.held.forEach(action => action(performance.now()));
    });
    await wait(page, frame => window.dentView.frame >= frame, now);
    await finish(viewer, page, watcher);
});

test("a frame is acknowledged when it was drawn, or a newer one in its place, and not when the newer one comes", async () => {
    const viewer = await startViewer("--prescribed", "v-shapes", "--scale", "0.2"), page = await browser.newPage();
    page.complaints = [];
    await page.addInitScript(() => {
        const send = WebSocket.prototype.send;
        window.said = [];
        WebSocket.prototype.send = function (text) {
            window.said.push(text);
            window.socket = this;
            return send.call(this, text);
        };
    });
    await page.goto(viewer.url);
    await wait(page, () => window.dentView?.ready && !window.dentView.pending && window.socket);
    await page.evaluate(() => {
        window.take = window.socket.onmessage;
        window.socket.onmessage = event => {
            if (new DataView(event.data).getUint32(0, true) === 3) window.last = event.data;
            window.take(event);
        };
    });
    await page.click("#step");
    await wait(page, () => window.last && window.dentView.frame === 1 && window.said.at(-1) === `ack ${window.dentView.sequence}`);
    const [held, drawn] = await page.evaluate(() => { // two more of them while nothing is drawn, as in a tab behind another one
        const genuine = window.requestAnimationFrame, actions = [], acknowledged = () => window.said.filter(text => text.startsWith("ack")).length;
        window.requestAnimationFrame = action => actions.push(action);
        const before = acknowledged();
        for (let i = 0; i < 2; i++) window.take({ data: window.last.slice(0) });
        const held = acknowledged() - before;
        window.requestAnimationFrame = genuine;
        actions.forEach(action => action(performance.now()));
        return [held, acknowledged() - before];
    });
    assert.deepEqual([held, drawn], [0, 2]);
    await finish(viewer, page);
});

test("windows of any size, and a graphics context that is lost and comes back", async () => {
    const viewer = await startViewer("--prescribed", "v-shapes", "--scale", "0.2"), page = await openPage(browser, viewer.url);
    const buffer = () => page.evaluate(() => [window.dentView.stage.renderer.getContext().drawingBufferWidth, window.dentView.stage.renderer.getContext().drawingBufferHeight]);
    for (const [width, height] of [[1, 1], [60, 900], [900, 60], [12000, 20]]) {
        const drawn = await page.evaluate(([w, h]) => { // as it was before: the picture may come at once
            document.getElementById("stage").style.cssText = `flex:none;width:${w}px;height:${h}px`;
            return window.dentView.drawn;
        }, [width, height]);
        await wait(page, before => window.dentView.drawn > before, drawn);
        assert.ok((await buffer()).every(x => x >= 1 && x <= 16384));
    }
    await page.evaluate(() => (document.getElementById("stage").style.cssText = ""));
    await page.setViewportSize({ width: 400, height: 300 });
    await wait(page, () => window.dentView.stage.camera.aspect > 0.5 && window.dentView.stage.camera.aspect < 4);
    await page.setViewportSize({ width: 1200, height: 750 });
    await page.evaluate(() => window.dentView.stage.renderer.forceContextLoss());
    await wait(page, () => window.dentView.stage.renderer.getContext().isContextLost());
    const drawn = await page.evaluate(() => window.dentView.drawn);
    await page.evaluate(() => window.dentView.stage.renderer.forceContextRestore());
    await wait(page, before => !window.dentView.stage.renderer.getContext().isContextLost() && window.dentView.drawn > before, drawn);
    assert.ok((await lookAtPixels(page)).share > 0.02);
    await finish(viewer, page);
});

test("where the processor draws, a large model is coarser while it plays and sharp when it stands", async () => {
    const viewer = await startViewer("--prescribed", "sheet-curved", "--scale", "0.05"), page = await openPage(browser, viewer.url);
    const facts = await page.evaluate(() => ({ software: window.dentView.stage.software, faces: window.dentView.stage.faceCount }));
    assert.ok(facts.software && facts.faces > 10000, JSON.stringify(facts));
    const width = () => page.evaluate(() => window.dentView.stage.renderer.getContext().drawingBufferWidth);
    await wait(page, () => !window.dentView.stage.draft);
    const sharp = await width();
    await page.click("#play");
    await wait(page, () => window.dentView.playing && window.dentView.stage.draft && window.dentView.frame > 1);
    assert.ok((await lookAtPixels(page)).share > 0.02);
    assert.ok((await width()) < 0.7 * sharp);
    await page.click("#play");
    await wait(page, () => !window.dentView.playing && !window.dentView.stage.draft);
    assert.equal(await width(), sharp);
    assert.ok((await lookAtPixels(page)).share > 0.02);
    await finish(viewer, page);
});

test("where the processor draws, pictures that take long are not taken for rest: shadows come when nothing has moved for a while", async () => {
    const viewer = await startViewer("--prescribed", "v-shapes", "--scale", "0.2"), page = await openPage(browser, viewer.url);
    await wait(page, () => !window.dentView.pending);
    const rich = await page.evaluate(() => {
        const { stage } = window.dentView, seen = [], render = stage.looks.render.bind(stage.looks);
        stage.looks.render = (scene, front, camera, how) => {
            seen.push(how !== null);
            render(scene, front, camera, how);
        };
        window.seen = seen;
        stage.lastDrawn = undefined;
        for (let i = 0; i < 3; i++) {
            stage.draw();
            for (const end = performance.now() + 600; performance.now() < end;); // as long as a large one may take
        }
        const { length } = seen;
        stage.invalidate();
        return seen.slice(0, length);
    });
    assert.deepEqual(rich, [true, false, false]);
    await wait(page, () => window.seen.at(-1));
    await finish(viewer, page);
});
