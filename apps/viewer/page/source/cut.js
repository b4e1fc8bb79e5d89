// The cut plane: takes away what lies beyond it, and closes solids where it cuts them. Where a ray passes more fronts than backs of what
// is left of a closed surface, it enters through the cut: a stencil counts them, and a square in the plane is drawn where they differ.
import * as THREE from "three";
import { UNSHADED } from "./shading.js";

function counter(geometry, plane, side, operation, order) {
    const material = new THREE.MeshBasicMaterial({ side, clippingPlanes: [plane], depthWrite: false, depthTest: false, colorWrite: false, stencilWrite: true,
        stencilFunc: THREE.AlwaysStencilFunc, stencilFail: operation, stencilZFail: operation, stencilZPass: operation });
    const mesh = new THREE.Mesh(geometry, material);
    mesh.renderOrder = order;
    mesh.frustumCulled = false;
    return mesh;
}

const lid = new THREE.PlaneGeometry(1, 1);

export class Cut {
    constructor(scene) {
        this.scene = scene;
        this.plane = new THREE.Plane(new THREE.Vector3(-1, 0, 0), 0);
        this.on = false;
        this.caps = [];
    }

    planes() {
        return this.on ? [this.plane] : [];
    }

    clear() {
        for (const cap of this.caps) {
            this.scene.remove(...cap.meshes);
            for (const mesh of cap.meshes) mesh.material.dispose();
        }
        this.caps = [];
    }

    // bodies: { mesh, closed }. Makes the caps of those that are closed and can be seen.
    rebuild(bodies) {
        this.clear();
        if (!this.on) return;
        bodies.forEach((body, i) => {
            if (!body?.closed || !body.mesh.visible || body.mesh.material.wireframe) return;
            const { geometry, material } = body.mesh, order = 2 + 3 * i;
            const back = counter(geometry, this.plane, THREE.BackSide, THREE.IncrementWrapStencilOp, order), front = counter(geometry, this.plane, THREE.FrontSide, THREE.DecrementWrapStencilOp, order);
            const { color, opacity } = material.uniforms;
            const cover = new THREE.Mesh(lid, new THREE.MeshBasicMaterial({ color: color.value.clone().multiplyScalar(0.82), side: THREE.DoubleSide, transparent: opacity.value < 1, opacity: opacity.value,
                stencilWrite: true, stencilRef: 0, stencilFunc: THREE.NotEqualStencilFunc, stencilFail: THREE.ZeroStencilOp, stencilZFail: THREE.ZeroStencilOp, stencilZPass: THREE.ZeroStencilOp }));
            cover.renderOrder = order + 1;
            cover.frustumCulled = false;
            cover.onAfterRender = renderer => renderer.clearStencil();
            for (const mesh of [back, front, cover]) {
                mesh.raycast = () => {};
                mesh.layers.set(UNSHADED);
            }
            if (opacity.value < 1) for (const mesh of [back, front]) mesh.material.transparent = true; // in the same list as the cover, which needs them first
            const meshes = [back, front, cover];
            this.caps.push({ meshes, cover });
            this.scene.add(...meshes);
        });
    }

    // axis 0 … 2, part 0 … 1 of the bounds.
    place({ axis, part, flip }, bounds) {
        const name = "xyz"[axis], sign = flip ? 1 : -1, at = bounds.min[name] + part * (bounds.max[name] - bounds.min[name]);
        this.plane.normal.set(0, 0, 0)[name] = sign;
        this.plane.constant = -sign * at;
        const size = 4 * bounds.getSize(new THREE.Vector3()).length(), middle = bounds.getCenter(new THREE.Vector3());
        middle[name] = at;
        for (const { cover } of this.caps) {
            cover.scale.setScalar(size || 1);
            cover.position.copy(middle);
            cover.lookAt(middle.clone().add(this.plane.normal));
        }
    }
}
