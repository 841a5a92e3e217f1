import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as Timelines from "../../src/events/read/Timelines.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import type { Projector } from "../../src/projections/projector/Projector.ts"
import * as Rollout from "../../src/worlds/rollout/Rollout.ts"
import { eventsOf } from "../agents/given.ts"
import { testKernel } from "../kernel/testKernel.ts"
import { derived, HILL, type PythonSample, write } from "../plugins/python/given.ts"
import { isRecent } from "../python/interpreter.ts"
import { temporaryDirectory } from "../temporary.ts"
import { stepping } from "./group/given.ts"

/** Runs a test in a kernel with an environment written in Python, whose plugin has the name `hill`. */
const withHill = <A, E>(sample: PythonSample, test: Effect.Effect<A, E, Kernel | EventLog | Projector>) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const plugin = path.join(directory, "sources", "hill")
    yield* write(plugin, { ...sample, name: "hill" })
    const { start } = yield* testKernel({ directory, plugins: [plugin] })
    return yield* Effect.flatMap(start, ({ run }) => run(test))
  })

const climber = stepping(() => 1, "hill")
const idler = stepping(() => 0, "hill")

const run = Effect.flatMap(Kernel, ({ tasks }) =>
  tasks.run(climber, { id: "climb", goal: "Climb", seed: 5, plugins: ["hill"] }),
)

/** Forks the climb after its second step, with an agent that goes down. */
const forked = Effect.gen(function* () {
  yield* run
  const events = yield* eventsOf("climb")
  const readings = events.filter(({ type }) => type === "SensorRead")
  const kernel = yield* Kernel
  const at = `@${readings[2]?.position}`
  const fork = yield* kernel.fork(idler, { at, task: "climb", maxSteps: 1 })
  const log = yield* EventLog
  const view = Timelines.view(log, yield* Timelines.named(log, fork.timeline))
  const found = yield* view.readPage({ taskId: "climb", timeline: view.timeline }, 1_000)
  return { events, fork: found }
})

const RESTORING = (restored: string) =>
  derived(`
def state(self):
    return {"at": self.at, "gust": self.gust}

def restore(self, state):
    ${restored}
    return [self.at, self.gust]
`)

describe.skipIf(!isRecent())("an environment written in Python, in a kernel", () => {
  it.scopedLive("plays an episode to its end, and the log has its rewards", () =>
    withHill(
      { code: HILL, entry: "sample:Hill" },
      Effect.gen(function* () {
        expect((yield* run).outcome).toBe("achieved")
        const events = yield* eventsOf("climb")
        expect(events.filter(({ type }) => type === "CommandSucceeded")).toHaveLength(3)
        expect(events.filter(({ type }) => type === "PunishmentGiven")).toHaveLength(3)
      }),
    ),
  )

  it.scopedLive("without a restore is forked by the same actions again, and the log says so", () =>
    withHill(
      { code: HILL, entry: "sample:Hill", environment: { rewind: ["re-execution"] } },
      Effect.gen(function* () {
        const { fork } = yield* forked
        expect(fork.find(({ type }) => type === "EnvironmentRestored")?.payload).toMatchObject({
          plugin: "hill",
          by: "re-execution",
          checked: { document: true, outcomes: 2 },
        })
        const actions = fork.filter(({ type }) => type === "ActuatorCommanded").map(({ payload }) => payload.args)
        expect(actions).toEqual([{ action: 1 }, { action: 1 }, { action: 0 }])
      }),
    ),
  )

  it.scopedLive("with a restore is forked by it", () =>
    withHill(
      {
        code: RESTORING('self.at, self.gust = state["at"], state["gust"]'),
        environment: { rewind: ["snapshot", "re-execution"] },
      },
      Effect.gen(function* () {
        const { fork } = yield* forked
        expect(fork.find(({ type }) => type === "EnvironmentRestored")?.payload).toMatchObject({
          by: "snapshot",
          checked: { document: true, readings: 1 },
        })
      }),
    ),
  )

  it.scopedLive.each([
    ["the document", 'self.at = state["at"] - 1', "/at"],
    ["the observation", 'self.at, self.gust = state["at"], state["gust"]; return [9.0, 9.0]', "the reading of"],
  ] as const)("whose restore lies is found by %s, and named", ([_, restored, said]) =>
    withHill(
      { code: RESTORING(restored), environment: { rewind: ["snapshot"] } },
      Effect.gen(function* () {
        const { _tag, message } = yield* Effect.flip(forked)
        expect(_tag).toBe("WorldDiffers")
        expect(message).toContain("hill")
        expect(message).toContain(said)
      }),
    ),
  )

  it.scopedLive("whose steps are not those of its seed is found by the same actions again, and named", () =>
    withHill(
      {
        code: derived(`
def step(self, action):
    import secrets
    self.wind = random.Random(secrets.randbits(64))
    return super().step(action)
`),
        environment: { rewind: ["re-execution"] },
      },
      Effect.gen(function* () {
        expect(yield* Effect.flip(forked)).toMatchObject({ _tag: "WorldDiffers" })
      }),
    ),
  )

  it.scopedLive("is rolled out, many episodes in one process, each as its seed decides", () =>
    withHill(
      { code: HILL, entry: "sample:Hill" },
      Effect.gen(function* () {
        const rolled = (parallel: number) =>
          Rollout.run({ world: "hill", policy: () => 1, episodes: 6, seed: 3, parallel })
        const [one, four] = [yield* rolled(1), yield* rolled(4)]
        const returns = one.episodes.map(({ return: sum }) => sum)
        expect(new Set(returns).size).toBe(6)
        expect(four.episodes.map(({ return: sum }) => sum)).toEqual(returns)
      }),
    ),
  )
})
