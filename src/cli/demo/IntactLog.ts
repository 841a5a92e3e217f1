/** The part of a demo that shows that nobody touched its log. */
import { Effect } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import { Tampered } from "../log/Tampered.ts"
import { at, count } from "../terminal/Text.ts"
import type * as Narrator from "./Narrator.ts"

/** Verifies the log's hash chain, and says what was found. */
export const verify = ({ part, say, style }: Narrator.Narrator, heading: string, why: string) =>
  Effect.gen(function* () {
    yield* part(heading, why)
    const log = yield* EventLog
    const found = yield* log.verify
    if (found._tag === "Tampered") {
      const { position, reason } = found
      return yield* new Tampered({ log: log.name, position, reason })
    }
    const { head, events } = found
    yield* say(`${style.good("Intact")}: ${count(events, "event")}, head ${at(head.position)} ${style.dim(head.hash)}`)
    return { intact: true, head, events }
  })
