/** Answers to a gateway's client about its calls, and the parts of the server's answers that a recording keeps. Pure. */

import type { RequestedEvent } from "../kernel/gate/ConfirmationRequests.ts"
import type { Json, JsonObject } from "../values/Json.ts"
import { asObject, isObject, textOf } from "../values/JsonObjects.ts"
import { oneLine } from "../values/PlainText.ts"
import { quoteWord } from "../values/ShellWord.ts"
import { iso } from "../values/Time.ts"
import { KEY } from "./Approval.ts"
import * as Message from "./Message.ts"

/** The kind of the record that keeps the whole response of a failed call. */
export const FAILED = "failed call"

export const denied = (
  actuator: string,
  { rule, reason }: { readonly rule: string; readonly reason: string },
): JsonObject =>
  Message.refusedResult(`Hindcast denied this call of ${actuator}, and did not send it. Rule "${rule}": ${reason}.`)

/** For a client that cannot show the question. */
export const waiting = (
  actuator: string,
  { payload: { confirmationId, expiresAt } }: RequestedEvent,
  log: string,
): JsonObject =>
  Message.refusedResult(
    `A person has to confirm this call of ${actuator}, and nobody has decided yet. It was not sent. ` +
      `\`hindcast confirm approve ${confirmationId} --log ${quoteWord(log)}\` approves it, until ${iso(expiresAt)}; then make the same call again.`,
  )

/** Shown to the person who confirms. */
export const described = (server: string, definition: Json | undefined): string => {
  const { description } = asObject(definition)
  const said = typeof description === "string" ? oneLine(description).slice(0, MAX_DESCRIPTION).toWellFormed() : ""
  return said === "" ? `A tool of the MCP server ${server}` : `${server} says of it: ${said}`
}

const MAX_DESCRIPTION = 500

/** The model's id of a call, where the client passes it on: Claude Code and Codex do. */
export const callIdOf = ({ params }: Message.Request): string | undefined => {
  const meta = asObject(params._meta)
  const id = textOf(meta["claudecode/toolUseId"]) ?? textOf(meta.callId)
  return id === undefined || id.length > MAX_CALL_ID ? undefined : id
}

const MAX_CALL_ID = 200

/** Parameters without the answer to our question, which is not for the server. */
export const withoutAnswers = ({ inputResponses, requestState, ...params }: JsonObject): JsonObject => {
  const others = isObject(inputResponses)
    ? Object.fromEntries(Object.entries(inputResponses).filter(([key]) => key !== KEY))
    : {}
  return Object.keys(others).length === 0 ? params : { ...params, inputResponses: others }
}

/** Parameters with the state that the server gave. */
export const withServerState = ({ requestState, ...params }: JsonObject, state: string | undefined): JsonObject =>
  state === undefined ? params : { ...params, requestState: state }

/** `result` or `error` of a response. */
export const outcomeOf = ({ result, error }: JsonObject): JsonObject =>
  error === undefined ? { result: result ?? null } : { error }

/** The message of a failed call, as one text if it has one. */
export const failureOf = ({ result, error }: JsonObject): Json => {
  if (error !== undefined) return textOf(asObject(error).message) ?? error
  const { content } = asObject(result)
  const texts = Array.isArray(content) ? content.flatMap((part: Json) => textOf(asObject(part).text) ?? []) : []
  return texts.length === 0 ? (result ?? null) : texts.join("\n")
}
