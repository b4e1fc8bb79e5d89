// A WebM file of one video track, written when all pictures are there: EBML elements by hand (matroska.org/technical/elements.html).

function bytes(number, width) {
    const out = new Uint8Array(width);
    for (let i = width - 1; i >= 0; i--, number = Math.floor(number / 256)) out[i] = number % 256;
    return out;
}
function whole(number) {
    let width = 1;
    while (number >= 256 ** width) width++;
    return bytes(number, width);
}
function real(number) {
    const out = new Uint8Array(8);
    new DataView(out.buffer).setFloat64(0, number);
    return out;
}
const text = words => new TextEncoder().encode(words);

// An element: its name, its size in eight bytes, its parts.
function element(name, ...parts) {
    const size = parts.reduce((sum, part) => sum + part.length, 0), out = new Uint8Array(whole(name).length + 8 + size);
    out.set(whole(name));
    out.set(bytes(size, 8), whole(name).length);
    out[whole(name).length] = 1;
    let at = whole(name).length + 8;
    for (const part of parts) {
        out.set(part, at);
        at += part.length;
    }
    return out;
}

const CLUSTER_MS = 5000;

export class WebmFile {
    constructor(width, height) {
        Object.assign(this, { width, height, codec: "V_VP8", blocks: [] });
    }

    add(chunk) {
        const data = new Uint8Array(chunk.byteLength);
        chunk.copyTo(data);
        this.blocks.push({ ms: Math.round(chunk.timestamp / 1000), key: chunk.type === "key", data });
    }

    clusters() {
        const out = [];
        let start = null, parts = [];
        const close = () => start !== null && out.push(element(0x1f43b675, element(0xe7, whole(start)), ...parts));
        for (const { ms, key, data } of this.blocks) {
            if (start === null || ms - start > CLUSTER_MS) {
                close();
                [start, parts] = [ms, []];
            }
            const head = new Uint8Array([0x81, 0, 0, key ? 0x80 : 0]);
            new DataView(head.buffer).setInt16(1, ms - start);
            parts.push(element(0xa3, head, data));
        }
        close();
        return out;
    }

    blob() {
        const last = this.blocks.at(-1)?.ms ?? 0, step = this.blocks.length > 1 ? last / (this.blocks.length - 1) : 40;
        const head = element(0x1a45dfa3, element(0x4286, [1]), element(0x42f7, [1]), element(0x42f2, [4]), element(0x42f3, [8]), element(0x4282, text("webm")), element(0x4287, [2]), element(0x4285, [2]));
        const info = element(0x1549a966, element(0x2ad7b1, whole(1000000)), element(0x4489, real(last + step)), element(0x4d80, text("dent view")), element(0x5741, text("dent view")));
        const track = element(0x1654ae6b, element(0xae, element(0xd7, [1]), element(0x73c5, [1]), element(0x83, [1]), element(0x86, text(this.codec)), element(0xe0, element(0xb0, whole(this.width)), element(0xba, whole(this.height)))));
        return new Blob([head, element(0x18538067, info, track, ...this.clusters())], { type: "video/webm" });
    }
}
