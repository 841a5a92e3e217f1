/** The command `hindcast fork`: lets an agent continue from a moment of a recorded task, on a new timeline. */
import { Args, Command, Options } from "@effect/cli"
import { Effect, Fiber, Option } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import type * as Agent from "../../kernel/agents/Agent.ts"
import type { ForkOptions, Overrides } from "../../kernel/fork/Fork.ts"
import * as Hindcast from "../../kernel/Hindcast.ts"
import { Kernel } from "../../kernel/Kernel.ts"
import type { Json } from "../../values/Json.ts"
import { BadInput } from "../command/BadInput.ts"
import * as CommandHints from "../command/CommandHints.ts"
import { common, oneOf, positive, sandbox, wholeNumber, workspace } from "../command/CommonOptions.ts"
import { userAsActor, userName } from "../command/CurrentUser.ts"
import * as Ids from "../command/Ids.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as ForkPage from "../pages/time/ForkPage.ts"
import * as AgentModule from "../task/AgentModule.ts"
import * as Prompter from "../task/Prompter.ts"
import { gateOf } from "../task/RunCommand.ts"
import * as RunProgress from "../task/RunProgress.ts"

const options = {
  agent: Options.text("agent").pipe(
    Options.withDescription("A JavaScript module whose default export is an agent: the one that goes on"),
  ),
  task: Options.text("task").pipe(
    Options.withDescription("The task that goes on. Default: that of the event at the moment"),
    Options.optional,
  ),
  timeline: Options.text("timeline").pipe(
    Options.withDescription("What the new timeline is called. Default: fork-1, fork-2 …"),
    Options.optional,
  ),
  override: Options.text("override").pipe(
    Options.withDescription(
      "What is otherwise: seed=N, goal=TEXT, reading:PLUGIN/SENSOR=JSON (what it says when it is first read), world:PLUGIN=JSON (a JSON Merge Patch of its document)",
    ),
    Options.repeated,
  ),
  io: oneOf("io", ["live", "recorded"]).pipe(
    Options.withDescription(
      "live: plugins carry out what it asks for; recorded: what was recorded answers, as long as it lasts. Default: live",
    ),
    Options.withDefault("live" as const),
  ),
  rewind: oneOf("rewind", ["snapshot", "re-execution"]).pipe(
    Options.withDescription("How worlds are brought back to the moment. Default: by snapshot where a plugin can"),
    Options.optional,
  ),
  acceptUnrewound: Options.boolean("accept-unrewound").pipe(
    Options.withDescription("Go on also where a world cannot be brought back"),
  ),
  fresh: Options.boolean("fresh").pipe(
    Options.withDescription("Let the agent begin at the moment, without being led through what was recorded"),
  ),
  maxSteps: wholeNumber("max-steps", 1).pipe(
    Options.withDescription("Steps the agent may take from there. Default: 100"),
    Options.optional,
  ),
  deadline: positive("deadline").pipe(
    Options.withDescription("Seconds that reading the sensors may take at each step. Default: until all have answered"),
    Options.optional,
  ),
  gate: oneOf("gate", ["ask", "allow", "deny"]).pipe(
    Options.withDescription(
      "ask: a person decides about what does not declare little risk; allow or deny: all of it. Default: ask",
    ),
    Options.withDefault("ask" as const),
  ),
  confirmWithin: positive("confirm-within").pipe(
    Options.withDescription("Seconds that a person has to answer. Default: 300"),
    Options.optional,
  ),
  sandbox,
  workspace,
}

