/** Functions of a recorded program as tools of its kernel: each call is a command. */

import canonicalize from "canonicalize"
import type { CommandOutcome } from "../kernel/acting/CommandExecution.ts"
import type { GrowingProgram } from "../kernel/program/GrowingProgram.ts"
import * as Tool from "../kernel/program/Tool.ts"
import type { JsonObject } from "../values/Json.ts"
import * as JsonCopy from "./JsonCopy.ts"
import { orThrow } from "./RecordOptions.ts"
import type { Redaction } from "./Redaction.ts"
import { ToolDenied, type ToolOptions } from "./Run.ts"
import type { RunLog } from "./RunLog.ts"

/** The longest time-out that a tool can have, in milliseconds: the program had none. */
const LONGEST_CALL_MS = 86_400_000

/** What tools need. */
export interface ToolParts {
  readonly log: RunLog
  readonly redaction: Redaction
  readonly program: GrowingProgram
  /** Declares the tools that were added since. */
  readonly declare: () => Promise<void>
  readonly act: (actuator: string, args: JsonObject) => Promise<CommandOutcome>
  /** Whether there is a gate: then nothing is called that it was not asked about. */
  readonly isGated: boolean
}

/** A call that its command has not reached, with the arguments as the program gave them. */
interface WaitingCall {
  readonly does: () => unknown
  /** What the function did, once it was called. */
  done: Promise<Done> | undefined
}

/** What a function did: a kernel is told of it as JSON only. */
type Done = { readonly value: unknown } | { readonly thrown: unknown }

/** Makes tools of functions. */
export const make = ({ log, redaction, program, declare, act, isGated }: ToolParts) => {
  const waiting = new Map<string, Array<WaitingCall>>()
  const done = new Map<string, Done>()
  let declared: Promise<void> | undefined

  /** Calls the function of the first call that waits with these arguments: commands with the same ones are alike. */
  const run = async (key: string, commandId: string) => {
    const call = waiting.get(key)?.shift()
    if (call === undefined) throw new Error("expected a call of the recorded program, found a command of another")
    call.done = doneBy(call.does)
    const came = await call.done
    done.set(commandId, came)
    if ("thrown" in came) throw withoutKeys(came.thrown, redaction)
    return redaction.json(JsonCopy.of(came.value).json)
  }

  return <Args extends ReadonlyArray<unknown>, Result>(
    name: string,
    does: (...args: Args) => Result,
    { risk, description = "A function of the recorded program" }: ToolOptions = {},
  ) => {
    const keyOf = (args: JsonObject) => `${name} ${canonicalize(args)}`
    const tool = Tool.make({
      ...{ description, timeout: LONGEST_CALL_MS },
      ...(risk === undefined ? {} : { risk }),
      run: (args: JsonObject, { commandId }) => run(keyOf(args), commandId),
    })
    orThrow(program.add("run.tool", name, tool))
    declared = undefined
    return async (...args: Args): Promise<Awaited<Result>> => {
      const recorded = redaction.json(JsonCopy.argsOf(args))
      const key = keyOf(recorded)
      const call: WaitingCall = { does: () => does(...args), done: undefined }
      const calls = waiting.get(key) ?? []
      waiting.set(key, calls)
      calls.push(call)
      const outcome = await log.attempt(async () => {
        declared ??= declare()
        await declared
        return act(`program/${name}`, recorded)
      })
      const came = outcome === undefined ? undefined : done.get(outcome.commandId)
      if (outcome !== undefined) done.delete(outcome.commandId)
      // A command that called no function leaves one call too many. Which one it is makes no difference: they are alike.
      if (came === undefined && call.done === undefined) withdraw(calls, call)
      if (outcome === undefined) return answerOf<Result>(await unrecorded(name, call, isGated))
      if (came === undefined) throw refusalOf(name, outcome)
      return answerOf<Result>(came)
    }
  }
}

const withdraw = (calls: Array<WaitingCall>, call: WaitingCall): void => {
  const left = calls.indexOf(call)
  if (left >= 0) calls.splice(left, 1)
}

const doneBy = async (does: () => unknown): Promise<Done> => {
  try {
    return { value: await does() }
  } catch (thrown) {
    return { thrown }
  }
}

/** What a function answered, or what it threw, thrown. */
const answerOf = <Result>(done: Done): Awaited<Result> => {
  if ("thrown" in done) throw done.thrown
  // It is what the function answered.
  return done.value as Awaited<Result>
}

/** What a function does whose call cannot be recorded any more. One that was called already is not called again. */
const unrecorded = (tool: string, call: WaitingCall, isGated: boolean): Promise<Done> => {
  if (call.done !== undefined) return call.done
  if (isGated) throw new ToolDenied({ tool, rule: "log", reason: "the log failed, and with it the gate" })
  return doneBy(call.does)
}

/** Why a command has no outcome of a function. */
const refusalOf = (tool: string, outcome: CommandOutcome): ToolDenied => {
  switch (outcome.status) {
    case "denied":
      return new ToolDenied({ tool, rule: outcome.rule, reason: outcome.reason })
    case "failed":
      return new ToolDenied({ tool, rule: outcome.error.code, reason: outcome.error.message })
    case "succeeded":
      return new ToolDenied({ tool, rule: "recorded", reason: "it was carried out by another kernel" })
    case "expired":
    case "unknown":
      return new ToolDenied({ tool, rule: outcome.status, reason: outcome.reason })
  }
}

/** An error as it is recorded. */
const withoutKeys = (thrown: unknown, { text }: Redaction): unknown => {
  if (!(thrown instanceof Error)) return typeof thrown === "string" ? text(thrown) : thrown
  return Object.assign(new Error(text(thrown.message)), { name: thrown.name })
}
