/** The patterns of teams in `examples/agents/teams`, each as a user runs it, and the tree that it leaves in its log. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as TreeAudit from "../../src/projections/tree/TreeAudit.ts"
import "../built.ts"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { testKernel } from "../kernel/testKernel.ts"
import * as Killable from "../killable.ts"
import { inRepository } from "../repository.ts"
import { temporaryDirectory } from "../temporary.ts"

const PATTERNS = {
  "planner-worker": { prints: "2 177 000 people, the Rhine", agents: ["planner@1", "worker@1", "worker@1"] },
  debate: {
    prints: "5 con won: it answered every point",
    agents: ["moderator@1", "pro@1", "con@1", "pro@1", "con@1", "judge@1"],
  },
  router: { prints: "achieved router@1 to billing@1: a double charge", agents: ["router@1"] },
  review: {
    prints: "achieved accepted after 2 drafts",
    agents: ["editor@1", "writer@1", "reviewer@1", "writer@1", "reviewer@1"],
  },
  "map-reduce": {
    prints: "3 + 3 + 5 = 11 words",
    agents: ["program", "mapper@1", "mapper@1", "mapper@1", "reducer@1"],
  },
}

describe("the patterns of teams", () => {
  for (const [name, { prints, agents }] of Object.entries(PATTERNS)) {
    it.scopedLive(`${name} runs offline, as one tree of tasks that all ended well`, () =>
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        const program = inRepository(`examples/agents/teams/${name}.mjs`)
        const { ended } = yield* Killable.start([program, `${directory}/log.db`])
        expect(yield* ended).toMatchObject({ code: 0, stderr: "", lines: [prints] })
        const { layerLog } = yield* testKernel({ directory })
        const tree = yield* Effect.provide(
          Effect.gen(function* () {
            const [first] = yield* (yield* EventLog).readPage({ types: ["TaskOpened"] }, 1)
            return yield* TreeAudit.load(first?.taskId ?? "")
          }),
          layerLog,
        )
        expect(tree.tasks.map(({ agent }) => agent)).toEqual(agents)
        expect(tree.total).toMatchObject({ open: 0, outcomes: { achieved: agents.length } })
      }),
    )
  }
})
