/** What a world's document says of its episode: whose turn it is, and how far its agents are. */

import { Option, Schema } from "effect"
import type { Json } from "../../values/Json.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"

const Turn = Schema.Struct({ episode: Schema.Struct({ turn: Schema.NullOr(Schema.String) }) })

const decodeTurn = Schema.decodeUnknownOption(Turn)

/** Whose turn it is; null if nobody's. None where all agents act at once. */
export const turnOf = (document: Json | undefined): Option.Option<string | null> =>
  Option.map(decodeTurn(document), ({ episode }) => episode.turn)

const Agents = Schema.Struct({
  episode: Schema.Struct({
    agents: Schema.Record({ key: Schema.String, value: Schema.Struct({ status: Schema.String }) }),
  }),
})

const decodeAgents = Schema.decodeUnknownOption(Agents)

/** The agents whose episode is over by the document, by name, with how it ended. */
export const endedIn = (
  document: Json | undefined,
): ReadonlyArray<{ readonly agentId: string; readonly terminated: boolean; readonly truncated: boolean }> =>
  Option.match(decodeAgents(document), {
    onNone: () => [],
    onSome: ({ episode }) =>
      Object.keys(episode.agents)
        .sort()
        .flatMap((agentId) => {
          const status = SafeRecord.get(episode.agents, agentId)?.status
          return status === "terminated" || status === "truncated"
            ? [{ agentId, terminated: status === "terminated", truncated: status === "truncated" }]
            : []
        }),
  })

/** How far an agent is: `active`, `terminated`, `truncated` or `left`; undefined if the document does not say. */
export const statusOf = (document: Json | undefined, agentId: string): string | undefined =>
  Option.match(decodeAgents(document), {
    onNone: () => undefined,
    onSome: ({ episode }) => SafeRecord.get(episode.agents, agentId)?.status,
  })
