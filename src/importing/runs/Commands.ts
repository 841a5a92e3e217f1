/** The tools that a run called, and what came of each call. An approval is written only where a source has one. */

import type { PairingRule } from "../../events/vocabulary/Inference.ts"
import * as ObservedCommand from "../../kernel/acting/command/ObservedCommand.ts"
import { digest } from "../../values/Digest.ts"
import { type Json, plainText } from "../../values/Json.ts"
import { LATEST } from "../../values/Time.ts"
import { EarlyResults } from "./EarlyResults.ts"
import type { ModelTurns } from "./ModelTurns.ts"
import type { RunWriter, When } from "./RunEvent.ts"
import { elapsed } from "./SourceTimes.ts"
import { logJson, nameFrom } from "./Untrusted.ts"

/** A command that was begun and has no outcome yet. */
export interface PendingCommand {
  readonly commandId: string
  readonly tool: string
  readonly args: unknown
  readonly at: number | null
  readonly agentId: string | undefined
}

/** A call's result, as the source has it. */
export interface CommandResult {
  readonly ok: boolean
  readonly content: unknown
  readonly at: number | null
  /** By which rule it was paired with the call, where that is not the format's; null where one record has both. */
  readonly by?: PairingRule | null
}

/** A result that no tool gave. */
export interface UnknownOutcome {
  readonly reason: string
  /** What the model was told in the result's place. */
  readonly told: unknown
  readonly begun: boolean
  readonly at: number | null
}

/** A person's decision on a call. */
export interface Confirmation {
  readonly key: string
  readonly approved: boolean
  readonly by: string
  readonly reason: string | undefined
  readonly at: number | null
}

export class Commands {
  /** The commands that have no outcome yet, by the source's id of the call. */
  readonly pending = new Map<string, PendingCommand>()
  readonly #writer: RunWriter
  readonly #model: ModelTurns
  readonly #early = new EarlyResults()

  constructor(writer: RunWriter, model: ModelTurns) {
    this.#writer = writer
    this.#model = model
  }

  /**
   * Does something with the result of a call: now, or once the call is there, which may come later in its file. If it does not come
   * until the run ends, or has a result already, `otherwise` is done.
   */
  whenCalled(callId: string, what: () => void, otherwise: () => void): void {
    if (this.pending.has(callId)) what()
    else this.#early.add(callId, what, otherwise)
  }

  /** A tool was called. Nothing in a source says what let the call pass, so that the rule is `import`. */
  called(callId: string, tool: string, args: unknown, when: When): void {
    const { source, taskId } = this.#writer
    const commandId = `${taskId}/${nameFrom(callId)}`
    const { json } = logJson(args ?? null)
    this.pending.set(callId, { commandId, tool, args: json, at: when.at, agentId: when.agentId })
    const { agentId } = when
    const call = { commandId, actuator: `${source}/${nameFrom(tool)}`, args: json, callId: nameFrom(callId), agentId }
    this.#writer.write(`call:${callId}`, ObservedCommand.requested(call), when)
    this.#early.called(callId)
  }

