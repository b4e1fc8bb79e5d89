// Bundles the page and writes it as a C file (view_bundle.c) for the tool: node build.mjs SOURCE BUILD.
// Packages come from BUILD/node_modules (npm ci from the lock file); nothing is fetched here.
import { createRequire } from "node:module";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [source, build] = process.argv.slice(2);
const require = createRequire(join(build, "package.json"));
const esbuild = require("esbuild");

const result = await esbuild.build({
    entryPoints: [join(source, "source/main.js")],
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    write: false,
    legalComments: "eof",
    nodePaths: [join(build, "node_modules")],
});

const files = [
    ["index.html", "text/html; charset=utf-8", readFileSync(join(source, "source/index.html"))],
    ["style.css", "text/css; charset=utf-8", readFileSync(join(source, "source/style.css"))],
    ["main.js", "text/javascript; charset=utf-8", Buffer.from(result.outputFiles[0].contents)],
];

function asArray(name, bytes) {
    const lines = [];
    for (let i = 0; i < bytes.length; i += 32) {
        lines.push(Array.from(bytes.subarray(i, i + 32)).join(","));
    }
    return `static const unsigned char ${name}[] = {\n${lines.join(",\n")}};\n`;
}

let text = "/* Made by apps/viewer/page/build.mjs; do not edit. */\n#include \"view_server.h\"\n\n";
files.forEach(([, , bytes], i) => (text += asArray(`file_${i}`, bytes)));
text += "\nconst view_file view_bundle[] = {\n";
files.forEach(([name, type], i) => (text += `    {"${name}", "${type}", file_${i}, sizeof file_${i}},\n`));
text += "    {0, 0, 0, 0}};\n";
mkdirSync(build, { recursive: true });
writeFileSync(join(build, "view_bundle.c"), text);
