import { Effect, Stream } from "effect"
import { CaughtUp, EventLog } from "../../../src/events/log/EventLog.ts"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import type * as Agent from "../../../src/kernel/agents/Agent.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import type { JsonObject } from "../../../src/values/Json.ts"
import * as AgentGroup from "../../../src/worlds/group/AgentGroup.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import { inRepository } from "../../repository.ts"
import { temporaryDirectory } from "../../temporary.ts"

export const TASK = "walk"

/** The worlds for groups. */
export const WORLDS = ["arena", "duel"].map((name) => inRepository(`test/worlds/samples/${name}`))

/** Runs a test in a kernel that has the worlds for groups. */
export const inKernel = <A, E>(test: Effect.Effect<A, E, Kernel | EventLog>) =>
  Effect.flatMap(testKernel({ plugins: WORLDS }), ({ start }) => Effect.flatMap(start, ({ run }) => run(test)))

/** Steps a world with what a function says. */
export const stepping = (
  action: (view: Agent.DecisionContext) => number | Effect.Effect<number, unknown>,
  world = "arena",
): Agent.DecidingAgent => ({
  name: "player",
  version: "1",
  decide: (view) => {
    const chosen = action(view)
    return Effect.map(Effect.isEffect(chosen) ? chosen : Effect.succeed(chosen), (action) => ({
      act: `${world}/step`,
      args: { action },
    }))
  },
})

export const groupOf = (
  agents: AgentGroup.AgentGroupOptions["agents"],
  options: Partial<AgentGroup.AgentGroupOptions> = {},
) => AgentGroup.make({ name: "group", version: "1", world: "arena", agents, ...options })

/** Runs a group in its world, as the task `walk`. */
export const runGroup = (
  group: Agent.GroupAgent,
  { world = "arena", ...options }: { readonly world?: string; readonly [option: string]: JsonObject[string] } = {},
) =>
  Effect.flatMap(Kernel, ({ tasks }) =>
    tasks.run(group, {
      id: TASK,
      goal: "Walk",
      seed: 5,
      plugins: [world],
      agents: Object.keys(group.agents).sort(),
      environment: { [world]: options },
    }),
  )

/**
 * Runs a group in a kernel that ends when something is done, and then a test in the next kernel, which resumes what is
 * open.
 */
export const inNextKernel = <A, E>(
  group: Agent.GroupAgent,
  options: Parameters<typeof runGroup>[1],
  done: Effect.Effect<unknown, unknown, EventLog>,
  test: Effect.Effect<A, E, Kernel | EventLog>,
) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const first = yield* testKernel({ directory, plugins: WORLDS, onOpenTasks: "resume" })
    yield* Effect.scoped(
      Effect.flatMap(first.start, ({ run }) => run(Effect.zipRight(Effect.fork(runGroup(group, options)), done))),
    )
    const second = yield* testKernel({ directory, onOpenTasks: "resume" })
    return yield* Effect.flatMap(second.start, ({ run }) => run(test))
  })

/** Completes when the log has so many events that are looked for. */
export const logged = (count: number, isIt: (event: Event) => boolean) =>
  Effect.flatMap(EventLog, (log) =>
    log.follow().pipe(
      Stream.filter((event) => !(event instanceof CaughtUp) && isIt(event)),
      Stream.take(count),
      Stream.runDrain,
    ),
  )

/** Whether an event is one of a type, of an agent. */
export const of =
  (type: string, agentId?: string) =>
  (event: Event): boolean =>
    event.type === type && (agentId === undefined || event.payload.agentId === agentId)
