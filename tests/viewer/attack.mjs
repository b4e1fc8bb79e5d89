// A program: node attack.mjs PORT COUNT. Holds COUNT connections to the viewer without the token and makes each again as soon as it is lost.
// Prints a line when all have been connected once, and says at its end (a line on its input) how many connections it made.
import net from "node:net";

const port = Number(process.argv[2]), count = Number(process.argv[3]);
const wrong = "f".repeat(32), headers = `Host: 127.0.0.1:${port}\r\n`;
const upgrade = `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: dent-view-1\r\n`;

// What a stranger does with a fresh connection.
const kinds = [
    () => {}, // silent
    socket => socket.write("GET /"), // the beginning of a request line
    socket => socket.write(`GET /${wrong}/ HTTP/1.1\r\n${headers}`), // half a header
    socket => socket.write(`GET /${wrong}/socket HTTP/1.1\r\n${headers}Origin: http://127.0.0.1:${port}\r\n${upgrade}\r\n`), // a socket without the token
    socket => { // a byte now and then
        const text = `GET /${wrong}/ HTTP/1.1\r\n${headers}\r\n`;
        let at = 0;
        const timer = setInterval(() => (at < text.length && socket.writable ? socket.write(text[at++]) : clearInterval(timer)), 200);
        socket.on("close", () => clearInterval(timer));
    },
    socket => { // never stops talking
        socket.on("drain", () => socket.write("x".repeat(4096)));
        socket.write("x".repeat(65536));
    },
];

let made = 0, first = 0;
function attack(number, again = false) {
    const socket = net.connect({ port, host: "127.0.0.1" });
    socket.on("connect", () => {
        made++;
        if (!again && ++first === count) console.log("all connected");
        kinds[number % kinds.length](socket);
    });
    socket.on("error", () => {});
    socket.resume();
    socket.on("close", () => setTimeout(attack, 1, number, true));
}
for (let number = 0; number < count; number++) attack(number);
process.stdin.on("data", () => process.exit(console.log(`${made} connections`)));
process.stdin.on("end", () => process.exit()); // with the test
