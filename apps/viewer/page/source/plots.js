// Small line charts of the last frames, drawn on plain canvases, as sharp as the screen. Whoever adds rows says when to draw:
// with the figures, so that both tell the same.

export class Plot {
    constructor(canvas, colors, { kept = 300, signed = false } = {}) {
        this.canvas = canvas;
        this.colors = colors; // names of style variables
        this.signed = signed; // from the least value to the largest; else from 0
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
    }

    draw() {
        const { canvas, rows } = this, pen = canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
        const sharp = Math.min(window.devicePixelRatio || 1, 3), width = canvas.clientWidth || 230, height = canvas.clientHeight || 64;
        if (canvas.width !== Math.round(width * sharp) || canvas.height !== Math.round(height * sharp)) {
            canvas.width = Math.round(width * sharp);
            canvas.height = Math.round(height * sharp);
        }
        pen.setTransform(sharp, 0, 0, sharp, 0, 0);
        pen.clearRect(0, 0, width, height);
        let top = this.signed ? -Infinity : 0, low = this.signed ? Infinity : 0;
        for (const row of rows) {
            for (const value of row.values) {
                if (value > top && value < Infinity) top = value;
                if (this.signed && value < low && value > -Infinity) low = value;
            }
        }
        this.colors.slice(0, rows[0]?.values.length).forEach((color, k) => this.line(pen, style.getPropertyValue(color), k, low, top > low ? top - low : 1, width, height));
        if (rows.length === 0) return;
        pen.font = "11px system-ui, sans-serif";
        Object.assign(pen, { lineWidth: 3, lineJoin: "round", strokeStyle: getComputedStyle(canvas).backgroundColor }); // a rim: curves pass behind the numbers
        const write = (text, color, x, y) => {
            pen.fillStyle = style.getPropertyValue(color);
            pen.strokeText(text, x, y);
            pen.fillText(text, x, y);
        };
        write(rows.at(-1).values.map(shortNumber).join(" · "), "--ink", 5, 13);
        pen.textAlign = "right";
        write(this.signed ? `${shortNumber(low)} … ${shortNumber(top)}` : `max ${shortNumber(top)}`, "--faint", width - 5, this.signed ? height - 5 : 13);
        pen.textAlign = "left";
    }

    line(pen, color, k, low, range, width, height) {
        const { rows } = this, place = i => [4 + (i / Math.max(rows.length - 1, 1)) * (width - 8), height - 4 - ((rows[i].values[k] - low) / range) * (height - 24)];
        pen.strokeStyle = pen.fillStyle = color;
        pen.lineWidth = 1.5;
        pen.beginPath();
        rows.forEach((row, i) => (i === 0 ? pen.moveTo(...place(i)) : pen.lineTo(...place(i))));
        pen.stroke();
        if (rows.length > 0) {
            pen.beginPath();
            pen.arc(...place(rows.length - 1), 2.2, 0, 2 * Math.PI);
            pen.fill();
        }
    }
}

export function shortNumber(x) {
    if (!Number.isFinite(x)) return "–";
    if (Number.isInteger(x) && Math.abs(x) < 1e7) return String(x);
    const size = Math.abs(x);
    if (size >= 100 && size < 1e5) return x.toFixed(0);
    return size !== 0 && (size < 1e-3 || size >= 1e5) ? x.toExponential(2) : x.toPrecision(3);
}
