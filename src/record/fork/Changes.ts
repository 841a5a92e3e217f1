/** What is otherwise in a fork, from its moment on. */

import { jsonOf } from "../../providers/pieces.ts"
import * as Options from "../../values/Options.ts"

/** What is otherwise from the moment on. */
export interface Changes {
  /** The model that is asked, in the place of the one that the program names. */
  readonly model?: string
  /** The answer of the first request to a model, in the place of the model's own. */
  readonly answer?: string
  /**
   * What the first other call is answered: the body of the response to a request that is none to a model, or what a tool, a
   * sensor or another function answers, which is not called then. Text that is JSON is its value there.
   */
  readonly result?: string
}

export const Changes = Options.of<Changes>({
  optional: { model: Options.Text, answer: Options.Text, result: Options.Text },
})

/** Changes of which each is made once. */
export interface ChangesToMake {
  readonly model: string | undefined
  /** Takes the answer, where it was not taken yet. */
  readonly takeAnswer: () => string | undefined
  /** Takes the result, where it was not taken yet. */
  readonly takeResult: () => string | undefined
}

/** None of the changes is made yet. */
export const toMake = ({ model, answer, result }: Changes): ChangesToMake => {
  const left = { answer, result }
  const taking = (name: keyof typeof left) => () => {
    const taken = left[name]
    left[name] = undefined
    return taken
  }
  return { model, takeAnswer: taking("answer"), takeResult: taking("result") }
}

/** What a function answers for a text. */
export const resultOf = (text: string): unknown => jsonOf(text) ?? text
