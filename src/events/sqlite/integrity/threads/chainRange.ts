/**
 * Verifies ranges of a chain in threads. Each range starts from the hash stored before it, and joins the previous one
 * if that ended in this hash. If a range is broken or does not join, one thread continues from the last sound head, so
 * the result is the same.
 */

import { Effect, type Scope, Stream } from "effect"
import type { ThreadDied, Threads } from "../../../../platform/threads/Threads.ts"
import * as Verifier from "../../../integrity/Verifier.ts"
import type { LogError } from "../../../log/EventLog.ts"
import type { LogFile } from "../../../log/LogFile.ts"
import type { ChainRange, VerifyOptions } from "../../../log/Verification.ts"
import type { Head } from "../../../vocabulary/Event.ts"
import type { StatementError } from "../../file/database.ts"
import { rangeSource } from "../storedChain.ts"
import { openStores } from "./openStores.ts"

export interface FileRange extends ChainRange {
  readonly file: LogFile
}

/** The stored head before a range, and the head that the walk reached. Null if the range is unreadable. */
export type WalkedRange = { readonly from: Head; readonly to: Head } | null

export const walkRange = ({
  file,
  after,
  until,
}: FileRange): Effect.Effect<WalkedRange, LogError | StatementError, Scope.Scope> =>
  Effect.gen(function* () {
    const { database, segments } = yield* openStores(file)
    const heads = yield* Stream.runCollect(Verifier.range(rangeSource(database, segments), { after, until }))
    const [from, ...rest] = heads
    return from === undefined ? null : { from, to: rest.at(-1) ?? from }
  })

/** The head up to which threads found the chain sound: `upTo`, or an earlier one. */
export const soundHead = (
  threads: Threads,
  file: LogFile,
  upTo: number,
  { anchor, onProgress = () => Effect.void, jobs = 1 }: Pick<VerifyOptions, "anchor" | "onProgress" | "jobs">,
): Effect.Effect<Head, LogError | ThreadDied> =>
  Effect.gen(function* () {
    let head = Verifier.BEGINNING
    const takeUntil = (until: number) => (walked: WalkedRange) => {
      const joins = walked?.from.position === head.position && walked.from.hash === head.hash
      if (!joins || walked.to.position !== until) return Effect.succeed(false)
      // A range ends at the anchor.
      if (anchor?.position === until && anchor.hash !== walked.to.hash) return Effect.succeed(false)
      head = walked.to
      return Effect.as(onProgress(head.position, upTo), true)
    }
    const pieces = ranges(file, upTo, jobs, anchor?.position).map((asked) => ({
      asked,
      again: Effect.succeed<WalkedRange>(null),
      take: takeUntil(asked.until),
    }))
    yield* threads.inOrder(CHAIN_WORK, pieces)
    return head
  })

const CHAIN_WORK = "chain"

/** Maximum and minimum number of events per range: results are short, and a thread opens the log for each. */
const MAX_RANGE = 25_000
const MIN_RANGE = 1_000

/** Cuts ranges, also at the anchor, several per thread so that all threads end at about the same time. */
const ranges = (file: LogFile, upTo: number, jobs: number, cut = 0): ReadonlyArray<FileRange> => {
  const size = Math.min(MAX_RANGE, Math.max(MIN_RANGE, Math.ceil(upTo / (4 * jobs))))
  const found: Array<FileRange> = []
  for (let after = 0; after < upTo; ) {
    const end = Math.min(after + size, upTo)
    const until = after < cut && cut < end ? cut : end
    found.push({ file, after, until })
    after = until
  }
  return found
}
