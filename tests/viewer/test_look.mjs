// What the page looks like, as far as a program can tell: contrast in both themes, nothing outside the window or on top of something
// else on a laptop, a small and a narrow screen, a visible focus on every control.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPage, startBrowser, startViewer } from "./support.mjs";

let viewer, browser, page;
before(async () => {
    [viewer, browser] = await Promise.all([startViewer("cloth-sphere", "--scale", "0.1"), startBrowser()]);
    page = await openPage(browser, viewer.url);
    await page.focus("#canvas");
    await page.keyboard.press(" ");
    await page.waitForFunction(() => window.dentView.playing === false);
    await page.evaluate(() => {
        for (const [id, text] of [["trouble-text", "something went wrong"], ["pick", "body 0: cloth"]]) document.getElementById(id).textContent = text;
        for (const id of ["trouble", "pick", "legend"]) document.getElementById(id).hidden = false;
    });
});
after(async () => {
    assert.deepEqual(page.complaints, []);
    await browser.close();
    assert.equal((await viewer.stop()).code, 0);
});

// Pairs of text and what is behind it with too little between them.
function pale() {
    const pen = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
    const read = color => {
        pen.clearRect(0, 0, 1, 1);
        pen.fillStyle = color;
        pen.fillRect(0, 0, 1, 1);
        const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
        return { r, g, b, a: a / 255 };
    };
    const over = (top, below) => ({ r: top.r * top.a + below.r * (1 - top.a), g: top.g * top.a + below.g * (1 - top.a), b: top.b * top.a + below.b * (1 - top.a), a: 1 });
    const behind = element => {
        if (!element) return { r: 255, g: 255, b: 255, a: 1 };
        const own = read(getComputedStyle(element).backgroundColor);
        return own.a === 1 ? own : over(own, behind(element.parentElement));
    };
    const bright = ({ r, g, b }) => [r, g, b].map(x => (x / 255 <= 0.03928 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4)).reduce((sum, x, k) => sum + x * [0.2126, 0.7152, 0.0722][k], 0);
    const found = [];
    for (const element of document.querySelectorAll("body *")) {
        const text = [...element.childNodes].filter(node => node.nodeType === 3).map(node => node.textContent.trim()).join("");
        if (!text || !element.checkVisibility() || element.closest(":disabled") || element.tagName === "OPTION") continue;
        const [light, dark] = [bright(read(getComputedStyle(element).color)), bright(behind(element))].sort((a, b) => b - a), ratio = (light + 0.05) / (dark + 0.05);
        if (ratio < 4.5) found.push(`${text.slice(0, 20)} ${ratio.toFixed(2)}`);
    }
    return found;
}

test("text stands out from what is behind it in both themes, also on the help sheet", async () => {
    for (const theme of ["light", "dark"]) {
        if ((await page.evaluate(() => document.documentElement.dataset.theme)) !== theme) await page.click("#theme");
        assert.deepEqual(await page.evaluate(pale), [], theme);
        await page.click("#help-open");
        assert.deepEqual(await page.evaluate(pale), [], `${theme}, help`);
        await page.keyboard.press("Escape");
    }
});

test("on a laptop, a small and a narrow screen everything has its place", async () => {
    for (const [width, height] of [[1280, 720], [820, 600], [420, 800], [360, 500]]) {
        await page.setViewportSize({ width, height });
        await page.waitForFunction(([w, h]) => innerWidth === w && innerHeight === h, [width, height]);
        const facts = await page.evaluate(() => {
            const box = element => element.getBoundingClientRect(), parts = ["header", "#stage", "footer"].map(name => box(document.querySelector(name)));
            const asides = [...document.querySelectorAll("aside")].map(box), wide = [...document.querySelectorAll("header *, aside *, footer *, #stage > *")].filter(e => e.checkVisibility() && box(e).width > 0 && (box(e).right > innerWidth + 1 || box(e).left < -1));
            return { scrolls: document.documentElement.scrollWidth > innerWidth || document.documentElement.scrollHeight > innerHeight, wide: wide.map(e => e.outerHTML.slice(0, 60)), order: parts[0].bottom <= parts[1].top + 1 && parts[2].top < innerHeight && parts[2].bottom <= innerHeight + 1,
                stage: [parts[1].width, parts[1].height], over: innerWidth > 760 && asides.some(a => a.left < parts[1].right - 1 && a.right > parts[1].left + 1) };
        });
        assert.deepEqual({ ...facts, stage: null }, { scrolls: false, wide: [], order: true, stage: null, over: false }, `${width} x ${height}`);
        assert.ok(facts.stage[0] >= 300 && facts.stage[1] >= 200, `a stage of ${facts.stage} at ${width} x ${height}`);
        await page.click("#help-open");
        const help = await page.locator("#help").boundingBox();
        assert.ok(help.x >= 0 && help.y >= 0 && help.x + help.width <= width && help.y + help.height <= height, `${width} x ${height}: help at ${JSON.stringify(help)}`);
        await page.keyboard.press("Escape");
    }
    await page.setViewportSize({ width: 1200, height: 750 });
});

