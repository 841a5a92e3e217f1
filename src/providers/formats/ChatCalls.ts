/** Puts the calls of a chat completion together from the pieces of its stream, in whatever way a server marks them. */

import type { CallPart } from "../../agents/models/Message.ts"
import { fieldOf, textOf } from "../../values/JsonObjects.ts"
import * as Parts from "../parts.ts"
import { jsonOf } from "../pieces.ts"

interface GrowingCall {
  readonly index: unknown
  id: string | undefined
  name: string
  /** Text as it streams, or a value that came at once. */
  args: unknown
  /** Whether its input is text as it is, without JSON. */
  isText: boolean
}

/** The calls of an answer so far. */
export class ChatCalls {
  readonly #calls: Array<GrowingCall> = []
  #old: GrowingCall | undefined

  /** Takes pieces of calls. In a whole message each piece is a call. */
  take(pieces: ReadonlyArray<unknown>, isWhole: boolean): void {
    for (const piece of pieces) {
      const custom = fieldOf(piece, "custom")
      const called = fieldOf(piece, "function") ?? custom
      const args = fieldOf(called, custom === undefined ? "arguments" : "input")
      const named = { id: textOf(fieldOf(piece, "id")), name: textOf(fieldOf(called, "name")), args }
      const index = fieldOf(piece, "index")
      const call = (isWhole ? undefined : this.#continued(index, named)) ?? this.#begin(index, custom !== undefined)
      grow(call, named)
    }
  }

  /** Takes a piece of the one call of the old `function_call`. */
  takeOld(called: unknown): void {
    if (called === undefined || called === null) return
    this.#old ??= this.#begin(undefined, false)
    grow(this.#old, { id: undefined, name: textOf(fieldOf(called, "name")), args: fieldOf(called, "arguments") })
  }

  parts(callId: (index: number) => string): ReadonlyArray<CallPart> {
    return this.#calls.map(({ id, name, args, isText }, index) =>
      isText
        ? Parts.textCallPart(id, name, args, id ?? callId(index))
        : Parts.callPart(id, name, args, id ?? callId(index)),
    )
  }

  #begin(index: unknown, isText: boolean): GrowingCall {
    const call: GrowingCall = { index, id: undefined, name: "", args: "", isText }
    this.#calls.push(call)
    return call
  }

  /**
   * The call that a piece continues: that of its place, or the last one where it names none. An id that another call has
   * not, and a name with arguments after arguments that are whole, begin a call: some servers give all the same place.
   */
  #continued(index: unknown, { id, name, args }: Piece): GrowingCall | undefined {
    const known = id === undefined ? undefined : this.#calls.findLast((call) => call.id === id && call.index === index)
    if (known !== undefined) return known
    const last = typeof index === "number" ? this.#calls.findLast((call) => call.index === index) : this.#calls.at(-1)
    if (last === undefined || (id !== undefined && last.id !== undefined)) return undefined
    const hasArguments = args !== undefined && args !== null && args !== ""
    return name !== undefined && hasArguments && isWholeJson(last.args) ? undefined : last
  }
}

interface Piece {
  readonly id: string | undefined
  readonly name: string | undefined
  readonly args: unknown
}

const grow = (call: GrowingCall, { id, name, args }: Piece): void => {
  call.id ??= id
  // Most servers give the name at once, and some with each piece.
  if (name !== undefined && name !== call.name) call.name += name
  if (typeof args === "string") call.args = typeof call.args === "string" ? call.args + args : call.args
  else if (args !== undefined && args !== null) call.args = args
}

const isWholeJson = (args: unknown): boolean =>
  typeof args === "string" ? args.trim() !== "" && jsonOf(args) !== undefined : true
