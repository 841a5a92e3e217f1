/** Decides whether an ended answer of a provider is a turn or a failure. */

import * as ProviderUsage from "../../../kernel/pricing/ProviderUsage.ts"
import { defined } from "../../../values/defined.ts"
import type { Failure } from "../Failure.ts"
import type { AnswerPart } from "../Message.ts"
import type { Turn } from "../Model.ts"
import type { Answer } from "./Answer.ts"

type WholeAnswer = Pick<Answer, "parts" | "usage" | "cost" | "refusal" | "hasBegun"> & {
  readonly finish: () => Pick<NonNullable<ReturnType<Answer["finish"]>>, "unified" | "raw"> | undefined
}

export const outcome = (answer: WholeAnswer, limit: number | undefined): Turn | Failure => {
  const parts = answer.parts()
  const hasText = parts.some((part) => part.type === "text" && part.text.trim() !== "")
  const hasCalls = parts.some(({ type }) => type === "call")
  const hasFiles = parts.some(({ type }) => type === "file")
  const cost = answer.cost()
  const turn = { parts, usage: answer.usage() ?? ProviderUsage.UNKNOWN, ...defined({ cost }) }
  if (answer.refusal() !== "") return { kind: "refused", reason: `The model refused: ${answer.refusal()}` }
  const finish = answer.finish()
  switch (finish?.unified) {
    case "content-filter":
      return { kind: "refused", reason: `The provider or the model refused to answer${said(parts)}` }
    case "length": {
      const before = `The limit of ${limit === undefined ? "tokens" : `${limit} tokens`} was reached before any text came`
      if (!hasText) return { kind: "invalid-request", reason: before }
      return { ...turn, parts: parts.filter(({ type }) => type !== "call"), finish: "length" }
    }
    case "stop":
    case "tool-calls":
      if (!hasText && !hasCalls && !hasFiles)
        return { kind: "empty", reason: "The answer has neither text nor a tool call" }
      return { ...turn, finish: hasCalls ? "calls" : "stop" }
    case undefined:
    case "other":
    case "error":
      return answer.hasBegun()
        ? { kind: "cut-off", reason: `The answer ended without saying that it is whole${named(finish?.raw)}` }
        : { kind: "unreadable", reason: "What the server sent is no stream of an answer" }
  }
}

const named = (raw: string | undefined): string => (raw === undefined ? "" : ` (the provider names the reason ${raw})`)

const said = (parts: ReadonlyArray<AnswerPart>): string => {
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" ")
  return text === "" ? "" : `: ${text}`
}
