"""The bad-input list: what each mistake prints, one line each, exit status 2, never a crash."""
import os
import struct

import tool_under_test as tool


def binary_stl(claimed, triangles):
    corners = ((0, 0, 0), (1, 0, 0), (0, 1, 0))
    record = struct.pack("<12fH", 0, 0, 1, *[number for corner in corners for number in corner], 0)
    return b"\0" * 80 + struct.pack("<I", claimed) + record * triangles


class BadInput(tool.ToolTest):
    def refused(self, name, content=None):
        """The line for a file, with the folder taken out, the same from info, pairs and check."""
        path = self.path(name) if content is None else self.write(name, content)
        line = self.one_line_error("info", path)
        self.assertEqual(self.one_line_error("pairs", "--ask", "face-face", path), line)
        self.assertEqual(self.one_line_error("check", path), line)
        self.assertIn(path, line)
        print("  dent: " + line.replace(self.folder + "/", ""))
        return line.replace(self.folder + "/", "")

    def test_missing_file(self):
        self.assertEqual(self.refused("absent.msh"), "absent.msh: No such file or directory")

    def test_folder(self):
        os.mkdir(self.path("folder.msh"))
        self.assertEqual(self.refused("folder.msh"), "folder.msh: is a directory")


if __name__ == "__main__":
    tool.main()
