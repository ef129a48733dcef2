# SPDX-License-Identifier: MIT
"""Cycles stills of surfaces made by firn: a Blender script, run without a window.

    firn mesh shots/snowball                     (surfaces as .vdb or .ply)
    blender --background --python tools/blender_still.py -- shots/snowball/*.vdb --material snow --out stills

One PNG per file. Camera, ground and light are chosen from the first, middle and last surface and stay fixed.
For Blender 3.4, the version of Debian 12.
"""

import argparse
import math
import os
import sys

import bmesh
import bpy
from mathutils import Matrix, Vector


def principled(name, color, settings, bump, grain):
    """A Principled material whose surface is roughened by noise: `bump` its strength, `grain` its size in m."""
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    shader = nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*color, 1)
    for key, value in settings.items():
        shader.inputs[key].default_value = value
    place = nodes.new("ShaderNodeTexCoord")
    noise = nodes.new("ShaderNodeTexNoise")
    noise.inputs["Scale"].default_value = 1 / grain
    noise.inputs["Detail"].default_value = 6
    roughen = nodes.new("ShaderNodeBump")
    roughen.inputs["Strength"].default_value = bump
    roughen.inputs["Distance"].default_value = 0.3 * grain
    links.new(place.outputs["Object"], noise.inputs["Vector"])
    links.new(noise.outputs["Fac"], roughen.inputs["Height"])
    links.new(roughen.outputs["Normal"], shader.inputs["Normal"])
    return material


# Light goes some way into both; `size` is the diagonal of the shot. One entry a look.
MATERIALS = {
    "snow": lambda size: principled(
        "snow", (0.93, 0.95, 0.98),
        {"Subsurface": 0.35, "Subsurface Radius": (0.02 * size, 0.025 * size, 0.03 * size), "Roughness": 0.75,
         "Specular": 0.25, "Sheen": 0.2}, 0.55, 0.012 * size),
    "dough": lambda size: principled(
        "dough", (0.84, 0.60, 0.30),
        {"Subsurface": 0.2, "Subsurface Radius": (0.03 * size, 0.015 * size, 0.006 * size), "Roughness": 0.48,
         "Specular": 0.4}, 0.18, 0.05 * size),
}


def clean(thing):
    """Takes an object and its data away."""
    data = thing.data
    bpy.data.objects.remove(thing, do_unlink=True)
    if not data.users:
        (bpy.data.volumes if isinstance(data, bpy.types.Volume) else bpy.data.meshes).remove(data)


def mesh_of_volume(path):
    """The zero level of the grid "surface" of a .vdb file, else of its first. Blender's modifier does the meshing."""
    bpy.ops.object.volume_import(filepath=path, files=[{"name": os.path.basename(path)}], directory=os.path.dirname(path))
    volume = bpy.context.object
    volume.data.grids.load()
    names = [grid.name for grid in volume.data.grids]
    if not names:
        sys.exit(f"blender_still: {path} holds no grid that Blender can read")
    carrier = bpy.data.objects.new("carrier", bpy.data.meshes.new("carrier"))
    bpy.context.collection.objects.link(carrier)
    modifier = carrier.modifiers.new("surface", "VOLUME_TO_MESH")
    modifier.object = volume
    modifier.grid_name = "surface" if "surface" in names else names[0]
    modifier.threshold = 0.0
    evaluated = carrier.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = bpy.data.meshes.new_from_object(evaluated)
    mesh.transform(volume.matrix_world)
    clean(carrier)
    clean(volume)
    return mesh


def mesh_of_ply(path):
    bpy.ops.import_mesh.ply(filepath=path)
    thing = bpy.context.object
    mesh = thing.data.copy()
    clean(thing)
    return mesh


READERS = {".vdb": mesh_of_volume, ".ply": mesh_of_ply}


def read_mesh(path, up):
    """The surface in Blender's coordinates (z up), normals outward, smooth."""
    reader = READERS.get(os.path.splitext(path)[1].lower())
    if reader is None:
        sys.exit(f"blender_still: {path}: surfaces are .vdb or .ply files")
    mesh = reader(os.path.abspath(path))
    if not mesh.polygons:
        sys.exit(f"blender_still: {path} holds no surface")
    if up == "y":
        mesh.transform(Matrix.Rotation(math.pi / 2, 4, "X"))
    work = bmesh.new()
    work.from_mesh(mesh)
    bmesh.ops.recalc_face_normals(work, faces=work.faces)
    for face in work.faces:
        face.smooth = True
    work.to_mesh(mesh)
    work.free()
    return mesh


def box_of(meshes):
    """The box of all but the outermost 0.5 % of the vertices a side, so that a few flying crumbs do not make the rest
    small; down to the lowest one, on which the ground is."""
    low, high = Vector((math.inf,) * 3), Vector((-math.inf,) * 3)
    for mesh in meshes:
        for axis in range(3):
            places = sorted(vertex.co[axis] for vertex in mesh.vertices)
            cut = len(places) // 200
            low[axis] = min(low[axis], places[0 if axis == 2 else cut])
            high[axis] = max(high[axis], places[-1 - cut])
    return low, high


