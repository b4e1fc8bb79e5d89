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

    say(...words) {
        if (this.socket?.readyState === WebSocket.OPEN) {
            this.socket.send(words.join(" "));
        }
    }
}
