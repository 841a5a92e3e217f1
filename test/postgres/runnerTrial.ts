/** Trials of runners in processes of their own on a server's log: how they are started, and what must hold afterwards. */
import * as fs from "node:fs"
import { Effect, Fiber, Scope, Stream } from "effect"
import { expect } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import { is } from "../../src/events/vocabulary/Vocabulary.ts"
import * as Confirmations from "../../src/kernel/gate/Confirmations.ts"
import * as Hindcast from "../../src/kernel/Hindcast.ts"
import { TaskQueue } from "../../src/kernel/queue/TaskQueue.ts"
import { defined } from "../../src/values/defined.ts"
import { program } from "../built.ts"
import * as Killable from "../killable.ts"
import { inRepository } from "../repository.ts"
import { temporaryDirectory } from "../temporary.ts"

/** A log with a queue, and the file in which its tasks' agents write their marks. */
export const trial = (url: string, steps: number, takesMs = 30) =>
  Effect.map(temporaryDirectory, (directory) => {
    const marks = `${directory}/marks`
    fs.writeFileSync(marks, "")
    const layer = Hindcast.layerLog({ log: url, workspace: directory })
    return {
      directory,
      layer,
      /** Starts a runner; answers once it works. */
      runner: (
        name: string,
        slots = 4,
        more: { readonly log?: string; readonly clockMs?: number; readonly world?: string } = {},
      ): Effect.Effect<Killable.Killable, never, Scope.Scope> =>
        Effect.tap(
          Killable.start([program(import.meta.url, "runner")], {
            input: JSON.stringify({ log: url, name, slots, steps, marks, takesMs, workspace: directory, ...more }),
          }),
          (process) =>
            Effect.raceFirst(
              process.speaks,
              Effect.flatMap(process.ended, ({ stderr }) => Effect.dieMessage(stderr)),
            ),
        ),
      marks: () =>
        fs
          .readFileSync(marks, "utf8")
          .split("\n")
          .filter((line) => line !== "")
          .map((line) => line.split(" ")),
    }
  })

/** Waits for a number of further events that fit. */
export const next = (
  after: number,
  types: ReadonlyArray<string>,
  count: number,
  fits: (event: Event) => boolean = () => true,
) =>
  Effect.flatMap(EventLog, (log) =>
    log.follow({ after, types }).pipe(
      Stream.filter((item): item is Event => "type" in item && fits(item)),
      Stream.take(count),
      Stream.runCollect,
      Effect.map((events) => [...events]),
    ),
  )

export const head = Effect.flatMap(EventLog, (log) => Effect.map(log.head, ({ position }) => position))

/** Queues tasks for the agent `desk`. Answers their ids. */
export const submitAll = (tasks: number, prefix = "t") =>
  Effect.flatMap(TaskQueue, (queue) =>
    Effect.forEach(
      Array.from({ length: tasks }, (_, index) => `${prefix}${index}`),
      (id) => Effect.map(queue.submit({ id, agent: "desk", goal: "mark" }), ({ taskId }) => taskId),
      { concurrency: 20 },
    ),
  )

/** The world that `sailor` steps. */
export const WORLD = inRepository("test/worlds/samples/drift")

/** Queues as many tasks of each kind: commands, approvals, a world, a model. Needs runners with `WORLD`. */
export const submitKinds = (tasks: number, prefix = "k") =>
  Effect.flatMap(TaskQueue, (queue) =>
    Effect.forEach(
      Array.from({ length: tasks }, (_, index) => `${prefix}${index}`).flatMap((id) => [
        { id: `${id}-desk`, agent: "desk", goal: "mark" },
        { id: `${id}-asker`, agent: "asker", goal: "mark" },
        { id: `${id}-sailor`, agent: "sailor", goal: "sail", environment: { drift: {} } },
        { id: `${id}-scribe`, agent: "scribe", goal: `mark as ${id}-scribe` },
      ]),
      (options) => Effect.map(queue.submit(options), ({ taskId }) => taskId),
      { concurrency: 20 },
    ),
  )

/** Approves each question, as a person in another process does, until the scope closes. */
export const approving = Effect.gen(function* () {
  const people = yield* Confirmations.Confirmations
  yield* (yield* EventLog)
    .follow({ types: ["ConfirmationRequested"] })
    .pipe(
      Stream.runForEach((item) =>
        "id" in item && is(item, "ConfirmationRequested")
          ? people
              .decide(item.payload.confirmationId, { approved: true, by: "ada", channel: "program" })
              .pipe(Effect.catchTag("NotPending", () => Effect.void))
          : Effect.void,
      ),
    )
}).pipe(Effect.forkScoped)

