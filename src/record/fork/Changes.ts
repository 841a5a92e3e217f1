/** Overrides of a fork. */

import { jsonOf } from "../../providers/BodyPieces.ts"
import * as Options from "../../values/Options.ts"

/** Overrides that a fork applies from its fork point. */
export interface Changes {
  /** Replaces the model that the program names. */
  readonly model?: string
  /** Replaces the answer to the first request to a model. */
  readonly answer?: string
  /**
   * Replaces the result of the first other call: the response body of a request, or the result of a tool, sensor or io
   * function, which is then not called. JSON text is parsed for functions.
   */
  readonly result?: string
}

export const Changes = Options.of<Changes>({
  optional: { model: Options.Text, answer: Options.Text, result: Options.Text },
})

/** Overrides of which each applies once. */
export interface ChangesToMake {
  readonly model: string | undefined
  /** Returns the answer on the first call only. */
  readonly takeAnswer: () => string | undefined
  /** Returns the result on the first call only. */
  readonly takeResult: () => string | undefined
}

export const toMake = ({ model, answer, result }: Changes): ChangesToMake => {
  const left = { answer, result }
  const taking = (name: keyof typeof left) => () => {
    const taken = left[name]
    left[name] = undefined
    return taken
  }
  return { model, takeAnswer: taking("answer"), takeResult: taking("result") }
}

/** A function's result from its text: the JSON value, or the text itself. */
export const resultOf = (text: string): unknown => jsonOf(text) ?? text
