/** The command `hindcast chat`: a conversation with an agent at work, in the terminal or through pipes. */

import { Command } from "@effect/cli"
import { Effect, Option } from "effect"
import * as Deltas from "../../agents/channel/Deltas.ts"
import { EventLog } from "../../events/log/EventLog.ts"
import { userName } from "../../platform/user/Machine.ts"
import { conducted } from "../../worlds/scenario/Scenario.ts"
import { BadInput } from "../command/BadInput.ts"
import * as CommandHints from "../command/CommandHints.ts"
import { common, given, optionalText, TASK } from "../command/CommonOptions.ts"
import * as Ids from "../command/Ids.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as TimelineOption from "../command/TimelineOption.ts"
import * as AgentAtWork from "../task/AgentAtWork.ts"
import * as AgentOption from "../task/AgentOption.ts"
import * as Prompter from "../task/Prompter.ts"
import * as RunCommand from "../task/RunCommand.ts"
import * as RunPlugins from "../task/RunPlugins.ts"
import * as Chat from "./Chat.ts"
import * as ChatPages from "./ChatPages.ts"
import * as ChatTerminal from "./ChatTerminal.ts"
import * as ConversationAtWork from "./ConversationAtWork.ts"

const options = {
  ...AgentOption.modelOptions,
  ...RunCommand.workOptions,
  goal: optionalText("goal", "The first message. Default: the first line that you type"),
  task: optionalText("task", `Instead of --model: a task that another process works on. ${TASK}`),
  timeline: TimelineOption.timeline,
}

export const chat = Command.make("chat", { ...common, ...options }, ({ log, json, ...typed }) =>
  Effect.gen(function* () {
    if (Option.isSome(typed.model) === Option.isSome(typed.task)) {
      const found = Option.isSome(typed.model) ? "both" : "neither"
      return yield* new BadInput({ input: "--model, --task", expected: "one of them", found })
    }
    const user = userName()
    if (Option.isSome(typed.task)) {
      const { task, timeline } = typed
      const attached = Effect.gen(function* () {
        const conversation = yield* ConversationAtWork.attach(
          yield* Ids.task(task.value),
          Option.getOrUndefined(timeline),
        )
        yield* talk(conversation, { json, user })
      })
      return yield* Effect.provide(attached, OpenLog.forWriting(log))
    }
    const deltas = Deltas.make()
    const model = yield* AgentOption.modelOf(Option.getOrThrow(typed.model), typed.cassette, "live")
    const agent = yield* AgentOption.fromModel(typed, model, {
      conversation: true,
      onDelta: deltas.onDelta,
    })
    const { open, name: filename } = yield* OpenLog.placeOf(log)
    const kernel = yield* AgentAtWork.kernel("chat", open, { ...typed, json, onProgress: deltas.onProgress })
    const { maxSteps, subject, deadlineMs } = typed
    const worked = Effect.gen(function* () {
      const { opening, played } = yield* RunPlugins.prepare({ ...typed, json })
      if (played !== undefined && played.agents.length > 1) {
        const found = `one of ${played.agents.length}, which \`hindcast run\` can play`
        return yield* new BadInput({ input: "--scenario", expected: "a scenario of one agent", found })
      }
      const terminal = yield* terminalOf(json)
      const { position } = yield* (yield* EventLog).head
      if (!terminal.isInteractive) yield* Effect.forkScoped(Prompter.announce(position, filename))
      const goal = Option.isSome(typed.goal) ? typed.goal.value : yield* firstLine(terminal)
      const conversation = yield* ConversationAtWork.begin(conducted(agent, played?.playing), deltas, {
        goal,
        ...opening,
        ...given({ maxSteps, subject, deadlineMs }),
      })
      const { channel } = yield* Chat.talk(conversation, { terminal, json, user })
      if (json) return
      const audit = CommandHints.command(["audit", channel.taskId, "--log", filename])
      const summary = [...(yield* ChatPages.cost(channel)), terminal.style.dim(`Task ${channel.taskId}: ${audit}`)]
      yield* terminal.write(`${summary.join("\n")}\n`)
    })
    yield* Effect.provide(worked, kernel)
  }).pipe(Effect.scoped),
).pipe(
  Command.withDescription(
    "Talk with an agent while it works: see its answers and commands as they come, and decide its confirmations",
  ),
)

const terminalOf = (json: boolean) => (json ? ChatTerminal.piped : ChatTerminal.standard)

const talk = (
  conversation: ConversationAtWork.ConversationAtWork,
  { json, user }: { readonly json: boolean; readonly user: string },
) =>
  Effect.flatMap(terminalOf(json), (terminal) => Chat.talk(conversation, { terminal, json, user })).pipe(Effect.scoped)

const firstLine = (terminal: ChatTerminal.ChatTerminal): Effect.Effect<string, BadInput> =>
  Effect.flatMap(terminal.next, (line) => {
    if (line === undefined)
      return new BadInput({ input: "the input", expected: "a first line, or --goal", found: "none" })
    return line.trim() === "" ? firstLine(terminal) : Effect.succeed(line.trim())
  })
