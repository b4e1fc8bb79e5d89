// Colours that stay apart for colour-blind readers: bodies after Okabe and Ito, pushes from amber over teal to dark blue; on dark ground from
// pale yellow over orange to red.

// The first eight are chosen by eye. The others are those of a grid in Oklab that lie farthest from all before them, one after another.
const firstColors = ["#e8dfc8", "#9ecae8", "#95d3bd", "#edcbe0", "#c9c9d6", "#f2d38b", "#b6d7a8", "#d9b38c"];

function oklabOf(hex) {
    const [r, g, b] = [1, 3, 5].map(at => linearPart(Number.parseInt(hex.slice(at, at + 2), 16) / 255));
    const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b), m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b), s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    return [0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s, 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s];
}

function hexOf([L, a, b]) {
    const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3, m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3, s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
    const parts = [4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s, -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s, -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s];
    if (parts.some(part => part < 0 || part > 1)) return null; // no screen shows it
    return `#${parts.map(part => Math.round(255 * (part <= 0.0031308 ? 12.92 * part : 1.055 * part ** (1 / 2.4) - 0.055)).toString(16).padStart(2, "0")).join("")}`;
}

// From a colour as screens have it to the amount of light that it is.
function linearPart(x) {
    return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
}

// How far two colours are apart for an eye: distance in Oklab, lightness counting less than hue, since shading changes it.
export function colorDistance(one, other) {
    const [a, b] = [oklabOf(one), oklabOf(other)];
    return Math.hypot(0.6 * (a[0] - b[0]), a[1] - b[1], a[2] - b[2]);
}

function manyColors(count) {
    const chosen = [...firstColors], candidates = [];
    for (const lightness of [0.6, 0.7, 0.8, 0.9]) {
        for (const chroma of [0.05, 0.1, 0.15]) {
            for (let hue = 0; hue < 360; hue += 15) {
                const angle = (hue * Math.PI) / 180, color = hexOf([lightness, chroma * Math.cos(angle), chroma * Math.sin(angle)]);
                if (color) candidates.push({ color, nearest: Math.min(...chosen.map(other => colorDistance(color, other))) });
            }
        }
    }
    while (chosen.length < count) {
        const best = candidates.reduce((a, b) => (b.nearest > a.nearest ? b : a));
        chosen.push(best.color);
        for (const candidate of candidates) candidate.nearest = Math.min(candidate.nearest, colorDistance(candidate.color, best.color));
    }
    return chosen;
}

const bodyColors = manyColors(48);

export function bodyColor(index) {
    return bodyColors[index % bodyColors.length];
}

const stops = [[222, 164, 0], [98, 190, 160], [29, 145, 192], [8, 29, 88]], darkStops = [[255, 250, 205], [255, 200, 60], [240, 120, 40], [213, 40, 40]];

// part 0 … 1 -> [r, g, b] in 0 … 1
export function pushColor(part, dark) {
    const table = dark ? darkStops : stops, place = Math.min(Math.max(part, 0), 1) * (table.length - 1), i = Math.min(Math.floor(place), table.length - 2);
    return table[i].map((low, k) => (low + (place - i) * (table[i + 1][k] - low)) / 255);
}

// Of contacts whose push is not certain and beyond the scale.
export function uncertainColor(dark) {
    return dark ? [0.55, 0.55, 0.55] : [0.5, 0.5, 0.5];
}

// Where a field is shown: cool to hot, on both grounds. A field whose small values are the bad ones has them hot.
const fieldStops = [[225, 235, 245], [120, 190, 220], [245, 190, 60], [190, 30, 45]];
export function fieldColors(reversed) {
    const parts = fieldStops.map(stop => stop.map(part => part / 255));
    return reversed ? parts.reverse() : parts;
}
export function fieldGradient(reversed) {
    return gradient(reversed ? [...fieldStops].reverse() : fieldStops);
}
export function fieldTable(reversed) {
    return reversed ? [...fieldStops].reverse() : fieldStops;
}

function gradient(table) {
    return `linear-gradient(to right, ${table.map(c => `rgb(${c.join(",")})`).join(",")})`;
}
export function pushTable(dark) {
    return dark ? darkStops : stops;
}
export function pushGradient(dark) {
    return gradient(pushTable(dark));
}
