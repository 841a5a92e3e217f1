/** Finds who changed a file: the call, its decision, its approval, and the prompt or the task's goal. */

import { Effect, Option, Stream } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { Look } from "./Looks.ts"
import { sourceOf } from "./Looks.ts"

export interface Origin {
  readonly kind: ReturnType<typeof sourceOf>["kind"]
  /** One or several of these calls did it; one if it is certain. */
  readonly calls: ReadonlyArray<Call>
}

/** A call with its causes. Each is absent if the log lacks it. */
export interface Call {
  /** `ActuatorCommanded` */
  readonly command: Event
  /** `CommandAllowed` */
  readonly decision: Event | undefined
  /** `ConfirmationDecided`: a person's answer. */
  readonly approval: Event | undefined
  /** `InputReceived`: the last prompt before it. */
  readonly prompt: Event | undefined
  /** `TaskOpened`, if there was no prompt: its goal was the reason for the call. */
  readonly opening: Event | undefined
  /** `ModelCalled`: the request whose answer made the call. */
  readonly model: Event | undefined
}

/** Finds origins. Remembers the events that it has read, because changes share causes. */
export const finder = (log: Pick<EventLog.Service, "find" | "read">) => {
  const events = new Map<string, Event | undefined>()
  const find = (id: string): Effect.Effect<Event | undefined, LogError> =>
    Effect.suspend(() => {
      if (events.has(id)) return Effect.succeed(events.get(id))
      return Effect.map(log.find(id), (found) => {
        const event = Option.getOrUndefined(found)
        events.set(id, event)
        return event
      })
    })

  /** An event's causes, nearest first. A log should contain no cycle, but a writer can make one. */
  const causesOf = (event: Event) =>
    Effect.gen(function* () {
      const chain: Array<Event> = []
      const visited = new Set<string>()
      let next = event.causationId
      while (next !== null && !visited.has(next)) {
        visited.add(next)
        const cause: Event | undefined = yield* find(next)
        if (cause === undefined) break
        chain.push(cause)
        next = cause.causationId
      }
      return chain
    })

  const callOf = (command: Event) =>
    Effect.gen(function* (): Effect.fn.Return<Call, LogError> {
      const { commandId } = command.payload
      const steps: Array<Event> = []
      const types = ["CommandAllowed", "ConfirmationRequested", "ConfirmationDecided"]
      const query = { taskId: command.taskId, types, after: command.position }
      const until = (event: Event) => event.type === "CommandAllowed" && event.payload.commandId === commandId
      yield* Stream.runForEach(Stream.takeUntil(log.read(query), until), (event) =>
        Effect.sync(() => steps.push(event)),
      )
      const asked = steps.find((one) => one.type === "ConfirmationRequested" && one.payload.commandId === commandId)
      const answersIt = ({ type, payload }: Event) =>
        type === "ConfirmationDecided" && payload.confirmationId === asked?.payload.confirmationId
      const causes = yield* causesOf(command)
      const prompt = causes.findIndex(({ type }) => type === "InputReceived")
      const own = prompt < 0 ? causes : causes.slice(0, prompt)
      const opening = { taskId: command.taskId, types: ["TaskOpened"], until: command.position }
      return {
        command,
        decision: steps.find(until),
        approval: asked && steps.find(answersIt),
        prompt: causes[prompt],
        opening: prompt < 0 ? Option.getOrUndefined(yield* Stream.runHead(log.read(opening))) : undefined,
        model: own.find(({ type }) => type === "ModelCalled"),
      }
    })

  const calls = new Map<string, Call>()
  const rememberedCallOf = (command: Event) =>
    Effect.gen(function* () {
      const call = calls.get(command.id) ?? (yield* callOf(command))
      calls.set(command.id, call)
      return call
    })

  const originOf = (look: Look): Effect.Effect<Origin, LogError> =>
    Effect.gen(function* () {
      const source = sourceOf(look)
      if (source.kind === "call") {
        const command = (yield* causesOf(look.event)).find(({ type }) => type === "ActuatorCommanded")
        return { kind: source.kind, calls: command === undefined ? [] : [yield* rememberedCallOf(command)] }
      }
      if (source.kind !== "calls") return { kind: source.kind, calls: [] }
      const found: Array<Call> = []
      for (const commandId of source.commandIds.slice(0, MAX_CALLS)) {
        const command = yield* commanded(commandId, look.event.position)
        if (command !== undefined) found.push(yield* rememberedCallOf(command))
      }
      return { kind: source.kind, calls: found }
    })

  /**
   * A command's request, which may belong to another task. It was in progress at `until`; most began shortly before.
   */
  const commanded = (commandId: string, until: number) =>
    Effect.gen(function* () {
      let [end, span] = [until, FIRST_SPAN]
      while (end > 0) {
        const after = Math.max(0, end - span)
        const requests = log.read({ types: ["ActuatorCommanded"], after, until: end })
        const found = yield* Stream.runHead(Stream.filter(requests, ({ payload }) => payload.commandId === commandId))
        if (Option.isSome(found)) return found.value
        ;[end, span] = [after, span * 4]
      }
      return
    })

  return { originOf }
}

/** Positions to look through first. */
const FIRST_SPAN = 1_000

/** Of calls that overlapped. */
const MAX_CALLS = 16
