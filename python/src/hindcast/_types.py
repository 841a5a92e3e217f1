"""The shapes of answers. Fields that newer versions add are not errors."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, TypedDict, Union

#: A moment of the past: a position (``412``, ``"@412"``, ``"fork-1@412"``), an event's id, a time in ISO 8601 with its
#: zone, or ``"now"``.
Moment = Union[int, str]

#: A value of JSON.
Json = Any

Event = TypedDict(
    "Event",
    {
        #: Its place in the log, from 1, without gaps.
        "position": int,
        "id": str,
        #: ``main``, or a fork's name.
        "timeline": str,
        #: The subject: ``task/<id>``, ``plugin/<name>``, ``kernel`` …
        "stream": str,
        #: The count within stream and timeline, from 1.
        "version": int,
        "type": str,
        "schemaVersion": int,
        #: None for events of no task.
        "taskId": Optional[str],
        "causationId": Optional[str],
        "actor": str,
        #: Milliseconds since 1970, by the clock of the source.
        "occurredAt": int,
        #: Milliseconds since 1970, by the clock of the log.
        "recordedAt": int,
        "payload": Dict[str, Json],
        "hash": str,
        #: Only if the payload has encrypted fields.
        "personal": Dict[str, Json],
        #: Only in ``why``: found by its content, since no event names it as the cause.
        "inferred": bool,
    },
    total=False,
)

Task = TypedDict(
    "Task",
    {
        "id": str,
        "goal": str,
        #: ``name@version``
        "agent": str,
        #: ``achieved``, ``failed``, ``truncated`` or ``abandoned``; None while it is open.
        "outcome": Optional[str],
        "reason": str,
        #: Whether nobody judged the result, so that ``achieved`` says only that the work finished.
        "unjudged": bool,
        #: The position of its first event.
        "from": int,
        #: The position of its close; while it is open, of its last event.
        "to": int,
        #: Milliseconds since 1970.
        "openedAt": int,
        "closedAt": Optional[int],
        #: What goes on in it, such as ``running``, ``paused`` or ``stopped``; None if it is closed.
        "activity": Optional[str],
        #: Its score, by the score set that counts; None if it has none.
        "score": Optional[Dict[str, Json]],
        #: Commands that its agents requested.
        "steps": int,
        #: Absent for tasks of ``main``.
        "timeline": str,
        #: Absent where no language model was asked.
        "model": Dict[str, Json],
    },
    total=False,
)

#: One operation of a JSON Patch (RFC 6902), with the value before, and the position of the event that caused it.
Change = TypedDict(
    "Change",
    {"op": str, "path": str, "from": str, "value": Json, "before": Json, "event": int},
    total=False,
)

Diff = TypedDict(
    "Diff",
    {
        #: Positions.
        "from": int,
        "to": int,
        "timelines": Dict[str, str],
        "changes": List[Change],
    },
)


class Blame(TypedDict):
    """The event that last changed a path."""

    path: str
    timeline: str
    #: The position of the question.
    at: int
    #: Whether there is a value now.
    exists: bool
    value: Json
    #: None if the value is still the first one.
    event: Optional[Event]


class Head(TypedDict):
    """The end of a log."""

    position: int
    hash: str
