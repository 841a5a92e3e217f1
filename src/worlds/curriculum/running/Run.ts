/**
 * Runs a curriculum: attempts, decisions and guidance, until it ends. Everything follows from the events in the log: after
 * a kernel died, a run continues with the task that was open, and makes no decision again.
 */

import { Data, Effect } from "effect"
import { EventLog, type NewEvent } from "../../../events/log/EventLog.ts"
import { newId } from "../../../events/vocabulary/Event.ts"
import * as Agent from "../../../kernel/agents/Agent.ts"
import type * as CurriculumRuns from "../../../projections/curricula/CurriculumRuns.ts"
import { defined } from "../../../values/defined.ts"
import * as Decision from "../deciding/Decision.ts"
import * as Evidence from "../deciding/Evidence.ts"
import { asJson, type Curriculum, type Stage, stageOf, type Tutor } from "../document/Document.ts"
import { type Loaded, rubricsAsJson, scenariosAsJson } from "../document/decode.ts"
import { mostOf } from "../document/references.ts"
import * as Attempts from "./Attempts.ts"
import * as Guidance from "./Guidance.ts"
import * as Players from "./Players.ts"
import * as RunLog from "./RunLog.ts"
import * as RunState from "./RunState.ts"
import type { StageWorld, StageWorlds } from "./StageWorlds.ts"

/** The contents, worlds and agents of a run. */
export interface Work<E> {
  readonly loaded: Loaded
  readonly worlds: StageWorlds
  readonly players: Players.Players<E>
  /** Called after each step of the run. */
  readonly onProgress?: (run: CurriculumRuns.CurriculumRun) => Effect.Effect<void>
}

/** Options of a run. */
export interface RunOptions {
  /** Seeds the episodes of stages without a seed. Default: drawn at random, and recorded. */
  readonly seed?: number
  /** Begins again, even if the log has an unfinished run of the same curriculum and agent. Default: continues it. */
  readonly again?: boolean
}

/** The run began with another curriculum, or another agent. */
export class RunChanged extends Data.TaggedError("RunChanged")<{ readonly curriculumId: string }> {
  override get message() {
    return `The run ${this.curriculumId} is in a state that its curriculum does not have. The log was changed by another program.`
  }
}

/** The unfinished run of this curriculum, with the same contents, by this agent; undefined if there is none. */
export const unfinished = ({ digest }: Loaded, learner: Agent.Agent) =>
  Effect.map(RunLog.all, (runs) =>
    Object.values(runs).findLast(
      (run) => run.digest === digest && run.agent === Agent.fullName(learner) && run.ended === null,
    ),
  )

/**
 * Runs a curriculum to its end, or continues the unfinished run of the same contents and agent. Returns its way. Fails
 * when an agent throws, when a task cannot be resumed, and when another program writes to the same run; called again, it
 * continues.
 */
export const run = <E>(work: Work<E>, options: RunOptions = {}) =>
  Effect.gen(function* () {
    const left = options.again === true ? undefined : yield* unfinished(work.loaded, work.players.learner)
    const id = left?.curriculumId ?? (yield* begin(work, options.seed ?? Math.floor(Math.random() * MAX_SEED)))
    for (;;) {
      const found = yield* RunLog.load(id)
      yield* work.onProgress?.(found.run) ?? Effect.void
      if (found.run.ended !== null) return found.run
      yield* step(work, found)
    }
  })

const MAX_SEED = 2 ** 31

const begin = <E>({ loaded, players }: Work<E>, seed: number) =>
  Effect.gen(function* () {
    const curriculumId = newId()
    const { curriculum, scenarios, rubrics, digest } = loaded
    const started: NewEvent = {
      type: "CurriculumStarted",
      payload: {
        curriculumId,
        name: curriculum.curriculum,
        version: curriculum.version,
        digest,
        curriculum: asJson(curriculum),
        ...(Object.keys(scenarios).length === 0 ? {} : { scenarios: scenariosAsJson(scenarios) }),
        ...(Object.keys(rubrics).length === 0 ? {} : { rubrics: rubricsAsJson(rubrics) }),
        agent: Agent.fullName(players.learner),
        seed,
      },
    }
    yield* RunLog.append(curriculumId, 0, [started])
    return curriculumId
  })

