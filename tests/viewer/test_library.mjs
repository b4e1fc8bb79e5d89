// dent_view from a caller's own loop (view_driver.c): what a page shows of it and says to it, and that the loop goes on whatever pages do.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPage, plainClient, startBrowser, startProgram } from "./support.mjs";

const quick = process.env.DENT_QUICK_TESTS === "1", STEPS = quick ? 1000 : 3000, SIDE = quick ? 30 : 70;
const driver = (...words) => startProgram(process.env.DENT_VIEW_DRIVER, ...words.map(String));
const result = ({ output }) => JSON.parse(output.trim().split("\n").at(-1));

let browser;
before(async () => (browser = await startBrowser()));
after(() => browser.close());

async function until(holds) {
    while (!(await holds())) await new Promise(resolve => setTimeout(resolve, 20));
}

// The loop has a number of steps to take, and takes them: time is told, not judged.
async function finish(viewer, t, what) {
    const { code } = await viewer.end(), seen = result(viewer);
    assert.equal(code, 0, viewer.errors);
    assert.equal(seen.updates, STEPS);
    t.diagnostic(`${what}: dent_view_update median ${seen.median_us} µs, p99 ${seen.p99_us} µs, longest ${seen.longest_us} µs; CPU time mean ${seen.cpu_us} µs, longest ${seen.longest_cpu_us} µs; ${seen.made} frames made, ${seen.drawn} drawn`);
    return seen;
}

test("without a page the loop takes all its steps and makes no frame", async t => {
    const { made } = await finish(await driver(STEPS, SIDE, 200), t, "no page");
    assert.equal(made, 0);
});

test("a page that acknowledges nothing, one that reads nothing and one that is killed leave the loop alone", async t => {
    const viewer = await driver(STEPS, SIDE, 500), silent = plainClient(viewer.url), deaf = plainClient(viewer.url), killed = plainClient(viewer.url);
    let frames = 0;
    silent.on("message", data => (frames += data.readUInt32LE(0) === 3));
    deaf.on("open", () => deaf._socket.pause());
    await new Promise(resolve => killed.once("message", resolve));
    killed.terminate();
    const { made } = await finish(viewer, t, "silent, deaf and killed");
    assert.ok(frames >= 1 && frames <= 2, `${frames} frames sent to a page that acknowledges none`);
    assert.ok(made < STEPS / 2, `${made} frames made for nobody`);
    silent.terminate();
    deaf.terminate();
});

test("a page that draws slowly gets frames, the newest ones, and the loop is not slowed", async t => {
    const viewer = await driver(STEPS, SIDE, 500), slow = plainClient(viewer.url), numbers = [];
    slow.on("message", data => {
        if (data.readUInt32LE(0) !== 3) return;
        numbers.push(data.readUInt32LE(72));
        setTimeout(() => slow.send(`ack ${data.readUInt32LE(4)}`), 100);
    });
    await finish(viewer, t, "slow page");
    assert.ok(numbers.length >= 3, `${numbers.length} frames`);
    assert.ok(numbers.every((number, i) => i === 0 || number > numbers[i - 1]), "frames in order");
    assert.ok(numbers.at(-1) - numbers[0] > 3 * numbers.length, `frames between are left out: ${numbers.length} of ${numbers.at(-1) - numbers[0]}`);
    slow.terminate();
});

