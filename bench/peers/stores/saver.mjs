/**
 * LangGraph's SqliteSaver, by better-sqlite3, WAL (it sets that itself), synchronous=NORMAL (the driver's default). It is
 * a store of checkpoints and no event log: what it keeps of a payload is a row that a later `put` of the same id replaces.
 *
 * One: `put` of a checkpoint whose one channel holds the payload, as a graph does after each step: the checkpoint copied,
 * it and its metadata as JSON, one INSERT OR REPLACE, prepared anew each time, in a transaction of its own. A batch:
 * `putWrites`, which stores what a step wrote, a hundred payloads in one transaction; `put` has no such thing. Reading:
 * `list`, which loads all rows of a thread at once, newest first, and parses each checkpoint and its metadata.
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
    /** `list` finds checkpoints, so what is to be read is put one by one. */
    fill: async (count) => {
      for (let n = 0; n < count; n++) await put(payload(index++))
    },
    close: async () => saver.db.close(),
  }
}
