"""`dent view` tells a terminal what it does until its page can be opened: files read, numbered, and the check; shares only rise."""
import os
import pty
import re
import select
import signal
import subprocess
import threading
import time
import unittest

import tool_under_test as tool

PATIENCE = 300  # seconds for what must come: a limit, not an expectation
QUICK = bool(os.environ.get("DENT_QUICK_TESTS"))


@unittest.skipIf("built without" in tool.run("view", "absent.obj").stderr, "built without the viewer")
class Progress(tool.ToolTest):
    def seen_until_the_address(self, pipe, content, *words):
        """What a terminal is shown before the address comes: (what, share or None) each time. `pipe` gets its content when the bar of
        its file has been seen: a second has passed then, and every later stage that takes a moment is shown."""
        master, slave = pty.openpty()
        process = subprocess.Popen([tool.TOOL, "view", "--no-browser", *words], stdout=subprocess.PIPE, stderr=slave, text=True,
                                   env=dict(tool.ENVIRONMENT, XDG_STATE_HOME=self.path("state")))
        os.close(slave)
        lines, shown, fed, end = [], b"", None, time.time() + PATIENCE
        reader = threading.Thread(target=lambda: lines.append(process.stdout.readline()))
        reader.start()
        while time.time() < end and not lines:
            if select.select([master], [], [], 0.1)[0]:
                shown += os.read(master, 4096)
            if fed is None and os.path.basename(pipe).encode() in shown:
                fed = threading.Thread(target=self.feed, args=(pipe, content))
                fed.start()
        time.sleep(0.5)  # what is drawn now would be drawn while pages are served
        after = b""
        while select.select([master], [], [], 0)[0]:
            after += os.read(master, 4096)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=PATIENCE)
        reader.join()
        process.stdout.close()
        os.close(master)
        self.assertEqual(process.returncode, 0)
        self.assertRegex(lines[0], r"^http://127\.0\.0\.1:\d+/[0-9a-f]{32}/$")
        self.assertNotIn(b" s", after)
        drawn = re.findall(r"\r\x1b\[K([^\r\x1b]+?) +(?:\[[#.]{24}\] +(\d+) % )?[0-9.]+ s", shown.decode())
        return [(what, int(share) if share else None) for what, share in drawn]

    @staticmethod
    def feed(pipe, content):
        with open(pipe, "w") as file:
            file.write(content)

    def rising(self, seen):
        stages = {}
        for what, share in seen:
            if share is not None:
                stages.setdefault(what, []).append(share)
        for what, shares in stages.items():
            self.assertEqual(shares, sorted(shares), what)
        return stages

    def test_files_are_numbered_while_they_are_read(self):
        mesh = tool.obj(*tool.box_surface())
        plain, pipe = self.write("box.obj", mesh), self.path("pipe.obj")
        os.mkfifo(pipe)
        seen = self.seen_until_the_address(pipe, mesh, plain, pipe, plain)
        self.assertIn("reading 2 of 3: pipe.obj", {what for what, _ in seen})

    def test_the_check_is_told_and_shares_only_rise(self):
        if QUICK:
            self.skipTest("takes seconds on purpose")
        tool.run("export", "blocks-640k", self.path("blocks"), "--scale", "0.5")
        names = sorted(os.listdir(self.path("blocks")))
        mesh, pipe = tool.obj(*tool.box_surface()), self.path("pipe.obj")
        os.mkfifo(pipe)
        seen = self.seen_until_the_address(pipe, mesh, pipe, *[os.path.join(self.path("blocks"), name) for name in names])
        stages = self.rising(seen)
        self.assertIn("checking", stages)
        self.assertIn("reading 1 of %d: pipe.obj" % (len(names) + 1), {what for what, _ in seen})


if __name__ == "__main__":
    tool.main()
