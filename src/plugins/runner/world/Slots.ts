/**
 * Several episodes of one world in one process: each slot holds an episode, and the world holds the one that is stepped.
 * Changing to another slot restores the world from that slot's own state.
 */

import type { Json, JsonObject, PluginContext } from "../../author.ts"
import type { SlotCall } from "../HostFrame.ts"
import { after, isThenable } from "../Outcome.ts"
import type { AgentStep } from "./checkStep.ts"
import type { Episode } from "./Episode.ts"
import { refusal } from "./Refusal.ts"
import { failureOf, type RoundOutcome } from "./RoundOutcome.ts"
import { type TriedWorld, tried } from "./Trials.ts"

/** An episode that the world does not hold at the moment. */
export interface HeldEpisode {
  readonly episode: Episode
  readonly options: JsonObject
  /** The world's own state. */
  readonly state: Json
}

/** The answer to a call: the document and the readings after it, and the step or why the world refused it. */
export interface SlotAnswer {
  readonly state: Json
  readonly readings: { readonly [sensor: string]: Json }
  readonly step?: AgentStep
  readonly error?: { readonly code: string; readonly message: string }
  /** After a trial: each agent's readings, the actions of its rounds, and their results. */
  readonly agents?: { readonly [agent: string]: SlotAnswer["readings"] }
  readonly actions?: ReadonlyArray<{ readonly [agent: string]: Json }>
  readonly rounds?: ReadonlyArray<{ readonly [agent: string]: RoundOutcome }>
}

/** What slots need of a served world. */
export interface SlottedWorld extends TriedWorld {
  readonly hold: () => HeldEpisode
  /** Undefined if the world has no `restore`. */
  readonly take: ((context: PluginContext, held: HeldEpisode) => unknown) | undefined
  readonly begin: (context: PluginContext, reset: NonNullable<SlotCall["reset"]>) => unknown
  readonly restore: ((context: PluginContext, options: JsonObject, state: Json) => unknown) | undefined
  readonly step: (context: PluginContext, action: Json) => unknown
  readonly readings: (context: PluginContext) => unknown
  readonly state: () => Json
}

/**
 * Makes the function that carries out calls, one after another. It fails at the first call that is not a refused step.
 * For a world without promises, it returns the answers at once.
 */
export const slots = (world: SlottedWorld) => {
  const held = new Map<number, HeldEpisode>()
  let current: number | undefined

  const select = (context: PluginContext, slot: number): unknown => {
    if (slot === current) return undefined
    if (current !== undefined) held.set(current, world.hold())
    current = slot
    const found = held.get(slot)
    if (found === undefined) return undefined
    if (world.take === undefined) {
      throw refusal("NoRestore", "a world without environment.restore can hold one episode at a time")
    }
    held.delete(slot)
    return world.take(context, found)
  }

  const outcomeOf = (
    context: PluginContext,
    { reset, restore, action, trial }: SlotCall,
  ): Outcome | PromiseLike<Outcome> => {
    if (reset !== undefined) return after(world.begin(context, reset), () => NOTHING)
    if (restore !== undefined) {
      if (world.restore === undefined) throw refusal("NoRestore", "there is no environment.restore")
      return after(world.restore(context, restore.options, restore.state), () => NOTHING)
    }
    if (trial !== undefined) return NOTHING
    const stepped = (step: unknown): Outcome => ({ step: step as AgentStep })
    const refused = (cause: unknown): Outcome => ({ error: failureOf(cause) })
    try {
      const step = world.step(context, action ?? null)
      return isThenable(step) ? Promise.resolve(step).then(stepped, refused) : stepped(step)
    } catch (cause) {
      return refused(cause)
    }
  }

  const answer = (context: PluginContext, call: SlotCall): SlotAnswer | PromiseLike<SlotAnswer> => {
    const { slot, trial, drop } = call
    if (drop === true) {
      held.delete(slot)
      if (current === slot) current = undefined
      return { state: null, readings: {} }
    }
    return after(select(context, slot), () =>
      after(outcomeOf(context, call), (outcome) => {
        if (trial !== undefined) {
          return after(tried(world, context, trial), (found) => ({ readings: {}, ...found, state: world.state() }))
        }
        return after(world.readings(context), (readings) => {
          const { step, error } = outcome as Outcome
          const shown = { readings: readings as SlotAnswer["readings"], state: world.state() }
          if (step !== undefined) return { step, ...shown }
          return error === undefined ? shown : { error, ...shown }
        })
      }),
    ) as SlotAnswer | PromiseLike<SlotAnswer>
  }

  /** The calls that wait for promises of a world. A frame that comes meanwhile must not step the world in between. */
  let waiting: Promise<unknown> | undefined

  const run = (
    context: PluginContext,
    calls: ReadonlyArray<SlotCall>,
  ): ReadonlyArray<SlotAnswer> | Promise<ReadonlyArray<SlotAnswer>> => {
    const answers: Array<SlotAnswer> = []
    for (const [index, call] of calls.entries()) {
      const one = answer(context, call)
      if (!isThenable(one)) {
        answers.push(one)
        continue
      }
      const rest = async () => {
        answers.push((await one) as SlotAnswer)
        for (const next of calls.slice(index + 1)) answers.push(await answer(context, next))
        return answers
      }
      const running = rest()
      const ended = () => {
        if (waiting === running) waiting = undefined
      }
      waiting = running
      running.then(ended, ended)
      return running
    }
    return answers
  }

  return (context: PluginContext, calls: ReadonlyArray<SlotCall>): ReturnType<typeof run> => {
    if (waiting === undefined) return run(context, calls)
    const next = () => run(context, calls)
    const running = waiting.then(next, next)
    waiting = running
    const ended = () => {
      if (waiting === running) waiting = undefined
    }
    running.then(ended, ended)
    return running
  }
}

type Outcome = Pick<SlotAnswer, "step" | "error">

const NOTHING: Outcome = {}
