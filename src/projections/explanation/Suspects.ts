/**
 * Finds events that may be the cause of a failure. Each detector looks for one kind of mistake in the recorded steps;
 * none knows the right steps. More informative kinds of mistakes come first.
 */

import * as DidYouMean from "../../values/DidYouMean.ts"
import { at, duration, shorten, value } from "../../values/Formats.ts"
import type { Json } from "../../values/Json.ts"
import * as EventSummary from "../summary/EventSummary.ts"
import { type Course, nameOf, type Source, type Step } from "./Course.ts"
import * as Facts from "./Facts.ts"
import type * as Flow from "./Flow.ts"
import * as Identifiers from "./Identifiers.ts"

export interface Suspect {
  readonly kind: string
  /** The event to look at first. */
  readonly at: number
  /** One sentence that names the other positions. */
  readonly says: string
  /** Higher is likelier: how much the kind tells, and whether the failure depends on it. */
  readonly weight: number
  /** A change by somebody else that the agent had not read. */
  readonly unread?: { readonly at: number; readonly says: string }
}

/** All suspects of a course, likeliest first; of one event only the likeliest. */
export const of = (course: Course, flow: Flow.Flow): ReadonlyArray<Suspect> => {
  const all = DETECTORS.flatMap((detect) => detect(course, flow)).sort((a, b) => b.weight - a.weight || a.at - b.at)
  const seen = new Set<number>()
  return all.filter(({ at }) => {
    const isNew = !seen.has(at)
    seen.add(at)
    return isNew
  })
}

type Detector = (course: Course, flow: Flow.Flow) => ReadonlyArray<Suspect>

const endedAt = ({ at, end }: Step): number => end?.at ?? at

const named = nameOf

/** Weighs a suspect by whether the failure depends on it. */
const weigh = (weight: number, isUsed: boolean): number => (isUsed ? weight + 2 : weight)

/** A denied command whose target another command reached. */
const workedAround: Detector = ({ steps }) =>
  steps.flatMap((step): ReadonlyArray<Suspect> => {
    if (step.end?.kind !== "denied") return []
    const { at: position, rule, reason } = step.end
    const targets = Identifiers.inValue(step.args)
    const around = steps.find(
      (other) => other.at > position && other.end?.kind === "succeeded" && shares(targets, other.args),
    )
    const denied = `${named(step)} was denied ${at(position)} by ${rule}${reason === "" ? "" : ` (${shorten(reason, 60)})`}`
    return around === undefined
      ? [{ kind: "denied", at: position, says: `${denied}; no later call reached the same thing.`, weight: 4 }]
      : [
          {
            kind: "worked around",
            at: around.at,
            says: `${denied}, but ${named(around)} ${at(around.at)} reached the same thing.`,
            weight: 9,
          },
        ]
  })

const shares = (identifiers: ReadonlySet<string>, args: Json): boolean => {
  if (identifiers.size === 0) return false
  const text = JSON.stringify(args)
  return [...identifiers].some((one) => text.includes(JSON.stringify(one).slice(1, -1)))
}

/** A failed command that no later one with the same actuator made good, and the first of equal failures. */
const failed: Detector = ({ steps }, { isUsed }) => {
  const seen = new Set<string>()
  return steps.flatMap((step): ReadonlyArray<Suspect> => {
    if (step.end?.kind !== "failed") return []
    const { at: position, code, message } = step.end
    const key = `${step.actuator} ${code}`
    const isFirst = !seen.has(key)
    seen.add(key)
    const later = steps.filter((other) => other.at > position && other.actuator === step.actuator)
    const good = later.find((other) => other.end?.kind === "succeeded" && sameArgs(other, step))
    const again = later.filter((other) => other.end?.kind === "failed").length
    const said = `${named(step)} failed ${at(position)} with ${code}: ${shorten(message, 80)}`
    if (!isFirst) return []
    if (good !== undefined) {
      return [{ kind: "failed once", at: position, says: `${said}; repeated ${at(good.at)}, it succeeded.`, weight: 3 }]
    }
    const times = again === 0 ? "" : ` (${again} more like it)`
    const next = later.length === 0 ? "; it was not retried" : ""
    return [{ kind: "failed", at: position, says: `${said}${times}${next}.`, weight: weigh(6, isUsed(position)) }]
  })
}

const sameArgs = (a: Step, b: Step): boolean => JSON.stringify(a.args) === JSON.stringify(b.args)

