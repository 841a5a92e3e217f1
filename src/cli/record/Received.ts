/** The output of `hindcast listen`: the records that it received, their tasks, and errors. */
import { Effect } from "effect"
import type { ForwardingCounts } from "../../telemetry/Forwarding.ts"
import type { Backlog } from "../../telemetry/Inbox.ts"
import * as Listener from "../../telemetry/Listener.ts"
import type { Progress } from "../../telemetry/Recording.ts"
import * as Output from "../command/Output.ts"
import { count } from "../terminal/Text.ts"

export interface Received {
  readonly counts: Listener.Counts
  readonly progress: Progress
  readonly remark: (what: string) => void
  readonly forwardingFailed: (reason: string) => void
  /** Prints the totals if they have changed. */
  readonly totals: (backlog: Backlog, forwarded: ForwardingCounts | undefined) => Effect.Effect<void>
  readonly ended: (backlog: Backlog, notForwarded: number | undefined) => Effect.Effect<void>
}

export interface Started {
  readonly json: boolean
  readonly address: string
  readonly port: number
  readonly file: string
  readonly tokenFile: string | undefined
  readonly to: URL | undefined
}

/** Tasks that are named one by one; later ones are only counted. */
const MAX_NAMED = 20

/** Reasons that are remembered, to be said once. */
const MAX_SAID = 200

export const make = (json: boolean): Received => {
  const counts = Listener.noCounts()
  const tasks = new Set<string>()
  const said = new Set<string>()
  let taskCount = 0
  let events = 0
  let shown = ""
  const print = (text: string) => void Effect.runFork(Output.note(text))
  const once = (text: string) => {
    if (said.has(text) || said.size >= MAX_SAID) return
    said.add(text)
    print(text)
  }
  return {
    counts,
    remark: (what) => once(`Not recorded: ${what}`),
    forwardingFailed: (reason) =>
      once(`A request was not passed on: ${reason}. Further ones like it are only counted.`),
    progress: {
      onTask: (taskId, added) => {
        events += added
        if (tasks.has(taskId)) return
        if (tasks.size < MAX_TASKS) tasks.add(taskId)
        taskCount += 1
        if (json) void Effect.runFork(Output.writeWhole(JSON.stringify({ task: taskId })))
        else if (taskCount <= MAX_NAMED) void Effect.runFork(Output.write(`Recorded task ${taskId}`))
      },
      onLeftOut: (why) => once(`Not recorded: ${why}`),
      onTrouble: (message) =>
        once(`${message.replace(/\.$/, "")}. The received data stays in the inbox, and Hindcast tries again.`),
    },
    totals: (backlog, forwarded) => {
      const { received, recorded, rejected, refused } = counts
      const parts = [
        `${count(received.spans, "span")} and ${count(received.logRecords, "log record")}, ${recorded} of them new`,
        `${count(events, "event")} in ${count(taskCount, "task")}`,
        ...(backlog.groups === 0 ? [] : [`${waiting(backlog.groups)} under way`]),
        ...(rejected === 0 ? [] : [`${rejected} could not be read`]),
        ...(refused === 0 ? [] : [`${count(refused, "request")} told to retry later`]),
        ...(forwarded === undefined
          ? []
          : [`passed on ${forwarded.sent}, ${forwarded.failed} failed, ${forwarded.waiting} wait`]),
      ]
      const text = parts.join("; ")
      if (text === shown || received.spans + received.logRecords + refused === 0) return Effect.void
      shown = text
      if (!json) return Output.write(text)
      const totals = { received, recorded, rejected, refused, events, tasks: taskCount, backlog, forwarded }
      return Output.writeWhole(JSON.stringify({ totals }))
    },
    ended: ({ groups }, notForwarded = 0) =>
      Effect.gen(function* () {
        if (groups > 0)
          yield* Output.note(
            `Not in the log yet: ${waiting(groups)}. The inbox has them, and the next \`hindcast listen\` with this log records them.`,
          )
        if (notForwarded > 0) yield* Output.note(`${count(notForwarded, "request")} not passed on.`)
      }),
  }
}

const waiting = (groups: number): string =>
  groups === 1 ? "1 trace or conversation" : `${groups} traces or conversations`

/** Tasks that are remembered, to count each once. */
const MAX_TASKS = 100_000

/** Prints the address and the settings of programs. */
export const started = ({ json, address, port, file, tokenFile, to }: Started): Effect.Effect<void> => {
  const name = address === "0.0.0.0" || address === "::" ? "HOST" : address.includes(":") ? `[${address}]` : address
  const url = `http://${name}:${port}`
  if (json) return Output.writeWhole(JSON.stringify({ url, log: file }))
  return Output.show(false, {}, () => [
    `Receiving OpenTelemetry on ${url}, and recording to ${file}. Press Ctrl-C to stop.`,
    ...(to === undefined ? [] : [`Everything is passed on to ${to.origin}.`]),
    ...(tokenFile === undefined ? [] : [`Clients show the token in ${tokenFile}, as OTEL_EXPORTER_OTLP_HEADERS.`]),
    "",
    `export OTEL_EXPORTER_OTLP_ENDPOINT=${url}`,
    "export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
    "",
    "Claude Code also needs CLAUDE_CODE_ENABLE_TELEMETRY=1 and OTEL_LOGS_EXPORTER=otlp.",
    "It sends texts only with OTEL_LOG_USER_PROMPTS=1, and arguments of tools only with OTEL_LOG_TOOL_DETAILS=1.",
  ])
}
