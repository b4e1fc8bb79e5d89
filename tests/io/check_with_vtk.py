#!/usr/bin/env python3
"""VTK and dent read each other's files.

    check_with_vtk.py PROBE          PROBE is the program mesh_file_probe

Writes dent's sample files and opens them with VTK (the library inside ParaView): counts, positions bit for bit, cells,
fields. Then lets VTK write grids and surfaces in every mode it has and compares what dent reads. Exit status 77 when
the Python module vtk is missing (Debian: python3-vtk9).
"""
import itertools
import math
import os
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

try:
    import vtk
except ImportError:
    print("SKIPPED: no Python module vtk (Debian: python3-vtk9)")
    sys.exit(77)

VERTICES = 12
CHECKS = 0


def check(found, expected, what):
    global CHECKS
    CHECKS += 1
    if found != expected:
        sys.exit(f"{what}: found {found}, expected {expected}")


def bits(values):
    return [struct.pack("<d", v) for v in values]


def fail_on_vtk_errors(algorithm):
    def report(_object, _event, text=""):
        sys.exit(f"VTK reports an error: {text}")

    report.CallDataType = vtk.VTK_STRING
    algorithm.AddObserver("ErrorEvent", report)


# ---- VTK reads what dent wrote ----------------------------------------------------------------------------

def sample_position(i):
    return {5: 5e-324, 7: sys.float_info.max, 9: -0.0}.get(i, (i - 17) / 7.0)


POSITIONS = [sample_position(i) for i in range(3 * VERTICES)]
VECTORS = [0.1 * i for i in range(3 * VERTICES)]
SCALARS = [1.0 / (1 + i) for i in range(VERTICES)]


def read(reader, path):
    fail_on_vtk_errors(reader)
    reader.SetFileName(path)
    reader.Update()
    return reader.GetOutput()


def values_of(array):
    return [array.GetTuple(i)[c] for i in range(array.GetNumberOfTuples())
            for c in range(array.GetNumberOfComponents())]


def check_field(data, name, components, expected, what):
    array = data.GetArray(name)
    if array is None:
        sys.exit(f"{what}: no array {name!r}")
    check(array.GetNumberOfComponents(), components, f"{what}: components of {name!r}")
    check(bits(values_of(array)), bits(expected), f"{what}: values of {name!r}")


def check_data_set(data_set, cells, types, what):
    check(data_set.GetNumberOfPoints(), VERTICES, f"{what}: points")
    check(bits(values_of(data_set.GetPoints().GetData())), bits(POSITIONS), f"{what}: positions")
    found = []
    for i in range(data_set.GetNumberOfCells()):
        cell = data_set.GetCell(i)
        found.append([cell.GetPointId(c) for c in range(cell.GetNumberOfPoints())])
    check(found, cells, f"{what}: cells")
    check([data_set.GetCellType(i) for i in range(len(cells))], types, f"{what}: types")
    point_data, cell_data = data_set.GetPointData(), data_set.GetCellData()
    check_field(point_data, "velocity", 3, VECTORS, what)
    check_field(point_data, 'depth & <"quoted"> \u00e9', 1, SCALARS, what)
    return cell_data


def check_dent_files(folder):
    solid = [[0, 1, 2, 3], [0, 1, 2, 3, 4, 5, 6, 7], [4, 5, 6, 8, 9, 10], [4, 5, 6, 7, 11]]
    surface = [[0, 1, 2], [3, 4, 5], [9, 10, 11]]
    for name, reader, cells, types in (
            ("solid.vtu", vtk.vtkXMLUnstructuredGridReader(), solid, [10, 12, 13, 14]),
            ("surface.vtu", vtk.vtkXMLUnstructuredGridReader(), surface, [5, 5, 5]),
            ("surface.vtp", vtk.vtkXMLPolyDataReader(), surface, [5, 5, 5])):
        data = check_data_set(read(reader, f"{folder}/{name}"), cells, types, name)
        check_field(data, "cell value", 1, SCALARS[:len(cells)], name)
        check_field(data, "cell vector", 3, VECTORS[:3 * len(cells)], name)
    names = read(vtk.vtkXMLUnstructuredGridReader(), f"{folder}/solid.vtu").GetFieldData().GetAbstractArray("name")
    check([names.GetValue(i) for i in range(names.GetNumberOfValues())], ["t\u00e9th <1>"], "solid.vtu: name")
    check_data_set(read(vtk.vtkXMLPolyDataReader(), f"{folder}/points.vtp"), [[i] for i in range(VERTICES)],
                   [1] * VERTICES, "points.vtp")
    lines = check_data_set(read(vtk.vtkXMLPolyDataReader(), f"{folder}/lines.vtp"), [[0, 1], [1, 2], [11, 0]], [3] * 3,
                           "lines.vtp")
    check_field(lines, "cell value", 1, SCALARS[:3], "lines.vtp")
    for name, reader in (("empty.vtu", vtk.vtkXMLUnstructuredGridReader()), ("empty.vtp", vtk.vtkXMLPolyDataReader())):
        output = read(reader, f"{folder}/{name}")
        check((output.GetNumberOfPoints(), output.GetNumberOfCells()), (0, 0), name)
    surface_obj = read(vtk.vtkOBJReader(), f"{folder}/surface.obj")
    check((surface_obj.GetNumberOfPoints(), surface_obj.GetNumberOfCells()), (VERTICES, 3), "surface.obj")
    entries = [dict(e.attrib) for e in xml.etree.ElementTree.parse(f"{folder}/all.pvd").getroot().iter("DataSet")]
    check([(float(e["timestep"]), e["part"], e["file"]) for e in entries],
          [(0.0, "0", "solid.vtu"), (0.0, "1", "surface.vtp"), (0.1, "0", "a & b.vtu")], "all.pvd")
    for entry in entries:
        check(os.path.exists(f"{folder}/{entry['file']}"), True, f"all.pvd: {entry['file']}")


