import { describe, expect, it } from "vitest"
import * as EventPage from "../../src/cli/pages/events/EventPage.ts"
import * as RunProgress from "../../src/cli/task/RunProgress.ts"
import * as Style from "../../src/cli/terminal/Style.ts"
import { conversation } from "../../src/projections/conversation/Conversation.ts"
import * as EventSummary from "../../src/projections/summary/EventSummary.ts"
import type { Entry } from "../../src/studio/wire/CourseSlice.ts"
import { event, inTask, place } from "./given.ts"

const reason = "expected at most 8388608 bytes, found 9000000"
const error = { code: "NotPaid", message: "no such payment" }
const settledBy = "bank@1.0.0"

const [opened, commanded, succeeded, settled, failed] = place(
  inTask("t", [
    event("TaskOpened", { goal: "Pay", measures: [], agent: "me@1" }),
    event("ActuatorCommanded", {
      commandId: "c",
      actuator: "bank/pay",
      args: {},
      argsDigest: "a".repeat(64),
      priority: 0,
    }),
    event("CommandSucceeded", { commandId: "c", result: null, latencyMs: 2, unrecorded: { reason } }),
    event("CommandSucceeded", { commandId: "c", result: { paid: 5 }, latencyMs: 2, settledBy }),
    event("CommandFailed", { commandId: "c", error, settledBy }),
  ]),
)
const ends = [succeeded, settled, failed].flatMap((end) => end ?? [])

describe("the end of a command whose result is not recorded, or of which its plugin told after a crash, says so", () => {
  it("in a line", () => {
    expect(ends.map((end) => EventSummary.of(end))).toEqual([
      `done in 2 ms; its result was not recorded: ${reason}`,
      'bank@1.0.0 said after a crash: {"paid":5}',
      "bank@1.0.0 said after a crash: NotPaid: no such payment",
    ])
  })

  it("on the page of the event", () => {
    const pages = ends.map((end) => EventPage.lines(Style.plain, end).join("\n"))
    expect(pages[0]).toContain(`completed, but its result was not recorded: ${reason}`)
    expect(pages[1]).toContain("bank@1.0.0, which was asked after a crash")
    expect(pages[2]).toContain("bank@1.0.0, which was asked after a crash")
  })

  it("in the progress of a run", () => {
    const lineOf = (end: (typeof ends)[number]) => {
      let [progress, line]: ReturnType<typeof RunProgress.advance> = [RunProgress.none, undefined]
      for (const one of [opened, commanded, end]) {
        if (one !== undefined) [progress, line] = RunProgress.advance(progress, one, Style.plain)
      }
      return line
    }
    expect(ends.map(lineOf)).toEqual([
      expect.stringContaining(`succeeded in 2 ms; its result was not recorded: ${reason}`),
      expect.stringContaining("succeeded, as bank@1.0.0 said after a crash"),
      expect.stringContaining("failed, as bank@1.0.0 said after a crash: NotPaid: no such payment"),
    ])
  })

  it("in Studio's conversation", () => {
    const entryOf = (of: (typeof ends)[number]): Entry => ({
      ...of,
      kind: "command",
      bad: false,
      task: "t",
      line: "",
      length: 0,
      unreadable: [],
      changes: [],
      cause: null,
    })
    const endOf = (end: (typeof ends)[number]) => {
      const [call] = conversation([commanded, end].flatMap((one) => (one === undefined ? [] : [entryOf(one)])))
      return call?.kind === "call" ? call.end : undefined
    }
    expect(ends.map(endOf)).toMatchObject([
      { status: "succeeded", unrecorded: reason },
      { status: "succeeded", result: { paid: 5 }, settledBy },
      { status: "failed", result: error, settledBy },
    ])
  })
})
