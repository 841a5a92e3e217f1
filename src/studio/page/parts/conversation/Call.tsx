/** A call as one row: tool, arguments, state and duration; the rest unfolds. */
import { useMemo } from "preact/hooks"
import { editsIn } from "../../../../projections/conversation/Edits.ts"
import type { Call as Called, Changed } from "../../../../projections/conversation/Item.ts"
import type { Json } from "../../../../values/Json.ts"
import { asObject } from "../../../../values/JsonObjects.ts"
import { oneLine } from "../../../../values/PlainText.ts"
import { duration, inline } from "../format.ts"
import { At } from "../Link.tsx"
import { Value } from "../Value.tsx"
import { Edit, tally } from "./Edit.tsx"
import { Folded } from "./Folded.tsx"
import { Started } from "./Relatives.tsx"
import { Result } from "./Result.tsx"
import { Verdicts } from "./Verdicts.tsx"

export const Call = ({ call, isCut }: { readonly call: Called; readonly isCut: boolean }) => {
  const { end, args } = call
  const edits = useMemo(() => editsIn(args), [args])
  const lines = useMemo(() => tally(edits), [edits])
  return (
    <>
      <Folded
        class={`call is-${call.state}`}
        position={call.position}
        summary={
          <>
            <span class="mark-of" aria-hidden="true">
              {MARKS[call.state]}
            </span>
            <span class="tool">
              {call.agentId === null ? null : (
                <small>
                  <bdi>{call.agentId}</bdi>{" "}
                </small>
              )}
              <bdi>{call.tool}</bdi>
            </span>
            <code>{inline(args, 100)}</code>
            {lines === null ? null : (
              <small class="lines">
                <del>−{lines.removed}</del> <ins>+{lines.added}</ins>
              </small>
            )}
            <span class="state">{stateOf(call, isCut)}</span>
            {end?.latencyMs == null ? null : <small>{duration(end.latencyMs)}</small>}
            <Verdicts of={call} />
          </>
        }
      >
        {edits.length === 0 ? (
          <>
            <p class="part-name">arguments</p>
            <Value value={args} />
          </>
        ) : (
          edits.map((edit, index) => <Edit key={index} edit={edit} />)
        )}
        {end === null ? null : (
          <>
            <p class="part-name">
              {end.status === "succeeded" ? "result" : end.status} <At position={end.position} />
            </p>
            {end.unrecorded === undefined ? (
              <Result value={end.result} />
            ) : (
              <bdi>It completed, but its result was not recorded: {end.unrecorded}</bdi>
            )}
            {end.settledBy === undefined ? null : <bdi> (reported by {end.settledBy} after a crash)</bdi>}
          </>
        )}
        <Changes changes={call.changes} />
      </Folded>
      <Started events={call.events} />
      {end === null || end.status === "succeeded" ? null : (
        <p class="reason bad">
          <bdi>{reasonOf(end.result)}</bdi>
        </p>
      )}
    </>
  )
}

/** Why a call did not succeed, on one line. */
const reasonOf = (result: Json): string => {
  const { code, message } = asObject(result)
  const said = [code, message].filter((part) => typeof part === "string").join(": ")
  return oneLine((typeof result === "string" ? result : said || JSON.stringify(result)).slice(0, LONGEST_REASON))
}

const LONGEST_REASON = 300

const MARKS: { readonly [state in Called["state"]]: string } = {
  waiting: "?",
  running: "…",
  succeeded: "✓",
  failed: "✕",
  denied: "⊘",
  unknown: "?",
}

/** The state in words, with the person or the rule behind it. */
const stateOf = ({ state, end, approval, rule, isObserved }: Called, isCut: boolean): string => {
  const by = approval?.by == null ? "" : ` by ${approval.by}`
  if (end === null && isCut) return "its end comes later in the task"
  switch (state) {
    case "waiting":
      return approval?.rule == null ? "waiting for a person" : `waiting for a person (rule "${approval.rule}")`
    case "running":
      return approval?.state === "approved" ? `approved${by}, running` : "running"
    case "succeeded":
      if (end?.unrecorded !== undefined) return "succeeded, without its result"
      return approval?.state === "approved" ? `approved${by}` : ""
    case "failed":
      return "failed"
    case "unknown":
      return "outcome unknown"
    case "denied":
      if (approval !== null && approval.state !== "approved") return `${approval.state}${by}`
      return rule === null || isObserved ? "denied" : `denied by rule "${rule}"`
  }
}

const Changes = ({ changes }: { readonly changes: ReadonlyArray<Changed> }) =>
  changes.length === 0 ? null : (
    <>
      <p class="part-name">changed</p>
      <ul class="changed">
        {changes.map(({ position, plugin, files }) => (
          <li key={position}>
            <At position={position} /> {files.length === 0 ? <bdi>{plugin ?? "the world"}</bdi> : null}
            {files.map(({ path, kind, added, removed }) => (
              <span key={path}>
                <code>{path}</code> <small>{kind}</small> {removed === null ? null : <del>−{removed}</del>}{" "}
                {added === null ? null : <ins>+{added}</ins>}{" "}
              </span>
            ))}
          </li>
        ))}
      </ul>
    </>
  )