def set_stage(low, high, options):
    """Camera, sun, sky and ground around the box low..high."""
    scene, middle, size = bpy.context.scene, (low + high) / 2, (high - low).length
    azimuth, elevation = math.radians(options.azimuth), math.radians(options.elevation)
    towards = Vector((math.sin(azimuth) * math.cos(elevation), -math.cos(azimuth) * math.cos(elevation),
                      math.sin(elevation)))
    lens = bpy.data.cameras.new("camera")
    lens.sensor_fit, lens.angle = "VERTICAL", math.radians(28)
    camera = bpy.data.objects.new("camera", lens)
    scene.collection.objects.link(camera)
    camera.rotation_euler = towards.to_track_quat("Z", "Y").to_euler()
    # the nearest distance from which all corners fill at most 0.84 of the picture, as firn render has it
    right, above = camera.rotation_euler.to_matrix().col[0], camera.rotation_euler.to_matrix().col[1]
    tan_y = math.tan(math.radians(14))
    tan_x = tan_y * options.size[0] / options.size[1]
    distance = 0
    for k in range(8):
        q = Vector([(high if k >> c & 1 else low)[c] for c in range(3)]) - middle
        for side, tan in ((right, tan_x), (above, tan_y)):
            distance = max(distance, abs(q.dot(side)) / (0.84 * tan) + q.dot(towards))
    camera.location = middle + distance * towards
    lens.clip_start, lens.clip_end = 0.01 * distance, 100 * distance
    scene.camera = camera

    light = bpy.data.lights.new("sun", "SUN")
    light.energy, light.angle, light.color = 3.2, math.radians(2), (1, 0.95, 0.87)
    sun = bpy.data.objects.new("sun", light)
    scene.collection.objects.link(sun)
    turn = azimuth - math.radians(58)
    sun.rotation_euler = Vector((math.sin(turn), -math.cos(turn), 1.0)).to_track_quat("Z", "Y").to_euler()

    scene.world = bpy.data.worlds.new("sky")
    scene.world.use_nodes = True
    background = scene.world.node_tree.nodes["Background"]
    background.inputs["Color"].default_value, background.inputs["Strength"].default_value = (0.45, 0.56, 0.72, 1), 0.55

    bpy.ops.mesh.primitive_plane_add(size=60 * size, location=(middle.x, middle.y, low.z))
    ground = principled("ground", (0.085, 0.095, 0.11), {"Roughness": 0.85, "Specular": 0.2}, 0.05, 0.1 * size)
    bpy.context.object.data.materials.append(ground)


def set_output(options):
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.device, scene.cycles.samples, scene.cycles.seed = "CPU", options.samples, 0
    try:  # not every build brings the denoiser
        scene.cycles.use_denoising = True
        scene.cycles.denoiser = "OPENIMAGEDENOISE"
    except TypeError:
        scene.cycles.use_denoising = False
    scene.render.resolution_x, scene.render.resolution_y = options.size
    scene.render.resolution_percentage = 100
    scene.render.image_settings.file_format = "PNG"
    scene.view_settings.view_transform = "Filmic"
    if options.threads:
        scene.render.threads_mode, scene.render.threads = "FIXED", options.threads


def size_of(text):
    width, height = (int(part) for part in text.split("x"))
    if width < 1 or height < 1:
        raise ValueError
    return width, height


def read_options(arguments):
    parser = argparse.ArgumentParser(prog="blender ... --", description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="+", help="surfaces, .vdb or .ply, in order")
    parser.add_argument("--material", choices=sorted(MATERIALS), default="snow")
    parser.add_argument("--out", default="stills", help="folder for the pictures")
    parser.add_argument("--size", type=size_of, default=(1280, 720), metavar="WxH")
    parser.add_argument("--samples", type=int, default=96)
    parser.add_argument("--azimuth", type=float, default=30, help="degrees, as in firn render")
    parser.add_argument("--elevation", type=float, default=16, help="degrees")
    parser.add_argument("--up", choices=("y", "z"), default="y", help="which axis points up in the files")
    parser.add_argument("--threads", type=int, default=0)
    return parser.parse_args(arguments)


def main():
    options = read_options(sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else [])
    bpy.ops.wm.read_factory_settings(use_empty=True)
    files = options.files
    probes = [files[k] for k in sorted({0, len(files) // 2, len(files) - 1})]
    low, high = box_of([read_mesh(path, options.up) for path in probes])
    set_stage(low, high, options)
    set_output(options)
    material = MATERIALS[options.material]((high - low).length)
    os.makedirs(options.out, exist_ok=True)
    for path in files:
        mesh = read_mesh(path, options.up)
        mesh.materials.clear()
        mesh.materials.append(material)
        surface = bpy.data.objects.new("surface", mesh)
        bpy.context.collection.objects.link(surface)
        name = os.path.splitext(os.path.basename(path))[0] + ".png"
        bpy.context.scene.render.filepath = os.path.abspath(os.path.join(options.out, name))
        bpy.ops.render.render(write_still=True)
        clean(surface)


main()
