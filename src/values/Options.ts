/**
 * Decodes options at the boundary of the library and the command line. Schemas are strict, and one error reports all
 * mistakes with paths and suggestions.
 */

import { SchemaAST as AST, Data, Either, Option, Schema } from "effect"
import * as DidYouMean from "./DidYouMean.ts"
import { issueOfCheck, issuesOf, type SchemaIssue } from "./OptionIssues.ts"
import { copyOf, KeepsUndefined } from "./PlainOptions.ts"

/** A mistake in options. */
export interface Problem {
  /** Such as `gate.rules[2].decision`; `""` is the whole value. */
  readonly path: string
  readonly expected: string
  readonly found: string
  /** The known word or key that the caller probably meant. */
  readonly nearest?: string
}

/** The options have mistakes; `problems` holds all of them. The call had no effect: correct the call or the file. */
export class InvalidOptions extends Data.TaggedError("InvalidOptions")<{
  /** The function or file that takes the options. */
  readonly of: string
  readonly problems: ReadonlyArray<Problem>
}> {
  override get message() {
    const count = this.problems.length === 1 ? "1 mistake" : `${this.problems.length} mistakes`
    return `The options of ${this.of} have ${count}:${this.problems.map((problem) => `\n  ${describe(problem)}`).join("")}`
  }
}

export const describe = ({ path, expected, found, nearest }: Problem): string =>
  `${path === "" ? "(all of them)" : path}: expected ${expected}, found ${found}.${nearest === undefined ? "" : ` Did you mean ${nearest}?`}`

/**
 * Decodes options from outside, where TypeScript's types guarantee nothing. Unknown keys, unknown words and numbers out
 * of range are errors. Returns a copy, so later changes to the caller's object have no effect.
 *
 * @param of the function or file that takes the options, for messages
 * @param at the path of the options in the caller's value, for messages: `["gate"]`
 */
export const decode = <A, I = A>(
  of: string,
  schema: Schema.Schema<A, I>,
  value: unknown,
  at: ReadonlyArray<PropertyKey> = [],
): Either.Either<A, InvalidOptions> => {
  const problems = (issues: ReadonlyArray<SchemaIssue>) =>
    new InvalidOptions({ of, problems: issues.map((issue) => problemOf(issue, at)) })
  let copied: ReturnType<typeof copyOf>
  try {
    copied = copyOf(schema.ast, value)
  } catch (cause) {
    // A getter or a proxy of the caller threw.
    const found = `a value that throws when it is read (${cause instanceof Error ? cause.message : String(cause)})`
    return Either.left(problems([{ keys: [], expected: "an object of keys and values", found, tolerable: false }]))
  }
  const decoded = Schema.decodeUnknownEither(schema, STRICT)(copied.value)
  if (Either.isRight(decoded) && copied.issues.length === 0) return Either.right(decoded.right)
  const inside = Either.isLeft(decoded) ? issuesOf(decoded.left.issue) : []
  const others = inside.filter(({ keys }) => !copied.issues.some((issue) => isWithin(keys, issue.keys)))
  return Either.left(problems([...copied.issues, ...others]))
}

const STRICT = { errors: "all", onExcessProperty: "error" } as const

const isWithin = (keys: ReadonlyArray<PropertyKey>, outer: ReadonlyArray<PropertyKey>): boolean =>
  outer.every((key, index) => keys[index] === key)

const problemOf = ({ keys, tolerable: _, ...issue }: SchemaIssue, at: ReadonlyArray<PropertyKey>): Problem => ({
  path: pathOf([...at, ...keys]),
  ...issue,
})

/** In JavaScript's notation: `gate.rules[2].decision`. */
const pathOf = (keys: ReadonlyArray<PropertyKey>): string =>
  keys
    .map((key, index) => {
      if (typeof key === "number" || typeof key === "symbol") return `[${String(key)}]`
      if (!/^[A-Za-z_$][\w$]*$/.test(key)) return `[${JSON.stringify(key)}]`
      return index === 0 ? key : `.${key}`
    })
    .join("")

export const unknownNames = (
  /** A noun in the singular (`plugin`) that takes an s in the plural. */
  what: string,
  known: ReadonlyArray<string>,
  named: ReadonlyArray<{ readonly name: string; readonly keys: ReadonlyArray<PropertyKey> }>,
): ReadonlyArray<Problem> => {
  const expected = known.length === 0 ? `a ${what} (there is none)` : `one of the ${what}s ${known.join(", ")}`
  return named.flatMap(({ name, keys }) => {
    if (known.includes(name)) return []
    const [nearest] = DidYouMean.similarNames(name, known)
    const problem = { path: pathOf(keys), expected, found: JSON.stringify(name) }
    return [nearest === undefined ? problem : { ...problem, nearest }]
  })
}

type OptionalKeys<T> = { [K in keyof T]-?: Partial<Pick<T, K>> extends Pick<T, K> ? K : never }[keyof T]

export interface Fields<T> {
  readonly required?: { readonly [K in Exclude<keyof T, OptionalKeys<T>>]: Schema.Schema<T[K]> }
  readonly optional?: { readonly [K in OptionalKeys<T>]-?: Schema.Schema<Exclude<T[K], undefined>> }
}

