// Pictures and videos of any size, with the legends, the scale bar and the axes painted on them.
import { lengthLabel, paintLegend, paintScaleBar, paintTriad, scaleBar } from "./overlay.js";
import { animatedWebp } from "./webp.js";
import { WebmFile } from "./webm.js";

const TILE = 4096, LARGEST = 16384; // pixels; larger pictures are drawn in tiles
export const SIZES = { least: 16, most: LARGEST };

// facts: { legends: [...], unit: of the model, lengthUnit, overlay: false for the model alone }. A canvas with the picture.
export function takePicture(stage, width, height, facts) {
    const canvas = Object.assign(document.createElement("canvas"), { width, height }), pen = canvas.getContext("2d"), { renderer } = stage, camera = stage.camera.clone();
    camera.aspect = width / height;
    const wide = Math.min(TILE, width), high = Math.min(TILE, height);
    renderer.setPixelRatio(1);
    renderer.setSize(wide, high, false);
    const scale = Math.max(height / 800, 0.5);
    for (let y = 0; y < height; y += high) {
        for (let x = 0; x < width; x += wide) {
            camera.setViewOffset(width, height, x, y, wide, high);
            camera.updateProjectionMatrix();
            stage.render(camera, height, scale, stage.effects);
            pen.drawImage(stage.canvas, x, y);
        }
    }
    if (facts.overlay !== false) paintOver(pen, stage, camera, width, height, facts);
    stage.resize();
    return canvas;
}

function paintOver(pen, stage, camera, width, height, { legends, unit, lengthUnit }) {
    const size = Math.max(Math.round(height / 55), 9), margin = size, ink = stage.dark ? "#e7e9ec" : "#1b1f24", look = { ink, panel: stage.dark ? "#1f2329" : "#f1f0ec", line: stage.dark ? "#363c45" : "#cfcdc5" };
    paintTriad(pen, camera, width - margin - 2.6 * size, margin + 2.6 * size, 2.5 * size, stage.dark);
    const perPixel = (unit * 2 * camera.position.distanceTo(stage.controls.target) * Math.tan((camera.fov * Math.PI) / 360)) / height, bar = scaleBar(perPixel, width / 6);
    if (bar.pixels > 0 && bar.pixels < width) paintScaleBar(pen, bar, lengthLabel(bar.length, lengthUnit), width - margin - bar.pixels, height - margin, ink, size);
    camera.clearViewOffset();
    stage.markers.paint(pen, camera, width, height, stage.dark, size);
    let x = margin;
    for (const legend of legends) {
        paintLegend(pen, legend, x, height - margin, look, size);
        x += 14 * size;
    }
}

export async function asBlob(canvas, type, quality) {
    return new Promise((resolve, reject) => canvas.toBlob(blob => (blob ? resolve(blob) : reject(new Error(`this browser writes no ${type}`))), type, quality));
}

// A video in VP9 or VP8, each picture with the time it is shown at.
export class Video {
    static supported() {
        return typeof VideoEncoder === "function";
    }

    constructor(width, height, bitrate = 8e6) {
        this.file = new WebmFile(width, height);
        this.encoder = new VideoEncoder({ output: chunk => this.file.add(chunk), error: error => (this.failed = error) });
        this.settings = { width, height, bitrate };
        this.count = 0;
    }

    async start() {
        for (const [codec, name] of [["vp09.00.40.08", "V_VP9"], ["vp8", "V_VP8"]]) {
            const config = { codec, ...this.settings };
            if ((await VideoEncoder.isConfigSupported(config)).supported) {
                this.file.codec = name;
                this.encoder.configure(config);
                return this;
            }
        }
        throw new Error("this browser encodes neither VP9 nor VP8");
    }

    get waiting() {
        return this.encoder.encodeQueueSize;
    }

    add(canvas, milliseconds) {
        const frame = new VideoFrame(canvas, { timestamp: Math.round(1000 * milliseconds) });
        this.encoder.encode(frame, { keyFrame: this.count++ % 60 === 0 });
        frame.close();
    }

    async end() {
        await this.encoder.flush();
        if (this.failed) throw this.failed;
        return this.file.blob();
    }
}

// An animated picture that pages show like any other, of pictures as toBlob("image/webp") gives them.
export async function animation(blobs, width, height, milliseconds) {
    return animatedWebp(await Promise.all(blobs.map(async blob => new Uint8Array(await blob.arrayBuffer()))), width, height, milliseconds);
}

export function save(blob, name) {
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
