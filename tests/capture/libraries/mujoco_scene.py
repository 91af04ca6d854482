"""MuJoCo: a box over a floor, drawn by its own renderer, three pictures."""

import mujoco

SCENE = """
<mujoco><worldbody><light pos="0 0 3"/><geom type="plane" size="1 1 .1" rgba="0 1 0 1"/>
<body pos="0 0 .3"><freejoint/><geom type="box" size=".2 .2 .2" rgba="1 0 0 1"/></body></worldbody></mujoco>
"""
model = mujoco.MjModel.from_xml_string(SCENE)
data = mujoco.MjData(model)
with mujoco.Renderer(model, 120, 160) as renderer:
    for _ in range(3):
        mujoco.mj_step(model, data)
        renderer.update_scene(data)
        print(renderer.render().sum())
