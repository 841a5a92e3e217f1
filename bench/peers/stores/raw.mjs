/**
 * Raw better-sqlite3 on a Hindcast log's table with its indexes and triggers: the floor. Per append, one prepared
 * INSERT in its own transaction; per batch, a hundred in one. WAL, synchronous=NORMAL. No chain, no check, and no order
 * but its counter's.
 */
import * as path from "node:path"
import { Effect } from "effect"
import { EventLog } from "../../../dist/index.js"
import { rawTable } from "../../floor.mjs"
import { BATCH, payload, payloads } from "../payload.mjs"

export const name = "raw"
export const settings = "better-sqlite3, WAL, synchronous=NORMAL"

export const open = async (directory) => {
  const filename = path.join(directory, "raw.db")
  await Effect.runPromise(Effect.provide(Effect.void, EventLog.layerSqlite({ filename })))
  const table = rawTable(filename)
  let index = 0
  return {
    filename,
    appendOne: async (count) => {
      for (let n = 0; n < count; n++) table.one(JSON.stringify(payload(index++)))
    },
    appendBatches: async (count) => {
      for (let n = 0; n < count; n++) {
        table.many(payloads(index, BATCH).map((each) => JSON.stringify(each)))
        index += BATCH
      }
    },
    readAll: async () => table.readAll(),
    close: async () => table.close(),
  }
}
