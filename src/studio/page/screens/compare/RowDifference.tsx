/** The differences in the row of the playhead: each path with its words. */
import type { RowDifferences } from "../../../wire/Asking.ts"
import { Problem } from "../../parts/Problem.tsx"
import type { Row } from "./useDifferences.ts"
import { pathText, Words } from "./Words.tsx"

interface Props {
  readonly row: Row | undefined
  readonly labels: readonly [a: string, b: string]
  readonly found: RowDifferences[number] | undefined
  readonly problem: string
}

export const RowDifference = ({ row, labels, found, problem }: Props) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by the keyboard.
  <section class="row-difference" aria-label="What differs in this row" tabIndex={0}>
    <Problem text={problem} />
    {row === undefined ? null : row[0] === "~" ? (
      <Places found={found} />
    ) : (
      <p class="empty">
        {row[0] === "=" ? "Both are the same here." : `Only ${labels[row[0] === "a" ? 0 : 1]} has this event.`}
      </p>
    )}
  </section>
)

const Places = ({ found }: { readonly found: RowDifferences[number] | undefined }) => {
  if (found === undefined) return <p class="empty"> </p>
  if (found.shown.length === 0) return <p class="empty">They differ only in times, ids, or what they followed from.</p>
  return (
    <>
      <dl>
        {found.shown.map((place) => (
          <div key={`${place.kind} ${place.path}`}>
            <dt>
              <bdi>{pathText(place)}</bdi>
              {place.kind === "added" ? " (only in B)" : place.kind === "removed" ? " (only in A)" : ""}
            </dt>
            <dd>
              <Words parts={place.parts} />
            </dd>
          </div>
        ))}
      </dl>
      {found.more > 0 ? <p class="note">… {found.more} more places differ</p> : null}
    </>
  )
}
