/** A front end's place in a channel's stream, to resume without gaps or repeats. */

import { Either } from "effect"
import { InvalidOptions } from "../../values/Options.ts"

/**
 * Everything up to and including the log's `position` was sent; of that position, only the first `told` events if it
 * had more. `answer` counts the sent pieces of the answer in progress.
 */
export interface Cursor {
  readonly position: number
  readonly told?: number
  readonly answer?: { readonly position: number; readonly pieces: number }
}

/** `412`: after @412. `412.2`: after two events of it. `412-409.57`: after 57 pieces of the answer to @409. */
export const format = ({ position, told, answer }: Cursor): string =>
  `${position}${told === undefined ? "" : `.${told}`}${answer === undefined ? "" : `-${answer.position}.${answer.pieces}`}`

const PATTERN = /^(\d{1,15})(?:\.(\d{1,9}))?(?:-(\d{1,15})\.(\d{1,9}))?$/

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

const MAX_SHOWN = 60
