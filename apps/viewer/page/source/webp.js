// An animated WebP of pictures that the browser has encoded one by one (RIFF container of developers.google.com/speed/webp/docs).

function chunk(name, ...parts) {
    const size = parts.reduce((sum, part) => sum + part.length, 0), out = new Uint8Array(8 + size + (size & 1));
    out.set(new TextEncoder().encode(name));
    new DataView(out.buffer).setUint32(4, size, true);
    let at = 8;
    for (const part of parts) {
        out.set(part, at);
        at += part.length;
    }
    return out;
}
function three(number) {
    return [number & 255, (number >> 8) & 255, (number >> 16) & 255];
}

// The image chunks of a file (VP8, VP8L, ALPH): what the container takes over.
function images(file) {
    const view = new DataView(file.buffer, file.byteOffset, file.byteLength), found = [];
    for (let at = 12; at + 8 <= file.length;) {
        const name = String.fromCharCode(...file.subarray(at, at + 4)), size = view.getUint32(at + 4, true), end = Math.min(at + 8 + size + (size & 1), file.length);
        if (["VP8 ", "VP8L", "ALPH"].includes(name)) found.push(file.subarray(at, end));
        at = end;
    }
    return found;
}

// Goes round for ever; `milliseconds` for each picture.
export function animatedWebp(files, width, height, milliseconds) {
    const head = chunk("VP8X", new Uint8Array([2, 0, 0, 0, ...three(width - 1), ...three(height - 1)])), animation = chunk("ANIM", new Uint8Array([255, 255, 255, 255, 0, 0]));
    const frames = files.map(file => chunk("ANMF", new Uint8Array([...three(0), ...three(0), ...three(width - 1), ...three(height - 1), ...three(Math.round(milliseconds)), 2]), ...images(file)));
    return new Blob([chunk("RIFF", new TextEncoder().encode("WEBP"), head, animation, ...frames)], { type: "image/webp" });
}
