// Contacts as marks of a size in pixels: a disc with a rim and a short line along the normal. Few enough to see the model: of the
// contacts of two bodies in a cube of space one is drawn, the deepest. The cube is as large as some pixels at the distance the camera
// looks at, so more are drawn when it comes near. Marks lie a little in front of their place, as far as the contact is deep: they are seen
// where the surface is, and hidden behind what is in front of it.
import * as THREE from "three";
import { CONTACT_WORDS } from "./messages.js";
import { pushColor, uncertainColor } from "./palette.js";

const SPACING = 22, DISC = 9, STEM = 22, FORWARD = 5; // pixels

const place = `
#include <clipping_planes_pars_vertex>
attribute vec3 color;
attribute float ahead;
uniform float pixel, scale;
uniform bool through;
varying vec3 tint;
vec4 forward(vec4 at) {
    float near = ${FORWARD.toFixed(1)} * pixel * -at.z + ahead, range = max(-at.z, 1e-30);
    return through ? at : vec4(at.xyz * (1.0 - min(near / range, 0.5)), 1.0);
}`;

const discVertex = `${place}
void main() {
    tint = color;
    vec4 mvPosition = modelViewMatrix * vec4(position, 1.0);
    #include <clipping_planes_vertex>
    gl_Position = projectionMatrix * forward(mvPosition);
    gl_PointSize = ${DISC.toFixed(1)} * scale;
}`;
const discFragment = `
#include <clipping_planes_pars_fragment>
varying vec3 tint;
void main() {
    #include <clipping_planes_fragment>
    float far = 2.0 * length(gl_PointCoord - 0.5);
    if (far > 1.0) discard;
    gl_FragColor = vec4(far > 0.78 ? vec3(0.033) : tint, 1.0);
    #include <colorspace_fragment>
}`;

const stemVertex = `${place}
attribute float end;
void main() {
    tint = color;
    vec4 mvPosition = modelViewMatrix * vec4(position, 1.0);
    #include <clipping_planes_vertex>
    vec4 at = forward(mvPosition);
    at.xyz += end * ${STEM.toFixed(1)} * pixel * -at.z * (viewMatrix * vec4(normal, 0.0)).xyz;
    gl_Position = projectionMatrix * at;
}`;
const stemFragment = `
#include <clipping_planes_pars_fragment>
varying vec3 tint;
void main() {
    #include <clipping_planes_fragment>
    gl_FragColor = vec4(tint, 1.0);
    #include <colorspace_fragment>
}`;

function material(vertexShader, fragmentShader) {
    return new THREE.ShaderMaterial({ vertexShader, fragmentShader, clipping: true, clippingPlanes: [], uniforms: { pixel: { value: 0.001 }, scale: { value: 1 }, through: { value: false } } });
}

// A geometry whose attributes grow as needed.
function ensure(geometry, name, count, width) {
    const old = geometry.getAttribute(name);
    if (old && old.count >= count) return old;
    const attribute = new THREE.BufferAttribute(new Float32Array(width * Math.ceil(count * 1.5 + 16)), width);
    attribute.setUsage(THREE.DynamicDrawUsage);
    geometry.setAttribute(name, attribute);
    return attribute;
}

export class Glyphs {
    constructor(scene) {
        this.points = new THREE.Points(new THREE.BufferGeometry(), material(discVertex, discFragment));
        this.normals = new THREE.LineSegments(new THREE.BufferGeometry(), material(stemVertex, stemFragment));
        for (const object of [this.normals, this.points]) {
            object.frustumCulled = false;
            object.renderOrder = 1000;
            object.geometry.setDrawRange(0, 0);
            object.geometry.boundingSphere = new THREE.Sphere();
            scene.add(object);
        }
        this.frame = null;
        this.step = 0;
        this.filter = { depth: 0, pair: null, hidden: new Set() };
        this.drawn = this.matching = 0;
    }

    // frame: as messages.js has it; unit: of its pushes; null: as before.
    show(frame, unit) {
        this.frame = frame;
        this.range = Math.max(frame.push / unit, 1e-30);
        this.choose(true);
    }

