// Two measures, two names, in everything a user sees. Depth ("deepest", max_depth): the distance to the nearest surface, by dent check. Push:
// how far a contact has to be parted along its normal, with its error. A push that is hardly known sets no scale.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openPage, plainClient, startBrowser, startViewer } from "./support.mjs";

let folder;
before(() => (folder = mkdtempSync(join(tmpdir(), "dent-depths-"))));
after(() => rmSync(folder, { recursive: true, force: true }));

function dent(...words) {
    const { status, stdout, stderr } = spawnSync(process.env.DENT_TOOL, words, { encoding: "utf8", maxBuffer: 1 << 28 });
    assert.ok(status === 0 || status === 1, `dent ${words.join(" ")}: ${stderr}`);
    return stdout;
}

// A closed box as a surface, cut into n × n squares a side.
function box(name, [x, y, z], size, n = 1) {
    const numbers = new Map(), lines = [], vertex = (...place) => {
        const key = place.join();
        if (!numbers.has(key)) {
            numbers.set(key, numbers.size + 1);
            lines.push(`v ${x + (size * place[0]) / n} ${y + (size * place[1]) / n} ${z + (size * place[2]) / n}`);
        }
        return numbers.get(key);
    };
    const faces = [];
    for (let axis = 0; axis < 3; axis++) {
        for (const end of [0, n]) {
            for (let i = 0; i < n; i++) {
                for (let j = 0; j < n; j++) {
                    const corner = (u, v) => vertex(...[[end, u, v], [v, end, u], [u, v, end]][axis]);
                    const [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
                    faces.push(...(end === n ? [[a, b, c], [a, c, d]] : [[a, c, b], [a, d, c]]));
                }
            }
        }
    }
    const path = join(folder, name);
    writeFileSync(path, `${[...lines, ...faces.map(face => `f ${face.join(" ")}`)].join("\n")}\n`);
    return path;
}

// A table, a box pressed 0.125 into it, and a small box that another one has swallowed: 2 deep, but where to is a guess.
function makeModel() {
    return [box("table.obj", [0, 0, -16], 16, 4), box("pressed.obj", [5.1, 5.3, -0.125], 2, 2), box("eater.obj", [100, 0, 0], 10, 2), box("eaten.obj", [104, 4, 2.5], 0.5)];
}

// The first frame with its contacts that the server sends: { hello, push, error, uncertain, contacts: [{ push, error }] }.
async function firstFrame(url) {
    const socket = plainClient(url), seen = {}, shown = [];
    const done = await new Promise(resolve => socket.on("message", data => {
        const kind = data.readUInt32LE(0), text = () => JSON.parse(data.subarray(8).toString());
        if (kind === 1) seen.hello = text();
        if (kind === 2) shown[data.readUInt32LE(8)] = data.readUInt32LE(12);
        if (kind === 3 && (data.readUInt32LE(96) & 16) !== 0) socket.send(`ack ${data.readUInt32LE(4)}`); // contacts follow
        if (kind === 3 && (data.readUInt32LE(96) & 16) === 0) {
            const count = data.readUInt32LE(88), first = 120 + shown.reduce((sum, n) => sum + 12 * n, 0);
            const contacts = Array.from({ length: count }, (_, i) => ({ push: data.readFloatLE(first + 52 * i + 24), error: data.readFloatLE(first + 52 * i + 28) }));
            resolve({ ...seen, count: data.readUInt32LE(84), push: data.readDoubleLE(16), error: data.readDoubleLE(104), uncertain: data.readDoubleLE(112), contacts });
        }
    }));
    socket.terminate();
    return done;
}

// The same number, as far as it was printed with so many digits.
const same = (printed, exact, digits, where) => assert.equal(Number(printed), Number(exact.toPrecision(digits)), where);

// Text, JSON, picture file and the page's verdict have one depth; the scale of the contacts is their own.
async function compare(where, files) {
    const text = dent("check", ...files), lines = dent("check", "--json", ...files).trim().split("\n").map(JSON.parse), summary = lines.at(-1);
    assert.ok(summary.pairs_penetrating > 0, where);
    assert.equal(summary.max_depth, Math.max(...lines.slice(0, -1).map(line => line.max_depth)), where);
    same(/ penetrates?, deepest (\S+) at/.exec(text)[1], summary.max_depth, 6, where);
    const viewer = await startViewer(...files), frame = await firstFrame(viewer.url);
    same(/deepest (\S+)$/.exec(frame.hello.verdict)[1], summary.max_depth, 4, where);
    const overlapping = frame.contacts.filter(contact => contact.push > 0), certain = overlapping.filter(contact => contact.error <= contact.push / 2);
    const largest = list => Math.max(0, ...list.map(contact => contact.push)) * frame.hello.unit, near = (a, b) => Math.abs(a - b) <= 1e-6 * Math.abs(b);
    assert.ok(frame.contacts.length < frame.count || near(largest(certain.length > 0 ? certain : overlapping), frame.push), `${where}: ${frame.push}`);
    assert.ok(frame.contacts.length < frame.count || near(largest(overlapping.filter(contact => contact.error > contact.push / 2)), frame.uncertain), `${where}: ${frame.uncertain}`);
    assert.ok(certain.length === 0 || frame.error <= frame.push / 2, where);
    await viewer.stop();
    return { ...frame, depth: summary.max_depth };
}

test("a push that is a guess sets no scale, beside one that is known", async () => {
    const { push, error, uncertain, depth } = await compare("boxes", makeModel());
    assert.ok(Math.abs(push - 0.125) < 1e-9 && error < 1e-9, `push ${push} ± ${error}`);
    assert.ok(uncertain > 1, `uncertain ${uncertain}`);
    assert.ok(Math.abs(depth - 3) < 1e-9, `deepest ${depth}`); // where the box that is eaten is, that is a distance and no guess
});

test("text, JSON and page have one depth for built-in scenes", async () => {
    for (const [scene, frame] of [["teschner-a", "20"], ["teschner-b", "20"], ["v-shapes", "30"]]) {
        const place = join(folder, scene);
        mkdirSync(place);
        dent("export", "--prescribed", scene, place, "--frame", frame, "--scale", "0.3");
        await compare(scene, readdirSync(place).sort().map(name => join(place, name)));
    }
});

const jaw = process.env.DENT_DATA ? join(process.env.DENT_DATA, "meshes/jaw-openmandible") : "";
test("the jaw of the kit, which was 0.034 deep and 5.61 deep, has one depth, and a scale that is known", { skip: !process.env.DENT_DATA && "no DENT_DATA" }, async t => {
    const parts = ["CorticalBone", "Tooth_L1_PDL", "Tooth_L7_PDL", "Tooth_L7_Pulp"].map(part => join(jaw, `${part}.1.ele.xz`));
    const { push, error, uncertain, depth } = await compare("jaw", parts);
    t.diagnostic(`deepest ${depth}, largest push ${push} ± ${error}, uncertain up to ${uncertain}`);
    assert.ok(Math.abs(depth - 0.0340891) < 1e-6, `deepest ${depth}`);
    assert.ok(uncertain > 5, `uncertain up to ${uncertain}`); // bone and ligament lie on one another: the pair parts as a whole, by a guess
    assert.ok(push < 0.2 && error <= push / 2, `push ${push} ± ${error}`);
});

test("the page calls them by their names, and colours by what is known", async () => {
    const browser = await startBrowser(), viewer = await startViewer(...makeModel()), page = await openPage(browser, viewer.url);
    await page.waitForFunction(() => window.dentView.contacts > 0 && !window.dentView.pending);
    assert.match(await page.textContent("#verdict"), /deepest 3$/);
    const panel = await page.evaluate(() => [...document.querySelectorAll("#figures, #plots, #legend")].map(e => e.textContent).join(" "));
    assert.match(panel, /largest push/);
    assert.doesNotMatch(panel, /deep|depth|penetration/i);
    assert.equal(Number.parseFloat(await page.textContent("#push")), 0.125);
    assert.equal(Number.parseFloat(await page.textContent("#legend-end")), 0.125);
    assert.match(await page.textContent("#legend-uncertain"), /^grey: uncertain, up to [1-9]/);
    assert.ok(await page.isVisible("#legend-uncertain"));
    const { range, far, grey } = await page.evaluate(() => {
        const { stage } = window.dentView, { contacts, contactIds, contactsSent } = stage.glyphs.frame;
        const uncertain = Array.from({ length: contactsSent }, (_, i) => 13 * i).filter(at => contacts[at + 6] > stage.glyphs.range * 1.000001);
        stage.draw(); // as the page is now: a picture may still be due
        const far = stage.glyphs.drawn;
        // The box that is eaten is a few pixels wide in the whole model, where one mark stands for all its contacts: look from near.
        const sum = uncertain.reduce((at, k) => at.add({ x: contacts[k], y: contacts[k + 1], z: contacts[k + 2] }), stage.camera.position.clone().set(0, 0, 0));
        stage.approach(sum.divideScalar(uncertain.length), 0.2 / stage.unit); // so near that each has a mark of its own
        stage.draw();
        const color = stage.points.geometry.getAttribute("color"); // only now: more marks take another buffer
        let grey = 0;
        for (let i = 0; i < stage.glyphs.drawn; i++) grey += color.getX(i) === color.getY(i) && color.getY(i) === color.getZ(i);
        return { range: stage.glyphs.range * stage.unit, far, grey };
    });
    assert.ok(Math.abs(range - 0.125) < 1e-9, `colours up to ${range}`);
    assert.ok(far >= 2, `${far} contacts of the whole model`);
    assert.ok(grey >= 8, `${grey} grey contacts`);
    assert.deepEqual(page.complaints, []);
    await browser.close();
    await viewer.stop();
});