  /** Lets a pending call pass and begin. */
  #dispatched(callId: string, { commandId, at }: PendingCommand): void {
    const [allowed, dispatched] = ObservedCommand.passed(commandId, "import")
    this.#writer.writeAt(`allowed:${callId}`, allowed, at, `call:${callId}`)
    this.#writer.writeAt(`dispatched:${callId}`, dispatched, at, `allowed:${callId}`)
  }

  /** A call has its result. Returns the call, or undefined if it is not known, or has one already. */
  result(callId: string, { ok, content, at, by }: CommandResult): PendingCommand | undefined {
    const command = this.#settle(callId)
    if (command === undefined) return undefined
    const { commandId } = command
    const { json } = logJson(content ?? null)
    this.#dispatched(callId, command)
    const latencyMs = command.at === null || at === null ? undefined : elapsed(command.at, at)
    const outcome = ObservedCommand.ended(commandId, { ok, content: json, latencyMs, by: this.#by(by) })
    this.#writer.write(`outcome:${callId}`, outcome, { at, cause: `dispatched:${callId}` })
    this.#toldResult(callId, command, !ok, json)
    return command
  }

  /** A call was refused by whoever had to approve it, as the source says. It was not executed. */
  denied(callId: string, reason: string, at: number | null, by?: PairingRule | null): PendingCommand | undefined {
    const command = this.#settle(callId)
    if (command === undefined) return undefined
    const refused = ObservedCommand.denied(command.commandId, reason, this.#by(by))
    this.#writer.write(`outcome:${callId}`, refused, { at, cause: `call:${callId}` })
    this.#toldResult(callId, command, true, plainText(reason))
    return command
  }

  /**
   * What came of a call is not known, though its source has a result: it was made up by the program that wrote the source.
   *
   * @param begun whether the tool was at work; otherwise it may have been refused before
   */
  unknown(callId: string, { reason, told, begun, at }: UnknownOutcome): PendingCommand | undefined {
    const command = this.#settle(callId)
    if (command === undefined) return undefined
    if (begun) this.#dispatched(callId, command)
    const cause = begun ? `dispatched:${callId}` : `call:${callId}`
    const unknown = ObservedCommand.unknown(command.commandId, plainText(reason), this.#by())
    this.#writer.write(`unknown:${callId}`, unknown, { at, cause })
    this.#toldResult(callId, command, true, logJson(told).json, { author: "harness", by: `unknown:${callId}` })
    return command
  }

  /** A person approved a call, or refused it, as the source says. */
  confirmed(callId: string, { key, approved, by, reason, at }: Confirmation): void {
    const command = this.pending.get(callId)
    if (command === undefined) return
    const { commandId, tool } = command
    const confirmationId = `${commandId}/confirmation`
    const shown = { tool, args: logJson(command.args).json }
    const argsDigest = digest(shown.args)
    // No source says until when it waits for an answer: the question never expires, whenever it is imported.
    const asked = { confirmationId, commandId, argsDigest, shown, expiresAt: LATEST }
    this.#writer.write(
      `asks:${key}`,
      { type: "ConfirmationRequested", payload: asked },
      { at: command.at, cause: `call:${callId}` },
    )
    const decided = {
      confirmationId,
      approved,
      by: nameFrom(by),
      channel: this.#writer.source,
      argsDigest,
      ...(reason === undefined ? {} : { reason: plainText(reason) }),
      waitedMs: elapsed(command.at, at),
    }
    this.#writer.write(
      `decides:${key}`,
      { type: "ConfirmationDecided", payload: decided },
      { at, cause: `asks:${key}` },
    )
  }

  /** The run ends: calls without a result have an outcome that is not known. */
  endAll(at: number | null): void {
    this.#early.end()
    for (const [callId, command] of this.pending) {
      this.#dispatched(callId, command)
      const unknown = ObservedCommand.unknown(command.commandId)
      this.#writer.write(`unknown:${callId}`, unknown, { at, cause: `dispatched:${callId}` })
    }
    this.pending.clear()
  }

  /** The rule by which a result was paired. Default: the format's. */
  #by(own?: PairingRule | null): PairingRule | undefined {
    return (own === undefined ? this.#writer.capture.pairing : own) ?? undefined
  }

  #settle(callId: string): PendingCommand | undefined {
    const command = this.pending.get(callId)
    this.pending.delete(callId)
    return command
  }

  #toldResult(
    callId: string,
    { tool, agentId }: PendingCommand,
    isError: boolean,
    content: Json,
    { author, by = `outcome:${callId}` }: { readonly author?: string; readonly by?: string } = {},
  ): void {
    const message = { role: "tool", content: [{ callId: nameFrom(callId), tool, isError, content }] }
    this.#model.told(author === undefined ? message : { ...message, author }, agentId, by)
  }
}
