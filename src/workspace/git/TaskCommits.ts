/** Groups a task's recorded files into commits: one for each look, or for each prompt. Pure. */

import type { Event } from "../../events/vocabulary/Event.ts"
import { messageText } from "../../values/JsonObjects.ts"
import { oneLine } from "../../values/PlainText.ts"
import * as Time from "../../values/Time.ts"
import type { Look } from "../history/Looks.ts"
import type { Origin } from "../history/Origin.ts"

/** A look, and its cause. */
export interface Step {
  readonly look: Look
  readonly origin: Origin
}

export interface Group {
  /** In order; the commit contains the files after the last one. */
  readonly steps: ReadonlyArray<Step>
  /** The steps' common prompt, if commits are by prompts. */
  readonly prompt: Event | undefined
}

/** @param prompts the task's `InputReceived`, in the log's order */
export const byPrompt = (steps: ReadonlyArray<Step>, prompts: ReadonlyArray<Event>): ReadonlyArray<Group> => {
  const groups: Array<{ steps: Array<Step>; prompt: Event | undefined }> = []
  for (const step of steps) {
    const prompt = prompts.findLast(({ position }) => position < step.look.event.position)
    const last = groups.at(-1)
    if (last !== undefined && last.prompt === prompt) last.steps.push(step)
    else groups.push({ steps: [step], prompt })
  }
  return groups
}

export const byStep = (steps: ReadonlyArray<Step>): ReadonlyArray<Group> =>
  steps.map((step) => ({ steps: [step], prompt: undefined }))

/** Whether the task's calls made all changes of a group. Otherwise, the commit has no author. */
export const isOfAgent = ({ steps }: Group, taskId: string): boolean =>
  steps.some(({ origin }) => origin.kind === "call") &&
  steps.every(({ origin: { kind, calls } }) => kind === "call" && calls.every((call) => call.command.taskId === taskId))

/** The message: a summary, and the causes as trailers. */
export const messageOf = ({ steps, prompt }: Group, taskId: string): string => {
  const calls = steps.flatMap(({ origin }) => origin.calls)
  const files = new Set(steps.flatMap(({ look }) => look.files.map(({ path }) => path)))
  const paths = [...files].slice(0, 1).map(oneLine).join("")
  const what = files.size === 1 ? paths : `${files.size} files`
  const who = calls.length === 0 ? "No recorded call" : nameOf(calls[0]?.command)
  const asked = prompt === undefined ? undefined : oneLine(messageText(prompt.payload.content)).trim()
  const subject = asked === undefined ? `${who} changes ${what}` : asked || `Changes of ${what}`
  const decided = calls.flatMap(({ approval }) => approval ?? [])
  const prompts = new Map(calls.flatMap((call) => (call.prompt === undefined ? [] : [[call.prompt.id, call.prompt]])))
  const trailers = [
    `Hindcast-Task: ${oneLine(taskId)}`,
    ...steps.map(({ look }) => `Hindcast-Position: @${look.event.position}`),
    ...[...prompts.values()].map(({ position }) => `Hindcast-Prompt: @${position}`),
    ...[...new Set(calls.map(({ command }) => `Hindcast-Call: @${command.position} ${nameOf(command)}`))],
    ...[...new Set(decided.map(({ position, payload }) => `Hindcast-Approval: @${position} ${answerOf(payload)}`))],
    ...[...new Set(steps.map(({ origin }) => origin.kind).filter((kind) => kind !== "call"))].map(
      (kind) => `Hindcast-Cause: ${kind}`,
    ),
  ]
  return `${cut(subject)}\n\n${trailers.join("\n")}\n`
}

const nameOf = (command: Event | undefined): string => oneLine(String(command?.payload.actuator ?? "A call"))

const answerOf = ({ approved, by }: Event["payload"]): string =>
  `${approved === true ? "approved" : "rejected"} by ${oneLine(String(by))}`

const MAX_SUBJECT = 72

const cut = (text: string): string =>
  text.length <= MAX_SUBJECT ? text : `${text.slice(0, MAX_SUBJECT - 1).toWellFormed()}…`

/** Author and time for `git fast-import`. The author is an agent. */
export const identity = (agent: string, occurredAt: number): string => {
  const plain = agent.replaceAll(/[\p{Cc}<>]/gu, " ").trim()
  // Git refuses a name that consists only of these.
  const name = /^[\s.,:;"\\']*$/.test(plain) ? "unknown" : plain
  const local = name.replaceAll(/[^\w.@-]/g, "-").replaceAll("@", "-")
  // Git has no time before 1970, and a log from elsewhere may contain impossible ones.
  const seconds = Time.isMoment(occurredAt) ? Math.max(0, Math.floor(occurredAt / 1000)) : 0
  // This domain belongs to nobody (RFC 2606).
  return [
    `author ${trimmed(name)} <${trimmed(local)}@hindcast.invalid> ${seconds} +0000\n`,
    `committer Hindcast <export@hindcast.invalid> ${seconds} +0000\n`,
  ].join("")
}

/** As `git commit` trims names. */
const trimmed = (text: string): string => text.replaceAll(/^[ .,:;"\\']+|[ .,:;"\\']+$/g, "")
