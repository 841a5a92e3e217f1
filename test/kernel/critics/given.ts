import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, type Scope } from "effect"
import type { CoreNewEvent } from "../../../src/events/log/EventLog.ts"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import * as Critic from "../../../src/kernel/critics/Critic.ts"
import * as PluginCritic from "../../../src/kernel/critics/PluginCritic.ts"
import * as PluginCriticProcess from "../../../src/kernel/critics/PluginCriticProcess.ts"
import type { Rubric } from "../../../src/kernel/rules/Rubric.ts"
import * as Manifest from "../../../src/plugins/manifest/Manifest.ts"
import { PluginHost } from "../../../src/plugins/process/PluginHost.ts"
import type { ProcessLimits } from "../../../src/plugins/process/ProcessSpec.ts"
import { temporaryDirectory } from "../../temporary.ts"
import { type PrecomputedSample, writePrecomputed } from "../given.ts"

/** Events as a log would hold them: positions from 1, ten milliseconds apart. */
export const story = (...events: ReadonlyArray<CoreNewEvent>): ReadonlyArray<Event> =>
  events.map((event, index) => ({
    position: index + 1,
    id: `00000000-0000-7000-8000-${String(index + 1).padStart(12, "0")}`,
    timeline: "main",
    stream: "task/t1",
    version: index + 1,
    type: event.type,
    schemaVersion: 1,
    taskId: "t1",
    causationId: null,
    actor: "kernel",
    occurredAt: index * 10,
    recordedAt: index * 10,
    payload: event.payload,
    hash: "",
  }))

export const opened: CoreNewEvent = { type: "TaskOpened", payload: { goal: "Light it", measures: [], agent: "a@1" } }
export const closed: CoreNewEvent = { type: "TaskClosed", payload: { outcome: "achieved" } }
export const lamp = (reading: boolean | string): CoreNewEvent => ({
  type: "SensorRead",
  payload: { sensor: "room/lamp", reading, priority: 0, latencyMs: 1 },
})

/** A task over an array of events. */
export const taskOf = (events: ReadonlyArray<Event>, taskId = "t1"): Critic.TaskEvents => ({
  taskId,
  read: (after, until, limit) =>
    Effect.succeed(events.filter(({ position }) => position > after && position <= until).slice(0, limit)),
})

/** Shows a critic a task, and asks it. */
export const judgeWith = (critic: Critic.Critic, events: ReadonlyArray<Event>, taskId = "t1") =>
  Effect.suspend(() => {
    const judging = critic.start(taskOf(events, taskId))
    for (const event of events) judging.observe(event)
    return judging.decide
  })

type Reward = Omit<Critic.Target["reward"], "when">

/** A rubric of one measure, `judge/light`, that a function judges. */
export const rubric = (rewards: ReadonlyArray<Reward>, punishments: ReadonlyArray<Reward> = []): Rubric => ({
  name: "test",
  measures: [
    {
      name: "light",
      description: "Is there light?",
      plugin: "judge",
      critic: "plugin",
      rewards: rewards.map((reward) => ({ ...reward, when: "w" })),
      punishments: punishments.map((reward) => ({ ...reward, when: "w" })),
    },
  ],
})

/** What a test says of a plugin that judges. */
export interface Sample {
  /** The body of the function `light(context, task)`. */
  readonly light: string
  /** Before it, in the entry. */
  readonly preamble?: string
  readonly permissions?: object
  readonly precomputed?: PrecomputedSample
  /** A type of events that the log does not take. */
  readonly refuses?: CoreNewEvent["type"]
  readonly limits?: ProcessLimits
  readonly judgeMs?: number
  readonly rubric: Rubric
}

/** The files of a plugin called `judge` with a function for one measure. */
export const writeJudge = (
  directory: string,
  { light, preamble = "", permissions = {}, precomputed, rubric }: Sample,
): string => {
  const performance = rubric.measures.map(({ plugin: _, ...measure }) => measure)
  const manifest = {
    name: "judge",
    description: "Judges",
    version: "1.0.0",
    entry: "main.ts",
    permissions: { read: [], run: [], ...permissions },
    peas: { performance },
    ...(precomputed === undefined ? {} : { precomputed: writePrecomputed(directory, precomputed) }),
  }
  fs.mkdirSync(directory, { recursive: true })
  fs.writeFileSync(path.join(directory, "looper-plugin.json"), JSON.stringify(manifest))
  const main = `${preamble}\nexport default { measures: { light: async (context, task) => { ${light} } } }`
  fs.writeFileSync(path.join(directory, "main.ts"), main)
  return directory
}

/** A critic of a plugin that runs in its sandbox, and what it recorded. */
export const critic = (
  sample: Sample,
): Effect.Effect<
  { readonly critic: Critic.Critic; readonly recorded: ReadonlyArray<CoreNewEvent> },
  never,
  Scope.Scope | PluginHost
> =>
  Effect.gen(function* () {
    const base = yield* temporaryDirectory
    const { manifest, directory, digest } = yield* Effect.orDie(
      Manifest.load(writeJudge(path.join(base, "judge"), sample)),
    )
    const recorded: Array<CoreNewEvent> = []
    const judges = yield* PluginCriticProcess.make({
      host: yield* PluginHost,
      manifest,
      directory,
      digest,
      denoDir: path.join(base, "deno"),
      forbidden: [path.join(base, "log.db")],
      record: (event) =>
        event.type === sample.refuses ? Effect.fail("the log refuses it") : Effect.sync(() => recorded.push(event)),
      // Tests are not to wait for whatever else the machine does.
      ...(sample.judgeMs === undefined ? {} : { judgeMs: sample.judgeMs }),
      limits: { niceness: 0, stopMs: 300, cancelMs: 300, ...sample.limits },
    })
    return { critic: PluginCritic.make(judges, Critic.targetsOf(sample.rubric)), recorded }
  })
