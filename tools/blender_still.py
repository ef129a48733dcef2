# SPDX-License-Identifier: MIT
r"""Cycles stills of surfaces made by firn: a Blender script, run without a window.

    firn mesh shots/snowball                     (surfaces as .vdb or .ply)
    blender --background --python tools/blender_still.py -- shots/snowball/*.vdb --material snow --out stills

    firn mesh shots/dough --colliders --out surfaces
    blender --background --python tools/blender_still.py -- surfaces/dough.*.vdb --colliders surfaces/dough_colliders.*.obj \
        --material dough --draft --film dough.mp4

One PNG per file. Camera, ground and light are chosen from the first, middle and last surface and stay fixed.
For Blender 3.4, the version of Debian 12.
"""

import argparse
import math
import os
import shutil
import subprocess
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


# One entry a look, as in src/picture/look.c: colour (linear), share and reach of light below the surface (of red, green,
# blue; m, or a share of the shot's diagonal where it is negative), roughness, specular, further inputs, bump and its size
# (shares of the diagonal). Inputs are those of the Principled shader of Blender 3.4.
LOOKS = {
    "snow": ((0.93, 0.95, 0.98), 0.35, (-0.02, -0.025, -0.03), 0.75, 0.25, {"Sheen": 0.2}, 0.55, 0.012),
    "dough": ((0.84, 0.60, 0.30), 0.2, (6e-3, 3.5e-3, 1.5e-3), 0.5, 0.4, {}, 0.18, 0.05),
    "sand": ((0.65, 0.43, 0.19), 0.0, (1e-3, 8e-4, 5e-4), 0.9, 0.3, {}, 0.8, 0.004),
    "honey": ((0.80, 0.32, 0.03), 0.0, (1e-3, 1e-3, 1e-3), 0.04, 0.5, {"Transmission": 0.85, "IOR": 1.49}, 0.0, 0.1),
    "chocolate": ((0.050, 0.016, 0.006), 0.1, (2e-3, 1e-3, 5e-4), 0.22, 0.55, {"Clearcoat": 0.25}, 0.04, 0.08),
    "wax": ((0.87, 0.72, 0.44), 0.5, (12e-3, 8e-3, 4e-3), 0.28, 0.45, {}, 0.05, 0.08),
    "mud": ((0.15, 0.075, 0.035), 0.05, (1e-3, 8e-4, 5e-4), 0.3, 0.5, {}, 0.45, 0.02),
}


def look_of(name, size):
    """The material of a look; `size` is the diagonal of the shot."""
    color, share, reach, roughness, specular, further, bump, grain = LOOKS[name]
    radius = tuple(r if r > 0 else -r * size for r in reach)
    settings = {"Subsurface": share, "Subsurface Radius": radius, "Subsurface Color": (*color, 1),
                "Roughness": roughness, "Specular": specular, **further}
    return principled(name, color, settings, bump, grain * size)


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


def mesh_of_obj(path):
    bpy.ops.wm.obj_import(filepath=path, forward_axis="Y", up_axis="Z")  # as it is: read_mesh turns it
    thing = bpy.context.object
    mesh = thing.data.copy()
    clean(thing)
    return mesh


READERS = {".vdb": mesh_of_volume, ".ply": mesh_of_ply, ".obj": mesh_of_obj}


def frame_of(path):
    """What names of one frame share: the numbers before the ending."""
    return os.path.basename(path).split(".")[1:-1]


def pair(files, colliders):
    """The colliders of each surface, by frame; None where there are none."""
    by_frame = {tuple(frame_of(path)): path for path in colliders}
    return [by_frame.get(tuple(frame_of(path))) for path in files]


def read_mesh(path, up):
    """The surface in Blender's coordinates (z up), normals outward, smooth."""
    reader = READERS.get(os.path.splitext(path)[1].lower())
    if reader is None:
        sys.exit(f"blender_still: {path}: surfaces are .vdb, .ply or .obj files")
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
    tan_x = tan_y * picture_size(options)[0] / picture_size(options)[1]
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
    if options.no_ground:
        bpy.data.objects.remove(bpy.context.object, do_unlink=True)
        return
    ground = principled("ground", (0.085, 0.095, 0.11), {"Roughness": 0.85, "Specular": 0.2}, 0.05, 0.1 * size)
    bpy.context.object.data.materials.append(ground)


