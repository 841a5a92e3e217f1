/** The command `hindcast saw`: the whole request of a model call, its difference to another, and as a `curl` command. */
import { Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import * as Moment from "../../events/read/Moment.ts"
import * as RequestDifference from "../../projections/request/RequestDifference.ts"
import * as Saw from "../../projections/request/Saw.ts"
import * as Curl from "../../providers/writing/Curl.ts"
import { BadInput } from "../command/BadInput.ts"
import { argument, common, flag, optionalText, positive } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as RunOption from "../command/RunOption.ts"
import * as SawPage from "../pages/time/SawPage.ts"

const of = argument("of", "An event (@412, fork-1@412), or a task, whose last request is shown")

const turn = positive("turn").pipe(
  Options.withDescription("With a task: the number of the request, from 1. Default: the last one"),
  Options.optional,
)

const diff = flag("diff", "Show the difference to the previous request of the conversation")

const vs = optionalText("vs", `Show the difference to the same turn of ${RunOption.RUN}`)

const curl = flag("curl", "Print the request as a curl command, with the name of the key's environment variable")

const whole = flag("whole", "Print long parts to their end")

export const saw = Command.make(
  "saw",
  { ...common, of, turn, diff, vs, curl, whole },
  ({ log, json, of, turn, diff, vs, curl, whole }) =>
    Effect.gen(function* () {
      if (curl && (diff || Option.isSome(vs))) {
        return yield* new BadInput({ input: "--curl", expected: "it alone", found: diff ? "--diff" : "--vs" })
      }
      const found = yield* named(of, turn)
      if (curl) {
        const command = Curl.command(found.request)
        return yield* json ? Output.show(true, { ...documentOf(found), command }, () => []) : Output.writePart(command)
      }
      if (!diff && Option.isNone(vs)) {
        return yield* Output.show(json, documentOf(found), (style) => SawPage.lines(style, found, whole))
      }
      const compared = Option.isSome(vs) ? yield* across(found, vs.value) : yield* Saw.sincePrevious(found)
      if (compared === undefined) {
        const sentence = Option.isSome(vs)
          ? `${vs.value} has no request that corresponds to @${found.request.position}.`
          : `@${found.request.position} is the first request of its conversation.`
        return yield* Output.show(json, { before: null, after: documentOf(found), changes: null }, () => [sentence])
      }
      const { before, after, changes } = compared
      const document = {
        before: documentOf(before),
        after: documentOf(after),
        counts: RequestDifference.countsOf(changes),
        changes,
      }
      yield* Output.show(json, document, (style) => SawPage.difference(style, compared))
    }).pipe(Effect.provide(OpenLog.forPast(log))),
).pipe(Command.withDescription("Show what the model saw in a turn: the whole request, put together from the log"))

/** An event, or a task that may be on a timeline (`fork-1@TASK`). */
const named = (text: string, turn: Option.Option<number>) =>
  Effect.gen(function* () {
    if (Moment.isAddress(text)) {
      if (Option.isNone(turn)) return yield* Saw.at(text)
      return yield* new BadInput({
        input: "--turn",
        expected: "a task with it",
        found: `the position ${text}`,
      })
    }
    const { taskId, timeline = (yield* EventLog).timeline } = yield* RunOption.named(text, Option.none())
    if (taskId === undefined)
      return yield* new BadInput({ input: text, expected: "an event or a task", found: "a timeline" })
    return yield* Saw.turn({ timeline, taskId }, Option.getOrUndefined(turn))
  })

const across = (found: Saw.Saw, run: string) =>
  Effect.gen(function* () {
    const { taskId = found.taskId, timeline = (yield* EventLog).timeline } = yield* RunOption.named(run, Option.none())
    return taskId === null ? undefined : yield* Saw.acrossTo(found, { taskId, timeline })
  })

const documentOf = ({ request, ...saw }: Saw.Saw) => ({ ...saw, ...request })
