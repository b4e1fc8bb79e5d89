// The body that follows the hand: what the keys do to it, and the arrow of the force. The arrow is as long as the device is away from the
// body, in the units of the model: force over stiffness.
import * as THREE from "three";

const STEP = 0.02, TURN = Math.PI / 60; // of the size of the model; of a key
const SHAFT = 0.005, HEAD = 0.016, TIP = 0.05; // radii and length of the head, as parts of the distance to the eye

// Shaft and head of length 1 and radius 1 along y; draw() makes them as wide as they should be. A line would be one pixel wide.
function makeArrow() {
    const material = new THREE.MeshBasicMaterial({ color: 0xd0432f, depthTest: false }), arrow = new THREE.Group();
    for (const geometry of [new THREE.CylinderGeometry(1, 1, 1, 16), new THREE.ConeGeometry(1, 1, 24)]) {
        const part = new THREE.Mesh(geometry.translate(0, 0.5, 0), material);
        part.frustumCulled = false;
        part.renderOrder = 10; // after the body it starts in
        arrow.add(part);
    }
    arrow.visible = false;
    return arrow;
}

export class Hand {
    constructor(stage, say) {
        this.stage = stage;
        this.say = say;
        this.facts = null; // { body, stiffness } of the model; null: nothing follows
        this.arrow = makeArrow();
        stage.front.add(this.arrow);
    }

    show(facts) {
        this.facts = facts ?? null;
        if (!facts) this.arrow.visible = false;
    }

    follows(pick) {
        return Boolean(this.facts) && pick?.body === this.facts.body;
    }

    // The force of a frame, from the middle of the body.
    draw(frame) {
        if (!this.facts) return;
        const force = new THREE.Vector3(...frame.probeValues[0]), length = force.length() / this.facts.stiffness / this.stage.unit;
        this.arrow.visible = length > 1e-4;
        if (!this.arrow.visible) return;
        const box = new THREE.Box3().setFromArray(frame.positions[this.facts.body]);
        this.arrow.position.copy(box.getCenter(new THREE.Vector3()));
        this.arrow.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), force.normalize());
        const eye = this.stage.camera.position.distanceTo(this.arrow.position), [shaft, head] = this.arrow.children;
        const tip = Math.min(TIP * eye, 0.5 * length), thin = tip / (TIP * eye); // a short arrow is thinner, too
        shaft.scale.set(SHAFT * eye * thin, length - tip, SHAFT * eye * thin);
        head.scale.set(HEAD * eye * thin, tip, HEAD * eye * thin);
        head.position.y = length - tip;
        this.stage.invalidate();
    }

    // Across the picture with the arrows, into it and out of it with page down and up; turns with , . and ; '
    key(key) {
        if (!this.facts) return false;
        const [right, up, back] = [0, 1, 2].map(k => new THREE.Vector3().setFromMatrixColumn(this.stage.camera.matrixWorld, k));
        const ways = { ArrowRight: [right, 1], ArrowLeft: [right, -1], ArrowUp: [up, 1], ArrowDown: [up, -1], PageUp: [back, 1], PageDown: [back, -1] };
        const turns = { ".": [up, 1], ",": [up, -1], "'": [right, 1], ";": [right, -1] };
        const [way, size] = ways[key] ?? turns[key] ?? [];
        if (!way) return false;
        const by = way.multiplyScalar(size * (ways[key] ? STEP : TURN));
        this.say(ways[key] ? "nudge" : "turn", ...by.toArray().map(x => x.toPrecision(6)));
        return true;
    }
}
