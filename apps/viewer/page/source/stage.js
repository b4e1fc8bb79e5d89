// The 3-D side of the page: bodies, contacts, structures, cut plane, camera. Draws only when something changed.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { BALLS, CONTACT_WORDS, POLYTOPES } from "./messages.js";
import { bodyColor, pushColor, stressColors, uncertainColor } from "./palette.js";
import { drawsInSoftware, faceMaterial } from "./shading.js";
import { strandMesh } from "./strands.js";

const DRAFT = 0.6, DRAFT_FACES = 10000, STILL_AFTER = 400; // see refine()
const MARGIN = 1.12; // round what is fitted: bodies that move, and normals of contacts, stay in sight for a while
const LARGEST = 1e37; // beyond it products of floats overflow: not drawn

// A geometry whose attributes grow as needed.
function ensure(geometry, name, count, width) {
    const old = geometry.getAttribute(name);
    if (!old || old.count < count) {
        const attribute = new THREE.BufferAttribute(new Float32Array(width * Math.ceil(count * 1.5 + 16)), width);
        attribute.setUsage(THREE.DynamicDrawUsage);
        geometry.setAttribute(name, attribute);
        return attribute;
    }
    return old;
}

// A round mark with a dark rim, so that contacts stand out on every body.
function disc() {
    const canvas = Object.assign(document.createElement("canvas"), { width: 64, height: 64 }), pen = canvas.getContext("2d");
    for (const [radius, color] of [[30, "#333333"], [24, "#ffffff"]]) {
        pen.fillStyle = color;
        pen.beginPath();
        pen.arc(32, 32, radius, 0, 2 * Math.PI);
        pen.fill();
    }
    return new THREE.CanvasTexture(canvas);
}

