"""The units of the machine, one module each, compiled; see :mod:`gpumodel.units.state` for how they hang together."""
