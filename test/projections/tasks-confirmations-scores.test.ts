import { describe, expect, it } from "vitest"
import * as PendingConfirmations from "../../src/projections/state/PendingConfirmations.ts"
import * as ScoreSets from "../../src/projections/state/ScoreSets.ts"
import * as Tasks from "../../src/projections/state/Tasks.ts"
import { event, given, inTask, START, sha } from "./given.ts"

const opened = (goal: string) => event("TaskOpened", { goal, measures: [], agent: "me" })
const note = event("NoteAdded", { about: "x", text: "y" })
const commanded = event("ActuatorCommanded", {
  commandId: "c1",
  actuator: "room/go",
  args: {},
  argsDigest: sha("a"),
  priority: 0,
})

describe("the tasks", () => {
  const closed = event("TaskClosed", { outcome: "failed", reason: "lost" })
  const tasks = given(Tasks.projection, [
    ...inTask("t1", [opened("one"), commanded]),
    ...inTask("t2", [opened("two")]),
    ...inTask("t1", [closed, note]),
    ...inTask("t2", [note]),
  ])

  it("hold each task's range, outcome, times and steps; what comes after the close is no part of it", () => {
    expect(tasks).toEqual({
      t1: {
        goal: "one",
        agent: "me",
        outcome: "failed",
        reason: "lost",
        from: 1,
        to: 4,
        openedAt: START,
        closedAt: START + 3_000,
        steps: 1,
      },
      t2: {
        goal: "two",
        agent: "me",
        outcome: null,
        from: 3,
        to: 6,
        openedAt: START + 2_000,
        closedAt: null,
        steps: 0,
      },
    })
  })

  it("the tasks that are open can be asked for, oldest first whatever their names", () => {
    expect(Tasks.open(tasks).map(([id]) => id)).toEqual(["t2"])
    const numbered = given(Tasks.projection, [...inTask("9", [opened("a")]), ...inTask("1", [opened("b")])])
    expect(Tasks.open(numbered).map(([id]) => id)).toEqual(["9", "1"])
  })
})

describe("pending confirmations", () => {
  const requested = event("ConfirmationRequested", {
    confirmationId: "q1",
    commandId: "c1",
    argsDigest: sha("a"),
    shown: { actuator: "room/go" },
    securityWarning: "looks odd",
    expiresAt: START + 60_000,
  })

  it("wait from the request until they are decided, have expired or are withdrawn", () => {
    const decided = event("ConfirmationDecided", {
      confirmationId: "q1",
      approved: true,
      by: "ann",
      channel: "cli",
      argsDigest: sha("a"),
      waitedMs: 5,
    })
    expect(given(PendingConfirmations.projection, inTask("t1", [requested]))).toEqual({
      q1: {
        commandId: "c1",
        argsDigest: sha("a"),
        shown: { actuator: "room/go" },
        securityWarning: "looks odd",
        requestedAt: START,
        expiresAt: START + 60_000,
        position: 1,
        taskId: "t1",
      },
    })
    const endings = [
      decided,
      event("ConfirmationExpired", { confirmationId: "q1" }),
      event("ConfirmationWithdrawn", { confirmationId: "q1" }),
    ]
    for (const ending of endings) expect(given(PendingConfirmations.projection, [requested, ending])).toEqual({})
  })
})

describe("score sets", () => {
  const started = (label: string) =>
    event(
      "ScoringStarted",
      {
        scoreSetId: "s1",
        taskIds: ["t1"],
        rubric: { measures: [] },
        rubricDigest: sha("r"),
        critic: "rule",
        criticDigest: sha("c"),
        label,
        range: { from: 1, to: 9 },
      },
      { actor: "human:ann" },
    )
  const finished = (net: number) => event("ScoringFinished", { scoreSetId: "s1", totals: { t1: { net } } })

  it("are unfinished until their end, and pointers name them", () => {
    expect(given(ScoreSets.projection, [started("live")]).sets.s1).toMatchObject({ finished: false, totals: null })
    const promoted = event("ScoreSetPromoted", { pointer: "official", scoreSetId: "s1" })
    expect(given(ScoreSets.projection, [started("live"), finished(1), promoted])).toEqual({
      sets: {
        s1: {
          label: "live",
          rubricDigest: sha("r"),
          critic: "rule",
          criticDigest: sha("c"),
          taskIds: ["t1"],
          range: { from: 1, to: 9 },
          startedAt: 1,
          finished: true,
          totals: { t1: { net: 1 } },
          by: "human:ann",
        },
      },
      rubrics: { [sha("r")]: { measures: [] } },
      pointers: { official: "s1" },
    })
  })

  it("are never overwritten", () => {
    const { sets } = given(ScoreSets.projection, [started("live"), finished(1), started("again"), finished(2)])
    expect(sets.s1).toMatchObject({ label: "live", startedAt: 1, totals: { t1: { net: 1 } } })
  })
})
