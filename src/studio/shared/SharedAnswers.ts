/** The data of a page without a server: the answers to all questions that it may ask about some tasks. */

import { gzipSync } from "node:zlib"
import { Data, Effect, Layer } from "effect"
import { Allowed } from "../Allowed.ts"
import * as Annotations from "../answers/annotations/Annotations.ts"
import * as Chunks from "../answers/Chunks.ts"
import * as Behaviour from "../answers/collective/Behaviour.ts"
import * as Log from "../answers/Log.ts"
import * as Rewards from "../answers/Rewards.ts"
import * as Tasks from "../answers/Tasks.ts"
import * as RelativesOf from "../answers/timeline/Relatives.ts"
import * as Tree from "../answers/timeline/Tree.ts"
import * as Verdicts from "../answers/Verdicts.ts"
import * as StudioLog from "../StudioLog.ts"
import { CHUNK } from "../wire/CourseSlice.ts"
import type { LogInfo } from "../wire/Log.ts"
import { scoringOf } from "../wire/Scoring.ts"
import { questionOf } from "../wire/Shared.ts"
import type { Relative, Relatives, ScoreSetRow, Scorings, TaskHead, TaskList } from "../wire/Task.ts"
import * as SharedRequests from "./SharedRequests.ts"

export interface SharedTask {
  readonly timeline: string
  readonly task: string
}

/** The shared tasks, and where the reader begins. */
export interface SharedOptions {
  /** At least one. */
  readonly tasks: ReadonlyArray<SharedTask>
  /** A position in the first task. Default: its worst moment, else its end. */
  readonly at?: number
  /** Sentences for the reader, such as that personal data was left out. */
  readonly notes: ReadonlyArray<string>
}

export interface SharedAnswers {
  /** By question (`wire/Shared`): JSON, compressed by gzip and encoded in base64. */
  readonly answers: ReadonlyMap<string, string>
  /** The address at which the page begins. */
  readonly start: string
  readonly title: string
  /** The number of events of all tasks. */
  readonly events: number
}

/** Maximum size of all answers, in bytes. */
export const MAX_BYTES = 20_000_000

export class SharedFileTooLarge extends Data.TaggedError("SharedFileTooLarge")<{
  readonly bytes: number
  readonly events: number
}> {
  override get message() {
    return `These tasks have ${this.events} events, which would make a file of ${Math.ceil(this.bytes / 1e6)} MB: expected at most ${MAX_BYTES / 1e6} MB. Name fewer tasks, or use \`hindcast studio\` instead.`
  }
}

/** The services of `collect`, apart from a log: nobody may act on it. */
export const layer = Layer.provideMerge(
  StudioLog.layer,
  Layer.succeed(Allowed, {
    answer: false,
    forks: null,
    write: false,
    annotate: false,
    scenarios: null,
    talk: null,
    by: "export",
    notes: [],
  }),
)

const isIn = (tasks: ReadonlyArray<SharedTask>, { timeline, task }: SharedTask): boolean =>
  tasks.some((one) => one.timeline === timeline && one.task === task)

/** The relatives of a task that are in the file, too. */
const relativesAmong = ({ timeline, task }: SharedTask, tasks: ReadonlyArray<SharedTask>) =>
  Effect.map(RelativesOf.relatives({ timeline, task }), ({ parent, children }) => {
    const isAmong = ({ task: id }: Relative) => isIn(tasks, { timeline, task: id })
    return {
      parent: parent !== null && isAmong(parent) ? parent : null,
      children: children.filter(isAmong),
      left: 0,
    } satisfies Relatives
  })

