import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Stream } from "effect"
import { expect } from "vitest"
import type { Message } from "../../src/agents/models/Message.ts"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { is } from "../../src/events/vocabulary/Vocabulary.ts"
import * as Confirmations from "../../src/kernel/gate/Confirmations.ts"
import * as Hindcast from "../../src/kernel/Hindcast.ts"
import * as Replay from "../../src/kernel/replay/Replay.ts"
import { eventsOf, typesOf } from "../agents/given.ts"
import { program } from "../built.ts"
import { agentOf, answering, commandsIn, flawIn } from "../kernel/resume/given.ts"
import * as Killable from "../killable.ts"
import { inRepository } from "../repository.ts"
import { temporaryDirectory } from "../temporary.ts"
import { noProcessMentions } from "./crash.ts"

const PROGRAM = program(import.meta.url, "publishing")
const TASK = "published"

/**
 * When a kernel is killed with SIGKILL: right before or after it commits events for the n-th time, or so many
 * milliseconds after the log has so many events more.
 */
export type Kill =
  | { readonly commits: number; readonly moment: "before" | "after" }
  | { readonly events: number; readonly ms: number }

/** What one process was: killed, or one that ended by itself, which the last one does; and the type of the log's last event then. */
interface Life {
  readonly killed: boolean
  readonly last: string
}

/**
 * Runs a task of an agent with a model, kills each kernel as it is said, and has the next one resume the task, until it
 * is closed. Checks what is promised of such a task. Returns how each kernel ended.
 */
export const killedAndResumed = (kills: ReadonlyArray<Kill>) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    return yield* trial(directory, kills).pipe(
      Effect.provide(Hindcast.layerLog({ log: path.join(directory, "log.db"), workspace: directory })),
    )
  }).pipe(Effect.scoped)

const trial = (directory: string, kills: ReadonlyArray<Kill>) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    yield* Effect.forkScoped(approving)
    const lives: Array<Life> = []
    for (const kill of [...kills, undefined]) {
      const paid = (yield* log.readPage({ types: ["ModelResponded"] }, 100)).length
      const before = linesOf<Asked>(directory, "asked").length
      const killed = yield* live(directory, kill)
      yield* noProcessMentions(directory)
      const { position } = yield* log.head
      lives.push({ killed, last: (yield* log.readPage({ after: Math.max(0, position - 1) }, 1))[0]?.type ?? "nothing" })
      const asked = linesOf<Asked>(directory, "asked").slice(before)
      const turns = asked.map(({ turn }) => turn)
      expect(turns, where(lives)).toEqual(turns.map((_, index) => paid + index))
      for (const { messages } of asked) expect(flawIn(messages), where(lives)).toBeUndefined()
      if (!killed) break
    }
    yield* holds(directory, where(lives))
    return lives
  }).pipe(Effect.scoped)

const where = (lives: ReadonlyArray<Life>): string =>
  lives.map(({ killed, last }) => `${killed ? "killed" : "ended"} after ${last}`).join(", ")

/** What is promised of a task that was resumed to its end. */
const holds = (directory: string, at: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const events = yield* eventsOf(TASK)
    const count = (type: string) => typesOf(events).filter((one) => one === type).length
    const closed = events.flatMap((event) => (is(event, "TaskClosed") ? [event.payload.outcome] : []))
    expect(closed, at).toEqual(["achieved"])
    const commands = commandsIn(events)
    expect(commands.map(({ callId }) => callId).sort(), at).toEqual(["a1", "a2", "a3", "b1", "b2", "b3"])
    for (const { actuator, dispatches, ends } of commands) {
      expect(ends, at).toHaveLength(1)
      if (actuator !== "program/look") expect(dispatches, at).toBeLessThanOrEqual(1)
    }
    const executed = linesOf<Executed>(directory, "executed").filter(({ tool }) => tool !== "look")
    expect(new Set(executed.map(({ commandId }) => commandId)).size, at).toBe(executed.length)
    expect(executed.length, at).toBeLessThanOrEqual(2)
    expect([count("ModelResponded"), count("DecisionMade"), count("ConfirmationDecided")], at).toEqual([3, 3, 1])
    expect((yield* log.verify)._tag, at).toBe("Intact")
    const replayed = yield* Replay.replay(TASK, agentOf(answering([]).model))
    expect(replayed, at).toMatchObject({ verdict: "identical", complete: true })
  })

interface Asked {
  readonly turn: number
  readonly messages: ReadonlyArray<Message>
}

interface Executed {
  readonly tool: string
  readonly commandId: string
}

/** What the program appended to a file: a killed process leaves whole lines, for each is one write. */
const linesOf = <Line>(directory: string, file: string): ReadonlyArray<Line> => {
  const name = path.join(directory, file)
  if (!fs.existsSync(name)) return []
  return fs
    .readFileSync(name, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): Line => JSON.parse(line))
}

/** Someone who approves what is asked, in a process of their own, whether a kernel runs or not. */
const approving = Effect.gen(function* () {
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
})

/** Runs the program until it is killed or ends. Returns whether it was killed. An end of another kind is a failure. */
const live = (directory: string, kill: Kill | undefined) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const { position } = yield* log.head
    const input = { directory, plugin: inRepository("plugins", "text-room"), ...kill }
    const kernel = yield* Killable.start([PROGRAM, JSON.stringify(input)])
    const { code, signal, stdout, stderr } = yield* kill !== undefined && "events" in kill
      ? Killable.killedAt(
          kernel,
          Effect.zipRight(Killable.logReaches(position + kill.events, position), Effect.sleep(kill.ms)),
        )
      : kernel.ended
    if (signal !== "SIGKILL") expect({ code, said: stdout + stderr }).toMatchObject({ code: 0 })
    return signal === "SIGKILL"
  }).pipe(Effect.scoped)
