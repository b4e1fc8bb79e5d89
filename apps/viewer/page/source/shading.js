// How bodies are shaded: sky and ground, a key light over the left shoulder, a faint one from the right, a soft highlight. A material of
// our own instead of three's physical one: a tenth of the instructions, which is what counts where Chromium draws in software. Normals
// come with the vertices (smoothing.js) or, where there was no time for them, from the derivatives of the place: one flat colour per face.
import * as THREE from "three";

const SKY = 1.35, GROUND = 0.3, KEY = 1.55, FILL = 0.35, SHINE = 0.1; // brightness; the ground's part of the sky's light

export const UNSHADED = 1; // the layer of what casts no shadow: caps, strands and points, whose shape only their own shaders know

export const lightOf = `
float diffuse(vec3 normal, vec3 up) {
    float sky = 0.5 + 0.5 * dot(normal, up);
    return ${SKY.toFixed(3)} * mix(${GROUND.toFixed(3)}, 1.0, sky) + ${KEY.toFixed(3)} * max(dot(normal, vec3(-0.36, 0.48, 0.8)), 0.0) + ${FILL.toFixed(3)} * max(dot(normal, vec3(0.7, 0.0, 0.714)), 0.0);
}`;

const vertexShader = `
#include <clipping_planes_pars_vertex>
attribute float stress;
varying vec3 place, bend;
varying float part;
uniform float stressScale;
void main() {
    part = stress * stressScale;
    vec4 mvPosition = modelViewMatrix * vec4(position, 1.0);
    place = mvPosition.xyz;
    bend = (viewMatrix * vec4(normal, 0.0)).xyz;
    bend /= max(length(bend), 1e-30);
    gl_Position = projectionMatrix * mvPosition;
    #include <clipping_planes_vertex>
}`;

const fragmentShader = `
#include <clipping_planes_pars_fragment>
uniform vec3 color, glow, stops[4], up;
uniform float opacity, stressScale;
uniform bool even;
varying vec3 place, bend;
varying float part;
${lightOf}
vec3 ramp(float at) {
    float x = clamp(at, 0.0, 1.0) * 3.0;
    return x < 1.0 ? mix(stops[0], stops[1], x) : x < 2.0 ? mix(stops[1], stops[2], x - 1.0) : mix(stops[2], stops[3], x - 2.0);
}
void main() {
    #include <clipping_planes_fragment>
    vec3 normal;
    if (even) {
        normal = normalize(bend);
        normal = dot(normal, place) > 0.0 ? -normal : normal; // both sides are lit
    } else normal = normalize(cross(dFdx(place), dFdy(place)));
    vec3 own = stressScale > 0.0 && part >= 0.0 ? ramp(part) : color;
    float shine = max(dot(normal, normalize(vec3(-0.36, 0.48, 0.8) - normalize(place))), 0.0);
    shine *= shine; shine *= shine; shine *= shine; shine *= shine; shine *= shine;
    gl_FragColor = vec4(own * (diffuse(normal, up) * 0.3183099) + ${SHINE.toFixed(3)} * shine + glow, opacity);
    #include <colorspace_fragment>
}`;

export function faceMaterial({ color, glow = 0, clippingPlanes, up, ...options }) {
    return new THREE.ShaderMaterial({
        vertexShader, fragmentShader, clipping: true, clippingPlanes, side: THREE.DoubleSide, forceSinglePass: false, ...options, // transparent bodies: back faces first
        uniforms: { color: { value: new THREE.Color(color) }, glow: { value: new THREE.Color(glow) }, opacity: { value: 1 }, stressScale: { value: 0 }, stops: { value: Array.from({ length: 4 }, () => new THREE.Color()) }, up, even: { value: false } },
    });
}

// The name of what draws; empty: not told. Asked of a canvas of its own, since a canvas cannot change its mind about smoothing.
function rendererName() {
    const gl = document.createElement("canvas").getContext("webgl2");
    if (!gl) return "";
    const named = gl.getExtension("WEBGL_debug_renderer_info"), name = gl.getParameter(named ? named.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
    gl.getExtension("WEBGL_lose_context")?.loseContext();
    return String(name);
}

// True where the processor draws, not a graphics card.
export function drawsInSoftware() {
    return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(rendererName());
}