/** Collects the answers about some tasks. */
export const collect = ({ tasks, at, notes }: SharedOptions) =>
  Effect.gen(function* () {
    let [bytes, events] = [0, 0]
    const answers = new Map<string, string>()
    const add = (path: string, parameters: Parameters<typeof questionOf>[1], answer: object) => {
      const text = gzipSync(JSON.stringify(answer), { level: 9 }).toString("base64")
      bytes += text.length
      answers.set(questionOf(path, parameters), text)
    }
    const heads: Array<TaskHead> = []
    for (const { timeline, task } of tasks) {
      const told = yield* Tasks.head({ timeline, task })
      const tree = told.below === 0 ? undefined : yield* Tree.tree({ timeline, task })
      const isWhole = tree !== undefined && tree.left === 0 && tree.tasks.every((row) => isIn(tasks, row))
      if (isWhole) add("tree", { timeline, task }, tree)
      // The file says nothing of tasks that are not in it.
      const head = { ...told, below: isWhole ? told.below : 0 }
      const course = yield* Tasks.course({ timeline, task })
      heads.push(head)
      events += course.positions.length
      add("task", { timeline, task }, head)
      add("failure", { timeline, task }, yield* Tasks.failure({ timeline, task }))
      if (head.isCaptured) add("capture", { timeline, task }, yield* Tasks.capture({ timeline, task }))
      if (head.isOfSeveral) add("behaviour", { timeline, task }, yield* Behaviour.behaviour({ timeline, task }))
      add("course", { timeline, task }, course)
      add("spans", { timeline, task }, yield* Tasks.spans({ timeline, task }))
      add("relatives", { timeline, task }, yield* relativesAmong({ timeline, task }, tasks))
      const requests = yield* SharedRequests.of({ timeline, task })
      if (requests !== undefined) add("requests", { timeline, task }, requests)
      for (const { set } of head.sets) {
        add("rewards", { timeline, task, set }, yield* Rewards.rewards({ timeline, task, set }))
      }
      if (head.sets.length > 1) add("verdicts", { timeline, task }, yield* Verdicts.verdicts({ timeline, task }))
      for (let number = 0; number * CHUNK < course.positions.length; number++) {
        add("chunk", { timeline, task, number }, yield* Chunks.slice({ timeline, task, number }))
        if (bytes > MAX_BYTES) return yield* new SharedFileTooLarge({ bytes, events })
      }
    }
    for (const timeline of new Set(tasks.map((one) => one.timeline))) {
      const own = new Set(tasks.flatMap((one) => (one.timeline === timeline ? [one.task] : [])))
      add("annotations", { timeline }, yield* Annotations.ofTasks(timeline, own))
    }
    for (const scores of choicesIn(heads)) {
      const rows: Array<TaskHead> = []
      for (const head of heads) {
        const asked = { timeline: head.timeline, task: head.id, scores }
        const scored = { ...(yield* Tasks.head(asked)), below: head.below }
        rows.push(scored)
        add("task", asked, scored)
        add("failure", asked, yield* Tasks.failure(asked))
      }
      add("tasks", { scores }, { total: rows.length, rows, found: null } satisfies TaskList)
    }
    for (const timeline of new Set(tasks.map((one) => one.timeline))) {
      add("scorings", { timeline }, scoringsIn(heads.filter((head) => head.timeline === timeline)))
    }
    const log = yield* Log.log({})
    const shown: LogInfo = {
      ...log,
      allows: { answer: false, fork: false, write: false, annotate: false, talk: false },
      scenarios: false,
      curricula: false,
      agents: [],
      notes: [...log.notes, ...notes],
    }
    add("log", {}, shown)
    add("tasks", {}, { total: heads.length, rows: heads, found: null } satisfies TaskList)
    const [first] = tasks
    const start = first === undefined ? "/" : startOf(first, at)
    return { answers, start, title: titleOf(heads), events } satisfies SharedAnswers
  })

/** Maximum number of scorings that the file's tasks can be shown by. */
const MAX_SCORINGS = 20

/** The names of the scorings that a reader can choose: none where no task has two. */
const choicesIn = (heads: ReadonlyArray<TaskHead>): ReadonlyArray<string> =>
  heads.every(({ sets }) => sets.length < 2)
    ? []
    : [
        ...new Set([
          ...heads.flatMap(({ sets }) => sets.flatMap(({ pointers }) => pointers)),
          ...heads.flatMap(({ sets }) => sets.map((set) => scoringOf(set, sets))),
        ]),
      ].slice(0, MAX_SCORINGS)

const scoringsIn = (heads: ReadonlyArray<TaskHead>): Scorings => {
  const choices = new Set(choicesIn(heads))
  const sets = heads.flatMap((head) => head.sets)
  const countOf = (isOf: (set: ScoreSetRow) => boolean) =>
    heads.filter((head) => head.sets.some((set) => set.finished && isOf(set))).length
  const pointers = [...new Set(sets.flatMap((set) => set.pointers))].filter((name) => choices.has(name))
  const labels = [...new Set(sets.map(({ label }) => label))].filter(
    (name) => choices.has(name) && !pointers.includes(name),
  )
  return {
    rows: [
      ...pointers.map((name) => ({ name, isPointer: true, tasks: countOf((set) => set.pointers.includes(name)) })),
      ...labels.map((name) => ({ name, isPointer: false, tasks: countOf(({ label }) => label === name) })),
    ],
    left: 0,
  }
}

const startOf = ({ timeline, task }: SharedTask, at: number | undefined): string =>
  `/t/${encodeURIComponent(timeline)}/${encodeURIComponent(task)}${at === undefined ? "" : `/@${at}`}`

const titleOf = (heads: ReadonlyArray<TaskHead>): string =>
  heads.length === 1 ? `${heads[0]?.id}: ${heads[0]?.goal}` : `${heads.length} tasks`
