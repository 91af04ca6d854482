"""What differs between two results, and why: frames aligned, draws matched, costs explained.

``side_of`` takes a run out of a result, ``compare`` compares two of them, ``text_of`` and ``markdown_of`` write down
what was found; nothing here prints or replays.
"""
