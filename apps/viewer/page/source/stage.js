// The 3-D side of the page: bodies, contacts, structures, cut plane, camera. Draws only when something changed.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Cut } from "./cut.js";
import { Glyphs } from "./glyphs.js";
import { Markers } from "./markers.js";
import { Looks } from "./looks.js";
import { BALLS, POLYTOPES } from "./messages.js";
import { bodyColor, fieldColors } from "./palette.js";
import { curveMaterials, curveMesh, fillPoints, pointMesh, valueRange } from "./points.js";
import { UNSHADED, drawsInSoftware, faceMaterial } from "./shading.js";
import { splitAtCreases, uniqueEdges, writeNormals } from "./smoothing.js";
import { strandMesh } from "./strands.js";
import { Swept } from "./swept.js";

const DRAFT = 0.6, DRAFT_FACES = 10000, STILL_AFTER = 400, RICH_PIXELS = 4e6; // see refine()
const MARGIN = 1.12; // round what is fitted: bodies that move, and normals of contacts, stay in sight for a while
const LARGEST = 1e37; // beyond it products of floats overflow: not drawn

const SMOOTH_FACES = 150000; // so many get new normals in every frame while it plays; more are shaded flat until it stops

// Directions of the ground for each axis that may point up: to the right and away, seen from the front.
const grounds = { x: [[0, 1, 0], [0, 0, 1]], y: [[1, 0, 0], [0, 0, -1]], z: [[1, 0, 0], [0, 1, 0]] };

