// Marks of the program's own (dent_view_set_markers): points, segments, arrows, and their texts. They lie over the bodies, of a size in
// pixels; texts are painted on a plain canvas, and on pictures that are saved.
import * as THREE from "three";

export const POINT = 0, ARROW = 2;
const DOT = 9, HEAD = [12, 4.5]; // pixels: across; long and half as wide

function attribute(geometry, name, values) {
    const old = geometry.getAttribute(name);
    if (old?.array.length === values.length) {
        old.array.set(values);
        old.needsUpdate = true;
    } else {
        geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array(values), 3));
    }
}

const color = new THREE.Color();
function light(rgb) {
    return color.setHex(rgb, THREE.SRGBColorSpace).toArray();
}

export class Markers {
    constructor(scene) {
        const look = { vertexColors: true, depthTest: false, transparent: true };
        this.points = new THREE.Points(new THREE.BufferGeometry(), new THREE.PointsMaterial({ ...look, size: DOT, sizeAttenuation: false }));
        this.points.material.onBeforeCompile = shader => (shader.fragmentShader = shader.fragmentShader.replace("#include <color_fragment>", "#include <color_fragment>\nif (length(gl_PointCoord - 0.5) > 0.5) discard;"));
        this.lines = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial(look));
        this.heads = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshBasicMaterial({ ...look, side: THREE.DoubleSide }));
        for (const object of [this.lines, this.heads, this.points]) {
            object.frustumCulled = false;
            object.renderOrder = 1100;
            object.raycast = () => {};
            object.visible = false;
            scene.add(object);
        }
        this.list = [];
    }

    // As messages.js has them.
    show(list) {
        this.list = list;
        const dots = list.filter(marker => marker.kind === POINT), long = list.filter(marker => marker.kind !== POINT);
        attribute(this.points.geometry, "position", dots.flatMap(marker => marker.a));
        attribute(this.points.geometry, "color", dots.flatMap(marker => light(marker.color)));
        attribute(this.lines.geometry, "position", long.flatMap(marker => [...marker.a, ...marker.b]));
        attribute(this.lines.geometry, "color", long.flatMap(marker => [...light(marker.color), ...light(marker.color)]));
        this.arrows = long.filter(marker => marker.kind === ARROW);
        attribute(this.heads.geometry, "color", this.arrows.flatMap(marker => [1, 2, 3].flatMap(() => light(marker.color))));
        this.points.visible = dots.length > 0;
        this.lines.visible = long.length > 0;
        this.heads.visible = this.arrows.length > 0;
    }

    // Before every picture: heads are flat and face the camera. pixel: what one is across at distance 1.
    place(camera, pixel, ratio) {
        this.points.material.size = DOT * ratio;
        if (!this.heads.visible) return;
        const [a, b, way, across, eye] = Array.from({ length: 5 }, () => new THREE.Vector3()), places = [];
        for (const marker of this.arrows) {
            a.fromArray(marker.a);
            b.fromArray(marker.b);
            eye.subVectors(b, camera.position);
            const size = Math.min(pixel * eye.length() * HEAD[0], 0.5 * a.distanceTo(b));
            way.subVectors(b, a).normalize();
            across.crossVectors(way, eye).normalize();
            for (const [back, aside] of [[0, 0], [1, HEAD[1] / HEAD[0]], [1, -HEAD[1] / HEAD[0]]]) {
                places.push(...b.clone().addScaledVector(way, -back * size).addScaledVector(across, aside * size).toArray());
            }
        }
        attribute(this.heads.geometry, "position", places);
    }

    get labelled() {
        return this.list.some(marker => marker.text);
    }

    // Texts beside their marks, on a picture of that size.
    paint(pen, camera, width, height, dark, size = 12) {
        const at = new THREE.Vector3();
        pen.font = `${size}px system-ui, sans-serif`;
        pen.lineJoin = "round";
        pen.lineWidth = size / 4;
        pen.textBaseline = "middle";
        for (const { a, text } of this.list) {
            if (!text) continue;
            at.fromArray(a).project(camera);
            if (!(Math.abs(at.z) <= 1)) continue;
            const x = (0.5 + 0.5 * at.x) * width + 0.6 * size, y = (0.5 - 0.5 * at.y) * height;
            pen.strokeStyle = dark ? "#14171b" : "#ffffff";
            pen.fillStyle = dark ? "#e7e9ec" : "#1b1f24";
            pen.strokeText(text, x, y);
            pen.fillText(text, x, y);
        }
        pen.textBaseline = "alphabetic";
    }
}
