import { SchemaAST as AST, Data, Either, Option, Schema } from "effect"
import * as DidYouMean from "./DidYouMean.ts"
import { issueOfCheck, issuesOf, type SchemaIssue } from "./OptionIssues.ts"
import { copyOf, KeepsUndefined } from "./PlainOptions.ts"

/** One thing that is wrong with options. */
export interface Problem {
  /** Where: `gate.rules[2].decision`; `""` is all of it. */
  readonly path: string
  readonly expected: string
  readonly found: string
  /** What was probably meant, where one of the known words or keys is near. */
  readonly nearest?: string
}

/** Fix the call, or the file: everything that is wrong with the options, at once. Nothing was done. */
export class InvalidOptions extends Data.TaggedError("InvalidOptions")<{
  /** Whose options they are: a function's name, or a file's. */
  readonly of: string
  readonly problems: ReadonlyArray<Problem>
}> {
  override get message() {
    const count = this.problems.length === 1 ? "1 mistake" : `${this.problems.length} mistakes`
    return `The options of ${this.of} have ${count}:${this.problems.map((problem) => `\n  ${describe(problem)}`).join("")}`
  }
}

/** One line: the path, what was expected, what was found, and what was probably meant. */
export const describe = ({ path, expected, found, nearest }: Problem): string =>
  `${path === "" ? "(all of them)" : path}: expected ${expected}, found ${found}.${nearest === undefined ? "" : ` Did you mean ${nearest}?`}`

/**
 * Decodes options from outside, which types in TypeScript do not hold to anything. Unknown keys, wrong words and impossible
 * numbers are errors, all at once. The answer is a copy: what the caller does with its own object later changes nothing.
 *
 * @param of whose options they are, for messages
 * @param at where they stand in what the caller wrote, for messages: `["gate"]`
 */
export const decode = <A>(
  of: string,
  schema: Schema.Schema<A, A>,
  value: unknown,
  at: ReadonlyArray<PropertyKey> = [],
): Either.Either<A, InvalidOptions> => {
  const problems = (issues: ReadonlyArray<SchemaIssue>) =>
    new InvalidOptions({ of, problems: issues.map((issue) => problemOf(issue, at)) })
  let copied: ReturnType<typeof copyOf>
  try {
    copied = copyOf(schema.ast, value)
  } catch (cause) {
    // A getter or a proxy of the caller's threw.
    const found = `what throws when it is read (${cause instanceof Error ? cause.message : String(cause)})`
    return Either.left(problems([{ keys: [], expected: "an object of keys and values", found, tolerable: false }]))
  }
  const decoded = Schema.decodeUnknownEither(schema, STRICT)(copied.value)
  if (Either.isRight(decoded) && copied.strange.length === 0) return Either.right(decoded.right)
  const inside = Either.isLeft(decoded) ? issuesOf(decoded.left.issue) : []
  const others = inside.filter(({ keys }) => !copied.strange.some((strange) => isWithin(keys, strange.keys)))
  return Either.left(problems([...copied.strange, ...others]))
}

const STRICT = { errors: "all", onExcessProperty: "error" } as const

const isWithin = (keys: ReadonlyArray<PropertyKey>, outer: ReadonlyArray<PropertyKey>): boolean =>
  outer.every((key, index) => keys[index] === key)

const problemOf = ({ keys, tolerable: _, ...issue }: SchemaIssue, at: ReadonlyArray<PropertyKey>): Problem => ({
  path: pathOf([...at, ...keys]),
  ...issue,
})

/** A path as JavaScript writes it: `gate.rules[2].decision`. */
const pathOf = (keys: ReadonlyArray<PropertyKey>): string =>
  keys
    .map((key, index) => {
      if (typeof key === "number" || typeof key === "symbol") return `[${String(key)}]`
      if (!/^[A-Za-z_$][\w$]*$/.test(key)) return `[${JSON.stringify(key)}]`
      return index === 0 ? key : `.${key}`
    })
    .join("")

/** What is wrong with names, each of which is to be one of those that are known: one problem for each that is not. */
export const unknownNames = (
  /** What they name: `plugin`, whose plural is `plugins`. */
  what: string,
  known: ReadonlyArray<string>,
  named: ReadonlyArray<{ readonly name: string; readonly keys: ReadonlyArray<PropertyKey> }>,
): ReadonlyArray<Problem> => {
  const expected = known.length === 0 ? `a ${what}, of which there is none` : `one of the ${what}s ${known.join(", ")}`
  return named.flatMap(({ name, keys }) => {
    if (known.includes(name)) return []
    const [nearest] = DidYouMean.similarNames(name, known)
    const problem = { path: pathOf(keys), expected, found: JSON.stringify(name) }
    return [nearest === undefined ? problem : { ...problem, nearest }]
  })
}

