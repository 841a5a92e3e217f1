/** Options that several commands share, and constructors of options and arguments. */
import { Args, HelpDoc, Options, ValidationError } from "@effect/cli"
import { Either, Option, Record } from "effect"
import { adviceOf, BadInput } from "./BadInput.ts"

export const flag = (name: string, description: string) =>
  Options.boolean(name).pipe(Options.withDescription(description))

export const text = (name: string, description: string) => Options.text(name).pipe(Options.withDescription(description))

export const optionalText = (name: string, description: string) => Options.optional(text(name, description))

export const repeatedText = (name: string, description: string) => Options.repeated(text(name, description))

export const argument = (name: string, description: string) =>
  Args.text({ name }).pipe(Args.withDescription(description))

export const wholeNumber = (name: string, minimum: number): Options.Options<number> =>
  numberOf(name, `a whole number, ${minimum} or more`, (value) => Number.isSafeInteger(value) && value >= minimum)

/** A port; 0 for a free one. */
export const port = (name: string): Options.Options<number> =>
  numberOf(name, "a port, 0 to 65535", (value) => Number.isInteger(value) && value >= 0 && value <= 65_535)

export const positive = (name: string): Options.Options<number> =>
  numberOf(name, "a number above 0", (value) => Number.isFinite(value) && value > 0)

export const milliseconds = Options.map((seconds: number) => seconds * 1000)

export const number = (name: string): Options.Options<number> => numberOf(name, "a number", Number.isFinite)

export const oneOf = <const Word extends string>(name: string, words: ReadonlyArray<Word>): Options.Options<Word> =>
  Options.mapEffect(textOf(name, words.join("|")), oneWord(name, words))

export const someOf = <const Word extends string>(name: string, words: ReadonlyArray<Word>) =>
  Options.mapEffect(Options.repeated(textOf(name, words.join("|"))), (texts) =>
    Either.all(texts.map(oneWord(name, words))),
  )

const oneWord =
  <Word extends string>(name: string, words: ReadonlyArray<Word>) =>
  (text: string) =>
    Either.fromNullable(
      words.find((word) => word === text),
      () => invalid(name, `one of ${words.join(", ")}`, text, adviceOf(text, words)),
    )

const numberOf = (name: string, expected: string, isValid: (value: number) => boolean): Options.Options<number> =>
  Options.mapEffect(textOf(name, "number"), (text) =>
    text.trim() !== "" && isValid(Number(text))
      ? Either.right(Number(text))
      : Either.left(invalid(name, expected, text)),
  )

const textOf = (name: string, placeholder: string) => Options.text(name).pipe(Options.withPseudoName(placeholder))

/** The error for an option's value. The parser's own messages do not name the option. */
const invalid = (
  name: string,
  expected: string,
  text: string,
  advice: ReturnType<typeof adviceOf> = {},
): ValidationError.ValidationError => {
  const { message } = new BadInput({ input: `--${name}`, expected, found: `"${text}"`, ...advice })
  return ValidationError.invalidValue(HelpDoc.p(message))
}

/** The log file. `OpenLog` applies the default. */
export const log = optionalText(
  "log",
  "The log's file. Default: HINDCAST_LOG, else .hindcast/log.db; to look at, else the log of the hooks",
)

/** Prints one JSON document with stable keys instead of text. */
export const json = flag("json", "Print one JSON document, and errors as JSON on the standard error")

export const common = { log, json }

export const workspace = optionalText(
  "workspace",
  "The directory that plugins may work in. Default: the working directory",
)

export const sandbox = oneOf("sandbox", ["auto", "namespaces", "flags"]).pipe(
  Options.withDescription(
    "How to confine plugins. A tier that this machine does not support is an error. flags also accepts Deno's permissions as the only confinement of plugins that do not come with Hindcast. Default: auto",
  ),
  Options.withDefault("auto"),
)

/** How help texts describe a task argument (`Ids.task`). */
export const TASK =
  "A task's id, or at least four characters of its beginning or end, if they are unique; or `last`, the task that was opened last"

/** How help texts describe a moment (`Moment.locate`). */
export const MOMENT = "a position (@412, fork-1@412), an event's id, a time with its zone, or now"

export const given = <Typed extends { readonly [name: string]: Option.Option<unknown> }>(typed: Typed) =>
  Record.getSomes(typed) as { readonly [Name in keyof Typed]?: Option.Option.Value<Typed[Name]> }

export type OptionValue = boolean | Option.Option<unknown> | ReadonlyArray<unknown>

export const isGiven = (value: OptionValue): boolean => {
  if (typeof value === "boolean") return value
  return Option.isOption(value) ? Option.isSome(value) : value.length > 0
}
