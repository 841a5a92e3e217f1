/** Loads the agents of a curriculum: the typed learner, and the programs and models that the curriculum names. */
import { Effect, Option } from "effect"
import type * as Agent from "../../kernel/agents/Agent.ts"
import type * as Curriculum from "../../worlds/curriculum/Curriculum.ts"
import { BadInput } from "../command/BadInput.ts"
import * as AgentModule from "../task/AgentModule.ts"
import * as AgentOption from "../task/AgentOption.ts"
import * as Scenario from "../task/Scenario.ts"

/** The one typed agent, which learns. */
export const learner = (typed: AgentOption.TypedAgents) =>
  Effect.gen(function* () {
    const { named, other } = yield* AgentOption.loadAll(typed, "live")
    const [name] = Object.keys(named)
    if (name !== undefined) {
      const expected = "one agent without a name, which learns; the curriculum names the others"
      return yield* new BadInput({ input: `--agent ${name}=…`, expected, found: `one called ${name}` })
    }
    return other ?? (yield* AgentOption.notOne("neither"))
  })

/**
 * Loads a program below the curriculum's directory, or a model within the rest of its budget.
 *
 * @param file the curriculum's file
 */
export const load =
  (file: string, { cassette }: Pick<AgentOption.TypedModel, "cassette">) =>
  (
    { program, model }: Parameters<Curriculum.Players<unknown>["load"]>[0],
    name: string,
    { tokens, usd }: Curriculum.Left,
  ) =>
    Effect.gen(function* () {
      if (model !== undefined) {
        const budget = { maxTokens: Option.fromNullable(tokens), maxUsd: Option.fromNullable(usd) }
        const found: Agent.Agent = yield* AgentOption.loadModel(
          model,
          { guide: Option.none(), cassette, ...budget, hedgeMs: Option.none() },
          "live",
        )
        return found
      }
      return yield* AgentModule.load(yield* Scenario.programBelow(file, "curriculum", name, program ?? ""))
    })

/** Loads all programs and models once, so that a missing one fails before anything runs. */
export const check = (
  file: string,
  typed: Pick<AgentOption.TypedModel, "cassette">,
  { curriculum }: Curriculum.Loaded,
) =>
  Effect.gen(function* () {
    const { tutors = {}, people = {} } = curriculum
    for (const [name, player] of [...Object.entries(tutors), ...Object.entries(people)])
      if (player.program !== undefined || player.model !== undefined) yield* load(file, typed)(player, name, {})
  })