export class Stage {
    // smooth: even edges whatever they cost, for pictures. Otherwise only a graphics card smooths them.
    constructor(canvas, onDrawn, smooth) {
        this.canvas = canvas;
        this.onDrawn = onDrawn;
        this.software = drawsInSoftware();
        this.drafts = this.software && !smooth;
        this.draft = this.playing = false;
        // A context of our own, without transparency to what is behind it: the browser then copies it instead of blending.
        const context = canvas.getContext("webgl2", { alpha: false, antialias: smooth || !this.software, powerPreference: "high-performance" });
        this.renderer = new THREE.WebGLRenderer({ canvas, context });
        canvas.addEventListener("webglcontextrestored", () => this.invalidate());
        this.renderer.localClippingEnabled = true;
        this.scene = new THREE.Scene();
        this.camera = new THREE.PerspectiveCamera(35, 1, 0.01, 1000);
        this.camera.up.set(0, 0, 1);
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.addEventListener("change", () => this.invalidate());
        this.controls.addEventListener("start", () => (this.untouched = false));
        this.untouched = false; // the camera is where fit() or look() put it: it goes along with the size of the window
        this.plane = new THREE.Plane(new THREE.Vector3(-1, 0, 0), 0);
        this.cutting = false;
        this.bodies = [];
        this.unit = 1; // of the model, in which everything here is measured
        this.bounds = new THREE.Box3(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1)); // until there is something to see
        this.makeContacts();
        this.boxes = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: 0x0072b2, transparent: true, opacity: 0.6 }));
        this.boxes.frustumCulled = false;
        this.scene.add(this.boxes);
        this.pickMark = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshBasicMaterial({ color: 0xf0e442, side: THREE.DoubleSide, polygonOffset: true, polygonOffsetFactor: -2, polygonOffsetUnits: -2 }));
        this.pickMark.frustumCulled = false;
        this.pickMark.visible = false;
        this.pickMark.geometry.boundingSphere = this.boxes.geometry.boundingSphere = new THREE.Sphere();
        this.scene.add(this.pickMark);
        this.fitted = false;
        this.pending = false;
        this.markedFaces = this.faceCount = 0;
        new ResizeObserver(() => requestAnimationFrame(() => this.resize())).observe(canvas.parentElement);
        this.resize();
    }

    makeContacts() {
        this.points = new THREE.Points(new THREE.BufferGeometry(), new THREE.PointsMaterial({ size: 9, sizeAttenuation: false, vertexColors: true, depthTest: false, transparent: true, alphaTest: 0.4, map: disc() }));
        this.normals = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ vertexColors: true, depthTest: false, transparent: true }));
        for (const object of [this.points, this.normals]) {
            object.frustumCulled = false;
            object.renderOrder = 10;
            object.geometry.setDrawRange(0, 0);
            object.geometry.boundingSphere = new THREE.Sphere(); // the renderer would compute one, and complain about numbers that are none
            this.scene.add(object);
        }
    }

    resize() {
        const box = this.canvas.parentElement.getBoundingClientRect(), width = Math.max(box.width, 1), height = Math.max(box.height, 1);
        const most = this.renderer.getContext().getParameter(this.renderer.getContext().MAX_RENDERBUFFER_SIZE) || 4096;
        const fine = Math.min(window.devicePixelRatio, this.software ? 1 : 2, most / width, most / height);
        this.renderer.setPixelRatio(fine * (this.draft ? DRAFT : 1));
        this.renderer.setSize(width, height, false);
        const same = Math.abs(this.camera.aspect - width / height) < 1e-6;
        this.camera.aspect = width / height;
        this.camera.updateProjectionMatrix();
        if (this.untouched && !same) this.placeCamera(this.camera.position.clone().sub(this.controls.target).normalize());
        this.invalidate();
    }

    invalidate() {
        if (!this.pending) {
            this.pending = true;
            requestAnimationFrame(() => this.draw());
        }
    }

    draw() {
        this.pending = false;
        if (this.resizeFirst) {
            this.resizeFirst = false;
            this.resize();
        }
        this.renderer.render(this.scene, this.camera);
        this.onDrawn();
        if (this.drafts) this.refine();
    }

    // Where the processor draws a large model, pictures that follow one another are coarser: while it plays, and while it is turned.
    // The last one is fine again.
    refine() {
        const now = performance.now(), moving = this.faceCount > DRAFT_FACES && (this.playing || now - (this.lastDrawn ?? -Infinity) < STILL_AFTER);
        this.lastDrawn = now;
        clearTimeout(this.stillness);
        if (moving && !this.draft) {
            this.draft = this.resizeFirst = true; // not now: it would wipe out what was just drawn
            this.invalidate();
        } else if (this.draft && !this.playing) {
            this.stillness = setTimeout(() => {
                this.draft = false;
                this.lastDrawn = undefined;
                this.resize();
            }, STILL_AFTER);
        }
    }

    setTheme(dark) {
        this.dark = dark;
        this.scene.background = new THREE.Color(dark ? 0x15181c : 0xfbfbf9);
        this.boxes.material.color.set(dark ? 0x56b4e9 : 0x0072b2);
        this.invalidate();
    }

    // keepView: the camera stays where it is.
    clear(keepView) {
        for (const body of this.bodies) {
            this.scene.remove(body.mesh, body.marked);
            for (const part of [body.mesh, body.marked]) {
                part.geometry.dispose();
                part.material.dispose();
            }
        }
        this.bodies = [];
        this.faceCount = 0;
        this.picked = null;
        this.pickMark.visible = false;
        this.fitted = this.fitted && keepView;
    }

    material(options) {
        return faceMaterial({ clippingPlanes: this.cutting ? [this.plane] : [], ...options });
    }

    addBody(topology, info) {
        if (topology.radii) {
            this.addStrands(topology, info);
            return;
        }
        const geometry = new THREE.BufferGeometry();
        const position = new THREE.BufferAttribute(new Float32Array(3 * topology.vertexNumbers.length), 3);
        position.setUsage(THREE.DynamicDrawUsage);
        geometry.setAttribute("position", position);
        const stress = new THREE.BufferAttribute(new Float32Array(topology.vertexNumbers.length), 1);
        stress.setUsage(THREE.DynamicDrawUsage);
        geometry.setAttribute("stress", stress);
        geometry.setIndex(new THREE.BufferAttribute(topology.corners, 1));
        const color = bodyColor(topology.body);
        const mesh = new THREE.Mesh(geometry, this.material({ color, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 }));
        const markedGeometry = new THREE.BufferGeometry();
        markedGeometry.setAttribute("position", position);
        geometry.boundingSphere = markedGeometry.boundingSphere = new THREE.Sphere();
        const marked = new THREE.Mesh(markedGeometry, this.material({ color: 0xd55e00, glow: 0x551500 }));
        marked.visible = false;
        mesh.frustumCulled = marked.frustumCulled = false;
        mesh.userData.body = topology.body;
        this.scene.add(mesh, marked);
        this.faceCount += topology.corners.length / 3;
        this.bodies[topology.body] = { mesh, marked, color, name: info.name, corners: topology.corners, numbers: topology.vertexNumbers };
    }

    addStrands(topology, info) {
        const color = bodyColor(topology.body), mesh = strandMesh(topology.radii, color, this.cutting ? [this.plane] : []);
        const marked = new THREE.Mesh(new THREE.BufferGeometry(), this.material({ color: 0xd55e00 })); // strands have no faces to mark
        marked.visible = false;
        mesh.userData.body = topology.body;
        this.scene.add(mesh, marked);
        this.faceCount += 2 * topology.radii.length;
        this.bodies[topology.body] = { mesh, marked, color, name: info.name, corners: topology.corners, numbers: topology.vertexNumbers };
    }

    setBody(index, { visible, color, opacity, wireframe }) {
        if (!this.bodies[index]) return; // its elements are still on their way
        const { mesh, marked } = this.bodies[index], material = mesh.material, strands = Boolean(mesh.userData.places);
        if (visible !== undefined) mesh.visible = visible;
        if (color !== undefined) material.uniforms.color.value.set(color);
        if (opacity !== undefined) {
            material.uniforms.opacity.value = opacity;
            material.transparent = opacity < 1;
            material.depthWrite = opacity >= 1;
            material.needsUpdate = true;
        }
        if (wireframe !== undefined && strands) material.uniforms.thin.value = wireframe ? 1 : 0;
        else if (wireframe !== undefined) material.wireframe = wireframe;
        marked.visible = mesh.visible && marked.userData.any === true;
        this.refreshPickMark();
        this.invalidate();
    }

    setMarks(index, marks) {
        const body = this.bodies[index], faces = [];
        if (marks) {
            for (let i = 0; i < marks.length; i++) {
                if (marks[i]) faces.push(body.corners[3 * i], body.corners[3 * i + 1], body.corners[3 * i + 2]);
            }
        }
        body.marked.userData.any = faces.length > 0;
        body.marked.visible = faces.length > 0 && body.mesh.visible;
        body.marked.geometry.setIndex(new THREE.BufferAttribute(new Uint32Array(faces), 1));
        return faces.length / 3;
    }

    showFrame(frame) {
        this.playing = frame.playing;
        frame.positions.forEach((positions, i) => {
            const { places } = this.bodies[i].mesh.userData, attribute = places ?? this.bodies[i].mesh.geometry.getAttribute("position");
            attribute.array.set(positions);
            attribute.needsUpdate = true;
        });
        this.showStress(frame.stress);
        this.markedFaces = 0;
        this.bodies.forEach((body, i) => {
            if (frame.marks || body.marked.userData.any) this.markedFaces += this.setMarks(i, frame.marks && frame.marks[i]);
        });
        this.measure(frame.positions);
        this.showContacts(frame);
        if (!this.fitted) {
            this.fit();
            this.fitted = true;
        }
        this.placeCut();
        this.refreshPickMark();
        this.invalidate();
    }

    // Colours from 0 to the largest of all bodies; null: bodies have their own.
    showStress(parts) {
        this.stressRange = 0;
        parts?.forEach(part => part.forEach(value => (this.stressRange = Math.max(this.stressRange, value))));
        this.bodies.forEach((body, i) => {
            if (body.mesh.userData.places) return; // strands have no stress
            const { uniforms } = body.mesh.material;
            uniforms.stressScale.value = parts ? 1 / Math.max(this.stressRange, 1e-37) : 0;
            if (!parts) return;
            stressColors().forEach((stop, k) => uniforms.stops.value[k].setRGB(...stop, THREE.SRGBColorSpace));
            const attribute = body.mesh.geometry.getAttribute("stress");
            attribute.array.set(parts[i]);
            attribute.needsUpdate = true;
        });
    }

    // The box of everything, and a ball round every body for picking and for drawing transparent ones in order.
    measure(parts) {
        const all = new THREE.Box3();
        parts.forEach((part, i) => {
            const box = boxOf(part);
            all.union(box);
            box.getBoundingSphere(this.bodies[i].mesh.geometry.boundingSphere);
        });
        if (!all.isEmpty()) this.bounds.copy(all);
    }

    showContacts(frame) {
        const count = frame.contactsSent, data = frame.contacts;
        const place = ensure(this.points.geometry, "position", count, 3), color = ensure(this.points.geometry, "color", count, 3);
        const ends = ensure(this.normals.geometry, "position", 2 * count, 3), endColors = ensure(this.normals.geometry, "color", 2 * count, 3);
        const length = 0.04 * this.bounds.getSize(new THREE.Vector3()).length();
        this.pushRange = Math.max(frame.push / this.unit, 1e-30); // pushes of contacts come in units
        for (let i = 0; i < count; i++) {
            const at = CONTACT_WORDS * i, push = data[at + 6] / this.pushRange, beyond = push > 1.000001; // not certain: the scale ends at the largest that is
            const [r, g, b] = (beyond ? uncertainColor(this.dark) : pushColor(push, this.dark)).map(linear);
            for (let k = 0; k < 3; k++) {
                place.array[3 * i + k] = ends.array[6 * i + k] = data[at + k];
                ends.array[6 * i + 3 + k] = data[at + k] + length * data[at + 3 + k];
            }
            color.array.set([r, g, b], 3 * i);
            endColors.array.set([r, g, b, r, g, b], 6 * i);
        }
        for (const attribute of [place, color, ends, endColors]) {
            attribute.clearUpdateRanges();
            attribute.addUpdateRange(0, (attribute === ends || attribute === endColors ? 6 : 3) * count);
            attribute.needsUpdate = count > 0;
        }
        this.points.geometry.setDrawRange(0, count);
        this.normals.geometry.setDrawRange(0, 2 * count);
    }

    showBoxes(message) {
        const lines = message.shape === POLYTOPES ? message.numbers : [];
        for (let i = 0; i < message.count && message.shape !== POLYTOPES; i++) {
            if (message.shape === BALLS) sphereLines(lines, message.numbers.subarray(4 * i, 4 * i + 4));
            else boxLines(lines, message.numbers.subarray(6 * i, 6 * i + 6));
        }
        this.boxes.geometry.dispose();
        this.boxes.geometry = new THREE.BufferGeometry();
        this.boxes.geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(lines), 3));
        this.boxes.geometry.boundingSphere = new THREE.Sphere();
        this.invalidate();
    }

    // Looks along the present direction from the distance at which the box of everything just fits the window.
    fit() {
        const direction = this.camera.position.clone().sub(this.controls.target);
        if (!(direction.length() > 0) || !this.fitted) direction.set(0.75, -1, 0.55);
        this.placeCamera(direction.normalize());
    }

    // A vertex p, seen from `direction`, is in the picture when |p.across - c| <= wide * (distance - p.direction), and likewise
    // upward: the largest of both sides over all vertices give the best place c to look at and the least distance.
    placeCamera(direction) {
        const size = this.bounds.getSize(new THREE.Vector3()).length() || 1, middle = this.bounds.getCenter(new THREE.Vector3());
        const across = new THREE.Vector3().crossVectors(this.camera.up, direction).normalize(), upward = new THREE.Vector3().crossVectors(direction, across);
        const slope = Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2)), wide = slope * this.camera.aspect;
        const reach = this.reach(middle, [[across, wide], [across.clone().negate(), wide], [upward, slope], [upward.clone().negate(), slope]].map(([way, rate]) => way.clone().addScaledVector(direction, rate)));
        const distance = Math.max(0.1 * size, (reach[0] + reach[1]) / (2 * wide), (reach[2] + reach[3]) / (2 * slope));
        this.controls.target.copy(middle).addScaledVector(across, (reach[0] - reach[1]) / 2).addScaledVector(upward, (reach[2] - reach[3]) / 2);
        this.centre(across, upward, direction, MARGIN * distance);
        this.camera.position.copy(this.controls.target).addScaledVector(direction, MARGIN * distance);
        this.untouched = true;
        this.camera.near = size * 1e-3;
        this.camera.far = size * 100;
        this.camera.updateProjectionMatrix();
        this.controls.update();
        this.invalidate();
    }

    // Moves the target across and upward until what is seen from that distance reaches as far to the right as to the left, and as far
    // up as down. Where the picture has room to spare that is another place than the one with the least distance.
    centre(across, upward, direction, distance) {
        for (let round = 0; round < 4; round++) {
            const { target } = this.controls, far = [0, 0, 0, 0];
            this.eachVertex(target, (x, y, z) => {
                const depth = distance - (x * direction.x + y * direction.y + z * direction.z);
                const right = (x * across.x + y * across.y + z * across.z) / depth, up = (x * upward.x + y * upward.y + z * upward.z) / depth;
                if (right > far[0]) far[0] = right;
                else if (-right > far[1]) far[1] = -right;
                if (up > far[2]) far[2] = up;
                else if (-up > far[3]) far[3] = -up;
            });
            target.addScaledVector(across, (distance * (far[0] - far[1])) / 2).addScaledVector(upward, (distance * (far[2] - far[3])) / 2);
        }
    }

    eachVertex(middle, visit) {
        for (const body of this.bodies) {
            const { array: places } = body.mesh.userData.places ?? body.mesh.geometry.getAttribute("position");
            for (let i = 0; i + 2 < places.length; i += 3) {
                const x = places[i] - middle.x, y = places[i + 1] - middle.y, z = places[i + 2] - middle.z;
                if (Math.abs(x) + Math.abs(y) + Math.abs(z) < LARGEST) visit(x, y, z);
            }
        }
    }

    // How far the vertices reach from the middle along each of the ways.
    reach(middle, ways) {
        const far = ways.map(() => -Infinity);
        this.eachVertex(middle, (x, y, z) => {
            for (let k = 0; k < ways.length; k++) far[k] = Math.max(far[k], x * ways[k].x + y * ways[k].y + z * ways[k].z);
        });
        return far.map(x => (x > -Infinity ? x : 1));
    }

    // By keys: round the target in degrees, nearer or farther, across by a tenth of the picture.
    turn(azimuth, elevation) {
        this.untouched = false;
        const place = new THREE.Spherical().setFromVector3(this.camera.position.clone().sub(this.controls.target).applyAxisAngle(new THREE.Vector3(1, 0, 0), -Math.PI / 2));
        place.theta += THREE.MathUtils.degToRad(azimuth);
        place.phi -= THREE.MathUtils.degToRad(elevation);
        this.camera.position.setFromSpherical(place.makeSafe()).applyAxisAngle(new THREE.Vector3(1, 0, 0), Math.PI / 2).add(this.controls.target);
        this.controls.update();
    }

    zoom(factor) {
        this.untouched = false;
        this.camera.position.sub(this.controls.target).multiplyScalar(factor).add(this.controls.target);
        this.controls.update();
    }

    pan(right, up) {
        this.untouched = false;
        const step = 0.1 * this.camera.position.distanceTo(this.controls.target) * Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2)) * 2;
        const move = new THREE.Vector3(right, up, 0).multiplyScalar(step).applyQuaternion(this.camera.quaternion);
        this.camera.position.add(move);
        this.controls.target.add(move);
        this.controls.update();
    }

    look(azimuth, elevation) {
        const a = THREE.MathUtils.degToRad(azimuth), e = THREE.MathUtils.degToRad(elevation);
        this.placeCamera(new THREE.Vector3(Math.cos(a) * Math.cos(e), Math.sin(a) * Math.cos(e), Math.sin(e)));
    }

    setCut(on, axis, part, flip) {
        this.cut = { axis, part, flip };
        if (on !== this.cutting) {
            this.cutting = on;
            for (const body of this.bodies) {
                for (const mesh of [body.mesh, body.marked]) {
                    mesh.material.clippingPlanes = on ? [this.plane] : [];
                    mesh.material.needsUpdate = true;
                }
            }
        }
        this.placeCut();
        this.invalidate();
    }

    placeCut() {
        if (!this.cut) return;
        const { axis, part, flip } = this.cut, name = "xyz"[axis], sign = flip ? 1 : -1;
        const place = this.bounds.min[name] + part * (this.bounds.max[name] - this.bounds.min[name]);
        this.plane.normal.set(0, 0, 0)[name] = sign;
        this.plane.constant = -sign * place;
    }

    ray(event) {
        const box = this.canvas.getBoundingClientRect();
        const place = new THREE.Vector2(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2);
        const caster = new THREE.Raycaster();
        caster.setFromCamera(place, this.camera);
        return caster;
    }

    // The face under the mouse: { body, face, vertex (nearest corner, as the body numbers it), point }.
    pick(event) {
        const caster = this.ray(event), meshes = this.bodies.filter(body => body.mesh.visible).map(body => body.mesh);
        const hit = caster.intersectObjects(meshes, false).find(h => !this.cutting || this.plane.distanceToPoint(h.point) >= 0);
        if (!hit) return null;
        const body = hit.object.userData.body, { corners, numbers } = this.bodies[body], position = hit.object.geometry.getAttribute("position");
        let best = null, distance = Infinity;
        for (let k = 0; k < 3; k++) {
            const place = new THREE.Vector3().fromBufferAttribute(position, corners[3 * hit.faceIndex + k]);
            if (place.distanceTo(hit.point) < distance) [best, distance] = [corners[3 * hit.faceIndex + k], place.distanceTo(hit.point)];
        }
        return { body, face: hit.faceIndex, vertex: numbers[best], point: new THREE.Vector3().fromBufferAttribute(position, best) };
    }

    // Where the ray through the mouse meets the plane through `point` that faces the camera.
    dragTo(event, point) {
        const normal = this.camera.getWorldDirection(new THREE.Vector3());
        return this.ray(event).ray.intersectPlane(new THREE.Plane().setFromNormalAndCoplanarPoint(normal, point), new THREE.Vector3());
    }

    markPick(pick) {
        this.picked = pick;
        this.refreshPickMark();
        this.invalidate();
    }

    refreshPickMark() {
        this.pickMark.visible = Boolean(this.picked) && this.bodies[this.picked.body]?.mesh.visible === true;
        if (!this.pickMark.visible) return;
        const { mesh, corners } = this.bodies[this.picked.body], f = this.picked.face;
        this.pickMark.geometry.setAttribute("position", mesh.geometry.getAttribute("position"));
        this.pickMark.geometry.setIndex([corners[3 * f], corners[3 * f + 1], corners[3 * f + 2]]);
    }
}

