// Sliders for the joints of a robot. Angles are shown in degrees and sent in radians.

const degrees = 180 / Math.PI;

export class Joints {
    constructor(list, say) {
        this.list = list;
        this.say = say;
        this.rows = [];
    }

    // The joints that HELLO names, where they stand. The same ones again keep their sliders: one may be held right now.
    show(joints = []) {
        const key = JSON.stringify(joints.map(({ value, ...rest }) => rest));
        if (key !== this.key) {
            this.key = key;
            this.rows = joints.map((joint, i) => this.row(joint, i));
            this.list.replaceChildren(...this.rows.map(row => row.element));
        }
        joints.forEach((joint, i) => this.write(this.rows[i], joint));
    }

    row(joint, index) {
        const element = document.createElement("li"), label = document.createElement("label");
        const name = document.createElement("span"), slider = document.createElement("input"), output = document.createElement("output");
        name.textContent = joint.part === undefined ? joint.name : `${joint.name}.${joint.part}`;
        name.title = `${name.textContent}: ${this.text(joint, joint.lower)} to ${this.text(joint, joint.upper)}`;
        Object.assign(slider, { type: "range", min: joint.lower, max: joint.upper, step: "any" });
        slider.id = `joint-${index}`;
        slider.oninput = () => {
            output.textContent = this.text(joint, Number(slider.value));
            this.say("joint", index, Number(slider.value));
        };
        label.append(name, slider, output);
        element.append(label);
        return { element, slider, output };
    }

    write({ slider, output }, joint) {
        if (slider.matches(":active")) return;
        slider.value = joint.value;
        output.textContent = this.text(joint, joint.value);
    }

    text(joint, value) {
        return joint.angle ? `${(value * degrees).toFixed(1)}°` : String(Number(value.toPrecision(4)));
    }
}
