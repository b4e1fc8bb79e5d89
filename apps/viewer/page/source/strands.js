// How strands are drawn: every segment is one quad, turned towards the camera and as wide as its radii, shaded like the round tube
// that it stands for. The places of all vertices lie in one buffer; the quad of a segment reads two neighbours of it, so a frame brings
// positions only. Strands thinner than a pixel are drawn one pixel wide. As a wireframe all are.
import * as THREE from "three";
import { UNSHADED, lightOf } from "./shading.js";

const vertexShader = `
#include <clipping_planes_pars_vertex>
attribute vec3 root, tip;
attribute float rootRadius, tipRadius;
uniform float pixel, thin;
varying vec2 across;
varying vec3 side, along;
void main() {
    vec4 from = modelViewMatrix * vec4(root, 1.0), to = modelViewMatrix * vec4(tip, 1.0);
    vec4 mvPosition = position.y < 0.5 ? from : to;
    along = to.xyz - from.xyz;
    side = cross(along, mvPosition.xyz);
    side = dot(side, side) > 0.0 ? normalize(side) : vec3(1.0, 0.0, 0.0);
    float radius = abs(position.y < 0.5 ? rootRadius : tipRadius), least = 0.5 * pixel * -mvPosition.z;
    radius = thin > 0.5 ? least : max(radius, least);
    mvPosition.xyz += position.x * radius * side;
    if (rootRadius < 0.0) mvPosition.xyz = vec3(0.0, 0.0, 2.0); // behind the camera: a tip and the root of the next strand are not joined
    across = vec2(position.x, 0.0);
    gl_Position = projectionMatrix * mvPosition;
    #include <clipping_planes_vertex>
}`;

const fragmentShader = `
#include <clipping_planes_pars_fragment>
uniform vec3 color, glow, up;
uniform float opacity;
varying vec2 across;
varying vec3 side, along;
${lightOf}
void main() {
    #include <clipping_planes_fragment>
    vec3 front = normalize(cross(side, along));
    front *= front.z < 0.0 ? -1.0 : 1.0;
    vec3 normal = normalize(across.x * side + sqrt(max(1.0 - across.x * across.x, 0.0)) * front);
    gl_FragColor = vec4(color * (diffuse(normal, up) * 0.3183099) + glow, opacity);
    #include <colorspace_fragment>
}`;

// radii: as TOPOLOGY has them. mesh.userData.places is the buffer that frames fill.
export function strandMesh(radii, color, clippingPlanes, up = { value: new THREE.Vector3(0, 1, 0) }) {
    const geometry = new THREE.InstancedBufferGeometry(), count = radii.length;
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array([-1, 0, 0, 1, 0, 0, 1, 1, 0, -1, 1, 0]), 3));
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
    const places = new THREE.InstancedInterleavedBuffer(new Float32Array(3 * count), 3), widths = new THREE.InstancedInterleavedBuffer(Float32Array.from(radii), 1);
    places.setUsage(THREE.DynamicDrawUsage);
    geometry.setAttribute("root", new THREE.InterleavedBufferAttribute(places, 3, 0));
    geometry.setAttribute("tip", new THREE.InterleavedBufferAttribute(places, 3, 3));
    geometry.setAttribute("rootRadius", new THREE.InterleavedBufferAttribute(widths, 1, 0));
    geometry.setAttribute("tipRadius", new THREE.InterleavedBufferAttribute(widths, 1, 1));
    geometry.instanceCount = Math.max(count - 1, 0);
    geometry.boundingSphere = new THREE.Sphere();
    const material = new THREE.ShaderMaterial({
        vertexShader, fragmentShader, clipping: true, clippingPlanes, side: THREE.DoubleSide,
        uniforms: { color: { value: new THREE.Color(color) }, glow: { value: new THREE.Color(0) }, up, opacity: { value: 1 }, pixel: { value: 0 }, thin: { value: 0 } },
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
