/** The words that differ between two values, as one text or as one of its sides. */
import type { RowDifferences } from "../../../wire/Asking.ts"

type Place = RowDifferences[number]["shown"][number]

/** All parts of a place, or those of one side. Marked words have shapes of their own, not only colours. */
export const Words = ({ parts, side }: { readonly parts: Place["parts"]; readonly side?: "-" | "+" }) => (
  <bdi class="words">
    {parts.map(({ mark, text }, index) => {
      if (mark === " ") return text
      if (side !== undefined && mark !== side) return null
      return mark === "-" ? <del key={index}>{text}</del> : <ins key={index}>{text}</ins>
    })}
  </bdi>
)

/** The path of a place, as people read it. */
export const pathText = ({ path }: Place): string => (path === "" ? "all of it" : path.slice(1).replaceAll("/", " › "))
