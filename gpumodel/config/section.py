"""Sections of a configuration: what those of the machine and those of techniques have in common."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

__all__ = ["MachineConfig", "PowerOfTwo", "Section", "TechniqueConfig", "parameter"]

#: Key of a field's source in the schema.
SOURCE: Final = "source"


def _power_of_two(value: int) -> int:
    if value & (value - 1):
        raise ValueError("must be a power of two")
    return value


PowerOfTwo = Annotated[int, AfterValidator(_power_of_two)]


class Section(BaseModel):
    """A section: its values have the types that it says, none is changed later, and there are no others."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class MachineConfig(Section):
    """Configuration of a machine of any kind (:mod:`gpumodel.machines`)."""

    name: str = Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9._-]+$", description="what results call it")
    description: str = Field(max_length=400, description="what it models")


class TechniqueConfig(Section):
    """Parameters of a technique; each is a :func:`parameter`.

    Attributes
    ----------
    section : how files and ``--set`` call it, by default the technique's id with ``_`` for ``-``
    """

    section: ClassVar[str] = ""

    @classmethod
    def of(cls, config: BaseModel) -> Self:
        """Values in a configuration; the defaults where that was loaded before the technique was known."""
        found = getattr(config, cls.section, None)
        return found if isinstance(found, cls) else cls()

    @classmethod
    def incomplete(cls) -> list[str]:
        """Names of the fields without a default, a description, a source, or (numbers) a range."""
        return [
            name
            for name, field in cls.model_fields.items()
            if field.is_required()
            or not field.description
            or not (isinstance(field.json_schema_extra, dict) and field.json_schema_extra.get(SOURCE))
            or (field.annotation in (int, float) and not field.metadata)
        ]


def parameter(default: Any, *, source: str, description: str, **limits: Any) -> Any:
    """Declare a parameter of a technique.

    Parameters
    ----------
    default : what it is when nobody sets it
    source : of the default: paper and section, or ASSUMED with the reason
    description : what it is, with its unit
    limits : of a number: ``ge``, ``gt``, ``le``, ``lt``
    """
    return Field(default=default, description=description, json_schema_extra={SOURCE: source}, **limits)
