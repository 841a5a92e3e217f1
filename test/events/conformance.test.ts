import * as MemoryEventLog from "../../src/events/MemoryEventLog.ts"
import * as SqliteEventLog from "../../src/events/sqlite/SqliteEventLog.ts"
import { suite } from "../../src/testing.ts"
import { temporaryLog } from "../temporary.ts"

suite("SQLite file", temporaryLog())
suite("SQLite file, durability full", temporaryLog({ durability: "full" }))
suite("SQLite in memory", SqliteEventLog.layer({ filename: ":memory:" }))
suite("plain memory", MemoryEventLog.layer())
