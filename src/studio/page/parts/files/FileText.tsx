/** A file at the position, with the call that wrote each line in the margin. */
import { useEffect, useState } from "preact/hooks"
import { oneLine } from "../../../../values/PlainText.ts"
import type { FileLine, FileThen, FileVersion } from "../../../wire/Files.ts"
import { MAX_LINES } from "../../../wire/Files.ts"
import { count, nameOf } from "../format.ts"
import { At } from "../Link.tsx"
import { Problem } from "../Problem.tsx"
import { useAnswer } from "../useAnswer.ts"
import type { FilesPlace } from "./FileTree.tsx"
import { withSpaces } from "./withSpaces.ts"

interface Props {
  readonly place: FilesPlace
  readonly path: string
}

export const FileText = ({ place, path }: Props) => {
  const [from, setFrom] = useState(1)
  const { answer, problem } = useAnswer("file", { ...place, path, from })
  const [before, keep] = useState<FileThen | null>(null)
  if (answer !== null && answer !== before) keep(answer)
  const shown = answer ?? before
  const [pointed, point] = useState<number | undefined>()
  useEffect(() => point(undefined), [shown])
  if (problem !== "") return <Problem text={problem} />
  if (shown === null) return <p class="empty"> </p>
  if (shown.reason !== undefined) return <p class="empty">{shown.reason}</p>
  if (shown.total === 0) return <p class="empty">The file is empty.</p>
  const last = shown.lines.at(-1)?.line ?? 0
  return (
    <>
      <div class="whole">
        <table class="lines">
          <tbody>
            {shown.lines.map((line, index) => (
              <LineOf
                key={line.line}
                line={line}
                before={shown.lines[index - 1]}
                version={line.version === undefined ? undefined : shown.versions[line.version]}
                isPointed={pointed !== undefined && line.version === pointed}
                onPoint={() => point(line.version)}
              />
            ))}
          </tbody>
        </table>
        {shown.total <= MAX_LINES ? null : (
          <p class="pages">
            lines {from} to {last} of {shown.total}{" "}
            <button type="button" disabled={from === 1} onClick={() => setFrom(Math.max(1, from - MAX_LINES))}>
              earlier
            </button>{" "}
            <button type="button" disabled={last >= shown.total} onClick={() => setFrom(last + 1)}>
              later
            </button>
          </p>
        )}
      </div>
      <OriginOf version={pointed === undefined ? undefined : shown.versions[pointed]} />
    </>
  )
}

interface LineProps {
  readonly line: FileLine
  readonly before: FileLine | undefined
  readonly version: FileVersion | undefined
  readonly isPointed: boolean
  readonly onPoint: () => void
}

const LineOf = ({ line, before, version, isPointed, onPoint }: LineProps) => {
  const isFirst = before === undefined || before.version !== line.version || before.kind !== line.kind
  return (
    <tr class={isPointed ? "pointed" : undefined} onMouseEnter={onPoint}>
      <td class={isFirst ? "origin first" : "origin"} onFocusCapture={onPoint}>
        {isFirst ? <MarginOf line={line} version={version} /> : null}
      </td>
      <td class="n">{line.line}</td>
      <td class="code">
        <code>
          <bdi>{withSpaces(line.text)}</bdi>
        </code>
        {line.cut === undefined ? null : <small> … {count(line.cut, "character")} more</small>}
      </td>
    </tr>
  )
}

/** Before the first of the lines that came together. */
const MarginOf = ({ line: { kind }, version }: Pick<LineProps, "line" | "version">) => {
  if (version === undefined) return <small title={KINDS[kind]}>{kind === "not-seen" ? "not seen" : "unknown"}</small>
  const name = actorOf(version)
  return version.cause === "start" ? (
    <small title={CAUSES.start}>{kind === "seen" ? name : `${name}?`}</small>
  ) : (
    <small>
      <At position={version.position} title={[KINDS[kind], originText(version)].filter(Boolean).join(". ")} />{" "}
      <bdi>{kind === "seen" ? name : `${name}?`}</bdi>
    </small>
  )
}

const KINDS = {
  seen: "",
  "not-seen": "No recorded version has this line",
  unknown: "The content of this version is unknown: the line came with it, or later",
  "too-different": "The line came with this version or is older: the contents differ too much",
} as const

const CAUSES: { readonly [cause: string]: string } = {
  start: "as the task found it",
  call: "by this call",
  calls: "by one or several of these calls, which overlapped",
  "no-call": "by somebody or something else: no recorded call was in progress",
  "not-watched": "nobody saw when it happened",
  restored: "Hindcast restored the files of an earlier moment",
}

/** Who wrote a version, in a word or two. */
const actorOf = ({ cause, calls }: FileVersion): string => {
  const [first, ...more] = calls
  if (first !== undefined)
    return `${nameOf(first.actuator).split("/").at(-1)}${more.length === 0 ? "" : ` or ${more.length} more`}`
  if (cause === "start") return "at the start"
  return cause === "no-call" ? "no call" : cause === "restored" ? "restored" : "unknown"
}

const originText = (version: FileVersion): string =>
  [
    CAUSES[version.cause] ?? version.cause,
    ...version.calls.flatMap(({ actuator, args, rule, approval, prompt }) => [
      `${actuator} ${args}`,
      ...(rule === undefined ? [] : [`allowed by ${rule}`]),
      ...(approval === undefined ? [] : [`${approval.approved ? "approved" : "refused"} by ${approval.by}`]),
      ...(prompt === undefined ? [] : [`asked for: ${prompt.text}`]),
    ]),
    ...(version.stale.length === 0 ? [] : ["the file had changed after the agent read it"]),
  ]
    .map(oneLine)
    .join("; ")

/** The version under the pointer or the focus: its call, approval and prompt. */
const OriginOf = ({ version }: { readonly version: FileVersion | undefined }) => (
  <div class="origin-of" aria-live="polite">
    {version === undefined ? (
      <p class="note">
        Point at a line, or move the focus to its origin, to see the call, the approval and the prompt.
      </p>
    ) : (
      <>
        <p>
          <At position={version.position} /> {CAUSES[version.cause] ?? <bdi>{oneLine(version.cause)}</bdi>}
          {version.stale.length === 0 ? null : (
            <strong class="bad">
              {" "}
              The file had changed at <At position={version.stale[0] ?? 0} />, after the agent read it.
            </strong>
          )}
        </p>
        {version.calls.map((call) => (
          <dl key={call.position}>
            <dt>call</dt>
            <dd>
              <At position={call.position} /> <bdi>{oneLine(call.actuator)}</bdi> <code>{oneLine(call.args)}</code>
            </dd>
            {call.rule === undefined ? null : (
              <>
                <dt>rule</dt>
                <dd>
                  <bdi>{oneLine(call.rule)}</bdi>
                </dd>
              </>
            )}
            {call.approval === undefined ? null : (
              <>
                <dt>approval</dt>
                <dd>
                  <At position={call.approval.position} /> {call.approval.approved ? "approved" : "refused"} by{" "}
                  <bdi>{oneLine(call.approval.by)}</bdi>
                </dd>
              </>
            )}
            {call.prompt === undefined ? null : (
              <>
                <dt>prompt</dt>
                <dd>
                  <At position={call.prompt.position} /> <bdi>{oneLine(call.prompt.text)}</bdi>
                </dd>
              </>
            )}
          </dl>
        ))}
      </>
    )}
  </div>
)
