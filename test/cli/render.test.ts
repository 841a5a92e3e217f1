import { Either } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Ids from "../../src/cli/command/Ids.ts"
import * as EventLine from "../../src/cli/pages/events/EventLine.ts"
import * as ScoreChange from "../../src/cli/pages/scores/ScoreChange.ts"
import * as PatchLines from "../../src/cli/pages/time/PatchLines.ts"
import * as RunProgress from "../../src/cli/task/RunProgress.ts"
import * as Style from "../../src/cli/terminal/Style.ts"
import * as Table from "../../src/cli/terminal/Table.ts"
import * as Text from "../../src/cli/terminal/Text.ts"
import type { Score } from "../../src/projections/audit/Scores.ts"
import * as JsonPatch from "../../src/projections/patch/JsonPatch.ts"
import * as EventSummary from "../../src/projections/summary/EventSummary.ts"
import { arbitraryEvents, json } from "../projections/arbitraryEvents.ts"
import { event, place } from "../projections/given.ts"

describe("a table", () => {
  it("may have more rows than a call takes arguments", () => {
    const cells = Array.from({ length: 200_000 }, (_, index) => [String(index), "x".repeat(60)])
    const style = { ...Style.plain, columns: 50 }
    expect(Table.rows(style, cells, ["right"]).at(-1)).toMatch(/^199999 +x+$/)
  })
})

describe("text from outside", () => {
  it("cannot move a terminal's cursor, nor turn text around", () => {
    expect(Text.oneLine("a\u001b[2Jb\r\nc\u202ed\u009be")).toBe("a\\u{1b}[2Jb  c\\u{202e}d\\u{9b}e")
    expect(Text.json({ text: "a\u009b\u202e\u{e0041}\n" })).toBe('{"text":"a\\u009b\\u202e\\udb40\\udc41\\n"}')
  })

  it("is still the same JSON after escaping", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
        const text = Text.json(value, indent)
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
        expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u)
      }),
    )
  })

  it("has one sign for minus, and one thing in the singular", () => {
    expect([Text.number(-0.3), Text.number(-0.0001), Text.signed(-2.5)]).toEqual(["−0.3", "0", "−2.5"])
    expect([Text.count(1, "step"), Text.count(2, "step"), Text.nouns(1, "read")]).toEqual(["1 step", "2 steps", "read"])
  })

  it("is shortened by characters, not by halves of them", () => {
    expect(Text.shorten("😀😀😀", 2)).toBe("😀…")
  })
})

describe("events", () => {
  it("events all have a summary on one line, whatever their payload", () => {
    fc.assert(
      fc.property(arbitraryEvents(), json.object, (unplaced, payload) => {
        for (const placed of place(unplaced)) {
          for (const event of [placed, { ...placed, payload }]) {
            expect(EventSummary.of(event)).not.toMatch(/[\p{Cc}]/u)
          }
        }
      }),
      { numRuns: 50 },
    )
  })

  it("stand in columns: position, time, type, actor, summary", () => {
    const events = place([
      event("TaskOpened", { goal: "Tidy up", measures: [], agent: "me@1" }, { actor: "kernel", taskId: "t" }),
      event("TaskClosed", { outcome: "achieved" }, { actor: "agent:me", taskId: "t" }),
    ])
    expect(EventLine.lines(Style.plain, events)).toEqual([
      "@1  2026-01-01T00:00:00.000Z  TaskOpened  kernel    me@1: Tidy up",
      expect.stringMatching(/^@2 {2}2026-01-01T00:00:0\d\.\d{3}Z {2}TaskClosed {2}agent:me {2}achieved$/),
    ])
  })
})

describe("tables", () => {
  it("align cells by what is seen of them", () => {
    const columns = [{ heading: "a" }, { heading: "number", align: "right" as const }, { heading: "b" }]
    const plain = Table.lines(Style.plain, columns, [
      ["long one", "1", "x"],
      ["s", "20", ""],
    ])
    expect(plain).toEqual(["a         number  b", "long one       1  x", "s             20"])
    const bold = { ...Style.plain, dim: (text: string) => `\u001b[2m${text}\u001b[22m` }
    expect(Table.lines(bold, columns, [["long one", "1", "x"]])[1]).toBe(plain[1])
  })
})

