// How bodies are shaded: one flat colour per face under a sky and a lamp at the camera. A material of our own instead of three's
// Lambert one: the same light in a tenth of the instructions, which is what counts where Chromium draws in software. Face normals
// come from the derivatives of the place, so that frames bring positions only.
import * as THREE from "three";

const SKY = 1.6, GROUND = 0.184, LAMP = 1.7; // brightness; the ground's part of the sky's light; the lamp at the camera

const vertexShader = `
#include <clipping_planes_pars_vertex>
attribute float stress;
varying vec3 place;
varying float part;
uniform float stressScale;
void main() {
    part = stress * stressScale;
    vec4 mvPosition = modelViewMatrix * vec4(position, 1.0);
    place = mvPosition.xyz;
    gl_Position = projectionMatrix * mvPosition;
    #include <clipping_planes_vertex>
}`;

const fragmentShader = `
#include <clipping_planes_pars_fragment>
uniform vec3 color, glow, stops[4];
uniform float opacity, stressScale;
varying vec3 place;
varying float part;
vec3 ramp(float at) {
    float x = clamp(at, 0.0, 1.0) * 3.0;
    return x < 1.0 ? mix(stops[0], stops[1], x) : x < 2.0 ? mix(stops[1], stops[2], x - 1.0) : mix(stops[2], stops[3], x - 2.0);
}
void main() {
    #include <clipping_planes_fragment>
    vec3 normal = normalize(cross(dFdx(place), dFdy(place)));
    float sky = 0.5 + 0.5 * dot(normal, viewMatrix[1].xyz);
    float light = ${SKY.toFixed(3)} * mix(${GROUND.toFixed(3)}, 1.0, sky) + ${LAMP.toFixed(3)} * max(normal.z, 0.0);
    vec3 own = stressScale > 0.0 && part >= 0.0 ? ramp(part) : color;
    gl_FragColor = vec4(own * (light * 0.3183099) + glow, opacity);
    #include <colorspace_fragment>
}`;

export function faceMaterial({ color, glow = 0, clippingPlanes, ...options }) {
    return new THREE.ShaderMaterial({
        vertexShader, fragmentShader, clipping: true, clippingPlanes, side: THREE.DoubleSide, forceSinglePass: false, ...options, // transparent bodies: back faces first
        uniforms: { color: { value: new THREE.Color(color) }, glow: { value: new THREE.Color(glow) }, opacity: { value: 1 }, stressScale: { value: 0 }, stops: { value: Array.from({ length: 4 }, () => new THREE.Color()) } },
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
