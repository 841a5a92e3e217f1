/** Reads the state of an episode from a world's document: whose turn it is, and the agents' statuses. */

import { Option, Schema } from "effect"
import type { Ending } from "../../kernel/agents/EpisodeEnd.ts"
import type { Json } from "../../values/Json.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"

const ToMove = Schema.Struct({ episode: Schema.Struct({ turn: Schema.NullOr(Schema.String) }) })

const decodeToMove = Schema.decodeUnknownOption(ToMove)

/** The agent whose turn it is, or null if no agent has the turn. None if all agents act at once. */
export const agentToMove = (document: Json | undefined): Option.Option<string | null> =>
  Option.map(decodeToMove(document), ({ episode }) => episode.turn)

const Agents = Schema.Struct({
  episode: Schema.Struct({
    agents: Schema.Record({
      key: Schema.String,
      value: Schema.Struct({ status: Schema.String, outcome: Schema.optional(Schema.Unknown) }),
    }),
  }),
})

const decodeAgents = Schema.decodeUnknownOption(Agents)

/** The agents whose episode is over, by name, with how it ended. */
export const endedIn = (document: Json | undefined): ReadonlyArray<Ending & { readonly agentId: string }> =>
  Option.match(decodeAgents(document), {
    onNone: () => [],
    onSome: ({ episode }) =>
      Object.keys(episode.agents)
        .sort()
        .flatMap((agentId) => {
          const { status, outcome } = SafeRecord.get(episode.agents, agentId) ?? {}
          if (status !== "terminated" && status !== "truncated") return []
          const failed = outcome === "failed" ? { outcome: "failed" as const } : {}
          return [{ agentId, terminated: status === "terminated", truncated: status === "truncated", ...failed }]
        }),
  })

/** An agent's status, `active`, `terminated`, `truncated` or `left`; undefined if the document has none. */
export const statusOf = (document: Json | undefined, agentId: string): string | undefined =>
  Option.match(decodeAgents(document), {
    onNone: () => undefined,
    onSome: ({ episode }) => SafeRecord.get(episode.agents, agentId)?.status,
  })
