"""imgui-bundle: Hello ImGui with a button and a slider, three frames."""

from imgui_bundle import hello_imgui, imgui

frames = 0


def gui():
    global frames
    imgui.text("text")
    imgui.button("button")
    imgui.slider_float("slider", 0.5, 0.0, 1.0)
    frames += 1
    if frames == 3:
        hello_imgui.get_runner_params().app_shall_exit = True


parameters = hello_imgui.RunnerParams()
parameters.callbacks.show_gui = gui
parameters.app_window_params.window_geometry.size = (320, 240)
parameters.fps_idling.enable_idling = False
parameters.ini_disable = True
hello_imgui.run(parameters)
print("frames", frames)