/** A success whose result reports a problem. */
const quietProblem: Detector = ({ sources }, { isUsed, usersOf }) =>
  sources.flatMap((source): ReadonlyArray<Suspect> => {
    const problem = Facts.problemIn(source.value)
    if (problem === undefined) return []
    const [user] = usersOf(source.at)
    const used = user === undefined ? "" : ` ${named(user)} ${at(user.at)} used it.`
    return [
      {
        kind: "problem in a result",
        at: source.at,
        says: `${source.from} succeeded, but its result has ${shorten(problem, 80)}.${used}`,
        weight: weigh(5, isUsed(source.at)),
      },
    ]
  })

/** Two sources that state different values of the same thing, without a command about it in between. */
const contradiction: Detector = ({ sources, steps }, { isUsed, usersOf }) => {
  const known = new Map<string, { readonly source: Source; readonly fact: Facts.Fact }>()
  const found: Array<Suspect> = []
  for (const source of sources) {
    for (const fact of Facts.of(source.value, source.from)) {
      const key = `${fact.about} ${fact.name}`
      const before = known.get(key)
      known.set(key, { source, fact })
      if (before === undefined || before.fact.value === fact.value || before.source.at === source.at) continue
      // A sensor's readings change with the world.
      if (before.source.step === null && before.source.from === source.from) continue
      const written = steps.find(
        (step) =>
          step.at > before.source.at &&
          endedAt(step) < source.at &&
          step !== source.step &&
          step.end?.kind === "succeeded" &&
          step.actuator !== before.source.step?.actuator &&
          shares(new Set([fact.about]), step.args),
      )
      if (written !== undefined) continue
      const [use] = usersOf(before.source.at)
      found.push({
        kind: "sources disagree",
        at: before.source.at,
        says: `${before.source.from} said ${fact.name} of ${fact.about} is ${value(before.fact.value, 40)}; ${source.from} said ${value(fact.value, 40)} ${at(source.at)}.${use === undefined ? "" : ` ${named(use)} ${at(use.at)} used the first.`}`,
        weight: weigh(6, isUsed(before.source.at) || use !== undefined),
      })
    }
  }
  return found
}

/** A command on a value that was read before somebody else acted on the same thing. */
const staleRead: Detector = ({ steps }, { usesOf }) =>
  steps.flatMap((step): ReadonlyArray<Suspect> => {
    if (step.end?.kind !== "succeeded") return []
    const things = Identifiers.inValue(step.args)
    for (const source of usesOf(step)) {
      if (source.step === null || source.step.by !== step.by || source.step.actuator === step.actuator) continue
      const between = steps.find(
        (other) =>
          other !== step &&
          other.end?.kind === "succeeded" &&
          other.end.at > source.at &&
          other.end.at < endedAt(step) &&
          other.actuator !== source.step?.actuator &&
          (other.by !== step.by || other.taskId !== step.taskId) &&
          shares(things, other.args),
      )
      if (between === undefined) continue
      return [
        {
          kind: "stale read",
          at: step.at,
          says: `${step.by} acted ${at(step.at)} (${named(step)}) on what it read ${at(source.at)}, but ${between.by} did ${named(between)} ${at(between.at)} in between.`,
          weight: 9,
          unread: {
            at: between.at,
            says: `${between.by} did ${named(between)} after the reading ${at(source.at)}, and before the call ${at(step.at)}`,
          },
        },
      ]
    }
    return []
  })

/** An identifier in a command that occurred nowhere before. */
const unknownValue: Detector = ({ steps }, { isTold, toldBefore, isUsed }) =>
  steps.flatMap((step): ReadonlyArray<Suspect> => {
    for (const one of Identifiers.inValue(step.args)) {
      if (isTold(one, step.at)) continue
      const [similar] = DidYouMean.similarNames(one, toldBefore(step.at))
      const like = similar === undefined ? "" : ` It resembles "${shorten(similar, 60)}".`
      return [
        {
          kind: similar === undefined ? "unheard value" : "altered value",
          at: step.at,
          says: `${named(step)} has "${shorten(one, 60)}", which no earlier goal, input, reading or result contains.${like}`,
          weight: weigh(similar === undefined ? 3 : 6, isUsed(step.at)),
        },
      ]
    }
    return []
  })

