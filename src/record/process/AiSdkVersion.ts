/** The AI SDK of a program, and the gaps of its recording. */

import { createRequire } from "node:module"
import * as path from "node:path"
import * as ServerUrl from "../../events/log/ServerUrl.ts"
import { quoteWord } from "../../values/ShellWord.ts"
import * as Unseen from "../network/Unseen.ts"
import type { RecordedHere } from "./RecordedHere.ts"

/** The first version that publishes its calls. */
const PUBLISHES = 7

/** The version of `ai` that a program finds from its file; undefined if it finds none. */
export const of = (program: string | undefined): string | undefined => {
  const require = createRequire(program === undefined ? path.join(process.cwd(), "program.js") : path.resolve(program))
  try {
    const { version }: { readonly version?: unknown } = require("ai/package.json")
    return typeof version === "string" ? version : undefined
  } catch {
    // It is no package of the program, or is bundled into it.
    return undefined
  }
}

const isSilent = (version: string | undefined): version is string =>
  version !== undefined && Number(version.split(".")[0]) < PUBLISHES

/** Notes for the log the gaps of an SDK that publishes nothing. */
export const noteUnseen = (version: string | undefined, report: string): void => {
  if (!isSilent(version)) return
  const note = Unseen.to(Unseen.fileBeside(report))
  for (const what of UNSEEN) note(what, `ai ${version}`)
}

const UNSEEN = [
  "when tools ran, and what they called",
  "results of tools that no later request holds",
  "calls of models without HTTP",
]

export interface Recorded {
  readonly taskId: string
  readonly log: string
  readonly logFailure?: string | undefined
}

/** What to tell a person at the end of the program. */
export const linesOf = (
  found: string | undefined,
  here: RecordedHere,
  { taskId, log, logFailure }: Recorded,
): ReadonlyArray<string> => {
  const lines: Array<string> = []
  const version = here.sdk ?? found
  const show = `npx hindcast task show ${quoteWord(taskId)} --log ${quoteWord(ServerUrl.isAddress(log) ? log : path.relative(process.cwd(), log) || log)}`
  if (here.models + here.tools === 0) {
    lines.push(`nothing was recorded: the program called no model that ${named(version)} or a request over HTTP shows.`)
  } else {
    lines.push(`recorded ${counted(here.models, "model call")} and ${counted(here.tools, "tool run")}: ${show}`)
  }
  if (isSilent(version)) {
    const tools = "Tool calls are taken from the requests that tell their results"
    lines.push(
      `ai ${version} does not publish its calls; ai ${PUBLISHES} does. ${tools}. Not seen: ${UNSEEN.join("; ")}.`,
    )
  } else if (here.sdk === undefined && here.models > 0) {
    lines.push(
      `${named(version)} published no call of its tools: tool calls are taken from the requests that tell their results.`,
    )
  }
  if (!here.isEnded)
    lines.push("the program did not come to its own end: its task is closed when the log is next opened.")
  if (logFailure !== undefined) lines.push(`the recording stopped: ${logFailure}`)
  return lines
}

const named = (version: string | undefined): string => (version === undefined ? "the AI SDK" : `ai ${version}`)

const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? "" : "s"}`
