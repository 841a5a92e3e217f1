/** Methods that make worlds and act in them. Each episode is a task of the world's log. */
import { Effect, Schema } from "effect"
import { Kernel } from "../../../kernel/Kernel.ts"
import * as ShippedPlugins from "../../../plugins/ShippedPlugins.ts"
import * as Worlds from "../../../projections/state/Worlds.ts"
import { defined } from "../../../values/defined.ts"
import { Json, JsonObject } from "../../../values/Json.ts"
import { drawSvg } from "../../../views/drawSvg.ts"
import { drawText } from "../../../views/drawText.ts"
import { type AECEnv, infoOf } from "../../../worlds/adapters/AgentCycle.ts"
import type { World } from "../../../worlds/handle/World.ts"
import { ViewNotFound } from "../../time/StateView.ts"
import * as Method from "../Method.ts"
import type { OpenedWorld } from "../OpenedWorlds.ts"

const { optional } = Method

const Making = Schema.Struct({
  world: Schema.String,
  log: optional(Schema.String),
  goal: optional(Schema.String),
  agents: optional(Schema.Array(Schema.String)),
  options: optional(JsonObject),
  gate: optional(Schema.Literal("ask", "allow", "deny")),
  sandbox: optional(Schema.Literal("auto", "namespaces", "flags")),
  trust: optional(Schema.Boolean),
})

const list = Method.make("world.list", Method.NOTHING, () => Effect.sync(() => ShippedPlugins.worlds()))

/** Answers the world's number and description. Its process starts with the first reset. */
const made = Method.make("world.make", Making, (given, { worlds }) =>
  Effect.gen(function* () {
    const settings = { gate: "ask", sandbox: "auto", trust: false } as const
    const { number, world, filename, services } = yield* worlds.open({ ...settings, ...given })
    const view = yield* Effect.provide(viewOf(world), services)
    return {
      world: number,
      name: world.name,
      info: world.info,
      mode: world.mode(),
      agents: world.agents(),
      spaces: world.spaces(),
      agentSpaces: spacesOf(world),
      hasView: view !== undefined,
      log: filename,
    }
  }),
)

/** The spaces of all agents. */
const spacesOf = (world: World) => Object.fromEntries(world.agents().map((agent) => [agent, world.spaces(agent)]))

interface OfWorld {
  readonly world: number
}

/** A method of an open world. */
const ofWorld = <Fields extends Schema.Struct.Fields, E>(
  name: string,
  fields: Fields,
  run: (opened: OpenedWorld, params: Schema.Struct.Type<Fields>) => Effect.Effect<unknown, E>,
): Method.Method => {
  const params = Schema.Struct({ world: Schema.Number, ...fields }) as unknown as Schema.Schema<
    OfWorld & Schema.Struct.Type<Fields>
  >
  return Method.make(name, params, (given, { worlds }) =>
    Effect.flatMap(worlds.find(given.world), (opened) => run(opened, given)),
  )
}

/** Begins an episode. The answer has its spaces, which the options may have changed, and its task. */
const reset = ofWorld(
  "world.reset",
  { seed: optional(Schema.Number), options: optional(JsonObject) },
  ({ world }, { seed, options }) =>
    Effect.gen(function* () {
      const { observation, info, agents } = yield* world.reset(defined({ seed, options }))
      const task = yield* world.taskId
      const [mode, spaces, agentSpaces] = [world.mode(), world.spaces(), spacesOf(world)]
      return { observation, info, agents, task, mode, spaces, agentSpaces }
    }),
)

const step = ofWorld("world.step", { action: Json }, ({ world }, { action }) => world.step(action))

/** A round in which several agents act. */
const together = ofWorld(
  "world.together",
  { actions: Schema.Record({ key: Schema.String, value: Json }) },
  ({ world }, { actions }) =>
    Effect.map(world.stepTogether(actions), (results) =>
      Object.fromEntries(
        Object.entries(results).map(([agent, { refused, ...result }]) => [
          agent,
          { ...result, info: infoOf({ info: result.info, ...defined({ refused }) }) },
        ]),
      ),
    ),
)

const ofAgent = { agent: optional(Schema.String) }

const observe = ofWorld("world.observe", ofAgent, ({ world }, { agent }) => world.observe(agent))

const mask = ofWorld("world.mask", ofAgent, ({ world }, { agent }) => world.mask(agent))

/** Begins an episode in which agents act one after another. */
const cycleReset = ofWorld(
  "cycle.reset",
  { seed: optional(Schema.Number), options: optional(JsonObject) },
  ({ world, cycle }, { seed, options }) =>
    Effect.gen(function* () {
      yield* cycle.reset(defined({ seed, options }))
      return { ...cycleState(cycle), task: yield* world.taskId, agentSpaces: spacesOf(world) }
    }),
)

/** Acts as the agent whose turn it is. */
const cycleStep = ofWorld("cycle.step", { action: Json }, ({ cycle }, { action }) =>
  Effect.map(cycle.step(action), () => cycleState(cycle)),
)

const cycleState = (cycle: AECEnv) => ({
  agents: cycle.agents(),
  selected: cycle.agent_selection(),
  rewards: cycle.rewards(),
  cumulative: cycle.cumulative_rewards(),
  terminations: cycle.terminations(),
  truncations: cycle.truncations(),
  infos: cycle.infos(),
})

const state = ofWorld("world.state", {}, ({ world }) => world.state)

const status = ofWorld("world.status", {}, ({ world }) => world.status())

/** Draws the episode by the view in the manifest. */
const render = ofWorld(
  "world.render",
  { as: Schema.Literal("text", "svg"), columns: optional(Schema.Number) },
  ({ world, services }, { as, columns = 80 }) =>
    Effect.gen(function* () {
      const drawn = yield* viewOf(world)
      const document = yield* world.state
      if (drawn === undefined) {
        const taskId = yield* world.taskId
        return yield* new ViewNotFound({ timeline: "main", position: 0, taskId, plugin: world.name, plugins: [] })
      }
      const view = yield* drawn
      return as === "svg" ? drawSvg(view, document, { columns }) : drawText(view, document, { columns }).join("\n")
    }).pipe(Effect.provide(services)),
)

/** The view of the world's plugin, or its flaws; undefined if it has none. */
const viewOf = ({ name }: World) =>
  Effect.gen(function* () {
    const registry = yield* (yield* Kernel).plugins.state
    return Worlds.worldsOf({ environment: { [name]: null } }, registry)[0]?.view
  })

const close = Method.make("world.close", Schema.Struct({ world: Schema.Number }), ({ world }, { worlds }) =>
  worlds.close(world),
)

export const METHODS: ReadonlyArray<Method.Method> = [
  ...[list, made, reset, step, together, observe, mask, state, status, render, close],
  ...[cycleReset, cycleStep],
]
