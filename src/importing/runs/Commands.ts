/** Records a run's tool calls and their outcomes. An approval is recorded only if the source has one. */

import type { PairingRule } from "../../events/vocabulary/Inference.ts"
import * as ObservedCommand from "../../kernel/acting/command/ObservedCommand.ts"
import { digest } from "../../values/Digest.ts"
import { defined } from "../../values/defined.ts"
import { type Json, plainText } from "../../values/Json.ts"
import { LATEST } from "../../values/Time.ts"
import { EarlyResults } from "./EarlyResults.ts"
import type { ModelTurns } from "./ModelTurns.ts"
import type { RunWriter, When } from "./RunEvent.ts"
import { elapsed } from "./SourceTimes.ts"
import { logJson, nameFrom } from "./Untrusted.ts"

/** A command without an outcome yet. */
export interface PendingCommand {
  readonly commandId: string
  readonly tool: string
  readonly args: unknown
  readonly at: number | null
  readonly agentId: string | undefined
  /** What let it pass, if the source names it. */
  readonly rule?: string
}

export interface CommandResult {
  readonly ok: boolean
  readonly content: unknown
  readonly at: number | null
  /** The pairing rule, if it is not the format's; null if one record has call and result. */
  readonly by?: PairingRule | null
}

/** A result that no tool gave. */
export interface UnknownOutcome {
  readonly reason: string
  /** The text that the model read in place of a result. */
  readonly told: unknown
  readonly begun: boolean
  readonly at: number | null
}

export interface Confirmation {
  readonly key: string
  readonly approved: boolean
  readonly by: string
  readonly reason: string | undefined
  readonly at: number | null
}

export class Commands {
  /** Commands without an outcome, by the source's call id. */
  readonly pending = new Map<string, PendingCommand>()
  readonly #writer: RunWriter
  readonly #model: ModelTurns
  readonly #early = new EarlyResults()

  constructor(writer: RunWriter, model: ModelTurns) {
    this.#writer = writer
    this.#model = model
  }

  /**
   * Runs `what` now if the call is pending, or once it appears later in the file. Runs `otherwise` if the call never
   * appears or already has a result.
   */
  whenCalled(callId: string, what: () => void, otherwise: () => void): void {
    if (this.pending.has(callId)) what()
    else this.#early.add(callId, what, otherwise)
  }

  /** Records a call. Most sources do not say why it was allowed; the rule is then `import`. */
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

  /** Names what let a pending call pass. */
  ruledBy(callId: string, rule: string): void {
    const command = this.pending.get(callId)
    if (command !== undefined) this.pending.set(callId, { ...command, rule: nameFrom(rule) })
  }

  #dispatched(callId: string, { commandId, at, rule = "import" }: PendingCommand): void {
    const [allowed, dispatched] = ObservedCommand.passed(commandId, rule)
    this.#writer.writeAt(`allowed:${callId}`, allowed, at, `call:${callId}`)
    this.#writer.writeAt(`dispatched:${callId}`, dispatched, at, `allowed:${callId}`)
  }

  /** Records a call's result. Returns the call; undefined if it is unknown or already has one. */
  result(callId: string, { ok, content, at, by }: CommandResult): PendingCommand | undefined {
    const command = this.#settle(callId)
    if (command === undefined) return undefined
    const { commandId } = command
    const { json } = logJson(content ?? null)
    this.#dispatched(callId, command)
    const latencyMs = elapsed(command.at, at)
    const outcome = ObservedCommand.ended(commandId, { ok, content: json, latencyMs, by: this.#by(by) })
    this.#writer.write(`outcome:${callId}`, outcome, { at, cause: `dispatched:${callId}` })
    this.#toldResult(callId, command, !ok, json)
    return command
  }

  /** Records that a call was refused and not executed. */
  denied(callId: string, reason: string, at: number | null, by?: PairingRule | null): PendingCommand | undefined {
    const command = this.#settle(callId)
    if (command === undefined) return undefined
    const refused = ObservedCommand.denied(command.commandId, reason, this.#by(by))
    this.#writer.write(`outcome:${callId}`, refused, { at, cause: `call:${callId}` })
    this.#toldResult(callId, command, true, plainText(reason))
    return command
  }

  /**
   * Records an unknown outcome for a call whose result was made up by the source's program.
   *
   * @param begun whether the tool had started
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

  confirmed(callId: string, { key, approved, by, reason, at }: Confirmation): void {
    const command = this.pending.get(callId)
    if (command === undefined) return
    const { commandId, tool } = command
    const confirmationId = `${commandId}/confirmation`
    const shown = { tool, args: logJson(command.args).json }
    const argsDigest = digest(shown.args)
    // Sources state no deadline, so the question never expires.
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
      ...defined({ waitedMs: elapsed(command.at, at) }),
    }
    this.#writer.write(
      `decides:${key}`,
      { type: "ConfirmationDecided", payload: decided },
      { at, cause: `asks:${key}` },
    )
  }

  /** Ends the run: calls without a result get an unknown outcome. */
  endAll(at: number | null): void {
    this.#early.end()
    for (const [callId, command] of this.pending) {
      this.#dispatched(callId, command)
      const unknown = ObservedCommand.unknown(command.commandId)
      this.#writer.write(`unknown:${callId}`, unknown, { at, cause: `dispatched:${callId}` })
    }
    this.pending.clear()
  }

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