// From a colour as screens have it, and as the legend is painted, to the amount of light that shaders count with.
function linear(x) {
    return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
}

// What is not a number or too large to draw does not count; nothing left: a box that is empty.
function boxOf(positions) {
    const low = [LARGEST, LARGEST, LARGEST], high = [-LARGEST, -LARGEST, -LARGEST];
    for (let i = 0; i < positions.length; i += 3) {
        const x = positions[i], y = positions[i + 1], z = positions[i + 2];
        if (x < low[0] && x > -LARGEST) low[0] = x;
        if (x > high[0] && x < LARGEST) high[0] = x;
        if (y < low[1] && y > -LARGEST) low[1] = y;
        if (y > high[1] && y < LARGEST) high[1] = y;
        if (z < low[2] && z > -LARGEST) low[2] = z;
        if (z > high[2] && z < LARGEST) high[2] = z;
    }
    return low.every((x, k) => x <= high[k]) ? new THREE.Box3(new THREE.Vector3(...low), new THREE.Vector3(...high)) : new THREE.Box3();
}

function boxLines(lines, [x0, y0, z0, x1, y1, z1]) {
    const corner = i => [i & 1 ? x1 : x0, i & 2 ? y1 : y0, i & 4 ? z1 : z0];
    for (let i = 0; i < 8; i++) {
        for (const bit of [1, 2, 4]) {
            if ((i & bit) === 0) lines.push(...corner(i), ...corner(i | bit));
        }
    }
}

function sphereLines(lines, [x, y, z, r]) {
    const sides = 20;
    for (let axis = 0; axis < 3; axis++) {
        for (let i = 0; i < sides; i++) {
            for (const j of [i, i + 1]) {
                const c = r * Math.cos((2 * Math.PI * j) / sides), s = r * Math.sin((2 * Math.PI * j) / sides);
                lines.push(...(axis === 0 ? [x, y + c, z + s] : axis === 1 ? [x + c, y, z + s] : [x + c, y + s, z]));
            }
        }
    }
}
