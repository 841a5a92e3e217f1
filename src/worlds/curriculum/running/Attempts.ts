/** Runs the tasks of an attempt, scores them by the curriculum's rubrics, and makes the evidence of its decision. */

import { Effect } from "effect"
import { EventLog } from "../../../events/log/EventLog.ts"
import type * as Agent from "../../../kernel/agents/Agent.ts"
import { Kernel } from "../../../kernel/Kernel.ts"
import type { TaskAudit } from "../../../projections/audit/TaskAudit.ts"
import type * as CurriculumRuns from "../../../projections/curricula/CurriculumRuns.ts"
import { defined } from "../../../values/defined.ts"
import type { Stage } from "../document/Document.ts"
import type { Loaded } from "../document/decode.ts"
import * as Guided from "./Guided.ts"
import * as Players from "./Players.ts"
import * as StageWorlds from "./StageWorlds.ts"

/** Seeds are below 2^31. */
const MAX_SEED = 2 ** 31

/** Seeds of a stage without one of its own begin this far apart. */
const SEEDS_OF_STAGE = 1_000_003

/** The seed of a task of an attempt: each attempt continues where the one before ended. */
export const seedOf = (
  { curriculum }: Pick<Loaded, "curriculum">,
  stage: Stage,
  { seed }: Pick<CurriculumRuns.CurriculumRun, "seed">,
  attempt: number,
  index: number,
): number => {
  const first = stage.seed ?? seed + curriculum.stages.indexOf(stage) * SEEDS_OF_STAGE
  return (first + (attempt - 1) * (stage.episodes ?? 1) + index) % MAX_SEED
}

/** A task of a curriculum. */
export interface Episode<E> {
  readonly taskId: string
  readonly seed: number
  readonly stage: Stage
  readonly world: StageWorlds.StageWorld
  /** The agent in the learner's place. */
  readonly playing: Agent.Agent
  readonly messages: ReadonlyArray<Guided.Message>
  readonly people: Effect.Effect<{ readonly [agentId: string]: Agent.Agent }, E>
}

/** Runs a task unless it has ended; resumes it if an earlier kernel left it open. */
export const episode = <E>({ taskId, seed, stage, world, playing, messages, people }: Episode<E>) =>
  Effect.gen(function* () {
    const others = yield* people
    const group = Players.together(stage, playing, others, world.plugin, world.maxSteps)
    const agent = Guided.of(group, messages, { playing: world.playing, agentId: stage.learner })
    const agents = StageWorlds.namesOf(stage)
    return yield* ensured(taskId, agent, { ...StageWorlds.opening(world), seed, ...defined({ agents }) })
  })

/** Runs a task of this id; resumes it if it is open, and leaves it alone if it has ended. Returns its audit. */
export const ensured = (taskId: string, agent: Agent.Agent, options: Parameters<Kernel.Service["tasks"]["run"]>[1]) =>
  Effect.gen(function* () {
    const kernel = yield* Kernel
    const log = yield* EventLog
    const opened = yield* log.readPage({ timeline: log.timeline, taskId, types: ["TaskOpened"] }, 1)
    if (opened.length === 0) return yield* kernel.tasks.run(agent, { ...options, id: taskId })
    const audit = yield* Effect.catchTag(kernel.audit(taskId), "TaskNotFound", Effect.die)
    if (audit.outcome !== null) return audit
    return yield* kernel.tasks.resume(taskId, agent, defined({ maxSteps: options.maxSteps }))
  })

/** Scores the tasks of an attempt by each rubric that has not scored all of them. Returns their audits. */
export const scored = ({ rubrics }: Pick<Loaded, "rubrics">, taskIds: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const kernel = yield* Kernel
    const audits = yield* auditsOf(taskIds)
    let isNew = false
    for (const [label, rubric] of Object.entries(rubrics)) {
      if (audits.every((audit) => isScored(audit, label))) continue
      yield* kernel.rescore({ rubric, label, tasks: taskIds })
      isNew = true
    }
    return isNew ? yield* auditsOf(taskIds) : audits
  })

const isScored = ({ scores }: TaskAudit, label: string): boolean =>
  scores.some((score) => score.label === label && score.finished)

const auditsOf = (taskIds: ReadonlyArray<string>) =>
  Effect.flatMap(Kernel, (kernel) =>
    Effect.forEach(taskIds, (taskId) => Effect.catchTag(kernel.audit(taskId), "TaskNotFound", Effect.die)),
  )
