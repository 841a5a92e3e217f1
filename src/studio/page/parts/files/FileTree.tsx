/** The tree of a workspace's files: those that changed, with marks, then all by directories. */
import { useState } from "preact/hooks"
import { oneLine } from "../../../../values/PlainText.ts"
import type { FileRow, FilesThen } from "../../../wire/Files.ts"
import { count } from "../format.ts"
import { At } from "../Link.tsx"
import { Problem } from "../Problem.tsx"
import { useAnswer } from "../useAnswer.ts"
import { type Directory, directoryOf } from "./directories.ts"

export interface FilesPlace {
  readonly timeline: string
  readonly task: string
  readonly position: number
  readonly [name: string]: string | number
}

interface Props {
  readonly place: FilesPlace
  /** The path of the open file, or empty. */
  readonly open: string
  readonly onOpen: (path: string) => void
}

export const FileTree = ({ place, open, onOpen }: Props) => {
  const { answer, problem } = useAnswer("files", place)
  const [before, keep] = useState<FilesThen | null>(null)
  // The tree stays while the playhead moves.
  if (answer !== null && answer !== before) keep(answer)
  const shown = answer ?? before
  if (problem !== "") return <Problem text={problem} />
  if (shown === null) return <p class="empty"> </p>
  const changed = shown.files.filter(({ change }) => change !== undefined)
  const others = shown.files.filter(({ change }) => change !== "removed")
  const left = shown.total - shown.files.length
  return (
    <div class="files">
      <h2 title={shown.root}>
        <bdi>{oneLine(shown.root)}</bdi>
      </h2>
      {shown.stopped === undefined ? null : (
        <p class="bad">
          No snapshot was taken since <At position={shown.stopped.at} />, and later changes are unknown:{" "}
          <bdi>{oneLine(shown.stopped.reason)}</bdi>
        </p>
      )}
      {answer === null || answer.at <= place.position ? null : (
        <p class="note">
          As the first snapshot found them, at <At position={answer.at} />
        </p>
      )}
      <h3>
        {changed.length === 0 ? "No file has changed" : `${count(shown.changed, "file")} changed`}
        {changed.length === 0 ? null : (
          <>
            , last at <At position={shown.changedAt} />
          </>
        )}
      </h3>
      <ul>
        {changed.map((file) => (
          <li key={file.path}>
            <FileButton file={file} name={file.path} isOpen={file.path === open} onOpen={onOpen} />
          </li>
        ))}
      </ul>
      <h3>All files</h3>
      <Entries directory={directoryOf(others)} open={open} onOpen={onOpen} />
      {left > 0 ? <p class="note">{count(left, "file")} more are not listed.</p> : null}
    </div>
  )
}

const Entries = ({ directory, open, onOpen }: Omit<Props, "place"> & { readonly directory: Directory }) => (
  <ul>
    {directory.directories.map((below) => (
      <li key={`${below.path}/`}>
        <Below directory={below} open={open} onOpen={onOpen} />
      </li>
    ))}
    {directory.files.map((file) => (
      <li key={file.path}>
        <FileButton file={file} name={file.path.split("/").at(-1) ?? ""} isOpen={file.path === open} onOpen={onOpen} />
      </li>
    ))}
  </ul>
)

/** A directory whose entries exist only while it is open: there may be thousands. */
const Below = ({ directory, open, onOpen }: Omit<Props, "place"> & { readonly directory: Directory }) => {
  const [isOpen, setOpen] = useState(open.startsWith(`${directory.path}/`))
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <bdi>{oneLine(directory.name)}</bdi>/{directory.changed === 0 ? null : <small> {directory.changed}</small>}
      </summary>
      {isOpen ? <Entries directory={directory} open={open} onOpen={onOpen} /> : null}
    </details>
  )
}

/** The letters are Git's. */
const MARKS = { added: "A", changed: "M", mode: "T", removed: "D", renamed: "R" } as const

const SAYS = {
  added: "added by the task, or while it ran",
  changed: "changed since the task began",
  mode: "its permissions changed",
  removed: "removed",
  renamed: "renamed",
} as const

interface FileButtonProps {
  readonly file: FileRow
  readonly name: string
  readonly isOpen: boolean
  readonly onOpen: (path: string) => void
}

const FileButton = ({ file: { path, change, from, now, omitted }, name, isOpen, onOpen }: FileButtonProps) => {
  const said = [
    path,
    change === undefined ? "as the task found it" : SAYS[change],
    ...(from === undefined ? [] : [`from ${from}`]),
    ...(now === undefined ? [] : ["in the last change"]),
    ...(omitted === undefined ? [] : [`not recorded: ${omitted}`]),
  ]
  return (
    <button
      type="button"
      class={["file", change ?? "same", now && "now", omitted && "unread"].filter(Boolean).join(" ")}
      aria-current={isOpen ? "true" : undefined}
      title={said.map(oneLine).join("; ")}
      disabled={change === "removed"}
      onClick={() => onOpen(path)}
    >
      <span class="mark">{change === undefined ? "" : MARKS[change]}</span>
      <bdi>{oneLine(name)}</bdi>
    </button>
  )
}