type OptionalKeys<T> = { [K in keyof T]-?: Partial<Pick<T, K>> extends Pick<T, K> ? K : never }[keyof T]

/** A schema for each field of an interface. */
export interface Fields<T> {
  readonly required?: { readonly [K in Exclude<keyof T, OptionalKeys<T>>]: Schema.Schema<T[K]> }
  readonly optional?: { readonly [K in OptionalKeys<T>]-?: Schema.Schema<Exclude<T[K], undefined>> }
}

/**
 * The schema of an interface: the compiler refuses one that leaves out a field or has one too many. Where the value of a
 * field that may be left out is `undefined`, it is left out.
 */
export const of = <T extends object>({ required, optional }: FieldsOf<T>): Schema.Schema<T> => {
  const fields: Record<string, Schema.Schema.All> = { ...required }
  const optionals = Object.entries<Schema.Schema.All>({ ...optional }).map(
    ([name, field]) => [name, Schema.optionalWith(field, { exact: true })] as const,
  )
  // Its fields are those of the interface, by the parameter's type, which the compiler does not carry through a record.
  return Schema.Struct({ ...fields, ...Object.fromEntries(optionals) }) as unknown as Schema.Schema<T>
}

type FieldsOf<T> = (keyof T extends OptionalKeys<T> ? unknown : Required<Pick<Fields<T>, "required">>) &
  ([OptionalKeys<T>] extends [never] ? unknown : Required<Pick<Fields<T>, "optional">>) &
  Fields<T>

/** The annotation of an object in which `undefined` is a mistake, and not the same as a key that is left out. */
export const KEEPS_UNDEFINED = { [KeepsUndefined]: true }

/** A value that is told by its kind alone: a function, or a service of the program's own. It is used as it is. */
export const kind = <A>(description: string, is: (value: unknown) => boolean): Schema.Schema<A> =>
  Schema.declare((value: unknown): value is A => is(value), { description })

/** A function. */
export const callable = <F>(): Schema.Schema<F> => kind<F>("a function", (value) => typeof value === "function")

/** Whether a value has functions and other properties of these names, its own or inherited. */
export const has =
  (...names: ReadonlyArray<string>) =>
  (value: unknown): boolean =>
    typeof value === "object" && value !== null && names.every((name) => Reflect.get(value, name) !== undefined)

/** The longest time that a timer takes, in milliseconds: some 24 days. A longer one would never end, or end at once. */
export const LONGEST_MS = 2 ** 31 - 1

/** A time to wait, in milliseconds: more than 0. */
export const Milliseconds: Schema.Schema<number> = Schema.Number.pipe(
  Schema.filter((ms) => ms > 0 && ms <= LONGEST_MS),
  Schema.annotations({ description: `milliseconds, more than 0 and at most ${LONGEST_MS}` }),
)

/** The same, which may be 0. */
export const MillisecondsOrNone: Schema.Schema<number> = Schema.Number.pipe(
  Schema.filter((ms) => ms >= 0 && ms <= LONGEST_MS),
  Schema.annotations({ description: `milliseconds, 0 or more and at most ${LONGEST_MS}` }),
)

/** A whole number between two others, both included. */
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

/** What randomness is seeded with. */
export const Seed = wholeNumber(0)

/** Text that says something, and that a log can keep. */
export const Text: Schema.Schema<string> = Schema.String.pipe(
  Schema.filter((text) => text.trim() !== "" && text.isWellFormed()),
  Schema.annotations({ description: "text, not empty and without broken characters" }),
)

/** Characters that a name may have at most. */
const LONGEST_NAME = 200

/** A name as logs and terminals show it: one line without control characters. */
export const Name: Schema.Schema<string> = Schema.String.pipe(
  Schema.filter(
    (text) =>
      text.trim() === text && text !== "" && text.length <= LONGEST_NAME && /^[^\p{C}\p{Zl}\p{Zp}]*$/u.test(text),
  ),
  Schema.annotations({
    description: `1 to ${LONGEST_NAME} printable characters, without spaces at the ends`,
  }),
)

/** A path of the file system. */
export const Path: Schema.Schema<string> = Schema.String.pipe(
  Schema.filter((path) => path.trim() !== "" && !path.includes("\0")),
  Schema.annotations({ description: "a path" }),
)

/** Effect's own mark, which it does not export, of filters that also look at what is wrong inside, such as `minItems`. */
const STABLE = Symbol.for("effect/annotation/StableFilter")

/** What a check finds wrong: where inside the value, what was expected there, and what was found. */
export interface Found extends Omit<Problem, "path"> {
  readonly keys: ReadonlyArray<PropertyKey>
}

/**
 * A schema that also checks what no single field of a value is to blame for. It is asked about a value that the schema itself
 * has refused inside too, so that everything is found at once: what it is given is of the schema's kind, and no more.
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
