/** How files differ between two positions, as unified diffs. */
import { useState } from "preact/hooks"
import { oneLine } from "../../../../values/PlainText.ts"
import type { FileDifference, FilesSpan, FileChanges as Found } from "../../../wire/Files.ts"
import { count } from "../format.ts"
import { At } from "../Link.tsx"
import { Problem } from "../Problem.tsx"
import { useAnswer } from "../useAnswer.ts"
import type { FilesPlace } from "./FileTree.tsx"
import { withSpaces } from "./withSpaces.ts"

interface Props {
  readonly place: FilesPlace
  readonly span: FilesSpan
  readonly onOpen: (path: string) => void
}

export const FileChanges = ({ place, span, onOpen }: Props) => {
  const { answer, problem } = useAnswer("file-changes", { ...place, span })
  const [before, keep] = useState<Found | null>(null)
  if (answer !== null && answer !== before) keep(answer)
  const shown = answer ?? before
  if (problem !== "") return <Problem text={problem} />
  if (shown === null) return <p class="empty"> </p>
  const left = shown.total - shown.files.length
  if (shown.files.length === 0)
    return (
      <p class="empty">
        {EMPTY[span]} (<At position={shown.from} /> to <At position={shown.to} />)
      </p>
    )
  return (
    <div class="whole">
      <p class="note">
        {count(shown.total, "file")} from <At position={shown.from} /> to <At position={shown.to} />
      </p>
      {shown.files.map((file) => (
        <Difference key={file.path} file={file} onOpen={onOpen} />
      ))}
      {left > 0 ? <p class="note">{count(left, "file")} more are not shown.</p> : null}
    </div>
  )
}

const EMPTY = {
  step: "No file has changed up to here.",
  turn: "No file changed in this turn, up to here.",
  task: "No file has changed up to here.",
} as const

/** Lines of a difference that are drawn at once. */
const MOST = 400

const Difference = ({ file, onOpen }: { readonly file: FileDifference; readonly onOpen: (path: string) => void }) => {
  const [most, show] = useState(MOST)
  const lines = "reason" in file ? [] : (file.hunks ?? []).flatMap(({ header, lines }) => [header, ...lines])
  const left = lines.length - most
  return (
    <section class="difference">
      <h3>
        {file.kind === "removed" ? (
          <bdi>{oneLine(file.path)}</bdi>
        ) : (
          <button type="button" class="quiet" title="Show the file" onClick={() => onOpen(file.path)}>
            <bdi>{oneLine(file.path)}</bdi>
          </button>
        )}{" "}
        <small>
          {file.kind}
          {file.from === undefined ? "" : ` from ${oneLine(file.from)}`}
        </small>
        {"reason" in file ? null : (
          <small>
            {" "}
            <span class="reward">+{file.added}</span> <span class="punishment">−{file.removed}</span>
            {file.aligned ? "" : ", too different to align"}
          </small>
        )}
      </h3>
      {"reason" in file ? (
        <p class="note">{file.reason}</p>
      ) : lines.length === 0 ? null : (
        <pre class="patch">
          {lines.slice(0, most).map((line, index) => (
            <span key={index} class={CLASSES[line[0] ?? " "]}>
              {`${withSpaces(line)}\n`}
            </span>
          ))}
        </pre>
      )}
      {left > 0 ? (
        <button type="button" onClick={() => show(most + 10 * MOST)}>
          {count(left, "line")} more
        </button>
      ) : null}
    </section>
  )
}

const CLASSES: { readonly [mark: string]: string } = { "+": "added", "-": "removed", "@": "place", " ": "same" }
