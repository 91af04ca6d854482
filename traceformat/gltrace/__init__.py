"""The command trace, .gltrace: reading, writing, and what lies in it."""
