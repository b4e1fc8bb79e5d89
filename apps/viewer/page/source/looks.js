// How a picture is put together. Plain: the model, then the marks over it. Rich: the model is drawn aside first, with its depth; the depth
// tells which places are shut in and get less of the sky (ambient occlusion), and a blurred outline from above is a shadow on the ground.
// Rich pictures cost several times as much: where the processor draws, only what stands still gets them.
import * as THREE from "three";

const SAMPLES = 14, SHADOW_SIZE = 256;

const screenVertex = `
varying vec2 at;
void main() {
    at = uv;
    gl_Position = vec4(position.xy, 0.0, 1.0);
}`;

// Horizon by spiral of samples round the place in view space; what is much nearer to the camera does not count: it hides, but far away.
const occlusionFragment = `
uniform sampler2D depths;
uniform mat4 inverse;
uniform vec2 pixel;
uniform float near, far, reach, slope, aspect;
varying vec2 at;
float range(vec2 where) {
    float z = texture2D(depths, where).x * 2.0 - 1.0;
    return 2.0 * near * far / (far + near - z * (far - near));
}
vec3 place(vec2 where) {
    float distance = range(where);
    return vec3((where * 2.0 - 1.0) * vec2(aspect, 1.0) * slope * distance, -distance);
}
void main() {
    float raw = texture2D(depths, at).x;
    if (raw >= 1.0) { gl_FragColor = vec4(1.0); return; }
    vec3 here = place(at), right = place(at + vec2(pixel.x, 0.0)) - here, left = here - place(at - vec2(pixel.x, 0.0));
    vec3 top = place(at + vec2(0.0, pixel.y)) - here, bottom = here - place(at - vec2(0.0, pixel.y));
    vec3 across = abs(right.z) < abs(left.z) ? right : left, upward = abs(top.z) < abs(bottom.z) ? top : bottom;
    vec3 normal = normalize(cross(across, upward));
    float turn = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) * 6.2831853, sum = 0.0;
    for (int i = 0; i < ${SAMPLES}; i++) {
        float part = (float(i) + 0.5) / float(${SAMPLES}), angle = turn + float(i) * 2.3999632;
        vec2 offset = vec2(cos(angle), sin(angle)) * sqrt(part) * reach / (-here.z * slope) * vec2(0.5 / aspect, 0.5);
        vec3 to = place(at + offset) - here;
        float squared = dot(to, to), rise = dot(to, normal) / sqrt(max(squared, 1e-30)) - 0.12;
        sum += max(rise, 0.0) * clamp(1.0 - squared / (4.0 * reach * reach), 0.0, 1.0);
    }
    float light = clamp(1.0 - 1.5 * sum / float(${SAMPLES}), 0.0, 1.0);
    gl_FragColor = vec4(light, light, light, 1.0);
}`;

// The picture times its light, which is smoothed over 4 x 4 pixels where the depth is alike.
const joinFragment = `
uniform sampler2D picture, light, depths;
uniform vec2 pixel;
uniform float near, far;
varying vec2 at;
float range(vec2 where) {
    float z = texture2D(depths, where).x * 2.0 - 1.0;
    return 2.0 * near * far / (far + near - z * (far - near));
}
void main() {
    float here = range(at), sum = 0.0, weights = 0.0;
    for (int y = 0; y < 4; y++) for (int x = 0; x < 4; x++) {
        vec2 where = at + (vec2(float(x), float(y)) - 1.5) * pixel;
        float weight = max(0.001, 1.0 - 40.0 * abs(range(where) - here) / here);
        sum += weight * texture2D(light, where).x;
        weights += weight;
    }
    vec4 color = texture2D(picture, at);
    gl_FragColor = vec4(color.rgb * mix(vec3(1.0), vec3(sum / weights), texture2D(depths, at).x < 1.0 ? 1.0 : 0.0), 1.0);
    gl_FragDepth = texture2D(depths, at).x;
    #include <colorspace_fragment>
}`;

const blurFragment = `
uniform sampler2D picture;
uniform vec2 way;
varying vec2 at;
void main() {
    float sum = 0.0, weights = 0.0;
    for (int i = -8; i <= 8; i++) {
        float weight = exp(-0.03 * float(i * i));
        sum += weight * texture2D(picture, at + float(i) * way).a;
        weights += weight;
    }
    gl_FragColor = vec4(0.0, 0.0, 0.0, sum / weights);
}`;

function screen(fragmentShader, uniforms, options = {}) {
    return new THREE.ShaderMaterial({ vertexShader: screenVertex, fragmentShader, depthTest: false, depthWrite: false, ...options, uniforms: Object.fromEntries(Object.entries(uniforms).map(([name, value]) => [name, { value }])) });
}

export class Looks {
    constructor(renderer, smooth) {
        this.renderer = renderer;
        this.samples = smooth ? 4 : 0;
        this.moved = true; // since the shadow was drawn: bodies, their visibility, the cut, the up axis
        this.flat = new THREE.OrthographicCamera(-1, 1, 1, -1, 0, 1);
        this.quad = new THREE.Mesh(new THREE.PlaneGeometry(2, 2));
        this.quad.frustumCulled = false;
        this.occlusion = screen(occlusionFragment, { depths: null, pixel: new THREE.Vector2(), near: 0.1, far: 1, reach: 1, slope: 1, aspect: 1 });
        this.join = screen(joinFragment, { picture: null, light: null, depths: null, pixel: new THREE.Vector2(), near: 0.1, far: 1 }, { depthWrite: true, depthTest: true, depthFunc: THREE.AlwaysDepth });
        this.blur = screen(blurFragment, { picture: null, way: new THREE.Vector2() });
        this.solid = new THREE.MeshBasicMaterial({ color: 0, side: THREE.DoubleSide });
        this.ground = new THREE.Mesh(new THREE.PlaneGeometry(1, 1), new THREE.MeshBasicMaterial({ transparent: true, depthWrite: false, opacity: 0.5 }));
        this.ground.renderOrder = -1;
        this.ground.frustumCulled = false;
    }

