"""From checked shaders to a program: matching rules, resources, reflection."""
