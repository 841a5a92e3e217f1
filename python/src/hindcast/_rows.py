"""Listings: rows that are read when somebody iterates, and turned into data frames where a package is installed."""

# Neither pandas nor polars need be installed where types are checked.
# mypy: disable-error-code="import-not-found, import-untyped"

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Callable, Generic, Iterator, TypeVar

if TYPE_CHECKING:
    import pandas
    import polars

Row = TypeVar("Row")


class Rows(Generic[Row]):
    """Rows of a log. Each iteration asks the log again, page by page, and holds one page in memory.

    >>> rows = Rows(lambda: iter([{"id": "a", "model": {"calls": 2}}]))
    >>> list(rows)
    [{'id': 'a', 'model': {'calls': 2}}]
    >>> rows.first()
    {'id': 'a', 'model': {'calls': 2}}
    """

    def __init__(self, read: Callable[[], Iterator[Row]]) -> None:
        self._read = read

    def __iter__(self) -> Iterator[Row]:
        return self._read()

    def first(self) -> Row | None:
        """The first row; None if there is none. Reads one page."""
        return next(iter(self), None)

    def to_pandas(self, *, flatten: bool = False) -> pandas.DataFrame:
        """All rows as a data frame, a column for each field.

        Args:
            flatten: objects become columns such as ``model.calls``. Otherwise they are dicts in one column.

        Raises:
            ImportError: pandas is not installed.
        """
        import pandas

        rows = list(self)
        frame: pandas.DataFrame = pandas.json_normalize(rows) if flatten else pandas.DataFrame.from_records(rows)
        return frame

    def to_polars(self) -> polars.DataFrame:
        """All rows as a data frame, a column for each field. Lists and objects become JSON texts, since a column of
        polars has one type.

        Raises:
            ImportError: polars is not installed.
        """
        import polars

        rows = [_cells(row) for row in self]
        return polars.DataFrame(rows, infer_schema_length=None, strict=False)


def _cells(row: Any) -> dict[str, Any]:
    return {key: json.dumps(value) if isinstance(value, (dict, list)) else value for key, value in row.items()}
