// Reads the binary messages of the tool: the layout is told in apps/viewer/server/view_protocol.h.

export const HELLO = 1, TOPOLOGY = 2, FRAME = 3, BOXES = 4, NOTE = 5, STATE = 6;
const NO_QUESTION = 0xffffffff, MARKS = 4, STRESS = 32, CLOUDS = 64, MARKERS = 128, HEADER_BYTES = 8 + 7 * 8 + 8 + 8 * 4 + 2 * 8;
export const CONTACT_WORDS = 13, POINT_WORDS = 5;
export const BALLS = 1, POLYTOPES = 2; // shapes of structures; 0: boxes

function text(buffer) {
    return JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8)));
}

function topology(buffer) {
    const words = new Uint32Array(buffer);
    const [, , body, vertexCount, faceCount] = words;
    return {
        body,
        vertexNumbers: words.subarray(5, 5 + vertexCount),
        corners: words.subarray(5 + vertexCount, 5 + vertexCount + 3 * faceCount),
        radii: words.length > 5 + vertexCount + 3 * faceCount ? new Float32Array(buffer, 4 * (5 + vertexCount + 3 * faceCount), vertexCount) : null, // strands
    };
}

// Points of bodies that have them (else null), 5 numbers each, and the curve in which they meet; answer null: there is one cloud only.
function cloudsOf(buffer, start, bodies) {
    let at = start;
    const points = bodies.map(body => {
        if (!body.points) return null;
        const part = new Float32Array(buffer, at, POINT_WORDS * body.vertexCount);
        at += 4 * POINT_WORDS * body.vertexCount;
        return part;
    });
    const view = new DataView(buffer, at), answer = ["no", "yes", "unknown"][view.getUint32(0, true)] ?? null;
    return { points, answer, found: view.getUint32(4, true), miss: view.getFloat32(8, true), lines: new Float32Array(buffer, at + 16, 6 * view.getUint32(12, true)), end: at + 16 + 24 * view.getUint32(12, true) };
}

// Marks of the program's own: { kind, color, a, b, text }.
function markersOf(buffer, start) {
    const view = new DataView(buffer), count = view.getUint32(start, true), list = [], reader = new TextDecoder();
    let at = start + 4;
    for (let i = 0; i < count; i++) {
        const place = k => [0, 1, 2].map(axis => view.getFloat32(at + 8 + 12 * k + 4 * axis, true)), size = view.getUint32(at + 32, true);
        list.push({ kind: view.getUint32(at, true), color: view.getUint32(at + 4, true), a: place(0), b: place(1), text: reader.decode(new Uint8Array(buffer, at + 36, size)) });
        at += 36 + ((size + 3) & ~3);
    }
    return { list, end: at };
}

// `probes`: as HELLO names them.
function frame(buffer, bodies, probes) {
    const view = new DataView(buffer), real = i => view.getFloat64(8 + 8 * i, true), word = i => view.getUint32(72 + 4 * i, true);
    const header = {
        sequence: view.getUint32(4, true), time: real(0), push: real(1), pushError: view.getFloat64(104, true), uncertainPush: view.getFloat64(112, true), kinetic: real(2), elastic: real(3), detect: real(4), respond: real(5),
        total: real(6), frame: word(0), frameCount: word(1), contactCount: word(3), contactsSent: word(4),
        pairCount: word(5) === NO_QUESTION ? null : word(5), playing: (word(6) & 1) !== 0, last: (word(6) & 2) !== 0, live: (word(6) & 8) !== 0, pending: (word(6) & 16) !== 0,
    };
    let at = HEADER_BYTES;
    const positions = bodies.map(body => {
        const part = new Float32Array(buffer, at, 3 * body.vertexCount);
        at += 12 * body.vertexCount;
        return part;
    });
    const contacts = new Float32Array(buffer, at, CONTACT_WORDS * header.contactsSent);
    const contactIds = new Uint32Array(buffer, at, CONTACT_WORDS * header.contactsSent);
    at += 4 * CONTACT_WORDS * header.contactsSent;
    let marks = null;
    if ((word(6) & MARKS) !== 0) {
        marks = bodies.map(body => {
            const part = new Uint8Array(buffer, at, body.faceCount);
            at += (body.faceCount + 3) & ~3;
            return part;
        });
    }
    let stress = null;
    if ((word(6) & STRESS) !== 0) {
        stress = bodies.map(body => {
            const part = new Float32Array(buffer, at, body.vertexCount);
            at += 4 * body.vertexCount;
            return part;
        });
    }
    const first = at, pairs = Array.from({ length: view.getUint32(at, true) }, (_, i) => {
        const whole = k => view.getUint32(first + 4 + 32 * i + 4 * k, true), part = k => view.getFloat32(first + 4 + 32 * i + 4 * k, true);
        return { a: whole(0), b: whole(1), count: whole(2), push: part(3), error: part(4), at: [part(5), part(6), part(7)] };
    });
    at += 4 + 32 * pairs.length;
    const clouds = (word(6) & CLOUDS) !== 0 ? cloudsOf(buffer, at, bodies) : null;
    at = clouds ? clouds.end : at;
    const markers = (word(6) & MARKERS) !== 0 ? markersOf(buffer, at).list : [];
    at = buffer.byteLength - 8 * probes.reduce((sum, probe) => sum + probe.columns, 0);
    const probeValues = probes.map(probe => Array.from({ length: probe.columns }, () => {
        at += 8;
        return view.getFloat64(at - 8, true);
    }));
    return { ...header, positions, contacts, contactIds, marks, stress, bodyPairs: pairs, clouds, markers, probeValues };
}

function boxes(buffer) {
    const words = new Uint32Array(buffer);
    const [, , count, level, deepest, shape, total] = words;
    const tail = shape === 0 ? words.subarray(7 + 6 * count) : [], events = tail.length > 0 ? { from: tail[0], to: tail[1], bins: Array.from(tail.subarray(3, 3 + tail[2])) } : null;
    return { count, level, deepest, shape, total, events, numbers: new Float32Array(buffer, 28, shape === POLYTOPES ? undefined : count * (shape === BALLS ? 4 : 6)) };
}

// `bodies`: the sizes told by the TOPOLOGY messages so far.
export function decode(buffer, bodies, probes = []) {
    const kind = new DataView(buffer).getUint32(0, true);
    switch (kind) {
    case HELLO: return { kind, ...text(buffer) };
    case TOPOLOGY: return { kind, ...topology(buffer) };
    case FRAME: return { kind, ...frame(buffer, bodies, probes) };
    case BOXES: return { kind, ...boxes(buffer) };
    case NOTE:
    case STATE: return { kind, ...text(buffer) };
    default: return { kind };
    }
}
