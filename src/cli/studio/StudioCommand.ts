/** The command `hindcast studio`: serves the time-travel debugger of a log to this machine's browser. */
import { Args, Command, Options } from "@effect/cli"
import { Effect, Layer, Option } from "effect"
import * as Confirmations from "../../kernel/gate/Confirmations.ts"
import { Kernel } from "../../kernel/Kernel.ts"
import type { Forking } from "../../studio/Allowed.ts"
import * as Studio from "../../studio/Studio.ts"
import { oneLine } from "../../values/PlainText.ts"
import { conducted } from "../../worlds/scenario/Scenario.ts"
import { BadInput } from "../command/BadInput.ts"
import { argument, common, flag, MOMENT, TASK, wholeNumber } from "../command/CommonOptions.ts"
import { userName } from "../command/CurrentUser.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as AgentAtWork from "../task/AgentAtWork.ts"
import * as AgentOption from "../task/AgentOption.ts"
import type * as Style from "../terminal/Style.ts"
import * as Text from "../terminal/Text.ts"
import * as Link from "./Link.ts"
import * as SharedKernel from "./SharedKernel.ts"

const options = {
  port: wholeNumber("port", 0).pipe(
    Options.withDescription("The port to listen on. Default: one that is free"),
    Options.optional,
  ),
  answer: flag("answer", "Let questions be answered in the page"),
  fork: flag("fork", "Let the agents that are named by --agent or --model go on from any moment"),
  write: flag("write", "Let tasks be scored again from the page"),
  ...AgentOption.options("an agent that may go on, as NAME=FILE"),
  ...AgentAtWork.options,
}

/** `hindcast studio [LINK]` */
export const studio = Command.make(
  "studio",
  {
    ...common,
    link: argument("link", `Where to begin: a link that Studio copied, ${MOMENT}, or a task. ${TASK}`).pipe(
      Args.optional,
    ),
    ...options,
  },
  ({ log, json, link, port, answer, fork, write, ...typed }) =>
    Effect.gen(function* () {
      const filename = yield* OpenLog.existing(log)
      const forks = yield* forksOf(filename, fork, typed)
      const allowed = { answer, forks, write, talk: null, by: userName(), notes: [] }
      const served = Effect.gen(function* () {
        const path = Option.isNone(link) ? "/" : yield* Link.pathOf(link.value)
        const { url } = yield* Studio.Studio
        const address = new URL(path, url)
        address.hash = new URL(url).hash
        yield* json
          ? Output.writeWhole(Text.json({ url: address.href }))
          : Output.show(json, {}, (style) => lines(style, address.href, allowed))
        return yield* Effect.never
      })
      const serving = Studio.serving(allowed, Option.getOrUndefined(port))
      if (answer || write) return yield* Effect.provide(served, Layer.provideMerge(serving, OpenLog.forWriting(log)))
      const reading = Layer.provideMerge(Confirmations.layer, OpenLog.forEvents(log))
      return yield* Effect.provide(served, Layer.provideMerge(serving, reading))
    }).pipe(Effect.scoped),
).pipe(Command.withDescription("Look at a log in the browser: its tasks, each moment of them, and what happens now"))

type Typed = AgentOption.TypedAgents & AgentAtWork.KernelInput

/** The agents that may go on. Forks at the same time share a kernel; between them the log is free. */
const forksOf = (filename: string, fork: boolean, typed: Typed) =>
  Effect.gen(function* () {
    const { named, other } = yield* AgentOption.loadAll(typed, "live")
    const agents = new Map([...(other === undefined ? [] : [[other.name, other] as const]), ...Object.entries(named)])
    if (!fork && agents.size === 0) return null
    if (!fork) return yield* new BadInput({ input: "--agent, --model", expected: "--fork beside them", found: "none" })
    if (agents.size === 0) return yield* AgentOption.notOne("neither")
    const sharing = yield* SharedKernel.make(yield* AgentAtWork.kernel("studio", filename, typed))
    const run: Forking["run"] = (agent, options) =>
      sharing(Effect.flatMap(Kernel, (kernel) => kernel.fork(conducted(agent), options)))
    return { agents, run }
  })

const lines = (style: Style.Style, address: string, { answer, forks, write }: Studio.Allowing) => {
  const allows = [
    ...(answer ? ["questions can be answered"] : []),
    ...(forks === null ? [] : [`${[...forks.agents.keys()].map(oneLine).join(", ")} can go on from any moment`]),
    ...(write ? ["tasks can be scored again"] : []),
  ]
  return [
    address,
    "",
    `Open it in a browser on this machine. Whoever has the address can use it while this runs: keep it to yourself.`,
    style.dim(
      allows.length === 0 ? "It only reads. Ctrl-C ends it." : `There, ${allows.join(", and ")}. Ctrl-C ends it.`,
    ),
  ]
}
