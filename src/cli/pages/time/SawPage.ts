/** Formats a model's request in a turn, and the difference to another turn's. */
import { MAIN } from "../../../events/log/EventLog.ts"
import * as MessageText from "../../../projections/request/MessageText.ts"
import * as RequestDifference from "../../../projections/request/RequestDifference.ts"
import type { SeenMessage } from "../../../projections/request/RequestMessage.ts"
import * as RequestSizes from "../../../projections/request/RequestSizes.ts"
import type { Compared, Saw } from "../../../projections/request/Saw.ts"
import type { Part, WholeRequest } from "../../../projections/request/WholeRequest.ts"
import * as WordDifference from "../../../projections/request/WordDifference.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { Style } from "../../terminal/Style.ts"
import * as Table from "../../terminal/Table.ts"
import { at, count, moment, shorten } from "../../terminal/Text.ts"

/** Maximum number of characters of a part, unless the whole is wanted. */
const SHORT = 600

/** The whole request. `isWhole` prints long parts to their end. */
export const lines = (style: Style, saw: Saw, isWhole: boolean): ReadonlyArray<string> => {
  const { request } = saw
  const { system, tools, settings, messages, earlier, memory, answer } = request
  return [
    ...headOf(style, saw),
    ...(request.notes.length === 0 ? [] : request.notes.map((note) => style.warn(oneLine(note)))),
    "",
    ...partLines(style, "system", system, (text) => (text === "" ? ["none"] : textLines(text, isWhole))),
    ...partLines(style, "tools", tools, (list) =>
      list.length === 0
        ? ["none"]
        : list.flatMap((tool) =>
            isWhole
              ? textLines(MessageText.toolText(tool), true)
              : [`${oneLine(tool.name)}${tool.description ? `: ${shorten(oneLine(tool.description), 80)}` : ""}`],
          ),
    ),
    ...partLines(style, "settings", settings, (set) => {
      const names = Object.entries(set).map(([name, value]) => `${oneLine(name)} ${oneLine(JSON.stringify(value))}`)
      return names.length === 0 ? ["none recorded"] : names
    }),
    ...(earlier === null ? [] : [style.warn(oneLine(earlier))]),
    ...(memory === null || memory.leftOut === 0
      ? []
      : [
          style.warn(
            `The memory policy ${oneLine(String(memory.policy.name))} left out ${count(memory.leftOut, "earlier message")}.`,
          ),
        ]),
    ...messages.flatMap((message) => [titleOf(style, message), ...indented(messageLines(message, isWhole))]),
    ...(answer === null
      ? [style.dim("The log has no answer to it.")]
      : [
          style.dim(
            answer.failed === null
              ? `Its answer is ${at(answer.at)}.`
              : `It failed ${at(answer.at)}: ${shorten(oneLine(answer.failed), 200)}`,
          ),
        ]),
  ]
}

const headOf = (style: Style, saw: Saw): ReadonlyArray<string> => {
  const { request, sizes } = saw
  return [
    `${style.bold(at(request.position))} ${titleOfTurn(saw)}`,
    ...Table.facts(style, [
      ["model", oneLine([request.provider, request.model].filter((name) => name !== "").join("/"))],
      ["recorded", recordedWords(saw)],
      ["tokens", tokenWords(request, sizes)],
    ]),
    ...Table.lines(
      style,
      ["part", ...Table.right("number", "characters", "tokens, estimated")],
      sizes.map(({ part, count: number, characters, estimatedTokens, files }) => [
        oneLine(part),
        String(number),
        characters.toLocaleString("en"),
        `${estimatedTokens.toLocaleString("en")}${files === 0 ? "" : ` and ${count(files, "file")}`}`,
      ]),
    ),
  ]
}

const titleOfTurn = ({ request, turn, turns, taskId, timeline }: Saw): string => {
  const what =
    request.asksFor === "summary"
      ? "a summary of the conversation"
      : request.asksFor === "verdict"
        ? "a critic's question"
        : "what the model saw"
  const agent = request.agentId === null ? "" : `, agent ${oneLine(request.agentId)}`
  const of = taskId === null ? "" : ` of task ${oneLine(taskId)}${timeline === MAIN ? "" : ` on ${oneLine(timeline)}`}`
  return `${what}, request ${turn} of ${turns}${of}${agent}`
}

const RECORDED = {
  agent: "changes sent by its agent, assembled here",
  recorder: "by a recorder, as the program sent it",
  import: "messages of an imported file",
  critic: "by the critic",
  program: "by the agent's own code",
} as const

const recordedWords = ({ request, isConfirmed }: Saw): string => {
  const checked =
    isConfirmed === null
      ? ""
      : isConfirmed
        ? ", and its digest confirms all of it"
        : ", but its digest differs: the agent limits its answers, or a part differs"
  return `${RECORDED[request.recordedBy]}${checked}`
}