test("a browser shows bodies, plots, markers and contacts of the world, and its texts", async t => {
    const viewer = await driver(1e6, 10, 1000, "contacts"), page = await openPage(browser, viewer.url);
    assert.equal(await page.textContent("#title"), "driver");
    assert.equal(await page.isVisible("#question-field"), false); // not offered
    assert.equal(await page.isVisible("#structure-part"), false);
    await page.waitForFunction(() => window.dentView.contacts > 0 && window.dentView.probeRows?.every(rows => rows > 3));
    const seen = await page.evaluate(() => {
        const { stage, hello, probeValues } = window.dentView, { markers } = stage;
        return { bodies: hello.bodies.map(body => body.name), plots: hello.probes.map(probe => [probe.name, probe.columns]), probeValues, unit: hello.lengthUnit,
            kinds: markers.list.map(marker => marker.kind), texts: markers.list.map(marker => marker.text), labels: !document.getElementById("labels").hidden,
            // where the marker is, in the world's coordinates
            middle: markers.list[0].a.map((x, axis) => x * hello.unit + hello.origin[axis]) };
    });
    assert.deepEqual(seen.bodies, ["lower", "upper"]);
    assert.deepEqual(seen.plots, [["height", 1], ["middle", 3]]);
    assert.equal(seen.unit, "m");
    assert.deepEqual(seen.kinds, [0, 1, 2]);
    assert.deepEqual(seen.texts, ["middle of the upper sheet", "", "µ"]);
    assert.ok(seen.labels);
    assert.ok(Math.abs(seen.middle[0] - 0.5) < 1e-6 && Math.abs(seen.middle[2] - seen.probeValues[0][0]) < 1e-6, `marker at ${seen.middle}, plot ${seen.probeValues}`);
    const inked = await page.evaluate(() => {
        const canvas = document.getElementById("labels"), { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        return data.filter((x, i) => i % 4 === 3 && x > 0).length;
    });
    assert.ok(inked > 100, `${inked} pixels of labels`);
    assert.deepEqual(page.complaints, []);
    await page.close();
    await viewer.stop();
});

test("pause, steps and drags of a page reach the loop; when the page goes it goes on", async () => {
    const viewer = await driver(1e6, 20, 1000), client = plainClient(viewer.url), times = [];
    client.on("message", data => {
        if (data.readUInt32LE(0) !== 3) return;
        times.push(data.readDoubleLE(8));
        client.send(`ack ${data.readUInt32LE(4)}`);
    });
    await until(() => times.length > 3);
    client.send("pause");
    const still = async () => {
        const before = times.length;
        await until(() => times.length > before + 5);
        return times.slice(-4).every(time => time === times.at(-1));
    };
    await until(still);
    const paused = times.at(-1);
    client.send("step 3");
    await until(() => times.at(-1) > paused);
    await until(still);
    assert.ok(Math.abs(times.at(-1) - paused - 0.03) < 1e-9, `${paused} and then ${times.at(-1)}`);
    client.send("grab 1 7 0.5 0.25 -0.125");
    await until(() => viewer.output.includes("event grab"));
    client.send("grab 9 7 0 0 0"); // there is no such body
    client.send("speed 2");
    client.send("restart");
    await until(() => viewer.output.includes("event restart"));
    const events = viewer.output.split("\n").filter(line => line.startsWith("event "));
    assert.deepEqual(events.map(line => line.split(" ")[1]), ["grab", "speed", "restart"]);
    assert.match(events[0], /^event grab 1 7 /);
    client.terminate();
    await until(() => viewer.output.includes("event release"));
    const other = plainClient(viewer.url), later = [];
    other.on("message", data => {
        if (data.readUInt32LE(0) !== 3) return;
        later.push(data.readDoubleLE(8));
        other.send(`ack ${data.readUInt32LE(4)}`);
    });
    await until(() => later.length > 10 && later.at(-1) > later[0]); // not paused any more
    other.terminate();
    await viewer.stop();
});

test("with queries a page asks for pairs, colours and structures of the world", async () => {
    const viewer = await driver(1e6, 20, 1000, "queries"), page = await openPage(browser, viewer.url);
    assert.ok(await page.isVisible("#question-field"));
    await page.selectOption("#question", "face-face");
    await page.waitForFunction(() => window.dentView.pairs > 0);
    await page.selectOption("#stress", "quality");
    await page.waitForFunction(() => window.dentView.stress > 0);
    await page.selectOption("#structure", "surface-tree");
    await page.waitForFunction(() => window.dentView.boxes > 0);
    assert.deepEqual(page.complaints, []);
    await page.close();
    await viewer.stop();
});

test("a browser page that is killed in the middle of it leaves the loop alone", async t => {
    const viewer = await driver(STEPS, SIDE, 500, "wait"), page = await openPage(browser, viewer.url);
    page.close({ runBeforeUnload: false });
    const seen = await finish(viewer, t, "browser page, killed");
    assert.ok(seen.made >= 1, `${seen.made} frames made`);
});
