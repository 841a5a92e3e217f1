/** Formats the report of `hindcast record doctor`. */
import type { Cause, Finding } from "../../record/doctor/Findings.ts"
import type { Tried } from "../../record/network/NetworkAttempt.ts"
import { oneLine } from "../../values/PlainText.ts"
import type { Style } from "../terminal/Style.ts"
import { at, count } from "../terminal/Text.ts"

export interface DoctorReport {
  readonly taskId: string
  readonly requests: number
  /** Null if the program did nothing that the doctor can examine. */
  readonly reproducible: boolean | null
  readonly findings: ReadonlyArray<Finding>
  /** Attempts to reach the network, which a replay refuses. */
  readonly attempts: ReadonlyArray<Tried>
  /** Tools of the program that every run calls for real. */
  readonly ownTools: ReadonlyArray<string>
}

export const lines = (
  style: Style,
  { taskId, requests, reproducible, findings, attempts }: DoctorReport,
): ReadonlyArray<string> => {
  const asked = `${count(requests, "request")} of task ${style.name(taskId)}`
  if (reproducible === null) {
    return [
      `${style.warn("Nothing seen")}: task ${style.name(taskId)} has no request by the global \`fetch\`, and nothing else is examined: not \`node:http\`, not files, not other processes.`,
    ]
  }
  if (reproducible) {
    return [
      `${style.good("Reproducible")}: ${asked} were the same at another time, with other random numbers, with the answers in another order, and with another time zone and language.`,
    ]
  }
  return [
    `${style.bad("Not reproducible")}: ${asked} depend on ${count(findings.length + attempts.length, "thing")} that a replay does not repeat.`,
    ...findings.flatMap(({ cause, position, requests, difference }) => {
      const { where, recorded, now } = difference
      const first = position === null ? "" : `, the first ${at(position)}`
      return [
        "",
        `${style.name(NAMES[cause])}, in ${count(requests, "request")}${first}: ${oneLine(where)}`,
        `  ${style.dim("one run")}      ${oneLine(recorded)}`,
        `  ${style.dim("another run")}  ${oneLine(now)}`,
        `  ${ADVICE[cause]}`,
      ]
    }),
    ...attempts.flatMap(({ what, target, at: frame }) => [
      "",
      `${style.name("The network")}, which a replay closes: ${oneLine(what)}, ${frame === null ? "from no line of the program itself" : `at ${oneLine(frame)}`}`,
      `  Request it through \`run.io\` or HTTP, so that it is recorded, or allow it with --allow-host ${oneLine(target)}`,
    ]),
  ]
}

const NAMES: Readonly<Record<Cause, string>> = {
  time: "Time",
  randomness: "Randomness",
  order: "Order of concurrent calls",
  environment: "Environment",
  unknown: "Something else",
}

const ADVICE: Readonly<Record<Cause, string>> = {
  time: "Take the time from `run.now()`, or from the program's input.",
  randomness: "Take random numbers from `run.random()`, and ids from the program's input.",
  order: "Sort the answers of concurrent calls before using them, for example in the order of the calls.",
  environment: "Leave machine-dependent values out of requests, or record them with `run.io`.",
  unknown:
    "Get it through `run.io`: a file, a database, the process's id, a timer, a request that `fetch` does not make.",
}
