/** Resolves the start of a Studio session, a link, moment or task, to an address within the page. */

import { Effect, Either } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import * as Moment from "../../events/read/Moment.ts"
import { canParseUrl } from "../../values/url/canParseUrl.ts"
import { BadInput } from "../command/BadInput.ts"
import * as Ids from "../command/Ids.ts"

/**
 * A link keeps its path and query, without the host it was copied from. A moment leads to its task there; a task to
 * itself.
 */
export const pathOf = (typed: string) =>
  Effect.gen(function* () {
    const link = canParseUrl(typed) ? new URL(typed) : typed.startsWith("/") ? new URL(typed, HOST) : undefined
    if (link !== undefined) {
      const isOurs = /^https?:$/.test(link.protocol) && (link.pathname === "/" || SCREEN.test(link.pathname))
      if (isOurs) return `${link.pathname}${link.search}`
      return yield* new BadInput({ input: typed, expected: "a link that Studio copied, /t/…", found: "another one" })
    }
    const log = yield* EventLog
    // A task's id may look like an event's.
    const [opened] = yield* log.readPage({ timeline: log.timeline, taskId: typed, types: ["TaskOpened"] }, 1)
    if (opened !== undefined) return address(log.timeline, typed, null)
    if (Either.isRight(Moment.parse(typed))) {
      const { timeline, position } = yield* Moment.locate(typed)
      const [event] = position === 0 ? [] : yield* log.readPage({ after: position - 1, until: position }, 1)
      return address(timeline, event?.taskId ?? null, position)
    }
    return address(log.timeline, yield* Ids.task(typed), null)
  })

const SCREEN = /^\/(?:t|l|tasks|questions|plugins|search)(?:\/|$)/

const HOST = "http://127.0.0.1"

const address = (timeline: string, taskId: string | null, position: number | null): string =>
  [
    taskId === null ? "/l" : "/t",
    timeline,
    ...(taskId === null ? [] : [taskId]),
    ...(position === null ? [] : [`@${position}`]),
  ]
    .map((part, index) => (index === 0 ? part : encodeURIComponent(part).replace(/^%40/, "@")))
    .join("/")
