/** Formats the origins of files' lines and versions. */
import type { Json } from "../../../values/Json.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { Look } from "../../../workspace/history/Looks.ts"
import type { Call, Origin } from "../../../workspace/history/Origin.ts"
import type { Reading } from "../../../workspace/history/Readings.ts"
import type { Style } from "../../terminal/Style.ts"
import * as Table from "../../terminal/Table.ts"
import * as Text from "../../terminal/Text.ts"

/** Who changed it, in a few words. */
export const who = ({ kind, calls }: Origin): string => {
  const actuators = calls.map(({ command }) => oneLine(String(command.payload.actuator)))
  switch (kind) {
    case "start":
      return "before recording"
    case "no-call":
      return "no recorded call"
    case "not-watched":
      return "not observed"
    case "restored":
      return "restored by Hindcast"
    case "calls":
      return `one or more of: ${actuators.join(", ") || "calls that are not in this log"}`
    case "call":
      return actuators[0] ?? "a call that is not in this log"
  }
}

/** A look that found changes, and the facts of the calls that made them. */
export const paragraph = (
  style: Style,
  { event, taskId }: Look,
  origin: Origin,
  reading?: Reading,
): ReadonlyArray<string> => {
  const head = `${style.bold(Text.at(event.position))} ${style.name(who(origin))}  ${style.dim(Text.time(event.occurredAt))}`
  const facts = origin.calls.flatMap(factsOf)
  return [head, ...Table.facts(style, [["task", oneLine(taskId)], ...facts, ...readingFacts(reading)])]
}

const factsOf = ({ command, decision, approval, prompt, opening }: Call): Table.Facts => [
  ["call", `${Text.at(command.position)} ${oneLine(String(command.payload.actuator))} ${value(command.payload.args)}`],
  [
    "decision",
    decision === undefined ? "not recorded" : `allowed by ${oneLine(String(decision.payload.rule))} ${place(decision)}`,
  ],
  ...(approval === undefined
    ? []
    : [
        [
          "approval",
          `${approval.payload.approved === true ? "approved" : "rejected"} by ${oneLine(String(approval.payload.by))} (${oneLine(String(approval.payload.channel))}) ${place(approval)}`,
        ] as const,
      ]),
  askedFor({ prompt, opening }),
]

const askedFor = ({ prompt, opening }: Pick<Call, "prompt" | "opening">): readonly [string, string] => {
  if (prompt !== undefined) return ["prompt", `${value(prompt.payload.content)} ${place(prompt)}`]
  const goal = opening?.payload.goal
  return opening === undefined || goal === undefined || goal === ""
    ? ["prompt", "not recorded"]
    : ["goal", `${value(goal)} ${place(opening)}`]
}

const readingFacts = (reading: Reading | undefined): Table.Facts => {
  if (reading === undefined) return []
  const { read, changedSince } = reading
  if (read === undefined) return [["read", "no earlier call of the task names the file"]]
  const { command } = read
  const since = changedSince.map(({ look }) => Text.at(look.event.position)).join(", ")
  return [
    [
      "read",
      `${Text.at(command.position)} ${oneLine(String(command.payload.actuator))} ${value(command.payload.args)}`,
    ],
    [
      "since",
      since === ""
        ? "the file did not change before this call"
        : `stale: the file changed at ${since}, after it was read`,
    ],
  ]
}

const place = ({ position }: { readonly position: number }): string => `(${Text.at(position)})`

const LENGTH = 160

const value = (of: Json | undefined): string => Text.value(of, LENGTH)