test("captions and names are seen in full, and lengths have their unit", async () => {
    await page.setViewportSize({ width: 1280, height: 720 });
    const cut = await page.evaluate(() => [...document.querySelectorAll("figcaption, h2, #frame, #structure-facts, #bodies .name")].filter(e => e.checkVisibility() && e.scrollWidth > e.clientWidth).map(e => e.textContent));
    assert.deepEqual(cut, []);
    const wide = await page.evaluate(() => {
        const name = document.querySelector("#bodies .name"), before = name.textContent;
        name.textContent = "ligament 31";
        const fits = name.scrollWidth <= name.clientWidth;
        name.textContent = before;
        return fits;
    });
    assert.ok(wide, "there is room for a name of eleven letters");
    assert.match(await page.textContent("#push-caption"), / in m$/);
    await page.setViewportSize({ width: 1200, height: 750 });
});

// How far the vertices reach to the right, left, top and bottom; 1 is the edge of the picture.
const reach = () => page.evaluate(() => {
    const { stage } = window.dentView, far = [0, 0, 0, 0];
    for (const { mesh } of stage.bodies) {
        const places = mesh.geometry.getAttribute("position"), place = stage.camera.position.clone();
        for (let i = 0; i < places.count; i++) {
            const { x, y } = place.fromBufferAttribute(places, i).project(stage.camera);
            [x, -x, y, -y].forEach((value, k) => (far[k] = Math.max(far[k], value)));
        }
    }
    return far;
});

test("what is fitted fills the picture and stays within it", async () => {
    for (const keys of [[], ["Shift+ArrowLeft", "Shift+ArrowLeft", "Shift+ArrowUp"], ["Shift+ArrowRight", "Shift+ArrowDown", "Shift+ArrowDown"]]) {
        await page.focus("#canvas");
        for (const key of keys) await page.keyboard.press(key);
        await page.keyboard.press("f");
        const far = await reach(), [right, left, top, bottom] = far;
        assert.ok(Math.max(...far) <= 0.97 && Math.max(...far) >= 0.8, `it reaches ${far}`);
        assert.ok(Math.abs(right - left) < 0.05 && Math.abs(top - bottom) < 0.05, `in the middle: ${far}`);
    }
});

test("a page for a snapshot is nothing but the picture", async () => {
    const other = await openPage(browser, `${viewer.url}#snapshot=1&opacity=0.5`);
    assert.deepEqual(await other.evaluate(() => ["header", "footer", "aside", "#pick", "#trouble"].filter(name => document.querySelector(name).checkVisibility())), []);
    assert.deepEqual(await other.evaluate(() => { const { width, height } = document.getElementById("canvas").getBoundingClientRect(); return [width, height]; }), [1200, 750]); // all of the window
    assert.ok(await other.evaluate(() => window.dentView.stage.bodies.every(body => body.mesh.material.transparent && !body.mesh.material.forceSinglePass)), "back faces of transparent bodies come first");
    await other.close();
});

test("bodies are painted as the address asks", async () => {
    const other = await openPage(browser, `${viewer.url}#snapshot=1&paint=0-1:e8a0a0/0.5,1:102030`);
    assert.deepEqual(await other.evaluate(() => window.dentView.stage.bodies.slice(0, 2).map(({ mesh }) => [mesh.material.uniforms.color.value.getHexString(), mesh.material.uniforms.opacity.value])),
        [["e8a0a0", 0.5], ["102030", 0.5]]);
    await other.close();
});

test("the model stays in the picture when the window changes, unless somebody has turned it", async () => {
    await page.bringToFront(); // a page behind another one, or behind one just closed, may draw nothing
    await page.click("#fit");
    assert.ok(Math.max(...(await reach())) <= 1);
    await page.setViewportSize({ width: 420, height: 800 });
    await page.waitForFunction(() => window.dentView.stage.camera.aspect < 1.1);
    assert.ok(Math.max(...(await reach())) <= 1);
    await page.focus("#canvas");
    await page.keyboard.press("Shift+ArrowLeft");
    const place = await page.evaluate(() => window.dentView.stage.camera.position.toArray());
    await page.setViewportSize({ width: 1200, height: 750 });
    await page.waitForFunction(() => window.dentView.stage.camera.aspect > 0.95);
    assert.deepEqual(await page.evaluate(() => window.dentView.stage.camera.position.toArray()), place);
});

test("every control can be reached by the tabulator and shows that it has been", async () => {
    const wanted = await page.evaluate(() => [...document.querySelectorAll("button, input, select, canvas[tabindex]")].filter(e => e.checkVisibility() && !e.disabled && !(e.type === "radio" && !e.checked)).length);
    const seen = new Set();
    await page.evaluate(() => document.activeElement.blur());
    for (let i = 0; i < wanted + 2; i++) {
        await page.keyboard.press("Tab");
        const facts = await page.evaluate(() => {
            const e = document.activeElement, style = getComputedStyle(e);
            e.dataset.place ??= String(Math.random());
            return e === document.body ? null : { place: e.dataset.place, ring: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2, html: e.outerHTML.slice(0, 80) };
        });
        if (!facts) continue;
        assert.ok(facts.ring, facts.html);
        seen.add(facts.place);
    }
    assert.equal(seen.size, wanted);
});
