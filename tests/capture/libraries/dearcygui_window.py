"""DearCyGui: a window with a button and a plot, five frames."""

import dearcygui as dcg

context = dcg.Context()
context.viewport.initialize(title="window", width=320, height=240, vsync=False, wait_for_input=False)
with dcg.Window(context, label="window", width=300, height=220):
    dcg.Button(context, label="button")
    with dcg.Plot(context, width=250, height=120):
        dcg.PlotLine(context, X=[0, 1, 2, 3], Y=[0, 1, 0, 1])
drawn = 0
while drawn < 5:
    drawn += bool(context.viewport.render_frame())
print("frames", drawn)
