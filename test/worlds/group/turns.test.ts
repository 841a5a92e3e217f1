import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import type * as AgentGroup from "../../../src/worlds/group/AgentGroup.ts"
import { eventsOf } from "../../agents/given.ts"
import { groupOf, inKernel, runGroup, stepping, TASK } from "./given.ts"

const one = stepping(() => 1, "duel")

/** The agents in the order in which they acted, by their first letters. */
const acted = Effect.map(eventsOf(TASK), (events) =>
  events.flatMap(({ type, payload }) => (type === "ActuatorCommanded" ? [String(payload.agentId)[0]] : [])).join(""),
)

/** Two take from a heap of seven, while who takes part changes. */
const played = (changes: { readonly [round: number]: ReadonlyArray<AgentGroup.MemberChange> }, bob = one) =>
  Effect.gen(function* () {
    const kernel = yield* Kernel
    const options = { world: "duel", maxRounds: 20, changes: (round: number) => changes[round] ?? [] }
    const group = groupOf({ ada: one, bob }, options)
    const audit = yield* runGroup(group, { world: "duel", heap: 7 })
    expect(yield* kernel.replay(TASK, group)).toMatchObject({ verdict: "identical" })
    return [audit.outcome, yield* acted] as const
  })

describe("the turn of an agent", () => {
  it.scopedLive("passes to the next one when it leaves, taken out or by itself", () =>
    inKernel(
      Effect.gen(function* () {
        expect(yield* played({ 3: [{ leave: "bob" }] })).toEqual(["achieved", "abaaaaa"])
      }),
    ),
  )

  it.scopedLive("passes to the next one when its agent fails at its turn", () =>
    inKernel(
      Effect.gen(function* () {
        let turns = 0
        const failing = stepping(() => (++turns === 2 ? Effect.fail(new Error("out of order")) : 1), "duel")
        const audit = yield* runGroup(groupOf({ ada: one, bob: failing }, { world: "duel", maxRounds: 20 }), {
          world: "duel",
          heap: 7,
        })
        expect(yield* acted).toBe("abaaaaa")
        expect(audit.outcome).toBe("achieved")
      }),
    ),
  )

  it.scopedLive("stays its own while it is suspended: the others wait until it is continued", () =>
    inKernel(
      Effect.gen(function* () {
        const changes = { 3: [{ suspend: "bob" }], 6: [{ continue: "bob" }] }
        expect(yield* played(changes)).toEqual(["achieved", "abababa"])
      }),
    ),
  )
})
