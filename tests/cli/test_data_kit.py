"""Every mesh file of the data kit: the counts its README states, or one clear line; and the jaw parts."""
import os
import re

import tool_under_test as tool

ENDINGS = (".msh", ".mesh", ".ele", ".vtk", ".vtu", ".obj", ".stl", ".ply")


def mesh_files(root):
    for folder, _, names in sorted(os.walk(root)):
        for name in sorted(names):
            if (name[:-3] if name.endswith(".xz") else name).endswith(ENDINGS):
                yield os.path.join(folder, name)


def stated_counts(readme):
    """folder/file → (vertices, elements, is solid, the remark on quality) from the tables of the kit's README."""
    counts, folder = {}, ""
    with open(readme, encoding="utf-8") as file:
        for line in file:
            heading = re.match(r"## ([\w-]+)", line)
            folder = heading.group(1) if heading else folder
            row = re.match(r"\| `([^`]+)` \| \d+ \| [^|]+ \| (\d+) \| (\d+) (tets|tris)[^|]*\|([^|]*)\|", line)
            if row:
                name, vertices, elements, kind, remark = row.groups()
                counts[folder + "/" + name] = int(vertices), int(elements), kind == "tets", remark
    return counts


class KitFiles(tool.DataTest):
    def test_info_reads_every_mesh_with_the_stated_counts(self):
        meshes = os.path.join(tool.DATA, "meshes")
        stated = stated_counts(os.path.join(meshes, "README.md"))
        self.assertGreater(len(stated), 60)
        refused, checked = [], 0
        for path in mesh_files(tool.DATA):
            result = tool.run("info", "--json", path)
            name = os.path.relpath(path, meshes)
            with self.subTest(file=name):
                if result.returncode != 0:
                    self.assertEqual((result.returncode, result.stdout, result.stderr.count("\n")), (2, "", 1), result.stderr)
                    refused.append(result.stderr.strip())
                    self.assertNotIn(name, stated)
                    continue
                rows = tool.json_lines(result.stdout)
                if name in stated:
                    vertices, elements, solid, remark = stated[name]
                    self.assertEqual(sum(row["cells"] if solid else row["faces"] for row in rows), elements)
                    self.assertEqual(rows[0]["kind"], "solid" if solid else "surface")
                    self.assertEqual(len(rows), 1)
                    self.assertEqual(rows[0]["vertices"], vertices)
                    self.check_remark(rows[0], remark)
                    checked += 1
        print("  %d files with stated counts, refused: %s" % (checked, refused or "none"))
        self.assertEqual(checked, len(stated))

    def check_remark(self, row, remark):
        """The README's words on quality, boundary and components."""
        for pattern, key in ((r"(\d+) surface triangles", "surface_faces"), (r"inverted (\d+)", "inverted"), (r"(\d+) boundary", "boundary_edges"),
                             (r"(\d+) non-manifold", "nonmanifold_edges"), (r"(\d+) component", "components"), (r"(\d+) unused", "unused")):
            found = re.search(pattern, remark)
            if found:
                self.assertEqual(row[key], int(found.group(1)), (key, remark))
        if "none inverted" in remark:
            self.assertEqual(row["inverted"], 0)
        quality = re.search(r"min quality ([\d.e-]+)", remark)
        if quality:
            self.assertLess(abs(row["min_quality"] - float(quality.group(1))), 0.06 * float(quality.group(1)))


class Jaw(tool.DataTest):
    """Bone, teeth and ligaments. With a tolerance of 1e-5 mm ligaments only touch; enamel and pulp really overlap dentin."""

    def parts(self, teeth):
        folder = os.path.join(tool.DATA, "meshes", "jaw-openmandible")
        names = ["CorticalBone"] + ["Tooth_%s_%s" % (tooth, part) for tooth in teeth for part in ("Dentin", "Enamel", "PDL", "Pulp")]
        return names, [os.path.join(folder, name + ".1.ele.xz") for name in names]

    def check_jaw(self, teeth):
        names, files = self.parts(teeth)
        result = tool.run("check", "--json", "--tolerance", "1e-5", *files)
        self.assertEqual(result.returncode, 1, result.stderr)
        lines = tool.json_lines(result.stdout)
        summary = lines[-1]
        pairs = {(names[line["body_a"]], names[line["body_b"]]): line for line in lines[:-1]}
        for tooth in teeth:
            stem = "Tooth_%s_" % tooth
            for pair in (("CorticalBone", stem + "PDL"), (stem + "Dentin", stem + "PDL")):
                self.assertIn(pair, pairs)
                self.assertLessEqual(pairs[pair]["max_depth"], 1e-5, pair)
            for pair in ((stem + "Dentin", stem + "Enamel"), (stem + "Dentin", stem + "Pulp")):
                self.assertIn(pair, pairs)
                self.assertGreater(pairs[pair]["max_depth"], 1e-5, pair)
                self.assertGreater(pairs[pair]["penetrating_vertices"], 0, pair)
        deep = [line for line in pairs.values() if line["max_depth"] > 1e-5]
        self.assertEqual((summary["bodies"], summary["pairs_penetrating"], summary["pairs_touching"], summary["outcome"]),
                         (len(names), len(deep), len(pairs) - len(deep), "complete"))
        self.assertEqual(summary["max_depth"], max(line["max_depth"] for line in deep))
        return pairs

    def test_the_first_molar_in_the_bone(self):
        pairs = self.check_jaw(["L6"])
        # The README of the kit counts vertices strictly inside cells; check also counts those on inner faces.
        for pair, inside in ((("Tooth_L6_Dentin", "Tooth_L6_Enamel"), 751), (("Tooth_L6_Dentin", "Tooth_L6_Pulp"), 2678)):
            self.assertGreaterEqual(pairs[pair]["penetrating_vertices"], inside)

    def test_all_left_parts(self):
        if not tool.LONG:
            self.skipTest("the whole left side is in the long tier: DENT_LONG_TESTS=1")
        self.check_jaw(["L%d" % number for number in range(1, 8)])


if __name__ == "__main__":
    tool.main()
