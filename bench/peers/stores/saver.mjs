/**
 * LangGraph's SqliteSaver on better-sqlite3: WAL, which it sets, and synchronous=NORMAL, the driver's default. It
 * stores checkpoints, not an event log: a later `put` of the same id replaces a payload's row.
 *
 * One append is a `put` of a checkpoint with the payload in its one channel, as a graph does after each step: it copies
 * the checkpoint, serialises it and its metadata, and runs one INSERT OR REPLACE, prepared each time, in its own
 * transaction. A batch is a `putWrites` of a hundred payloads in one transaction. Reading is `list`, which loads all
 * rows of a thread at once, newest first, and parses each checkpoint and its metadata.
 */
import * as path from "node:path"
import { emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint"
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite"
import { BATCH, payload, payloads } from "../payload.mjs"

export const name = "SqliteSaver"
export const settings = "better-sqlite3, WAL, synchronous=NORMAL: its defaults"

const thread = (id) => ({ configurable: { thread_id: id, checkpoint_ns: "" } })

export const open = async (directory) => {
  const filename = path.join(directory, "saver.db")
  const saver = SqliteSaver.fromConnString(filename)
  saver.setup()
  let index = 0
  let last = thread("steps")
  const put = async (each) => {
    const checkpoint = {
      ...emptyCheckpoint(),
      id: uuid6(index),
      channel_values: { reading: each },
      channel_versions: { reading: index },
    }
    last = await saver.put(last, checkpoint, { source: "loop", step: index, parents: {} })
  }
  return {
    filename,
    appendOne: async (count) => {
      for (let n = 0; n < count; n++) await put(payload(index++))
    },
    appendBatches: async (count) => {
      for (let n = 0; n < count; n++) {
        const config = { configurable: { ...thread("writes").configurable, checkpoint_id: uuid6(index) } }
        const writes = payloads(index, BATCH).map((each) => ["reading", each])
        await saver.putWrites(config, writes, "task")
        index += BATCH
      }
    },
    readAll: async () => {
      let count = 0
      for await (const { checkpoint } of saver.list(thread("steps"))) {
        if (checkpoint.channel_values.reading !== undefined) count += 1
      }
      return count
    },
    /** `list` finds checkpoints, so each payload needs a put. */
    fill: async (count) => {
      for (let n = 0; n < count; n++) await put(payload(index++))
    },
    close: async () => saver.db.close(),
  }
}
