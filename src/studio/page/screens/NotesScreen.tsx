/** The notes, stars, tags and labels of the log, with a search. The dialog of copies has the command for them. */
import { useEffect, useState } from "preact/hooks"
import { addressOf } from "../../../values/StepAddress.ts"
import type { AnnotationRow } from "../../wire/Annotations.ts"
import { visit } from "../model/Address.ts"
import { SIGNS } from "../parts/Annotations.tsx"
import { useStudio } from "../parts/context.ts"
import { count, time } from "../parts/format.ts"
import { Link } from "../parts/Link.tsx"

const KINDS = ["note", "star", "tag", "label"] as const

/** Maximum number of rows that are drawn. */
const MAX_DRAWN = 500

export const NotesScreen = ({ text }: { readonly text: string }) => {
  const studio = useStudio()
  const [kind, choose] = useState<AnnotationRow["kind"] | "">("")
  const timeline = "main"
  useEffect(() => {
    studio.annotated.look(timeline).catch((cause: unknown) => studio.fail(cause))
  }, [studio.epoch.value])
  const all = studio.annotated.rows.value ?? []
  const words = text.trim().toLowerCase()
  const found = all.filter(
    (row) =>
      (kind === "" || row.kind === kind) && `${row.text}\n${row.by}\n${row.task ?? ""}`.toLowerCase().includes(words),
  )
  const shown = found.slice(-MAX_DRAWN).reverse()
  const total = studio.annotated.total.value
  return (
    <main class="notes">
      <div class="sentence">
        <h1>{count(found.length, "annotation")}</h1>
        <form class="filters" onSubmit={(event) => event.preventDefault()}>
          <input
            type="search"
            aria-label="Search in annotations"
            placeholder="text, person or task"
            value={text}
            onInput={({ currentTarget }) => studio.go({ screen: "notes", text: currentTarget.value }, true)}
          />
          <select
            aria-label="Kind"
            value={kind}
            onChange={({ currentTarget: { value } }) => choose(KINDS.find((one) => one === value) ?? "")}
          >
            <option value="">all kinds</option>
            {KINDS.map((one) => (
              <option key={one} value={one}>
                {one}s
              </option>
            ))}
          </select>
        </form>
        {shown.length < found.length || all.length < total ? (
          <p class="note">
            These are the newest {shown.length}; the log has {total}.
          </p>
        ) : null}
      </div>
      {found.length === 0 ? (
        <p class="empty">
          Nobody has noted, starred, tagged or labelled this. `hindcast note`, or Studio with --annotate, does.
        </p>
      ) : (
        <table>
          <thead>
            <tr>
              <th>about</th>
              <th>what</th>
              <th>by</th>
              <th>recorded</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={row.at}>
                <td>
                  <Link to={visit({ timeline, task: row.task }, row.moment)}>
                    {row.moment === null ? null : `${addressOf(row.moment)} `}
                    <bdi>{row.task ?? ""}</bdi>
                  </Link>
                </td>
                <td>
                  <span class="sign" title={row.kind}>
                    {SIGNS[row.kind]}
                  </span>{" "}
                  <bdi class="said">{row.text}</bdi>
                </td>
                <td>
                  <bdi>{row.by}</bdi>
                </td>
                <td>{time(row.recordedAt)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </main>
  )
}