/** The same command three times or more with the same outcome. */
const loop: Detector = ({ steps }) => {
  const groups = new Map<string, Array<Step>>()
  for (const step of steps) {
    const key = `${step.actuator} ${JSON.stringify(step.args)} ${step.end?.kind}`
    groups.set(key, [...(groups.get(key) ?? []), step])
  }
  return [...groups.values()].flatMap((same): ReadonlyArray<Suspect> => {
    const [first] = same
    if (first === undefined || same.length < 3) return []
    const ends = same.map((step) => at(step.at)).slice(1, 4)
    return [
      {
        kind: "loop",
        at: first.at,
        says: `${named(first)} was called ${same.length} times with the same outcome (also ${ends.join(", ")}).`,
        weight: 5,
      },
    ]
  })
}

/** A command on something that a person had said something about. */
const afterInput: Detector = ({ sources, steps }) =>
  sources.flatMap((source): ReadonlyArray<Suspect> => {
    if (source.from !== "input") return []
    const said = JSON.stringify(source.value)
    const step = steps.find(
      (step) => step.at > source.at && [...Identifiers.inValue(step.args)].some((one) => said.includes(one)),
    )
    if (step === undefined) return []
    const says = `somebody had said ${at(source.at)}: ${value(source.value, 80)}. Then ${named(step)} ${at(step.at)} acted on it.`
    return [{ kind: "after an input", at: step.at, says, weight: 5 }]
  })

/** A number in a command that occurred nowhere before: it may be computed or invented. */
const unheardNumber: Detector = ({ steps }, { isNumberTold, isSymptom }) =>
  steps.flatMap((step): ReadonlyArray<Suspect> => {
    const unheard = numbersIn(step.args).find((one) => !isNumberTold(one, step.at))
    if (unheard === undefined) return []
    const says = `${named(step)} has the number ${unheard}, which no earlier goal, input, reading or result contains.`
    return [{ kind: "unheard number", at: step.at, says, weight: isSymptom(step.at) ? 3 : 2 }]
  })

/** Small numbers count and index; nobody tells them. */
const MIN_NUMBER = 10

const numbersIn = (of: Json): ReadonlyArray<number> => {
  if (typeof of === "number") return Math.abs(of) >= MIN_NUMBER ? [of] : []
  return typeof of === "object" && of !== null ? Object.values(of).flatMap(numbersIn) : []
}

/** The last commands on the same thing before the failure showed, and the sources of its arguments. */
const before: Detector = ({ steps }, { isSymptom, usesOf }) =>
  steps.flatMap((step): ReadonlyArray<Suspect> => {
    if (!isSymptom(step.at)) return []
    const things = Identifiers.inValue(step.args)
    const earlier = steps.filter(
      (other) => other.at < step.at && other.end?.kind === "succeeded" && shares(things, other.args),
    )
    const shows = `before ${named(step)} ${at(step.at)}, where the failure shows`
    return [
      ...earlier.slice(-2).map((other): Suspect => {
        const says = `${named(other)} was about the same thing, ${shows}.`
        return { kind: "same thing before", at: other.at, says, weight: 2.5 }
      }),
      ...usesOf(step).map((source): Suspect => {
        const says = `${source.from} contains a value of ${named(step)} ${at(step.at)}, where the failure shows.`
        return { kind: "source of the end", at: source.at, says, weight: 2 }
      }),
    ]
  })

/** A command of unknown outcome, and events that report trouble by their type. */
const troubles: Detector = ({ troubles }) =>
  troubles.map(({ at, type, event }) => ({
    kind: type,
    at,
    says: `${type}: ${EventSummary.of(event)}`,
    weight: type === "SensorSkipped" || type === "AgentLate" ? 3 : 5,
  }))

/** Commands that took much longer than others of their actuator. */
const slow: Detector = ({ steps }) =>
  steps.flatMap((step): ReadonlyArray<Suspect> => {
    if (step.end?.kind !== "succeeded" || step.end.ms === null || step.end.ms < SLOW_MS) return []
    return [
      {
        kind: "slow",
        at: step.end.at,
        says: `${named(step)} took ${duration(step.end.ms)}.`,
        weight: 1,
      },
    ]
  })

/** Commands that take longer may have kept others waiting, in milliseconds. */
const SLOW_MS = 10_000

const DETECTORS: ReadonlyArray<Detector> = [
  workedAround,
  staleRead,
  contradiction,
  failed,
  quietProblem,
  unknownValue,
  afterInput,
  loop,
  troubles,
  unheardNumber,
  before,
  slow,
]
