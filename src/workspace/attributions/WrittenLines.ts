/**
 * Finds the agent that wrote each line of a text, by the recorded versions of its file. Presence proves nothing: lines
 * that came outside of calls, or from calls of several tasks, have no writer.
 */

import { Effect, Option, Stream } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as BlamedFile from "../history/BlamedFile.ts"
import * as FileBlame from "../history/FileBlame.ts"
import type { FileVersion } from "../history/FileVersions.ts"
import { sourceOf } from "../history/Looks.ts"
import * as Origin from "../history/Origin.ts"

/** An agent that wrote lines. */
export interface Writer {
  readonly taskId: string
  /** As recorded, such as `claude-code@2.1.0`. */
  readonly agent: string
  /** The call's request; undefined if it was one of several calls of the task. */
  readonly call: Event | undefined
  /** Tells this writing from others: the event of the call or of the change. */
  readonly by: string
  /** Undefined if the log does not name it. */
  readonly model: { readonly provider: string; readonly name: string } | undefined
}

export interface WrittenLine {
  /** From 1 on. */
  readonly line: number
  readonly text: string
  /** `older`: from before the recording, or after the last snapshot. `unknown`: seen, but not certainly an agent's. */
  readonly by: Writer | "older" | "unknown"
}

/** The lines of a text, in order. */
export type Written = (
  versions: ReadonlyArray<FileVersion>,
  text: Uint8Array,
  contents: Parameters<typeof FileBlame.of>[2],
) => Effect.Effect<ReadonlyArray<WrittenLine>, LogError>

/** Remembers tasks and origins, which files have in common. */
export const finder = (log: Pick<EventLog.Service, "find" | "read">): Written => {
  const agents = new Map<string, string | undefined>()
  const agentOf = (taskId: string) =>
    Effect.gen(function* () {
      if (!agents.has(taskId)) {
        const opened = yield* Stream.runHead(log.read({ taskId, types: ["TaskOpened"] }))
        const agent = Option.match(opened, {
          onNone: () => undefined,
          onSome: (event) => (is(event, "TaskOpened") ? event.payload.agent : undefined),
        })
        agents.set(taskId, agent)
      }
      return agents.get(taskId)
    })
  const { originOf } = Origin.finder(log)
  const writers = new Map<Event, Writer | "older" | "unknown">()

  const writerOf = ({ look }: FileVersion) =>
    Effect.gen(function* () {
      const known = writers.get(look.event)
      if (known !== undefined) return known
      const found = yield* writer(look)
      writers.set(look.event, found)
      return found
    })

  const writer = (look: FileVersion["look"]) =>
    Effect.gen(function* () {
      const source = sourceOf(look)
      if (source.kind === "start") return "older" as const
      const { calls } = yield* originOf(look)
      const [first] = calls
      const taskId = first?.command.taskId
      if (first === undefined || taskId === null || taskId === undefined) return "unknown" as const
      const isWhole = source.kind === "call" || (source.kind === "calls" && source.commandIds.length === calls.length)
      if (!isWhole || calls.some(({ command }) => command.taskId !== taskId)) return "unknown" as const
      const agent = yield* agentOf(taskId)
      if (agent === undefined) return "unknown" as const
      const models = new Map(calls.map((call) => [JSON.stringify(modelOf(call)), modelOf(call)]))
      return {
        taskId,
        agent,
        call: calls.length === 1 ? first.command : undefined,
        by: calls.length === 1 ? first.command.id : look.event.id,
        model: models.size === 1 ? modelOf(first) : undefined,
      }
    })

  return (versions, text, contents) =>
    Effect.gen(function* () {
      const { lines } = FileBlame.of(versions, text, contents)
      const found: Array<WrittenLine> = []
      for (const [index, { text: line, from }] of lines.entries()) {
        const version = BlamedFile.versionOf(from)
        const by = version === undefined ? "older" : from.kind === "seen" ? yield* writerOf(version) : "unknown"
        found.push({ line: index + 1, text: line, by })
      }
      return found
    })
}

const modelOf = ({ model }: Origin.Call): Writer["model"] =>
  model !== undefined && is(model, "ModelCalled")
    ? { provider: model.payload.provider, name: model.payload.model }
    : undefined