    target(name, width, height, options) {
        const old = this[name];
        if (old && old.width === width && old.height === height) return old;
        old?.dispose();
        old?.depthTexture?.dispose();
        return (this[name] = new THREE.WebGLRenderTarget(width, height, options));
    }

    draw(material, target) {
        this.quad.material = material;
        this.renderer.setRenderTarget(target);
        this.renderer.render(this.quad, this.flat);
    }

    // rich: { bodies, bounds, axis, dark, size }, or null.
    render(scene, front, camera, rich) {
        const { renderer } = this, target = renderer.getRenderTarget();
        if (!rich) {
            renderer.clear();
            renderer.render(scene, camera);
            renderer.render(front, camera);
            return;
        }
        this.castShadow(scene, rich, camera);
        const size = target ? new THREE.Vector2(target.width, target.height) : renderer.getDrawingBufferSize(new THREE.Vector2());
        const model = this.target("model", size.x, size.y, { samples: this.samples, stencilBuffer: true, type: THREE.HalfFloatType, depthTexture: new THREE.DepthTexture(size.x, size.y, THREE.UnsignedInt248Type, undefined, undefined, undefined, undefined, undefined, undefined, THREE.DepthStencilFormat) });
        renderer.setRenderTarget(model);
        renderer.clear();
        scene.add(this.ground);
        renderer.render(scene, camera);
        scene.remove(this.ground);
        const half = this.target("half", Math.ceil(size.x / 2), Math.ceil(size.y / 2), { depthBuffer: false });
        const pixel = new THREE.Vector2(1 / size.x, 1 / size.y), lens = { depths: model.depthTexture, pixel, near: camera.near, far: camera.far, reach: 0.06 * rich.size, slope: Math.tan(THREE.MathUtils.degToRad(camera.fov / 2)) * (camera.view?.enabled ? camera.view.height / camera.view.fullHeight : 1), aspect: size.x / size.y };
        for (const [name, value] of Object.entries(lens)) this.occlusion.uniforms[name].value = value;
        this.draw(this.occlusion, half);
        for (const [name, value] of Object.entries({ picture: model.texture, light: half.texture, depths: model.depthTexture, pixel: new THREE.Vector2(1 / half.width, 1 / half.height), near: camera.near, far: camera.far })) this.join.uniforms[name].value = value;
        renderer.setRenderTarget(target);
        renderer.clear();
        this.draw(this.join, target);
        renderer.render(front, camera);
    }

    // An outline of the model from above, blurred, on the ground below it; drawn anew when something moved.
    castShadow(scene, { bounds, axis, dark, planes }, camera) {
        const size = bounds.getSize(new THREE.Vector3()), middle = bounds.getCenter(new THREE.Vector3()), others = ["x", "y", "z"].filter(name => name !== axis), wide = 1.3 * Math.max(size[others[0]], size[others[1]]), height = size[axis];
        const floor = bounds.min[axis] - 0.004 * size.length();
        this.ground.visible = wide > 0 && height > 0.02 * wide && camera.position[axis] > floor;
        this.ground.material.opacity = dark ? 0.7 : 0.32;
        if (!this.ground.visible || !this.moved) return;
        this.moved = false;
        const { renderer } = this, up = new THREE.Vector3().setComponent("xyz".indexOf(axis), 1);
        const view = new THREE.OrthographicCamera(-wide / 2, wide / 2, wide / 2, -wide / 2, 0, 1.1 * height + 0.02 * wide), place = middle.clone();
        place[axis] = floor - 0.01 * wide;
        view.position.copy(place);
        view.up.set(0, 0, 0)[others[0]] = 1;
        view.lookAt(place.clone().add(up)); // from below
        const first = this.target("outline", SHADOW_SIZE, SHADOW_SIZE, {}), second = this.target("soft", SHADOW_SIZE, SHADOW_SIZE, { depthBuffer: false });
        const { background } = scene, clear = renderer.getClearAlpha();
        scene.background = null;
        renderer.setClearAlpha(0);
        this.solid.clippingPlanes = planes;
        this.solid.needsUpdate = true;
        scene.overrideMaterial = this.solid;
        renderer.setRenderTarget(first);
        renderer.clear();
        renderer.render(scene, view);
        scene.overrideMaterial = null;
        scene.background = background;
        renderer.setClearAlpha(clear);
        for (const [from, to, x, y] of [[first, second, 1, 0], [second, first, 0, 1], [first, second, 1.6, 0], [second, first, 0, 1.6]]) {
            this.blur.uniforms.picture.value = from.texture;
            this.blur.uniforms.way.value.set((1.6 * x) / SHADOW_SIZE, (1.6 * y) / SHADOW_SIZE);
            this.draw(this.blur, to);
        }
        renderer.setRenderTarget(null);
        place[axis] = floor;
        this.ground.material.map = first.texture;
        this.ground.material.side = THREE.DoubleSide;
        this.ground.material.needsUpdate = true;
        this.ground.scale.set(wide, wide, 1);
        this.ground.position.copy(place);
        this.ground.up.copy(view.up);
        this.ground.lookAt(place.clone().sub(up)); // as the outline was seen
    }
}