# ---- dent reads what VTK writes -----------------------------------------------------------------------------

def show(probe, path):
    run = subprocess.run([probe, "show", path], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"dent cannot read {path}: {run.stderr}")
    bodies = []
    for line in run.stdout.splitlines():
        key, *values = line.split()
        if key == "body":
            bodies.append({"kind": values[0]})
        elif key == "positions":
            bodies[-1]["positions"] = [float.fromhex(v) for v in values]
        elif key in ("corners", "numbers"):
            bodies[-1][key] = [int(v) for v in values]
    return bodies


GRID = (12, 10, 9)


def lattice(exact_in_text):
    """Positions of a small lattice of hexahedra: in eighths where the writer prints few digits, else with all bits."""
    points = []
    for k, j, i in itertools.product(range(GRID[2] + 1), range(GRID[1] + 1), range(GRID[0] + 1)):
        points.append((i / 8, j / 8, k / 8) if exact_in_text else (i + 1 / 3, math.sqrt(j) * 1e-310, -k * 1e300 / 7))
    return points


def node(i, j, k):
    return (k * (GRID[1] + 1) + j) * (GRID[0] + 1) + i


def make_points(points):
    vtk_points = vtk.vtkPoints()
    vtk_points.SetDataTypeToDouble()
    for point in points:
        vtk_points.InsertNextPoint(point)
    return vtk_points


def add_attributes(data_set, group_count):
    speed = vtk.vtkFloatArray()
    speed.SetName("speed of the wind")
    speed.SetNumberOfComponents(3)
    for i in range(data_set.GetNumberOfPoints()):
        speed.InsertNextTuple((i, 0.5, -i))
    data_set.GetPointData().SetVectors(speed)
    if group_count > 1:
        group = vtk.vtkIntArray()
        group.SetName("group")
        for i in range(data_set.GetNumberOfCells()):
            group.InsertNextValue(10 + i % group_count)
        data_set.GetCellData().AddArray(group)


def make_grid(points, group_count):
    grid = vtk.vtkUnstructuredGrid()
    grid.SetPoints(make_points(points))
    cells = []
    for k, j, i in itertools.product(range(GRID[2]), range(GRID[1]), range(GRID[0])):
        corners = [node(i, j, k), node(i + 1, j, k), node(i + 1, j + 1, k), node(i, j + 1, k), node(i, j, k + 1),
                   node(i + 1, j, k + 1), node(i + 1, j + 1, k + 1), node(i, j + 1, k + 1)]
        if (i + j + k) % 3 == 0:
            tet = [corners[0], corners[1], corners[3], corners[4]]
            grid.InsertNextCell(vtk.VTK_TETRA, 4, tet)
            cells.append(tet)
        else:
            grid.InsertNextCell(vtk.VTK_HEXAHEDRON, 8, corners)
            cells.append(corners)
    add_attributes(grid, group_count)
    return grid, cells


def make_surface(points, group_count):
    polydata = vtk.vtkPolyData()
    polydata.SetPoints(make_points(points))
    polygons = vtk.vtkCellArray()
    cells = []
    for j, i in itertools.product(range(GRID[1]), range(GRID[0])):
        for triangle in ([node(i, j, 0), node(i + 1, j, 0), node(i + 1, j + 1, 0)],
                         [node(i, j, 0), node(i + 1, j + 1, 0), node(i, j + 1, 0)]):
            polygons.InsertNextCell(3, triangle)
            cells.append(triangle)
    polydata.SetPolys(polygons)
    add_attributes(polydata, group_count)
    return polydata, cells