/**
 * Builds the schema of an interface. The compiler rejects missing and extra fields. The result omits optional fields
 * whose value is `undefined`.
 */
export const of = <T extends object>({ required, optional }: FieldsOf<T>): Schema.Schema<T> => {
  const fields: Record<string, Schema.Schema.All> = { ...required }
  const optionals = Object.entries<Schema.Schema.All>({ ...optional }).map(
    ([name, field]) => [name, Schema.optionalWith(field, { exact: true })] as const,
  )
  // The parameter's type guarantees the interface's fields; the compiler loses that in a record.
  return Schema.Struct({ ...fields, ...Object.fromEntries(optionals) }) as unknown as Schema.Schema<T>
}

type FieldsOf<T> = (keyof T extends OptionalKeys<T> ? unknown : Required<Pick<Fields<T>, "required">>) &
  ([OptionalKeys<T>] extends [never] ? unknown : Required<Pick<Fields<T>, "optional">>) &
  Fields<T>

/** Annotates an object in which `undefined` as a value is a mistake instead of an omission. */
export const KEEPS_UNDEFINED = { [KeepsUndefined]: true }

/** A schema that only applies a predicate and keeps the value by reference: for functions and services. */
export const kind = <A>(description: string, is: (value: unknown) => boolean): Schema.Schema<A> =>
  Schema.declare((value: unknown): value is A => is(value), { description })

export const callable = <F>(): Schema.Schema<F> => kind<F>("a function", (value) => typeof value === "function")

/** True if a value has all these properties, own or inherited, and none is `undefined`. */
export const has =
  (...names: ReadonlyArray<string>) =>
  (value: unknown): boolean =>
    typeof value === "object" && value !== null && names.every((name) => Reflect.get(value, name) !== undefined)

/** The longest delay of a timer in milliseconds, about 24 days. Longer ones fire at once or never. */
export const LONGEST_MS = 2 ** 31 - 1

export const Milliseconds: Schema.Schema<number> = Schema.Number.pipe(
  Schema.filter((ms) => ms > 0 && ms <= LONGEST_MS),
  Schema.annotations({ description: `milliseconds, more than 0 and at most ${LONGEST_MS}` }),
)

export const MillisecondsOrNone: Schema.Schema<number> = Schema.Number.pipe(
  Schema.filter((ms) => ms >= 0 && ms <= LONGEST_MS),
  Schema.annotations({ description: `milliseconds, 0 or more and at most ${LONGEST_MS}` }),
)

/** Both ends included. */
export const wholeNumber = (least: number, most: number = Number.MAX_SAFE_INTEGER): Schema.Schema<number> =>
  Schema.Number.pipe(
    Schema.filter((number) => Number.isSafeInteger(number) && number >= least && number <= most),
    Schema.annotations({
      description:
        most === Number.MAX_SAFE_INTEGER
          ? `a whole number, ${least} or more`
          : `a whole number from ${least} to ${most}`,
    }),
  )

export const Seed = wholeNumber(0)

/** Text that is not blank and has no lone surrogates. */
export const Text: Schema.Schema<string> = Schema.String.pipe(
  Schema.filter((text) => text.trim() !== "" && text.isWellFormed()),
  Schema.annotations({ description: "text, not empty and without broken characters" }),
)

/** In characters. */
const LONGEST_NAME = 200

/** A name that logs and terminals can show: one line without control characters. */
export const Name: Schema.Schema<string> = Schema.String.pipe(
  Schema.filter(
    (text) =>
      text.trim() === text && text !== "" && text.length <= LONGEST_NAME && /^[^\p{C}\p{Zl}\p{Zp}]*$/u.test(text),
  ),
  Schema.annotations({
    description: `1 to ${LONGEST_NAME} printable characters, without spaces at the ends`,
  }),
)

export const Path: Schema.Schema<string> = Schema.String.pipe(
  Schema.filter((path) => path.trim() !== "" && !path.includes("\0")),
  Schema.annotations({ description: "a path" }),
)

/** Effect's internal annotation for filters that also run when the value inside failed, such as `minItems`. */
const STABLE = Symbol.for("effect/annotation/StableFilter")

/** A mistake that a check found, at keys inside the value. */
export interface Found extends Omit<Problem, "path"> {
  readonly keys: ReadonlyArray<PropertyKey>
}

/**
 * Adds a check across several fields. It also runs if fields failed to decode, so that one error reports all mistakes:
 * it may rely on the value's kind (object, list), not on its fields.
 */
export const checking = <A>(
  schema: Schema.Schema<A>,
  check: (value: unknown) => ReadonlyArray<Found>,
): Schema.Schema<A> =>
  schema.pipe(
    Schema.filter((value: unknown) => check(value).map(issueOfCheck), {
      ...Option.match(AST.getDescriptionAnnotation(schema.ast), {
        onNone: () => ({}),
        onSome: (description) => ({ description }),
      }),
      [STABLE]: true,
    }),
  )
