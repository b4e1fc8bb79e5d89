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
                    self.assertEqual((result.returncode, result.stdout, result.stderr.count("\n")), (2, "", 1),
                                     result.stderr)
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
        for pattern, key in ((r"(\d+) surface triangles", "surface_faces"), (r"inverted (\d+)", "inverted"),
                             (r"(\d+) boundary", "boundary_edges"), (r"(\d+) non-manifold", "nonmanifold_edges"),
                             (r"(\d+) component", "components"), (r"(\d+) unused", "unused")):
            found = re.search(pattern, remark)
            if found:
                self.assertEqual(row[key], int(found.group(1)), (key, remark))
        if "none inverted" in remark:
            self.assertEqual(row["inverted"], 0)
        quality = re.search(r"min quality ([\d.e-]+)", remark)
        if quality:
            self.assertLess(abs(row["min_quality"] - float(quality.group(1))), 0.06 * float(quality.group(1)))


class Jaw(tool.DataTest):
    """Bone, teeth and ligaments: parts meshed one by one, whose interfaces agree up to the rounding of their files.

    Measured, and for five of the pairs confirmed by a separate program that took the distance of every vertex inside:
    on L1 to L6 the ligament is at most 3.4e-6 mm deep in bone and dentin; enamel and pulp are at least 6.2e-6 mm deep
    in dentin. A tolerance of 5e-6 mm tells the two kinds apart on every one of these teeth; at 1e-5 mm the enamel of L6
    (6.36e-6) counts as touching, its pulp (4.2e-5) does not. On L7 dentin and ligament really overlap, by 0.0213 mm.
    """

    def parts(self, teeth):
        folder = os.path.join(tool.DATA, "meshes", "jaw-openmandible")
        materials = ("Dentin", "Enamel", "PDL", "Pulp")
        names = ["CorticalBone"] + ["Tooth_%s_%s" % (tooth, material) for tooth in teeth for material in materials]
        return names, [os.path.join(folder, name + ".1.ele.xz") for name in names]

    def check_jaw(self, teeth, tolerance):
        """Pairs by name. Summary, exit status and the report must agree with the pairs."""
        names, files = self.parts(teeth)
        result = tool.run("check", "--json", "--tolerance", tolerance, *files)
        lines = tool.json_lines(result.stdout)
        summary = lines[-1]
        pairs = {(names[line["body_a"]], names[line["body_b"]]): line for line in lines[:-1]}
        deep = [line for line in pairs.values() if line["max_depth"] > tolerance]
        self.assertEqual((summary["bodies"], summary["pairs_penetrating"], summary["pairs_touching"],
                          summary["outcome"]),
                         (len(names), len(deep), len(pairs) - len(deep), "complete"))
        self.assertEqual(summary["max_depth"], max([line["max_depth"] for line in deep], default=0))
        self.assertEqual(result.returncode, 1 if deep else 0, result.stderr)
        report = tool.run("check", "--tolerance", tolerance, *files)
        self.assertEqual(report.returncode, result.returncode)
        self.assertEqual(report.stdout.count("PENETRATING"), len(deep))
        return pairs

    def assert_ligaments_touch_and_the_rest_penetrates(self, pairs, tooth, tolerance):
        stem = "Tooth_%s_" % tooth
        for pair in (("CorticalBone", stem + "PDL"), (stem + "Dentin", stem + "PDL")):
            self.assertIn(pair, pairs)
            self.assertLessEqual(pairs[pair]["max_depth"], tolerance, pair)
        for pair in ((stem + "Dentin", stem + "Enamel"), (stem + "Dentin", stem + "Pulp")):
            self.assertGreater(pairs[pair]["max_depth"], tolerance, pair)
            self.assertGreater(pairs[pair]["penetrating_vertices"], 0, pair)

    def test_the_first_molar_in_the_bone(self):
        pairs = self.check_jaw(["L6"], 5e-6)
        self.assert_ligaments_touch_and_the_rest_penetrates(pairs, "L6", 5e-6)
        # The vertices inside that the README of the kit states, and the depths measured by a separate program.
        for pair, inside, depth in ((("CorticalBone", "Tooth_L6_PDL"), 238, 0),
                                    (("Tooth_L6_Dentin", "Tooth_L6_PDL"), 7, 2.1198e-06),
                                    (("Tooth_L6_Dentin", "Tooth_L6_Enamel"), 751, 6.360105e-06),
                                    (("Tooth_L6_Dentin", "Tooth_L6_Pulp"), 2678, 4.187866e-05)):
            self.assertEqual(pairs[pair]["penetrating_vertices"], inside, pair)
            self.assertAlmostEqual(pairs[pair]["max_depth"], depth, delta=1e-10)

    def test_a_tolerance_above_the_rounding_of_the_files(self):
        pairs = self.check_jaw(["L6"], 1e-5)
        touching = {pair for pair, line in pairs.items() if line["max_depth"] <= 1e-5}
        self.assertEqual(touching, {("CorticalBone", "Tooth_L6_PDL"), ("Tooth_L6_Dentin", "Tooth_L6_PDL"),
                                    ("Tooth_L6_Dentin", "Tooth_L6_Enamel")})

    def test_all_left_parts(self):
        pairs = self.check_jaw(["L%d" % number for number in range(1, 8)], 5e-6)
        for number in range(1, 7):
            self.assert_ligaments_touch_and_the_rest_penetrates(pairs, "L%d" % number, 5e-6)
        self.assertAlmostEqual(pairs["Tooth_L7_Dentin", "Tooth_L7_PDL"]["max_depth"], 0.0212950027, delta=1e-9)


if __name__ == "__main__":
    tool.main()