    setFilter(changes) {
        Object.assign(this.filter, changes);
        this.choose(true);
    }

    setTheme(dark) {
        this.dark = dark;
        this.choose(true);
    }

    setCut(planes) {
        for (const { material } of [this.points, this.normals]) {
            material.clippingPlanes = planes;
            material.needsUpdate = true;
        }
    }

    setThrough(through) {
        for (const { material } of [this.points, this.normals]) {
            material.uniforms.through.value = through;
            material.depthTest = !through;
            material.transparent = through; // drawn after transparent bodies
        }
    }

    // Before every picture. pixel: what one is across at distance 1; distance: of what the camera looks at.
    place(pixel, distance, ratio) {
        for (const { material } of [this.points, this.normals]) {
            material.uniforms.pixel.value = pixel;
            material.uniforms.scale.value = ratio;
            material.uniformsNeedUpdate = true;
        }
        this.wanted = 2 ** Math.ceil(Math.log2(Math.max(SPACING * pixel * distance, 1e-30)));
        if (this.wanted !== this.step) this.choose(false);
    }

    passes(at) {
        const { contacts, contactIds } = this.frame, { depth, pair, hidden } = this.filter, a = contactIds[at + 9], b = contactIds[at + 11];
        return contacts[at + 6] >= depth * this.range && !hidden.has(a) && !hidden.has(b) && (!pair || (pair[0] === Math.min(a, b) && pair[1] === Math.max(a, b)));
    }

    // One contact of a pair of bodies in each cube of side `step`: the deepest, those that are certain first.
    choose(anew) {
        if (!this.frame || (!anew && this.wanted === this.step)) return;
        this.step = this.wanted ?? 0.05;
        const { contacts, contactIds, contactsSent } = this.frame, best = new Map(), per = 1 / this.step;
        this.matching = 0;
        for (let i = 0; i < contactsSent; i++) {
            const at = CONTACT_WORDS * i;
            if (!this.passes(at)) continue;
            this.matching++;
            const push = contacts[at + 6], worth = push > 1.000001 * this.range ? -1 : push;
            const hash = (Math.floor(contacts[at] * per) * 73856093) ^ (Math.floor(contacts[at + 1] * per) * 19349663) ^ (Math.floor(contacts[at + 2] * per) * 83492791);
            const key = (hash >>> 0) * 65536 + ((contactIds[at + 9] * 251 + contactIds[at + 11]) & 65535), other = best.get(key);
            if (!other || worth > other.worth) best.set(key, { at, worth });
        }
        this.fill([...best.values()]);
    }

    fill(chosen) {
        const count = chosen.length, { contacts } = this.frame, discs = this.points.geometry, stems = this.normals.geometry;
        const parts = [["position", 3], ["color", 3], ["normal", 3], ["ahead", 1]].map(([name, width]) => [width, ensure(discs, name, count, width), ensure(stems, name, 2 * count, width)]);
        const ends = ensure(stems, "end", 2 * count, 1);
        chosen.forEach(({ at }, i) => {
            const push = contacts[at + 6] / this.range, beyond = push > 1.000001; // not certain: the scale ends at the largest that is
            const color = (beyond ? uncertainColor(this.dark) : pushColor(push, this.dark)).map(linear);
            const values = [contacts.subarray(at, at + 3), color, contacts.subarray(at + 3, at + 6), [beyond ? 0 : Math.max(contacts[at + 6], 0)]];
            parts.forEach(([width, one, two], k) => {
                one.array.set(values[k], width * i);
                two.array.set(values[k], 2 * width * i);
                two.array.set(values[k], 2 * width * i + width);
            });
            ends.array[2 * i + 1] = 1;
        });
        for (const attribute of [...parts.flatMap(([, one, two]) => [one, two]), ends]) attribute.needsUpdate = true;
        discs.setDrawRange(0, count);
        stems.setDrawRange(0, 2 * count);
        this.drawn = count;
    }
}

// From a colour as screens have it, and as the legend is painted, to the amount of light that shaders count with.
function linear(x) {
    return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
}
