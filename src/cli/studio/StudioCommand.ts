/** The command `hindcast studio`: serves a log's time-travel debugger to this machine's browser. */
import { Args, Command, Options } from "@effect/cli"
import { Effect, Layer, Option } from "effect"
import * as Confirmations from "../../kernel/gate/Confirmations.ts"
import { Kernel } from "../../kernel/Kernel.ts"
import { userName } from "../../platform/user/Machine.ts"
import type { Forking } from "../../studio/Allowed.ts"
import type { Consent } from "../../studio/drawing/Consent.ts"
import * as Studio from "../../studio/Studio.ts"
import { oneLine } from "../../values/PlainText.ts"
import { conducted } from "../../worlds/scenario/Scenario.ts"
import { BadInput } from "../command/BadInput.ts"
import { argument, common, flag, MOMENT, port as portNumber, repeatedText, TASK } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as TrustLog from "../command/TrustLog.ts"
import * as HealthOption from "../health/HealthOption.ts"
import * as HealthServer from "../health/HealthServer.ts"
import * as AgentAtWork from "../task/AgentAtWork.ts"
import * as AgentOption from "../task/AgentOption.ts"
import type * as Style from "../terminal/Style.ts"
import * as Text from "../terminal/Text.ts"
import * as UntilEnded from "../terminal/UntilEnded.ts"
import * as DrawOption from "./DrawOption.ts"
import * as Link from "./Link.ts"
import * as Scenarios from "./Scenarios.ts"
import * as SharedKernel from "./SharedKernel.ts"
import * as SharedStudio from "./SharedStudio.ts"

const options = {
  port: portNumber("port").pipe(
    Options.withDescription("The port to listen on. Default: any free port"),
    Options.optional,
  ),
  answer: flag("answer", "Allow answering questions in the page"),
  fork: flag("fork", "Allow the agents of --agent and --model to continue from any moment"),
  annotate: flag("annotate", "Allow adding notes, stars, tags and labels in the page"),
  write: flag("write", "Allow scoring tasks again and editing scenarios in the page"),
  scenarios: repeatedText(
    "scenarios",
    "With --write: a directory whose scenarios and rubrics the page may edit, and the agents of --agent and --model run",
  ),
  draw: DrawOption.option,
  share: SharedStudio.option,
  health: HealthOption.option,
  ...AgentOption.options("an agent that may continue tasks, as NAME=FILE"),
  ...AgentAtWork.options,
}

export const studio = Command.make(
  "studio",
  {
    ...common,
    link: argument("link", `Where to begin: a link that Studio copied, ${MOMENT}, or a task. ${TASK}`).pipe(
      Args.optional,
    ),
    ...options,
  },
  ({ share, ...given }) =>
    Effect.gen(function* () {
      return Option.isSome(share) ? yield* SharedStudio.serve(share.value, given) : yield* ofOneLog(given)
    }),
).pipe(Command.withDescription("Explore a log in the browser: its tasks, their moments and live events"))

const ofOneLog = ({
  log,
  json,
  link,
  port,
  answer,
  fork,
  annotate,
  write,
  scenarios,
  draw,
  health,
  ...typed
}: SharedStudio.Given) =>
  Effect.gen(function* () {
    const place = yield* OpenLog.placeToLookAt(log)
    const consents = yield* DrawOption.parsed(draw)
    const directories = yield* Scenarios.directoriesOf(scenarios, write)
    const working = { forks: fork, plays: directories.length > 0 }
    // Plugins are looked at from their copies next to the log's file.
    if (working.plays) yield* OpenLog.fileOf(log)
    const agents = yield* agentsOf(working, { ...typed, json })
    const acting = { ...typed, json }
    const isActing = answer || fork || annotate || write || directories.length > 0
    if (isActing) yield* Effect.provide(TrustLog.settled(acting), OpenLog.forPast(log))
    const inKernel = yield* SharedKernel.make(yield* AgentAtWork.kernel("studio", place.open, acting))
    const forks: Forking | null = fork
      ? {
          agents,
          run: (agent, options) => inKernel(Effect.flatMap(Kernel, (kernel) => kernel.fork(conducted(agent), options))),
        }
      : null
    const allowed = {
      answer,
      forks,
      write,
      annotate,
      talk: null,
      by: userName(),
      notes: [],
      ...(working.plays
        ? {
            scenarios: yield* Scenarios.staging({ directories, agents, filename: place.name, inKernel, typed: acting }),
          }
        : {}),
    }
    const served = Effect.gen(function* () {
      yield* DrawOption.checked(consents)
      const path = Option.isNone(link) ? "/" : yield* Link.pathOf(link.value)
      const { url } = yield* Studio.Studio
      const address = new URL(path, url)
      address.hash = new URL(url).hash
      yield* HealthServer.serve(health, { log })
      yield* UntilEnded.begin
      yield* json
        ? Output.writeWhole(Text.json({ url: address.href }))
        : Output.show(json, {}, (style) => lines(style, address.href, allowed, consents))
      return yield* Effect.never
    })
    const serving = Studio.serving(allowed, { port: Option.getOrUndefined(port), draw: consents })
    if (answer || annotate || write)
      return yield* Effect.provide(served, Layer.provideMerge(serving, OpenLog.forWriting(log)))
    const reading = Layer.provideMerge(Confirmations.layer, OpenLog.forPast(log))
    return yield* Effect.provide(served, Layer.provideMerge(serving, reading))
  }).pipe(Effect.scoped)

type Typed = AgentOption.TypedAgents & AgentAtWork.KernelInput

const agentsOf = ({ forks, plays }: { readonly forks: boolean; readonly plays: boolean }, typed: Typed) =>
  Effect.gen(function* () {
    const { named, other } = yield* AgentOption.loadAll(typed, "live")
    const agents = new Map([...(other === undefined ? [] : [[other.name, other] as const]), ...Object.entries(named)])
    if (!forks && !plays && agents.size > 0) {
      return yield* new BadInput({
        input: "--agent, --model",
        expected: "--fork or --scenarios with them",
        found: "none",
      })
    }
    if (forks && agents.size === 0) return yield* AgentOption.notOne("neither")
    return agents
  })

const lines = (
  style: Style.Style,
  address: string,
  { answer, forks, annotate, write, scenarios }: Studio.Allowing,
  consents: ReadonlyArray<Consent>,
) => {
  const allows = [
    ...(answer ? ["questions can be answered"] : []),
    ...(forks === null ? [] : [`${[...forks.agents.keys()].map(oneLine).join(", ")} can continue from any moment`]),
    ...(annotate ? ["notes, stars, tags and labels can be added"] : []),
    ...(write ? ["tasks can be scored again"] : []),
    ...(scenarios === undefined ? [] : [`scenarios can be edited in ${scenarios.directories.map(oneLine).join(", ")}`]),
    ...consents.map(({ plugin }) => `${plugin} draws with its own code`),
  ]
  return [
    address,
    "",
    `Open this link in a browser on this machine. Anyone who has the link can use Studio until it ends, so keep it private.`,
    style.dim(
      allows.length === 0
        ? "It is read-only. Press Ctrl-C to stop."
        : `In the page, ${allows.join(", and ")}. Press Ctrl-C to stop.`,
    ),
  ]
}
