"""VTK: a lit cone in a window; prints pixels of the picture."""

import vtk

source = vtk.vtkConeSource()
source.SetResolution(24)
mapper = vtk.vtkPolyDataMapper()
mapper.SetInputConnection(source.GetOutputPort())
actor = vtk.vtkActor()
actor.SetMapper(mapper)
actor.GetProperty().SetColor(1.0, 0.5, 0.0)
renderer = vtk.vtkRenderer()
renderer.AddActor(actor)
renderer.SetBackground(0.0, 0.0, 0.5)
window = vtk.vtkRenderWindow()
window.SetMultiSamples(0)
window.SetSize(160, 120)
window.AddRenderer(renderer)
for _ in range(3):
    actor.RotateY(10)
    window.Render()
grab = vtk.vtkWindowToImageFilter()
grab.SetInput(window)
grab.ReadFrontBufferOff()
grab.Update()
picture = grab.GetOutput()
print([[int(picture.GetScalarComponentAsDouble(x, y, 0, c)) // 8 for c in range(3)] for x, y in ((80, 60), (3, 3))])
