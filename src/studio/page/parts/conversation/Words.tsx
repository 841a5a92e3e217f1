/** Text of the conversation, as Markdown or as it is. */
import { useState } from "preact/hooks"
import { settings } from "../../model/settings.ts"
import { count } from "../format.ts"
import { Markdown } from "./Markdown.tsx"

/** Characters that are shown at first, and up to which Markdown is read. */
const AT_FIRST = 100_000
const LONGEST = 400_000

interface WordsProps {
  readonly text: string
  /** A text that no model wrote stays as it is. */
  readonly isRaw?: boolean
}

export const Words = ({ text, isRaw = false }: WordsProps) => {
  const [all, showAll] = useState(false)
  if (text === "") return null
  const shown = all ? text : text.slice(0, AT_FIRST)
  const isMarkdown = !isRaw && !settings.raw.value && shown.length <= LONGEST
  return (
    <>
      {isMarkdown ? (
        <Markdown text={shown} />
      ) : (
        <p class="words">
          <bdi>{shown}</bdi>
        </p>
      )}
      {shown.length < text.length ? (
        <button type="button" class="more" onClick={() => showAll(true)}>
          … {count(text.length - shown.length, "more character")}
        </button>
      ) : null}
    </>
  )
}
