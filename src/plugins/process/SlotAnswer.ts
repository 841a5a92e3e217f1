/** The answers of slots, as values or as rows of numbers. */

import type { Failure } from "../../events/vocabulary/EventType.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { type Node, type RowShape, read, type Text } from "../../values/rows/RowShape.ts"
import type { RoundOutcome } from "./RoundOutcome.ts"

/** A slot after a call. */
export interface SlotAnswer {
  readonly state: Json
  /** By the sensor's own name. */
  readonly readings: JsonObject
  /** The result of a step. */
  readonly step?: JsonObject
  /** Why the world refused a step. */
  readonly error?: Failure
  /** After a trial, instead of `readings`: those of each agent. */
  readonly agents?: { readonly [agent: string]: JsonObject }
  /** The actions of a trial's rounds, in order. */
  readonly actions?: ReadonlyArray<{ readonly [agent: string]: Json }>
  /** The results of a trial's rounds, in order. */
  readonly rounds?: ReadonlyArray<{ readonly [agent: string]: RoundOutcome }>
}

/** The shape of rows with a step, the readings and the document after it. */
export interface SlotShape {
  readonly row: RowShape
  readonly step: Node
  readonly readings: Node
  readonly state: Node
  /** The places of texts in a row. */
  readonly textPlaces: ReadonlyArray<number>
}

/** An answer to a step, as a row of numbers. Several rows share `numbers` and `texts`. */
export class SlotRow {
  readonly shape: SlotShape
  readonly numbers: Float64Array
  /** The place of the row's first number. */
  readonly at: number
  readonly texts: ReadonlyArray<Text>

  constructor(shape: SlotShape, numbers: Float64Array, at: number, texts: ReadonlyArray<Text>) {
    this.shape = shape
    this.numbers = numbers
    this.at = at
    this.texts = texts
  }

  /** The value of a part of its shape. */
  value(part: Node): Json {
    return read(part, this.numbers, this.at, (index) => this.texts[index] ?? null) as Json
  }

  /** The whole answer. */
  answer(): SlotAnswer {
    const { step, readings, state } = this.shape
    return {
      step: this.value(step) as JsonObject,
      readings: this.value(readings) as JsonObject,
      state: this.value(state),
    }
  }
}
