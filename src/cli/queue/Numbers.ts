/** Numbers as users type them for the queue: signed ones, and maxima as NAME=N. */
import { HelpDoc, Options, ValidationError } from "@effect/cli"
import { Either } from "effect"
import { BadInput } from "../command/BadInput.ts"
import { number } from "../command/CommonOptions.ts"

/** A whole number, also a negative one. */
export const integer = (name: string): Options.Options<number> =>
  Options.mapEffect(number(name), (value) =>
    Number.isSafeInteger(value) ? Either.right(value) : Either.left(wrong(name, "a whole number", String(value))),
  )

/** Several `NAME=N`, as a record. */
export const maxima = (name: string, description: string): Options.Options<Readonly<Record<string, number>>> =>
  Options.text(name).pipe(
    Options.withDescription(description),
    Options.repeated,
    Options.mapEffect((texts) => {
      const found: Array<readonly [string, number]> = []
      for (const text of texts) {
        const [, key, value] = /^(.+)=(\d{1,9})$/.exec(text) ?? []
        if (key === undefined || value === undefined)
          return Either.left(wrong(name, "NAME=N, such as desk=4", JSON.stringify(text)))
        found.push([key, Number(value)])
      }
      return Either.right(Object.fromEntries(found))
    }),
  )

const wrong = (name: string, expected: string, found: string) =>
  ValidationError.invalidValue(HelpDoc.p(new BadInput({ input: `--${name}`, expected, found }).message))
