// Recordings and series, good and broken, and pages that go away: what a page asks for must not end the tool. No browser needed.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { outcome, plainClient, settled, startViewer, WAIT } from "./support.mjs";

const HELLO = 1, TOPOLOGY = 2, FRAME = 3, BOXES = 4, NOTE = 5, STATE = 6;
const nap = ms => new Promise(resolve => setTimeout(resolve, ms));
const viewers = [];
let folder;
before(() => {
    folder = mkdtempSync(join(tmpdir(), "dent-sources-"));
    execFileSync(process.env.DENT_TOOL, ["run", "cloth-sphere", "--scale", "0.1", "--frames", "3", "-o", join(folder, "run.pvd")], { stdio: "ignore" });
});
after(() => {
    for (const viewer of viewers) viewer.child.kill("SIGKILL"); // of tests that failed; the others have ended
    rmSync(folder, { recursive: true, force: true });
});

async function watch(...words) {
    viewers.push(await startViewer(...words));
    return viewers.at(-1);
}

// A page that draws at once: frame(), note() wait for the next one that satisfies a condition.
async function visit(url) {
    const socket = plainClient(url), seen = [], page = { socket, shown: [], say: words => socket.send(words) };
    let check = () => {};
    socket.on("message", data => {
        const kind = data.readUInt32LE(0);
        if (kind === FRAME) {
            seen.push({ kind, frame: data.readUInt32LE(72), count: data.readUInt32LE(76), contacts: data.readUInt32LE(84), playing: (data.readUInt32LE(96) & 1) !== 0, positions: data.subarray(120) });
            page.newest = seen.at(-1);
            socket.send(`ack ${data.readUInt32LE(4)}`);
        } else if (kind === HELLO) {
            page.hello = JSON.parse(data.subarray(8).toString());
        } else if (kind === TOPOLOGY) {
            page.shown[data.readUInt32LE(8)] = data.readUInt32LE(12);
        } else if (kind === STATE) {
            page.state = JSON.parse(data.subarray(8).toString());
        } else if (kind === NOTE) {
            seen.push({ kind, ...JSON.parse(data.subarray(8).toString()) });
        }
        check();
    });
    assert.equal(await outcome(socket), "open");
    const next = (kind, good) => new Promise((resolve, reject) => {
        const late = setTimeout(() => reject(new Error(`nothing like ${good} came`)), WAIT);
        check = () => {
            const at = seen.findIndex(message => message.kind === kind && good(message));
            if (at >= 0) {
                clearTimeout(late);
                resolve(seen.splice(0, at + 1).at(-1));
            }
        };
        check();
    });
    page.frame = (good = () => true) => next(FRAME, good);
    page.note = (good = () => true) => next(NOTE, good);
    return page;
}

async function finish(viewer) {
    assert.equal((await viewer.stop()).code, 0);
}

function collection(name, frames) {
    const rows = frames.flatMap((files, time) => files.map(file => `<DataSet timestep="${time}" part="0" file="${file}"/>`));
    writeFileSync(join(folder, name), `<?xml version="1.0"?>\n<VTKFile type="Collection" version="1.0"><Collection>\n${rows.join("\n")}\n</Collection></VTKFile>\n`);
    return join(folder, name);
}

function tetrahedron(name, height) {
    writeFileSync(join(folder, name), `v 0 0 ${height}\nv 1 0 0\nv 0 1 0\nv 0 0 -1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n`);
    return name;
}

test("a recording is sought through and its bodies keep their names", async () => {
    const viewer = await watch(join(folder, "run.pvd")), page = await visit(viewer.url);
    const names = readFileSync(join(folder, "run_frames", "bodies.txt"), "utf8").trim().split("\n").map(line => line.split("\t")[1]);
    await page.frame();
    assert.ok(names.length > 1);
    assert.deepEqual(page.hello.bodies.map(body => body.name).sort(), [...names].sort());
    for (const frame of [1, 3, 0, 2, 3]) {
        page.say(`seek ${frame}`);
        await page.frame(message => message.frame === frame);
        page.say("pick 0 0");
        assert.ok((await page.note()).text.startsWith(`body 0: ${page.hello.bodies[0].name}`));
    }
    await finish(viewer);
    assert.equal(viewer.errors, "");
});