/** Kills runners, each in the middle of tasks of its own, while another one stays. The next victim starts meanwhile. */
export const killRunners = (
  given: Effect.Effect.Success<ReturnType<typeof trial>>,
  kills: number,
  each = 6,
  { submit = submitAll, world }: { readonly submit?: typeof submitAll; readonly world?: string } = {},
) =>
  Effect.gen(function* () {
    const ids: Array<string> = []
    const scope = yield* Effect.scope
    const starting = (kill: number) =>
      Effect.forkIn(Scope.extend(given.runner(`dies-${kill}`, 4, defined({ world })), scope), scope)
    let pending = yield* starting(0)
    yield* given.runner("stays", 2, defined({ world }))
    for (let kill = 0; kill < kills; kill++) {
      const victim = yield* Fiber.join(pending)
      if (kill + 1 < kills) pending = yield* starting(kill + 1)
      const from = yield* head
      ids.push(...(yield* submit(each, `k${kill}-`)))
      const [claimed] = yield* next(from, ["TasksClaimed"], 1, ({ payload }) => payload.runner === `dies-${kill}`)
      yield* next(claimed?.position ?? from, STEPS_OF_TASKS, 1 + (kill % 7))
      yield* victim.kill
    }
    yield* next(0, ["TaskClosed"], ids.length)
    return ids
  })

/** After one of these, a runner dies. Tasks of `desk` have the first alone. */
const STEPS_OF_TASKS = ["CommandDispatched", "ConfirmationRequested", "ModelResponded"]

/** All events of some types. */
export const all = (types: ReadonlyArray<string>) =>
  Effect.flatMap(EventLog, (log) => Effect.map(Stream.runCollect(log.read({ types })), (events) => [...events]))

/** What must hold once all tasks of `desk` are closed, whatever happened to their runners. */
export const assertWhole = (tasks: ReadonlyArray<string>, steps: number, marks: ReadonlyArray<ReadonlyArray<string>>) =>
  Effect.gen(function* () {
    const found = yield* assertOnce(tasks, marks)
    expect(found.ended).toBe(tasks.length * steps)
    return found
  })

/** What must hold once all tasks are closed, of whatever kinds. */
export const assertOnce = (tasks: ReadonlyArray<string>, marks: ReadonlyArray<ReadonlyArray<string>>) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const closed = (yield* all(["TaskClosed"])).map(({ taskId, payload }) => [taskId, payload.outcome])
    // The steps of a world that are in doubt count towards its limit.
    const isOver = ([task, outcome]: ReadonlyArray<unknown>) =>
      String(task).endsWith("-sailor") && outcome === "truncated"
    const outcomes = closed.map((one) => (isOver(one) ? [one[0], "achieved"] : one))
    expect(outcomes.sort()).toEqual(tasks.map((task) => [task, "achieved"]).sort())
    // No command is dispatched twice, no act happens twice.
    const dispatched = (yield* all(["CommandDispatched"])).map(({ payload }) => payload.commandId)
    expect(dispatched.length).toBe(new Set(dispatched).size)
    const acts = marks.map(([task, step]) => `${task} ${step}`)
    expect(acts.length).toBe(new Set(acts).size)
    // Every act that is known to have succeeded has happened, and every other one is in doubt.
    const succeeded = yield* all(["CommandSucceeded"])
    const unknown = yield* all(["CommandOutcomeUnknown"])
    const ended = [...succeeded, ...unknown].map(({ payload }) => payload.commandId)
    expect(ended.length).toBe(new Set(ended).size)
    const made = new Set(acts)
    const commanded = new Map(
      (yield* all(["ActuatorCommanded"])).flatMap(({ payload, taskId }) =>
        // The steps of a world make no marks.
        String(payload.actuator).startsWith("program/")
          ? [[payload.commandId, `${taskId} ${(payload.args as { readonly step: number }).step}`]]
          : [],
      ),
    )
    for (const { payload } of succeeded) {
      const act = commanded.get(payload.commandId)
      if (act !== undefined) expect(made.has(act)).toBe(true)
    }
    expect([...commanded.values()].length).toBeGreaterThan(0)
    expect([...new Set(dispatched)].filter((id) => !ended.includes(id))).toEqual([])
    expect(yield* log.verify).toEqual(expect.objectContaining({ _tag: "Intact" }))
    return { ended: ended.length, unknown: unknown.length, resumed: (yield* all(["TaskResumed"])).length }
  })
