import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as AuditMarkdown from "../../../src/cli/pages/audit/AuditMarkdown.ts"
import * as AuditPage from "../../../src/cli/pages/audit/AuditPage.ts"
import { plain } from "../../../src/cli/terminal/Style.ts"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import { is } from "../../../src/events/vocabulary/Vocabulary.ts"
import * as AgentTables from "../../../src/html/AgentTables.ts"
import type * as Agent from "../../../src/kernel/agents/Agent.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import { fold } from "../../../src/projections/fold/Projection.ts"
import * as EnvironmentState from "../../../src/projections/state/EnvironmentState.ts"
import * as AgentGroup from "../../../src/worlds/group/AgentGroup.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import { inRepository } from "../../repository.ts"

const inKernel = <A, E>(test: Effect.Effect<A, E, Kernel | EventLog>) =>
  Effect.flatMap(testKernel({ plugins: [inRepository("test/worlds/samples/arena")] }), ({ start }) =>
    Effect.flatMap(start, ({ run }) => run(test)),
  )

const eventsOf = (taskId: string) =>
  Effect.flatMap(EventLog, (log) => log.readPage({ stream: `task/${taskId}`, after: 0 }, 10_000))

const always = (action: number): Agent.DecidingAgent => ({
  name: "walker",
  version: "1",
  decide: ({ step }) => (step === 0 && action === 1 ? { say: "I come" } : { act: "arena/step", args: { action } }),
})

const agents = { ada: always(1), bob: always(0) }

/** Ada walks to her end, bob stays, and cem comes in between. */
const group = () =>
  AgentGroup.make({
    name: "group",
    version: "1",
    world: "arena",
    agents,
    maxRounds: 6,
    changes: (round) => (round === 2 ? [{ join: "cem", agent: always(0) }] : []),
  })

const run = Effect.flatMap(Kernel, (kernel) =>
  kernel.tasks.run(group(), { goal: "Walk", seed: 5, plugins: ["arena"], agents: ["ada", "bob"] }),
)

describe("a task with several agents, looked back at", () => {
  it.scopedLive("has each agent in its state, in its audit and on its pages", () =>
    inKernel(
      Effect.gen(function* () {
        const audit = yield* run
        const events = yield* eventsOf(audit.taskId)
        const scope = EnvironmentState.taskScope(fold(EnvironmentState.projection, events), audit.taskId)
        expect(scope.readings).toEqual({})
        expect(scope.agents).toMatchObject({
          ada: { agent: "walker@1", status: "left", outcome: "achieved", return: 3, readings: expect.anything() },
          bob: { return: 0, readings: { "arena/observation": { at: 10, others: 2 } } },
          cem: { agent: "walker@1" },
        })
        expect(audit.agents).toMatchObject({
          ada: { outcome: "achieved", commanded: 3, succeeded: 3, said: 1, return: 3, actions: { "arena/step 1": 3 } },
          bob: { outcome: null, heard: 1, heardFrom: { ada: 1 } },
          cem: { agent: "walker@1" },
        })
        const commanded = Object.values(audit.agents ?? {}).reduce((sum, agent) => sum + agent.commanded, 0)
        expect(commanded).toBe(audit.acting.commanded)
        const text = AuditPage.lines(plain, audit).join("\n")
        expect(text).toMatch(/return +3/)
        expect(text).toMatch(/ada +walker@1 +achieved/)
        expect(text).toMatch(/ada +bob +1/)
        expect(text).toMatch(/ada +arena\/step 1 +3/)
        expect(AuditMarkdown.lines(audit, new Map()).join("\n")).toContain("## Who heard whom")
        expect(AgentTables.section(audit).source).toContain("Who did what, how often")
      }),
    ),
  )

  for (const rewind of ["snapshot", "re-execution"] as const) {
    it.scopedLive(`is forked from a round on by ${rewind}, with each agent's readings the same`, () =>
      inKernel(
        Effect.gen(function* () {
          const kernel = yield* Kernel
          const { taskId } = yield* run
          const decided = (yield* eventsOf(taskId)).filter((event) => is(event, "DecisionMade"))
          const at = decided.at(-1)?.position ?? 0
          const forked = yield* kernel.fork(group(), { task: taskId, at, timeline: "again", rewind })
          const log = yield* EventLog
          const restored = (yield* log.readPage(
            { timeline: "again", types: ["EnvironmentRestored"], after: 0 },
            10,
          )).at(-1)
          expect(restored?.payload).toMatchObject({ by: rewind, checked: { document: true } })
          if (restored === undefined || !is(restored, "EnvironmentRestored")) throw new Error("not restored")
          expect(restored.payload.checked.readings).toBeGreaterThan(1)
          if (rewind === "re-execution") expect(restored.payload.checked.outcomes).toBeGreaterThan(5)
          expect(forked.audit.outcome).toBe("achieved")
        }),
      ),
    )
  }
})
