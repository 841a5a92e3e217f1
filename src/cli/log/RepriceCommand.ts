/** The command `hindcast log reprice`: the cost of a log's model calls by today's price table. */
import { Command } from "@effect/cli"
import { Effect, Option } from "effect"
import { type Costs, type RepricedModel, type Repricing, reprice as repriced } from "../../record/Repricing.ts"
import * as Money from "../../values/Money.ts"
import { common, optionalText } from "../command/CommonOptions.ts"
import * as Ids from "../command/Ids.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import type { Style } from "../terminal/Style.ts"
import { count, oneLine } from "../terminal/Text.ts"

const task = optionalText("task", "Only the calls of this task")

export const reprice = Command.make("reprice", { ...common, task }, ({ log, json, task }) =>
  Effect.gen(function* () {
    const taskId = Option.isNone(task) ? undefined : yield* Ids.task(task.value)
    const found = yield* repriced(taskId)
    yield* Output.show(json, found, (style) => lines(style, found))
  }).pipe(Effect.provide(OpenLog.forEvents(log))),
).pipe(
  Command.withDescription(
    "Calculate the cost of all model calls again by today's price table, each at the time of its answer, and report calls with too little data. The log does not change",
  ),
)

const lines = (style: Style, { calls, recorded, repriced, models }: Repricing): ReadonlyArray<string> =>
  calls === 0
    ? ["No model call has ended in these events, so there is nothing to price."]
    : [
        `${count(calls, "model call")}: ${text(recorded)} on record, ${style.bold(text(repriced))} by today's prices. The log is unchanged.`,
        ...models.flatMap(modelLines),
      ]

const modelLines = ({ model, calls, recorded, repriced, changed, unknown }: RepricedModel): ReadonlyArray<string> => [
  `  ${oneLine(model)}: ${count(calls, "call")}, ${text(recorded)} on record, ${text(repriced)} now${changed === 0 ? "" : `; ${count(changed, "call")} changed`}`,
  ...Object.entries(unknown).map(([why, calls]) => `    ${count(calls, "call")} of unknown cost: ${oneLine(why)}`),
]

const text = ({ atLeast, unpriced, saved }: Costs): string => {
  const saving = saved === undefined ? undefined : Money.saving(saved)
  return `${Money.cost({ usd: unpriced === 0 ? atLeast : null, atLeast })}${saving === undefined ? "" : ` (${saving})`}`
}
