/** The options that divide a command's work over processes and machines: `--parts`, `--part` and `--merge`. */
import { Options } from "@effect/cli"
import { Effect, Either, Option } from "effect"
import { MAX_PARTS, type TaskPart } from "../../events/log/TaskPart.ts"
import { BadInput } from "../command/BadInput.ts"
import { optionalText, repeatedText, wholeNumber } from "../command/CommonOptions.ts"
import * as OutputFormat from "../export/OutputFormat.ts"

/** Each process has a heap of its own. */
const MAX_PROCESSES = 64

export const parts = wholeNumber("parts", 1).pipe(
  Options.withDescription(
    "Divide the work by tasks over this many processes, on a file at most one for each core. The result is the same",
  ),
  Options.optional,
)

export const part = optionalText(
  "part",
  "Only this part of the work, as `2/8`: the tasks whose hash belongs to it. Needs --output",
)

export const merge = repeatedText("merge", "A file that --part wrote. Repeat it for each of the parts")

/** Reads `2/8` as the second of eight parts. */
export const parse = (typed: string): Either.Either<TaskPart, BadInput> => {
  const [, number = "", of = ""] = /^(\d{1,4})\/(\d{1,4})$/.exec(typed) ?? []
  const found = { index: Number(number) - 1, of: Number(of) }
  return number !== "" && found.index >= 0 && found.index < found.of && found.of <= MAX_PARTS
    ? Either.right(found)
    : Either.left(
        new BadInput({
          input: "--part",
          expected: `the number of a part and how many there are, such as 2/8 (${MAX_PARTS} at most)`,
          found: `"${typed}"`,
        }),
      )
}

/** The text of a part, as people type it. */
export const textOf = ({ index, of }: TaskPart): string => `${index + 1}/${of}`

/** Refuses more processes than a machine should start. */
export const processesOf = (count: number): Effect.Effect<number, BadInput> =>
  count <= MAX_PROCESSES
    ? Effect.succeed(count)
    : Effect.fail(
        new BadInput({
          input: "--parts",
          expected: `at most ${MAX_PROCESSES} processes on one machine`,
          found: String(count),
          advice: "--part divides the work into more parts, over several machines.",
        }),
      )

/** Requires a file for a part, which other commands merge. */
export const outputOf = (output: Option.Option<string>): Effect.Effect<string, BadInput> =>
  Option.isSome(output)
    ? Effect.succeed(output.value)
    : Effect.fail(
        new BadInput({
          input: "--part",
          expected: "--output FILE, to write the part to",
          found: "none",
          advice: "--merge FILE joins the files of all parts; - is the standard output.",
        }),
      )

/** Refuses a file of a part whose name promises another format, and `--output` and `--force` without `--part`. */
export const checkOutput = ({
  part,
  output,
  force,
}: {
  readonly part: Option.Option<string>
  readonly output: Option.Option<string>
  readonly force: boolean
}): Effect.Effect<void, BadInput> =>
  Effect.gen(function* () {
    if (Option.isSome(output)) yield* OutputFormat.check("--output", output.value, "jsonl")
    if (Option.isSome(part) || (Option.isNone(output) && !force)) return
    return yield* new BadInput({
      input: Option.isSome(output) ? "--output" : "--force",
      expected: "--part, whose file it writes",
      found: "none",
    })
  })
