/**
 * The calls of a client's tools, sensors and other functions, in one run. A call has two halves, because the function
 * runs in the client: `begin` asks the gate, and `end` records the result. A replay answers the first half from the
 * log.
 */
import { Data } from "effect"
import type { Json, JsonObject } from "../../values/Json.ts"
import { type Recorded, type Run, ToolDenied, type ToolOptions } from "../Run.ts"
import type { RunAtWork } from "../RunAtWork.ts"
import * as Thrown from "../Thrown.ts"

export const KINDS = ["tool", "sensor", "io"] as const

export interface BegunCall {
  readonly kind: (typeof KINDS)[number]
  readonly name: string
  readonly args: JsonObject
  /** Of a tool. Those of its first call hold for the run. */
  readonly options: ToolOptions
}

/** The client's next step: it makes the call and tells how it ended, or takes an answer of the recording. */
export type Begun =
  | { readonly call: number }
  | { readonly result: unknown }
  | { readonly failed: { readonly name: string; readonly message: string } }
  | { readonly denied: { readonly rule: string; readonly reason: string } }

/** How a call ended in the client. A result that JSON cannot hold says why. */
export type Ended =
  | { readonly result: Json }
  | { readonly unrecorded: string }
  | { readonly failed: { readonly name: string; readonly message: string } }

/** Begin the call first. */
export class NoSuchCall extends Data.TaggedError("NoSuchCall")<{ readonly call: number }> {
  override get message() {
    return `Expected the number of a call at work, found ${this.call}, which has ended or never began. Begin it first.`
  }
}

/** A call that the client makes. */
interface Making {
  readonly begun: () => void
  readonly ended: Promise<unknown>
}

interface AtWork {
  readonly end: (ended: Ended) => void
  readonly whole: Promise<unknown>
}

export interface CallsOfRun {
  /**
   * Rejects with an error of the run: `Diverged`, `RunEnded`, `RecordingFailed`, `InvalidOptions`. If the client has
   * gone when the call begins, the call fails.
   */
  readonly begin: (call: BegunCall, gone?: AbortSignal) => Promise<Begun>
  readonly end: (call: number, ended: Ended) => Promise<void>
  /** Takes variables that the client has set since: keys in them are kept out of the log. */
  readonly learn: RunAtWork["learnKeys"]
}

/** A replay records nothing, and learns nothing. */
export type Learning = Run & Partial<Pick<RunAtWork, "learnKeys">>

export const make = (run: Learning): CallsOfRun => {
  const functions = new Map<string, Recorded<[JsonObject], unknown>>()
  /** By their arguments, the same object that the function gets. */
  const making = new Map<JsonObject, Making>()
  const atWork = new Map<number, AtWork>()
  let last = 0

  const inClient = (args: JsonObject): Promise<unknown> => {
    const call = making.get(args)
    if (call === undefined) return Promise.reject(new Error("expected a call of the client"))
    call.begun()
    return call.ended
  }

  const functionOf = ({ kind, name, options }: BegunCall): Recorded<[JsonObject], unknown> => {
    const key = `${kind} ${name}`
    const known = functions.get(key)
    if (known !== undefined) return known
    const made =
      kind === "tool" ? run.tool(name, inClient, options) : kind === "io" ? run.io(name, inClient) : sensor(name)
    functions.set(key, made)
    return made
  }

  /** A sensor has no arguments: its readings begin in the order in which they were asked for. */
  const sensor = (name: string): Recorded<[JsonObject], unknown> => {
    const asked: Array<JsonObject> = []
    const read = run.sensor(name, () => inClient(asked.shift() ?? {}))
    return (args) => {
      asked.push(args)
      return read().finally(() => {
        // The recording answered for it.
        const left = asked.indexOf(args)
        if (left >= 0) asked.splice(left, 1)
      })
    }
  }

  return {
    learn: run.learnKeys ?? (() => {}),
    begin: async (call, gone) => {
      const args = { ...call.args }
      let end: AtWork["end"] = () => {}
      const ended = new Promise((resolve, reject) => {
        end = (how) =>
          "failed" in how
            ? reject(Thrown.errorOf({ code: how.failed.name, message: how.failed.message }))
            : resolve(recordedOf(how))
      })
      // It may end before anybody waits for it.
      ended.catch(() => {})
      const begun = new Promise<void>((resolve) => making.set(args, { begun: resolve, ended }))
      const whole = functionOf(call)(args).finally(() => making.delete(args))
      whole.catch(() => {})
      const first = await Promise.race([begun.then(() => "begun" as const), whole.then(known, refusalOf)])
      if (first !== "begun") return first
      const number = ++last
      if (gone?.aborted === true) {
        end({ failed: GONE })
        await whole.catch(() => {})
      } else atWork.set(number, { end, whole })
      return { call: number }
    },
    end: async (number, ended) => {
      const call = atWork.get(number)
      if (call === undefined) throw new NoSuchCall({ call: number })
      atWork.delete(number)
      call.end(ended)
      // The client knows its own error.
      await ("failed" in ended ? call.whole.catch(() => {}) : call.whole)
    },
  }
}

const GONE = { name: "Interrupted", message: "nobody waited for it any more when it began" }

/** A value, or one that cannot be recorded, for the reason that the client gives. */
const recordedOf = (ended: Exclude<Ended, { readonly failed: unknown }>): unknown =>
  "result" in ended
    ? ended.result
    : {
        toJSON: () => {
          throw new Error(ended.unrecorded)
        },
      }

const known = (result: unknown): Begun => ({ result: result ?? null })

/** The gate's refusal, or the recorded failure of a call. Errors of the run itself are the caller's. */
const refusalOf = (error: unknown): Begun => {
  if (error instanceof ToolDenied) return { denied: { rule: error.rule, reason: error.reason } }
  if (error instanceof Error && "_tag" in error) throw error
  return { failed: { name: error instanceof Error ? error.name : "Error", message: Thrown.messageOf(error) } }
}
