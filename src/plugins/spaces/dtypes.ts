/** numpy's number types, as far as spaces use them. */

/** A number type. */
export interface Dtype {
  readonly whole: boolean
  /** Whether its values are false and true instead of 0 and 1. */
  readonly truth: boolean
  /** The range, inclusive. */
  readonly least: number
  readonly greatest: number
  /** Rounds to the nearest number of the type. */
  readonly rounded: (number: number) => number
}

const float = (greatest: number, rounded: (number: number) => number): Dtype => ({
  whole: false,
  truth: false,
  least: -greatest,
  greatest,
  rounded,
})

const whole = (least: number, greatest: number): Dtype => ({
  whole: true,
  truth: false,
  least,
  greatest,
  rounded: Math.round,
})

const same = (number: number): number => number

/** By numpy's name. JSON's exact integers bound the 64-bit types. */
const DTYPES: ReadonlyMap<string, Dtype> = new Map([
  ["float16", float(65504, same)],
  ["float32", float(3.4028234663852886e38, Math.fround)],
  ["float64", float(Number.MAX_VALUE, same)],
  ["int8", whole(-128, 127)],
  ["int16", whole(-32768, 32767)],
  ["int32", whole(-2147483648, 2147483647)],
  ["int64", whole(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)],
  ["uint8", whole(0, 255)],
  ["uint16", whole(0, 65535)],
  ["uint32", whole(0, 4294967295)],
  ["uint64", whole(0, Number.MAX_SAFE_INTEGER)],
  ["bool", { ...whole(0, 1), whole: false, truth: true }],
])

/** All names, for messages. */
export const NAMES: ReadonlyArray<string> = [...DTYPES.keys()]

/** Undefined for an unknown name. */
export const dtypeOf = (name: unknown): Dtype | undefined => (typeof name === "string" ? DTYPES.get(name) : undefined)
