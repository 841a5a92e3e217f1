/** Follows commands from request to outcome, each as one item, with its changes and the gate's ruling. */

import { type Json, type JsonObject, pointerKeys } from "../../values/Json.ts"
import { asObject, isObject, textOf } from "../../values/JsonObjects.ts"
import type { Approval, Call, Changed, ChangedFile, End } from "./Item.ts"
import { countOr, isText, listOf } from "./Parts.ts"
import type { Growing, Told } from "./Told.ts"

/** Types of events that end a command. */
const ENDS: ReadonlyMap<string, End["status"]> = new Map([
  ["CommandSucceeded", "succeeded"],
  ["CommandFailed", "failed"],
  ["CommandDenied", "denied"],
  ["CommandOutcomeUnknown", "unknown"],
])

/** Types of events of a command itself. Others that it causes, such as the next request, are not its own. */
const OWN = /^(Command|Confirmation)/

export class Calls {
  readonly #byId = new Map<string, Growing<Call>>()
  /**
   * By the positions of the command and of the events that it caused: an event without its payload does not name its
   * command.
   */
  readonly #caused = new Map<number, Growing<Call>>()
  readonly #questions = new Map<string, Growing<Call>>()

  begin(event: Told, { commandId }: JsonObject, call: Growing<Call>): void {
    if (isText(commandId)) this.#byId.set(commandId, call)
    this.#caused.set(event.position, call)
  }

  /** Takes a later event of a command. Returns whether it is one. */
  take(event: Told, payload: JsonObject): boolean {
    const caused = event.cause === null ? undefined : this.#caused.get(event.cause.position)
    if (event.type === "EnvironmentChanged") return this.#change(event, payload, caused)
    const call = this.#of(payload) ?? caused
    if (caused !== undefined && OWN.test(event.type)) this.#caused.set(event.position, caused)
    switch (event.type) {
      case "CommandAllowed":
        if (call !== undefined) call.rule = textOf(payload.rule) ?? null
        break
      case "CommandDispatched":
        if (call !== undefined && call.end === null) call.state = "running"
        break
      case "ConfirmationRequested":
        if (call !== undefined) this.#ask(call, payload)
        break
      case "ConfirmationDecided":
      case "ConfirmationExpired":
      case "ConfirmationWithdrawn":
        return this.#settle(event, payload)
      default: {
        const status = ENDS.get(event.type)
        if (status === undefined) return false
        if (call !== undefined) end(call, event, payload, status)
      }
    }
    if (call !== undefined) noted(call, event)
    return true
  }

  #of({ commandId }: JsonObject): Growing<Call> | undefined {
    return isText(commandId) ? this.#byId.get(commandId) : undefined
  }

  #ask(call: Growing<Call>, { confirmationId, shown }: JsonObject): void {
    call.approval = { ...UNDECIDED, rule: textOf(asObject(shown).rule) ?? null }
    if (call.end === null) call.state = "waiting"
    if (isText(confirmationId)) this.#questions.set(confirmationId, call)
  }

  #settle(event: Told, { confirmationId, approved, by, reason, waitedMs }: JsonObject): boolean {
    const call = isText(confirmationId) ? this.#questions.get(confirmationId) : undefined
    if (call === undefined) return true
    const state =
      event.type === "ConfirmationDecided" ? (approved === true ? "approved" : "rejected") : OVER[event.type]
    call.approval = {
      ...(call.approval ?? UNDECIDED),
      state: state ?? "withdrawn",
      by: textOf(by) ?? null,
      reason: textOf(reason) ?? null,
      waitedMs: countOr(waitedMs),
    }
    if (call.state === "waiting") call.state = "running"
    noted(call, event)
    return true
  }

  #change(event: Told, payload: JsonObject, caused: Growing<Call> | undefined): boolean {
    const several = listOf(payload.commands).flatMap((id) => (isText(id) ? (this.#byId.get(id) ?? []) : []))
    const changed = changedBy(event, payload)
    for (const call of several.length > 0 ? several : caused === undefined ? [] : [caused]) {
      call.changes = [...call.changes, changed]
      noted(call, event)
    }
    return true
  }
}

const UNDECIDED: Approval = { state: "waits", rule: null, by: null, reason: null, waitedMs: null }

const OVER: { readonly [type: string]: Approval["state"] } = {
  ConfirmationExpired: "expired",
  ConfirmationWithdrawn: "withdrawn",
}

const noted = (call: Growing<Call>, { position, payload, length }: Told): void => {
  call.events = [...call.events, position]
  if (payload === null) call.long = [...call.long, { position, length }]
}

const end = (call: Growing<Call>, event: Told, payload: JsonObject, status: End["status"]): void => {
  const { reason } = asObject(payload.unrecorded)
  const result: Json = event.payload === null ? event.line : (payload.result ?? payload.error ?? payload.reason ?? null)
  call.state = status
  call.rule ??= textOf(payload.rule) ?? null
  call.end = {
    position: event.position,
    status,
    result,
    latencyMs: countOr(payload.latencyMs),
    ...(isText(reason) ? { unrecorded: reason } : {}),
    ...(isText(payload.settledBy) ? { settledBy: payload.settledBy } : {}),
  }
}

const changedBy = ({ position }: Told, { plugin, patch }: JsonObject): Changed => ({
  position,
  plugin: textOf(plugin) ?? null,
  files: listOf(patch).filter(isObject).flatMap(fileIn),
})

/** The file of an operation of a workspace's document (`/files/PATH`). */
const fileIn = ({ path, value }: JsonObject): ReadonlyArray<ChangedFile> => {
  const [files, name, ...others] = isText(path) ? pointerKeys(path) : []
  if (files !== "files" || name === undefined || others.length > 0) return []
  const { kind, added, removed } = asObject(value)
  return [{ path: name, kind: textOf(kind) ?? null, added: countOr(added), removed: countOr(removed) }]
}
