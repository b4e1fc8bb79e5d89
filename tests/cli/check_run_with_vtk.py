#!/usr/bin/env python3
"""VTK opens the animation of dent run and finds the right number of steps, cells and contacts.

    check_run_with_vtk.py TOOL          ends with 77 when this Python has no VTK
"""
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

try:
    from vtkmodules.vtkIOXML import vtkXMLPolyDataReader, vtkXMLUnstructuredGridReader
except ImportError:
    print("VTK is not installed (Debian: python3-vtk9): not tried")
    sys.exit(77)

FRAMES = 6


def read(path):
    reader = vtkXMLUnstructuredGridReader() if path.endswith(".vtu") else vtkXMLPolyDataReader()
    assert reader.CanReadFile(path), path
    reader.SetFileName(path)
    reader.Update()
    assert reader.GetErrorCode() == 0, path
    return reader.GetOutput()


def tuples(data, name, components, count):
    array = data.GetArray(name)
    assert array is not None, name + " is missing"
    assert (array.GetNumberOfComponents(), array.GetNumberOfTuples()) == (components, count), name
    return array


def check_scene(tool, folder, arguments, cells):
    """cells: part -> number of elements."""
    out = os.path.join(folder, "animation")
    lines = subprocess.run([tool, "run", *arguments, "--frames", str(FRAMES), "-o", out, "--json"], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    contacts = {0: 0}
    depths = {0: 0.0}
    for line in map(json.loads, lines):
        contacts[line["frame"]] = line["contacts"]
        depths[line["frame"]] = line["max_penetration"]
    steps = {}
    for entry in xml.etree.ElementTree.parse(out + ".pvd").getroot().iter("DataSet"):
        steps.setdefault(float(entry.get("timestep")), {})[int(entry.get("part"))] = os.path.join(
            folder, entry.get("file"))
    assert len(steps) == FRAMES + 1, len(steps)
    found = 0
    for frame, (_, parts) in enumerate(sorted(steps.items())):
        assert sorted(parts) == sorted(list(cells) + [2]), parts
        for part, count in cells.items():
            mesh = read(parts[part])
            assert mesh.GetNumberOfCells() == count, (parts[part], mesh.GetNumberOfCells(), count)
            tuples(mesh.GetPointData(), "velocity", 3, mesh.GetNumberOfPoints())
            tuples(mesh.GetCellData(), "body", 1, count)
        points = read(parts[2])
        count = points.GetNumberOfPoints()
        assert count == contacts[frame], (frame, count, contacts[frame])
        assert points.GetNumberOfVerts() == count
        found += count
        normals = tuples(points.GetPointData(), "normal", 3, count)
        tuples(points.GetPointData(), "force", 3, count)
        for field in ("push", "error"):
            tuples(points.GetPointData(), field, 1, count)
        tuples(points.GetPointData(), "body_a", 1, count)
        for i in range(count):
            length = sum(value * value for value in normals.GetTuple3(i))
            assert abs(length - 1) < 1e-9, (frame, i, length)
    assert found > 0, "no contact in the whole animation: nothing was tested"
    print("%s: %d steps, %s cells, %d contact points" % (arguments[0], len(steps), "+".join(map(str, cells.values())),
                                                         found))


def main():
    tool = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        # 4 blocks of 2 x 2 x 2 cubes of five tetrahedra on a ground of 6 x 6 x 1
        check_scene(tool, folder, ["stack", "--scale", "0.125", "--set", "blocks=4", "--set", "gap=0.01"],
                    {0: 4 * 40 + 180})
    with tempfile.TemporaryDirectory() as folder:
        # a ground of tetrahedra and a sheet of 16 x 16 squares of two triangles
        check_scene(tool, folder, ["sheet-fold", "--scale", "0.25"], {0: 320, 1: 512})
    return 0


if __name__ == "__main__":
    sys.exit(main())
