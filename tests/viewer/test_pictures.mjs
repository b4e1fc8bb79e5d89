// Pictures of any size and videos, from the page: as large as asked for, with legends, and files that readers take.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPage, startBrowser, startViewer } from "./support.mjs";

let viewer, browser, page;
before(async () => {
    [viewer, browser] = await Promise.all([startViewer("--prescribed", "v-shapes", "--scale", "0.2", "--frame", "30"), startBrowser()]);
    page = await openPage(browser, viewer.url);
    await page.waitForFunction(() => window.dentView.pending === false);
});
after(async () => {
    assert.deepEqual(page.complaints, []);
    await browser.close();
    await viewer.stop();
});

// Size and number of colours of a picture; where it differs from the one without legends and axes.
const facts = (width, height) => page.evaluate(([width, height]) => {
    const read = overlay => window.dentView.takePicture(width, height, overlay).getContext("2d").getImageData(0, 0, width, height).data;
    const one = read(true), two = read(false), corner = { legend: 0, axes: 0 };
    let colors = new Set();
    for (let i = 0; i < one.length; i += 4) {
        if (i % 64 === 0) colors.add(`${two[i]},${two[i + 1]},${two[i + 2]}`);
        if (one[i] === two[i] && one[i + 1] === two[i + 1] && one[i + 2] === two[i + 2]) continue;
        const x = (i / 4) % width, y = Math.floor(i / 4 / width);
        if (x < width / 2 && y > height / 2) corner.legend++;
        if (x > width / 2 && y < height / 2) corner.axes++;
    }
    return { bytes: one.length, colors: colors.size, ...corner };
}, [width, height]);

test("a picture has the size asked for, larger than the window too, with a legend and axes", async () => {
    for (const [width, height] of [[300, 200], [4500, 900]]) {
        const { bytes, colors, legend, axes } = await facts(width, height);
        assert.equal(bytes, 4 * width * height);
        assert.ok(colors > 20, `${colors} colours`);
        assert.ok(legend > 500 && axes > 20, `${legend} pixels of legend, ${axes} of axes`);
    }
});

test("the form saves a PNG of that size, and the window is as before", async () => {
    const before = await page.evaluate(() => [window.dentView.stage.canvas.width, window.dentView.stage.canvas.height]);
    await page.click("#picture");
    await page.fill("#picture-width", "320");
    await page.fill("#picture-height", "240");
    const waiting = page.waitForEvent("download");
    await page.click("#picture-save");
    const download = await waiting, stream = await download.createReadStream(), parts = [];
    for await (const part of stream) parts.push(part);
    const bytes = Buffer.concat(parts);
    assert.match(download.suggestedFilename(), /^v-shapes_30\.png$/);
    assert.deepEqual([bytes.toString("latin1", 1, 4), bytes.readUInt32BE(16), bytes.readUInt32BE(20)], ["PNG", 320, 240]);
    assert.deepEqual(await page.evaluate(() => [window.dentView.stage.canvas.width, window.dentView.stage.canvas.height]), before);
});

test("a recorded video plays in a video element, as long as it was recorded", async () => {
    await page.click("#video");
    for (let i = 0; i < 4; i++) {
        const frame = await page.evaluate(() => window.dentView.frame);
        await page.click("#step");
        await page.waitForFunction(from => window.dentView.frame === from + 1, frame);
        await page.waitForTimeout(150);
    }
    const waiting = page.waitForEvent("download");
    await page.click("#video");
    const download = await waiting, stream = await download.createReadStream(), parts = [];
    for await (const part of stream) parts.push(part);
    const bytes = Buffer.concat(parts);
    assert.match(download.suggestedFilename(), /\.webm$/);
    assert.equal(bytes.readUInt32BE(0), 0x1a45dfa3);
    const other = await browser.newPage(); // without our content security policy
    const seen = await other.evaluate(async text => {
        const video = document.createElement("video"), bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
        video.src = URL.createObjectURL(new Blob([bytes], { type: "video/webm" }));
        await new Promise((resolve, reject) => ((video.onloadeddata = resolve), (video.onerror = () => reject(new Error(video.error.message)))));
        return { width: video.videoWidth, seconds: video.duration };
    }, bytes.toString("base64"));
    await other.close();
    assert.equal(seen.width, await page.evaluate(() => window.dentView.stage.canvas.clientWidth & ~1));
    assert.ok(seen.seconds > 0.5 && seen.seconds < 120, `${seen.seconds} s`);
});
