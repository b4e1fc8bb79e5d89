// What lies over the picture: the triad of axes, the scale bar, legends. Painted on plain canvases; pictures and videos that are saved get
// the same paint.
import * as THREE from "three";
import { shortNumber } from "./plots.js";

const axisColors = ["#d0432f", "#2f9e44", "#2f6fd0"], darkAxisColors = ["#ff7a66", "#63d67a", "#6ea8ff"];

export function paintTriad(pen, camera, x, y, radius, dark) {
    const turn = camera.quaternion.clone().invert();
    const axes = ["x", "y", "z"].map((name, k) => ({ name, color: (dark ? darkAxisColors : axisColors)[k], to: new THREE.Vector3().setComponent(k, 1).applyQuaternion(turn) })).sort((a, b) => a.to.z - b.to.z);
    pen.lineCap = "round";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    for (const { name, color, to } of axes) {
        pen.strokeStyle = pen.fillStyle = color;
        pen.globalAlpha = to.z < -0.2 ? 0.55 : 1;
        pen.lineWidth = radius / 12;
        pen.beginPath();
        pen.moveTo(x, y);
        pen.lineTo(x + 0.72 * radius * to.x, y - 0.72 * radius * to.y);
        pen.stroke();
        pen.font = `600 ${Math.round(0.36 * radius)}px system-ui, sans-serif`;
        pen.fillText(name, x + 0.92 * radius * to.x, y - 0.92 * radius * to.y);
    }
    pen.globalAlpha = 1;
    pen.textAlign = "left";
    pen.textBaseline = "alphabetic";
}

// A round length (1, 2 or 5 times a power of ten) that takes at most `widest` pixels; perPixel: of the model's units.
export function scaleBar(perPixel, widest) {
    const most = perPixel * widest, power = 10 ** Math.floor(Math.log10(most)), length = [5, 2, 1].map(k => k * power).find(l => l <= most * 1.0000001) ?? power;
    return { length, pixels: length / perPixel };
}

export function paintScaleBar(pen, { pixels }, label, x, y, ink, size = 12) {
    pen.strokeStyle = pen.fillStyle = ink;
    pen.lineWidth = size / 8;
    pen.beginPath();
    for (const [dx, dy] of [[0, -size / 3], [0, 0], [pixels, 0], [pixels, -size / 3]]) dx === 0 && dy < 0 ? pen.moveTo(x, y + dy) : pen.lineTo(x + dx, y + dy);
    pen.stroke();
    pen.font = `${size}px system-ui, sans-serif`;
    pen.fillText(label, x, y - size / 2);
}

// { title, table: colours as [r, g, b] of 0 … 255, low, middle, high, note } painted with its lower left corner at (x, y); returns its height.
export function paintLegend(pen, legend, x, y, { ink, panel, line }, size = 13) {
    const width = 13 * size, rows = legend.note ? 4 : 3, height = rows * 1.45 * size + 0.4 * size, left = x + 0.7 * size, top = y - height;
    pen.globalAlpha = 0.92;
    pen.fillStyle = panel;
    pen.strokeStyle = line;
    pen.lineWidth = 1;
    pen.beginPath();
    pen.roundRect(x, top, width, height, 0.45 * size);
    pen.fill();
    pen.globalAlpha = 1;
    pen.stroke();
    pen.fillStyle = ink;
    pen.font = `${size}px system-ui, sans-serif`;
    pen.fillText(legend.title, left, top + 1.35 * size, width - 1.4 * size);
    const ramp = pen.createLinearGradient(left, 0, x + width - 0.7 * size, 0);
    legend.table.forEach((color, k) => ramp.addColorStop(k / (legend.table.length - 1), `rgb(${color.join(",")})`));
    pen.fillStyle = ramp;
    pen.fillRect(left, top + 1.8 * size, width - 1.4 * size, 0.75 * size);
    pen.fillStyle = ink;
    pen.fillText(legend.low, left, top + 3.75 * size);
    pen.textAlign = "center";
    if (legend.middle) pen.fillText(legend.middle, x + width / 2, top + 3.75 * size);
    pen.textAlign = "right";
    pen.fillText(legend.high, x + width - 0.7 * size, top + 3.75 * size);
    pen.textAlign = "left";
    if (legend.note) pen.fillText(legend.note, left, top + 5.1 * size, width - 1.4 * size);
    return height;
}

export function lengthLabel(length, unit) {
    return `${shortNumber(length)}${unit ? ` ${unit}` : ""}`;
}
