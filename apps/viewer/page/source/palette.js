// Colours that stay apart for colour-blind readers: bodies after Okabe and Ito, pushes from amber over teal to dark blue; on dark ground from
// pale yellow over orange to red.

const bodyColors = ["#e8dfc8", "#9ecae8", "#95d3bd", "#edcbe0", "#c9c9d6", "#f2d38b", "#b6d7a8", "#d9b38c"];

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

// Where stress is shown: cool to hot, on both grounds.
const stressStops = [[225, 235, 245], [120, 190, 220], [245, 190, 60], [190, 30, 45]];
export function stressColors() {
    return stressStops.map(stop => stop.map(part => part / 255));
}
export function stressGradient() {
    return `linear-gradient(to right, ${stressStops.map(c => `rgb(${c.join(",")})`).join(",")})`;
}

export function pushGradient(dark) {
    const table = dark ? darkStops : stops;
    return `linear-gradient(to right, ${table.map(c => `rgb(${c.join(",")})`).join(",")})`;
}