test("a frame without its file, with more or with fewer bodies is told, and the others can still be seen", async () => {
    const [a, b] = [tetrahedron("a.obj", 0.5), tetrahedron("b.obj", 0.7)];
    const viewer = await watch(collection("broken.pvd", [[a, b], [b, "missing.obj"], [b], [a, b, a], [b, a]])), page = await visit(viewer.url);
    for (const frame of [1, 2, 3]) {
        page.say(`seek ${frame}`);
        assert.match((await page.note()).trouble, /missing\.obj|fewer bodies|more bodies/);
        page.say("pick 1 0");
        assert.equal((await page.note(note => note.body === 1)).face, 0);
    }
    page.say("seek 4");
    await page.frame(message => message.frame === 4);
    await finish(viewer);
    assert.match(viewer.errors, /missing\.obj.*\n.*fewer bodies.*\n.*more bodies/);
});

test("contacts of a frame are not those of the frame before", async () => {
    const contacts = readFileSync(join(folder, "run.pvd"), "utf8").match(/file="([^"]*contacts\.vtp)"/)[1];
    const point = "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\"><PolyData><Piece NumberOfPoints=\"1\"><Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"appended\" offset=\"0\"/></Points></Piece></PolyData><AppendedData encoding=\"raw\">_";
    const bytes = Buffer.alloc(8 + 24);
    bytes.writeBigUInt64LE(24n, 0);
    writeFileSync(join(folder, "one_contacts.vtp"), Buffer.concat([Buffer.from(point), bytes, Buffer.from("</AppendedData></VTKFile>")]));
    assert.ok(existsSync(join(folder, contacts)));
    const a = tetrahedron("a.obj", 0.5), viewer = await watch(collection("contacts.pvd", [[a, "one_contacts.vtp"], [a]])), page = await visit(viewer.url);
    assert.equal((await page.frame()).contacts, 1);
    page.say("seek 1");
    assert.equal((await page.frame(message => message.frame === 1)).contacts, 0);
    await finish(viewer);
});

test("a series goes on behind a broken file", async () => {
    mkdirSync(join(folder, "series"));
    for (const i of [0, 1, 3]) tetrahedron(`series/f${i}.obj`, 0.3 * i);
    writeFileSync(join(folder, "series/f2.obj"), "f 1 2 9\n");
    const viewer = await watch(join(folder, "series")), page = await visit(viewer.url);
    page.say("seek 2");
    assert.match((await page.note()).trouble, /not possible/);
    for (const frame of [3, 1]) {
        page.say(`seek ${frame}`);
        await page.frame(message => message.frame === frame);
        page.say("pick 0 0");
        assert.match((await page.note(note => note.body === 0)).text, new RegExp(`^body 0: f${frame}\n`));
    }
    await finish(viewer);
});

test("a page that goes away lets go of what it dragged; another one's release does not", async () => {
    const viewer = await watch("cloth-sphere", "--scale", "0.1"), [page, other] = [await visit(viewer.url), await visit(viewer.url)];
    page.say("pause");
    await other.frame(message => !message.playing);
    const cloth = other.hello.bodies.findIndex(body => body.kind === "cloth"), first = other.shown.slice(0, cloth).reduce((sum, count) => sum + 12 * count, 0);
    const place = frame => [0, 4, 8].map(at => frame.positions.readFloatLE(first + at));
    // Where the first vertex of the cloth is after so many steps.
    const after = async steps => {
        const { frame } = other.newest;
        other.say(`step ${steps}`);
        return place(await other.frame(message => message.frame === frame + steps));
    };
    const away = (x, y) => Math.hypot(...x.map((value, k) => value - y[k]));
    // Commands of one page are obeyed in order: its answer says that those before it are done.
    const obeyed = async who => {
        who.say("pick 0 0");
        await who.note(note => note.body === 0);
    };
    const start = await after(1), target = start.map((x, k) => x + [0, 0, 0.05][k]);
    page.say(`grab ${cloth} 0 ${target.map(x => x.toFixed(6)).join(" ")}`);
    await obeyed(page);
    other.say("release");
    const held = await after(15);
    assert.ok(away(held, target) < 0.03, `held at ${held}, dragged to ${target}`);
    page.socket.terminate();
    let free = held;
    for (let i = 0; i < 100 && away(free, target) <= 0.1; i++) free = await after(5); // until the tool has noticed
    assert.ok(away(free, target) > 0.1, `fell to ${free} from ${target}`);
    await finish(viewer);
    assert.equal(viewer.errors, "");
});

