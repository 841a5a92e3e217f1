/**
 * People's annotations of a moment or a task, and, if the server allows it, fields to say more. Can be placed anywhere:
 * it reads and changes only `studio.annotated`.
 */
import { useState } from "preact/hooks"
import { addressOf } from "../../../values/StepAddress.ts"
import type { AnnotationRow } from "../../wire/Annotations.ts"
import { useStudio } from "./context.ts"
import { time } from "./format.ts"
import { useDraft } from "./useDraft.ts"

interface About {
  readonly timeline: string
  readonly task: string | null
  /** The event's position; null for the whole task. */
  readonly moment: number | null
}

export const Annotations = ({ about }: { readonly about: About }) => {
  const studio = useStudio()
  const { task, moment } = about
  const own =
    moment === null
      ? (studio.annotated.rows.value ?? []).filter(
          (row) => row.moment === null && row.task === task && row.kind !== "tag",
        )
      : (studio.annotated.byPosition.value.get(moment) ?? [])
  const canAnnotate = studio.log.value.allows.annotate
  if (own.length === 0 && !canAnnotate) return null
  const name = moment === null ? "Notes on the task" : `Notes on ${addressOf(moment)}`
  return (
    <section class="annotations" aria-label={name}>
      <ul>
        {own.map((row) => (
          <Row key={row.at} row={row} canAnnotate={canAnnotate} />
        ))}
      </ul>
      {canAnnotate ? <Fields about={about} own={own} name={name} /> : null}
    </section>
  )
}

/** The sign of each kind of annotation. */
export const SIGNS: { readonly [kind in AnnotationRow["kind"]]: string } = {
  note: "✎",
  star: "★",
  tag: "#",
  label: "⚖",
}

const Row = ({ row, canAnnotate }: { readonly row: AnnotationRow; readonly canAnnotate: boolean }) => {
  const studio = useStudio()
  const remove = () =>
    studio.annotated.order({ what: "remove", annotation: row.at }).catch((cause: unknown) => studio.fail(cause))
  return (
    <li>
      <span class="sign" title={row.kind}>
        {SIGNS[row.kind]}
      </span>{" "}
      {row.text === "" ? null : (
        <>
          <bdi class="said">{row.text}</bdi>{" "}
        </>
      )}
      <small title={time(row.recordedAt)}>
        by <bdi>{row.by}</bdi>
      </small>
      {canAnnotate ? (
        <button
          type="button"
          class="quiet"
          aria-label={`Remove the ${row.kind} of @${row.at}`}
          title="Remove: the log keeps its event"
          onClick={() => void remove()}
        >
          ✕
        </button>
      ) : null}
    </li>
  )
}

const LONGEST_NOTE = 10_000

const Fields = ({
  about,
  own,
  name,
}: {
  readonly about: About
  readonly own: ReadonlyArray<AnnotationRow>
  readonly name: string
}) => {
  const studio = useStudio()
  const [isSending, setSending] = useState(false)
  const draft = useDraft(`note ${about.timeline}/${about.task}@${about.moment}`, "")
  const order = async (given: Parameters<typeof studio.annotated.order>[0]): Promise<void> => {
    if (isSending) return
    setSending(true)
    try {
      await studio.annotated.order(given)
      if (given.what === "note") draft.kept(given.text)
    } catch (cause) {
      studio.fail(cause)
    }
    setSending(false)
  }
  const judge = (value: boolean) => void order({ what: "label", measure: "pass", value, ...about })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (draft.text.trim() !== "") void order({ what: "note", text: draft.text, ...about })
      }}
    >
      <textarea
        aria-label={name}
        placeholder="A note"
        rows={2}
        maxLength={LONGEST_NOTE}
        value={draft.text}
        onInput={({ currentTarget }) => draft.type(currentTarget.value)}
      />
      <p class="verbs">
        <button type="submit" disabled={isSending || draft.text.trim() === ""}>
          Note
        </button>
        {own.some(({ kind }) => kind === "star") ? null : (
          <button type="button" disabled={isSending} onClick={() => void order({ what: "star", ...about })}>
            ★ Star
          </button>
        )}
        <button type="button" disabled={isSending} title="Your judgement, as a label" onClick={() => judge(true)}>
          Pass
        </button>
        <button type="button" disabled={isSending} title="Your judgement, as a label" onClick={() => judge(false)}>
          Fail
        </button>
      </p>
    </form>
  )
}