/** `hindcast fork MOMENT` */
export const fork = Command.make(
  "fork",
  {
    ...common,
    at: Args.text({ name: "moment" }).pipe(
      Args.withDescription("The last moment that it shares: a position (@412, fork-1@512), an event's id, or a time"),
    ),
    ...options,
  },
  ({ log, json, ...typed }) =>
    Effect.gen(function* () {
      const agent = yield* AgentModule.load(typed.agent)
      const overrides = yield* overridesOf(typed.override)
      const filename = yield* OpenLog.existing(log)
      const kernel = Hindcast.layer({
        log: filename,
        workspace: yield* OpenLog.workspaceOf(typed.workspace),
        actor: userAsActor(),
        owner: `hindcast fork of ${userName()}`,
        gate: gateOf(typed.gate, typed.confirmWithin),
        host: { sandbox: typed.sandbox },
      })
      const { at, io, fresh, acceptUnrewound } = typed
      const forkOptions = {
        ...{ at, io, fresh, acceptUnrewound, overrides },
        ...optional("timeline", typed.timeline),
        ...optional("rewind", typed.rewind),
        ...optional("maxSteps", typed.maxSteps),
        ...optional(
          "deadlineMs",
          Option.map(typed.deadline, (seconds) => seconds * 1000),
        ),
      }
      yield* Effect.provide(perform(agent, forkOptions, typed.task, { filename, json }), kernel)
    }).pipe(Effect.scoped),
).pipe(Command.withDescription("Let an agent go on from a moment of a recorded task, in a timeline of its own"))

const optional = <Key extends string, A>(key: Key, value: Option.Option<A>): { readonly [K in Key]?: A } =>
  Option.isNone(value) ? {} : ({ [key]: value.value } as { readonly [K in Key]: A })

const perform = (
  agent: Agent.Agent,
  forkOptions: ForkOptions,
  task: Option.Option<string>,
  { filename, json }: { readonly filename: string; readonly json: boolean },
) =>
  Effect.gen(function* () {
    const kernel = yield* Kernel
    const named = Option.isNone(task) ? {} : { task: yield* Ids.task(task.value) }
    const { position } = yield* (yield* EventLog).head
    const progress = json ? undefined : yield* Effect.fork(RunProgress.follow(position, Output.styleOf(process.stdout)))
    yield* Effect.forkScoped(
      !json && Prompter.isPossible() ? Prompter.ask(position, filename) : Prompter.announce(position, filename),
    )
    const forked = yield* kernel.fork(agent, { ...forkOptions, ...named })
    if (progress !== undefined) yield* Fiber.join(progress)
    const { parent, timeline } = forked
    const compareCommand = CommandHints.command([
      "compare",
      `${parent}/live`,
      `${timeline}/live`,
      "--log",
      CommandHints.shortest(filename),
    ])
    yield* Output.show(json, forked, (style) => ForkPage.lines(style, forked, compareCommand))
  })

/** Parses `--override` options. Values are JSON, except a goal, which is plain text. */
const overridesOf = (texts: ReadonlyArray<string>): Effect.Effect<Overrides, BadInput> =>
  Effect.gen(function* () {
    let [readings, world]: ReadonlyArray<{ readonly [name: string]: Json }> = [{}, {}]
    let plain: Pick<Overrides, "seed" | "goal"> = {}
    for (const text of texts) {
      const input = `--override ${text}`
      const [, name = "", value = ""] = /^([^=]+)=(.*)$/s.exec(text) ?? []
      const [kind = "", of = ""] = name.split(/:(.*)/s)
      if (name === "goal" && value !== "") plain = { ...plain, goal: value }
      else if (name === "seed" && /^\d{1,15}$/.test(value)) plain = { ...plain, seed: Number(value) }
      else if (kind === "reading" && of.includes("/")) readings = { ...readings, [of]: yield* parsed(input, value) }
      else if (kind === "world" && of !== "") world = { ...world, [of]: yield* parsed(input, value) }
      else {
        const expected = "seed=N, goal=TEXT, reading:PLUGIN/SENSOR=JSON or world:PLUGIN=JSON"
        return yield* new BadInput({ input, expected, found: "another one" })
      }
    }
    return {
      ...plain,
      ...(Object.keys(readings ?? {}).length === 0 ? {} : { readings: readings ?? {} }),
      ...(Object.keys(world ?? {}).length === 0 ? {} : { world: world ?? {} }),
    }
  })

const parsed = (input: string, text: string): Effect.Effect<Json, BadInput> =>
  Effect.try({
    try: (): Json => JSON.parse(text),
    catch: () => new BadInput({ input, expected: "a value in JSON after the =", found: text === "" ? "none" : text }),
  })
