// Small line charts of the last frames, drawn on plain canvases.

export class Plot {
    constructor(canvas, colors, kept = 300) {
        this.canvas = canvas;
        this.colors = colors;
        this.kept = kept;
        this.rows = [];
    }

    clear() {
        this.rows = [];
        this.draw();
    }

    add(frame, values) {
        const last = this.rows.at(-1);
        if (last && frame < last.frame) this.rows = [];
        if (last && frame === last.frame) this.rows.pop();
        this.rows.push({ frame, values });
        if (this.rows.length > this.kept) this.rows.shift();
        this.draw();
    }

    draw() {
        const { canvas, rows } = this, pen = canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
        const top = Math.max(1e-300, ...rows.flatMap(row => row.values));
        pen.clearRect(0, 0, canvas.width, canvas.height);
        this.colors.forEach((color, k) => {
            pen.strokeStyle = color;
            pen.lineWidth = 1.5;
            pen.beginPath();
            rows.forEach((row, i) => {
                const x = (i / Math.max(rows.length - 1, 1)) * (canvas.width - 4) + 2, y = canvas.height - 3 - (row.values[k] / top) * (canvas.height - 18);
                if (i === 0) pen.moveTo(x, y);
                else pen.lineTo(x, y);
            });
            pen.stroke();
        });
        pen.fillStyle = style.getPropertyValue("--faint");
        pen.font = "10px system-ui, sans-serif";
        if (rows.length > 0) pen.fillText(`max ${shortNumber(top > 1e-299 ? top : 0)}   now ${rows.at(-1).values.map(shortNumber).join("  ")}`, 4, 11);
    }
}

export function shortNumber(x) {
    if (Number.isInteger(x) && Math.abs(x) < 1e7) return String(x);
    const size = Math.abs(x);
    return size !== 0 && (size < 1e-3 || size >= 1e5) ? x.toExponential(2) : x.toPrecision(3);
}
