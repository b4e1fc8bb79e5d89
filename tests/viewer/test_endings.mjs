// How `dent view` ends: by Ctrl-C at any moment, by wishes that cannot be, by places that cannot be written. No browser is needed
// except where a snapshot is interrupted.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { outcome, plainClient, startViewer, WAIT } from "./support.mjs";

let folder, model;
before(() => {
    folder = mkdtempSync(join(tmpdir(), "dent-endings-"));
    model = join(folder, "a.obj");
    writeFileSync(model, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
});
after(() => rmSync(folder, { recursive: true, force: true }));

// Runs dent to its end: { code, output, errors }. `also(child, run)` is called when it has started.
function dent(words, { environment = {}, also } = {}) {
    const child = spawn(process.env.DENT_TOOL, words, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...environment } });
    const run = { output: "", errors: "" };
    child.stdout.on("data", part => (run.output += part));
    child.stderr.on("data", part => (run.errors += part));
    also?.(child, run);
    return new Promise(resolve => child.on("close", (code, signal) => resolve({ ...run, code, signal })));
}

test("a wish that is none is an error of one line that names it", async () => {
    const wishes = [["question=face-sell", /question=face-sell.*face-cell/], ["kwestion=face-cell", /unknown setting 'kwestion/], ["structure=oak", /structure=oak.*surface-tree/], ["structure=clusters,7", /clusters,7.*last body is 0/],
        ["cut=3,0.5", /cut=3,0\.5/], ["hide=0,1", /hide=0,1/], ["opacity=7", /opacity=7/], ["paint=0:red", /paint=0:red.*RRGGBB/], ["paint=0-3:ff0000", /last body is 0/], ["paint=0:ff0000/2", /OPACITY/], ["theme=pink", /theme=pink.*dark or light/], ["wire", /wire.*value/], ["wire=1&&no-normals=1", /''/], [`hide=${"1,".repeat(300)}1`, /characters/]];
    for (const [show, message] of wishes) {
        const { code, output, errors } = await dent(["view", "--no-browser", "--show", show, model]);
        assert.equal(code, 2, show);
        assert.equal(output, "");
        assert.match(errors, message);
        assert.equal(errors.trimEnd().split("\n").length, 1, errors);
    }
});

test("good wishes travel with the address", async () => {
    const show = "question=face-face&structure=clusters,0,3&cut=2,0.25,1&opacity=0.5&hide=0&paint=0-0:e8a0a0/0.5&wire=1&theme=dark&no-normals=1&no-contacts=1";
    const viewer = await startViewer("--show", show, "--view", "30,20", model);
    assert.equal(new URL(viewer.url).hash, `#view=30,20&${show}`);
    assert.equal((await viewer.stop()).code, 0);
});

test("a port that is taken, a folder that is not there, a browser that is not there", async () => {
    const viewer = await startViewer(model), port = new URL(viewer.url).port;
    const taken = await dent(["view", "--no-browser", "--port", port, model]);
    assert.deepEqual([taken.code, taken.output], [2, ""]);
    assert.match(taken.errors, new RegExp(`^dent: view: .*${port}.*\n$`));
    await viewer.stop();
    mkdirSync(join(folder, "folder.png"));
    for (const [place, reason] of [["missing/out.png", /No such file/], ["folder.png", /[Ii]s a directory/]]) {
        const { code, errors } = await dent(["view", "--snapshot", join(folder, place), model]);
        assert.equal(code, 2);
        assert.match(errors, reason);
    }
    const browser = await dent(["view", "--snapshot", join(folder, "out.png"), model], { environment: { DENT_CHROMIUM: "/no/browser" } });
    assert.equal(browser.code, 2);
    assert.match(browser.errors, /Chromium/);
    assert.equal(existsSync(join(folder, "out.png")), false);
});

test("with a display and nothing to start a browser with the address is printed all the same", async () => {
    const { code, output, errors } = await dent(["view", model], {
        environment: { DISPLAY: ":99", PATH: "/no/programs" },
        also: (child, run) => child.stdout.on("data", () => run.output.includes("\n") && child.kill("SIGINT")),
    });
    assert.equal(code, 0);
    assert.match(output, /^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/\n$/);
    assert.match(errors, /xdg-open/);
});

test("Ctrl-C is a quiet end at every moment", async () => {
    // Before the address is printed it may be any moment of loading: 130 and one line. Afterwards 0 and none. What the
    // simulator remarks about the scene as it loads is no part of the end.
    for (const delay of [0, 3, 10, 30, 60, 100, 160, 250]) {
        const { code, signal, output, errors: all } = await dent(["view", "--no-browser", "jaw", "--scale", "0.4"], { also: child => setTimeout(() => child.kill("SIGINT"), delay) });
        const errors = all.replace(/^dent: notice: .*\n/gm, "");
        if (output.includes("http")) assert.deepEqual([code, errors], [0, ""], `after ${delay} ms`);
        else if (signal === null) assert.deepEqual([code, errors], [130, "dent: interrupted\n"], `after ${delay} ms`);
        else assert.equal(signal, "SIGINT"); // before there was anything that could be asked
    }
});

test("Ctrl-C while pages come, ask and go", async () => {
    for (const moment of ["open", "message", "asked"]) {
        const viewer = await startViewer("cloth-sphere", "--scale", "0.1"), socket = plainClient(viewer.url);
        socket.on("error", () => {});
        if (moment === "open") await outcome(socket);
        else await new Promise(resolve => socket.on("message", resolve));
        if (moment === "asked") for (const words of ["ask face-face", "structure sphere-tree 0 3", "restart", "step 1000"]) socket.send(words);
        const { code } = await viewer.stop();
        assert.equal(code, 0, moment);
        assert.equal(viewer.errors, "");
        socket.terminate();
    }
});

// Processes whose command line names one of the folders that snapshots are made in.
function leftBehind() {
    return readdirSync("/proc").filter(name => /^\d+$/.test(name)).filter(id => {
        try {
            return readFileSync(`/proc/${id}/cmdline`, "utf8").includes(`--user-data-dir=${join(folder, "profiles")}`);
        } catch {
            return false;
        }
    });
}

test("an interrupted snapshot leaves no browser, no folder and the picture that was there", { skip: !existsSync("/proc/self/cmdline") }, async () => {
    const picture = join(folder, "old.png"), profiles = join(folder, "profiles");
    writeFileSync(picture, "old");
    mkdirSync(profiles);
    const { code, errors } = await dent(["view", "--snapshot", picture, model], {
        environment: { TMPDIR: profiles },
        also: child => {
            const watch = setInterval(() => {
                if (leftBehind().length > 0) {
                    clearInterval(watch);
                    child.kill("SIGINT");
                }
            }, 5);
            child.on("close", () => clearInterval(watch));
        },
    });
    assert.deepEqual([code, errors], [130, "dent: interrupted\n"]);
    assert.equal(readFileSync(picture, "utf8"), "old");
    assert.deepEqual(readdirSync(profiles), []);
    for (const end = Date.now() + WAIT; leftBehind().length > 0 && Date.now() < end;) await new Promise(resolve => setTimeout(resolve, 50)); // until the system has reaped them
    assert.deepEqual(leftBehind(), []);
    assert.deepEqual(readdirSync(folder).filter(name => name.includes("part")), []);
});
