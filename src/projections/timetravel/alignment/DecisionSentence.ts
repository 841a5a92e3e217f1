/** Says in a sentence where two runs split: "Both called read_file at @12; then A called … and B called …". */

import canonicalize from "canonicalize"
import { at, count, json, shorten, value } from "../../../values/Formats.ts"
import type { Json } from "../../../values/Json.ts"
import { isObject } from "../../../values/JsonObjects.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { DecidedCall, Decision } from "./Decision.ts"
import type { DecisionSplit } from "./DecisionSplit.ts"

/** Maximum number of named calls of one decision, and of named arguments of one call. */
const MAX_NAMED = 3

/** Maximum lengths of a quoted text and of a quoted argument, in characters. */
const TEXT_LENGTH = 80
const ARGUMENT_LENGTH = 40

/** A run in the sentence: its name, such as `A (careful)`, and whether decisions may follow. */
export interface ToldRun {
  readonly label: string
  readonly isOpen: boolean
}

/** The sentences about a split, on one line. Positions follow what happened there. */
export const of = (
  { same, unreadable, before, worded, split }: DecisionSplit,
  [runA, runB]: readonly [ToldRun, ToldRun],
): string => {
  const hidden =
    unreadable === 0
      ? ""
      : ` ${count(unreadable, "pair")} of decisions cannot be read, so ${unreadable === 1 ? "it is" : "they are"} not compared.`
  const words =
    worded === null
      ? ""
      : ` Their words differ from ${atBoth(worded.a, worded.b)} on, although they make the same calls.`
  if (split === null) {
    if (same > 0)
      return `${same === 1 ? "The only decision" : `All ${same} decisions`} of both ${same === 1 ? "is" : "are"} the same.${words}${hidden}`
    return before === null && unreadable === 0 ? "Neither records a decision." : `No decision differs.${hidden}`
  }
  const { a, b } = split
  const clauses = `${clause(runA, a, b)} and ${clause(runB, b, a)}`
  const start =
    before === null
      ? "They differ from their first decision: "
      : `Both ${deed(before.a, null)} at ${atBoth(before.a, before.b)}; then `
  return `${start}${clauses}.${words}${hidden}`
}

const clause = ({ label, isOpen }: ToldRun, own: Decision | null, other: Decision | null): string => {
  if (own !== null) return `${label} ${deed(own, other)} (${place(own)})`
  return `${label} ${isOpen ? "has decided nothing more so far" : "decided nothing more"}`
}

/** A decision's deed in the past tense: `called write_file with path "a.mjs"`. Leaves out arguments like `other`'s. */
export const deed = ({ calls, text, rest, isReadable }: Decision, other: Decision | null): string => {
  if (!isReadable) return "decided something that cannot be read"
  const [first] = calls
  if (first !== undefined) {
    const named = calls.slice(0, MAX_NAMED).map((call, index) => callWords(call, other?.calls[index]))
    const more = calls.length - named.length
    return `called ${listed([...named, ...(more > 0 ? [`${more} more`] : [])])}`
  }
  const done = typeof rest.done === "string" ? `ended as ${oneLine(shorten(rest.done, ARGUMENT_LENGTH))}` : null
  const said = text === null ? null : `said ${quoted(text, TEXT_LENGTH)}`
  if (done !== null || said !== null) return [said, done].filter((part) => part !== null).join(" and ")
  return Object.keys(rest).length === 0 ? "gave an empty answer" : `chose ${oneLine(value(rest, TEXT_LENGTH))}`
}

const callWords = ({ tool, args }: DecidedCall, other: DecidedCall | undefined): string => {
  const name = tool === "" ? "a tool without a name" : oneLine(shorten(tool.replace(OF_PROGRAM, ""), TEXT_LENGTH))
  if (!isObject(args)) return args === null ? name : `${name} with ${quoted(args, TEXT_LENGTH)}`
  const of = other?.tool === tool && isObject(other.args) ? other.args : null
  const told = Object.entries(args).filter(([key, each]) => of === null || !isEqual(each, own(of, key)))
  const gone = of === null ? [] : Object.keys(of).filter((key) => !Object.hasOwn(args, key))
  const named = [
    ...told.map(([key, each]) => `${oneLine(shorten(key, ARGUMENT_LENGTH))} ${quoted(each, ARGUMENT_LENGTH)}`),
    ...gone.map((key) => `no ${oneLine(shorten(key, ARGUMENT_LENGTH))}`),
  ]
  const shown = named.slice(0, MAX_NAMED)
  const more = named.length - shown.length
  return shown.length === 0 ? name : `${name} with ${listed([...shown, ...(more > 0 ? [`${more} more`] : [])])}`
}

/** Functions of the embedding program have this plugin's name, as actuators and as tools. */
const OF_PROGRAM = /^program(?:__|\/)(?=.)/

const own = (of: { readonly [key: string]: Json }, key: string): Json | undefined =>
  Object.hasOwn(of, key) ? of[key] : undefined

const isEqual = (a: Json, b: Json | undefined): boolean => b !== undefined && canonicalize(a) === canonicalize(b)

/** A value as JSON on one line. Long texts are cut before they are escaped. */
const quoted = (of: Json, length: number): string =>
  typeof of === "string" ? oneLine(json(shorten(of.slice(0, length * 4), length))) : oneLine(value(of, length))

const listed = (words: ReadonlyArray<string>): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`

const place = ({ event }: Decision): string => at(event.position)

const atBoth = (a: Decision, b: Decision): string =>
  a.event.position === b.event.position ? place(a) : `${place(a)} and ${place(b)}`