test("a page that talks without end takes nothing from another one", async () => {
    const viewer = await watch("cloth-sphere", "--scale", "0.1"), [loud, other] = [await visit(viewer.url), await visit(viewer.url)];
    loud.say("pause");
    await other.frame(message => !message.playing);
    loud.say("step 60"); // while it steps, what comes is kept for later
    for (let i = 0; i < 2000; i++) loud.say("pick 0 0");
    await new Promise(resolve => setTimeout(resolve, 200));
    other.say("pick 0 1");
    assert.equal((await other.note(note => note.body === 0)).face, 1);
    await finish(viewer);
});

test("files are checked, and the page is told the verdict of dent check", async () => {
    const cross = [tetrahedron("p.obj", 0.5), tetrahedron("q.obj", 0.7)].map(name => join(folder, name));
    writeFileSync(join(folder, "open.obj"), "v -1 0.2 0.1\nv 2 0.2 0.1\nv 0 0.2 -3\nf 1 2 3\n"); // open: crosses, but has no inside
    writeFileSync(join(folder, "away.obj"), "v 9 0 0\nv 9 1 0\nv 9 0 1\nf 1 2 3\n");
    for (const [files, verdict] of [[cross, /^PENETRATING: 1 pair of bodies, deepest 0\.\d+/], [[cross[0], join(folder, "open.obj")], /^PENETRATING: 1 pair/],
        [[cross[0], join(folder, "away.obj")], /^free of penetration$/]]) {
        const viewer = await watch(...files), page = await visit(viewer.url);
        await page.frame();
        assert.match(page.hello.verdict, verdict);
        await finish(viewer);
    }
});

test("contact counts, live and recorded, are those of the simulation", async () => {
    const words = ["stack", "--scale", "0.05"], out = join(folder, "stack.pvd");
    const lines = execFileSync(process.env.DENT_TOOL, ["run", ...words, "--frames", "12", "--json", "-o", out], { encoding: "utf8" }).trim().split("\n").map(JSON.parse);
    const counts = new Map(lines.filter(line => line.contacts !== undefined).map(line => [line.frame, line.contacts]));
    assert.ok(new Set(counts.values()).size > 5, "contacts that come and go");
    const recorded = await watch(out), page = await visit(recorded.url);
    for (const [frame, contacts] of counts) {
        page.say(`seek ${frame}`);
        assert.equal((await page.frame(message => message.frame === frame)).contacts, contacts);
    }
    await finish(recorded);
    const live = await watch(...words), watcher = await visit(live.url);
    for (let frame = 0; frame < 12; ) {
        const message = await watcher.frame(message => message.frame > frame);
        frame = message.frame;
        if (counts.has(frame)) assert.equal(message.contacts, counts.get(frame));
    }
    await finish(live);
});

test("a frame that is not there is an error, not another frame", () => {
    for (const [words, count] of [[[join(folder, "run.pvd"), "--frame", "4"], 4], [["--prescribed", "v-shapes", "--frame", "100000"], "\\d+"]]) {
        const done = spawnSync(process.env.DENT_TOOL, ["view", "--no-browser", ...words], { encoding: "utf8", timeout: WAIT });
        assert.equal(done.status, 2);
        assert.match(done.stderr, new RegExp(`^dent: .* has ${count} frames, 0 to \\d+: there is no frame \\d+\n$`));
    }
});

test("a recording that grows, is cut short and is whole again", async () => {
    const [a, b] = [tetrahedron("a.obj", 0.5), tetrahedron("b.obj", 0.7)], path = collection("grows.pvd", [[a]]), viewer = await watch(path), page = await visit(viewer.url);
    await page.frame(message => message.count === 1);
    collection("grows.pvd", [[a], [b], [a]]);
    page.say("restart");
    await page.frame(message => message.count === 3);
    page.say("seek 2");
    await page.frame(message => message.frame === 2);
    const whole = readFileSync(path);
    writeFileSync(path, whole.subarray(0, whole.length / 2));
    page.say("restart");
    assert.match((await page.note()).trouble, /grows\.pvd/);
    page.say("seek 1"); // what was read before can still be seen
    await page.frame(message => message.frame === 1 && message.count === 3);
    collection("grows.pvd", [[a], [b]]);
    page.say("restart");
    await page.frame(message => message.frame === 0 && message.count === 2);
    writeFileSync(join(folder, "b.obj"), "v 0 0 0\nv 1 0");
    page.say("step 1");
    assert.match((await page.note()).trouble, /b\.obj/);
    await finish(viewer);
});

