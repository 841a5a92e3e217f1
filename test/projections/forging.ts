import * as crypto from "node:crypto"
import * as zlib from "node:zlib"
import { Effect } from "effect"
import * as SnapshotSeal from "../../src/events/payload/SnapshotSeal.ts"
import { sql } from "./storedSnapshots.ts"

const sha256 = (bytes: Uint8Array) => crypto.createHash("sha256").update(bytes).digest("hex")

interface Row {
  readonly rowid: number
  readonly fingerprint: string
  readonly timeline: string
  readonly position: number
  readonly event_hash: string
  readonly root: Buffer
}

/**
 * What someone does who has the log and this program's code, but not the log's key: changes the text of every stored state, and
 * computes anew every hash that needs none. With a key of his own he seals them, too. Answers how many states were changed.
 */
export const forge = (filename: string, change: (text: string) => string, key?: Uint8Array) =>
  Effect.gen(function* () {
    let forged = 0
    for (const row of yield* sql<Row>(filename, "SELECT rowid, * FROM snapshots")) {
      const { seal, root } = SnapshotSeal.splitSeal(row.root)
      const text = zlib.inflateRawSync(root).toString()
      const changed = zlib.deflateRawSync(change(text))
      const { fingerprint, timeline, position, event_hash: eventHash } = row
      const stateHash = sha256(changed)
      const claim = { fingerprint, timeline, position, eventHash, stateHash, epoch: "" }
      const column = SnapshotSeal.joinSeal({
        seal: key === undefined ? seal : SnapshotSeal.seal(key, claim),
        root: changed,
      })
      yield* sql(
        filename,
        "UPDATE snapshots SET root = ?, state_hash = ? WHERE rowid = ?",
        column,
        stateHash,
        row.rowid,
      )
      if (change(text) !== text) forged += 1
    }
    return forged
  })
