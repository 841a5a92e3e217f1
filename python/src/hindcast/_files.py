"""Questions about the recorded files of coding sessions."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Union, cast

from ._types import Json, Moment

if TYPE_CHECKING:
    from ._log import Log

_Path = Union[str, "os.PathLike[str]"]


class Files:
    """The files of a workspace as sessions found and changed them: ``log.files``.

    Paths are relative to the working directory or to the recorded one. All methods take ``task`` (only what this task
    recorded, by its full id) and ``directory`` (the recorded directory, or one below it; default: the working
    directory). If only one directory was recorded, that is meant wherever the program runs.

    Raises:
        Refused: no files were recorded (``NoFilesRecorded``), not this one (``FileNotRecorded``), or the contents next
            to the log are missing (``StoreUnavailable``).
    """

    def __init__(self, log: Log) -> None:
        self._log = log

    def _ask(self, method: str, directory: Optional[_Path], **params: Any) -> Any:
        place = os.path.abspath(os.fspath(directory)) if directory is not None else os.getcwd()
        return self._log._request(method, directory=place, **params)

    def _at(self, moment: Optional[Moment]) -> Optional[Moment]:
        timeline = self._log._timeline
        if timeline is None or (isinstance(moment, str) and not moment.startswith("@")):
            return moment
        return f"{timeline}@{'now' if moment is None else str(moment).lstrip('@')}"

    def list(
        self, at: Optional[Moment] = None, *, task: Optional[str] = None, directory: Optional[_Path] = None
    ) -> List[Dict[str, Json]]:
        """The files at a moment (default: now), with ``path``, ``mode``, ``size`` in bytes and ``digest``. A file whose
        content is not recorded says why in ``omitted``."""
        found = self._ask("files.list", directory, at=self._at(at), task=task)
        return cast(List[Dict[str, Json]], found["files"])

    def read(
        self,
        path: str,
        at: Optional[Moment] = None,
        *,
        task: Optional[str] = None,
        directory: Optional[_Path] = None,
    ) -> Dict[str, Json]:
        """A file at a moment. ``content`` has ``text``, ``base64`` for binary contents, or ``reason`` if it is unknown."""
        found = self._ask("files.read", directory, path=path, at=self._at(at), task=task)
        return cast(Dict[str, Json], found)

    def diff(
        self,
        from_: Moment,
        to: Moment,
        *,
        file: Optional[str] = None,
        stat: bool = False,
        task: Optional[str] = None,
        directory: Optional[_Path] = None,
    ) -> List[Dict[str, Json]]:
        """How files differ between two moments of one timeline; each with ``kind``, ``added`` and ``removed`` lines and
        ``unified``, the diff as text; or ``reason`` if the contents cannot be compared.

        Args:
            file: only this file.
            stat: only the numbers.
        """
        found = self._ask(
            "files.diff",
            directory,
            file=file,
            stat=stat,
            task=task,
            **{"from": self._at(from_), "to": self._at(to)},
        )
        return cast(List[Dict[str, Json]], found["files"])

    def history(
        self,
        path: str,
        *,
        at: Optional[Moment] = None,
        limit: Optional[int] = None,
        task: Optional[str] = None,
        directory: Optional[_Path] = None,
    ) -> List[Dict[str, Json]]:
        """A file's versions, oldest first, through its renames, each with the calls that it comes from.

        Args:
            limit: only so many of the last versions.
        """
        found = self._ask("files.history", directory, path=path, at=self._at(at), limit=limit, task=task)
        return cast(List[Dict[str, Json]], found["versions"])

    def blame(
        self,
        path: str,
        *,
        at: Optional[Moment] = None,
        content: Optional[str] = None,
        first: Optional[int] = None,
        last: Optional[int] = None,
        read: bool = False,
        task: Optional[str] = None,
        directory: Optional[_Path] = None,
    ) -> Dict[str, Json]:
        """A file's ``lines``, each with the index of its version in ``versions``: the call, decision, approval and prompt
        that it comes from. A line that no snapshot saw is ``not-seen``.

        Args:
            content: blames this text, such as that of the present file, instead of the recorded one.
            first: the first line, from 1.
            last: the last line.
            read: add what the agent had read of the file before, and whether that was stale.
        """
        found = self._ask(
            "files.blame",
            directory,
            path=path,
            at=self._at(at),
            content=content,
            first=first,
            last=last,
            read=read,
            task=task,
        )
        return cast(Dict[str, Json], found)

    def why(
        self,
        path: str,
        line: Optional[int] = None,
        *,
        at: Optional[Moment] = None,
        task: Optional[str] = None,
        directory: Optional[_Path] = None,
    ) -> Dict[str, Json]:
        """The last change of a file, or the one that a line comes from, and the ``chain`` of causes up to the prompt."""
        found = self._ask("files.why", directory, path=path, line=line, at=self._at(at), task=task)
        return cast(Dict[str, Json], found)

    def restore(
        self, at: Moment, into: _Path, *, task: Optional[str] = None, directory: Optional[_Path] = None
    ) -> Dict[str, Json]:
        """Writes the files of a moment into an empty directory, or one that it makes. ``left`` names the files that were
        not written, and why."""
        place = os.path.abspath(os.fspath(into))
        return cast(Dict[str, Json], self._ask("files.restore", directory, at=self._at(at), into=place, task=task))
