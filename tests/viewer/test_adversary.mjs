// The page in a real browser against an adversary: connections cut at every moment, names that are HTML, models without size.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { WAIT, lookAtPixels, openPage, startBrowser, startViewer } from "./support.mjs";

let folder, browser;
before(async () => {
    folder = mkdtempSync(join(tmpdir(), "dent-adversary-"));
    browser = await startBrowser();
});
after(async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
});

const wait = (page, expression, argument) => page.waitForFunction(expression, argument, { timeout: WAIT });

function write(name, size = 1, at = 0) {
    const path = join(folder, name), end = at + size;
    writeFileSync(path, `v ${at} ${at} ${at}\nv ${end} ${at} ${at}\nv ${at} ${end} ${at}\nv ${at} ${at} ${end}\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n`);
    return path;
}

// Where on the screen a body, or any, can be clicked.
function placeOfBody(page, body) {
    return page.evaluate(body => {
        const { stage } = window.dentView, box = document.getElementById("canvas").getBoundingClientRect();
        for (let i = 1; i < 40; i++) {
            for (let j = 1; j < 40; j++) {
                const place = { clientX: box.left + (i / 40) * box.width, clientY: box.top + (j / 40) * box.height }, hit = stage.pick(place);
                if (hit && (body === undefined || hit.body === body)) return place;
            }
        }
        return null;
    }, body);
}

async function finish(viewer, ...pages) {
    for (const page of pages) {
        assert.deepEqual(page.complaints, []);
        await page.close();
    }
    assert.equal((await viewer.stop()).code, 0);
    assert.equal(viewer.errors, "");
}

// Stands between the page and the tool and cuts the n-th socket after cuts[n] bytes of the tool's answer; later ones live.
async function cuttingProxy(target, cuts) {
    const sockets = [], proxy = net.createServer(near => {
        const far = net.connect(target, "127.0.0.1");
        let left = Infinity, first = true;
        near.on("data", data => {
            if (first) {
                let text = data.toString("latin1");
                first = false;
                if (/^upgrade:/im.test(text)) left = cuts.shift() ?? Infinity;
                data = Buffer.from(text.replaceAll(`:${proxy.address().port}`, `:${target}`), "latin1");
            }
            far.write(data);
        });
        far.on("data", data => {
            near.write(data.subarray(0, Math.min(left, data.length)));
            if ((left -= data.length) <= 0) near.destroy(), far.destroy();
        });
        for (const [one, other] of [[near, far], [far, near]]) {
            one.on("close", () => other.destroy());
            one.on("error", () => {});
            sockets.push(one);
        }
    });
    await new Promise(resolve => proxy.listen(0, "127.0.0.1", resolve));
    proxy.end = () => (sockets.forEach(socket => socket.destroy()), proxy.close());
    return proxy;
}

test("a connection cut in the handshake, in hello, topology, frame or later is made again and the picture is whole", async () => {
    const viewer = await startViewer("--prescribed", "v-shapes", "--scale", "0.2", "--frame", "30", "--show", "question=face-cell"), address = new URL(viewer.url);
    const cuts = [1, 150, 200, 700, 3000, 9000, 20000], proxy = await cuttingProxy(Number(address.port), cuts);
    address.port = proxy.address().port;
    const page = await browser.newPage();
    page.complaints = [];
    page.on("pageerror", error => page.complaints.push(String(error)));
    await page.goto(address.href, { waitUntil: "commit" });
    await wait(page, () => window.dentView?.ready && window.dentView.pairs > 0);
    assert.equal(cuts.length, 0, "all cuts were made");
    assert.equal(await page.textContent("#connection"), "connected");
    assert.equal(await page.inputValue("#question"), "face-cell");
    assert.ok((await lookAtPixels(page)).share > 0.02);
    proxy.end();
    await wait(page, () => !window.dentView.connected && !window.dentView.ready);
    await finish(viewer, page);
});

