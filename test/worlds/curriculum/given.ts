/** Curricula, learners and tutors of the tests. */
import { Effect } from "effect"
import type * as Agent from "../../../src/kernel/agents/Agent.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import * as Curriculum from "../../../src/worlds/curriculum/Curriculum.ts"

/** No files beside a text. */
export const NO_FILES: Curriculum.Files = {
  scenario: (file) => Effect.fail(`there is no ${file}`),
  rubric: (file) => Effect.fail(`there is no ${file}`),
}

export const decoded = (text: string, files = NO_FILES) => Curriculum.decode(text, "lessons.yaml", files)

/** Walks back in the corridor, until somebody says `forward`. */
export const walker: Agent.DecidingAgent = {
  name: "walker",
  version: "1",
  decide: ({ inputs, history, actuators }) => {
    const isTold =
      inputs.some(({ content }) => String(content).includes("forward")) ||
      history.some(({ choice }) => actionOf(choice) === 1)
    const [step] = actuators
    return { act: step?.name ?? "corridor/step", args: { action: isTold ? 1 : 0 } }
  },
}

const actionOf = (choice: { readonly args?: unknown }): unknown =>
  (choice.args as { action?: unknown } | undefined)?.action

/** Walks forward. */
export const runner: Agent.DecidingAgent = {
  name: "runner",
  version: "1",
  decide: () => ({ act: "corridor/step", args: { action: 1 } }),
}

/** Says what it is told to say, and ends its task. */
export const sayer = (text: string): Agent.DecidingAgent => ({
  name: "sayer",
  version: "1",
  decide: ({ history }) => (history.length === 0 ? { say: text } : { done: "achieved" }),
})

/** Runs a curriculum on the test's kernel, whose plugins are its worlds. */
export const ran = (
  text: string,
  learner: Agent.Agent,
  {
    agents = {},
    files = NO_FILES,
    ...options
  }: Curriculum.RunOptions & {
    readonly agents?: { readonly [name: string]: Agent.Agent }
    readonly files?: Curriculum.Files
  } = {},
) =>
  Effect.gen(function* () {
    const loaded = yield* decoded(text, files)
    const registry = yield* (yield* Kernel).plugins.state
    const worlds = yield* Curriculum.inWorlds(loaded, registry, (world) => world)
    const load: Curriculum.Players<string>["load"] = (_, name) => {
      const agent = agents[name]
      return agent === undefined ? Effect.fail(`no agent ${name}`) : Effect.succeed(agent)
    }
    return yield* Curriculum.run({ loaded, worlds, players: { learner, load } }, { seed: 7, ...options })
  })

/** The way of a run, in words. */
export const wayOf = ({
  attempts,
}: {
  readonly attempts: ReadonlyArray<{
    stage: string
    attempt: number
    decided: { decision: string; to?: string } | null
  }>
}) =>
  attempts.map(({ stage, attempt, decided }) => `${stage} ${attempt}: ${decided?.decision} ${decided?.to ?? ""}`.trim())