/** The provider's counts, or an estimate that is named as one. */
export const tokenWords = ({ usage }: WholeRequest, sizes: ReadonlyArray<RequestSizes.PartSize>): string => {
  const { inputTokens, cachedTokens, cacheWriteTokens } = usage
  const estimate = RequestSizes.estimateOf(sizes).toLocaleString("en")
  if (inputTokens === undefined) return `the provider's count is not recorded; about ${estimate}, estimated`
  return [
    `${inputTokens.toLocaleString("en")} counted by the provider`,
    ...(cachedTokens === undefined ? [] : [`${cachedTokens.toLocaleString("en")} from its cache`]),
    ...(cacheWriteTokens === undefined ? [] : [`${cacheWriteTokens.toLocaleString("en")} written to it`]),
  ].join(", ")
}

const partLines = <A>(
  style: Style,
  name: string,
  part: Part<A>,
  shown: (value: A) => ReadonlyArray<string>,
): ReadonlyArray<string> =>
  "notRecorded" in part
    ? [`${style.bold(name)} ${style.warn(`not recorded: ${oneLine(part.notRecorded)}`)}`]
    : [`${style.bold(name)} ${style.dim(at(part.at))}`, ...indented(shown(part.value))]

const titleOf = (style: Style, { role, at: position, sources }: SeenMessage): string =>
  `${style.bold(oneLine(role))} ${style.dim(`${at(position)}${sources.length === 0 ? "" : ` from ${sources.map(at).join(", ")}`}`)}`

const messageLines = (message: SeenMessage, isWhole: boolean): ReadonlyArray<string> =>
  textLines(MessageText.messageLines(message), isWhole)

const textLines = (text: string, isWhole: boolean): ReadonlyArray<string> => {
  const isLong = !isWhole && text.length > SHORT
  const shown = isLong ? text.slice(0, SHORT).toWellFormed() : text
  return [
    ...shown.split("\n").map(oneLine),
    ...(isLong ? [`… ${(text.length - SHORT).toLocaleString("en")} more characters; --whole shows them.`] : []),
  ]
}

const indented = (all: ReadonlyArray<string>): ReadonlyArray<string> => all.map((line) => `  ${line}`)

const SIGNS = { added: "+", removed: "−", changed: "≠", unchanged: "=", unknown: "?" } as const

/** The difference of two requests: parts that differ, with their words, and the number of those that do not. */
export const difference = (style: Style, { before, after, changes }: Compared): ReadonlyArray<string> => {
  const { added, removed, changed, unchanged, unknown } = RequestDifference.countsOf(changes)
  const cached = after.request.usage.cachedTokens
  return [
    `${style.bold(at(after.request.position))} ${titleOfTurn(after)}`,
    style.dim(`compared with ${moment(before.timeline, before.request.position)}, ${titleOfTurn(before)}`),
    `${added} added, ${removed} removed, ${changed} changed, ${unchanged} unchanged${unknown === 0 ? "" : `, ${unknown} not recorded in both`}${cached === undefined ? "" : `; ${cached.toLocaleString("en")} tokens came from the provider's cache`}.`,
    ...changes.filter(({ change }) => change !== "unchanged").flatMap((change) => changeLines(style, change)),
  ]
}

const changeLines = (
  style: Style,
  { part, name, change, before, after }: RequestDifference.PartChange,
): ReadonlyArray<string> => {
  const side = after ?? before
  const called = part === "message" || name === "" ? oneLine(name || part) : `${part} ${oneLine(name)}`
  const title = `${SIGNS[change]} ${style.bold(called)} ${style.dim(side === null ? "" : at(side.at))}`
  if (change !== "changed" || before === null || after === null)
    return [title, ...indented(textLines(side?.text ?? "", false))]
  return [title, ...indented(wordLines(style, before.text, after.text))]
}

/** Words around a change that are shown. */
const AROUND = 60

const wordLines = (style: Style, before: string, after: string): ReadonlyArray<string> => {
  const stretches = WordDifference.words(before, after)
  const shown = stretches.map(({ kind, text }, index) => {
    if (kind === "removed") return style.bad(`[−${oneLineEach(text)}−]`)
    if (kind === "added") return style.good(`{+${oneLineEach(text)}+}`)
    const isLong = text.length > 2 * AROUND
    if (!isLong) return oneLineEach(text)
    const head = index === 0 ? "" : text.slice(0, AROUND)
    const tail = index === stretches.length - 1 ? "" : text.slice(-AROUND)
    return `${oneLineEach(head)} … ${oneLineEach(tail)}`
  })
  return shown.join("").split("\n")
}

const oneLineEach = (text: string): string => text.toWellFormed().split("\n").map(oneLine).join("\n")
