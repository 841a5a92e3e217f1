/** What changed in a request since the previous one of its conversation. */
import { compare, countsOf, type PartChange } from "../../../../projections/request/RequestDifference.ts"
import type { SeenTurn } from "../../../../projections/request/SeenTurn.ts"
import { words } from "../../../../projections/request/WordDifference.ts"
import { useStudio } from "../context.ts"
import { At } from "../Link.tsx"
import { Problem } from "../Problem.tsx"
import { useAnswer } from "../useAnswer.ts"
import { TextOf } from "./RequestParts.tsx"

export const ChangedParts = ({ saw: { request, timeline } }: { readonly saw: SeenTurn }) => {
  const task = useStudio().visit?.task
  const { previous } = request
  const { answer, problem } = useAnswer("saw", previous === null ? null : { timeline, task, position: previous })
  if (previous === null) return <p class="empty">This is the first request of its conversation.</p>
  if (problem !== "") return <Problem text={problem} />
  const before = answer?.saw
  if (before == null) return <p class="empty"> </p>
  const changes = compare(before.request, request)
  const { added, removed, changed, unchanged, unknown } = countsOf(changes)
  const cached = request.usage.cachedTokens
  return (
    <>
      <p>
        Since <At position={previous} />: {added} added, {removed} removed, {changed} changed, {unchanged} unchanged
        {unknown === 0 ? "" : `, ${unknown} not recorded in both`}.
        {cached === undefined ? "" : ` ${cached.toLocaleString("en")} tokens came from the provider's cache.`}
      </p>
      {changes
        .filter(({ change }) => change !== "unchanged")
        .map((change, index) => (
          <ChangeOf key={index} change={change} />
        ))}
    </>
  )
}

const SIGNS = { added: "+", removed: "−", changed: "≠", unchanged: "=", unknown: "?" } as const

const ChangeOf = ({ change: { part, name, change, before, after } }: { readonly change: PartChange }) => {
  const side = after ?? before
  return (
    <section class="seen">
      <h3>
        {SIGNS[change]} {part === "message" || name === "" ? "" : `${part} `}
        <bdi>{name || part}</bdi> {side === null ? null : <At position={side.at} />} <small>{change}</small>
      </h3>
      {change === "changed" && before !== null && after !== null ? (
        <WordsOf before={before.text} after={after.text} />
      ) : (
        <TextOf text={side?.text ?? ""} />
      )}
    </section>
  )
}

/** Characters around a change that are shown. */
const AROUND = 120

const WordsOf = ({ before, after }: { readonly before: string; readonly after: string }) => (
  <p class="words">
    {words(before, after).map(({ kind, text }, index) => {
      if (kind === "removed") return <del key={index}>{text}</del>
      if (kind === "added") return <ins key={index}>{text}</ins>
      const isLong = text.length > 2 * AROUND
      return <span key={index}>{isLong ? `${text.slice(0, AROUND)} … ${text.slice(-AROUND)}` : text}</span>
    })}
  </p>
)
