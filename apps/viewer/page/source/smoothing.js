// Normals of surfaces: smooth where faces meet at less than the crease angle, sharp where they do not. At a vertex the faces round it
// form groups, each reached from the next over an edge that is no crease; a group has a normal of its own, and its faces a copy of the
// vertex. Copies follow the vertices of the body, so that places in the lists of vertices and corners stay what they were.

const CREASE = Math.cos((40 * Math.PI) / 180);

function faceNormals(corners, positions) {
    const normals = new Float32Array(corners.length);
    for (let f = 0; f < corners.length; f += 3) {
        const a = 3 * corners[f], b = 3 * corners[f + 1], c = 3 * corners[f + 2];
        const ux = positions[b] - positions[a], uy = positions[b + 1] - positions[a + 1], uz = positions[b + 2] - positions[a + 2];
        const vx = positions[c] - positions[a], vy = positions[c + 1] - positions[a + 1], vz = positions[c + 2] - positions[a + 2];
        normals[f] = uy * vz - uz * vy;
        normals[f + 1] = uz * vx - ux * vz;
        normals[f + 2] = ux * vy - uy * vx;
    }
    return normals;
}

function unit(normals) {
    const out = new Float32Array(normals.length);
    for (let i = 0; i < normals.length; i += 3) {
        const length = Math.hypot(normals[i], normals[i + 1], normals[i + 2]), per = length > 0 ? 1 / length : 0;
        for (let k = 0; k < 3; k++) out[i + k] = per * normals[i + k];
    }
    return out;
}

// Faces round each vertex: those of v are list[first[v]] … list[first[v + 1]], as 3 * face + corner.
function facesByVertex(corners, vertexCount) {
    const first = new Uint32Array(vertexCount + 1), list = new Uint32Array(corners.length);
    for (let i = 0; i < corners.length; i++) first[corners[i] + 1]++;
    for (let v = 0; v < vertexCount; v++) first[v + 1] += first[v];
    const next = first.slice();
    for (let i = 0; i < corners.length; i++) list[next[corners[i]]++] = i;
    return { first, list };
}

// { index: corners with copies in them, copies: the vertex of each copy }
export function splitAtCreases(corners, vertexCount, positions) {
    const normals = unit(faceNormals(corners, positions)), { first, list } = facesByVertex(corners, vertexCount), index = Uint32Array.from(corners), copies = [];
    const close = (f, g) => normals[f] * normals[g] + normals[f + 1] * normals[g + 1] + normals[f + 2] * normals[g + 2] >= CREASE;
    const shareEdge = (f, g, v) => {
        for (let k = 0; k < 3; k++) {
            const other = corners[f + k];
            if (other !== v && (other === corners[g] || other === corners[g + 1] || other === corners[g + 2])) return true;
        }
        return false;
    };
    for (let v = 0; v < vertexCount; v++) {
        const start = first[v], end = first[v + 1];
        let even = true;
        const f0 = start < end ? list[start] - (list[start] % 3) : 0;
        for (let i = start + 1; i < end && even; i++) even = close(f0, list[i] - (list[i] % 3));
        if (even) continue;
        const group = new Int32Array(end - start).fill(-1);
        let groups = 0;
        for (let i = 0; i < group.length; i++) {
            if (group[i] >= 0) continue;
            const ahead = [i];
            group[i] = groups;
            while (ahead.length > 0) {
                const a = list[start + ahead.pop()], f = a - (a % 3);
                for (let j = 0; j < group.length; j++) {
                    const b = list[start + j], g = b - (b % 3);
                    if (group[j] < 0 && shareEdge(f, g, v) && close(f, g)) {
                        group[j] = groups;
                        ahead.push(j);
                    }
                }
            }
            groups++;
        }
        if (groups > 64) continue; // a vertex that many sheets share: one normal will do
        const names = [v];
        for (let k = 1; k < groups; k++) {
            names.push(vertexCount + copies.length);
            copies.push(v);
        }
        for (let j = 0; j < group.length; j++) index[list[start + j]] = names[group[j]];
    }
    return { index, copies: Uint32Array.from(copies) };
}

// Sums of the normals of the faces, by area; shaders make them unit vectors. `positions` with those of the copies.
export function writeNormals(index, positions, normals) {
    normals.fill(0);
    for (let f = 0; f < index.length; f += 3) {
        const a = 3 * index[f], b = 3 * index[f + 1], c = 3 * index[f + 2];
        const ux = positions[b] - positions[a], uy = positions[b + 1] - positions[a + 1], uz = positions[b + 2] - positions[a + 2];
        const vx = positions[c] - positions[a], vy = positions[c + 1] - positions[a + 1], vz = positions[c + 2] - positions[a + 2];
        const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
        normals[a] += x; normals[a + 1] += y; normals[a + 2] += z;
        normals[b] += x; normals[b + 1] += y; normals[b + 2] += z;
        normals[c] += x; normals[c + 1] += y; normals[c + 2] += z;
    }
}

// Each edge once, as pairs of places.
export function uniqueEdges(corners) {
    const keys = new Float64Array(corners.length);
    for (let f = 0; f < corners.length; f += 3) {
        for (let k = 0; k < 3; k++) {
            const a = corners[f + k], b = corners[f + ((k + 1) % 3)];
            keys[f + k] = a < b ? a * 4294967296 + b : b * 4294967296 + a;
        }
    }
    keys.sort();
    const edges = [];
    for (let i = 0; i < keys.length; i++) {
        if (i > 0 && keys[i] === keys[i - 1]) continue;
        edges.push(Math.floor(keys[i] / 4294967296), keys[i] % 4294967296);
    }
    return Uint32Array.from(edges);
}
