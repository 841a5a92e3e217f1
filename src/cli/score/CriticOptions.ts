/** The options that choose the critics of a re-scoring. */
import { Effect, Either, type Option } from "effect"
import type * as Critics from "../../kernel/critics/Critics.ts"
import * as SetScores from "../../projections/comparison/SetScores.ts"
import { defined } from "../../values/defined.ts"
import { BadInput } from "../command/BadInput.ts"
import { optionalText, repeatedText } from "../command/CommonOptions.ts"

export const options = {
  critic: repeatedText(
    "critic",
    "Who decides: `rule`, `plugin` or `model`, for everything or as MEASURE=CRITIC or MEASURE/REWARD=CRITIC. Default: the first that can, in this order",
  ),
  judgedBy: repeatedText(
    "judged-by",
    "PLUGIN@VERSION: the version whose functions judge, or the beginning of its digest. Default: the installed version",
  ),
  answers: optionalText("answers", "Use the model's answers that this score set recorded, without calling a model"),
}

export interface CriticInput {
  readonly critic: ReadonlyArray<string>
  readonly judgedBy: ReadonlyArray<string>
  readonly answers: Option.Option<string>
}

export const requested = ({ critic, judgedBy, answers }: CriticInput) =>
  Effect.gen(function* () {
    const wishes = yield* Effect.forEach(critic, parseCritic)
    const versions = yield* Effect.forEach(judgedBy, parseVersion)
    const answersOf = answers._tag === "None" ? undefined : yield* scoreSetOf(answers.value)
    return {
      wishes,
      versions: Object.fromEntries(versions),
      ...defined({ answersOf }),
    } satisfies Critics.CriticRequest
  })

const CRITICS = ["rule", "plugin", "model"] as const

const parseCritic = (typed: string): Either.Either<NonNullable<Critics.CriticRequest["wishes"]>[number], BadInput> => {
  // A measure's name may contain "="; a critic's name does not.
  const equals = typed.lastIndexOf("=")
  const named = typed.slice(equals + 1)
  const critic = CRITICS.find((name) => name === named)
  if (critic === undefined) {
    const expected = "`rule`, `plugin` or `model`, after a measure and `=` where it is for that alone"
    return Either.left(new BadInput({ input: "--critic", expected, found: `"${typed}"` }))
  }
  return Either.right(equals < 0 ? { critic } : { critic, of: typed.slice(0, equals) })
}

const parseVersion = (typed: string): Either.Either<readonly [plugin: string, version: string], BadInput> => {
  const [plugin = "", version = "", ...more] = typed.split("@")
  return plugin === "" || version === "" || more.length > 0
    ? Either.left(new BadInput({ input: "--judged-by", expected: "PLUGIN@VERSION", found: `"${typed}"` }))
    : Either.right([plugin, version])
}

const scoreSetOf = (name: string) =>
  Effect.gen(function* () {
    const { scoreSetIds } = yield* SetScores.resolve(name)
    const [scoreSetId, ...others] = scoreSetIds
    if (scoreSetId !== undefined && others.length === 0) return scoreSetId
    return yield* new BadInput({
      input: "--answers",
      expected: "one score set",
      found: `${scoreSetIds.length} that "${name}" stands for`,
      advice: "Use the end of its id; `hindcast score ls` lists them.",
    })
  })
