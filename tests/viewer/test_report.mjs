// `dent check --html` in a real browser without a network: the table, and the model in the 3-D view.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { startBrowser } from "./support.mjs";

let folder, browser, page, frame;
const requests = [];
before(async () => {
    folder = mkdtempSync(join(tmpdir(), "dent-report-"));
    const file = join(folder, "report.html");
    const run = spawnSync(process.env.DENT_TOOL, ["check", "v-shapes", "--prescribed", "--frame", "20", "--scale", "0.2", "--html", file], { encoding: "utf8" });
    assert.ok(run.status === 0 || run.status === 1, run.stderr);
    assert.ok(statSync(file).size < 8e6);
    browser = await startBrowser();
    await browser.setOffline(true);
    page = await browser.newPage();
    page.complaints = [];
    page.on("pageerror", error => page.complaints.push(String(error)));
    page.on("console", message => message.type() === "error" && page.complaints.push(message.text()));
    page.on("request", request => requests.push(request.url()));
    await page.goto(pathToFileURL(file).href);
    frame = page.frames().find(each => each !== page.mainFrame());
    await frame.waitForFunction(() => window.dentView?.ready);
});
after(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
});

test("the report asks for nothing but itself and complains about nothing", () => {
    assert.deepEqual(requests.filter(url => !/^(file|about|data|blob):/.test(url)), []);
    assert.deepEqual(page.complaints, []);
});

test("the verdict is that of the tool, and every pair has a row", async () => {
    const run = spawnSync(process.env.DENT_TOOL, ["check", "v-shapes", "--prescribed", "--frame", "20", "--scale", "0.2"], { encoding: "utf8" });
    assert.equal((await page.textContent("#verdict")).trim(), run.stdout.trim().split("\n").at(-1));
    assert.equal(await page.$$eval("#pairs tbody tr", rows => rows.length), Number(await page.$eval("#summary", each => Number(each.dataset.pairsPenetrating) + Number(each.dataset.pairsTouching))));
});

test("the model is drawn: the bodies are listed and the canvas is not empty", async () => {
    assert.ok((await frame.$$("#bodies li")).length >= 1);
    const colours = await frame.evaluate(() => {
        const canvas = document.getElementById("canvas");
        window.dentView.stage.renderer.render(window.dentView.stage.scene, window.dentView.stage.camera);
        const copy = Object.assign(document.createElement("canvas"), { width: 200, height: 150 });
        const pen = copy.getContext("2d");
        pen.drawImage(canvas, 0, 0, 200, 150);
        const bytes = pen.getImageData(0, 0, 200, 150).data, seen = new Set();
        for (let i = 0; i < bytes.length; i += 4) seen.add(`${bytes[i] >> 4},${bytes[i + 1] >> 4},${bytes[i + 2] >> 4}`);
        return seen.size;
    });
    assert.ok(colours > 5, `${colours} colours`);
});
