"""What names mean: variables, functions, and the scopes that hold them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from replay.glsl.ir import Interpolation, Place
from replay.glsl.types import Type

if TYPE_CHECKING:
    from replay.glsl.nodes import Block, Expr

__all__ = ["BlockInfo", "Function", "Scopes", "Symbol"]


class Symbol:
    """A variable, constant or parameter.

    Parameters
    ----------
    storage : "local" (variables of functions and of the global scope), "const", "param", "uniform", "in", "out" (of
        the stage), "block" (instance of a uniform block), "buffer" (instance or member of a storage block), "shared"
    """

    __slots__ = (
        "access",
        "binding",
        "block",
        "builtin",
        "direction",
        "format",
        "index",
        "init",
        "interpolation",
        "invariant",
        "is_global",
        "location",
        "member",
        "name",
        "offset",
        "patch",
        "place",
        "pos",
        "precision",
        "read",
        "storage",
        "type",
        "used",
        "value",
        "varying_location",
        "writable",
        "written",
    )

    def __init__(self, name: str, type: Type, storage: str, pos: int = 0) -> None:
        self.name = name
        self.type = type
        self.storage = storage
        self.pos = pos
        self.precision = ""
        self.is_global = False
        self.builtin = False
        #: Parameter: "in", "out" or "inout".
        self.direction = "in"
        self.writable = storage in ("local", "param", "out")
        #: Statically used; read; number of places that write it, its initialiser apart.
        self.used = False
        self.read = False
        self.written = 0
        #: Initialiser, checked.
        self.init: Expr | None = None
        #: Constant of a built-in constant, a tuple of components.
        self.value: tuple[Any, ...] | None = None
        self.interpolation: Interpolation | None = None
        self.place = Place.CENTER
        #: Of a whole patch.
        self.patch = False
        self.invariant = False
        #: layout(location), layout(index); -1 if none. Those of varyings apart: the stages are matched by them.
        self.location = -1
        self.varying_location = -1
        self.index = 0
        #: layout(binding) of a sampler, image or counter; -1 if none. Format of an image, offset of a counter in bytes.
        self.binding = -1
        self.format = ""
        self.offset = -1
        #: Of "coherent", "volatile", "restrict", "readonly", "writeonly".
        self.access: frozenset[str] = frozenset()
        #: Block that it is an instance or (``member``) a member of.
        self.block: BlockInfo | None = None
        self.member = ""

    @property
    def link_name(self) -> str:
        """Name by which the other stage knows it: blocks of inputs and outputs match by their own name, what has a
        location by that.
        """
        if self.varying_location >= 0:
            return f"location {self.varying_location}"
        if self.block is None or self.block.storage in ("uniform", "buffer"):
            return self.name
        return f"{self.block.name}.{self.member}" if self.member else self.block.name

    def __repr__(self) -> str:
        return f"<{self.storage} {self.type} {self.name}>"


class BlockInfo:
    """A block as declared: of uniforms, of inputs, of outputs or of storage (``storage``)."""

    __slots__ = (
        "access",
        "array",
        "binding",
        "fields",
        "instance",
        "layout",
        "location",
        "locations",
        "member_access",
        "members",
        "name",
        "patch",
        "pos",
        "storage",
        "used",
    )

    def __init__(self, name: str, pos: int) -> None:
        self.name = name
        self.pos = pos
        self.instance = ""
        #: Elements of a block array, 0 = no array.
        self.array = 0
        self.fields: tuple[Any, ...] = ()
        self.layout = "shared"
        #: layout(binding) of its first element.
        self.binding = 0
        self.storage = "uniform"
        self.patch = False
        #: Members of a block of inputs or outputs: interpolation (None: none given) and where in a pixel.
        self.members: dict[str, tuple[Interpolation | None, Place]] = {}
        #: Locations of those that have one, and the next one, -1 where the block has none.
        self.locations: dict[str, int] = {}
        self.location = -1
        #: Memory qualifiers of a storage block, and of each of its members (the block's among them).
        self.access: frozenset[str] = frozenset()
        self.member_access: dict[str, frozenset[str]] = {}
        self.used = False


class Function:
    """A user's function with one parameter list.

    ``calls`` holds the functions that its body calls, ``globals`` the global symbols that it uses.
    """

    __slots__ = ("body", "calls", "defined", "globals", "name", "parameters", "pos", "precision", "returns")

    def __init__(self, name: str, parameters: list[Symbol], returns: Type, pos: int) -> None:
        self.name = name
        self.parameters = parameters
        self.returns = returns
        self.precision = ""
        self.pos = pos
        self.defined = False
        self.body: Block | None = None
        self.calls: list[Function] = []
        self.globals: dict[Symbol, None] = {}

    def signature(self) -> str:
        """Spelling in messages."""
        return f"{self.name}({', '.join(parameter.type.name for parameter in self.parameters)})"


class Scopes:
    """Nested scopes; a name is a Symbol, a list of Functions or a Type."""

    __slots__ = ("stack",)

    def __init__(self) -> None:
        self.stack: list[dict[str, Any]] = [{}]

    def push(self) -> None:
        """Open a scope."""
        self.stack.append({})

    def pop(self) -> None:
        """Close the innermost scope."""
        self.stack.pop()

    def find(self, name: str) -> Any:
        """Innermost meaning of a name, None if it has none."""
        for scope in reversed(self.stack):
            found = scope.get(name)
            if found is not None:
                return found
        return None

    def here(self, name: str) -> Any:
        """Meaning of a name in the innermost scope."""
        return self.stack[-1].get(name)

    def add(self, name: str, meaning: Any) -> None:
        """Give a name a meaning in the innermost scope."""
        self.stack[-1][name] = meaning
