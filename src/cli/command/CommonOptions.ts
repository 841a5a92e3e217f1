/** Options that several commands share, and constructors for options whose error messages name the option. */
import { HelpDoc, Options, ValidationError } from "@effect/cli"
import { Either } from "effect"
import { BadInput } from "./BadInput.ts"

/** The log's file. See `OpenLog.filenameOf` for the default. */
export const log = Options.text("log").pipe(
  Options.withDescription("The log's file. Default: HINDCAST_LOG, else .hindcast/log.db"),
  Options.optional,
)

/** Prints one JSON document with stable keys instead of text. */
export const json = Options.boolean("json").pipe(
  Options.withDescription("Print one JSON document, and errors as JSON on the standard error"),
)

/** The options of every command. */
export const common = { log, json }

/** The directory that plugins may read and write. */
export const workspace = Options.text("workspace").pipe(
  Options.withDescription("The directory that plugins may work in. Default: the working directory"),
  Options.optional,
)

/** An option whose value is an integer of at least `least`. */
export const wholeNumber = (name: string, minimum: number): Options.Options<number> =>
  numberOf(name, `a whole number, ${minimum} or more`, (value) => Number.isSafeInteger(value) && value >= minimum)

/** An option whose value is a number above 0. */
export const positive = (name: string): Options.Options<number> =>
  numberOf(name, "a number above 0", (value) => Number.isFinite(value) && value > 0)

/** An option whose value is a number. */
export const number = (name: string): Options.Options<number> => numberOf(name, "a number", Number.isFinite)

/** An option whose value is one of these words. */
export const oneOf = <const Word extends string>(name: string, words: ReadonlyArray<Word>): Options.Options<Word> =>
  checked({ name, value: words.join("|") }, `one of ${words.join(", ")}`, (text) => words.find((word) => word === text))

const numberOf = (name: string, expected: string, isValid: (value: number) => boolean): Options.Options<number> =>
  checked({ name, value: "number" }, expected, (text) =>
    text.trim() !== "" && isValid(Number(text)) ? Number(text) : undefined,
  )

/** An option whose value is checked by `read`. The parser's own messages do not name the option. */
const checked = <A>(
  { name, value: placeholder }: { readonly name: string; readonly value: string },
  expected: string,
  read: (text: string) => A | undefined,
): Options.Options<A> =>
  Options.mapEffect(Options.text(name).pipe(Options.withPseudoName(placeholder)), (text) => {
    const value = read(text)
    if (value !== undefined) return Either.right(value)
    const { message } = new BadInput({ input: `--${name}`, expected, found: `"${text}"` })
    return Either.left(ValidationError.invalidValue(HelpDoc.p(message)))
  })

/** The sandbox tier in which plugins run. */
export const sandbox = oneOf("sandbox", ["auto", "namespaces", "flags"]).pipe(
  Options.withDescription(
    "How plugins are confined; what is required and not there is an error. flags also consents to running those that did not come with Hindcast by Deno's permissions alone. Default: auto",
  ),
  Options.withDefault("auto"),
)
