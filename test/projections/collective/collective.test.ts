import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import * as Collective from "../../../src/projections/collective/Collective.ts"
import { scoreSetOf } from "../../../src/projections/state/WorldReturn.ts"
import type { JsonObject } from "../../../src/values/Json.ts"

const TASK = "t"

/** Events at the positions 1, 2, 3 … */
const events = (...all: ReadonlyArray<readonly [type: string, payload: JsonObject]>): ReadonlyArray<Event> =>
  all.map(([type, payload], index) => ({
    ...{ position: index + 1, id: `${index}`, timeline: "main", stream: `task/${TASK}`, version: index + 1, type },
    ...{ schemaVersion: 1, taskId: TASK, causationId: null, actor: "kernel", occurredAt: 0, recordedAt: 0, payload },
    hash: "",
  }))

const hears = (agentId: string, speaker: string) =>
  ["InputReceived", { agentId, source: `agent:${speaker}`, inputId: "i", content: "x" }] as const

let commands = 0
const acts = (agentId: string, action: number) =>
  ["ActuatorCommanded", { agentId, commandId: `${commands++}`, actuator: "game/step", args: { action } }] as const

const earns = (agentId: string, amount: number) =>
  ["RewardGiven", { agentId, amount, scoreSetId: scoreSetOf(TASK), measure: "game/return", name: "reward" }] as const

describe("collective behaviour", () => {
  it("tells who spoke to whom, and whether the hearers then acted differently", () => {
    const found = Collective.of(
      TASK,
      events(
        acts("ann", 0),
        acts("ann", 0),
        hears("ann", "ben"),
        acts("ann", 1),
        acts("ann", 1),
        hears("ann", "ben"),
        hears("ann", "ben"),
        acts("ann", 0),
        acts("ben", 0),
        hears("ben", "cat"),
        acts("ben", 0),
      ),
    )
    expect(found.agents).toEqual(["ann", "ben"])
    expect(found.speech).toEqual([
      { speaker: "ben", hearer: "ann", times: 3 },
      { speaker: "cat", hearer: "ben", times: 1 },
    ])
    expect(found.influence).toEqual([
      {
        ...{ speaker: "ben", hearer: "ann" },
        ...{ heard: { commands: 2, changed: 2 }, silent: { commands: 2, changed: 0 }, difference: 1 },
      },
      // It never acted in silence, so nobody knows what it would have done.
      {
        ...{ speaker: "cat", hearer: "ben" },
        ...{ heard: { commands: 1, changed: 0 }, silent: { commands: 0, changed: 0 }, difference: null },
      },
    ])
  })

  it("tells cooperation and rewards over time; what nobody said is unknown, not 0", () => {
    const played = events(
      ...[0, 0, 1, 1].flatMap((action) => [
        acts("ann", action),
        acts("ben", 1),
        earns("ann", 5 * action),
        earns("ben", 5 - 5 * action),
      ]),
    )
    const { periods } = Collective.of(TASK, played, ["game/step 0"])
    expect(periods).toHaveLength(8)
    expect(periods.map(({ cooperative }) => cooperative)).toEqual([1, 0, 1, 0, 0, 0, 0, 0])
    expect(periods.map(({ rewards }) => rewards).filter((one) => Object.keys(one).length > 0)).toEqual([
      { ann: 0, ben: 5 },
      { ann: 0, ben: 5 },
      { ann: 5, ben: 0 },
      { ann: 5, ben: 0 },
    ])
    const unknown = Collective.of(TASK, played)
    expect(unknown.periods.map(({ cooperative }) => cooperative)).toEqual(periods.map(() => null))
    expect(unknown.actions).toEqual(["game/step 0", "game/step 1"])
    expect(Collective.of(TASK, events(acts("ann", 0), acts("ben", 0))).periods.map(({ reward }) => reward)).toEqual([
      null,
      null,
    ])
  })

  it("counts each command and each reward once, in the same way from any order of agents' names", () => {
    const name = fc.constantFrom("ann", "ben", "__proto__", "agent:ann")
    const event = fc.oneof(
      fc.tuple(name, name).map(([a, b]) => hears(a, b)),
      fc.tuple(name, fc.nat(2)).map(([a, action]) => acts(a, action)),
      fc.tuple(name, fc.integer({ min: 1, max: 9 })).map(([a, amount]) => earns(a, amount)),
    )
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (all) => {
        const found = Collective.of(TASK, events(...all), [])
        const commanded = all.filter(([type]) => type === "ActuatorCommanded")
        const sum = (numbers: ReadonlyArray<number | null>) => numbers.reduce<number>((a, b) => a + (b ?? 0), 0)
        expect(sum(found.periods.map(({ commands }) => commands))).toBe(commanded.length)
        expect(found.periods.length).toBe(Math.min(Collective.PERIODS, commanded.length))
        const earned = all.flatMap(([type, payload]) => (type === "RewardGiven" ? [Number(payload.amount)] : []))
        if (commanded.length > 0) expect(sum(found.periods.map(({ reward }) => reward))).toBe(sum(earned))
        expect(sum(found.speech.map(({ times }) => times))).toBe(
          all.filter(([type]) => type === "InputReceived").length,
        )
        for (const { difference } of found.influence) expect(Math.abs(difference ?? 0)).toBeLessThanOrEqual(1)
      }),
    )
  })
})
