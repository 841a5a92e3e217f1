/** Where a front end is in what a channel tells, so that it goes on without gaps or repeats. */

import { Either } from "effect"
import { InvalidOptions } from "../../values/Options.ts"

/**
 * A place: what was told up to and including the log's `position`; of that position only the first `told` happenings,
 * if it is not all of them. `answer` is how many pieces were told of the answer that is under way.
 */
export interface Cursor {
  readonly position: number
  readonly told?: number
  readonly answer?: { readonly position: number; readonly pieces: number }
}

/** `412`, `412.2`, `412-409.57`: after @412; after two happenings of it; and after 57 pieces of the answer to @409. */
export const format = ({ position, told, answer }: Cursor): string =>
  `${position}${told === undefined ? "" : `.${told}`}${answer === undefined ? "" : `-${answer.position}.${answer.pieces}`}`

const PATTERN = /^(\d{1,15})(?:\.(\d{1,9}))?(?:-(\d{1,15})\.(\d{1,9}))?$/

/** Reads a cursor, or a position. */
export const parse = (of: string, text: string | number): Either.Either<Cursor, InvalidOptions> => {
  const found = PATTERN.exec(String(text))
  if (found === null) {
    const expected = "a position, or the cursor of an event of a channel"
    const problem = { path: "after", expected, found: JSON.stringify(text).slice(0, MAX_SHOWN) }
    return Either.left(new InvalidOptions({ of, problems: [problem] }))
  }
  const [, position, told, request, pieces] = found
  return Either.right({
    position: Number(position),
    ...(told === undefined ? {} : { told: Number(told) }),
    ...(request === undefined ? {} : { answer: { position: Number(request), pieces: Number(pieces) } }),
  })
}

/** Most characters of a wrong cursor in a message. */
const MAX_SHOWN = 60