/** Takes the next step of a run: an attempt begins, is decided, or is followed by guidance. */
const step = <E>(work: Work<E>, { run, version }: RunLog.Found) =>
  Effect.gen(function* () {
    const last = run.attempts.at(-1)
    const { curriculum } = work.loaded
    if (last === undefined) return yield* attempt(run, version, curriculum.stages[0])
    const stage = stageOf(curriculum, last.stage)
    const world = work.worlds.get(last.stage)
    if (stage === undefined || world === undefined) return yield* new RunChanged(run)
    if (last.decided === null) return yield* decide(work, { run, version }, last, stage, world)
    if (last.decided.guidance !== undefined && last.guidance === null)
      return yield* guide(work, { run, version }, last, stage, world)
    const next = last.decided.to === undefined ? undefined : stageOf(curriculum, last.decided.to)
    if (next === undefined) return yield* new RunChanged(run)
    return yield* attempt(run, version, next)
  })

const attempt = (run: CurriculumRuns.CurriculumRun, version: number, { stage, episodes = 1 }: Stage) => {
  const number = run.attempts.filter((each) => each.stage === stage).length + 1
  const taskIds = Array.from({ length: episodes }, newId)
  const payload = { curriculumId: run.curriculumId, stage, attempt: number, taskIds }
  return RunLog.append(run.curriculumId, version, [{ type: "StageAttempted", payload }])
}

/** Runs the tasks of an attempt that have not ended, and decides the next step. */
const decide = <E>(
  work: Work<E>,
  { run, version }: RunLog.Found,
  last: CurriculumRuns.Attempt,
  stage: Stage,
  world: StageWorld,
) =>
  Effect.gen(function* () {
    const { loaded, players } = work
    const messages = Guidance.messagesFor(run, stage)
    const people = peopleOf(work, stage)
    for (const [index, taskId] of last.taskIds.entries()) {
      const seed = Attempts.seedOf(loaded, stage, run, last.attempt, index)
      yield* Attempts.episode({ taskId, seed, stage, world, playing: players.learner, messages, people })
    }
    const audits = yield* Attempts.scored(loaded, last.taskIds)
    const evidence = Evidence.of(RunState.placeOf(run, last), audits, RunState.resultBefore(run, last))
    const spent = yield* RunState.spentOf(run, loaded.curriculum)
    const decision = Decision.decide(loaded.curriculum, stage, evidence.context, RunState.usedBy(run, spent))
    yield* RunLog.append(run.curriculumId, version, eventsOf(run, last, stage, decision, evidence, loaded.curriculum))
  })

/** The events of a decision, which one commit records. */
const eventsOf = (
  run: CurriculumRuns.CurriculumRun,
  { stage: name, attempt, taskIds }: CurriculumRuns.Attempt,
  stage: Stage,
  { decision, to, rule, verdicts, guidance, reason }: Decision.Decision,
  { context, because, scoreSets }: Evidence.Evidence,
  { tutors = {} }: Curriculum,
): ReadonlyArray<NewEvent> => {
  const { curriculumId, agent, level } = run
  const id = newId()
  const works = guidance !== undefined && guidance.hint === undefined
  const planned =
    guidance === undefined
      ? undefined
      : { tutor: guidance.tutor, gives: guidance.gives, ...(works ? { taskId: newId() } : {}) }
  const decided: NewEvent = {
    type: "CurriculumDecided",
    id,
    payload: {
      ...{ curriculumId, stage: name, attempt, decision, verdicts, taskIds, scoreSets, because },
      evidence: { ...context },
      ...defined({ to, rule, reason, guidance: planned }),
    },
  }
  const caused = { causationId: id }
  const given: ReadonlyArray<NewEvent> =
    guidance?.hint === undefined
      ? []
      : [
          {
            type: "GuidanceGiven",
            ...caused,
            payload: {
              ...{ curriculumId, stage: name, attempt, tutor: guidance.tutor, gives: guidance.gives },
              content: guidance.hint,
              ...leftAfter(run, tutors[guidance.tutor], guidance),
              because,
            },
          },
        ]
  const reached = decision === "PROCEED" && stage.level !== undefined && stage.level !== level ? stage.level : undefined
  const developed: ReadonlyArray<NewEvent> =
    reached === undefined
      ? []
      : [
          {
            type: "AgentDeveloped",
            ...caused,
            payload: { curriculumId, agent, ...(level === null ? {} : { from: level }), to: reached, because },
          },
        ]
  const isOver = decision === "FAIL" || (decision === "PROCEED" && to === undefined)
  const result = decision === "FAIL" ? ("failed" as const) : ("completed" as const)
  const ended: ReadonlyArray<NewEvent> = isOver
    ? [{ type: "CurriculumEnded", ...caused, payload: { curriculumId, result, because, ...defined({ reason }) } }]
    : []
  return [decided, ...given, ...developed, ...ended]
}

