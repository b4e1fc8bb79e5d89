// How clouds are drawn: every point is a disc at a right angle to its normal, coloured by the implicit function of the other cloud there;
// a tube follows the curve in which two clouds meet. Discs smaller than two pixels are drawn that large. As a wireframe all are.
import * as THREE from "three";
import { POINT_WORDS } from "./messages.js";
import { UNSHADED } from "./shading.js";
import { strandMesh } from "./strands.js";

const NO_VALUE = 1e38; // and above: the function is undefined there
const FIRST_RADIUS = 0.004; // of the unit, until the tool has told the sizes
const BELOW = [0, 90, 181], ZERO = [245, 245, 240], ABOVE = [220, 100, 0]; // inside, on and outside the other surface
const CURVE = 0xcc0066, HIDDEN = 0.4; // opacity where discs lie before the curve

const vertexShader = `
#include <clipping_planes_pars_vertex>
attribute vec3 place, facing;
attribute vec2 facts; // radius, value
uniform float pixel, thin;
varying vec2 across;
varying vec3 front;
varying float amount;
void main() {
    vec4 mvPosition = modelViewMatrix * vec4(place, 1.0);
    vec3 towards = normalize(-mvPosition.xyz);
    front = dot(facing, facing) > 0.0 ? normalize((modelViewMatrix * vec4(facing, 0.0)).xyz) : towards;
    front *= dot(front, towards) < 0.0 ? -1.0 : 1.0;
    float least = pixel * -mvPosition.z;
    bool small = thin > 0.5 || facts.x < least;
    front = small ? towards : front;
    vec3 right = normalize(cross(abs(front.x) < 0.8 ? vec3(1.0, 0.0, 0.0) : vec3(0.0, 1.0, 0.0), front));
    mvPosition.xyz += (small ? least : facts.x) * (position.x * right + position.y * cross(front, right));
    across = position.xy;
    amount = facts.y;
    gl_Position = projectionMatrix * mvPosition;
    #include <clipping_planes_vertex>
}`;

const fragmentShader = `
#include <clipping_planes_pars_fragment>
uniform vec3 color, glow, below, zero, above;
uniform float opacity, scale;
varying vec2 across;
varying vec3 front;
varying float amount;
void main() {
    #include <clipping_planes_fragment>
    if (dot(across, across) > 1.0) discard;
    float part = clamp(amount * scale, -1.0, 1.0);
    vec3 own = scale > 0.0 && amount < ${NO_VALUE.toExponential(1)} ? mix(zero, part < 0.0 ? below : above, sqrt(abs(part))) : color;
    float sky = 0.5 + 0.5 * dot(front, viewMatrix[1].xyz);
    float light = 1.6 * mix(0.184, 1.0, sky) + 1.7 * max(front.z, 0.0);
    gl_FragColor = vec4(own * (light * 0.3183099) + glow, opacity);
    #include <colorspace_fragment>
}`;

const rgb = ([r, g, b]) => new THREE.Color().setRGB(r / 255, g / 255, b / 255, THREE.SRGBColorSpace);

