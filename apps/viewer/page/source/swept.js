// The shape that bodies sweep: a pale copy of each body that moves for every frame that is shown. Bodies that stand still get none, nor do strands
// and points. Of long series every second copy goes when there are too many, so that what is left covers all of the way.
import * as THREE from "three";
import { UNSHADED } from "./shading.js";

const COPIES = 64, FACES = 2e6, PALE = 0.12; // of one body, of all; opacity

const positionsOf = body => body.mesh.geometry.getAttribute("position").array;

function differ(a, b) {
    for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return true;
    return false;
}

export class Swept {
    constructor(scene, material) {
        this.scene = scene;
        this.material = material;
        this.tracks = []; // by body: the positions last seen, and the copies
        this.on = false;
    }

    setOn(on, bodies) {
        this.on = on;
        this.clear();
        if (on) this.show(bodies);
    }

    clear() {
        for (const track of this.tracks) {
            this.drop(track?.copies.splice(0) ?? []);
            track?.material?.dispose();
        }
        this.tracks = [];
    }

    drop(copies) {
        for (const copy of copies) {
            this.scene.remove(copy);
            copy.geometry.dispose();
        }
    }

    get count() {
        return this.tracks.reduce((sum, track) => sum + (track?.copies.length ?? 0), 0);
    }

    // After the positions of a frame have arrived.
    show(bodies) {
        if (!this.on) return;
        bodies.forEach((body, i) => {
            if (body.mesh.userData.places || !body.copies) return;
            const positions = positionsOf(body), track = this.tracks[i];
            if (!track) this.tracks[i] = { last: positions.slice(), copies: [], material: null };
            else if (track.last.length !== positions.length) {
                this.drop(track.copies.splice(0)); // it has other elements now
                track.last = positions.slice();
            } else if (differ(track.last, positions)) {
                if (track.copies.length === 0) this.add(track, body, track.last);
                track.last = positions.slice();
                this.add(track, body, track.last);
            }
        });
    }

    add(track, body, positions) {
        const geometry = new THREE.BufferGeometry();
        geometry.setAttribute("position", new THREE.BufferAttribute(positions, 3));
        geometry.setIndex(new THREE.BufferAttribute(body.index, 1));
        geometry.boundingSphere = body.mesh.geometry.boundingSphere.clone();
        track.material ??= this.material({ color: body.mesh.material.uniforms.color.value, transparent: true, depthWrite: false, forceSinglePass: true });
        track.material.uniforms.opacity.value = PALE;
        const copy = new THREE.Mesh(geometry, track.material);
        copy.frustumCulled = false;
        copy.layers.set(UNSHADED);
        copy.visible = body.mesh.visible;
        this.scene.add(copy);
        track.copies.push(copy);
        const faces = body.index.length / 3;
        if (track.copies.length > COPIES || track.copies.length * faces > FACES) this.thin(track);
    }

    thin(track) {
        this.drop(track.copies.filter((_, n) => n % 2 === 1));
        track.copies = track.copies.filter((_, n) => n % 2 === 0);
    }

    // As the body itself is told to look.
    style(index, { visible, color }) {
        const track = this.tracks[index];
        if (visible !== undefined) for (const copy of track?.copies ?? []) copy.visible = visible;
        if (color !== undefined) track?.material?.uniforms.color.value.set(color);
    }
}