test("names that are HTML stay text, and long ones stay in their place", async () => {
    const evil = "<img src=x onerror='window.stolen=1'><script>stolen=1<%script>".replace("%", ""), long = `${"very long name ".repeat(15)}.obj`;
    const viewer = await startViewer(write(`${evil}.obj`), write(long)), page = await openPage(browser, viewer.url);
    assert.match(await page.textContent("#title"), /onerror/);
    assert.match(await page.textContent("#bodies"), /onerror/);
    const place = await placeOfBody(page);
    await page.mouse.click(place.clientX, place.clientY);
    await wait(page, () => window.dentView.note?.text);
    assert.match(await page.textContent("#pick"), /^body \d: /);
    await page.selectOption("#structure", "surface-tree");
    await wait(page, () => window.dentView.boxes > 0);
    assert.equal(await page.evaluate(() => window.stolen), undefined);
    assert.equal(await page.locator("img, body script").count(), 0);
    const wide = await page.evaluate(() => [...document.querySelectorAll("header, aside, footer")].filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.outerHTML.slice(0, 40)));
    assert.deepEqual(wide, []);
    await finish(viewer, page);
});

test("a model is drawn alike whatever its size and place, and its numbers are its own", async () => {
    let first = null;
    for (const [size, at] of [[1, 0], [1e-100, 0], [1e100, 0], [0.001, 1e10]]) {
        const viewer = await startViewer("--show", "up=z", write("low.obj", size, at), write("high.obj", size, at + 0.125 * size)), page = await openPage(browser, viewer.url);
        await wait(page, () => window.dentView.contacts > 0 && !window.dentView.pending);
        const { share } = await lookAtPixels(page), worst = (await page.evaluate(() => window.dentView.push)) / size;
        const { span } = await page.evaluate(() => {
            const { stage } = window.dentView, p = stage.bodies[0].mesh.geometry.getAttribute("position").array, unit = stage.unit;
            return { span: [3, 7, 11].map(i => (p[i] - p[i % 3]) * unit) };
        });
        span.forEach(edge => assert.ok(Math.abs(edge / size - 1) < 0.01, `an edge of ${edge} at size ${size}`));
        first ??= { share, worst };
        assert.ok(share > 0.05 && Math.abs(share / first.share - 1) < 0.03, `${share} of the picture at size ${size}, ${first.share} at size 1`);
        assert.ok(Math.abs(worst / first.worst - 1) < 0.02, `largest push ${worst} at size ${size}, ${first.worst} at size 1`);
        const shown = await page.textContent("#push");
        assert.ok(Math.abs(Number.parseFloat(shown) / size / worst - 1) < 0.01, `largest push ${shown}`);
        const near = await page.evaluate(() => {
            const { stage } = window.dentView, gl = stage.renderer.getContext(), bytes = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);
            stage.setTheme(false);
            stage.draw();
            gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
            let found = 0;
            for (let i = 0; i < bytes.length; i += 4) found += Math.abs(bytes[i] - 8) + Math.abs(bytes[i + 1] - 29) + Math.abs(bytes[i + 2] - 88) < 6;
            return found;
        });
        assert.ok(near > 4, `${near} pixels have the colour that the legend has for the deepest`);
        const place = await placeOfBody(page, 0);
        await page.mouse.click(place.clientX, place.clientY);
        await wait(page, () => window.dentView.note?.text);
        const text = await page.evaluate(() => window.dentView.note.text), places = /^at (.*)$/m.exec(text)[1].split(", ").map(Number);
        places.forEach(x => assert.ok(x >= at - 1e-5 * size && x <= at + 1.126 * size, `${text} at size ${size}`));
        for (const [, push] of text.matchAll(/push (\S+)/g)) assert.ok(Math.abs(Number(push)) <= 1.01 * worst * size && Math.abs(Number(push)) > 1e-6 * size, text);
        await finish(viewer, page);
    }
});

test("models of no size, of 1e-200 and of 1e200 leave a page that works", async () => {
    for (const size of [0, 1e-200, 1e200]) {
        const viewer = await startViewer(write(`size${size}.obj`, size)), page = await openPage(browser, viewer.url);
        if (size > 0) assert.ok((await lookAtPixels(page)).share > 0.05, `something to be seen at ${size}`);
        await page.focus("#canvas");
        for (const key of ["f", "x", "Shift+ArrowLeft", "+", "j", "p", "w"]) await page.keyboard.press(key);
        const drawn = await page.evaluate(() => window.dentView.drawn);
        await page.keyboard.press("t");
        await wait(page, before => window.dentView.drawn > before, drawn);
        assert.ok(await page.evaluate(() => window.dentView.stage.camera.position.toArray().every(Number.isFinite)), `a camera somewhere at ${size}`);
        await finish(viewer, page);
    }
});
