"""Below Python: what native code of the program calls is redirected where the dynamic linker binds it.

``hooks`` walks the objects that are loaded (``elf``), sets their slots (``slots``) and answers what they load and look
up at run time (``lookup``). What it hands out are jumps (``jumps``) that still lead somewhere when Python has ended.
Linux on x86-64 and AArch64; elsewhere the adapters record alone.
"""