// As strandMesh: mesh.userData.places is the buffer that frames fill.
export function pointMesh(count, color, clippingPlanes) {
    const geometry = new THREE.InstancedBufferGeometry(), instanced = width => new THREE.InstancedBufferAttribute(new Float32Array(width * count), width);
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]), 3));
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
    const places = instanced(3), facing = instanced(3), facts = instanced(2);
    for (const [name, attribute] of Object.entries({ place: places, facing, facts })) {
        attribute.setUsage(THREE.DynamicDrawUsage);
        geometry.setAttribute(name, attribute);
    }
    for (let i = 0; i < count; i++) facts.setXY(i, FIRST_RADIUS, 3e38);
    geometry.instanceCount = count;
    geometry.boundingSphere = new THREE.Sphere();
    const material = new THREE.ShaderMaterial({
        vertexShader, fragmentShader, clipping: true, clippingPlanes, side: THREE.DoubleSide,
        uniforms: { color: { value: new THREE.Color(color) }, glow: { value: new THREE.Color(0) }, below: { value: rgb(BELOW) }, zero: { value: rgb(ZERO) }, above: { value: rgb(ABOVE) },
            opacity: { value: 1 }, scale: { value: 0 }, pixel: { value: 0 }, thin: { value: 0 } },
    });
    const mesh = new THREE.Mesh(geometry, material);
    mesh.frustumCulled = false;
    mesh.userData.places = places;
    mesh.raycast = () => {}; // picking is for faces
    mesh.layers.set(UNSHADED);
    mesh.onBeforeRender = (renderer, scene, camera) => {
        const height = renderer.getDrawingBufferSize(new THREE.Vector2()).y;
        material.uniforms.pixel.value = (2 * Math.tan(THREE.MathUtils.degToRad(camera.fov / 2))) / height;
        material.uniformsNeedUpdate = true;
    };
    return mesh;
}

// Normals, sizes and values of one cloud; values are coloured from -range to range.
export function fillPoints(mesh, numbers, range) {
    const facing = mesh.geometry.getAttribute("facing"), facts = mesh.geometry.getAttribute("facts");
    for (let i = 0; i < facing.count; i++) {
        const at = POINT_WORDS * i;
        facing.setXYZ(i, numbers[at], numbers[at + 1], numbers[at + 2]);
        facts.setXY(i, numbers[at + 3], numbers[at + 4]);
    }
    facing.needsUpdate = facts.needsUpdate = true;
    mesh.material.uniforms.scale.value = range > 0 ? 1 / range : 0;
}

// The largest value of all clouds, by size; 0: there is none.
export function valueRange(parts) {
    let range = 0;
    for (const part of parts) {
        for (let at = POINT_WORDS - 1; part && at < part.length; at += POINT_WORDS) {
            const size = Math.abs(part[at]);
            if (size < NO_VALUE && size > range) range = size;
        }
    }
    return range;
}

// The curve as tubes: each line a strand of two vertices. Discs of the two clouds cross in front of it: where it is hidden it shines through.
export function curveMesh(lines, radius, clippingPlanes) {
    const radii = Float32Array.from({ length: lines.length / 3 }, (_, i) => (i % 2 ? -radius : radius)), mesh = strandMesh(radii, CURVE, clippingPlanes);
    Object.assign(mesh.material, { polygonOffset: true, polygonOffsetFactor: 0, polygonOffsetUnits: -200 }); // before the discs around it
    mesh.userData.places.array.set(lines);
    mesh.userData.places.needsUpdate = true;
    const hidden = new THREE.Mesh(mesh.geometry, mesh.material.clone());
    Object.assign(hidden.material, { depthFunc: THREE.GreaterDepth, depthWrite: false, transparent: true, uniforms: { ...mesh.material.uniforms, opacity: { value: HIDDEN } } });
    Object.assign(hidden, { frustumCulled: false, raycast: mesh.raycast, renderOrder: 1 });
    hidden.layers.set(UNSHADED);
    mesh.add(hidden);
    return mesh;
}

export const curveMaterials = curve => [curve.material, curve.children[0].material];

// Colours from -range to range, as the discs have them: mixed as light, by the root of the value.
export function valueTable(count = 33) {
    return Array.from({ length: count }, (_, i) => {
        const part = (2 * i) / (count - 1) - 1, end = rgb(part < 0 ? BELOW : ABOVE);
        return rgb(ZERO).lerp(end, Math.sqrt(Math.abs(part))).getRGB({}, THREE.SRGBColorSpace);
    }).map(({ r, g, b }) => [r, g, b].map(x => Math.round(255 * x)));
}
export function valueGradient() {
    return `linear-gradient(to right, ${valueTable().map(color => `rgb(${color.join(",")})`).join(",")})`;
}
