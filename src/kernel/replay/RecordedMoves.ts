/** The recorded moves of a task's worlds after a position: commands, rounds, ticks, joins and leaves. */

import type { Event } from "../../events/vocabulary/Event.ts"
import { is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import { worldOf } from "../../plugins/manifest/Manifest.ts"
import type { RoundOutcome } from "../../plugins/process/RoundOutcome.ts"
import * as JsonPatch from "../../projections/patch/JsonPatch.ts"
import { scoreSetOf } from "../../projections/state/WorldReturn.ts"
import { defined } from "../../values/defined.ts"
import { groupBy } from "../../values/groupBy.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import type { CommandOutcome } from "../acting/Command.ts"
import { manifestOf } from "../registry/Registry.ts"
import { roundsOf } from "./RecordedOutcomes.ts"
import type { Recording } from "./Recording.ts"
import type { Request } from "./Request.ts"

/** A move of a world. `at`: its position; `until`: the position of its end. */
export interface Move {
  readonly at: number
  readonly until: number
  /** Ids of the events that caused its changes of the world. */
  readonly causes: ReadonlyArray<string>
}

export interface CommandMove extends Move {
  readonly kind: "command"
  readonly commandId: string
  readonly agentId: string | undefined
  readonly outcome: Extract<CommandOutcome, { readonly status: "succeeded" | "failed" }>
}

interface TickMove extends Move {
  readonly kind: "tick"
  readonly world: string
  readonly milliseconds: number
  /** What each agent received. */
  readonly steps: { readonly [agentId: string]: JsonObject }
}

interface MemberMove extends Move {
  readonly kind: "member"
  readonly world: string
  readonly change: "join" | "leave"
  readonly agentId: string
}

type AnyMove = CommandMove | TickMove | MemberMove

type OfKind<Kind extends AnyMove["kind"]> = Extract<AnyMove, { readonly kind: Kind }>

/** Moves still to repeat. The first four methods take one if it is next, and otherwise return undefined. */
export interface RecordedMoves {
  readonly command: (actuator: string, args: JsonObject, agentId: string | undefined) => CommandMove | undefined
  /** The commands of a round, by its agents' actions. */
  readonly round: (
    actuator: string,
    actions: { readonly [agentId: string]: Json },
  ) => ReadonlyArray<CommandMove> | undefined
  readonly tick: (world: string, milliseconds: number) => TickMove | undefined
  readonly member: (world: string, change: "join" | "leave", agentId: string) => MemberMove | undefined
  /** Where the next move ended; `Infinity` if there is none. */
  readonly nextAt: () => number
  readonly changes: (plugin: string, moves: ReadonlyArray<Move>) => ReadonlyArray<Change["patch"]>
  /** The world's answer to a command of a round. */
  readonly roundOutcome: (move: CommandMove) => RoundOutcome
}

/**
 * The moves of a recording after a position.
 *
 * @param ahead requests made or answered after the position
 */
export const make = (
  recording: Pick<Recording, "taskId" | "events" | "plugins" | "registryAt">,
  at: number,
  ahead: ReadonlyArray<Request>,
): RecordedMoves => {
  const { events } = recording
  const rounds = roundsOf(events)
  const commands = commandsIn(ahead, events, rounds)
  const byId = new Map(commands.map((command) => [command.commandId, command]))
  const ticks = events.flatMap((event): ReadonlyArray<TickMove> => {
    if (!is(event, "WorldTicked") || event.position <= at) return []
    const { plugin, milliseconds, steps = {} } = event.payload
    return [{ kind: "tick", ...placeOf(event), world: plugin, milliseconds, steps }]
  })
  const members = events.flatMap((event): ReadonlyArray<MemberMove> => {
    if (!(is(event, "AgentJoined") || is(event, "AgentLeft")) || event.position <= at) return []
    if (event.payload.midway !== true) return []
    const change = is(event, "AgentJoined") ? "join" : "leave"
    const { agentId } = event.payload
    return sharedWorlds(recording, event.position).map((world) => ({
      kind: "member",
      ...placeOf(event),
      world,
      change,
      agentId,
    }))
  })
  const left: Array<AnyMove> = [...commands, ...ticks, ...members].sort((a, b) => a.at - b.at)
  const changed = groupBy(
    events.filter((event) => is(event, "EnvironmentChanged")),
    ({ causationId }) => [causationId],
  )

  /** The first matching move that is next, or overlaps the next one. */
  const next = <Kind extends AnyMove["kind"]>(kind: Kind, isIt: (move: OfKind<Kind>) => boolean) => {
    const until = left[0]?.until ?? 0
    for (const move of left) {
      if (move.at > until) return undefined
      if (isOfKind(kind, move) && isIt(move)) return move
    }
    return undefined
  }

  const take = <A extends AnyMove>(move: A | undefined): A | undefined => {
    const index = move === undefined ? -1 : left.indexOf(move)
    if (index === -1) return undefined
    left.splice(index, 1)
    return move
  }

  const roundOf = ({ commandId }: CommandMove) => (rounds.get(commandId) ?? []).flatMap((id) => byId.get(id) ?? [])

  return {
    command: (actuator, args, agentId) =>
      take(
        next(
          "command",
          ({ outcome, ...command }) =>
            outcome.actuator === actuator && command.agentId === agentId && JsonPatch.equal(outcome.args, args),
        ),
      ),
    round: (actuator, actions) => {
      const first = next("command", (command) => {
        const round = roundOf(command)
        return (
          round[0] === command &&
          round.length === Object.keys(actions).length &&
          round.every(
            ({ outcome, agentId = "" }) =>
              outcome.actuator === actuator && JsonPatch.equal(outcome.args.action ?? null, actions[agentId]),
          )
        )
      })
      return first === undefined ? undefined : roundOf(first).flatMap((command) => take(command) ?? [])
    },
    tick: (world, milliseconds) =>
      take(next("tick", (tick) => tick.world === world && tick.milliseconds === milliseconds)),
    member: (world, change, agentId) =>
      take(
        next("member", (member) => member.world === world && member.change === change && member.agentId === agentId),
      ),
    nextAt: () => left[0]?.until ?? Number.POSITIVE_INFINITY,
    changes: (plugin, moves) =>
      moves
        .flatMap(({ causes }) => causes.flatMap((id) => changed.get(id) ?? []))
        .flatMap(({ payload }) => (payload.plugin === plugin ? [payload.patch] : [])),
    roundOutcome: ({ outcome, agentId, at: commandedAt }) => {
      if (outcome.status === "succeeded") return { ok: outcome.result as JsonObject }
      const got = gotFor(recording, commandedAt, agentId)
      return { error: outcome.error, ...defined({ got }) }
    },
  }
}

const isOfKind = <Kind extends AnyMove["kind"]>(kind: Kind, move: AnyMove): move is OfKind<Kind> => move.kind === kind

type Change = PayloadOf<"EnvironmentChanged">

/** Commands that plugins carried out. The dispatches of a round cause its changes. */
const commandsIn = (
  ahead: ReadonlyArray<Request>,
  events: ReadonlyArray<Event>,
  rounds: ReadonlyMap<string, unknown>,
): ReadonlyArray<CommandMove> => {
  const dispatches = new Map<string, ReadonlyArray<string>>()
  for (const event of events) {
    if (!is(event, "CommandDispatched")) continue
    const { commandId } = event.payload
    if (rounds.has(commandId)) dispatches.set(commandId, [...(dispatches.get(commandId) ?? []), event.id])
  }
  return ahead.flatMap((request): ReadonlyArray<CommandMove> => {
    if (request.kind !== "act") return []
    const { position, commandId, agentId, outcome } = request
    if (outcome?.status !== "succeeded" && outcome?.status !== "failed") return []
    const causes = [outcome.event.id, ...(dispatches.get(commandId) ?? [])]
    return [{ kind: "command", at: position, until: outcome.event.position, causes, commandId, agentId, outcome }]
  })
}

const placeOf = ({ position, id }: Event): Move => ({ at: position, until: position, causes: [id] })

/** Worlds for several agents, which receive joins and leaves. */
const sharedWorlds = (
  { plugins, registryAt }: Pick<Recording, "plugins" | "registryAt">,
  position: number,
): ReadonlyArray<string> =>
  Object.entries(registryAt(position)).flatMap(([plugin, found]) => {
    const world = found.active && plugins.includes(plugin) ? worldOf(manifestOf(found)) : undefined
    return world !== undefined && world.maxAgents > 1 ? [plugin] : []
  })

/** The rewards of a refused action: those that cite its command. */
const gotFor = (
  { taskId, events }: Pick<Recording, "taskId" | "events">,
  commandedAt: number,
  agentId: string | undefined,
): JsonObject | undefined => {
  const rewards = Object.fromEntries(
    events.flatMap((event) => {
      if (!(is(event, "RewardGiven") || is(event, "PunishmentGiven"))) return []
      const { because, name, amount, scoreSetId } = event.payload
      if (scoreSetId !== scoreSetOf(taskId)) return []
      if (event.payload.agentId !== agentId || !because.includes(commandedAt)) return []
      return [[name, is(event, "RewardGiven") ? amount : -amount]]
    }),
  )
  const given = Object.values(rewards)
  if (given.length === 0) return undefined
  const reward = given.reduce((sum, amount) => sum + amount, 0)
  return { reward, rewards, terminated: false, truncated: false, info: {} }
}
