/** Walkers on a line, in memory: a world that conforms, and ways to make one mistake in it. */

import { Effect } from "effect"
import { restored, type StatefulGenerator, seeded } from "../../../src/plugins/numpy/Generator.ts"
import type { Json, JsonObject } from "../../../src/values/Json.ts"
import { asObject } from "../../../src/values/JsonObjects.ts"
import type {
  AgentStart,
  DrivenSpaces,
  DrivenWorld,
  OpenWorld,
  Refusal,
  Start,
  Stepped,
  WorldFacts,
} from "../../../src/worlds/conformance/DrivenWorld.ts"

/** What a walker's mistake can depend on. */
export interface Moment {
  /** How many copies were opened before this one. */
  readonly copy: number
  /** How many resets this copy had before. */
  readonly resets: number
  readonly seed: number
  readonly withOptions: boolean
  /** The number of the step, from 1; 0 after a reset. */
  readonly step: number
  /** The agents whose episode was not over before the step. */
  readonly live: ReadonlyArray<string>
}

/** One mistake: what is changed in what a world that conforms would answer. */
export interface Mistake {
  readonly facts?: Partial<WorldFacts>
  readonly spaces?: DrivenSpaces
  readonly start?: (start: Start, moment: Moment) => Start | Refusal
  readonly stepped?: (stepped: Stepped, moment: Moment) => Stepped | Refusal
  /** The walkers do not stop at their limit. */
  readonly endless?: boolean
  /** Walkers act after their end. */
  readonly undead?: boolean
  readonly secondClose?: Refusal
  /** A restored walker is at 0. */
  readonly lost?: boolean
  /** A restored world has another wind than it had. */
  readonly windless?: boolean
  /** The wind is drawn anew for who observes. */
  readonly gusty?: boolean
  /** A refused action moves the wind, in the document or, `secretly`, at the next step. */
  readonly sore?: "openly" | "secretly"
  /** The world takes what its masks leave out. */
  readonly lenient?: boolean
  /** The world cannot be restored. */
  readonly unrestorable?: boolean
}

/** The step at which the walkers' episodes are truncated. */
export const LIMIT = 8

const SPACES: DrivenSpaces = {
  observation: {
    type: "Dict",
    subspaces: {
      at: { type: "Box", dtype: "int64", shape: [1], low: -50, high: 50 },
      wind: { type: "Box", dtype: "float64", shape: [], low: 0, high: 1 },
    },
  },
  action: { type: "Discrete", n: 3 },
}

const NAMES: { readonly [mode in WorldFacts["mode"]]: ReadonlyArray<string> } = {
  single: ["agent"],
  parallel: ["alice", "bob"],
  "turn-based": ["alice", "bob"],
}

/** Opens copies of the world. In `parallel` and `turn-based`, there are two walkers; bob falls at 2. */
export const opening = (mode: WorldFacts["mode"], mistake: Mistake = {}): OpenWorld => {
  let copies = 0
  return Effect.sync(() => walkers(mode, mistake, copies++))
}