test("a scene file that is broken at a restart leaves the scene that runs, and is taken when it is mended", async () => {
    const scene = { dent_scene: 1, name: "first", units: { length: "m" }, time_step: "10 ms", steps_per_frame: 1, frames: 10, materials: { wood: { density: "600 kg/m^3" } },
        bodies: [{ name: "box", kind: "rigid", material: "wood", generate: { shape: "box", size: [1, 1, 1], cells: [1, 1, 1] } }] };
    const path = join(folder, "scene.json"), write = (name, bodies) => writeFileSync(path, JSON.stringify({ ...scene, name, bodies: scene.bodies.slice(0, bodies) }));
    write("first", 1);
    const viewer = await watch(path), page = await visit(viewer.url);
    await page.frame(message => message.frame > 2);
    write("broken", 0);
    page.say("restart");
    assert.match((await page.note()).trouble, /scene\.json/);
    const { frame } = page.newest;
    page.say("play");
    await page.frame(message => message.frame > frame + 2);
    write("second", 1);
    page.say("restart");
    await page.frame(message => message.frame < frame);
    assert.equal(page.hello.title, "second");
    await finish(viewer);
});

test("questions, structures and bodies that there are not are told, and nothing is asked then", async () => {
    const viewer = await watch(join(folder, tetrahedron("a.obj", 0.5))), page = await visit(viewer.url);
    for (const [words, answer] of [["ask what", /no question what/], ["structure oak 0 1", /no structure oak/], ["structure clusters 9 1", /no body 9/]]) {
        page.say(words);
        assert.match((await page.note()).trouble, answer);
        page.say("pick 0 0");
        await page.note(note => note.body === 0);
        assert.deepEqual([page.state.question, page.state.structure], ["none", "none"]);
    }
    await finish(viewer);
});

test("pages that read nothing cost no memory and hold nobody up", { skip: !existsSync("/proc/self/statm") }, async () => {
    const viewer = await watch("cloth-sphere", "--scale", "0.1"), page = await visit(viewer.url);
    await page.frame();
    const stuck = Array.from({ length: 10 }, () => plainClient(viewer.url));
    for (const socket of stuck) {
        assert.equal(await outcome(socket), "open");
        socket._socket.pause();
        for (let i = 0; i < 200; i++) socket.send("pick 0 0"); // answers nobody fetches
        socket.send("structure surface-tree 0 20");
    }
    const memory = () => Number(readFileSync(`/proc/${viewer.child.pid}/statm`, "utf8").split(" ")[1]) * 4096;
    await page.frame(message => message.frame > 5);
    const [start, { frame }] = [memory(), page.newest];
    await page.frame(message => message.frame > frame + 25);
    assert.ok(memory() - start < 32e6, `${memory() - start} bytes more after 25 frames`);
    for (const socket of stuck) socket.terminate();
    await finish(viewer);
    assert.equal(viewer.errors, "");
});

test("boxes wait for a page that draws slowly while another one draws fast", async () => {
    const viewer = await watch("--prescribed", "v-shapes", "--scale", "0.2"), fast = await visit(viewer.url), slow = plainClient(viewer.url);
    const kinds = [];
    slow.on("message", data => kinds.push(data.readUInt32LE(0))); // never says that it has drawn
    assert.equal(await outcome(slow), "open");
    await fast.frame();
    fast.say("structure surface-tree 0 20");
    fast.say("play");
    for (let i = 0; i < 30; i++) await fast.frame();
    slow.send("pick 0 0");
    await new Promise(resolve => slow.on("message", data => data.readUInt32LE(0) === NOTE && resolve()));
    assert.ok(kinds.filter(kind => kind === BOXES).length <= 1 && kinds.filter(kind => kind === FRAME).length === 1, kinds.join());
    slow.terminate();
    await finish(viewer);
});

test("a server with a page that has everything sleeps", { skip: !existsSync("/proc/self/stat") }, async () => {
    tetrahedron("a.obj", 0.5);
    const viewer = await watch(join(folder, "a.obj")), page = await visit(viewer.url);
    await page.frame();
    const spent = () => readFileSync(`/proc/${viewer.child.pid}/stat`, "utf8").split(") ")[1].split(" ").slice(11, 13).reduce((sum, x) => sum + Number(x), 0);
    await settled(spent);
    const start = spent();
    await nap(2000);
    const ticks = spent() - start;
    assert.ok(ticks <= 5, `${ticks} ticks of CPU time in two seconds`);
    await finish(viewer);
});