/** How many of a kind a tutor may still give after this one; nothing for a rule's own hints. */
const leftAfter = (
  run: CurriculumRuns.CurriculumRun,
  tutor: Tutor | undefined,
  { tutor: name, gives }: NonNullable<Decision.Decision["guidance"]>,
): { readonly left?: number } =>
  tutor === undefined ? {} : { left: Math.max(0, mostOf(tutor, gives) - Guidance.givenBy(run, name, gives) - 1) }

/** Lets a tutor give the requested help, in the task that the decision planned. */
const guide = <E>(
  work: Work<E>,
  { run, version }: RunLog.Found,
  last: CurriculumRuns.Attempt,
  stage: Stage,
  world: StageWorld,
) =>
  Effect.gen(function* () {
    const { loaded, players } = work
    const asked = last.decided?.guidance
    const tutor = asked === undefined ? undefined : loaded.curriculum.tutors?.[asked.tutor]
    if (asked?.taskId === undefined || tutor === undefined || last.decided === null) return yield* new RunChanged(run)
    const { tutor: name, gives, taskId } = asked
    const left = (yield* Guidance.leftOf(run, name, tutor)) ?? { tokens: 0 }
    const agent = yield* players.load(tutor, name, left)
    const given = yield* gives === "demonstration"
      ? Effect.zipRight(
          Attempts.episode({
            taskId,
            seed: Attempts.seedOf(loaded, stage, run, last.attempt, last.taskIds.length - 1),
            ...{ stage, world, playing: agent, messages: [], people: peopleOf(work, stage) },
          }),
          Guidance.demonstrated(name, taskId),
        )
      : Guidance.asked(loaded, run, last, { name, role: tutor.role, tutor: agent }, { gives, taskId, goal: world.goal })
    const log = yield* EventLog
    const [closed] = yield* log.readPage({ timeline: log.timeline, taskId, types: ["TaskClosed"] }, 1)
    const because = [last.decided.at, ...(closed === undefined ? [] : [closed.position])]
    const { curriculumId } = run
    const payload = {
      ...{ curriculumId, stage: stage.stage, attempt: last.attempt, tutor: name, gives, taskId, because },
      ...given,
      ...leftAfter(run, tutor, { tutor: name, gives }),
    }
    yield* RunLog.append(curriculumId, version, [{ type: "GuidanceGiven", payload }])
  })

/** The simulated people of a stage, by the names of their agents. */
const peopleOf = <E>({ loaded, players }: Work<E>, { cast = {} }: Stage) =>
  Effect.gen(function* () {
    const agents: { [agentId: string]: Agent.Agent } = {}
    for (const [agentId, name] of Object.entries(cast)) {
      const person = loaded.curriculum.people?.[name] ?? {}
      agents[agentId] =
        person.script === undefined ? yield* players.load(person, name, {}) : Players.scripted(name, person.script)
    }
    return agents
  })