const walkers = (mode: WorldFacts["mode"], mistake: Mistake, copy: number): DrivenWorld => {
  const names = NAMES[mode]
  const facts: WorldFacts = {
    name: "walkers",
    mode,
    maxAgents: names.length,
    maxEpisodeSteps: LIMIT,
    mask: true,
    advice: false,
    endless: false,
    ...mistake.facts,
  }
  const spaces = mistake.spaces ?? SPACES
  let rng: StatefulGenerator = seeded(0)
  let at = new Map<string, number>()
  let status = new Map<string, string>()
  let [wind, step, resets, closed, turn] = [0, 0, 0, 0, 0]
  let last: Pick<Stepped, "observations" | "masks" | "document"> = { observations: {}, masks: {}, document: {} }

  const observation = (agent: string): Json => ({ at: [at.get(agent) ?? 0], wind })
  const mask = (agent: string): Json => [(at.get(agent) ?? 0) > -2 ? 1 : 0, 1, 1]
  const live = () => names.filter((name) => status.get(name) === "active")
  const whose = (): string | null =>
    mode === "turn-based" ? (live()[turn % Math.max(1, live().length)] ?? null) : null
  const of = <A>(agents: ReadonlyArray<string>, part: (agent: string) => A): { readonly [agent: string]: A } =>
    Object.fromEntries(agents.map((agent) => [agent, part(agent)]))
  const document = (): JsonObject => ({
    at: of(names, (name) => at.get(name) ?? 0),
    wind,
    turn,
    episode: {
      step,
      agents: of(names, (name) => ({ status: status.get(name) ?? "left", return: 0 })),
      rng: { ...rng.state() },
    },
  })
  const changed = <A>(answer: A | Refusal): Effect.Effect<A, Refusal> =>
    typeof answer === "object" && answer !== null && "code" in answer ? Effect.fail(answer) : Effect.succeed(answer)

  const restore = (state: Json) =>
    Effect.suspend(() => {
      const { at: places, episode, ...own } = asObject(state)
      const { agents, rng: drawn, step: steps } = asObject(episode)
      if (places === undefined || drawn === undefined) return Effect.fail({ code: "NoPlaces", message: "none" })
      at = new Map(Object.entries(asObject(places)).map(([name, place]) => [name, mistake.lost ? 0 : Number(place)]))
      status = new Map(Object.entries(asObject(agents)).map(([name, its]) => [name, String(asObject(its).status)]))
      rng = restored(drawn)
      ;[wind, turn, step] = [mistake.windless ? 0 : Number(own.wind), Number(own.turn), Number(steps)]
      last = {
        observations: of(names, observation),
        masks: of(live(), mask),
        document: mistake.lost ? document() : state,
      }
      return Effect.succeed(last.document)
    })

  return {
    facts,
    reset: (seed, options) =>
      Effect.suspend(() => {
        rng = seeded(seed)
        at = new Map(names.map((name) => [name, 0]))
        status = new Map(names.map((name) => [name, "active"]))
        step = 0
        turn = 0
        wind = rng.random()
        const agents = of(
          names,
          (name): AgentStart => ({ spaces, observation: observation(name), info: { wind }, mask: mask(name) }),
        )
        const start: Start = { agents, turn: whose(), document: document() }
        const moment = { copy, resets: resets++, seed, withOptions: options !== undefined, step, live: names }
        const answer = mistake.start?.(start, moment) ?? start
        if (!("code" in answer))
          last = {
            observations: of(Object.keys(answer.agents), (name) => answer.agents[name]?.observation ?? null),
            masks: of(Object.keys(answer.agents), (name) => answer.agents[name]?.mask ?? null),
            document: answer.document,
          }
        return changed(answer)
      }),
    step: (actions) =>
      Effect.suspend(() => {
        const before = live()
        const over = Object.keys(actions).find((agent) => !before.includes(agent))
        if (over !== undefined && mistake.undead !== true)
          return Effect.fail({ code: "EpisodeOver", message: `${over}'s episode is over` })
        const walled = Object.entries(actions).find(([agent, action]) => action === 0 && (at.get(agent) ?? 0) <= -2)
        if (walled !== undefined && facts.mask && mistake.lenient !== true) {
          if (mistake.sore !== undefined) wind = 0
          if (mistake.sore === "openly") last = { ...last, document: document() }
          if (mistake.sore === "secretly") rng.random()
          return Effect.fail({ code: "Wall", message: `${walled[0]} is at the wall`, byStep: true })
        }
        step += 1
        turn += 1
        wind = rng.random()
        for (const [agent, action] of Object.entries(actions)) at.set(agent, (at.get(agent) ?? 0) + Number(action) - 1)
        const isLast = step >= LIMIT && mistake.endless !== true
        const results = of(isLast ? before : Object.keys(actions), (agent) => {
          const fell = agent === "bob" && Math.abs(at.get(agent) ?? 0) >= 2
          if (fell || isLast) status.set(agent, fell ? "terminated" : "truncated")
          return { reward: at.get(agent) ?? 0, terminated: fell, truncated: isLast && !fell, info: { wind } }
        })
        if (mode === "turn-based" && live().length < before.length) turn = 0
        const stepped: Stepped = {
          results,
          observations: of(names, observation),
          masks: of(live(), mask),
          turn: whose(),
          document: document(),
          named: Object.keys(results),
        }
        const moment = { copy, resets: resets - 1, seed: 0, withOptions: false, step, live: before }
        const answer = mistake.stepped?.(stepped, moment) ?? stepped
        if (!("code" in answer)) last = answer
        return changed(answer)
      }),
    observe: Effect.sync(() => {
      if (mistake.gusty === true) {
        wind = rng.random()
        const masked = Object.keys(last.masks)
        last = {
          observations: of(Object.keys(last.observations), observation),
          masks: of(masked, mask),
          document: document(),
        }
      }
      return last
    }),
    document: Effect.sync(() => last.document),
    ...(mistake.unrestorable === true ? {} : { restore }),
    close: Effect.suspend(() =>
      closed++ > 0 && mistake.secondClose !== undefined ? Effect.fail(mistake.secondClose) : Effect.void,
    ),
  }
}