def check_bodies(bodies, kind, points, cells, group_count, what):
    check(len(bodies), group_count, f"{what}: bodies")
    positions = [x for point in points for x in point]
    for number, body in enumerate(bodies):
        check(body["kind"], kind, f"{what}: kind")
        mine = [cell for i, cell in enumerate(cells) if i % group_count == number]
        check(body["numbers"], [i for i in range(len(cells)) if i % group_count == number], f"{what}: numbers")
        if group_count == 1:
            check(bits(body["positions"]), bits(positions), f"{what}: positions")
            check(body["corners"], [c for cell in mine for c in cell], f"{what}: corners")
            continue
        used = sorted({c for cell in mine for c in cell})
        check(bits(body["positions"]), bits([x for v in used for x in points[v]]), f"{what}: positions")
        check([used[c] for c in body["corners"]], [c for cell in mine for c in cell], f"{what}: corners")


def write(writer, data, path):
    fail_on_vtk_errors(writer)
    writer.SetFileName(path)
    writer.SetInputData(data)
    check(writer.Write(), 1, f"VTK writes {path}")


def check_xml_files(probe, folder):
    count = 0
    for kind, make, writer_class, ending in (("solid", make_grid, vtk.vtkXMLUnstructuredGridWriter, "vtu"),
                                             ("surface", make_surface, vtk.vtkXMLPolyDataWriter, "vtp")):
        for mode, base64, packed, wide, big, groups in itertools.product(("Ascii", "Binary", "Appended"), (False, True),
                                                                         (False, True), (False, True), (False, True),
                                                                         (1, 3)):
            if (base64 and mode != "Appended") or (mode == "Ascii" and (packed or wide or big)):
                continue
            points = lattice(exact_in_text=mode == "Ascii")
            data, cells = make(points, groups)
            writer = writer_class()
            getattr(writer, f"SetDataModeTo{mode}")()
            writer.SetEncodeAppendedData(base64)
            if packed:
                writer.SetCompressorTypeToZLib()
                writer.SetBlockSize(4096)
            else:
                writer.SetCompressorTypeToNone()
            if wide:
                writer.SetHeaderTypeToUInt64()
            else:
                writer.SetHeaderTypeToUInt32()
            if big:
                writer.SetByteOrderToBigEndian()
            path = f"{folder}/x.{ending}"
            write(writer, data, path)
            what = f"{ending} {mode} base64={base64} packed={packed} wide={wide} big={big} groups={groups}"
            check_bodies(show(probe, path), kind, points, cells, groups, what)
            count += 1
    return count


def check_legacy_files(probe, folder):
    count = 0
    for kind, make, writer_class in (("solid", make_grid, vtk.vtkUnstructuredGridWriter),
                                     ("surface", make_surface, vtk.vtkPolyDataWriter)):
        for binary, old, groups in itertools.product((False, True), (False, True), (1, 3)):
            points = lattice(exact_in_text=not binary)
            data, cells = make(points, groups)
            writer = writer_class()
            if binary:
                writer.SetFileTypeToBinary()
            if hasattr(writer, "SetFileVersion"):
                writer.SetFileVersion(42 if old else 51)
            path = f"{folder}/x.vtk"
            write(writer, data, path)
            check_bodies(show(probe, path), kind, points, cells, groups,
                         f"legacy {kind} binary={binary} old={old} groups={groups}")
            count += 1
    return count


def check_other_files(probe, folder):
    """PLY and STL and OBJ by VTK's writers."""
    points = lattice(exact_in_text=True)
    data, cells = make_surface(points, 1)
    used = sorted({c for cell in cells for c in cell})
    for writer, name in ((vtk.vtkPLYWriter(), "x.ply"), (vtk.vtkPLYWriter(), "y.ply"), (vtk.vtkSTLWriter(), "x.stl"),
                         (vtk.vtkSTLWriter(), "y.stl"), (vtk.vtkOBJWriter(), "x.obj")):
        if hasattr(writer, "SetFileTypeToASCII") and name[0] == "x":
            writer.SetFileTypeToASCII()
        elif hasattr(writer, "SetFileTypeToBinary"):
            writer.SetFileTypeToBinary()
        path = f"{folder}/{name}"
        write(writer, data, path)
        body, = show(probe, path)
        triangles = [tuple(body["corners"][3 * i:3 * i + 3]) for i in range(len(cells))]
        place = [tuple(body["positions"][3 * v:3 * v + 3]) for v in range(len(body["positions"]) // 3)]
        check(len(body["corners"]), 3 * len(cells), f"{name}: faces")
        check([tuple(place[c] for c in triangle) for triangle in triangles],
              [tuple(points[c] for c in cell) for cell in cells], f"{name}: faces")
        if name.endswith(".stl"):
            check(len(place), len(used), f"{name}: welded vertices")


def main():
    probe = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([probe, "samples", folder], check=True)
        check_dent_files(folder)
        xml_count = check_xml_files(probe, folder)
        legacy_count = check_legacy_files(probe, folder)
        check_other_files(probe, folder)
    print(f"VTK {vtk.vtkVersion.GetVTKVersion()}: 8 files of dent read by VTK, {xml_count} XML and {legacy_count} "
          f"legacy and 5 other files of VTK read by dent, {CHECKS} checks")


if __name__ == "__main__":
    main()
