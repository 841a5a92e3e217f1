/** Assembles the calls of a streamed chat completion, whose servers differ in how they mark the pieces. */

import type { CallPart } from "../../agents/models/Message.ts"
import { fieldOf, textOf } from "../../values/JsonObjects.ts"
import { jsonOf } from "../BodyPieces.ts"
import * as Parts from "../parts.ts"

interface GrowingCall {
  readonly index: unknown
  id: string | undefined
  name: string
  /** Streamed text, or a value that arrived at once. */
  args: unknown
  /** Whether the input is plain text rather than JSON. */
  isText: boolean
}

export class ChatCalls {
  readonly #calls: Array<GrowingCall> = []
  #old: GrowingCall | undefined

  /** Takes pieces of calls. In a whole message, each piece is a call. */
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

  /** Takes a piece of the single call in the deprecated `function_call`. */
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
   * Returns the call that a piece continues: the one at its index, or the last one if it has no index. Some servers
   * give all calls the same index, so a new id, or a name with arguments after complete arguments, begins a new call.
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
  // Most servers send the name once, some with each piece.
  if (name !== undefined && name !== call.name) call.name += name
  if (typeof args === "string") call.args = typeof call.args === "string" ? call.args + args : call.args
  else if (args !== undefined && args !== null) call.args = args
}

const isWholeJson = (args: unknown): boolean =>
  typeof args === "string" ? args.trim() !== "" && jsonOf(args) !== undefined : true