export class Stage {
    // smooth: even edges whatever they cost, for pictures. Otherwise only a graphics card smooths them.
    constructor(canvas, onDrawn, smooth) {
        this.canvas = canvas;
        this.onDrawn = onDrawn;
        this.software = drawsInSoftware();
        this.drafts = this.software && !smooth;
        this.draft = this.playing = false;
        this.followers = 0;
        // A context of our own, without transparency to what is behind it: the browser then copies it instead of blending.
        const context = canvas.getContext("webgl2", { alpha: false, antialias: smooth || !this.software, stencil: true, powerPreference: "high-performance" });
        this.renderer = new THREE.WebGLRenderer({ canvas, context });
        this.renderer.autoClear = false;
        canvas.addEventListener("webglcontextrestored", () => this.invalidate());
        this.renderer.localClippingEnabled = true;
        this.scene = new THREE.Scene();
        this.camera = new THREE.PerspectiveCamera(35, 1, 0.01, 1000);
        this.camera.up.set(0, 0, 1);
        this.camera.layers.enable(UNSHADED);
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.addEventListener("change", () => this.invalidate());
        this.controls.addEventListener("start", () => (this.untouched = false));
        this.untouched = false; // the camera is where fit() or look() put it: it goes along with the size of the window
        this.front = new THREE.Scene(); // marks of contacts and the like: over the model, and not shaded by it
        this.cutter = new Cut(this.scene);
        this.upAxis = "z";
        this.upward = { value: new THREE.Vector3(0, 1, 0) }; // as the camera sees it
        this.looks = new Looks(this.renderer, smooth || !this.software);
        this.effects = true;
        this.filmed = false; // every frame is drawn for a video, and for that alone
        this.bodies = [];
        this.unit = 1; // of the model, in which everything here is measured
        this.bounds = new THREE.Box3(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1)); // until there is something to see
        this.glyphs = new Glyphs(this.front);
        this.markers = new Markers(this.front);
        this.points = this.glyphs.points;
        this.normals = this.glyphs.normals;
        this.boxes = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: 0x0072b2, transparent: true, opacity: 0.6 }));
        this.boxes.frustumCulled = false;
        this.front.add(this.boxes);
        this.swept = new Swept(this.scene, options => this.material(options));
        this.pickMark = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshBasicMaterial({ color: 0xf0e442, side: THREE.DoubleSide, polygonOffset: true, polygonOffsetFactor: -2, polygonOffsetUnits: -2 }));
        this.pickMark.frustumCulled = false;
        this.pickMark.visible = false;
        this.pickMark.geometry.boundingSphere = this.boxes.geometry.boundingSphere = new THREE.Sphere();
        this.scene.add(this.pickMark);
        this.fitted = false;
        this.pending = false;
        this.markedFaces = this.faceCount = 0;
        // A snapshot is taken of the frame in which the browser has made the window as large as asked: what is drawn must have that size in
        // the same frame, or it is stretched.
        const resized = smooth ? () => (this.resize(), this.draw()) : () => requestAnimationFrame(() => this.resize());
        new ResizeObserver(resized).observe(canvas.parentElement);
        this.resize();
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
        clearTimeout(this.stillness); // the picture sets it again
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
        if (!this.filmed) this.render(this.camera, this.canvas.clientHeight || 1, this.renderer.getPixelRatio(), this.effects && !(this.software && (this.draft || this.playing || this.drafts && (this.moving() || this.canvas.width * this.canvas.height > RICH_PIXELS))));
        this.onDrawn();
        if (this.drafts) this.refine();
    }

    // One picture, `height` pixels of the page high, to whatever is drawn on.
    render(camera, height, ratio, rich) {
        const pixel = (2 * Math.tan(THREE.MathUtils.degToRad(camera.fov / 2))) / height;
        camera.updateMatrixWorld();
        this.upward.value.copy(camera.up).transformDirection(camera.matrixWorldInverse);
        this.glyphs.place(pixel, camera.position.distanceTo(this.controls.target), ratio);
        this.markers.place(camera, pixel, ratio);
        this.looks.render(this.scene, this.front, camera, rich ? { bodies: this.bodies, bounds: this.bounds, axis: this.upAxis, dark: this.dark, planes: this.cutter.planes(), size: this.bounds.getSize(new THREE.Vector3()).length() } : null);
    }

    // Until nothing has asked for a picture for a while. How long a picture takes does not matter: slow ones are not taken for rest.
    moving() {
        return this.lastDrawn !== undefined;
    }

    // Where the processor draws a large model, pictures that follow one another are coarser: while it plays, and while it is turned.
    // The last one is fine again.
    refine() {
        const rested = !this.moving();
        this.lastDrawn = performance.now();
        this.followers = rested ? 0 : this.followers + 1; // pictures since the one at rest
        const moving = this.faceCount > DRAFT_FACES && (this.playing || this.followers > 1);
        clearTimeout(this.stillness);
        if (moving && !this.draft) {
            this.draft = this.resizeFirst = true; // not now: it would wipe out what was just drawn
            this.invalidate();
        } else if ((this.draft || !rested) && !this.playing) {
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
        this.glyphs.setTheme(dark);
        for (const { edges } of this.bodies) edges?.material.color.set(dark ? 0xd0d4da : 0x30343a);
        this.invalidate();
    }

    // keepView: the camera stays where it is.
    clear(keepView) {
        for (const body of this.bodies) {
            const parts = [body.mesh, body.marked, ...(body.edges ? [body.edges] : [])];
            this.scene.remove(...parts);
            for (const part of parts) {
                part.geometry.dispose();
                part.material.dispose();
            }
        }
        this.showClouds(null);
        this.swept.clear();
        this.bodies = [];
        this.cutter.clear();
        this.faceCount = 0;
        this.picked = null;
        this.pickMark.visible = false;
        this.fitted = this.fitted && keepView;
    }

    material(options) {
        return faceMaterial({ clippingPlanes: this.cutter.planes(), up: this.upward, ...options });
    }

    addBody(topology, info) {
        if (topology.radii || info.kind === "points") {
            this.addInstances(topology, info);
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
        this.bodies[topology.body] = { mesh, marked, color, name: info.name, corners: topology.corners, numbers: topology.vertexNumbers, closed: info.closed === true, copies: null };
    }

    // The first positions tell where surfaces are sharp: copies of vertices there follow those of the body.
    split(body, positions) {
        const count = body.numbers.length, { index, copies } = splitAtCreases(body.corners, count, positions), { geometry } = body.mesh, total = count + copies.length;
        const attribute = (name, width) => {
            const made = new THREE.BufferAttribute(new Float32Array(width * total), width);
            made.setUsage(THREE.DynamicDrawUsage);
            geometry.setAttribute(name, made);
            return made;
        };
        const position = attribute("position", 3);
        attribute("normal", 3);
        attribute("stress", 1);
        geometry.setIndex(new THREE.BufferAttribute(index, 1));
        body.marked.geometry.setAttribute("position", position);
        body.marked.geometry.setAttribute("normal", geometry.getAttribute("normal"));
        body.marked.geometry.setAttribute("stress", geometry.getAttribute("stress"));
        if (body.edges) body.edges.geometry.setAttribute("position", position);
        Object.assign(body, { copies, index });
    }

    move(body, positions) {
        if (body.mesh.userData.places) {
            body.mesh.userData.places.array.set(positions);
            body.mesh.userData.places.needsUpdate = true;
            return;
        }
        if (!body.copies) this.split(body, positions);
        const attribute = body.mesh.geometry.getAttribute("position"), { array } = attribute, count = body.numbers.length;
        array.set(positions);
        body.copies.forEach((vertex, k) => {
            for (let axis = 0; axis < 3; axis++) array[3 * (count + k) + axis] = positions[3 * vertex + axis];
        });
        attribute.needsUpdate = true;
        const even = !this.playing || this.faceCount <= (this.software ? SMOOTH_FACES / 10 : SMOOTH_FACES);
        for (const mesh of [body.mesh, body.marked]) mesh.material.uniforms.even.value = even;
        if (even) {
            const normals = body.mesh.geometry.getAttribute("normal");
            writeNormals(body.index, array, normals.array);
            normals.needsUpdate = true;
        }
    }

    setEdges(on) {
        this.edgesOn = on;
        for (const body of this.bodies) {
            if (on && !body.edges && body.corners.length > 0) {
                body.edges = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: this.dark ? 0xd0d4da : 0x30343a, transparent: true, opacity: 0.35, clippingPlanes: this.cutter.planes() }));
                body.edges.geometry.setAttribute("position", body.mesh.geometry.getAttribute("position"));
                body.edges.geometry.setIndex(new THREE.BufferAttribute(uniqueEdges(body.corners), 1));
                body.edges.geometry.boundingSphere = new THREE.Sphere();
                body.edges.frustumCulled = false;
                this.scene.add(body.edges);
            }
            if (body.edges) body.edges.visible = on && body.mesh.visible;
        }
        this.invalidate();
    }

    setSwept(on) {
        this.swept.setOn(on, this.bodies);
        this.invalidate();
    }

    // Strands or points: one shape for each segment or point.
    addInstances(topology, info) {
        const color = bodyColor(topology.body), planes = this.cutter.planes(), count = topology.vertexNumbers.length;
        const mesh = topology.radii ? strandMesh(topology.radii, color, planes, this.upward) : pointMesh(count, color, planes);
        const marked = new THREE.Mesh(new THREE.BufferGeometry(), this.material({ color: 0xd55e00 })); // they have no faces to mark
        marked.visible = false;
        mesh.userData.body = topology.body;
        this.scene.add(mesh, marked);
        this.faceCount += 2 * count;
        this.bodies[topology.body] = { mesh, marked, color, name: info.name, corners: topology.corners, numbers: topology.vertexNumbers };
    }

    setBody(index, { visible, color, opacity, wireframe }) {
        if (!this.bodies[index]) return; // its elements are still on their way
        const { mesh, marked } = this.bodies[index], material = mesh.material, strands = Boolean(mesh.userData.places);
        if (visible !== undefined) {
            mesh.visible = visible;
            this.looks.moved = true; // what is hidden casts no shadow
        }
        if (color !== undefined) material.uniforms.color.value.set(color);
        this.swept.style(index, { visible, color });
        if (opacity !== undefined) {
            material.uniforms.opacity.value = opacity;
            material.transparent = opacity < 1;
            material.depthWrite = opacity >= 1;
            material.needsUpdate = true;
        }
        if (wireframe !== undefined && strands) material.uniforms.thin.value = wireframe ? 1 : 0;
        else if (wireframe !== undefined) material.wireframe = wireframe;
        marked.visible = mesh.visible && marked.userData.any === true;
        if (visible !== undefined) this.glyphs.setFilter({ hidden: new Set(this.bodies.flatMap((body, i) => (body.mesh.visible ? [] : [i]))) });
        if (this.edgesOn) this.setEdges(true);
        if (this.cutting) this.recut();
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
        frame.positions.forEach((positions, i) => this.move(this.bodies[i], positions));
        this.looks.moved = true;
        if (this.edgesOn) this.setEdges(true);
        this.showField(frame.stress);
        if (!frame.pending) this.showClouds(frame.clouds);
        this.markedFaces = 0;
        this.bodies.forEach((body, i) => {
            if (frame.marks || body.marked.userData.any) this.markedFaces += this.setMarks(i, frame.marks && frame.marks[i]);
        });
        this.measure(frame.positions);
        this.swept.show(this.bodies);
        this.glyphs.show(frame, this.unit);
        this.markers.show(frame.markers);
        if (!this.fitted) {
            this.fit();
            this.fitted = true;
        }
        this.placeCut();
        this.refreshPickMark();
        this.invalidate();
    }

    // Colours from 0 to the largest of all bodies, or as far as `field` says; null: bodies have their own.
    showField(parts) {
        this.stressRange = 0;
        parts?.forEach(part => part.forEach(value => (this.stressRange = Math.max(this.stressRange, value))));
        const { end, reversed = false } = this.field ?? {}, range = end ?? this.stressRange;
        this.bodies.forEach((body, i) => {
            if (body.mesh.userData.places) return; // strands have no fields
            const { uniforms } = body.mesh.material, count = body.numbers.length;
            uniforms.stressScale.value = parts ? 1 / Math.max(range, 1e-37) : 0;
            if (!parts) return;
            fieldColors(reversed).forEach((stop, k) => uniforms.stops.value[k].setRGB(...stop, THREE.SRGBColorSpace));
            const attribute = body.mesh.geometry.getAttribute("stress");
            attribute.array.set(parts[i]);
            body.copies.forEach((vertex, k) => (attribute.array[count + k] = parts[i][vertex]));
            attribute.needsUpdate = true;
        });
    }

    // Discs of points with their colours, and the curve in which clouds meet; null: there are none.
    showClouds(clouds) {
        if (this.curve) {
            this.scene.remove(this.curve);
            this.curve.geometry.dispose();
            curveMaterials(this.curve).forEach(material => material.dispose());
            this.curve = null;
        }
        this.valueRange = clouds ? valueRange(clouds.points) : 0;
        if (!clouds) return;
        clouds.points.forEach((part, i) => part && fillPoints(this.bodies[i].mesh, part, this.valueRange));
        if (clouds.lines.length > 0) {
            this.curve = curveMesh(clouds.lines, 0.008, this.cutter.planes());
            this.scene.add(this.curve);
        }
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
        if (!(direction.length() > 0) || !this.fitted) direction.copy(this.direction(-53, 24));
        this.placeCamera(direction.normalize());
    }

    // Looks at some bodies only, as if there were no others.
    frame(indices) {
        const chosen = new Set(indices);
        this.only = (_, i) => chosen.has(i);
        const bounds = new THREE.Box3();
        this.bodies.forEach((body, i) => chosen.has(i) && bounds.union(boxOf(body.mesh.userData.places?.array ?? body.mesh.geometry.getAttribute("position").array)));
        const { bounds: whole } = this;
        if (!bounds.isEmpty()) this.bounds = bounds;
        this.placeCamera(this.camera.position.clone().sub(this.controls.target).normalize());
        this.bounds = whole;
        this.only = null;
        this.untouched = false;
        this.depthRange();
    }

    // Looks at a place from where it is, with so much of the model round it in sight.
    approach(point, radius) {
        const direction = this.camera.position.clone().sub(this.controls.target).normalize(), slope = Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2));
        this.controls.target.copy(point);
        this.camera.position.copy(point).addScaledVector(direction, radius / slope);
        this.untouched = false;
        this.depthRange();
        this.controls.update();
        this.invalidate();
    }

    depthRange() {
        const size = this.bounds.getSize(new THREE.Vector3()).length() || 1, distance = this.camera.position.distanceTo(this.controls.target);
        this.camera.near = Math.max(Math.min(size * 1e-2, distance * 0.02), size * 1e-5);
        this.camera.far = size * 100;
        this.camera.updateProjectionMatrix();
    }

    // Towards the camera: degrees round the axis that points up and above the ground.
    direction(azimuth, elevation) {
        const a = THREE.MathUtils.degToRad(azimuth), e = THREE.MathUtils.degToRad(elevation), [right, away] = grounds[this.upAxis].map(parts => new THREE.Vector3(...parts));
        return right.multiplyScalar(Math.cos(a) * Math.cos(e)).addScaledVector(away, Math.sin(a) * Math.cos(e)).addScaledVector(this.camera.up, Math.sin(e));
    }

    setUp(axis) {
        this.upAxis = axis;
        this.camera.up.set(0, 0, 0)[axis] = 1;
        this.controls._quat.setFromUnitVectors(this.camera.up, new THREE.Vector3(0, 1, 0)); // where it is kept since the controls were made
        this.controls._quatInverse.copy(this.controls._quat).invert();
        this.looks.moved = true;
        this.placeCamera(this.direction(-53, 24));
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
        this.depthRange();
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

    // Of what is seen: bodies that are hidden do not count, unless all are, nor does what the cut takes away.
    eachVertex(middle, visit) {
        const { plane } = this.cutter, hidden = this.bodies.some(body => body.mesh.visible) ? body => !body.mesh.visible : () => false;
        for (const [i, body] of this.bodies.entries()) {
            if (this.only ? !this.only(body, i) : hidden(body)) continue;
            const { array: places } = body.mesh.userData.places ?? body.mesh.geometry.getAttribute("position");
            for (let i = 0; i + 2 < places.length; i += 3) {
                const x = places[i] - middle.x, y = places[i + 1] - middle.y, z = places[i + 2] - middle.z;
                if (Math.abs(x) + Math.abs(y) + Math.abs(z) < LARGEST && (!this.cutting || plane.normal.x * places[i] + plane.normal.y * places[i + 1] + plane.normal.z * places[i + 2] + plane.constant >= 0)) visit(x, y, z);
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
        const upright = new THREE.Quaternion().setFromUnitVectors(this.camera.up, new THREE.Vector3(0, 1, 0));
        const place = new THREE.Spherical().setFromVector3(this.camera.position.clone().sub(this.controls.target).applyQuaternion(upright));
        place.theta += THREE.MathUtils.degToRad(azimuth);
        place.phi -= THREE.MathUtils.degToRad(elevation);
        this.camera.position.setFromSpherical(place.makeSafe()).applyQuaternion(upright.invert()).add(this.controls.target);
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
        this.placeCamera(this.direction(azimuth, elevation));
    }

    get cutting() {
        return this.cutter.on;
    }

    setCut(on, axis, part, flip) {
        this.cut = { axis, part, flip };
        if (on !== this.cutting) {
            this.cutter.on = on;
            const planes = this.cutter.planes();
            for (const body of this.bodies) {
                for (const mesh of [body.mesh, body.marked, ...(body.edges ? [body.edges] : [])]) {
                    mesh.material.clippingPlanes = planes;
                    mesh.material.needsUpdate = true;
                }
            }
            this.boxes.material.clippingPlanes = this.pickMark.material.clippingPlanes = planes;
            this.boxes.material.needsUpdate = this.pickMark.material.needsUpdate = true;
            this.glyphs.setCut(planes);
            this.recut();
            if (this.curve) {
                curveMaterials(this.curve).forEach(material => Object.assign(material, { clippingPlanes: planes, needsUpdate: true }));
            }
        }
        this.placeCut();
        this.looks.moved = true;
        this.invalidate();
    }

    recut() {
        this.cutter.rebuild(this.bodies);
        this.placeCut();
    }

    placeCut() {
        if (this.cut) this.cutter.place(this.cut, this.bounds);
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
        const hit = caster.intersectObjects(meshes, false).find(h => !this.cutting || this.cutter.plane.distanceToPoint(h.point) >= 0);
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
