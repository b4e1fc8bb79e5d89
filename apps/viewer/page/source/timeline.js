// The event timeline of kinetic boxes, under the picture: a bar for each part of the way between two frames, as high as the number of
// events in it. The last steps stay, so that quiet and busy times of a motion are seen.
const STEPS_KEPT = 24;

export class Timeline {
    constructor(panel) {
        this.panel = panel;
        this.canvas = panel.querySelector("canvas");
        this.facts = panel.querySelector("output");
        this.steps = [];
        new ResizeObserver(() => this.draw()).observe(this.canvas);
    }

    // { from, to, bins } of the last step; null: no kinetic boxes are shown.
    show(events) {
        this.panel.hidden = !events;
        if (!events) this.steps = [];
        if (!events) return;
        const last = this.steps.at(-1), same = last && last.from === events.from && last.to === events.to;
        if (last && last.to !== events.from && !same) this.steps = []; // a jump
        if (same) this.steps.pop();
        if (events.from !== events.to) this.steps.push(events);
        if (this.steps.length > STEPS_KEPT) this.steps.shift();
        const count = events.bins.reduce((sum, bin) => sum + bin, 0);
        this.facts.textContent = events.from === events.to ? "no motion yet" : `frame ${events.from} to ${events.to}: ${count} ${count === 1 ? "event" : "events"}`;
        this.draw();
    }

    draw() {
        const { canvas } = this, pen = canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
        const sharp = Math.min(window.devicePixelRatio || 1, 3), width = canvas.clientWidth, height = canvas.clientHeight;
        if (!(width > 0)) return;
        canvas.width = Math.round(width * sharp);
        canvas.height = Math.round(height * sharp);
        pen.setTransform(sharp, 0, 0, sharp, 0, 0);
        const bins = this.steps.flatMap(step => step.bins), most = Math.max(1, ...bins), wide = width / (STEPS_KEPT * (this.steps[0]?.bins.length ?? 1));
        const start = width - bins.length * wide;
        pen.fillStyle = style.getPropertyValue("--series-1");
        bins.forEach((bin, i) => bin > 0 && pen.fillRect(start + i * wide, height - (bin / most) * (height - 3), Math.max(wide, 0.5), height));
        pen.fillStyle = style.getPropertyValue("--line");
        this.steps.forEach((step, i) => pen.fillRect(start + i * step.bins.length * wide, 0, 1, height)); // where frames begin
    }
}