describe("patches", () => {
  const differences = (before: Parameters<typeof JsonPatch.diff>[0], after: typeof before) =>
    JsonPatch.diff(before, after).map((operation) => ({ ...operation, event: 3 }))

  it("show what was added, removed and replaced, with the event that caused it", () => {
    const before = { a: 1, gone: true }
    const changes = PatchLines.withBefore(before, differences(before, { a: 2, b: [1] }))
    expect(PatchLines.lines(Style.plain, changes).toSorted()).toEqual(["+ /b [1]  @3", "- /gone  @3", "~ /a 1 → 2  @3"])
  })

  it("take the old value from where the operations before it left it", () => {
    const patch = [
      { op: "remove" as const, path: "/0", event: 1 },
      { op: "replace" as const, path: "/0", value: "new", event: 2 },
    ]
    expect(PatchLines.withBefore(["first", "second"], patch).map((change) => change.before)).toEqual([
      "first",
      "second",
    ])
  })
})

describe("ids", () => {
  const ids = ["01a1-aaaa", "01a1-bbbb"]

  it("may be shortened to a beginning or an end that is theirs alone", () => {
    expect(Ids.find("task", "01a1-aaaa", ids)).toEqual(Either.right("01a1-aaaa"))
    expect(Ids.find("task", "bbbb", ids)).toEqual(Either.right("01a1-bbbb"))
    expect(Ids.find("task", "01a1-b", ids)).toEqual(Either.right("01a1-bbbb"))
    expect(Ids.find("task", "aaa", ids)).toEqual(Either.right(undefined))
  })

  it("are refused with all candidates where several fit", () => {
    expect(Ids.find("task", "01a1", ids)).toEqual(
      Either.left(new Ids.AmbiguousId({ kind: "task", text: "01a1", candidates: ids })),
    )
  })
})

describe("progress", () => {
  it("is one line a step, once it ended, of the first task only", () => {
    const command = { actuator: "room/go", args: { to: "n" }, argsDigest: "0".repeat(64), priority: 0 }
    const events = place([
      event("TaskOpened", { goal: "g", measures: [], agent: "me@1" }, { taskId: "t" }),
      event("ActuatorCommanded", { commandId: "1", ...command }, { taskId: "t" }),
      event("ActuatorCommanded", { commandId: "other", ...command }, { taskId: "u" }),
      event("CommandSucceeded", { commandId: "other", result: 1, latencyMs: 1 }, { taskId: "u" }),
      event("CommandFailed", { commandId: "1", error: { code: "wall", message: "A wall." } }, { taskId: "t" }),
      event("MessageSent", { content: "Ouch", format: "text" }, { taskId: "t" }),
      event(
        "SensorFailed",
        { sensor: "room/look", error: { code: "dark", message: "No light.\n  at look" } },
        { taskId: "t" },
      ),
    ])
    let progress = RunProgress.none
    const lines = events.flatMap((event) => {
      const [next, line] = RunProgress.advance(progress, event, Style.plain)
      progress = next
      return line === undefined ? [] : [line]
    })
    expect(lines).toEqual([
      "Task t @1",
      '  1  room/go {"to":"n"}  failed: wall: A wall.  @5',
      "  2  says  Ouch  @6",
      "     room/look  failed: dark: No light.  @7",
    ])
  })
})

describe("re-scored tasks", () => {
  it("show what could not be scored, and do not show it as lost", () => {
    const score = (scoreSetId: string, label: string, amount: number, unscored: Score["unscored"]): Score => ({
      scoreSetId,
      label,
      critic: "rules",
      rubricDigest: null,
      at: 1,
      finished: true,
      earned: amount,
      lost: 0,
      net: amount,
      possible: 1,
      normalized: amount,
      unscored,
      measures: [
        {
          plugin: "room",
          measure: "m",
          punishments: [],
          rewards: [{ name: "polite", weight: 1, times: amount, amount, because: [] }],
        },
      ],
    })
    const unscored = [{ measure: "room/m", name: "polite", reason: "no rule" }]
    const [before, after] = [score("a", "live", 1, []), score("b", "new", 0, unscored)]
    const changed = [{ measure: "room/m", name: "polite", kind: "reward" as const, before: 1, after: 0 }]
    const change = { taskId: "t", outcome: "achieved" as const, before, after, changed }
    const summary = { scoreSetId: "b", label: "new", taskIds: ["t"], totals: {} }
    const [, , row] = ScoreChange.lines(Style.plain, summary, [change])
    expect(row).toMatch(/1 of 1 +0 of 1 +not scored: polite$/)
  })
})
