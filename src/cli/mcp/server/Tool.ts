/** A read-only tool over the log: its name, its arguments and its answer. */
import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server"
import { type Effect, JSONSchema, Schema } from "effect"
import type { Answer } from "./Answer.ts"
import type { Past } from "./OpenedLog.ts"

export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: StandardSchemaWithJSON<unknown, unknown>
  /** Metadata of its description, such as the page that shows its result. */
  readonly meta?: Readonly<Record<string, unknown>>
  /** Answers arguments that `input` has decoded. */
  readonly run: (args: unknown) => Effect.Effect<Answer, unknown, Past>
}

export interface Definition<A, I, E> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: Schema.Schema<A, I>
  readonly meta?: Readonly<Record<string, unknown>>
  readonly run: (args: A) => Effect.Effect<Answer, E, Past>
}

export const make = <A, I, E>({ input, run, ...named }: Definition<A, I, E>): Tool => ({
  ...named,
  input: standard(input),
  // Only `input` decodes arguments for it.
  run: (args) => run(args as A),
})

/** A schema as the SDK takes it. Arguments that are null count as absent: some models fill in every property. */
export const standard = <A, I>(schema: Schema.Schema<A, I>): StandardSchemaWithJSON<unknown, A> => {
  const { validate } = Schema.standardSchemaV1(schema, { onExcessProperty: "error", errors: "all" })["~standard"]
  const json = () => ({ ...JSONSchema.make(schema, { target: "jsonSchema2020-12" }) })
  return {
    "~standard": {
      version: 1,
      vendor: "effect",
      validate: (value) => validate(withoutNulls(value)),
      jsonSchema: { input: json, output: json },
    },
  }
}

const withoutNulls = (value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null))
    : value

/** An argument that may be absent. */
export const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const described = (description: string) => Schema.String.annotations({ description })

/** A whole number, 0 or more. */
export const wholeNumber = (description: string) =>
  Schema.Number.pipe(Schema.int(), Schema.nonNegative()).annotations({ description, jsonSchema: { minimum: 0 } })

export const event = described("The position of an event, such as @412, or its id")

/** A moment: `Moment.locate`. */
export const moment = (description: string) =>
  described(`${description}: a position (@412, fork-1@412), a time with its zone, or now`)

/** A task's id or a part of it, or an event of the task: `TaskArgument.named`. */
export const task = described("A task's id, its last characters, or the position of one of its events (@412)")

/** The first line of an answer that is continued. */
export const skip = optional(wholeNumber("Lines to leave out: an answer that was cut says how many"))

export const text = described
