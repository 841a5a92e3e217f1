/**
 * A session that hooks recorded, as one task or several, and the part of another account of it that they did not see.
 * What both accounts have is not written again.
 */

import { Clock, Effect, Stream } from "effect"
import type { AppendError, EventLog, LogError, NewEvent } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import { defined } from "../../values/defined.ts"
import * as OwnTime from "../../values/time/OwnTime.ts"
import type { RunEvent } from "../runs/RunEvent.ts"
import { type Divided, Division } from "./Division.ts"
import * as Openings from "./Openings.ts"
import { RecordedAccount } from "./RecordedAccount.ts"

type Merged = PayloadOf<"AccountMerged">

interface Part {
  readonly taskId: string
  readonly openedAt: number
  readonly openedBy: string
  version: number
  isClosed: boolean
  isLeft: boolean
  heardAt: number
}

/** The first events of a resumed session may be older than its task, in milliseconds. */
const BEFORE_MS = 10_000

/** A recorder that was silent for longer, in milliseconds, counts as gone: its server closes such sessions. */
const AT_WORK_MS = 60 * 60 * 1000

/** Maximum number of matches in one event. */
const MAX_MATCHES = 1_000

/** How the account's own writer makes its events. */
export interface Writer {
  readonly source: string
  readonly idOf: (key: string) => string
  /** Whether the log has an event of the account. */
  readonly has: (key: string) => boolean
  readonly append: (
    taskId: string,
    version: number,
    events: ReadonlyArray<NewEvent>,
  ) => Effect.Effect<void, AppendError>
  readonly newEvent: (event: RunEvent, causationId: string | null) => NewEvent
}

export class RecordedTask {
  readonly #parts: Array<Part> = []
  readonly #account = new RecordedAccount()
  readonly #isWhole: boolean
  readonly #division: Division
  #isAtWork = false

  /** @param isWhole whether hooks recorded the session from its beginning */
  private constructor(isWhole: boolean) {
    this.#isWhole = isWhole
    this.#division = new Division({
      ...{ tasks: this.#parts, isWhole, beforeMs: BEFORE_MS },
      told: (event) => this.#account.match(event),
    })
  }

  /** The events of a session that hooks recorded; undefined if there are none. */
  static load(
    log: EventLog.Service,
    { taskId, source }: { readonly taskId: string; readonly source: string },
    onOwn: (event: Event) => void,
  ): Effect.Effect<RecordedTask | undefined, LogError> {
    return Effect.gen(function* () {
      const byHooks = (yield* Openings.of(log, taskId)).filter((opened) => Openings.meansOf(opened) === "hooks")
      const recorded = new RecordedTask(byHooks[0]?.taskId === taskId)
      for (const opened of byHooks) yield* recorded.#read(log, opened, source, onOwn)
      const now = yield* Clock.currentTimeMillis
      const last = recorded.#parts.at(-1)
      recorded.#isAtWork =
        last !== undefined && !last.isClosed && !last.isLeft && OwnTime.between(last.heardAt, now) < AT_WORK_MS
      return last === undefined ? undefined : recorded
    })
  }

  #read(
    log: EventLog.Service,
    opened: Event,
    source: string,
    onOwn: (event: Event) => void,
  ): Effect.Effect<void, LogError> {
    const index = this.#parts.length
    const taskId = opened.taskId ?? ""
    const part: Part = {
      taskId,
      openedAt: opened.occurredAt,
      openedBy: opened.id,
      version: 0,
      isClosed: false,
      isLeft: false,
      heardAt: 0,
    }
    this.#parts.push(part)
    const take = (event: Event): void => {
      if (event.stream === `task/${taskId}`) part.version = event.version
      if (event.actor === `import:${source}`) onOwn(event)
      // Telemetry, which anybody may send, does not show that the recorder is there.
      else if (event.stream === `task/${taskId}`) part.heardAt = event.recordedAt
      if (is(event, "TaskClosed")) part.isClosed = true
      if (is(event, "RecorderLeft")) part.isLeft = true
      if (is(event, "RecorderJoined")) part.isLeft = false
      if (is(event, "AccountMerged") && event.payload.source === source)
        for (const { key, event: eventId } of event.payload.matches)
          this.#account.matched(key, { eventId, part: index })
      else this.#account.take(event, index)
    }
    return Stream.runForEach(log.read({ taskId }), (event) => Effect.sync(() => take(event)))
  }

  /** Whether hooks are recording the session now. They may still report the account's events, so it waits. */
  get isAtWork(): boolean {
    return this.#isAtWork
  }

  /** Whether hooks recorded the session from its beginning: the account then has no task of its own. */
  get isWhole(): boolean {
    return this.#isWhole
  }

  /** Whether the last of its tasks is closed. */
  get isClosed(): boolean {
    return this.#parts.at(-1)?.isClosed === true
  }

  get taskIds(): ReadonlyArray<string> {
    return this.#parts.map(({ taskId }) => taskId)
  }

  /** Splits new events of the account into those of its own task and those of the recorded ones. */
  split(events: ReadonlyArray<RunEvent>): Divided {
    return this.#division.divide(events)
  }

  /** Adds events, and the matches that say why others are not added. Returns how many events it added. */
  write(
    { merged, matches }: Pick<Divided, "merged" | "matches">,
    begins: Merged["begins"],
    writer: Writer,
  ): Effect.Effect<number, AppendError> {
    return Effect.gen(this, function* () {
      let added = 0
      for (const [index, part] of this.#parts.entries()) {
        const own = merged.filter((one) => one.part === index)
        const events = own.map(({ event }) => writer.newEvent(event, this.#causeOf(event, writer)))
        const notes = index === 0 ? notesOf(matches, begins, part, writer) : []
        const all = [...events, ...notes]
        if (all.length === 0) continue
        yield* writer.append(part.taskId, part.version, all)
        part.version += all.length
        added += all.length
      }
      return added
    })
  }

  #causeOf({ cause }: RunEvent, { idOf }: Writer): string | null {
    return cause === null ? null : (this.#account.eventOf(cause) ?? idOf(cause))
  }
}

const notesOf = (
  matches: Merged["matches"],
  begins: Merged["begins"],
  { openedBy }: Part,
  { source, idOf, has }: Writer,
): ReadonlyArray<NewEvent> => {
  const pages = Array.from({ length: Math.ceil(matches.length / MAX_MATCHES) }, (_, page) =>
    matches.slice(page * MAX_MATCHES, (page + 1) * MAX_MATCHES),
  )
  return pages.flatMap((page): ReadonlyArray<NewEvent> => {
    const key = `merged:${page[0]?.key}`
    const payload = { source, matches: page, ...defined({ begins }) }
    return has(key) ? [] : [{ id: idOf(key), causationId: openedBy, type: "AccountMerged", payload }]
  })
}