def set_output(options):
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    samples = options.samples or (16 if options.draft else 96)
    scene.cycles.device, scene.cycles.samples, scene.cycles.seed = "CPU", samples, 0
    if options.draft:  # as few bounces as show the shapes
        scene.cycles.max_bounces, scene.cycles.transmission_bounces = 4, 4
    try:  # not every build brings the denoiser
        scene.cycles.use_denoising = True
        scene.cycles.denoiser = "OPENIMAGEDENOISE"
    except TypeError:
        scene.cycles.use_denoising = False
    scene.render.resolution_x, scene.render.resolution_y = picture_size(options)
    scene.render.resolution_percentage = 100
    scene.render.image_settings.file_format = "PNG"
    scene.view_settings.view_transform = "Filmic"
    if options.threads:
        scene.render.threads_mode, scene.render.threads = "FIXED", options.threads


def picture_size(options):
    return options.size or ((640, 360) if options.draft else (1280, 720))


def size_of(text):
    width, height = (int(part) for part in text.split("x"))
    if width < 1 or height < 1:
        raise ValueError
    return width, height


def read_options(arguments):
    parser = argparse.ArgumentParser(prog="blender ... --", description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="+", help="surfaces, .vdb or .ply, in order")
    parser.add_argument("--material", choices=sorted(LOOKS), default="snow")
    parser.add_argument("--colliders", nargs="*", default=[], metavar="FILE",
                        help="NAME_colliders.*.obj of firn mesh --colliders, drawn with the surface of their frame")
    parser.add_argument("--no-ground", action="store_true", help="without the plane below the material")
    parser.add_argument("--draft", action="store_true", help="640x360 and 16 samples where these are not given")
    parser.add_argument("--film", metavar="FILE", help="also join the pictures into a film, by ffmpeg")
    parser.add_argument("--fps", type=float, default=24, help="of the film")
    parser.add_argument("--out", default="stills", help="folder for the pictures")
    parser.add_argument("--size", type=size_of, metavar="WxH", help="default: 1280x720")
    parser.add_argument("--samples", type=int, help="default: 96")
    parser.add_argument("--azimuth", type=float, default=30, help="degrees, as in firn render")
    parser.add_argument("--elevation", type=float, default=16, help="degrees")
    parser.add_argument("--up", choices=("y", "z"), default="y", help="which axis points up in the files")
    parser.add_argument("--threads", type=int, default=0)
    return parser.parse_args(arguments)


def add_object(name, mesh, material):
    mesh.materials.clear()
    mesh.materials.append(material)
    thing = bpy.data.objects.new(name, mesh)
    bpy.context.collection.objects.link(thing)
    return thing


def film(pictures, path, fps):
    """The pictures one after the other through a pipe to ffmpeg."""
    command = ["ffmpeg", "-v", "error", "-y", "-f", "image2pipe", "-framerate", f"{fps:g}", "-c:v", "png", "-i", "-",
               "-pix_fmt", "yuv420p", path]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as encoder:
        for picture in pictures:
            with open(picture, "rb") as file:
                shutil.copyfileobj(file, encoder.stdin)
    if encoder.returncode:
        sys.exit(f"blender_still: ffmpeg made no film {path}")


def main():
    options = read_options(sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else [])
    bpy.ops.wm.read_factory_settings(use_empty=True)
    files = options.files
    probes = [files[k] for k in sorted({0, len(files) // 2, len(files) - 1})]
    low, high = box_of([read_mesh(path, options.up) for path in probes])
    size = (high - low).length
    set_stage(low, high, options)
    set_output(options)
    material = look_of(options.material, size)
    grey = principled("collider", (0.15, 0.152, 0.156), {"Roughness": 0.7, "Specular": 0.3}, 0.0, size)
    os.makedirs(options.out, exist_ok=True)
    pictures = []
    for path, collider in zip(files, pair(files, options.colliders)):
        things = [add_object("surface", read_mesh(path, options.up), material)]
        if collider:
            things.append(add_object("colliders", read_mesh(collider, options.up), grey))
        name = os.path.splitext(os.path.basename(path))[0] + ".png"
        pictures.append(os.path.join(options.out, name))
        bpy.context.scene.render.filepath = os.path.abspath(pictures[-1])
        bpy.ops.render.render(write_still=True)
        for thing in things:
            clean(thing)
    if options.film:
        film(pictures, options.film, options.fps)


if __name__ == "__main__":
    main()
