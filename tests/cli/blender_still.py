# SPDX-License-Identifier: MIT
"""blender_still.py SCRIPT: what tools/blender_still.py decides without Blender, whose modules are empty here."""
import importlib.util
import os
import subprocess
import sys
import tempfile
import types

for name in ("bpy", "bmesh", "mathutils"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["mathutils"].Matrix = sys.modules["mathutils"].Vector = object
spec = importlib.util.spec_from_file_location("still", sys.argv[1])
still = importlib.util.module_from_spec(spec)
spec.loader.exec_module(still)

# options: --draft changes what is not given
options = still.read_options(["a.0001.vdb", "--material", "honey", "--draft"])
assert still.picture_size(options) == (640, 360) and options.samples is None
options = still.read_options(["a.0001.vdb", "--draft", "--size", "320x200"])
assert still.picture_size(options) == (320, 200)
assert still.picture_size(still.read_options(["a.0001.vdb"])) == (1280, 720)

# surfaces and colliders belong together by frame and sub-frame
surfaces = ["s/d.0001.vdb", "s/d.0001.500.vdb", "s/d.0002.vdb"]
colliders = ["s/d_colliders.0002.obj", "s/d_colliders.0001.obj"]
assert still.pair(surfaces, colliders) == ["s/d_colliders.0001.obj", None, "s/d_colliders.0002.obj"]

# every look is what the shader takes: shares and linear colours in 0..1, lengths that are not zero
assert set(still.LOOKS) == {"snow", "dough", "sand", "honey", "chocolate", "wax", "mud"}
made = []
still.principled = lambda *arguments: made.append(arguments)
for name in still.LOOKS:
    still.look_of(name, 0.5)
for name, color, settings, bump, grain in made:
    shares = [*color, settings["Subsurface"], settings["Roughness"], settings["Specular"], bump]
    assert all(0 <= share <= 1 for share in shares), name
    assert all(0 < reach < 0.05 for reach in settings["Subsurface Radius"]) and grain > 0, name

# a film of three pictures, where there is ffmpeg
if subprocess.run(["sh", "-c", "command -v ffmpeg"], stdout=subprocess.DEVNULL, check=False).returncode == 0:
    with tempfile.TemporaryDirectory() as folder:
        pictures = []
        for k, color in enumerate(("red", "green", "blue")):
            pictures.append(f"{folder}/it's {k}.png")
            subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"color={color}:s=64x64", "-frames:v", "1",
                            pictures[-1]], check=True)
        still.film(pictures, f"{folder}/film.mp4", 5)
        told = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames",
                               "-of", "csv=p=0", f"{folder}/film.mp4"], capture_output=True, text=True, check=True)
        assert int(told.stdout) == 3, told.stdout
        assert os.path.getsize(f"{folder}/film.mp4") > 500
print("ok")
