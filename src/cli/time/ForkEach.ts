/** Forks of one moment by several agents or models, one after the other, and the table that compares them. */
import { Effect } from "effect"
import type { Agent } from "../../kernel/agents/Agent.ts"
import type { Forked } from "../../kernel/fork/Fork.ts"
import * as RunTable from "../../projections/timetravel/table/RunTable.ts"
import { BadInput } from "../command/BadInput.ts"
import * as CommandHints from "../command/CommandHints.ts"
import * as Output from "../command/Output.ts"
import * as RunTablePage from "../pages/time/RunTablePage.ts"
import * as Align from "./Align.ts"

/**
 * Makes a fork for each agent, in order. If one fails, the forks before it stay, and the user reads how to compare
 * them.
 */
export const inTurn = <E, R>(
  agents: ReadonlyArray<Agent>,
  fork: (agent: Agent) => Effect.Effect<Forked, E, R>,
  log: string,
) =>
  Effect.gen(function* () {
    if (agents.length >= RunTable.MAX_RUNS) {
      const expected = `at most ${RunTable.MAX_RUNS - 1} models and agents, whose forks one table compares`
      return yield* new BadInput({ input: "--agent, --model", expected, found: `${agents.length}` })
    }
    const forks: Array<Forked> = []
    for (const agent of agents) {
      const made = yield* Effect.tapError(fork(agent), () =>
        forks.length === 0
          ? Effect.void
          : Output.note(CommandHints.inText(`The forks before it stay: \`${alignOf(forks, log)}\` compares them.`)),
      )
      forks.push(made)
    }
    return forks
  })

/** The runs of the table: the task that was forked, then its forks. */
const runsOf = (forks: ReadonlyArray<Forked>) =>
  forks.flatMap(({ parent, timeline, taskId }, index) => [
    ...(index === 0 ? [{ timeline: parent, taskId }] : []),
    { timeline, taskId },
  ])

const alignOf = (forks: ReadonlyArray<Forked>, log: string): string => {
  const runs = runsOf(forks).map(({ timeline, taskId }) => `${timeline}@${taskId}`)
  return CommandHints.written("align", ...runs, "--log", CommandHints.shortest(log))
}

/** Prints how the forks went, compared with the task that they continue. */
export const show = (forks: ReadonlyArray<Forked>, json: boolean) =>
  Effect.gen(function* () {
    const table = yield* Align.tableOfRuns(runsOf(forks))
    yield* Output.show(json, { forks, table }, (style) => ["", ...RunTablePage.lines(style, table)])
  })
