/** Plans a season's tasks deterministically: which agent works on which task in which environment. */
import { PCGRandom } from "effect/Utils"
import type { AgentName } from "./Cast.ts"
import type { WorldName } from "./Worlds.ts"

export interface Planned {
  /** `task-0001` and so on, in the order of opening. */
  readonly id: string
  readonly agent: AgentName
  readonly world: WorldName
  readonly goal: string
  readonly maxSteps: number
  readonly seed: number
}

export interface Plan {
  /** The tasks that the first kernel completes. */
  readonly before: ReadonlyArray<Planned>
  /** The tasks that run when the first kernel is killed. Empty if there are too few tasks. */
  readonly cutOff: ReadonlyArray<Planned>
  /** The tasks of the second kernel. */
  readonly after: ReadonlyArray<Planned>
}

type Part = Pick<Planned, "agent" | "world" | "goal" | "maxSteps">

/** Plans a season. Pure: the same number and seed give the same tasks. */
export const plan = (tasks: number, seed: number): Plan => {
  const random = new PCGRandom(seed)
  const crashes = tasks >= MIN_TASKS_FOR_CRASH
  const usual = usualParts(crashes ? tasks - CUT_OFF.length : tasks, random)
  const first = crashes ? Math.floor(usual.length / 2) : 0
  const all = [...usual.slice(0, first), ...(crashes ? CUT_OFF : []), ...usual.slice(first)]
  const digits = Math.max(4, String(tasks).length)
  const planned = all.map(
    (part, index): Planned => ({
      id: `task-${String(index + 1).padStart(digits, "0")}`,
      ...part,
      seed: random.integer(MAX_SEED),
    }),
  )
  const second = crashes ? first + CUT_OFF.length : 0
  return { before: planned.slice(0, first), cutOff: planned.slice(first, second), after: planned.slice(second) }
}

const MAX_SEED = 2 ** 31

const GOALS = {
  "the-lost-key": "Take the document out of the locked desk",
  "the-greenhouse": "Take the seeds out of the cabinet",
  "the-signal-house": "Fetch the lamp for the night train",
  "the-empty-desk": "Take the letter out of the desk",
} as const

const play = (agent: AgentName, world: keyof typeof GOALS, maxSteps: number): Part => ({
  agent,
  world,
  maxSteps,
  goal: GOALS[world],
})

const keep = (goal: string): Part => ({ agent: "clerk", world: "files", goal, maxSteps: 4 })

const heat = (agent: AgentName, world: WorldName): Part => ({
  agent,
  world,
  maxSteps: 10,
  goal: "Keep the water between 60 and 80 °C",
})

/** The twenty tasks of a round. A short season takes the first ones, of as many kinds as possible, in random order. */
const roundOf = (round: number): ReadonlyArray<Part> => [
  play("apprentice", "the-lost-key", 13),
  play("wanderer", "the-lost-key", 10),
  keep("File the minutes in notes/minutes.md"),
  play("hothead", "the-lost-key", 10),
  heat("stoker", "warm-boiler"),
  keep("Change the rota in rota/week.md"),
  play("careful", "the-lost-key", 30),
  play("glass", "the-greenhouse", 10),
  round % 3 === 0 ? keep("Count the files by a command") : keep("File the letters in notes/letters.md"),
  heat("daredevil", round % 4 === 0 ? "stuck-boiler" : "warm-boiler"),
  play("careful", "the-empty-desk", 30),
  play("apprentice", "the-lost-key", 13),
  play("careful", "the-greenhouse", 30),
  play("knows-the-way", round % 2 === 0 ? "the-lost-key" : "the-greenhouse", 10),
  play("apprentice", "the-lost-key", 13),
  play("careful", "the-signal-house", 30),
  heat("stoker", "cold-boiler"),
  play("apprentice", "the-lost-key", 13),
  play("wanderer", "the-greenhouse", 10),
  play("hothead", "the-greenhouse", 10),
]

/** Tasks that the crash interrupts: a deciding agent, a running command, and a pending confirmation. */
const CUT_OFF: ReadonlyArray<Part> = [
  play("ponderer", "the-signal-house", 30),
  heat("sleeper", "warm-boiler"),
  keep("Enter the cash in ledger/cash.md"),
]

/** In a shorter season, the interrupted tasks would be more than half. */
const MIN_TASKS_FOR_CRASH = CUT_OFF.length * 2

const usualParts = (count: number, random: PCGRandom): ReadonlyArray<Part> => {
  const parts: Array<Part> = []
  for (let round = 0; parts.length < count; round++) {
    parts.push(...shuffled(roundOf(round).slice(0, count - parts.length), random))
  }
  return parts
}

/** A random order (Fisher–Yates). */
const shuffled = <A>(items: ReadonlyArray<A>, random: PCGRandom): ReadonlyArray<A> => {
  const remaining = [...items]
  return items.flatMap(() => remaining.splice(random.integer(remaining.length), 1))
}
