/** Takes a server's elicitations to a person, within limits, and records question and answer. */
import { Effect, type Fiber } from "effect"
import { newId } from "../../events/vocabulary/Event.ts"
import { digest } from "../../values/Digest.ts"
import { defined } from "../../values/defined.ts"
import { type JsonObject, plainText } from "../../values/Json.ts"
import type { RecordEvent } from "../channel/EventRecorder.ts"
import type { OpenCall } from "../channel/OpenCall.ts"
import type { AskPerson } from "./AskPerson.ts"
import * as Elicitation from "./Elicitation.ts"

export interface ElicitationInput {
  readonly plugin: string
  readonly record: RecordEvent
  readonly ask: AskPerson | undefined
  readonly log: (message: string) => void
  /** The calls that the server has not answered. MCP does not say which of them asks. */
  readonly openCalls: () => ReadonlyArray<OpenCall>
  readonly fork: (effect: Effect.Effect<void>) => Fiber.RuntimeFiber<void>
  /** Interrupts a fiber when the call ends. */
  readonly endWith: (call: OpenCall, fiber: Fiber.RuntimeFiber<void>) => void
}

/** Maximum number of questions that wait for a person; further ones are cancelled. */
const MAX_OPEN = 4

/** Maximum number of questions of one process; further ones are cancelled. */
const MAX_ASKED = 100

const CANCEL = { action: "cancel" } as const

/** Returns the handler of one process's elicitations. While a person decides, the calls' time-outs pause. */
export const make = ({ plugin, record, ask, log, openCalls, fork, endWith }: ElicitationInput) => {
  let open = 0
  let asked = 0

  const refused = (why: string): Elicitation.ElicitationAnswer => {
    log(`its question was cancelled: ${why}`)
    return CANCEL
  }

  const question = (form: Elicitation.Form, calls: ReadonlyArray<OpenCall>, person: AskPerson) =>
    Effect.gen(function* () {
      const [call] = calls
      const taskId = calls.length === 1 ? call?.taskId : undefined
      const causationId = calls.length === 1 ? call?.causationId : undefined
      const during = calls.map(({ name }) => name).join(", ")
      const id = newId()
      const kept = (kind: string, content: JsonObject, cause: string | undefined, eventId = newId()) =>
        record(
          {
            id: eventId,
            ...defined({ causationId: cause }),
            type: "SourceRecordKept",
            payload: { source: plugin, kind, record: content },
          },
          taskId,
        )
      yield* kept("elicitation", { message: form.message, requestedSchema: form.schema, during }, causationId, id)
      const shown = Elicitation.shown(plugin, during, form)
      const answer = yield* person({ argsDigest: digest(shown), shown, causationId: id, taskId })
      const filled = answer.approved ? Elicitation.fill(form, answer.reason) : undefined
      const why = filled !== undefined && "why" in filled ? filled.why : undefined
      if (why !== undefined)
        log(`its question was approved, but the form is not filled in, so it was cancelled: ${why}`)
      const result: Elicitation.ElicitationAnswer =
        filled !== undefined && "content" in filled
          ? { action: "accept", content: filled.content }
          : { action: !answer.approved && answer.isRejected ? "decline" : "cancel" }
      yield* kept(
        "elicitation answered",
        { action: result.action, ...defined({ why: why && plainText(why) }) },
        answer.causationId,
      )
      return result
    })

  return (params: JsonObject): Promise<Elicitation.ElicitationAnswer> => {
    const calls = openCalls()
    if (calls.length === 0) return Promise.resolve(refused("no call was open"))
    if (ask === undefined) return Promise.resolve(refused("nobody can be asked here"))
    if (open >= MAX_OPEN || asked >= MAX_ASKED) return Promise.resolve(CANCEL)
    const form = Elicitation.read(params)
    if (typeof form === "string") return Promise.resolve(refused(form))
    open++
    if (++asked === MAX_ASKED) log(`it asked ${MAX_ASKED} questions: further ones are cancelled`)
    const resumed = calls.map(({ pauseTimeout }) => pauseTimeout())
    return new Promise((resolve) => {
      const fiber = fork(
        question(form, calls, ask).pipe(
          Effect.catchAll((cause) =>
            Effect.sync(() => refused(cause instanceof Error ? cause.message : String(cause))),
          ),
          Effect.onExit(() =>
            Effect.sync(() => {
              open--
              for (const resume of resumed) resume()
            }),
          ),
          Effect.flatMap((result) => Effect.sync(() => resolve(result))),
          Effect.onInterrupt(() => Effect.sync(() => resolve(CANCEL))),
        ),
      )
      for (const call of calls) endWith(call, fiber)
    })
  }
}
