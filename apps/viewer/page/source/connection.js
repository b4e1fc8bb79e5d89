// The socket to the tool, opened again whenever it is lost.

export class Connection {
    constructor(onMessage, onState) {
        this.onMessage = onMessage;
        this.onState = onState;
        this.wait = 250;
        this.open();
    }

    open() {
        if (globalThis.dentReport) {
            // A report (dent check --html): all there is to say is in the page, in base64.
            setTimeout(() => {
                this.onState(true);
                for (const text of globalThis.dentReport) {
                    this.onMessage(Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer);
                }
            }, 0);
            return;
        }
        const address = new URL("socket", location.href);
        address.protocol = "ws:";
        this.socket = new WebSocket(address, "dent-view-1");
        this.socket.binaryType = "arraybuffer";
        this.socket.onopen = () => {
            this.wait = 250;
            this.onState(true);
        };
        this.socket.onmessage = event => this.onMessage(event.data);
        this.socket.onclose = event => {
            this.onState(false, event.reason);
            setTimeout(() => this.open(), this.wait);
            this.wait = Math.min(2 * this.wait, 4000);
        };
    }

    // A file to the tool, or the words why there is none, in parts that begin with 0, 1 (the last) or 2 (failed).
    async send(bytes, failed = false) {
        const PART = 1 << 16;
        for (let at = 0; at === 0 || at < bytes.length; at += PART) {
            const part = bytes.subarray(at, at + PART), message = new Uint8Array(1 + part.length);
            message[0] = failed ? 2 : at + PART >= bytes.length ? 1 : 0;
            message.set(part, 1);
            this.socket.send(message);
            while (this.socket.bufferedAmount > 16 * PART) await new Promise(resolve => setTimeout(resolve, 2));
            if (failed) return;
        }
    }

    say(...words) {
        if (this.socket?.readyState === WebSocket.OPEN) {
            this.socket.send(words.join(" "));
        }
    }
}
