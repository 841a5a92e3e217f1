/**
 * Several episodes of one world in one process: each slot holds an episode, and the world holds the one that is stepped.
 * Changing to another slot restores the world from that slot's own state.
 */

import type { Json, JsonObject, PluginContext } from "../../author.ts"
import type { SlotCall } from "../HostFrame.ts"
import type { AgentStep } from "./checkStep.ts"
import type { Episode } from "./Episode.ts"
import { refusal } from "./Refusal.ts"
import { failureOf, type RoundOutcome } from "./RoundOutcome.ts"
import { settled, type TriedWorld, tried } from "./Trials.ts"

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

/** Makes the function that carries out calls, one after another. It fails at the first call that is not a refused step. */
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

  const answer = async (
    context: PluginContext,
    { slot, reset, restore, action, trial, drop }: SlotCall,
  ): Promise<SlotAnswer> => {
    if (drop === true) {
      held.delete(slot)
      if (current === slot) current = undefined
      return { state: null, readings: {} }
    }
    await settled(select(context, slot))
    let outcome: Pick<SlotAnswer, "step" | "error"> = {}
    if (reset !== undefined) await settled(world.begin(context, reset))
    else if (restore !== undefined) {
      if (world.restore === undefined) throw refusal("NoRestore", "there is no environment.restore")
      await settled(world.restore(context, restore.options, restore.state))
    } else if (trial === undefined) {
      try {
        outcome = { step: (await settled(world.step(context, action ?? null))) as AgentStep }
      } catch (cause) {
        outcome = { error: failureOf(cause) }
      }
    }
    if (trial !== undefined) return { readings: {}, ...(await tried(world, context, trial)), state: world.state() }
    const readings = (await settled(world.readings(context))) as SlotAnswer["readings"]
    return { ...outcome, readings, state: world.state() }
  }

  return async (context: PluginContext, calls: ReadonlyArray<SlotCall>): Promise<ReadonlyArray<SlotAnswer>> => {
    const answers: Array<SlotAnswer> = []
    for (const call of calls) answers.push(await answer(context, call))
    return answers
  }
}
