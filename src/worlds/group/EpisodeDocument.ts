/** What a world's document says of its episode: whose turn it is, and how far its agents are. */

import { Option, Schema } from "effect"
import type { Ending } from "../../kernel/agents/EpisodeEnd.ts"
import type { Json } from "../../values/Json.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"

const Turn = Schema.Struct({ episode: Schema.Struct({ turn: Schema.NullOr(Schema.String) }) })

const decodeTurn = Schema.decodeUnknownOption(Turn)

/** Whose turn it is; null if nobody's. None where all agents act at once. */
export const turnOf = (document: Json | undefined): Option.Option<string | null> =>
  Option.map(decodeTurn(document), ({ episode }) => episode.turn)

const Agents = Schema.Struct({
  episode: Schema.Struct({
    agents: Schema.Record({
      key: Schema.String,
      value: Schema.Struct({ status: Schema.String, outcome: Schema.optional(Schema.Unknown) }),
    }),
  }),
})

const decodeAgents = Schema.decodeUnknownOption(Agents)

/** The agents whose episode is over by the document, by name, with how it ended. */
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

/** How far an agent is: `active`, `terminated`, `truncated` or `left`; undefined if the document does not say. */
export const statusOf = (document: Json | undefined, agentId: string): string | undefined =>
  Option.match(decodeAgents(document), {
    onNone: () => undefined,
    onSome: ({ episode }) => SafeRecord.get(episode.agents, agentId)?.status,
  })
