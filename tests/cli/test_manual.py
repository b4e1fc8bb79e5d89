"""docs/tool.md prints what the tool prints: every console block is run and compared, line by line.

A block is a run of `$ command` lines with their output (both streams). A line of three dots stands for any lines left
out. The blocks are run in order in one folder.
"""
import os
import re
import subprocess

import tool_under_test as tool

MANUAL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "tool.md")


def console_blocks(text):
    for block in re.findall(r"^```console\n(.*?)^```$", text, re.M | re.S):
        parts = re.split(r"^\$ (.*)\n", block, flags=re.M)[1:]
        yield from zip(parts[::2], parts[1::2])


class Manual(tool.ToolTest):
    def test_every_example_prints_what_the_manual_says(self):
        os.symlink(os.path.abspath(tool.TOOL), self.path("dent"))
        work = self.path("work")
        os.mkdir(work)
        environment = dict(tool.ENVIRONMENT, PATH=self.folder + ":" + os.environ["PATH"])
        with open(MANUAL, encoding="utf-8") as file:
            examples = list(console_blocks(file.read()))
        self.assertGreater(len(examples), 10)
        for command, expected in examples:
            with self.subTest(command=command):
                result = subprocess.run(["sh", "-c", command], cwd=work, env=environment, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, timeout=600)
                pattern = ".*".join(re.escape(part) for part in re.split(r"^\.\.\.\n", expected, flags=re.M))
                if not re.fullmatch(pattern, result.stdout, re.S):
                    self.assertEqual(result.stdout, expected)


if __name__ == "__main__":
    tool.main()
